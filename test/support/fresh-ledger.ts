/** A migrated ledger for one file of tests, cloned from a template that the run creates once. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createHash, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';
import { allMigrations, migrate } from '../../src/ledger/migrate.ts';
import { Database } from '../../src/ledger/pool.ts';
import { plannedFunctions } from '../../src/ledger/statements.ts';
import { type FreshPostgres, freshDatabase } from './fresh-postgres.ts';

export interface FreshLedger extends FreshPostgres {
  readonly schema: string;
}

const SCHEMA = 'relais';
const LOCK = 7_206_114;

/** `isNew`: no process has started on it yet. */
export async function freshLedger({ isNew = false } = {}): Promise<FreshLedger> {
  const base = await text(connect(inject('postgresPort'), '127.0.0.1'));
  if (!base.startsWith('postgres')) throw new Error(`there is no PostgreSQL: ${base}`);
  const template = await templateAt(base);
  const fresh = await freshDatabase(base, template);
  if (isNew) return { ...fresh, schema: SCHEMA };
  await fresh.query(
    `insert into ${SCHEMA}.deployment (id, environment, mode) values ('${randomUUID()}', 'default', 'live')`,
  );
  return { ...fresh, schema: SCHEMA };
}

/** The name contains the hash of migrations and functions: a changed file creates another template. */
async function templateAt(base: string): Promise<string> {
  const functions = plannedFunctions(SCHEMA).map(({ sql }) => sql);
  const name = `ledger_${[
    ...allMigrations().map(({ hash }) => hash),
    createHash('sha256').update(functions.join()).digest('hex'),
  ]
    .map((hash) => hash.slice(0, 8))
    .join('_')}`;
  const client = new Client({ connectionString: base });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    const { rows } = await client.query('select from pg_database where datname = $1', [name]);
    if (rows.length === 0) {
      const draft = `${name}_draft`;
      await client.query(`drop database if exists ${draft}`);
      await client.query(`create database ${draft} template template0 encoding 'UTF8'`);
      await migrated(Object.assign(new URL(base), { pathname: `/${draft}` }).href);
      await client.query(`alter database ${draft} rename to ${name}`);
    }
    return name;
  } finally {
    await client.end();
  }
}

async function migrated(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await migrate(client, { schema: SCHEMA });
  } finally {
    await client.end();
  }
}

export interface OpenLedger extends FreshLedger {
  readonly database: Database;
}

/** A migrated ledger with a pool. */
export async function openLedger(): Promise<OpenLedger> {
  const ledger = await freshLedger();
  const database = new Database({ url: ledger.url, schema: ledger.schema });
  const close = async (): Promise<void> => {
    await database.close();
    await ledger.close();
  };
  return { ...ledger, database, close };
}
