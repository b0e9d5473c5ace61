/** A campaign row, and the record for routes, pages and reports. */
import { HAND } from '../kinds/campaign-switches.ts';
import type { UploadRecord } from '../kinds/campaign-fields.ts';
import type { StateOf } from '../kinds/index.ts';
import type { CampaignRecord } from '../operations/record.ts';

/** Fields of a request or an amendment, by name; '' removes one. */
export type CampaignFields = Readonly<Record<string, string | number>>;

/** The row as JSON. Times are ISO texts. */
export interface CampaignRow {
  readonly number: number;
  readonly id: string;
  readonly account: string;
  readonly reference: string | null;
  readonly idempotency_key: string | null;
  readonly name: string;
  readonly body: string;
  readonly options: CampaignFields;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly uploads: readonly UploadRecord[];
  /** ms since the epoch, by person. */
  readonly hands: Readonly<Record<string, number>>;
  readonly state: StateOf<'campaign'>;
  readonly reason: string | null;
  readonly left_out: number;
  readonly recipients: number;
  readonly requests: number;
  readonly open: number;
  readonly sent: number;
  readonly failed: number;
  readonly unknown: number;
  readonly skipped: number;
  readonly expired: number;
  readonly cancelled: number;
  readonly resent: number;
  readonly segments: number;
  readonly extra: number;
  readonly canary_over: boolean;
  readonly judged_over: number;
  readonly judged_failed: number;
  readonly judged_unknown: number;
  readonly retries: number;
  readonly retry_unknown: boolean;
  readonly retry_keys: readonly string[];
  readonly per_second: number | null;
  readonly pace_at: string | null;
  readonly starts_at: string | null;
  readonly due_at: string | null;
  readonly created_by: string;
  readonly approved_by: string | null;
  readonly approved_at: string | null;
  readonly rejected_by: string | null;
  readonly note: string | null;
  readonly trace: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly started_at: string | null;
  readonly since: string;
  readonly version: number;
}

export interface ReadCampaign {
  readonly campaign: CampaignRow;
  /** Recipients whose request is in flight, or was refused and is being checked. */
  readonly sending: string;
  readonly countries: Readonly<Record<string, Readonly<Record<string, number>>>> | null;
}

/** Omits undefined fields. */
function present<T extends Readonly<Record<string, unknown>>>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const kept = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(kept) as { [K in keyof T]?: NonNullable<T[K]> };
}

const ms = (iso: string): number => Date.parse(iso);
const maybeMs = (iso: string | null): number | undefined => (iso === null ? undefined : ms(iso));

export function recordOf({ campaign: row, sending, countries }: ReadCampaign): CampaignRecord {
  const { replaceCostly, requireSender, quietHours, ...options } = row.options;
  const record = {
    kind: 'campaign' as const,
    id: row.id,
    name: row.name,
    state: row.state,
    account: row.account,
    text: row.body,
    segments: row.segments,
    uploads: row.uploads,
    replaceCostly: replaceCostly === 1,
    requireSender: requireSender === 1,
    totals: totalsOf(row, Number(sending)),
    ...progressOf(row),
    ...options,
    ...present({
      quietHours,
      reference: row.reference,
      reason: row.reason,
      perSecond: row.per_second,
      sendAt: maybeMs(row.starts_at),
      startedAt: maybeMs(row.started_at),
      approvedBy: row.approved_by,
      approvedAt: maybeMs(row.approved_at),
      metadata: row.metadata,
      rejectedBy: row.rejected_by,
      note: row.note,
    }),
    evidence: { lines: [], total: 0 },
    fields: fieldsOf(row, countries ?? {}),
  };
  return record as CampaignRecord;
}

function progressOf(row: CampaignRow) {
  return {
    resent: row.resent,
    retries: row.retries,
    extra: row.extra,
    canaryOver: row.canary_over,
    judgedOver: row.judged_over,
    judgedFailed: row.judged_failed,
    judgedUnknown: row.judged_unknown,
    slices: row.requests || Math.ceil(row.recipients / 50),
    tries: 0,
    rev: row.version,
    createdAt: ms(row.created_at),
    updatedAt: ms(row.updated_at),
    since: ms(row.since),
  };
}

function totalsOf(row: CampaignRow, sending: number): CampaignRecord['totals'] {
  const { recipients, left_out: leftOut, sent, failed, unknown, skipped, expired, cancelled } = row;
  return {
    total: recipients + leftOut,
    queued: recipients - sent - failed - unknown - skipped - expired - cancelled - sending,
    held: 0,
    sending,
    sent,
    failed,
    unknown,
    skipped: skipped + leftOut,
    expired,
    cancelled,
  };
}

/** Fields that readers look up by name. */
function fieldsOf(
  { hands, trace }: CampaignRow,
  countries: NonNullable<ReadCampaign['countries']>,
): Readonly<Record<string, string>> {
  const named = Object.entries(hands).map(([person, since]) => [`${HAND}${person}`, `${since}`] as const);
  const counted = Object.entries(countries).flatMap(([country, states]) =>
    Object.entries(states).map(([state, count]) => [`c:${country}:${state}`, `${count}`] as const),
  );
  return { ...Object.fromEntries([...named, ...counted]), ...present({ trace }) };
}

type Content = Pick<CampaignRow, 'name' | 'body' | 'options' | 'per_second' | 'starts_at'>;

/** The content before a new campaign has any. */
export const NO_CONTENT: Content = { name: '', body: '', options: {}, per_second: null, starts_at: null };

/** The columns after a change of fields. */
export function contentOf(fields: CampaignFields, before: Content) {
  const { name = before.name, text = before.body, perSecond, sendAt, ...more } = fields;
  const options = Object.entries({ ...before.options, ...more }).filter(([, value]) => value !== '');
  return {
    name,
    body: text,
    options: Object.fromEntries(options),
    perSecond: perSecond === undefined ? before.per_second : perSecond === '' ? null : perSecond,
    startsAt: sendAt === undefined ? before.starts_at : sendAt === '' ? null : new Date(sendAt),
  };
}

export function fieldOf(campaign: CampaignRow, name: string): string | number {
  if (name === 'name') return campaign.name;
  if (name === 'text') return campaign.body;
  if (name === 'perSecond') return campaign.per_second ?? '';
  if (name === 'sendAt') return campaign.starts_at === null ? '' : Date.parse(campaign.starts_at);
  return campaign.options[name] ?? '';
}
