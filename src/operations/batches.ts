/**
 * Files of disbursements: the rows of a batch wait in one packed list until they are accepted, each as a disbursement
 * of its own. What became of a row is never copied: it is read from the record of its disbursement.
 */
import type { Redis } from 'ioredis';
import type { Sum } from '../kinds/batch.ts';
import { ELSEWHERE, WAITING } from '../kinds/batch-outcome.ts';
import { isFinal } from '../kinds/index.ts';
import type { Random } from '../lib/random.ts';
import { RedisUnavailable } from '../redis/connections.ts';
import { answersOf, fieldsRead, ignored, list, maybe, text } from '../redis/scripts.ts';
import { type Act, told } from './audit.ts';
import { type BatchRow, packBatchRow, unpackBatchRow } from './batch-rows.ts';
import { type AskedFields, differing } from './differing.ts';
import { type Guard, NO_MEMORY } from './heartbeat.ts';
import { keys } from './keys.ts';
import { type BatchRowLeft, HistoryAway, type Past } from './past.ts';
import { type BatchRecord, type Fields, RECORD_VERSION } from './record.ts';
import { acceptBatch } from './scripts/generated/scripts.ts';
import { stubAt, stubsLeft } from './stubs.ts';

interface NewBatch {
  readonly id: string;
  readonly account: string;
  readonly fingerprint: string;
  /** SHA-256 of its bytes, in hex. */
  readonly contentHash: string;
  readonly state: 'invalid' | 'awaiting_approval';
  /** When it expires, ms from now. */
  readonly dueInMs: number;
  readonly fields: Readonly<Record<string, string | number>>;
  /** Told where it awaits approval, besides its id and state. */
  readonly tells: Readonly<Record<string, unknown>>;
  readonly act?: Act | undefined;
}

export type BatchAccepted =
  | { readonly outcome: 'accepted' | 'duplicate'; readonly id: string; readonly state: string }
  /** `open`: a batch of the same bytes waits for its approval, or is being paid, under another name. */
  | { readonly outcome: 'conflict' | 'open'; readonly id: string };

/** A row as it would be accepted. */
export interface AskedRow {
  readonly id: string;
  readonly fingerprint: string;
  readonly reference: string;
  readonly fields: AskedFields['fields'];
}

/** The operation that has a reference already. */
export interface Standing {
  readonly id: string;
  /** The very same request: accepting it again changes nothing. */
  readonly same: boolean;
  /** What is not as there, where it is not the same. */
  readonly differs: readonly string[];
}

/** In the place of a record that history alone has: no more than its state is known here. */
const LEFT = 'left';

/** Fields that say how a row stands. */
const HOW_IT_STANDS = ['state', 'reason', 'batch'];

/** What is known about a row now. `id` and the fields are absent where no disbursement was accepted for it. */
export interface RowNow {
  readonly row: BatchRow;
  /** The state of its disbursement; `waiting` before there is one, `rejected` where acceptance refused it, `elsewhere`. */
  readonly state: string;
  readonly reason?: string;
  readonly fields?: Fields;
}

/** What of a batch its rows have to do with. */
type BatchOfRows = Pick<BatchRecord, 'id' | 'fed' | 'problems' | 'createdAt'>;

/** Rows go to Redis, and come back, so many at a time. */
export const ROWS_AT_ONCE = 500;
/** Rows that were staged for a batch that was never accepted are forgotten after this. */
const STAGED_FOR_S = 3_600;

export class Batches {
  readonly #redis: Redis;
  readonly #random: Random;
  readonly #heartbeat: Guard;

  readonly #past: Past | undefined;

  /** `past` absent: of what has left Redis no more than its state is known. */
  constructor(
    redis: Redis,
    random: Random,
    { heartbeat = NO_MEMORY, past }: { readonly heartbeat?: Guard; readonly past?: Past | undefined } = {},
  ) {
    this.#past = past;
    this.#redis = redis;
    this.#random = random;
    this.#heartbeat = heartbeat;
  }

  /** All of it in one step, or nothing. */
  async accept(batch: NewBatch, rows: readonly BatchRow[]): Promise<BatchAccepted> {
    const { id } = batch;
    const staged = keys.batchRows(`${id}.${this.#random.hex(6)}`);
    await this.#stage(staged, rows);
    const answer = await this.#write(batch, staged, rows.length);
    if (answer.outcome !== 'accepted') await this.#redis.unlink(staged);
    return answer;
  }

  async #write(batch: NewBatch, staged: string, rows: number): Promise<BatchAccepted> {
    const { id, account, contentHash, state, tells } = batch;
    const fields = { v: RECORD_VERSION, kind: 'batch', contentHash, ...batch.fields };
    const ofBytes = keys.batchOf(account, contentHash);
    const named = (await this.#redis.get(ofBytes)) ?? undefined;
    const answer = await acceptBatch(this.#redis, {
      record: keys.record(id),
      ...stubAt(id),
      counts: keys.counts('batch'),
      index: keys.index('batch'),
      invalid: keys.state('batch', 'invalid'),
      entered: keys.state('batch', state),
      due: keys.due('batch'),
      staged,
      rows: keys.batchRows(id),
      ofBytes,
      other: keys.record(named ?? id),
      heartbeat: keys.heartbeat,
      events: keys.events,
      ...told(batch.act && { ...batch.act, target: id, facts: { account } }),
      id,
      fingerprint: batch.fingerprint,
      state,
      dueInMs: state === 'invalid' ? undefined : batch.dueInMs,
      account,
      count: rows,
      named,
      memory: this.#heartbeat.remembered(),
      eventData: state === 'awaiting_approval' ? JSON.stringify({ id, state, ...tells }) : undefined,
      fields,
    });
    switch (answer.is) {
      case 'recovering':
        throw this.#heartbeat.refused();
      case 'unstaged':
        throw new RedisUnavailable('rows were lost on their way to Redis; upload it again');
      case 'read again':
        // Another upload of the same bytes was faster: what it wrote is what this one is compared with.
        return this.#write(batch, staged, rows);
      case 'conflict':
      case 'open':
        return { outcome: answer.is, id: answer.id };
      case 'accepted':
      case 'duplicate':
        return { outcome: answer.is, id: answer.id, state: answer.state };
    }
  }

  /** Those that Redis has. */
  async rows(id: string, from: number, count: number): Promise<BatchRow[]> {
    return (await this.#redis.lrange(keys.batchRows(id), from, from + count - 1)).map(unpackBatchRow);
  }

  /** Place → why acceptance refused the row there. A row that was refused stays so. */
  async refused(id: string): Promise<Readonly<Record<string, string>>> {
    return this.#redis.hgetall(keys.batchRefused(id));
  }

  /** Whether it was refused, for each of these places. */
  async areRefused(id: string, places: readonly number[]): Promise<readonly boolean[]> {
    const reasons = await this.#redis.hmget(keys.batchRefused(id), ...places.map(String));
    return reasons.map((reason) => reason !== null);
  }

  /** The first reason stands, whatever a slower attempt finds: history may have it already. */
  async refuse(id: string, reasons: Readonly<Record<string, string>>): Promise<void> {
    const all = Object.entries(reasons);
    if (all.length === 0) return;
    const pipeline = this.#redis.pipeline();
    for (const [place, reason] of all) pipeline.hsetnx(keys.batchRefused(id), place, reason);
    await answersOf(pipeline, ignored);
  }

  /**
   * Page by page, every row from `from` to `to` with the named fields of its disbursement's record. Throws HistoryAway
   * where fields are asked for that history alone has, or where it alone has the batch.
   */
  async *rowsNow(
    batch: BatchOfRows,
    { from, to, fields = [] }: { from: number; to: number; fields?: readonly string[] },
  ): AsyncGenerator<RowNow[], void, undefined> {
    const refused = await this.refused(batch.id);
    for (let place = from; place < to; place += ROWS_AT_ONCE) {
      const near = await this.rows(batch.id, place, Math.min(ROWS_AT_ONCE, to - place));
      const left = near.length === 0 ? await this.#rowsLeft(batch, place, Math.min(ROWS_AT_ONCE, to - place)) : [];
      const page: readonly BatchRowLeft[] =
        left.length > 0 ? left : near.map((row, at) => ({ row, reason: refused[place + at] }));
      const rows = page.map(({ row }) => row);
      const records = await this.#read(rows, [...HOW_IT_STANDS, ...fields], left.length > 0);
      yield page.map(({ row, reason }, offset) =>
        rowNow(row, {
          batch: batch.id,
          fed: place + offset < batch.fed,
          refused: reason,
          record: records[offset],
        }),
      );
    }
  }

  /** Whether a payment of it is not over, or waits for a person. */
  async hasOpen(batch: BatchOfRows & Pick<BatchRecord, 'totals'>): Promise<boolean> {
    for await (const page of this.rowsNow(batch, { from: 0, to: batch.totals.count })) {
      if (page.some(({ state }) => state === 'needs_review' || !(state === WAITING || isSettled(state)))) return true;
    }
    return false;
  }

  async #rowsLeft(batch: BatchOfRows, from: number, count: number): Promise<readonly BatchRowLeft[]> {
    const { id, createdAt } = batch;
    if (this.#past === undefined || !hasRows(batch)) return [];
    if ((await this.#redis.exists(keys.record(id))) === 1) return [];
    const rows = await this.#past.batchRowsOf({ of: id, createdAt, from, limit: count });
    if (rows.length === count) return rows;
    throw new HistoryAway(`history does not have all rows of ${id}`);
  }

  /** For each request, the operation that has its reference already. */
  async standing(account: string, requests: readonly AskedRow[]): Promise<(Standing | undefined)[]> {
    const pipeline = this.#redis.pipeline();
    for (const { id, reference } of requests) {
      pipeline.hget(keys.record(id), 'fp').get(keys.reference(account, 'disbursement', reference));
    }
    const answers = await answersOf(pipeline, maybe(text));
    const left = await stubsLeft(
      this.#redis,
      requests.map(({ id }) => id),
    );
    const standing = requests.map(({ id, fingerprint }, index) => {
      const [known, owner] = answers.slice(index * 2, index * 2 + 2);
      if (known !== undefined) return { id, same: known === fingerprint };
      const stub = left[index];
      if (stub) return { id, same: stub.isOf(fingerprint) };
      return owner !== undefined && owner !== id ? { id: owner, same: false } : undefined;
    });
    return this.#comparedWith(requests, standing);
  }

  /** Only those that are not the same are read. */
  async #comparedWith(
    requests: readonly AskedRow[],
    standing: readonly (Pick<Standing, 'id' | 'same'> | undefined)[],
  ): Promise<(Standing | undefined)[]> {
    const others = standing.flatMap((one) => (one && !one.same ? [one.id] : []));
    const pipeline = this.#redis.pipeline();
    for (const id of others) pipeline.hgetall(keys.record(id));
    const records = others.length === 0 ? [] : await answersOf(pipeline, fieldsRead);
    const recordOf = new Map(others.map((id, at) => [id, records[at] ?? {}]));
    return standing.map((one, at) => {
      const { fields = {}, reference } = requests[at] ?? {};
      const record = one && recordOf.get(one.id);
      const differs = record ? differing({ kind: 'disbursement', fields, reference }, record) : [];
      return one && { ...one, differs };
    });
  }

  /** XOF accepted for the account on that day (UTC); counted only while a limit per day is set. */
  async acceptedOn(account: string, day: string): Promise<number> {
    return Number((await this.#redis.hget(keys.acceptedOn(account, day), 'all')) ?? 0);
  }

  async #stage(key: string, rows: readonly BatchRow[]): Promise<void> {
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      const packed = rows.slice(from, from + ROWS_AT_ONCE).map(packBatchRow);
      const pipeline = this.#redis.pipeline().rpush(key, ...packed);
      await answersOf(pipeline.expire(key, STAGED_FOR_S), ignored);
    }
  }

  /** `hasLeft`: history alone has their batch, so it is asked for each that Redis does not have. */
  async #read(rows: readonly BatchRow[], names: readonly string[], hasLeft: boolean): Promise<Fields[]> {
    const pipeline = this.#redis.pipeline();
    for (const { id } of rows) pipeline.hmget(keys.record(id), ...names);
    const answers = await answersOf(pipeline, list(maybe(text)));
    const records = answers.map(
      (values): Fields =>
        Object.fromEntries(names.flatMap((name, index) => (values[index] ? [[name, values[index]]] : []))),
    );
    return this.#withLeft(rows, records, { hasLeft, isWhole: hasLeft || names.length > HOW_IT_STANDS.length });
  }

  /** Of what history alone has it is known at least how it ended: it is not handed out again. */
  async #withLeft(
    rows: readonly BatchRow[],
    records: readonly Fields[],
    { isWhole, hasLeft }: { readonly isWhole: boolean; readonly hasLeft: boolean },
  ): Promise<Fields[]> {
    const absent = rows.filter((_, at) => records[at]?.['state'] === undefined).map(({ id }) => id);
    const left = await stubsLeft(this.#redis, absent);
    const stateOf = new Map(absent.map((id, at) => [id, left[at]?.state]));
    // A stub is forgotten before its row in history is.
    const gone = hasLeft ? absent : absent.filter((id) => stateOf.get(id) !== undefined);
    const kept = isWhole && gone.length > 0 ? await this.#past?.recordsOf('disbursement', gone) : undefined;
    return records.map((record, at) => {
      const id = rows[at]?.id ?? '';
      const state = stateOf.get(id);
      return kept?.get(id) ?? (state === undefined ? record : { state, [LEFT]: '1' });
    });
  }
}

/** Of a file with something wrong in it none are kept. */
export function hasRows({ problems }: Pick<BatchRecord, 'problems'>): boolean {
  return problems.count === 0;
}

/** Ended, or in the hands of a person: nothing more is waited for. */
export function isSettled(state: string): boolean {
  return state === 'needs_review' || state === ELSEWHERE || (state !== WAITING && isFinal('disbursement', state));
}

function rowNow(
  row: BatchRow,
  {
    batch,
    fed,
    refused,
    record = {},
  }: { batch: string; fed: boolean; refused: string | undefined; record: Fields | undefined },
): RowNow {
  const { state, reason } = record;
  // The record under that id may be another request's, which is why this one was refused. One of this batch was accepted
  // by a late attempt after another had refused it, and is paid. Of what has left it is known with its fields only.
  if (refused !== undefined && record['batch'] !== batch) return { row, state: 'rejected', reason: refused };
  if (!fed || state === undefined) return { row, state: WAITING };
  if (record[LEFT]) return { row, state, fields: {} };
  if (record['batch'] !== batch) {
    const where = record['batch'] === undefined ? 'by itself' : `in ${record['batch']}`;
    return { row, state: ELSEWHERE, fields: record, reason: `accepted_before: ${where}` };
  }
  return { row, state, fields: record, ...(reason ? { reason } : {}) };
}

/** A file of disbursements as we keep it: what was found in it, which keys answer for it, and how far it has come. */

/** A batch that nobody has approved by then expires: what was checked a day ago is not what is paid today. */
export const APPROVE_WITHIN_MS = 86_400_000;

/** Sums by name, added up one by one. */
export class Sums {
  readonly #sums = new Map<string, { count: number; xof: number }>();

  add(name: string, xof: number): void {
    const sum = this.#sums.get(name);
    if (!sum) {
      this.#sums.set(name, { count: 1, xof });
      return;
    }
    sum.count += 1;
    sum.xof += xof;
  }

  read(): Record<string, Sum> {
    return Object.fromEntries([...this.#sums].map(([name, sum]) => [name, { ...sum }]));
  }
}
