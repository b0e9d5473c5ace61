/** Pages of lists: which index finds the rows, and where a page ends. */
import { type Kind, statesOf } from '../kinds/index.ts';
import { cursorOf, type Place, placeOf } from '../lib/list-cursor.ts';
import type { RecordAt } from '../operations/record.ts';
import type { Named } from './named.ts';
import type { Run } from './pool.ts';

/** A metadata entry that an operation must have. */
interface MetadataFilter {
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

interface NamedFilters {
  /** Only in one of these. */
  readonly states?: readonly string[] | undefined;
  /** Only these accounts; absent: all. */
  readonly accounts?: readonly string[] | undefined;
  /** ms since the epoch. */
  readonly createdFrom?: number | undefined;
  readonly createdTo?: number | undefined;
  /** Whole XOF. */
  readonly amountMin?: number | undefined;
  readonly amountMax?: number | undefined;
  /** An operation must have all of them. */
  readonly named?: readonly Named[] | undefined;
}

export type ListFilters = NamedFilters & MetadataFilter;

export interface ListPage extends ListFilters {
  /** `next` of the previous page; absent: from the newest. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface PageOf<K extends Kind> {
  readonly items: readonly RecordAt<K>[];
  readonly next?: string;
}

/** The ids of one page, newest first, and the start of the next page. */
export interface Ids {
  readonly ids: readonly string[];
  readonly next?: string;
}

interface StateSum {
  readonly state: string;
  readonly count: number;
  readonly xof: number;
}

export interface Sums {
  readonly states: readonly StateSum[];
  readonly count: number;
  readonly xof: number;
  /** False: the index has more rows than were read. */
  readonly isWhole: boolean;
}

interface PlaceRow {
  readonly id: string;
  readonly at: Date | null;
  readonly meant: boolean;
  /** The index was not read further. */
  readonly last: boolean;
}

/** Maximum index rows per page when a filter matches few of them. */
const SCAN_MOST = 5_000;
/** Metadata that many rows have are found among the newest rows, without their index, which would read all of them. */
const METADATA_WALK = 2_000;
const METADATA_MANY = 10;
/** Up to this many rows with equal metadata are sorted; with more the list is walked. */
const METADATA_MOST = 2_000;
/** Maximum index rows per sum. */
const SUM_MOST = 100_000;

const COLUMN_OF = {
  phone: 'beneficiary',
  batch: 'batch',
  token: 'token',
  transactionId: 'transaction',
  providerRef: 'provider_ref',
  disburseId: 'provider_id',
} as const;
type NameColumn = (typeof COLUMN_OF)[Named[0]];

type Way = 'state' | 'kind' | 'name' | 'beneficiary' | 'batch' | 'metadata';

const isOneOfFew = (kind: Kind): kind is 'campaign' | 'batch' => kind === 'campaign' || kind === 'batch';

/** `accounts`: all accounts with operations, if the filters name none. */
export async function pageOfIds(
  run: Run,
  kind: Kind,
  page: ListPage,
  accounts: () => Promise<readonly string[]>,
): Promise<Ids> {
  if (isOneOfFew(kind)) return cut(await placesOfFew(run, kind, page, accounts), page.limit);
  const names = namesIn(page.named);
  if (names === undefined) return { ids: [] };
  const way = wayOf(page, names);
  if (way === 'state') return cut(await placesByState(run, kind, page, accounts), page.limit);
  const values = filterValues(kind, page, names);
  if (way !== 'metadata') return cut(await places(run, way, values, page), page.limit);
  return cut(await placesByMetadata(run, values, page), page.limit);
}

async function placesByMetadata(run: Run, values: readonly unknown[], page: ListPage): Promise<readonly PlaceRow[]> {
  const walked = await places(run, 'kind', values, page, METADATA_WALK);
  const areAll = !walked.some(({ last }) => last);
  if (areAll || walked.filter(({ meant }) => meant).length >= METADATA_MANY) return walked;
  const found = await places(run, 'metadata', values, page, METADATA_MOST);
  return found.some(({ last }) => last) ? places(run, 'kind', values, page) : found;
}

/** By a reference, or by the ids derived from it. */
export async function idsOfReference(
  run: Run,
  kind: Kind,
  { reference, ids, ...page }: ListPage & { readonly reference: string; readonly ids: readonly string[] },
): Promise<readonly string[]> {
  const names = namesIn(page.named);
  if (names === undefined) return [];
  const values = [...filterValues(kind, page, names), ...rangeOf(page), page.limit, page.limit, reference, ids];
  return (await run<PlaceRow>('places_by_reference', values)).map(({ id }) => id);
}

/** Count and sum of a list, by state. */
export async function sumOf(
  run: Run,
  kind: Kind,
  filters: ListFilters,
  accounts: () => Promise<readonly string[]>,
): Promise<Sums> {
  const names = namesIn(filters.named);
  if (names === undefined) return { states: [], count: 0, xof: 0, isWhole: true };
  const way = wayOf(filters, names);
  const known =
    way === 'state' ? { accounts: filters.accounts ?? (await accounts()), states: statesIn(kind, filters) } : {};
  const [from, before] = rangeOf({ createdFrom: filters.createdFrom, createdTo: filters.createdTo });
  const values = [...filterValues(kind, { ...filters, ...known }, names), from, before, SUM_MOST, way];
  const rows = await run<{ state: string; count: string; xof: string; whole: boolean }>('sum_operations', values);
  const states = rows
    .map(({ state, count, xof }) => ({ state, count: Number(count), xof: Number(xof) }))
    .filter(({ count }) => count > 0);
  const total = (of: 'count' | 'xof'): number => states.reduce((all, one) => all + one[of], 0);
  return { states, count: total('count'), xof: total('xof'), isWhole: rows.every(({ whole }) => whole) };
}

/** Undefined: two names contradict each other, so no operation has both. */
function namesIn(named: readonly Named[] = []): Readonly<Partial<Record<NameColumn, string>>> | undefined {
  const names: Partial<Record<NameColumn, string>> = {};
  for (const [name, value] of named) {
    const column = COLUMN_OF[name];
    if (names[column] !== undefined && names[column] !== value) return undefined;
    names[column] = value;
  }
  return names;
}

/** The index that finds the fewest rows. */
function wayOf(
  { accounts, states, metadata }: ListFilters,
  { token, transaction, provider_ref: ref, provider_id: id, batch, beneficiary }: Partial<Record<NameColumn, string>>,
): Way {
  if ([token, transaction, ref, id].some((name) => name !== undefined)) return 'name';
  if (batch !== undefined) return 'batch';
  if (beneficiary !== undefined) return 'beneficiary';
  if (metadata !== undefined) return 'metadata';
  return accounts === undefined && states === undefined ? 'kind' : 'state';
}

function filterValues(
  kind: Kind,
  { accounts, states, amountMin, amountMax, metadata }: ListFilters,
  names: Partial<Record<NameColumn, string>>,
): readonly unknown[] {
  const { beneficiary, batch, token, transaction, provider_ref: ref, provider_id: id } = names;
  const given = [accounts, states, amountMin, amountMax, beneficiary, batch, token, transaction, ref, id];
  return [kind, ...given.map((value) => value ?? null), metadata === undefined ? null : JSON.stringify(metadata)];
}

/** From a time on, and below a position. */
function rangeOf({ after, createdFrom, createdTo }: Pick<ListPage, 'after' | 'createdFrom' | 'createdTo'>) {
  const from = createdFrom === undefined ? '-infinity' : new Date(createdFrom);
  const end: Place | undefined = createdTo === undefined ? undefined : { score: createdTo + 1, member: '' };
  const place = placeOf(after);
  const below = place && end && end.score <= place.score ? end : (place ?? end);
  return below ? ([from, new Date(below.score), below.member] as const) : ([from, 'infinity', ''] as const);
}

function places(
  run: Run,
  way: Exclude<Way, 'state'>,
  values: readonly unknown[],
  page: ListPage,
  scan = SCAN_MOST,
): Promise<readonly PlaceRow[]> {
  return run<PlaceRow>(`places_by_${way}`, [
    ...values,
    ...rangeOf(page),
    Math.max(scan, page.limit + 1),
    page.limit + 2,
  ]);
}

async function placesByState(
  run: Run,
  kind: Kind,
  page: ListPage,
  all: () => Promise<readonly string[]>,
): Promise<readonly PlaceRow[]> {
  const { amountMin = null, amountMax = null, limit } = page;
  const [accounts, states] = [page.accounts ?? (await all()), statesIn(kind, page)];
  const pairs = accounts.length * states.length;
  const passesAll = amountMin === null && amountMax === null;
  const each = passesAll ? limit + 1 : Math.max(limit + 1, Math.floor(SCAN_MOST / Math.max(1, pairs)));
  const values = [kind, accounts, states, amountMin, amountMax, ...rangeOf(page), each, limit + 1 + pairs];
  return run<PlaceRow>('places_by_state', values);
}

async function placesOfFew(
  run: Run,
  kind: 'campaign' | 'batch',
  page: ListPage,
  all: () => Promise<readonly string[]>,
): Promise<readonly PlaceRow[]> {
  const { metadata, named, limit } = page;
  if (named !== undefined && named.length > 0) return [];
  const [accounts, states] = [page.accounts ?? (await all()), statesIn(kind, page)];
  const range = rangeOf(page);
  const most = limit + 1 + accounts.length * states.length;
  if (kind === 'batch') {
    if (metadata !== undefined) return [];
    return run<PlaceRow>('places_of_batches', [accounts, states, ...range, limit + 1, most]);
  }
  const scan = metadata === undefined ? limit + 1 : SCAN_MOST;
  const wanted = metadata === undefined ? null : JSON.stringify(metadata);
  return run<PlaceRow>('places_of_campaigns', [accounts, states, wanted, ...range, scan, most]);
}

const statesIn = (kind: Kind, { states }: ListFilters): readonly string[] => [...new Set(states ?? statesOf(kind))];

/** The newest rows, down to the position where an index was not read further. */
function cut(rows: readonly PlaceRow[], limit: number): Ids {
  const end = rows.findIndex(({ last }) => last);
  const read = end < 0 ? rows : rows.slice(0, end + 1);
  const meant = read.filter((row) => row.meant);
  const shown = meant.slice(0, limit);
  const next = meant.length > limit ? shown.at(-1) : rows[end];
  return {
    ids: shown.map(({ id }) => id),
    ...(next?.at ? { next: cursorOf({ score: next.at.getTime(), member: next.id }) } : {}),
  };
}
