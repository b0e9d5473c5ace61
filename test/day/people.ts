/** People of one day: payers at the service, and the person at the review desk, whose word is what the books say. */
import { waitUntil } from '../storm/clock.ts';
import { ask } from '../storm/http.ts';
import { type Books, readBooks } from './books.ts';
import { SECOND } from './orders.ts';
import { listed } from './reading.ts';

interface Place {
  readonly api: string;
  readonly control: string;
}

interface Bill {
  readonly id: string;
  readonly token?: string | null;
  readonly referenceNumber?: string | null;
}

/** Of ten who are asked for money six pay, one says no, one fails, and two do not come. */
function wordOf(id: string): string | undefined {
  const draw = Number.parseInt(id.slice(-2), 36) % 10;
  return draw < 6 ? 'completed' : draw === 6 ? 'cancelled' : draw === 7 ? 'failed' : undefined;
}

/** Once for each that can be paid. `done` remembers those that have decided. */
export async function payersDecide({ api, control }: Place, done: Set<string>): Promise<void> {
  for (const { id, token } of await listed<Bill>(api, 'invoices?state=pending')) {
    const status = wordOf(id);
    if (!token || done.has(id)) continue;
    if (status === undefined || (await decided(`${control}/invoices/${token}`, status))) done.add(id);
  }
  for (const { id, referenceNumber } of await listed<Bill>(api, 'payment-requests?state=pending')) {
    const word = wordOf(id);
    const status = word === 'cancelled' ? 'failed' : word;
    if (!referenceNumber || done.has(id)) continue;
    if (status === undefined || (await decided(`${control}/payment-requests/${referenceNumber}`, status)))
      done.add(id);
  }
}

async function decided(url: string, status: string): Promise<boolean> {
  const reply = await ask(url, { method: 'POST', body: { status } });
  return reply !== undefined && reply.status < 300;
}

interface InReview {
  readonly kind: string;
  readonly id: string;
  readonly disburseId?: string;
  readonly accountAlias?: string;
  readonly contentHash?: string;
  readonly amount?: number;
  readonly totalAmount?: number;
}

const PATHS: Readonly<Record<string, string>> = {
  disbursement: 'disbursements',
  direct_credit: 'direct-credits',
  invoice: 'invoices',
  payment_request: 'payment-requests',
};

/** Until nothing waits for a person any more. Resolves with what nobody could decide, and how many were decided. */
export async function decideAll(
  place: Place,
  ms: number,
): Promise<{ readonly left: string[]; readonly count: number }> {
  let left: string[] = [];
  let count = 0;
  await waitUntil(
    async () => {
      const books = await readBooks(place.control);
      left = [];
      for (const one of await listed<InReview>(place.api, 'review')) {
        const refused = await decide(place.api, one, books);
        if (refused === undefined) count += 1;
        else left.push(`${one.id}: ${refused}`);
      }
      return left.length === 0;
    },
    ms,
    500,
  );
  return { left, count };
}

/** Absent: it is decided. */
async function decide(api: string, one: InReview, books: Books): Promise<string | undefined> {
  if (one.kind === 'batch')
    return said(api, `disbursement-batches/${one.id}/approve`, { contentHash: one.contentHash });
  const path = PATHS[one.kind] ?? one.kind;
  return said(api, `${path}/${one.id}/resolve`, verdictOf(one, books));
}

async function said(api: string, path: string, body: object): Promise<string | undefined> {
  const reply = await ask(`${api}/v1/${path}`, { method: 'POST', body, headers: SECOND });
  return reply && reply.status < 300 ? undefined : JSON.stringify(reply?.body ?? 'nothing');
}

/** Each is told by its amount: no two bills of the day have the same. */
function verdictOf({ kind, disburseId, accountAlias, amount, totalAmount }: InReview, books: Books) {
  const note = 'seen in the books of the service';
  const isPaid = ({ status }: { readonly status: string }): boolean => status === 'completed';
  if (kind === 'invoice' || kind === 'payment_request') {
    const paid =
      kind === 'invoice'
        ? books.invoices.some((one) => one.totalAmount === totalAmount && isPaid(one))
        : books.paymentRequests.some((one) => one.amount === amount && isPaid(one));
    return { outcome: paid ? 'completed' : 'failed', note };
  }
  const paid =
    kind === 'disbursement'
      ? books.disbursements.find((entry) => entry.disburseId === disburseId && entry.effects > 0)
      : books.directCredits.find((entry) => entry.accountAlias === accountAlias);
  if (!paid) return { outcome: 'failed', note };
  return { outcome: 'succeeded', note, transactionId: paid.transactionId };
}
