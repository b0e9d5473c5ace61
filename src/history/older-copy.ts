/**
 * Whether history is what it was. Each write raises a mark in it, and Redis keeps the mark that was read back: a
 * PostgreSQL whose mark is lower was put back from an older copy, and is given everything anew. What left Redis since
 * that copy was made is then nowhere any more: the store says so of itself, until it is replaced by one that has it, or
 * a person goes on without.
 */
import type { HistoryDesk, Missing } from '../operations/history.ts';
import type { HistoryStore } from './store.ts';

type Desk = Pick<
  HistoryDesk,
  'mark' | 'countFrom' | 'copyAllAnew' | 'leftSince' | 'tellMissing' | 'acceptedBy' | 'goOnWith'
>;
type Store = Pick<HistoryStore, 'name' | 'fact' | 'write' | 'rename'>;

/** What changed last before this time (ms) was all there when the store was written to last. */
export const THROUGH = 'through';
const MISSING = 'missing';

/** What left Redis and this store does not have; undefined: it lacks nothing. */
export async function missingIn(store: Pick<HistoryStore, 'fact'>): Promise<Missing | undefined> {
  const said = await store.fact(MISSING);
  return said === undefined ? undefined : (JSON.parse(said) as Missing);
}

export interface Compared {
  /** The mark below which this store must never be found again. */
  readonly mark: number;
  readonly missing: Missing | undefined;
  /** It has turned out just now. */
  readonly isOlder: boolean;
}

export async function compareMarks(store: Store, desk: Desk): Promise<Compared> {
  const [pass, mark] = [Number((await store.fact('pass')) ?? 0), await desk.mark()];
  let missing = await missingIn(store);
  const isOlder = pass < mark;
  if (isOlder) {
    const through = Number((await store.fact(THROUGH)) ?? 0);
    // Nothing has left since something was found to be missing: what is counted now is all of it.
    missing = (await desk.leftSince(Math.min(through, missing?.from ?? through))) ?? missing;
    await desk.copyAllAnew();
    // Ended before this, it is an older copy as before.
    await store.write([], missing === undefined ? {} : { [MISSING]: JSON.stringify(missing) }, { from: 0, to: mark });
  }
  await desk.countFrom(pass);
  await desk.tellMissing(missing);
  return { mark: Math.max(pass, mark), missing, isOlder };
}

/** Where a person has said so, what is missing stands in the store as what it was, and things leave again. */
export async function goOnWhereAccepted(store: Store, desk: Desk, missing: Missing): Promise<boolean> {
  const accepted = await desk.acceptedBy();
  if (accepted === undefined) return false;
  await store.rename(MISSING, { to: `${MISSING} ${missing.since}`, value: JSON.stringify({ ...missing, accepted }) });
  await desk.goOnWith(store.name);
  return true;
}
