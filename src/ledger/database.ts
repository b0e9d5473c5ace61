/**
 * Connections to the ledger that are safe for money: PostgreSQL keeps every commit, and every answer is either
 * certain or reported as lost.
 */
import { Client } from 'pg';
import { AnswerLost, DatabaseAway, UnsafeDatabase, readError, readOpening } from './errors.ts';
import { type Server, type Session, addressOf } from './server.ts';
import { type SessionState, remedyFor, settleSession } from './session.ts';
import { type Statement, loadStatements } from './statements.ts';

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  readonly schema: string;
  /** Off: no prepared statements, for a pooler that does not support them. */
  readonly prepared?: boolean;
  /** PEM of the authority that signs the certificate of PostgreSQL. */
  readonly ca?: string | undefined;
  /** Shared by the connections of this process. Absent: servers are not compared. */
  readonly server?: Server;
  /** ms. */
  readonly connectTimeout?: number;
  /** Receives the duration of each committed transaction of a lane, ms. */
  readonly onCommit?: ((ms: number) => void) | undefined;
  /** Called when an open connection ends unexpectedly. */
  readonly onEnd?: () => void;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** In addition to the server's statement time-out: a server that never answers is abandoned. */
export const ANSWER_TIMEOUT_MS = 15_000;
/** SQLSTATE of a plain notice. */
const NO_WARNING = '00000';
const MUST_BE_ON = ['fsync', 'full_page_writes'] as const;

/** One connection, one statement at a time. */
export class Connection {
  readonly #client: Client;
  readonly #statements: ReadonlyMap<string, Statement>;
  readonly #prepared: boolean;
  readonly #isCurrent: () => boolean;
  #warned = false;
  #isOver = false;
  #before: Promise<unknown> = Promise.resolve();

  private constructor(
    client: Client,
    statements: ReadonlyMap<string, Statement>,
    { prepared, isCurrent }: { readonly prepared: boolean; readonly isCurrent: () => boolean },
  ) {
    this.#client = client;
    this.#isCurrent = isCurrent;
    this.#statements = statements;
    this.#prepared = prepared;
    // A warning on a commit may mean that a standby does not have it. Its severity is in the language of the server.
    client.on('notice', ({ code }) => {
      if (code !== NO_WARNING) this.#warned = true;
    });
    client.on('error', () => (this.#isOver = true)).on('end', () => (this.#isOver = true));
  }

  /** Throws `UnsafeDatabase` if the settings of PostgreSQL allow lost commits. */
  static async open(options: DatabaseOptions): Promise<Connection> {
    const { url, schema, ca, server, prepared = true, connectTimeout = CONNECT_TIMEOUT_MS, onEnd } = options;
    const client = new Client({
      ...addressOf(url, ca),
      connectionTimeoutMillis: connectTimeout,
      query_timeout: ANSWER_TIMEOUT_MS,
      application_name: 'relais',
    });
    client.on('error', () => undefined);
    if (onEnd) client.once('end', onEnd);
    await client.connect().catch((cause: unknown) => {
      throw new DatabaseAway('PostgreSQL cannot be reached', { cause });
    });
    try {
      await prepareSession(client);
      const generation = await server?.check(client);
      const isCurrent = (): boolean => server?.generation === generation;
      return new Connection(client, loadStatements(schema), { prepared, isCurrent });
    } catch (error) {
      await client.end();
      throw readOpening(error);
    }
  }

  /** False: it has ended, or a newer connection reached another server, so it may lead to a former primary. */
  get isCurrent(): boolean {
    return !this.#isOver && this.#isCurrent();
  }

  /** Runs a statement of `statements/` after the earlier ones. Throws the result of `readError`. */
  run<Row extends object>(name: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const run = (): Promise<readonly Row[]> => this.#run<Row>(name, values);
    const answer = this.#before.then(run, run);
    this.#before = answer.catch(() => undefined);
    return answer;
  }

  async #run<Row extends object>(name: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const statement = this.#statements.get(name);
    if (statement === undefined) throw new Error(`no statement is named ${name}`);
    const { call: text } = statement;
    this.#warned = false;
    const query = { text, values: [...values], ...(this.#prepared ? { name } : {}) };
    const answer = await this.#client.query<Row>(query).catch((error: unknown) => {
      throw readError(error);
    });
    if (this.#warned) throw new AnswerLost('PostgreSQL committed with a warning');
    return answer.rows;
  }

  /**
   * Commits several statements together, after the earlier ones. `AnswerLost`: it is unknown whether they were
   * committed.
   */
  transaction<T>(work: (run: Connection['run']) => Promise<T>): Promise<T> {
    const run = (): Promise<T> => this.#transaction(work);
    const answer = this.#before.then(run, run);
    this.#before = answer.catch(() => undefined);
    return answer;
  }

  async #transaction<T>(work: (run: Connection['run']) => Promise<T>): Promise<T> {
    await this.#plain('begin');
    let result: T;
    let ended: string;
    try {
      result = await work((name, values) => this.#run(name, values));
      ended = await this.#plain('commit');
    } catch (error) {
      if (!(error instanceof AnswerLost)) await this.#plain('rollback');
      throw error;
    }
    refuseRollback(ended);
    return result;
  }

  /** The command that PostgreSQL says it has carried out. */
  async #plain(text: 'begin' | 'commit' | 'rollback'): Promise<string> {
    this.#warned = false;
    const { command } = await this.#client.query(text).catch((error: unknown) => {
      throw readError(error);
    });
    if (this.#warned) throw new AnswerLost('PostgreSQL committed with a warning');
    return command;
  }

  /** Ends the connection without waiting for its running statement. */
  async close(): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }
}

/**
 * After a failed statement PostgreSQL answers COMMIT with ROLLBACK and no error. `command`: the command that it
 * reports.
 */
export function refuseRollback(command: string): void {
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back: one of its statements had failed');
}

/** Throws `UnsafeDatabase` if PostgreSQL may lose a commit, or its sessions lack settings that statements rely on. */
export async function prepareSession(client: Session): Promise<void> {
  const state = await settleSession(client);
  if (state.wrong.length > 0) throw new UnsafeDatabase(wrongSession(state));
  await refuseUnsafe(client);
}

function wrongSession(state: SessionState): string {
  const found = state.wrong.map(({ name, found: value, wanted }) => `${name} is ${value} and must be ${wanted}`);
  const remedies = state.wrong.map((one) => remedyFor(state, one));
  return `Sessions behind the pooler have other settings: ${found.join(', ')}. Run ${remedies.join('; ')}, then let the pooler reconnect`;
}

async function refuseUnsafe(client: Session): Promise<void> {
  const { rows } = await client.query(
    `select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'server_encoding')`,
  );
  const found = rows as readonly { readonly name: string; readonly setting: string }[];
  const settings = new Map(found.map(({ name, setting }) => [name, setting]));
  const off: string[] = MUST_BE_ON.filter((name) => settings.get(name) !== 'on');
  if (settings.get('synchronous_commit') === 'off') off.push('synchronous_commit');
  if (off.length > 0) {
    throw new UnsafeDatabase(
      `PostgreSQL may lose what it has committed: set ${off.map((name) => `${name} = on`).join(', ')}`,
    );
  }
  if (settings.get('server_encoding') !== 'UTF8') {
    throw new UnsafeDatabase('The encoding of the database must be UTF8: create it with encoding UTF8');
  }
}
