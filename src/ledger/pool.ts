/** The pool for all work outside the lanes: lists, settings, keys, reports, and acts of users. */
import { type ClientBase, Pool, type PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type Clock, systemClock } from '../lib/clock.ts';
import { ANSWER_TIMEOUT_MS, type DatabaseOptions, prepareSession, refuseRollback } from './database.ts';
import { AnswerLost, isConnectionOver, isOfConnection, readError, readOpening } from './errors.ts';
import { PoolLine } from './pool-line.ts';
import { type Server, addressOf } from './server.ts';
import { type Statement, inSchema, loadStatements } from './statements.ts';

export interface PoolOptions extends DatabaseOptions {
  /** Maximum connections. */
  readonly size?: number;
  /** How long a caller waits without any answer from PostgreSQL, ms; then `DatabaseAway`. */
  readonly patience?: number;
  /** For tests. */
  readonly clock?: Pick<Clock, 'monotonic' | 'after'>;
  /** Receives errors of idle connections, except their end: they are replaced, and an outage fails the queries. */
  readonly onError?: (error: Error) => void;
}

const SIZE = 4;
const PATIENCE_MS = 5_000;
/** All connections of a listener can request many rows at the same time. */
const WAITING_MOST = 50_000;
const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_MS = 30_000;
/** Runs a statement of `statements/` by its name. */
export type Run = <Row extends object>(name: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** Copies rows into a table in the text format of COPY. */
export type CopyIn = (table: string, columns: readonly string[], rows: Uint8Array) => Promise<void>;

export class Database {
  readonly #pool: Pool;
  readonly #line: PoolLine;
  readonly #statements: ReadonlyMap<string, Statement>;
  readonly #prepared: boolean;
  readonly #schema: string;
  readonly #server: Server | undefined;
  #isThere = true;
  /** The server generation that each connection has reached. */
  readonly #generations = new WeakMap<ClientBase, number>();

  constructor(options: PoolOptions) {
    const { url, schema, ca, server, prepared = true, size = SIZE, onError } = options;
    const { patience = PATIENCE_MS, connectTimeout = CONNECT_TIMEOUT_MS, clock = systemClock } = options;
    // The pool awaits the promise, although its type does not declare it.
    const prepare: (client: ClientBase) => unknown = (client) => this.#prepare(client);
    this.#server = server;
    this.#schema = schema;
    this.#statements = loadStatements(schema);
    this.#prepared = prepared;
    this.#pool = new Pool({
      ...addressOf(url, ca),
      max: size,
      connectionTimeoutMillis: connectTimeout,
      idleTimeoutMillis: IDLE_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      application_name: 'relais',
      onConnect: prepare,
    });
    this.#line = new PoolLine({ size, patience, most: WAITING_MOST, clock, onStill: () => (this.#isThere = false) });
    this.#pool.on('error', (error) => isConnectionOver(error) || onError?.(readError(error)));
    // The running statement rejects as well; without a listener the event would end the process.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /** One statement in a transaction of its own. Throws the result of `readError`, or `DatabaseAway`. */
  readonly run: Run = async (name, values = []) => {
    const client = await this.#connect();
    return this.#released(client, () => this.#run(client, name, values));
  };

  /**
   * Several statements in one transaction. `AnswerLost`: it is unknown whether they were committed, so the caller
   * must be able to retry.
   */
  async transaction<T>(work: (run: Run, copy: CopyIn) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    return this.#released(client, async () => {
      await this.#plain(client, 'begin');
      let result: T;
      let ended: string;
      try {
        result = await work(
          (name, values = []) => this.#run(client, name, values),
          (table, columns, rows) => this.#copy(client, table, columns, rows),
        );
        ended = await this.#plain(client, 'commit');
      } catch (error) {
        if (!(error instanceof AnswerLost)) await this.#plain(client, 'rollback');
        throw error;
      }
      refuseRollback(ended);
      return result;
    });
  }

  /** Whether the last attempt to get a connection succeeded. */
  get isThere(): boolean {
    return this.#isThere;
  }

  /** Connections in use, and callers that wait for one. */
  get load(): { readonly inUse: number; readonly waiting: number } {
    const { totalCount, idleCount } = this.#pool;
    return { inUse: totalCount - idleCount, waiting: this.#line.waiting };
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #prepare(client: ClientBase): Promise<void> {
    await prepareSession(client);
    if (this.#server) this.#generations.set(client, await this.#server.check(client));
  }

  async #connect(): Promise<PoolClient> {
    await this.#line.enter();
    try {
      return await this.#current();
    } catch (error) {
      this.#line.leave(false);
      throw error;
    }
  }

  /** Replaces a connection that may lead to a former primary. */
  async #current(): Promise<PoolClient> {
    for (;;) {
      const client = await this.#pool.connect().catch((error: unknown) => {
        this.#isThere = false;
        throw readOpening(error);
      });
      if (this.#generations.get(client) === this.#server?.generation) {
        this.#isThere = true;
        return client;
      }
      client.release(true);
    }
  }

  /** Closes a connection whose answer was lost, or that is no longer usable. */
  async #released<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
    let lost: boolean | undefined;
    try {
      return await work();
    } catch (error) {
      lost = error instanceof AnswerLost || isOfConnection(error);
      throw error;
    } finally {
      client.release(lost);
      this.#line.leave(lost !== true);
    }
  }

  async #run<Row extends object>(
    client: PoolClient,
    name: string,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    const statement = this.#statements.get(name);
    if (statement === undefined) throw new Error(`no statement is named ${name}`);
    const query = { text: statement.call, values: [...values], ...(this.#prepared ? { name } : {}) };
    const { rows } = await client.query<Row>(query).catch((error: unknown) => {
      throw readError(error);
    });
    return rows;
  }

  async #copy(client: PoolClient, table: string, columns: readonly string[], rows: Uint8Array): Promise<void> {
    const copying = client.query(
      copyFrom(inSchema(`copy relais.${table} (${columns.join(', ')}) from stdin`, this.#schema)),
    );
    await new Promise<void>((resolve, reject) => {
      copying.on('finish', resolve).on('error', reject).end(rows);
    }).catch((error: unknown) => {
      throw readError(error);
    });
  }

  /** Checks the command that PostgreSQL reports. */
  async #plain(client: PoolClient, text: 'begin' | 'commit' | 'rollback'): Promise<string> {
    const { command } = await client.query(text).catch((error: unknown) => {
      throw readError(error);
    });
    return command;
  }
}
