/** Reads of operations, campaigns and batches: by id, by name, as lists, and as figures. Read-only. */
import type { QueueName } from '../kinds/due-queues.ts';
import { type Kind, kinds, statesThatAre } from '../kinds/index.ts';
import { placeOf } from '../lib/list-cursor.ts';
import { type RecordAt, type RecordBase, type RecordOf, UnreadableRecord } from '../operations/record.ts';
import { NoSuchPlace, type ReviewKind, type ReviewPage, reviewKinds } from '../operations/review.ts';
import { type StoredBatch, batchRecord } from './batch-record.ts';
import { type ReadCampaign, recordOf } from './campaign-record.ts';
import { type Counted, Figures } from './figures.ts';
import {
  type ListFilters,
  type ListPage,
  type PageOf,
  type Sums,
  idsOfReference,
  pageOfIds,
  sumOf,
} from './listing.ts';
import type { Named } from './named.ts';
import type { Database } from './pool.ts';
import { type LedgerKind, type OperationRow, readRow } from './records.ts';

/** A search term, and the lookup keys that it can be. */
export interface Wanted {
  readonly word: string;
  readonly ids: readonly string[];
  readonly named: readonly Named[];
}

export interface RecentAsked {
  readonly phones: readonly string[];
  readonly accounts: readonly string[] | undefined;
  readonly states: readonly string[];
  /** ms since the epoch. */
  readonly since: number;
  /** Its own payments are left out. */
  readonly batch: string;
}

/** Payments to one phone number; whole XOF. */
export interface RecentPayments {
  readonly count: number;
  readonly xof: number;
  readonly last: Pick<RecordOf['disbursement'], 'id' | 'amount' | 'state' | 'createdAt'>;
}

interface Recent {
  readonly beneficiary: string;
  readonly count: string;
  readonly xof: string;
  readonly last_id: string;
  readonly last_amount: string;
  readonly last_state: RecentPayments['last']['state'];
  readonly last_at: Date;
}

interface Waiting {
  readonly kind: ReviewKind;
  readonly id: string;
  readonly since: Date;
}

/** The tombstone of an operation that retention has removed. */
export interface Buried {
  readonly kind: Kind;
  readonly account: string;
  readonly state: string;
  /** Whole XOF. */
  readonly amount?: number;
  /** ms since the epoch. */
  readonly finishedAt: number;
}

/** Whether its metadata have these entries. */
function hasAll(record: object, wanted: Readonly<Record<string, string>>): boolean {
  const metadata = 'metadata' in record ? (record.metadata as Readonly<Record<string, string>>) : undefined;
  return Object.entries(wanted).every(([key, value]) => metadata?.[key] === value);
}

export class Queries {
  readonly #database: Database;
  readonly #figures: Figures;
  readonly #allAccounts = (): Promise<string[]> => this.accounts();

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
    this.#figures = new Figures(database);
  }

  /** Throws UnreadableRecord if another version wrote it. */
  async read<K extends Kind>(kind: K, id: string): Promise<RecordAt<K> | undefined> {
    const record = (await this.#rowsOf(kind, [id])).get(id);
    if (record instanceof UnreadableRecord) throw record;
    return record;
  }

  /** Existing operations that this version can read. */
  async readable<K extends Kind>(kind: K, ids: readonly string[]): Promise<RecordAt<K>[]> {
    return this.#inOrder(kind, ids);
  }

  /** Undefined: there is none. */
  async kindOf(id: string): Promise<Kind | undefined> {
    const [row] = await this.#database.run<{ kind: string }>('kind_of', [id]);
    return kinds.find((kind) => kind === row?.kind);
  }

  async buried(id: string): Promise<Buried | undefined> {
    const [row] = await this.#database.run<{
      kind: Kind;
      account: string;
      state: string;
      amount: string | null;
      finished_at: Date;
    }>('find_tombstone', [id]);
    if (row === undefined) return undefined;
    const { kind, account, state, amount, finished_at: finishedAt } = row;
    const known = { kind, account, state, finishedAt: finishedAt.getTime() };
    return amount === null ? known : { ...known, amount: Number(amount) };
  }

  /** Every account with any operation. */
  async accounts(): Promise<string[]> {
    return (await this.#database.run<{ account: string }>('accounts_asked')).map(({ account }) => account);
  }

  async idOfReference(kind: Kind, account: string, reference: string): Promise<string | undefined> {
    const [row] = await this.#database.run<{ id: string }>('ids_of_reference', [kind, reference, [account]]);
    return row?.id;
  }

  /** Newest first. With a selective filter a page can be short or empty, and have a next page. */
  async page<K extends Kind>(kind: K, page: ListPage): Promise<PageOf<K>> {
    const { ids, next } = await pageOfIds(this.#database.run, kind, page, this.#allAccounts);
    return { items: await this.#inOrder(kind, ids), ...(next === undefined ? {} : { next }) };
  }

  /** Count and sum of a list, by state; amounts of operations only. */
  sum(kind: LedgerKind, filters: ListFilters): Promise<Sums> {
    return sumOf(this.#database.run, kind, filters, this.#allAccounts);
  }

  /** Operations with this reference or with these ids, in one page. */
  async referred<K extends Kind>(
    kind: K,
    ids: readonly string[],
    { reference, ...filters }: ListFilters & { readonly reference: string },
  ): Promise<PageOf<K>> {
    if (kind === 'campaign' || kind === 'batch')
      return { items: await this.#referredFew(kind, ids, reference, filters) };
    const asked = { ...filters, reference, ids, limit: REFERRED_MOST };
    return { items: await this.#inOrder(kind, await idsOfReference(this.#database.run, kind, asked)) };
  }

  async #referredFew<K extends Kind>(
    kind: K,
    ids: readonly string[],
    reference: string,
    filters: ListFilters,
  ): Promise<RecordAt<K>[]> {
    const { accounts = null } = filters;
    const rows = await this.#database.run<{ id: string }>('ids_of_reference', [kind, reference, accounts]);
    const found = await this.readable(kind, [...new Set([...ids, ...rows.map(({ id }) => id)])]);
    const { states, metadata = {}, createdFrom = 0, createdTo = Number.POSITIVE_INFINITY } = filters;
    return found
      .filter(
        (record) =>
          (accounts === null || accounts.includes(record.account)) &&
          (states === undefined || states.includes(record.state)) &&
          hasAll(record, metadata) &&
          record.createdAt >= createdFrom &&
          record.createdAt <= createdTo,
      )
      .toSorted((a, b) => b.createdAt - a.createdAt);
  }

  /** All matches of a search term, of every kind, newest first. */
  async sought(
    { word, named }: Wanted,
    { accounts, limit }: { readonly accounts: readonly string[] | undefined; readonly limit: number },
  ): Promise<{ readonly items: RecordBase[] }> {
    const beneficiaries = named.flatMap(([name, value]) => (name === 'phone' ? [value] : []));
    const found = await this.#database.run<{ kind: Kind; id: string }>('find_operations', [
      word,
      beneficiaries,
      accounts ?? null,
      limit,
    ]);
    return { items: await this.#mixed(found) };
  }

  /** Operations that need review, of every kind, longest waiting first. Throws NoSuchPlace. */
  async review({ accounts, after, limit, kind }: ReviewPage & Pick<ListFilters, 'accounts'>): Promise<{
    items: RecordOf[ReviewKind][];
    next?: string;
  }> {
    const from = after === undefined ? undefined : await this.#placeInReview(after);
    const rows = await this.#database.run<Waiting>('places_in_review', [
      kind === undefined ? reviewKinds : [kind],
      accounts ?? null,
      from?.since ?? '-infinity',
      from?.id ?? '',
      limit + 1,
    ]);
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      items: (await this.#mixed(shown)) as RecordOf[ReviewKind][],
      ...(last ? { next: `${last.since.getTime()}.${last.id}` } : {}),
    };
  }

  async #placeInReview(after: string): Promise<{ readonly since: Date; readonly id: string }> {
    const place = placeOf(after);
    if (place) return { since: new Date(place.score), id: place.member };
    const [row] = await this.#database.run<{ since: Date }>('review_since', [after]);
    if (row) return { since: row.since, id: after };
    throw new NoSuchPlace(`${after.slice(0, 100)} is no place in what waits`);
  }

  /** Payments since then, by phone number. Numbers without payments are omitted. */
  async recentPayments(asked: RecentAsked): Promise<ReadonlyMap<string, RecentPayments>> {
    const { phones, accounts = null, states, since, batch } = asked;
    const values = [phones, accounts, states, new Date(since), batch];
    const rows = await this.#database.run<Recent>('recent_payments', values);
    return new Map(
      rows.map((row) => {
        const last = {
          id: row.last_id,
          amount: Number(row.last_amount),
          state: row.last_state,
          createdAt: row.last_at.getTime(),
        };
        return [row.beneficiary, { count: Number(row.count), xof: Number(row.xof), last }];
      }),
    );
  }

  /** The last callback that contradicts an operation, redacted. */
  lastCallback(id: string): Promise<string | undefined> {
    return this.#figures.lastCallback(id);
  }

  /** Number of operations of a kind by state; for unfinished ones also the sum in XOF. */
  counts(kind: Counted): Promise<{ count: Record<string, number>; xof: Record<string, number> }> {
    return this.#figures.counts(kind);
  }

  /** XOF of an account's payments that are queued or in flight, by withdraw mode. */
  inFlight(account: string): Promise<Readonly<Record<string, number>>> {
    return this.#figures.inFlight(account, statesThatAre('disbursement', 'in flight'));
  }

  /** Files that are being copied, or whose process died meanwhile: their rows do not count. */
  unfinishedUploads(): Promise<number> {
    return this.#figures.unfinishedUploads();
  }

  /** How many recipients and messages ended as sent, failed, unknown or expired. */
  outcomes(): Promise<Readonly<Record<string, number>>> {
    return this.#figures.outcomes();
  }

  /** How many events of each type were ever published. */
  eventsEmitted(): Promise<Readonly<Record<string, number>>> {
    return this.#figures.eventsEmitted();
  }

  /** When the oldest operation in a state entered it, ms since the epoch. */
  oldestIn(kind: Counted, state: string): Promise<number | undefined> {
    return this.#figures.oldestIn(kind, state);
  }

  /** When an operation is due in a queue, ms since the epoch. Undefined: not due. */
  dueAt(queue: QueueName, id: string): Promise<number | undefined> {
    return this.#figures.dueAt(queue, id);
  }

  /** Operations of a queue that are due at that time, those due later, and the earliest due time. */
  dueIn(queue: QueueName, at: number): ReturnType<Figures['dueIn']> {
    return this.#figures.dueIn(queue, at);
  }

  /** Number of due operations, by queue and account. */
  due(): ReturnType<Figures['due']> {
    return this.#figures.due();
  }

  /** Number of waiting operations by queue, and the earliest due time. */
  backlog(): ReturnType<Figures['backlog']> {
    return this.#figures.backlog();
  }

  async #inOrder<K extends Kind>(kind: K, ids: readonly string[]): Promise<RecordAt<K>[]> {
    const records = await this.#recordsOf(kind, ids);
    return ids.flatMap((id) => records.get(id) ?? []);
  }

  /** Rows of several kinds, in the given order. */
  async #mixed(found: readonly { readonly kind: Kind; readonly id: string }[]): Promise<RecordBase[]> {
    const of = [...new Set(found.map(({ kind }) => kind))];
    const read = await Promise.all(
      of.map((kind) =>
        this.#recordsOf<Kind>(
          kind,
          found.flatMap((one) => (one.kind === kind ? [one.id] : [])),
        ),
      ),
    );
    return found.flatMap(({ id }) => read.flatMap((records) => records.get(id) ?? []));
  }

  /** A row of a newer version does not prevent reading the others. */
  async #recordsOf<K extends Kind>(kind: K, ids: readonly string[]): Promise<ReadonlyMap<string, RecordAt<K>>> {
    const rows = await this.#rowsOf(kind, ids);
    return new Map([...rows].flatMap(([id, one]) => (one instanceof UnreadableRecord ? [] : [[id, one] as const])));
  }

  async #rowsOf<K extends Kind>(
    kind: K,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, RecordAt<K> | UnreadableRecord>> {
    if (ids.length === 0) return new Map();
    if (kind === 'campaign' || kind === 'batch') {
      const records =
        kind === 'campaign'
          ? (await this.#database.run<ReadCampaign>('read_campaigns', [ids])).map(recordOf)
          : (await this.#database.run<StoredBatch>('read_batches', [ids])).map(batchRecord);
      // The kind decides which of the two was read, which the compiler does not follow.
      return new Map(records.map((record) => [record.id, record as unknown as RecordAt<K>]));
    }
    const rows = await this.#database.run<OperationRow>('read', [ids]);
    const own = rows.filter((row) => row.kind === kind);
    return new Map(own.map((row) => [row.id, readRow(kind, row) as unknown as RecordAt<K> | UnreadableRecord]));
  }
}

const REFERRED_MOST = 500;
