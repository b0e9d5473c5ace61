/** The address of PostgreSQL, and whether it is still the server that answered first. */
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { IsStandby } from './errors.ts';

/** Address parameters that override our certificate authority in `pg`. */
const TLS_PARAMETERS = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'uselibpqcompat'] as const;

/** A connection of `pg`. Our published types avoid `pg`'s own, which not every project can compile. */
export interface Session {
  /** Id of the server process, as announced when the connection began. */
  readonly processID?: number | null;
  query(sql: string, values?: unknown[]): Promise<{ readonly rows: readonly object[] }>;
}

interface Address {
  readonly connectionString: string;
  readonly ssl?: Pick<ConnectionOptions, 'ca' | 'rejectUnauthorized' | 'cert' | 'key'>;
}

/**
 * With a certificate authority, every connection is encrypted and the server's certificate is verified, whatever
 * `sslmode` is set.
 */
export function addressOf(url: string, ca?: string): Address {
  if (ca === undefined) return { connectionString: url };
  const bare = new URL(url);
  const named = (name: string): string | undefined => bare.searchParams.get(name) ?? undefined;
  const [cert, key] = [named('sslcert'), named('sslkey')];
  for (const name of TLS_PARAMETERS) bare.searchParams.delete(name);
  const own = cert && key ? { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') } : {};
  return { connectionString: bare.href, ssl: { ca, rejectUnauthorized: true, ...own } };
}

interface Seen {
  readonly system: string | null;
  /** Increases when a standby is promoted. */
  readonly timeline: string | null;
}

/**
 * The server that this process is connected to. When a new connection finds another server, older connections may
 * lead to a former primary and are no longer used.
 */
export class Server {
  #seen: Seen | undefined;
  /** Connections of an earlier generation are closed before use. */
  generation = 0;

  /** Throws `IsStandby`. */
  async check(client: Session): Promise<number> {
    const seen = await identityOf(client);
    const known = this.#seen;
    this.#seen = seen;
    const isAnother = known !== undefined && (known.system !== seen.system || known.timeline !== seen.timeline);
    if (isAnother) this.generation += 1;
    return this.generation;
  }
}

const UNDEFINED_FUNCTION = '42883';
const FORBIDDEN = '42501';
const NOT_SUPPORTED = '0A000';

async function identityOf(client: Session): Promise<Seen> {
  const { standby } = await rowOf<{ standby: boolean }>(client, 'select pg_is_in_recovery() as standby');
  if (standby === true) throw new IsStandby();
  const one = async (sql: string): Promise<string | null> => {
    try {
      return (await rowOf<{ found: string }>(client, sql)).found ?? null;
    } catch (error) {
      // A managed service may hide it; the counters of the lanes are compared anyway.
      if ([UNDEFINED_FUNCTION, FORBIDDEN, NOT_SUPPORTED].includes(String((error as { code?: string }).code)))
        return null;
      throw error;
    }
  };
  return {
    system: await one('select system_identifier::text as found from pg_control_system()'),
    timeline: await one('select left(pg_walfile_name(pg_current_wal_lsn()), 8) as found'),
  };
}

/**
 * Distinguishes a restored backup from the original: PostgreSQL's identifier, and the OID of a table. Null: hidden.
 */
export async function originOf(
  client: Session,
  schema: string,
): Promise<{ readonly system: string | null; readonly oid: number | null }> {
  const { system } = await identityOf(client);
  const sql = 'select to_regclass($1)::oid as oid';
  const { oid = null } = await rowOf<{ oid: number | null }>(client, sql, [`${schema}.operation`]);
  return { system, oid };
}

/** The columns of the only row. */
async function rowOf<Row extends object>(client: Session, sql: string, values?: unknown[]): Promise<Partial<Row>> {
  return (await client.query(sql, values)).rows[0] ?? {};
}
