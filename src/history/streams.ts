/**
 * What history has of the streams: the events, the audit and what the accounts had left. Each is copied from where
 * history has come to, which history itself knows; a line that it does not take is set aside, those after it go on.
 */
import type { Redis } from 'ioredis';
import { type EventStream, readEvent } from '../events/stream.ts';
import { auditTable, balanceTable, eventTable, type Table } from '../kinds/tables.ts';
import { type Audit, readLine } from '../operations/audit.ts';
import type { Balances } from '../operations/balances.ts';
import { keys } from '../operations/keys.ts';
import { lineId, lineNamed, type SetAside } from '../operations/set-aside.ts';
import type { Reading } from './readings.ts';
import type { Row } from './rows.ts';
import { type Keeping, keepRows, whyOf } from './set-aside.ts';
import type { HistoryStore } from './store.ts';

const LINES_AT_ONCE = 1_000;
const BEGINNING = '0-0';

export interface Streams {
  readonly redis: Redis;
  readonly events: Pick<EventStream, 'lines'>;
  readonly audit: Pick<Audit, 'after'>;
  readonly balances: Pick<Balances, 'history'>;
  readonly accounts: readonly string[];
}

export interface Following extends Keeping {
  readonly store: HistoryStore;
  readonly setAside: (some: readonly SetAside[]) => Promise<void>;
}

/** As it stands in its stream, names and values in turns. */
interface Line {
  readonly place: string;
  readonly line: readonly string[];
}

const forms: Readonly<Record<string, { readonly table: Table; readonly rowOf: (line: Line) => Row }>> = {
  [eventTable.table]: { table: eventTable, rowOf: rowOfEvent },
  [auditTable.table]: { table: auditTable, rowOf: rowOfAct },
  [balanceTable.table]: { table: balanceTable, rowOf: rowOfLook },
};

export async function copyStreams(streams: Streams, how: Following): Promise<void> {
  const { redis, audit, accounts } = streams;
  await copyEvents(streams, how);
  const [[last] = []] = await redis.xrevrange(keys.audit, '+', '-', 'COUNT', 1);
  if (last !== undefined) {
    const after = async (place: string): Promise<Line[]> =>
      (await audit.after(place, last, LINES_AT_ONCE)).map(({ id, words }) => ({
        place: id,
        line: Object.entries(words).flat(),
      }));
    await follow(auditTable, after, how);
  }
  for (const account of accounts) await copyBalances(streams.balances, account, how);
}

export async function copyEvents({ events }: Pick<Streams, 'events'>, how: Following): Promise<void> {
  await follow(eventTable, (place) => events.lines(place, LINES_AT_ONCE), how);
}

/** A line that was set aside, as it is given to history once more. Throws where no row can be made of it. */
export function readingOfLine(id: string, line: readonly string[]): Reading | undefined {
  const { table: name, place } = lineNamed(id);
  const form = forms[name];
  return form && { id, rev: 0, table: form.table, rows: [form.rowOf({ place, line })] };
}

async function follow(
  table: Table,
  after: (place: string) => Promise<readonly Line[]>,
  how: Following,
): Promise<void> {
  let place = (await how.store.fact(table.table)) ?? BEGINNING;
  for (;;) {
    const lines = await after(place);
    const last = lines.at(-1);
    if (last === undefined) return;
    await keepLines(table, lines, how);
    place = last.place;
    await how.store.note(table.table, place);
  }
}

async function keepLines({ table }: Table, lines: readonly Line[], how: Following): Promise<void> {
  const form = forms[table];
  if (form === undefined) return;
  const rows: Row[] = [];
  const made: Line[] = [];
  const aside: SetAside[] = [];
  const leave = (line: Line, why: string): void =>
    void aside.push({ id: lineId(table, line.place), why, line: [...line.line] });
  for (const line of lines) {
    try {
      rows.push(form.rowOf(line));
      made.push(line);
    } catch (error) {
      leave(line, whyOf(error));
    }
  }
  for (const [at, why] of await keepRows({ table: form.table, rows }, how)) {
    const line = made[at];
    if (line) leave(line, why);
  }
  if (aside.length > 0) await how.setAside(aside);
}

async function copyBalances(balances: Streams['balances'], account: string, how: Following): Promise<void> {
  const name = `balances:${account}`;
  const from = Number((await how.store.fact(name)) ?? 0) + 1;
  let newest: number | undefined;
  let after: string | undefined;
  // The newest come first, so how far it has come is noted when the last of them is there.
  do {
    const { items, next } = await balances.history([account], { from, after, limit: LINES_AT_ONCE });
    const lines = items.flatMap(({ seen: { at, balances: left } }) =>
      Object.entries(left).map(
        ([country, xof]): Line => ({
          place: `${account} ${country} ${at}`,
          line: ['account', account, 'country', country, 'xof', String(xof ?? ''), 'at', String(at)],
        }),
      ),
    );
    newest ??= items[0]?.seen.at;
    await keepLines(balanceTable, lines, how);
    after = next;
  } while (after !== undefined);
  if (newest !== undefined) await how.store.note(name, String(newest));
}

function rowOfEvent({ place, line }: Line): Row {
  const { id, type, timestamp, sequence, account, data } = readEvent(line);
  return {
    place,
    type,
    operation: id.slice(0, id.lastIndexOf('.')),
    sequence,
    account,
    data,
    at: Date.parse(timestamp),
  };
}

function rowOfAct({ place, line }: Line): Row {
  const { id, words } = readLine([place, line]);
  const { before, after } = words;
  const json = (text: string): unknown => (text === '' ? undefined : JSON.parse(text));
  return { ...words, id, before: json(before), after: json(after), at: Number(words.at) };
}

function rowOfLook({ line }: Line): Row {
  const [, account, , country, , xof, , at] = line;
  return { account, country, xof, at: Number(at) };
}
