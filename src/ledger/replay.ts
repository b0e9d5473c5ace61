/** Completes a restored ledger from the journal: operations that were about to leave, and acts of users. */
import type { Acted, Entry, Intended, JournalItem } from './journal.ts';
import type { Run } from './pool.ts';
import { type Patience, leadOn, openOf } from './restoring.ts';

type Json = Readonly<Record<string, unknown>>;

/** The data of an operation in the journal, so that a restored ledger can record it again. Times are ISO 8601. */
export interface JournalOperation extends JournalItem {
  readonly account: string;
  readonly reference?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Hex. */
  readonly fingerprint: string;
  readonly amount?: number | undefined;
  readonly beneficiary?: string | undefined;
  readonly request: Json;
  readonly facts?: Json | undefined;
  readonly metadata?: Json | undefined;
  readonly payeeName?: string | undefined;
  readonly purpose?: string | undefined;
  readonly providerId?: string | undefined;
  readonly token?: string | undefined;
  readonly batch?: string | undefined;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly sendUntil?: string | undefined;
  readonly quietUntil?: string | undefined;
  /** Its amount is part of the sums of its day. */
  readonly counted?: boolean | undefined;
}

const SMS_REQUEST = 'sms_request';

interface CampaignNamed {
  readonly id: string;
  readonly account: string;
}

/** A request of a campaign; its id combines both numbers. */
export const smsRequestItem = (campaign: string, n: number, of: CampaignNamed): JournalItem => ({
  id: `${campaign}/${n}`,
  kind: SMS_REQUEST,
  of: of.id,
  account: of.account,
});

const SCHEMA_VERSION = 1;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The state of a replayed operation that may have left: it is checked, or needs review if it cannot be checked. */
const STANDING: Readonly<Record<string, { readonly state: string; readonly queue: string | null }>> = {
  disbursement: { state: 'submitting', queue: 'status-poll' },
  message: { state: 'unknown', queue: 'status-poll' },
  // Needs review and is reported at once, like any open one.
  direct_credit: { state: 'sending', queue: null },
  payment_request: { state: 'creating', queue: null },
};
const WITH_A_PERSON = { state: 'needs_review', queue: null };

export interface Replayed {
  /** Number of recorded operations, by kind. */
  readonly counts: Readonly<Record<string, number>>;
  readonly unreadable: readonly string[];
}

/** The beneficiary whose limits count a payment. */
export type BeneficiaryOf = (payee: { readonly accountAlias: string; readonly withdrawMode: string }) => string;

interface Replaying extends Patience {
  readonly quietAt: Date;
  /** Absent: beneficiary limits do not count replayed payments. */
  readonly beneficiaryOf?: BeneficiaryOf | undefined;
}

/**
 * Records missing items and advances outdated ones, since they may have left. Items that cannot be checked need
 * review. Idempotent.
 */
export async function replayItems(
  run: Run,
  items: readonly JournalItem[],
  { quietAt, beneficiaryOf, ...patience }: Replaying,
): Promise<Replayed> {
  const whole = (item: JournalItem) => wholeItem(item, { quietAt, beneficiaryOf });
  const newest = [...new Map(items.map((item) => [item.id, whole(item)])).values()];
  const payments = newest.filter(({ kind, token }) => kind === 'disbursement' && token !== undefined);
  await run('approve_replayed', [payments.map(({ id }) => id)]);
  await run('replay_intents', [
    payments.map(({ id }) => id),
    payments.map(({ token }) => token),
    payments.map(({ sendUntil }) => sendUntil ?? null),
    payments.map(({ quietUntil }) => quietUntil ?? null),
    null,
  ]);
  const messages = newest.filter(({ kind }) => kind === 'message').map(({ id }) => id);
  await run('doubt_messages', [messages, patience.settleMs, null]);
  const others = newest.filter((one) => one.kind !== 'message' && !payments.includes(one)).map(({ id }) => id);
  const added = await run<{ kind: string }>('replay_operations', valuesOf(newest));
  const { unreadable } = await leadOn(run, { open: MAY_HAVE_LEFT, most: others.length, only: others }, patience);
  const counts: Record<string, number> = {};
  for (const { kind } of added) counts[kind] = (counts[kind] ?? 0) + 1;
  return { counts, unreadable };
}

/** The state of an operation that left, that the restored ledger does not have, and that has no token for a check. */
const MAY_HAVE_LEFT = openOf(['disbursement', 'direct_credit', 'invoice', 'payment_request'], ['review', 'ask']);

/** Request fields that a payment needs for checks and display. */
const ASKED = ['accountAlias', 'withdrawMode', 'debitAccountNumber', 'amount', 'notify'];
const COUNTED: readonly string[] = ['disbursement', 'direct_credit'];

/**
 * An item as a whole operation: items of payments contain the fields of their records. Without a fingerprint, a
 * repeated request is recognised by its identity alone.
 */
function wholeItem(
  item: JournalItem,
  { quietAt, beneficiaryOf }: Pick<Replaying, 'quietAt' | 'beneficiaryOf'>,
): JournalOperation {
  const { disburseId, by, createdAt, ...fields } = item;
  const [accountAlias, withdrawMode] = [text(fields['accountAlias']), text(fields['withdrawMode'])];
  const request = Object.fromEntries(
    ASKED.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  );
  return {
    account: '',
    fingerprint: '',
    request,
    providerId: text(disburseId) || undefined,
    createdBy: text(by),
    counted: COUNTED.includes(item.kind) && fields['amount'] !== undefined,
    quietUntil: quietAt.toISOString(),
    beneficiary: accountAlias && withdrawMode ? beneficiaryOf?.({ accountAlias, withdrawMode }) : undefined,
    ...fields,
    id: item.id,
    kind: item.kind,
    createdAt: typeof createdAt === 'number' ? new Date(createdAt).toISOString() : text(createdAt),
  };
}

function valuesOf(items: readonly JournalOperation[]): readonly unknown[] {
  const column = (read: (one: JournalOperation) => unknown): readonly unknown[] =>
    items.map((one) => read(one) ?? null);
  const standing = ({ kind }: JournalOperation) => STANDING[kind] ?? WITH_A_PERSON;
  return [
    column(({ id }) => id),
    column(({ kind }) => kind),
    column(({ account }) => account),
    column(({ reference }) => reference),
    column(({ idempotencyKey }) => idempotencyKey),
    column(({ fingerprint }) => Buffer.from(fingerprint, 'hex')),
    column((one) => standing(one).state),
    column((one) => standing(one).queue),
    column(({ amount }) => amount),
    column(({ beneficiary }) => beneficiary),
    column(({ request }) => JSON.stringify(request)),
    column(({ facts }) => JSON.stringify(facts ?? {})),
    column(({ metadata }) => metadata && JSON.stringify(metadata)),
    column(({ payeeName }) => payeeName),
    column(({ purpose }) => purpose),
    column(({ providerId }) => providerId),
    column(({ token }) => token),
    column(({ batch }) => batch),
    column(({ createdBy }) => createdBy),
    column(({ createdAt }) => createdAt),
    column(({ sendUntil }) => sendUntil),
    column(({ quietUntil }) => quietUntil),
    column(({ counted }) => counted ?? false),
    SCHEMA_VERSION,
    null,
  ];
}

export interface Lost {
  readonly items: readonly JournalItem[];
  /** `campaign number/request`. */
  readonly requests: readonly string[];
  /** Campaigns that sent something. */
  readonly campaigns: readonly CampaignNamed[];
  readonly acts: readonly (Acted & { readonly at: number })[];
}

/** Entries after the backup. `from`: the last time that relais used this ledger, ms. */
export function lostOf(entries: readonly Entry[], marks: ReadonlyMap<string, bigint>, from: number): Lost {
  const isLost = ({ lane, counter }: Intended): boolean => BigInt(counter) > (marks.get(lane) ?? 0n);
  const items = entries.flatMap((one) => (one.is === 'intended' && isLost(one) ? one.items : []));
  const requests = items.filter(({ kind }) => kind === SMS_REQUEST);
  const campaigns = new Map(requests.map(({ of, account }) => [text(of), text(account)]));
  return {
    items: items.filter(({ kind }) => kind !== SMS_REQUEST),
    requests: requests.map(({ id }) => id),
    campaigns: [...campaigns].map(([id, account]) => ({ id, account })),
    acts: entries.filter((one) => one.is === 'acted').filter(({ at }) => at >= from),
  };
}
