import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { inject } from 'vitest';
import { systemRandom } from '../../src/lib/random.ts';

export interface FreshPostgres {
  /** The address of an exclusive database. */
  readonly url: string;
  /** For reads from outside. */
  query<Row extends object>(sql: string): Promise<readonly Row[]>;
  /** A snapshot in a database of its own. There must be no connections. */
  copy(): Promise<FreshPostgres>;
  close(): Promise<void>;
}

/** An empty database of the run's PostgreSQL. Only for tests named `*.parts.test.ts`. */
export async function freshPostgres(): Promise<FreshPostgres> {
  const base = await text(connect(inject('postgresPort'), '127.0.0.1'));
  if (!base.startsWith('postgres')) throw new Error(`there is no PostgreSQL: ${base}`);
  return freshDatabase(base);
}

export async function freshDatabase(base: string, template = 'template1'): Promise<FreshPostgres> {
  const name = `test_${systemRandom.hex(6)}`;
  await once(base, `create database ${name} template ${template}`);
  const url = Object.assign(new URL(base), { pathname: `/${name}` }).href;
  return {
    url,
    query: (sql) => once(url, sql),
    copy: () => freshDatabase(base, name),
    close: async () => void (await once(base, `drop database ${name} with (force)`)),
  };
}

async function once<Row extends object>(url: string, sql: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query("set timezone to 'UTC'");
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
