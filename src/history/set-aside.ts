/**
 * Finds the rows that PostgreSQL does not take among those that it does: halves what was refused until it is one row.
 * Only what is said of the rows themselves counts, and not a lost connection, a full disk or a missing right.
 */
import { DatabaseError } from 'pg';
import type { Table } from '../kinds/tables.ts';
import { maskPhone } from '../lib/phone.ts';
import { type Copy, copyOf, type Row } from './rows.ts';
import type { HistoryStore } from './store.ts';

/** Of each row that was not taken, by its place among those that were given, why. */
export type NotTaken = ReadonlyMap<number, string>;

const ALL_TAKEN: NotTaken = new Map();

/** Of values, of constraints, of rows that come twice, and what is larger than PostgreSQL can hold. */
const OF_THE_ROW = /^(?:21|22|23|54)/;
/** Where more are refused than that, it is not worth finding each: what stands beside them is tried again as they are. */
const FOUND_MOST = 100;

/** A RangeError is what JavaScript says of a time that is none, and of what is nested without end. */
const isOfTheRow = (error: unknown): boolean =>
  error instanceof RangeError || (error instanceof DatabaseError && OF_THE_ROW.test(error.code ?? ''));

/** What JavaScript says of a row that is kept as JSON and is damaged. */
export const isOfDamage = (error: unknown): boolean => error instanceof SyntaxError || error instanceof TypeError;

/** In words that hold nothing of the row: what JavaScript says of damaged JSON has a piece of it. */
export function whyOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'what has to be JSON in it is none';
  if (error instanceof DatabaseError) return maskPhone(`${error.code}: ${error.message}`);
  return maskPhone(error instanceof Error ? error.message : String(error));
}

export interface Keeping {
  readonly store: Pick<HistoryStore, 'write' | 'compare' | 'differing'>;
  readonly isStopping: () => boolean;
  /** What was written last did not come back as it was given. What does not now either is set aside. */
  readonly isAgain?: boolean | undefined;
}

/**
 * Of each row, whether history has it as it is. Of none where one of them is damaged: they are copied anew then, and
 * that one is set aside.
 */
export async function areThere(
  store: Pick<HistoryStore, 'has'>,
  { table, rows }: RowsOf,
): Promise<readonly boolean[]> {
  try {
    return await store.has(copyOf(table, rows));
  } catch (error) {
    if (!isOfTheRow(error)) throw error;
    return rows.map(() => false);
  }
}

/** Writes rows of one table, and reads them back: all but those that PostgreSQL does not take. */
export async function keepRows({ table, rows }: RowsOf, how: Keeping): Promise<NotTaken> {
  if (rows.length === 0) return ALL_TAKEN;
  const refused = await writeTaken({ table, rows }, how);
  return comparedWith({ table, rows }, refused, how);
}

export interface RowsOf {
  readonly table: Table;
  readonly rows: readonly Row[];
}

/** `write`: of some of them, in one transaction. */
async function writeTaken(
  { table, rows }: RowsOf,
  { store, isStopping }: Keeping,
  write: (copy: Copy) => Promise<void> = (copy) => store.write([copy]),
): Promise<NotTaken> {
  const refused = new Map<number, string>();
  const put = async (from: number, to: number): Promise<void> => {
    try {
      await write(copyOf(table, rows.slice(from, to)));
    } catch (error) {
      if (!isOfTheRow(error)) throw error;
      const isFound = to - from === 1 || refused.size >= FOUND_MOST || isStopping();
      if (isFound) for (let at = from; at < to; at += 1) refused.set(at, whyOf(error));
      else {
        const middle = Math.floor((from + to) / 2);
        await put(from, middle);
        await put(middle, to);
      }
    }
  };
  if (rows.length > 0) await put(0, rows.length);
  return refused;
}

/** What PostgreSQL took is read back. */
async function comparedWith(
  { table, rows }: RowsOf,
  refused: NotTaken,
  { store, isAgain = false }: Keeping,
): Promise<NotTaken> {
  const places = rows.flatMap((_, at) => (refused.has(at) ? [] : [at]));
  if (places.length === 0) return refused;
  const copy = copyOf(
    table,
    places.map((at) => rows[at] ?? {}),
  );
  if (!isAgain) await store.compare([copy]);
  const differing = isAgain ? await store.differing(copy) : ALL_TAKEN;
  if (differing.size === 0) return refused;
  return new Map([...refused, ...[...differing].map(([at, why]) => [places[at] ?? at, why] as const)]);
}

/** What is written in one transaction with its mark. */
export interface Written {
  /** As all was written; undefined: not all of it was. */
  readonly copies: readonly Copy[] | undefined;
  readonly notTaken: Map<RowsOf, NotTaken>;
}

/** In one transaction, as long as PostgreSQL takes it all. */
export async function writeTogether(
  groups: readonly RowsOf[],
  mark: { readonly from: number; readonly to: number },
  how: Keeping,
): Promise<Written> {
  try {
    const copies = groups.map(({ table, rows }) => copyOf(table, rows));
    await how.store.write(copies, {}, mark);
    return { copies, notTaken: new Map() };
  } catch (error) {
    if (!isOfTheRow(error)) throw error;
    const notTaken = new Map<RowsOf, NotTaken>();
    const unraised = { from: mark.from, to: mark.from };
    for (const group of groups) {
      notTaken.set(group, await writeTaken(group, how, (copy) => how.store.write([copy], {}, unraised)));
    }
    // Last: a copy of history from between them lacks some, and is known by its mark.
    await how.store.write([], {}, mark);
    return { copies: undefined, notTaken };
  }
}

export async function compareTogether(
  groups: readonly RowsOf[],
  { copies, notTaken }: Written,
  how: Keeping,
): Promise<ReadonlyMap<RowsOf, NotTaken>> {
  if (copies && !how.isAgain) await how.store.compare(copies);
  else {
    for (const group of groups) {
      notTaken.set(group, await comparedWith(group, notTaken.get(group) ?? ALL_TAKEN, how));
    }
  }
  return notTaken;
}
