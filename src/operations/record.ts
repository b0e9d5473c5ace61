import {
  type Field,
  type Fields as FieldsDeclared,
  type Read,
  count,
  maybeText,
  text,
  time,
} from '../kinds/fields.ts';
import { type Kind, type StateOf, asDeclared, kinds, type operations } from '../kinds/index.ts';
import { type CampaignBin, campaignBins } from '../kinds/recipient.ts';

/** A record as fields: every value is text. */
export type Fields = Readonly<Record<string, string>>;

export interface RecordBase<K extends Kind = Kind> {
  readonly kind: K;
  readonly id: string;
  readonly state: StateOf<K>;
  readonly account: string;
  readonly reference?: string;
  /** ms since the epoch, by the clock of PostgreSQL. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When the record entered its state. */
  readonly since: number;
  readonly rev: number;
  /** Attempts made in this state. */
  readonly tries: number;
  /** Name of the API key of the request. */
  readonly by?: string;
  /** Fingerprint and mode of the provider keys that the operation was accepted for or began with. */
  readonly keys?: string;
  readonly mode?: string;
  readonly acceptedFor?: string;
  readonly trace?: string;
  /** As stored; `readEvidence` reads it. */
  readonly evidence: EvidenceLines;
  /** Values without a name in the declaration of the kind. */
  readonly fields: Fields;
}

/** The provider's answers about an operation. */
export interface EvidenceLines {
  readonly lines: readonly string[];
  /** All lines, including those that are no longer stored. */
  readonly total: number;
}

export const NO_EVIDENCE: EvidenceLines = { lines: [], total: 0 };

/** Values of fields without a name of their own. */
interface Counted {
  readonly campaign: { readonly totals: Readonly<Record<CampaignBin, number>> };
}

type Records = {
  readonly [K in Kind]: RecordBase<K> &
    Omit<Read<(typeof operations)[K]['fields']>, keyof RecordBase> &
    (K extends keyof Counted ? Counted[K] : unknown);
};

/** The record of each kind, typed by the fields of its declaration. */
export interface RecordOf extends Records {}

export type DisbursementRecord = RecordOf['disbursement'];
export type MessageRecord = RecordOf['message'];
export type CampaignRecord = RecordOf['campaign'];
export type BatchRecord = RecordOf['batch'];
export type InvoiceRecord = RecordOf['invoice'];

/** A record of a generic kind: the compiler cannot see that it has the base fields. */
export type RecordAt<K extends Kind> = RecordOf[K] & RecordBase<K>;

/** Parses the stored text to the typed record. Optional fields stay absent; a missing required field throws. */
export function readRecord<K extends Kind>(kind: K, fields: Fields): RecordAt<K> {
  if (fields['kind'] !== kind) throw new Error(`record ${fields['id']} is a ${fields['kind']}, not a ${kind}`);
  const read = {
    kind,
    ...readFields(plans[kind] ?? [], fields),
    evidence: NO_EVIDENCE,
    fields,
    ...(kind === 'campaign' ? { totals: binsOf(fields) } : {}),
  };
  // Read according to the declaration that defines its type, which the compiler cannot follow through a loop.
  return read as RecordAt<K>;
}

/** Every record has these, visible to callers or not. */
const base: FieldsDeclared = {
  id: text,
  state: text,
  account: text,
  reference: maybeText,
  createdAt: time,
  updatedAt: time,
  since: time,
  rev: count,
  tries: count,
  by: maybeText,
  keys: maybeText,
  mode: maybeText,
  acceptedFor: maybeText,
  trace: maybeText,
};

type Plan = readonly (readonly [name: string, field: Field])[];

const plans: Readonly<Record<string, Plan>> = Object.fromEntries(
  kinds.map((kind) => [kind, Object.entries({ ...asDeclared(kind).fields, ...base }).filter(isKept)]),
);

function isKept([, { codec }]: Plan[number]): boolean {
  return codec !== 'derived';
}

function readFields(plan: Plan, fields: Fields): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const [name, field] of plan) {
    const stored = fields[name];
    if (stored === undefined || (stored === '' && field.presence === 'maybe')) {
      if (field.presence === 'maybe') continue;
      if (field.otherwise === undefined) throw new Error(`record ${fields['id']} has no field ${name}`);
      read[name] = field.otherwise;
    } else read[name] = decoded(stored, field, () => `record ${fields['id']}: its field ${name} is no number`);
  }
  return read;
}

function decoded(stored: string, { codec }: Field, complaint: () => string): unknown {
  if (codec === 'text') return stored;
  if (codec === 'json') return JSON.parse(stored);
  const value = Number(stored);
  if (stored === '' || !Number.isFinite(value)) throw new Error(complaint());
  return codec === 'flag' ? value > 0 : value;
}

function binsOf(fields: Fields): Record<CampaignBin, number> {
  const counted = Object.fromEntries(campaignBins.map((bin) => [`t:${bin}`, count]));
  const read = readFields(Object.entries(counted), fields);
  return Object.fromEntries(campaignBins.map((bin) => [bin, read[`t:${bin}`]])) as Record<CampaignBin, number>;
}

/** A record that this version cannot read: another version wrote it, or it is damaged. It is never changed. */
export class UnreadableRecord extends Error {
  override readonly name = 'UnreadableRecord';
  readonly id: string;
  /** Absent: even the account is unreadable. */
  readonly account: string | undefined;

  constructor(id: string, account: string | undefined, why: string) {
    super(`the record ${id} cannot be read by this version: ${why}`);
    this.id = id;
    this.account = account;
  }
}

export function isUnreadable(error: unknown): error is UnreadableRecord {
  return error instanceof UnreadableRecord;
}
