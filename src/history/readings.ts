/** What of Redis becomes which rows: a record its row, a slice of a campaign a row for each of its people. */
import { NAME_MOST } from '../kinds/fields.ts';
import { kinds } from '../kinds/index.ts';
import { kindTables, NAMES, recipientTable, REST, type Table, TOTALS } from '../kinds/tables.ts';
import { nameInHistory, namedIn } from '../operations/places.ts';
import {
  type BatchRecord,
  type Fields,
  readStored,
  type RecordBase,
  UnreadableRecord,
} from '../operations/record.ts';
import type { BatchRow } from '../operations/batch-rows.ts';
import { type SkippedRow, uploadId } from '../operations/campaigns.ts';
import { recipientStateOf, standingOf, unpackCountries, unpackItems, whySkipped } from '../operations/slice-form.ts';
import { unpackValues } from '../lib/packed-values.ts';
import { campaignOfSlice, readSlice, type SliceRecord } from '../operations/slices.ts';
import type { PayeeOf } from './payees.ts';
import type { Row } from './rows.ts';

/** A record, or a slice, as it was read: which rows it is. */
export interface Reading {
  readonly id: string;
  readonly rev: number;
  readonly table: Table;
  readonly rows: readonly Row[];
}

/** What only an attempt needs, and what stands in a column. */
const NOT_KEPT = ['lease', 'until', 'op', 'hint', 'kind', 'v'];

/** What of a campaign its people have to do with. */
export interface CampaignOfRows {
  readonly id: string;
  readonly account: string;
  /** When it was made: its people stand in that part of the table. */
  readonly createdAt: number;
  /** A person who was not sent to will not be. */
  readonly isCancelled: boolean;
}

/** What is read with a record. */
export interface Beside {
  readonly campaignOf: (id: string) => CampaignOfRows | undefined;
  /** What the file had beside number and values, a line for each recipient of a slice; none where it had nothing. */
  readonly own: readonly string[];
  readonly payeeOf: PayeeOf;
}

/** Throws an UnreadableRecord. Undefined: history has no table for it. */
export function readingOf(id: string, stored: Fields, { campaignOf, own, payeeOf }: Beside): Reading | undefined {
  const kind = kinds.find((one) => one === stored['kind']);
  if (kind === undefined) throw new UnreadableRecord(id, stored['account'], 'it has no kind');
  if (kind === 'slice') {
    const campaign = campaignOf(campaignOfSlice(id));
    if (campaign === undefined) throw new UnreadableRecord(id, stored['account'], 'there is no campaign of it');
    return readingOfSlice(readSlice(stored), campaign, own);
  }
  const table = kindTables[kind];
  if (table === undefined) return undefined;
  const record = readStored(kind, id, stored);
  if (record instanceof UnreadableRecord) throw record;
  return { id, rev: record.rev, table, rows: [rowOf(record, table, payeeOf)] };
}

/** `kind` and `fields` say it all where the one is known from the other. */
type AnyRecord = Pick<RecordBase, 'kind' | 'fields'>;

export function rowOf(record: AnyRecord, table: Table, payeeOf: PayeeOf): Row {
  const values: Readonly<Record<string, unknown>> = { ...record };
  const own = new Set([...table.columns.map(({ of }) => of), ...NOT_KEPT]);
  const rest = Object.entries(record.fields).filter(([name]) => !own.has(name) && !name.startsWith('t:'));
  return {
    ...values,
    [NAMES]: namesIn(record, payeeOf),
    [TOTALS]: values['totals'] ?? {},
    [REST]: Object.fromEntries(rest),
  };
}

/** By what it is found, each behind the letter that says what it is: as the index of Redis has it, in clear. */
function namesIn(record: AnyRecord, payeeOf: PayeeOf): string[] {
  const payee = payeeOf(record);
  const named = [...(payee === undefined ? [] : [['phone', payee] as const]), ...namedIn(record.kind, record.fields)];
  // The service may call something by a text of any length, which no index of PostgreSQL takes: nobody can ask for it.
  const asked = named.filter(([, value]) => value.length <= NAME_MOST);
  return [...new Set(asked.map(nameInHistory))].toSorted();
}

/** As it stands once the person was forgotten. */
export function withoutPerson(row: Row): Row {
  const names = row[NAMES];
  const person = nameInHistory(['phone', '']);
  return { ...row, [NAMES]: Array.isArray(names) ? names.filter((name) => !String(name).startsWith(person)) : names };
}

export function readingOfSlice(slice: SliceRecord, campaign: CampaignOfRows, own: readonly string[]): Reading {
  const { id, rev, account, count, requests } = slice;
  const { letters, requests: numbers, codes, again } = standingOf(count, requests);
  const countries = unpackCountries(slice.countries, count);
  const leftAt = new Map(requests.map(({ number, at }) => [number, at]));
  const rows = unpackItems(slice).map(({ row, to, values }, place): Row => {
    const letter = letters[place] ?? 'q';
    const state = recipientStateOf[letter];
    const left = letter === 's' || letter === 'f' || letter === 'u' ? leftAt.get(numbers[place] ?? -1) : undefined;
    return {
      slice: id,
      place,
      rev,
      campaign: campaign.id,
      account,
      row,
      to,
      country: countries[place],
      state: state === 'queued' && campaign.isCancelled ? 'cancelled' : state,
      code: codes[place],
      sentAt: left,
      values: values.length === 0 ? undefined : values,
      reason: state === 'skipped' ? whySkipped(to) : undefined,
      resent: again[place] || undefined,
      own: cellsOf(own[place] ?? ''),
      createdAt: campaign.createdAt,
    };
  });
  return { id, rev, table: recipientTable, rows };
}

/** The people left out of an upload, from that place on. */
export function rowsOfSkipped(
  { id, account, createdAt }: CampaignOfRows,
  { tag, from, skipped }: { readonly tag: string; readonly from: number; readonly skipped: readonly SkippedRow[] },
): Row[] {
  return skipped.map(({ row, to, reason, own }, at) => ({
    slice: uploadId(id, tag),
    place: from + at,
    rev: 0,
    campaign: id,
    account,
    row,
    to,
    state: 'skipped',
    reason,
    own: cellsOf(own),
    createdAt,
  }));
}

/** Of a batch that is over, from that place on; `refused`: why acceptance refused which, by place. */
export function rowsOfBatch(
  { id, account, createdAt, rev }: Pick<BatchRecord, 'id' | 'account' | 'createdAt' | 'rev'>,
  {
    from,
    rows,
    refused,
  }: {
    readonly from: number;
    readonly rows: readonly BatchRow[];
    readonly refused: Readonly<Record<string, string>>;
  },
): Row[] {
  return rows.map((row, at) => ({
    ...row,
    batch: id,
    place: from + at,
    rev,
    account,
    reason: refused[from + at],
    createdAt,
  }));
}

const cellsOf = (line: string): string[] | undefined => (line === '' ? undefined : unpackValues(line));
