/** What of Redis becomes which rows: a record its row, a slice of a campaign a row for each of its people. */
import { kinds } from '../kinds/index.ts';
import { kindTables, NAMES, recipientTable, REST, type Table, TOTALS } from '../kinds/tables.ts';
import { nameInHistory, namedIn } from '../operations/places.ts';
import { type Fields, readStored, type RecordBase, UnreadableRecord } from '../operations/record.ts';
import { recipientStateOf, standingOf, unpackCountries, unpackItems } from '../operations/slice-form.ts';
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

/** Of each campaign when it was made: its people stand in that part of the table. */
export type CampaignTimes = ReadonlyMap<string, number>;

/** Throws an UnreadableRecord. Undefined: history has no table for it. */
export function readingOf(
  id: string,
  stored: Fields,
  { madeAt, payeeOf }: { readonly madeAt: CampaignTimes; readonly payeeOf: PayeeOf },
): Reading | undefined {
  const kind = kinds.find((one) => one === stored['kind']);
  if (kind === undefined) throw new UnreadableRecord(id, stored['account'], 'it has no kind');
  if (kind === 'slice') return readingOfSlice(readSlice(stored), madeAt);
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
  return [...new Set(named.map(nameInHistory))].toSorted();
}

function readingOfSlice(slice: SliceRecord, madeAt: CampaignTimes): Reading {
  const { id, rev, account, count, requests } = slice;
  const campaign = campaignOfSlice(id);
  const createdAt = madeAt.get(campaign);
  if (createdAt === undefined) throw new UnreadableRecord(id, account, `there is no campaign ${campaign}`);
  const { letters, requests: numbers, codes } = standingOf(count, requests);
  const countries = unpackCountries(slice.countries, count);
  const leftAt = new Map(requests.map(({ number, at }) => [number, at]));
  const rows = unpackItems(slice).map(({ row, to, values }, place): Row => {
    const letter = letters[place] ?? 'q';
    const left = letter === 's' || letter === 'f' || letter === 'u' ? leftAt.get(numbers[place] ?? -1) : undefined;
    return {
      slice: id,
      place,
      rev,
      campaign,
      account,
      row,
      to,
      country: countries[place],
      state: recipientStateOf[letter],
      code: codes[place],
      sentAt: left,
      values: values.length === 0 ? undefined : values,
      createdAt,
    };
  });
  return { id, rev, table: recipientTable, rows };
}
