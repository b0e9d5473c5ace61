/**
 * Operator diagnostics of PostgreSQL: whether it is safe, whether this role has its rights, and what slows it down.
 */
import { withClient } from './client.ts';
import { DatabaseAway, IsStandby, StatementRefused, UnsafeDatabase } from './errors.ts';
import { migrate } from './migrate.ts';
import { Partitions } from './partitions.ts';
import type { Database, PoolOptions } from './pool.ts';
import { type SessionState, readSession } from './session.ts';
import { loadStatements } from './statements.ts';

export interface ServerState {
  /** As `server_version_num`: 140005. */
  readonly version: number;
  readonly standby: boolean;
  /** New transactions cannot write. */
  readonly read_only: boolean;
  readonly encoding: string;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly synchronous_commit: string;
  /** `log_parameter_max_length` and `log_parameter_max_length_on_error`. Null: this version has neither. */
  readonly parameters: string | null;
  readonly parameters_on_error: string | null;
  /** `log_error_verbosity`: unless it is `terse`, the log quotes rows in errors. */
  readonly error_verbosity: string;
  /** Statements are written to the log, with their parameters unless `parameters` is 0. */
  readonly logs_statements: boolean;
  readonly role: string;
  readonly database: string;
  readonly connections: number;
  readonly connections_most: number;
  /** ms since the epoch. A driver cannot read a date in every `DateStyle`. */
  readonly at: number;
  readonly session: SessionState;
}

export interface Snapshot {
  readonly holder: string;
  readonly ageMs: number;
}

export interface Publishing {
  /** Of the oldest outbox row that has no position yet, ms since the epoch. */
  readonly oldestAt: number | undefined;
  readonly quarantined: number;
  readonly unsigned: number;
}

export interface LedgerStanding {
  readonly recovering: { readonly since: number; readonly because: string } | undefined;
  /** No witness has confirmed the ledger since. */
  readonly unwitnessedSince: number | undefined;
}

interface StandingRow {
  readonly recovering_at: Date | null;
  readonly recovering_why: string | null;
  readonly unwitnessed_at: Date | null;
}

interface DeadRows {
  readonly name: string;
  readonly dead: number;
  readonly live: number;
}

/** Also works on an unsafe server, which every other connection refuses. Throws `DatabaseAway`. */
export async function readServer(database: PoolOptions): Promise<ServerState> {
  return withClient(database, 'doctor', async (client) => {
    const text = loadStatements(database.schema).get('server_state')?.text ?? '';
    const { rows } = await client.query<Omit<ServerState, 'connections' | 'session'> & { connections: string }>(text);
    const [row] = rows;
    if (row === undefined) throw new Error('PostgreSQL did not describe itself');
    return { ...row, connections: Number(row.connections), session: await readSession(client) };
  });
}

/** Names of missing migrations. Throws `MigrationRefused`, `DatabaseAway`. */
export const missingMigrations = (database: PoolOptions): Promise<readonly string[]> =>
  withClient(database, 'doctor', (client) => migrate(client, { schema: database.schema, dryRun: true }));

export class Diagnostics {
  readonly #database: Database;
  readonly #schema: string;

  constructor({ database, schema }: { readonly database: Database; readonly schema: string }) {
    this.#database = database;
    this.#schema = schema;
  }

  /** Tables that this role may not read or write. */
  async missingRights(): Promise<readonly string[]> {
    const rows = await this.#database.run<{ name: string }>('missing_rights', [this.#schema]);
    return rows.map(({ name }) => name);
  }

  async oldestSnapshot(): Promise<Snapshot | undefined> {
    const [row] = await this.#database.run<{ holder: string; age_ms: number }>('oldest_snapshot');
    return row && { holder: row.holder, ageMs: row.age_ms };
  }

  /** The tables with most dead rows. */
  async deadRows(): Promise<readonly DeadRows[]> {
    const rows = await this.#database.run<{ name: string; dead: string; live: string }>('dead_rows', [this.#schema]);
    return rows.map(({ name, dead, live }) => ({ name, dead: Number(dead), live: Number(live) }));
  }

  async publishing(): Promise<Publishing> {
    const [row] = await this.#database.run<{ oldest_at: Date | null; quarantined: string; unsigned: string }>(
      'publishing_state',
    );
    return {
      oldestAt: row?.oldest_at?.getTime(),
      quarantined: Number(row?.quarantined ?? 0),
      unsigned: Number(row?.unsigned ?? 0),
    };
  }

  /** Default partitions with rows, and the end of the last month that has a partition. */
  async partitions(): Promise<{ readonly defaults: readonly string[]; readonly until: Date | undefined }> {
    const rows = await this.#database.run<{ name: string }>('default_partitions');
    const until = await new Partitions({ database: this.#database }).monthsEnd('event');
    return { defaults: rows.map(({ name }) => name), until };
  }

  /** Undefined: no process has started on this ledger. */
  async standing(): Promise<LedgerStanding | undefined> {
    const [row] = await this.#database.run<StandingRow>('read_standing');
    if (row === undefined) return undefined;
    const since = row.recovering_at?.getTime();
    return {
      recovering: since === undefined ? undefined : { since, because: row.recovering_why ?? '' },
      unwitnessedSince: row.unwitnessed_at?.getTime(),
    };
  }
}

/** SQLSTATEs that operators act on. */
const NAMED: Readonly<Record<string, string>> = {
  '25006': 'it only accepts reads',
  '53100': 'its disk is full',
  '53200': 'it is out of memory',
  '53300': 'it has no connection left: raise max_connections, or lower DATABASE_POOL',
  '53400': 'a limit of its configuration was reached',
  '57P03': 'it is starting or stopping',
  '57014': 'a statement took too long',
  '55P03': 'a lock was not free in time',
  '28P01': 'it refuses the password of DATABASE_URL',
  '28000': 'it refuses the user of DATABASE_URL',
  '3D000': 'the database of DATABASE_URL does not exist',
  '42P01': 'the schema is missing: run relais migrate',
  '3F000': 'the schema is missing: run relais migrate',
  ECONNREFUSED: 'nothing listens at its address',
  ENOTFOUND: 'its host is unknown',
  EAI_AGAIN: 'its host is unknown',
  ETIMEDOUT: 'it does not answer',
};

/** Without personal data: texts of PostgreSQL can quote a row. Undefined: the error is not from PostgreSQL. */
export function whyUnusable(error: unknown): string | undefined {
  const cause = error instanceof DatabaseAway && error.cause !== undefined ? error.cause : error;
  if (cause instanceof UnsafeDatabase || cause instanceof IsStandby) return cause.message;
  const code = codeOf(cause);
  const named = code === undefined ? undefined : NAMED[code];
  if (named !== undefined) return named;
  if (cause instanceof StatementRefused) return cause.message;
  if (error instanceof DatabaseAway)
    return code === undefined ? 'no connection was free in time' : `its answer is ${code}`;
  return undefined;
}

function codeOf(cause: unknown): string | undefined {
  // A host with several addresses fails with one error for all.
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const code = (first as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
