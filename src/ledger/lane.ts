/** One connection that writes, with its mark: it writes nothing on a ledger that is behind what its process remembers. */
import type { Clock } from '../lib/clock.ts';
import { Connection, type DatabaseOptions } from './database.ts';
import { AnswerLost } from './errors.ts';

/** What a process remembers of the ledger; its lanes share it. */
export class Memory {
  /** Set by the first lane that opens; a process that finds another one later was left behind by a recovery. */
  epoch: number | undefined;
  readonly #counters = new Map<string, bigint>();

  remember(lane: string, counter: bigint): void {
    const before = this.#counters.get(lane);
    if (before === undefined || counter > before) this.#counters.set(lane, counter);
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
  /** Process and number: `worker-1/0`. No two lanes that live have one name. */
  readonly name: string;
  readonly clock: Clock;
}

/** A server process of PostgreSQL. */
interface Backend {
  readonly pid: number;
  readonly started: Date;
}

interface Written {
  readonly counter: string;
}

/** How long a server process of a broken connection may go on: its statement time-out, and a moment. */
const GONE_AFTER_MS = 11_000;
const GONE_AGAIN_MS = 50;

export class Lane {
  readonly #options: LaneOptions;
  #connection: Promise<Connection> | undefined;
  /** Of the connection that is open, or was last. */
  #backend: Backend | undefined;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Runs a statement that raises the mark of this lane; its first four parameters are the lane's own. */
  async write<Row extends Written>(statement: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const { memory, name } = this.#options;
    const connection = await this.#open();
    try {
      const rows = await connection.run<Row>(statement, [
        name,
        memory.epoch,
        memory.lanes,
        memory.counters,
        ...values,
      ]);
      for (const { counter } of rows) memory.remember(name, BigInt(counter));
      return rows;
    } catch (error) {
      if (error instanceof AnswerLost) await this.#leave();
      throw error;
    }
  }

  async read<Row extends object>(statement: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const connection = await this.#open();
    return connection.run<Row>(statement, values).catch(async (error: unknown) => {
      if (error instanceof AnswerLost) await this.#leave();
      throw error;
    });
  }

  /**
   * What a statement wrote whose answer was lost, asked on a new connection once no server process can still commit it.
   * `op`: the statement's own.
   */
  async settle(op: string): Promise<readonly WrittenRow[]> {
    const { clock } = this.#options;
    const lostAtMono = clock.monotonic();
    const lost = this.#backend;
    for (;;) {
      const isOver = clock.monotonic() - lostAtMono > GONE_AFTER_MS;
      const rows = await this.#written(op, lost, isOver).catch(() => undefined);
      if (rows !== undefined) return rows;
      await clock.sleep(GONE_AGAIN_MS);
    }
  }

  /** Undefined: nothing is found, and it may still be committed. */
  async #written(op: string, lost: Backend | undefined, isOver: boolean): Promise<readonly WrittenRow[] | undefined> {
    // In this order: what a server process committed before it was gone is found.
    const [backend] =
      lost === undefined ? [] : await this.read<{ alive: boolean }>('backend', [lost.pid, lost.started]);
    const rows = await this.read<WrittenRow>('written_by', [op]);
    return rows.length > 0 || isOver || backend?.alive === false ? rows : undefined;
  }

  async close(): Promise<void> {
    await this.#leave();
  }

  async #open(): Promise<Connection> {
    this.#connection ??= this.#opened();
    return this.#connection.catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
  }

  async #opened(): Promise<Connection> {
    const { database, memory, name } = this.#options;
    const connection = await Connection.open(database);
    const [own] = await connection.run<Backend & { counter: string; epoch: number }>('open_lane', [name]);
    if (own === undefined) throw new Error(`the lane ${name} is fenced`);
    this.#backend = { pid: own.pid, started: own.started };
    memory.epoch ??= own.epoch;
    // What is found lower than remembered stays remembered: the first write is then refused.
    memory.remember(name, BigInt(own.counter));
    return connection;
  }

  async #leave(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.then((one) => one.close()).catch(() => undefined);
  }
}

interface WrittenRow {
  readonly id: string;
  readonly state: string;
  readonly version: number;
  readonly lease: string | null;
}
