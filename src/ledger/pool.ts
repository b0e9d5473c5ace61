/** The pool for everything but the lanes: lists, settings, keys, reports, and each act of a person. */
import { type ClientBase, Pool, type PoolClient } from 'pg';
import { ANSWER_TIMEOUT_MS, type DatabaseOptions, prepareSession } from './database.ts';
import { AnswerLost, DatabaseAway, readError } from './errors.ts';
import { type Statement, loadStatements } from './statements.ts';

export interface PoolOptions extends DatabaseOptions {
  /** Connections at most. */
  readonly size?: number;
  /** Waiting time for a free connection, ms; after it, `DatabaseAway`. */
  readonly patience?: number;
  /** Receives what an idle connection failed with. */
  readonly onError?: (error: Error) => void;
}

const SIZE = 4;
const PATIENCE_MS = 5_000;
const IDLE_MS = 30_000;
/** The pool waits for the promise, which its type does not say. */
const PREPARE: (client: ClientBase) => unknown = prepareSession;

/** Runs a statement of `statements/` by its name. */
export type Run = <Row extends object>(name: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

export class Database {
  readonly #pool: Pool;
  readonly #statements: ReadonlyMap<string, Statement>;
  readonly #prepared: boolean;

  constructor({ url, schema, prepared = true, size = SIZE, patience = PATIENCE_MS, onError }: PoolOptions) {
    this.#statements = loadStatements(schema);
    this.#prepared = prepared;
    this.#pool = new Pool({
      connectionString: url,
      max: size,
      connectionTimeoutMillis: patience,
      idleTimeoutMillis: IDLE_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      application_name: 'relais',
      onConnect: PREPARE,
    });
    this.#pool.on('error', (error) => onError?.(error));
    // The statement under way rejects as well; without a listener the event would end the process.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /** One statement in a transaction of its own. Throws what `readError` makes of a failure, or `DatabaseAway`. */
  readonly run: Run = async (name, values = []) => {
    const client = await this.#connect();
    return this.#released(client, () => this.#run(client, name, values));
  };

  /**
   * Several statements that are committed together, or not at all. `AnswerLost`: it is not known whether they were
   * committed, so the caller must be able to ask again.
   */
  async transaction<T>(work: (run: Run) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    return this.#released(client, async () => {
      await this.#plain(client, 'begin');
      try {
        const result = await work((name, values = []) => this.#run(client, name, values));
        await this.#plain(client, 'commit');
        return result;
      } catch (error) {
        if (!(error instanceof AnswerLost)) await this.#plain(client, 'rollback');
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #connect(): Promise<PoolClient> {
    return this.#pool.connect().catch((cause: unknown) => {
      throw new DatabaseAway('PostgreSQL cannot be reached, or has no connection free', { cause });
    });
  }

  /** A connection whose answer was lost is not used again. */
  async #released<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
    let lost: boolean | undefined;
    try {
      return await work();
    } catch (error) {
      lost = error instanceof AnswerLost;
      throw error;
    } finally {
      client.release(lost);
    }
  }

  async #run<Row extends object>(
    client: PoolClient,
    name: string,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    const statement = this.#statements.get(name);
    if (statement === undefined) throw new Error(`no statement is named ${name}`);
    const query = { text: statement.text, values: [...values], ...(this.#prepared ? { name } : {}) };
    const { rows } = await client.query<Row>(query).catch((error: unknown) => {
      throw readError(error);
    });
    return rows;
  }

  async #plain(client: PoolClient, text: 'begin' | 'commit' | 'rollback'): Promise<void> {
    await client.query(text).catch((error: unknown) => {
      throw readError(error);
    });
  }
}
