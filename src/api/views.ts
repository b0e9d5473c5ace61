/** Records for callers: camelCase, times as ISO 8601, only the shown fields of the kind. */
import type { Derived, Field } from '../kinds/fields.ts';
import { type Kind, asDeclared, kinds, type operations } from '../kinds/index.ts';
import { type NotifiedState, notifiedStates } from '../kinds/notify.ts';
import { recipientsOf } from '../kinds/recipient.ts';
import { type UsualHours, quietView } from '../kinds/campaign-hours.ts';
import { contentHashOf, handsIn } from '../campaigns/content.ts';
import { hasCanary } from '../operations/campaign-canary.ts';
import type { Policy } from '../settings/policy.ts';
import { readEvidence } from '../operations/transition.ts';
import type {
  CampaignRecord,
  DisbursementRecord,
  MessageRecord,
  RecordAt,
  RecordBase,
  RecordOf,
} from '../operations/record.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

interface ShownField {
  readonly name: string;
  readonly as: string;
  readonly isTime: boolean;
  /** The value if nothing is stored. */
  readonly absent: unknown;
  readonly isOptional: boolean;
}

const plans: Readonly<Record<string, readonly ShownField[]>> = Object.fromEntries(
  kinds.map((kind) => [kind, Object.entries(asDeclared(kind).fields).flatMap(shownField)]),
);

function shownField([name, { shown, as = name, codec, otherwise }]: readonly [string, Field]): ShownField[] {
  if (shown === undefined) return [];
  const isOptional = shown.safeParse(undefined).success;
  return [{ name, as, isTime: codec === 'time', absent: otherwise, isOptional }];
}

/** By the declared fields; `derived` has computed fields, and fields shown in another form than stored. */
export function viewOf<K extends Kind>(
  record: RecordAt<K>,
  derived: Derived<(typeof operations)[K]['fields']> & Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return shownOf(record, derived);
}

/** For a kind without computed fields. */
export function view(
  record: RecordOf[Exclude<Kind, 'disbursement' | 'invoice' | 'payment_request' | 'campaign' | 'batch'>],
): Record<string, unknown> {
  return shownOf(record, {});
}

/** The SMS of a payment so far, by the state that each tells. */
export type Notified = Readonly<Partial<Record<NotifiedState, Pick<MessageRecord, 'id' | 'state'>>>>;

/** `notified`: absent in lists. */
export function disbursementView(record: DisbursementRecord, notified?: Notified) {
  const { notify } = record;
  if (notify === undefined) return shownOf(record, {});
  const on = notifiedStates.filter((state) => state in notify.texts);
  const messages = on.flatMap((state) => {
    const found = notified?.[state];
    return found === undefined ? [] : [{ on: state, id: found.id, state: found.state }];
  });
  const told = { phone: notify.phone, on, ...(notified && { messages }) };
  return viewOf<'disbursement'>(record, { notify: told });
}

function shownOf(
  record: Pick<RecordBase, 'kind' | 'evidence'>,
  told: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const hasHistory = 'history' in asDeclared(record.kind).fields;
  const kept: Readonly<Record<string, unknown>> = { ...record, ...(hasHistory ? historyOf(record) : {}) };
  const shown: Record<string, unknown> = {};
  for (const { name, as, isTime, absent, isOptional } of plans[record.kind] ?? []) {
    const value = name in told ? told[name] : isTime ? timeOf(kept[name]) : kept[name];
    if (!isOptional) shown[as] = value ?? null;
    else if (value !== undefined && value !== absent) shown[as] = value;
  }
  return shown;
}

const timeOf = (ms: unknown): string | undefined => (typeof ms === 'number' ? iso(ms) : undefined);

function historyOf(record: Pick<RecordBase, 'evidence'>) {
  const { lines, dropped } = readEvidence(record);
  const history = lines.map(({ at, ...line }) => ({ at: iso(at), ...line }));
  return { history, ...(dropped > 0 ? { historyDropped: dropped } : {}) };
}

interface Hold {
  readonly reason: string;
  /** ms since the epoch; undefined: a user must release it. */
  readonly until: number | undefined;
}

/** `rate`: recipients per second since the start. `eta`: the end at that rate. */
export function paceOf(record: CampaignRecord, now: number): { readonly rate: number; readonly eta: string | null } {
  const { queued, held, sending } = record.totals;
  const waiting = queued + held + sending;
  const seconds = record.startedAt ? Math.max(1, (endOf(record, now) - record.startedAt) / 1_000) : 0;
  const rate = seconds > 0 ? Math.round(((recipientsOf(record.totals) - waiting) / seconds) * 10) / 10 : 0;
  const runs = record.state === 'running' && rate > 0 && waiting > 0;
  return { rate, eta: runs ? iso(now + (waiting / rate) * 1_000) : null };
}

interface Around {
  /** Reason why a running campaign sends nothing, and its earliest end. */
  readonly hold?: Hold | undefined;
  /** Absent in lists. */
  readonly policy?: (UsualHours & Pick<Policy, 'settleDelayMs'>) | undefined;
}

export function campaignView(record: CampaignRecord, now: number, { hold, policy }: Around = {}) {
  const canaryWait = policy && canaryWaitOf(record, policy, now);
  return viewOf(record, {
    reason: record.reason ?? hold?.reason,
    heldUntil: hold?.until === undefined ? undefined : iso(hold.until),
    totals: record.totals,
    recipients: recipientsOf(record.totals),
    countries: countriesView(record),
    cost: costOf(record),
    ...paceOf(record, now),
    ...(hold || canaryWait ? { eta: null } : {}),
    ...(policy && { quiet: quietView(record, policy, now), canaryWait }),
    contentHash: contentHashOf(record),
    askedBy: handsIn(record),
    quietHours: record.quietHours === 'on' || (record.quietHours ?? false),
    ...(record.pauseOnFailure === undefined ? {} : { pauseOnFailure: record.pauseOnFailure || false }),
  });
}

/** Recipients of one request (interface: Limits). */
const PER_REQUEST = 50;

/** Null: the rest can be sent. If the canary is in doubt, the statistics are checked after the settle delay. */
function canaryWaitOf(record: CampaignRecord, { settleDelayMs }: Pick<Policy, 'settleDelayMs'>, now: number) {
  const { state, canary, canaryOver, since, totals } = record;
  if (state !== 'running' || canaryOver || !hasCanary(record)) return null;
  const requests = Math.ceil((canary ?? PER_REQUEST) / PER_REQUEST);
  const recipients = Math.min(requests * PER_REQUEST, recipientsOf(totals));
  const restAt = since + settleDelayMs;
  return { recipients, restAt: restAt > now ? iso(restAt) : null };
}

/** The estimated cost of the uploads; nothing if one has no price. */
function costOf({ uploads }: CampaignRecord) {
  const costs = uploads.flatMap(({ cost }) => cost ?? []);
  if (costs.length === 0 || costs.length < uploads.length) return undefined;
  const unpriced = [...new Set(costs.flatMap((cost) => cost.unpriced))];
  return { estimated: true as const, xof: costs.reduce((sum, { xof }) => sum + xof, 0), unpriced };
}

/** Recipients of each country, and their results so far. */
function countriesView({ uploads, fields }: CampaignRecord) {
  const countries: Record<string, { recipients: number; sent: number; failed: number; unknown: number }> = {};
  for (const [country, count] of uploads.flatMap((upload) => Object.entries(upload.countries ?? {}))) {
    const told = (state: string): number => Number(fields[`c:${country}:${state}`] ?? 0);
    const recipients = (countries[country]?.recipients ?? 0) + count;
    countries[country] = { recipients, sent: told('sent'), failed: told('failed'), unknown: told('unknown') };
  }
  return countries;
}

function endOf(record: CampaignRecord, now: number): number {
  return record.state === 'finished' || record.state === 'cancelled' ? record.since : now;
}
