import type { Redis } from 'ioredis';
import {
  type Field,
  type Fields as FieldsDeclared,
  type Read,
  count,
  maybeText,
  text,
  time,
} from '../kinds/fields.ts';
import { type Kind, type StateOf, asDeclared, kinds, type operations, statesOf } from '../kinds/index.ts';
import { type CampaignBin, campaignBins } from '../kinds/recipient.ts';
import type { RecordHost } from '../redis/scripts.ts';
import { keys } from './keys.ts';

/** The version of the record's form. A worker leaves a record of another version alone and says so. */
export const RECORD_VERSION = '1';

/** The field with the mark of the trace that the record belongs to, where it does: see `lib/traces.ts`. */
export const TRACE = 'trace';

/** How a script refuses a record that it cannot read, before it changes anything. */
export const UNREADABLE = 'UNREADABLE';

/** A record as Redis keeps it: every value is text. */
export type Fields = Readonly<Record<string, string>>;

export interface RecordBase<K extends Kind = Kind> {
  readonly kind: K;
  readonly id: string;
  readonly state: StateOf<K>;
  readonly account: string;
  readonly reference?: string;
  /** ms since the epoch, by the clock of Redis. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When the record entered its state. */
  readonly since: number;
  readonly rev: number;
  /** Attempts made in this state. */
  readonly tries: number;
  /** Name of the API key that asked for it. */
  readonly by?: string;
  /** Fingerprint and mode of the provider keys that it was begun with, and of those that it was accepted for. */
  readonly keys?: string;
  readonly mode?: string;
  readonly acceptedFor?: string;
  readonly trace?: string;
  /** As stored; `readEvidence` reads it. */
  readonly evidence: StoredEvidence;
  /** Everything, as Redis stores it. */
  readonly fields: Fields;
}

/** What the provider said about an operation: among the fields of a record in Redis, or as lines. */
export type StoredEvidence = Fields | EvidenceLines;

export interface EvidenceLines {
  readonly lines: readonly string[];
  /** Lines in all, also those that are no longer stored. */
  readonly total: number;
}

/** What is kept in fields that have no name of their own. */
interface Counted {
  readonly campaign: { readonly totals: Readonly<Record<CampaignBin, number>> };
}

type Records = {
  readonly [K in Kind]: RecordBase<K> &
    Omit<Read<(typeof operations)[K]['fields']>, keyof RecordBase> &
    (K extends keyof Counted ? Counted[K] : unknown);
};

/** The record of each kind, as the fields of its declaration say. */
export interface RecordOf extends Records {}

export type DisbursementRecord = RecordOf['disbursement'];
export type MessageRecord = RecordOf['message'];
export type CampaignRecord = RecordOf['campaign'];
export type BatchRecord = RecordOf['batch'];
export type InvoiceRecord = RecordOf['invoice'];

/** A record of a kind that only the caller knows: what the compiler cannot see by itself is that it has its base. */
export type RecordAt<K extends Kind> = RecordOf[K] & RecordBase<K>;

/**
 * Turns the stored text into the typed record. Absent fields are absent; a field that must be there and is not
 * throws.
 */
export function readRecord<K extends Kind>(kind: K, fields: Fields): RecordAt<K> {
  if (fields['kind'] !== kind) throw new Error(`record ${fields['id']} is a ${fields['kind']}, not a ${kind}`);
  const read = {
    kind,
    ...readFields(plans[kind] ?? [], fields),
    evidence: fields,
    fields,
    ...(kind === 'campaign' ? { totals: binsOf(fields) } : {}),
  };
  // Read by the declaration that its type is made of, which the compiler cannot follow through a loop.
  return read as RecordAt<K>;
}

export function fieldsOf(flat: readonly unknown[]): Fields {
  const fields: Record<string, string> = {};
  for (let index = 0; index + 1 < flat.length; index += 2) fields[String(flat[index])] = String(flat[index + 1]);
  return fields;
}

/** Every record has these, whatever callers see of them. */
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

/**
 * Records that this version cannot read: written by another one, or damaged. Each is one row that says so, and nobody
 * acts on it; the others go on. Where one is met it is noted, so that it can be counted and named.
 */

/** How many are kept by name. */
const NAMED_MOST = 1_000;

export class UnreadableRecord extends Error {
  override readonly name = 'UnreadableRecord';
  readonly id: string;
  /** Absent: not even that can be read. */
  readonly account: string | undefined;

  constructor(id: string, account: string | undefined, why: string) {
    super(`the record ${id} cannot be read by this version: ${why}`);
    this.id = id;
    this.account = account;
  }
}

/** Also in the words of a script, which found it so after we had read it. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof UnreadableRecord || (error instanceof Error && error.message.includes(UNREADABLE));
}

/** The record, or why it is none. */
export function readStored<K extends Kind>(kind: K, id: string, stored: Fields): RecordAt<K> | UnreadableRecord {
  const { v, account } = stored;
  if (v !== RECORD_VERSION) return new UnreadableRecord(id, account, `it is of version ${v ?? 'none'}`);
  try {
    const record = readRecord(kind, stored);
    const states: readonly string[] = statesOf(kind);
    if (states.includes(record.state)) return record;
    return new UnreadableRecord(id, account, `it has no state of a ${kind}`);
  } catch (error) {
    return new UnreadableRecord(id, account, error instanceof Error ? error.message : String(error));
  }
}

export async function noteUnreadable(
  redis: Pick<RecordHost, 'scard' | 'sadd'>,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0 || (await redis.scard(keys.unreadable)) >= NAMED_MOST) return;
  await redis.sadd(keys.unreadable, ...ids);
}

/** Those that this process cannot read. What it can is noted still: an older one beside it may not. */
export async function countUnreadable(redis: Redis): Promise<number> {
  return (await noted(redis)).filter(([, unreadable]) => unreadable).length;
}

/** Those that this version still cannot read; the others are no longer noted. */
export async function namedUnreadable(redis: Redis): Promise<UnreadableRecord[]> {
  const all = await noted(redis);
  const readable = all.flatMap(([id, unreadable]) => (unreadable ? [] : [id]));
  if (readable.length > 0) await redis.srem(keys.unreadable, ...readable);
  return all.flatMap(([, unreadable]) => unreadable ?? []);
}

async function noted(redis: Redis): Promise<(readonly [id: string, unreadable: UnreadableRecord | undefined])[]> {
  const ids = await redis.smembers(keys.unreadable);
  return Promise.all(ids.map(async (id) => [id, await stillUnreadable(redis, id)] as const));
}

async function stillUnreadable(redis: Redis, id: string): Promise<UnreadableRecord | undefined> {
  const stored: Fields = await redis.hgetall(keys.record(id));
  if (Object.keys(stored).length === 0) return waitsInHistory(redis, id);
  const kind = kinds.find((one) => one === stored['kind']);
  if (kind === undefined) return new UnreadableRecord(id, stored['account'], 'it has no kind that there is');
  const read = readStored(kind, id, stored);
  return read instanceof UnreadableRecord ? read : undefined;
}

/** What left Redis and was said something about since is noted while history cannot give it back. */
async function waitsInHistory(redis: Redis, id: string): Promise<UnreadableRecord | undefined> {
  return (await redis.hexists(keys.recalled, id)) === 1
    ? new UnreadableRecord(id, undefined, 'its row in history has a form that this version does not know')
    : undefined;
}

export function inverse(names: Fields): Fields {
  return Object.fromEntries(Object.entries(names).map(([full, brief]) => [brief, full]));
}
