/** Reads the provider's status of open operations of a restored ledger. Changes nothing. */
import type { RecordAt } from '../../operations/record.ts';
import type { UpstreamAccount } from '../../provider/account.ts';
import type { Verdict } from '../../provider/verdict.ts';
import { type ProcessorContext, foreignTo } from '../context.ts';

/** How many operations were checked, and the count of each status. */
export interface Said {
  readonly kind: AskedKind;
  readonly asked: number;
  readonly words: Readonly<Record<string, number>>;
}

type AskedKind = 'disbursement' | 'invoice' | 'payment_request';
type Status = Verdict<{ readonly status: string }>;

/** Undefined: the record has no reference for a status check. */
type Ask<K extends AskedKind> = (record: RecordAt<K>) => ((account: UpstreamAccount) => Promise<Status>) | undefined;

interface Asker<K extends AskedKind> {
  readonly kind: K;
  readonly states: readonly string[];
  readonly ask: Ask<K>;
}

type SaysContext = Pick<ProcessorContext, 'account' | 'clock' | 'queries' | 'upstream'>;

const NO_ANSWER = 'no answer';
/** The provider's status is untrusted text. */
const KNOWN = /^[a-z _-]{1,20}$/;

/** Checks the newest `most` operations of each kind. */
export async function providerSays(context: SaysContext, most: number): Promise<readonly Said[]> {
  const { payments } = context.upstream;
  const said = await Promise.all([
    askSome(context, most, {
      kind: 'disbursement',
      states: ['created', 'submitting', 'unknown', 'pending', 'needs_review'],
      ask: ({ token }) =>
        token === undefined ? undefined : (account) => payments.disbursementStatus(account, { token }),
    }),
    askSome(context, most, {
      kind: 'invoice',
      states: ['pending', 'needs_review'],
      ask: ({ token }) =>
        token === undefined ? undefined : (account) => payments.confirmInvoice(account, { token }),
    }),
    askSome(context, most, {
      kind: 'payment_request',
      states: ['pending', 'needs_review'],
      ask: ({ referenceNumber }) =>
        referenceNumber === undefined
          ? undefined
          : (account) => payments.paymentRequestStatus(account, { referenceNumber }),
    }),
  ]);
  return said.filter(({ asked }) => asked > 0);
}

async function askSome<K extends AskedKind>(
  context: SaysContext,
  most: number,
  { kind, states, ask }: Asker<K>,
): Promise<Said> {
  const words: Record<string, number> = {};
  const { items } = await context.queries.page(kind, { limit: most, states });
  let asked = 0;
  for (const record of items) {
    const known = context.account(record.account);
    const request = ask(record);
    // The account does not know an operation of other keys or of another mode.
    if (known === undefined || request === undefined || foreignTo(known, record) !== undefined) continue;
    await turnOf(record.account, context);
    const verdict = await request(known.upstream);
    const word = verdict.is === 'ok' ? verdict.value.status : NO_ANSWER;
    const name = KNOWN.test(word) ? word : 'other';
    words[name] = (words[name] ?? 0) + 1;
    asked += 1;
  }
  return { kind, asked, words };
}

/** Waits for a permit of the rate limit: nothing is urgent here. */
async function turnOf(name: string, { account, clock, upstream }: SaysContext): Promise<void> {
  for (let known = account(name); known !== undefined; known = account(name)) {
    const admission = await upstream.admit(known.upstream, 'payments', 'look');
    if (admission.admitted) return;
    await clock.sleep(admission.retryAfterMs);
  }
}
