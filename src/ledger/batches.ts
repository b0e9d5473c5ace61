/** Payment batches: an uploaded file, recorded with its rows and approved as a whole by a different person. */
import type { Sum } from '../kinds/batch.ts';
import { WAITING } from '../kinds/batch-outcome.ts';
import {
  APPROVE_WITHIN_MS,
  type AskedRow,
  type BatchAccepted,
  type BatchRow,
  ROWS_AT_ONCE,
  type RowNow,
  type Standing,
  askedWith,
} from '../kinds/batch-rows.ts';
import { canonicalJson } from '../lib/ids.ts';
import { type Act, actOf, noteAct } from './acts.ts';
import {
  type LedgerBatch,
  SETTLED,
  type StoredBatch,
  type StoredBatchRow,
  type StoredRowNow,
  batchRecord,
  batchRow,
  fingerprintBytes,
  rowNow,
} from './batch-record.ts';
import { isTaken } from './errors.ts';
import type { OnCommitted } from './committed.ts';
import type { Database, Run } from './pool.ts';

interface NewBatch {
  readonly id: string;
  readonly account: string;
  readonly fingerprint: string;
  /** SHA-256 of its bytes and options, in hex. */
  readonly contentHash: string;
  readonly state: 'invalid' | 'awaiting_approval';
  /** When it expires, ms from now. */
  readonly dueInMs: number;
  readonly fields: Readonly<Record<string, string | number>>;
  /** Data of the event `batch.awaiting_approval`, besides id and state. */
  readonly tells: Readonly<Record<string, unknown>>;
  readonly act?: Act | undefined;
}

interface BatchesOptions {
  readonly database: Database;
  readonly onCommitted?: OnCommitted | undefined;
  /** For tests: the time of each statement. */
  readonly now?: () => Date;
}

/** A decision about a batch that waits. */
interface Decision {
  /** The key name of the user. */
  readonly by: string;
  readonly act?: Act | undefined;
}

export type Decided =
  | { readonly is: 'applied'; readonly rev: number }
  /** Its state, content or maker does not allow the decision; nothing was changed. */
  | { readonly is: 'not yours'; readonly state: string }
  | { readonly is: 'none' };

const ROWS_TO_INSERT = 2_000;
const TRIES = 3;

export class Batches {
  readonly #database: Database;
  readonly #onCommitted: OnCommitted | undefined;
  readonly #now: (() => Date) | undefined;

  constructor({ database, onCommitted, now }: BatchesOptions) {
    this.#database = database;
    this.#onCommitted = onCommitted;
    this.#now = now;
  }

  /**
   * Records the batch with all of its rows, or nothing. Safe to repeat: after a lost answer the second call is a
   * duplicate.
   */
  async accept(batch: NewBatch, rows: readonly BatchRow[]): Promise<BatchAccepted> {
    const { id, state } = batch;
    for (let left = TRIES; left > 0; left -= 1) {
      const isWritten = await this.#write(batch, rows).catch((error: unknown) => {
        if (isTaken(error)) return false;
        throw error;
      });
      if (isWritten) return { outcome: 'accepted', id, state };
      const held = await this.#holder(batch);
      if (held) return held;
    }
    throw new Error(`${id} was neither recorded nor found`);
  }

  async read(id: string): Promise<LedgerBatch | undefined> {
    const [row] = await this.#database.run<StoredBatch>('read_batches', [[id]]);
    return row && batchRecord(row);
  }

  async rows(id: string, from: number, count: number): Promise<BatchRow[]> {
    return (await this.#database.run<StoredBatchRow>('batch_rows', [id, from, count])).map(batchRow);
  }

  /** The refusal reasons by position. */
  async refused(id: string): Promise<Readonly<Record<string, string>>> {
    const rows = await this.#database.run<{ n: number; refused: string }>('refused_rows', [id, null]);
    return Object.fromEntries(rows.map(({ n, refused }) => [n, refused]));
  }

  async areRefused(id: string, places: readonly number[]): Promise<readonly boolean[]> {
    const rows = await this.#database.run<{ n: number }>('refused_rows', [id, places]);
    const refused = new Set(rows.map(({ n }) => n));
    return places.map((place) => refused.has(place));
  }

  /** The first reason of a row is permanent, whatever a slower attempt finds. */
  async refuse(id: string, reasons: Readonly<Record<string, string>>): Promise<void> {
    const all = Object.entries(reasons);
    if (all.length === 0) return;
    await this.#database.run('refuse_rows', [id, all.map(([place]) => Number(place)), all.map(([, why]) => why)]);
  }

  /** Page by page, every row from `from` to `to` with the state of its payment. */
  async *rowsNow(
    { id }: Pick<LedgerBatch, 'id'>,
    { from, to }: { readonly from: number; readonly to: number },
  ): AsyncGenerator<RowNow[], void, undefined> {
    for (let place = from; place < to; place += ROWS_AT_ONCE) {
      const most = Math.min(ROWS_AT_ONCE, to - place);
      const rows = await this.#database.run<StoredRowNow>('batch_rows_now', [id, place, most]);
      if (rows.length === 0) return;
      yield rows.map(rowNow);
    }
  }

  /** Number of rows and XOF by state. The sums equal the totals of the batch. */
  async states(id: string): Promise<Readonly<Record<string, Sum>>> {
    const rows = await this.#database.run<{ state: string; count: string; xof: string }>('batch_states', [id]);
    return Object.fromEntries(
      rows.map(({ state, count, xof }) => [state, { count: Number(count), xof: Number(xof) }]),
    );
  }

  /** Whether one of its payments is pending or needs review. */
  async hasOpen({ id }: Pick<LedgerBatch, 'id'>): Promise<boolean> {
    const states = Object.keys(await this.states(id));
    return states.some((state) => state === 'needs_review' || !(state === WAITING || SETTLED.includes(state)));
  }

  /** For each request, the existing payment with its id or reference. */
  async standing(account: string, requests: readonly AskedRow[]): Promise<(Standing | undefined)[]> {
    const rows = await this.#database.run<Holder>('standing_requests', [
      account,
      requests.map(({ id }) => id),
      requests.map(({ reference }) => reference),
    ]);
    // The last one wins: the payment with the same id, if there is one.
    const byId = rows.toSorted((a, b) => Number(a.id === a.asked) - Number(b.id === b.asked));
    const holders = new Map(byId.map((row) => [row.asked, row]));
    return requests.map((request) => {
      const holder = holders.get(request.id);
      if (holder === undefined) return undefined;
      const same = holder.id === request.id && holder.fingerprint.equals(fingerprintBytes(request.fingerprint));
      return { id: holder.id, same, differs: same ? [] : differing(request, holder) };
    });
  }

  /** XOF counted towards the limits of the account on that day (UTC). */
  async acceptedOn(account: string, day: string): Promise<number> {
    const [row] = await this.#database.run<{ xof: string }>('spent_on', [account, day]);
    return Number(row?.xof ?? 0);
  }

  /** Approves exactly this content. The maker cannot approve, and approval expires after a day. */
  approve(id: string, { by, act, contentHash }: Decision & { readonly contentHash: string }): Promise<Decided> {
    return this.#decide(id, act, (run) =>
      run<Changed>('approve_batch', [id, contentHash, by, APPROVE_WITHIN_MS, this.#at]),
    );
  }

  /** A person other than the maker rejects the batch with a reason. */
  async reject(id: string, { by, act, note }: Decision & { readonly note: string }): Promise<Decided> {
    const decided = await this.#decide(id, act, (run) =>
      run<Changed>('cancel_batch', [id, ['awaiting_approval', 'needs_review'], by, note, this.#at]),
    );
    return this.#cancelled(decided, { id, rejectedBy: by, note });
  }

  /** Rows of a batch under review that were accepted continue; the others are never paid. */
  async cancel(id: string, { act }: Pick<Decision, 'act'>): Promise<Decided> {
    const states = ['awaiting_approval', 'invalid', 'needs_review'];
    const decided = await this.#decide(id, act, (run) =>
      run<Changed>('cancel_batch', [id, states, null, null, this.#at]),
    );
    return this.#cancelled(decided, { id });
  }

  /** Also for a batch that was cancelled earlier: the process may have died before the journal entry. */
  async #cancelled(decided: Decided, facts: Readonly<Record<string, unknown>>): Promise<Decided> {
    const isCancelled = decided.is === 'applied' || (decided.is === 'not yours' && decided.state === 'cancelled');
    if (isCancelled) await this.#onCommitted?.('batch.cancelled', facts);
    return decided;
  }

  get #at(): Date | null {
    return this.#now?.() ?? null;
  }

  async #decide(
    id: string,
    act: Act | undefined,
    change: (run: Run) => Promise<readonly Changed[]>,
  ): Promise<Decided> {
    return this.#database.transaction(async (run) => {
      const [changed] = await change(run);
      if (changed) {
        if (act) await noteAct(run, { ...act, target: id }, this.#now?.());
        return { is: 'applied', rev: changed.version };
      }
      const [row] = await run<StoredBatch>('read_batches', [[id]]);
      return row ? { is: 'not yours', state: row.state } : { is: 'none' };
    });
  }

  async #write(batch: NewBatch, rows: readonly BatchRow[]): Promise<boolean> {
    const { id, account, act, tells } = batch;
    return this.#database.transaction(async (run) => {
      const [written] = await run<Changed & { open: boolean }>('accept_batch', this.#values(batch, rows));
      if (written === undefined) return false;
      for (let from = 0; from < rows.length; from += ROWS_TO_INSERT) {
        await run('add_batch_rows', rowValues(id, rows.slice(from, from + ROWS_TO_INSERT), from));
      }
      if (written.open) {
        const data = { id, state: batch.state, ...tells };
        await run('report_batch', [id, written.version, account, 'batch.awaiting_approval', data, this.#at]);
      }
      const facts = { account, rows: rows.length };
      if (act) await noteAct(run, actOf({ ...act, target: id }, { facts }), this.#now?.());
      return true;
    });
  }

  #values({ fields, ...batch }: NewBatch, rows: readonly BatchRow[]): readonly unknown[] {
    const { id, account, fingerprint, contentHash, state, dueInMs } = batch;
    const { by, totals, problems, warnings, columns = '[]', fileName, retryOf, options = '{}' } = fields;
    const identity: readonly unknown[] = [
      id,
      account,
      fingerprintBytes(fingerprint),
      contentHash,
      fileName,
      retryOf,
      options,
    ];
    const findings = [JSON.parse(String(columns)), state, totals ?? '{}', problems ?? '{}', warnings ?? '{}', by];
    const xof = rows.reduce((sum, { amount }) => sum + amount, 0);
    return [...identity, ...findings, state === 'invalid' ? null : dueInMs, rows.length, xof, this.#at];
  }

  /** The batch with this id, or the pending batch with this content. */
  async #holder({ id, account, contentHash, fingerprint }: NewBatch): Promise<BatchAccepted | undefined> {
    const held = await this.#database.run<Pick<Holder, 'id' | 'fingerprint'> & { state: string }>('batch_holders', [
      id,
      account,
      contentHash,
    ]);
    const own = held.find((one) => one.id === id);
    if (own && !own.fingerprint.equals(fingerprintBytes(fingerprint))) return { outcome: 'conflict', id };
    if (own && own.state !== 'invalid') return { outcome: 'duplicate', id, state: own.state };
    const other = held.find((one) => one.id !== id);
    return other && { outcome: 'open', id: other.id };
  }
}

interface Changed {
  readonly id: string;
  readonly version: number;
}

interface Holder {
  readonly reference: string | null;
  readonly asked: string;
  readonly id: string;
  readonly fingerprint: Buffer;
  /** Null: retention has removed it. */
  readonly request: Readonly<Record<string, unknown>> | null;
  readonly not_before: Date | null;
  readonly payee_name: string | null;
  readonly purpose: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
}

function rowValues(id: string, rows: readonly BatchRow[], from: number): readonly unknown[] {
  return [
    id,
    rows.map((_, at) => from + at),
    rows.map(({ row }) => row),
    rows.map((row) => row.id),
    rows.map(({ amount }) => amount),
    rows.map((row) => JSON.stringify(askedWith(row))),
    rows.map(({ own }) => (own ? JSON.stringify(own) : null)),
  ];
}

/** A request can omit these fields, so only the stored one may have them. */
const MAY_BE_LEFT_OUT = [
  'reference',
  'debitAccountNumber',
  'notBefore',
  'payeeName',
  'purpose',
  'metadata',
  'notify',
] as const;

/** Fields that differ from the stored request, as JSON pointers. */
function differing({ reference, fields }: AskedRow, holder: Holder): readonly string[] {
  if (holder.request === null) return [];
  const { payee_name: payeeName, purpose, metadata } = holder;
  const stored: Readonly<Record<string, unknown>> = {
    ...holder.request,
    reference: holder.reference,
    notBefore: holder.not_before?.getTime(),
    payeeName,
    purpose,
    metadata,
  };
  const asked: Readonly<Record<string, unknown>> = { ...fields, reference };
  const names = new Set([...Object.keys(asked), ...MAY_BE_LEFT_OUT]);
  return [...names].filter((name) => written(asked[name]) !== written(stored[name])).map((name) => `/${name}`);
}

const written = (value: unknown): string => (value === undefined || value === null ? '' : canonicalJson(value));
