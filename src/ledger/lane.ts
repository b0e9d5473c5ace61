/** One writing connection with its mark: it writes nothing to a ledger that is behind the memory of its process. */
import type { Clock } from '../lib/clock.ts';
import { Connection, type DatabaseOptions } from './database.ts';
import { AnswerLost, LedgerClosed, isOfConnection } from './errors.ts';
import type { Run } from './pool.ts';

/** State of the ledger that a process remembers; its lanes share it. */
export class Memory {
  /** Set by the first lane that opens. If a process later finds another epoch, it missed a recovery. */
  epoch: number | undefined;
  /** Called when the ledger refuses a statement because it is closed. */
  onClosed: (() => void) | undefined;
  readonly #counters = new Map<string, bigint>();

  remember(lane: string, counter: bigint): void {
    const before = this.#counters.get(lane);
    if (before === undefined || counter > before) this.#counters.set(lane, counter);
  }

  counterOf(lane: string): string {
    return String(this.#counters.get(lane) ?? 0n);
  }

  /** For a lane that has ended: it is no longer compared. */
  forget(lane: string): void {
    this.#counters.delete(lane);
  }

  /** After the start of a recovery: the counters of the restored ledger apply from now on. */
  restore(lane: string, counter: string | undefined): void {
    if (counter === undefined) this.#counters.delete(lane);
    else this.#counters.set(lane, BigInt(counter));
  }

  /** A snapshot. */
  vector(): ReadonlyMap<string, bigint> {
    return new Map(this.#counters);
  }

  get lanes(): readonly string[] {
    return [...this.#counters.keys()];
  }

  get counters(): readonly string[] {
    return [...this.#counters.values()].map(String);
  }
}

interface LaneOptions {
  readonly database: DatabaseOptions;
  readonly memory: Memory;
  /** Process and number: `worker-1/0`. Unique among open lanes. */
  readonly name: string;
  readonly clock: Clock;
}

interface Written {
  readonly counter: string;
}

/** The statements of a transaction on a lane; `write` is for statements that raise its mark. */
export interface LaneRun {
  readonly read: Run;
  readonly write: <Row extends Written>(statement: string, values: readonly unknown[]) => Promise<readonly Row[]>;
}

/** How long a lost answer is queried: longer than the server's statement time-out. */
const SETTLE_MS = 30_000;
const SETTLE_AGAIN_MS = 50;

export class Lane {
  readonly #options: LaneOptions;
  #connection: Promise<Connection> | undefined;
  #isClosed = false;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  /** Runs a statement that raises the mark of this lane; its first four parameters belong to the lane. */
  async write<Row extends Written>(statement: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const { memory, name } = this.#options;
    const own = (): readonly unknown[] => [name, memory.epoch, memory.lanes, memory.counters];
    return this.#remembered(await this.#timed(() => this.#run<Row>(statement, () => [...own(), ...values])));
  }

  async read<Row extends object>(statement: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.#run<Row>(statement, () => values);
  }

  /**
   * Several statements in one transaction, the first of which raises the mark (`write`). Memory is updated after the
   * commit.
   */
  async transaction<T>(work: (run: LaneRun) => Promise<T>): Promise<T> {
    const { memory, name } = this.#options;
    return this.#again(async (connection) => {
      const written: Written[] = [];
      const run: (send: Connection['run']) => LaneRun = (send) => ({
        read: (statement, values = []) => send(statement, values),
        write: async <Row extends Written>(statement: string, values: readonly unknown[]) => {
          const rows = await send<Row>(statement, [name, memory.epoch, memory.lanes, memory.counters, ...values]);
          written.push(...rows.slice(0, 1));
          return rows;
        },
      });
      const result = await this.#timed(() => connection.transaction((send) => work(run(send))));
      this.#remembered(written);
      return result;
    });
  }

  /**
   * Returns the rows of a statement whose answer was lost. The query uses a new connection, and opening it waits for
   * the end of that statement. `statement` finds the rows by the number of the lost one, the first of `values`; without
   * rows the answer has only the counter. Throws `AnswerLost` if the result stays unknown for `patienceMs`.
   */
  async settle<Row extends Written>(
    statement: string,
    values: readonly unknown[],
    patienceMs = SETTLE_MS,
  ): Promise<readonly Row[]> {
    const { clock, memory, name } = this.#options;
    const lostAtMono = clock.monotonic();
    for (;;) {
      const rows = await this.#run<Row>(statement, () => [name, memory.counterOf(name), ...values]).catch(
        (error: unknown) => {
          const isLate = clock.monotonic() - lostAtMono > patienceMs;
          if (this.#isClosed || isLate || error instanceof LedgerClosed) throw unknown(error);
        },
      );
      if (rows?.length === 0) throw unknown(new LedgerClosed('fenced'));
      if (rows !== undefined) return this.#remembered(rows);
      await clock.sleep(SETTLE_AGAIN_MS);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.then((one) => one.close()).catch(() => undefined);
  }

  async #timed<T>(write: () => Promise<T>): Promise<T> {
    const { clock, database } = this.#options;
    const beganMono = clock.monotonic();
    const answer = await write();
    database.onCommit?.(clock.monotonic() - beganMono);
    return answer;
  }

  #remembered<Row extends Written>(rows: readonly Row[]): readonly Row[] {
    const { memory, name } = this.#options;
    for (const { counter } of rows) memory.remember(name, BigInt(counter));
    return rows;
  }

  #run<Row extends object>(statement: string, values: () => readonly unknown[]): Promise<readonly Row[]> {
    return this.#again((connection) => connection.run<Row>(statement, values()));
  }

  /** Retries on a new connection if the old one was unusable. */
  async #again<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      return await this.#once(work);
    } catch (error) {
      if (isOfConnection(error)) return this.#once(work);
      throw error;
    }
  }

  async #once<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    let opened = this.#open();
    let connection = await opened;
    if (!connection.isCurrent) {
      this.#leave(opened, connection);
      opened = this.#open();
      connection = await opened;
    }
    try {
      return await work(connection);
    } catch (error) {
      if (error instanceof AnswerLost || isOfConnection(error) || isGone(error)) this.#leave(opened, connection);
      if (error instanceof LedgerClosed) this.#options.memory.onClosed?.();
      throw error;
    }
  }

  #open(): Promise<Connection> {
    if (this.#connection === undefined) {
      const opening = this.#opened();
      this.#connection = opening;
      opening.catch(() => this.#forget(opening));
    }
    return this.#connection;
  }

  async #opened(): Promise<Connection> {
    const { database, memory, name } = this.#options;
    if (this.#isClosed) throw new Error(`the lane ${name} is closed`);
    const connection = await Connection.open(database);
    try {
      const [own] = await connection.run<Written & { epoch: number }>('open_lane', [name, memory.counterOf(name)]);
      if (own === undefined) throw new LedgerClosed('fenced');
      if (this.#isClosed) throw new Error(`the lane ${name} is closed`);
      memory.epoch ??= own.epoch;
      // Memory keeps the higher counter. If the database has a lower one, it refuses the first write.
      memory.remember(name, BigInt(own.counter));
      return connection;
    } catch (error) {
      void connection.close();
      throw error;
    }
  }

  /** Does not wait: an unreachable server does not answer. A newer connection stays open. */
  #leave(opened: Promise<Connection>, connection: Connection): void {
    this.#forget(opened);
    void connection.close();
  }

  #forget(opened: Promise<Connection>): void {
    if (this.#connection === opened) this.#connection = undefined;
  }
}

/** Fenced, or missing in a restored backup: reopening the lane shows which. */
const isGone = (error: unknown): boolean => error instanceof LedgerClosed && error.reason === 'fenced';

const unknown = (cause: unknown): AnswerLost =>
  new AnswerLost('whether the statement was committed could not be read', { cause });
