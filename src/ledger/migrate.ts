/** Updates the ledger's schema: numbered SQL files, forward only, each in a transaction of its own. */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import type { Client } from 'pg';
import { arrowsOf } from './arrows.ts';
import { inSchema, plannedFunctions } from './statements.ts';
import { type Message, message } from '../messages/message.ts';
import { MessageError } from '../messages/texts.ts';

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file: an applied file must not change. */
  readonly hash: string;
}

/** An applied file has changed, or the database has a migration that this version does not know. */
export class MigrationRefused extends MessageError {
  override readonly name = 'MigrationRefused';
  readonly says: Message;
  readonly fix: Message;

  constructor(says: Message, fix: Message) {
    super(message('says_and_fix', { says, fix }));
    this.says = says;
    this.fix = fix;
  }
}

const FOLDER = new URL('migrations/', import.meta.url);
const LOCK_TIMEOUT = '2s';
const LOCK_TRIES = 30;
const LOCK_NOT_AVAILABLE = '55P03';

export function allMigrations(): readonly Migration[] {
  return readdirSync(FOLDER)
    .filter((file) => /^\d{4}-[\w-]+\.sql$/.test(file))
    .toSorted()
    .map((file) => {
      const sql = readFileSync(new URL(file, FOLDER), 'utf8');
      const hash = createHash('sha256').update(sql).digest('hex');
      return { number: Number(file.slice(0, 4)), name: file.slice(5, -4), sql, hash };
    });
}

/**
 * Applies the missing migrations and returns their names; with `dryRun` only returns the names. Several processes can
 * call it at once: one migrates, the others wait. Throws `MigrationRefused`.
 */
export async function migrate(
  client: Client,
  { schema, dryRun = false, migrations = allMigrations() }: MigrateOptions,
): Promise<readonly string[]> {
  const done: string[] = [];
  // One transaction each, so that a long migration does not hold the locks of the previous one.
  for (;;) {
    const next = await inTransaction(client, async () => {
      await client.query(`select pg_advisory_xact_lock(hashtextextended('relais migration ' || $1, 0))`, [schema]);
      const missing = await missingOf(client, schema, migrations, dryRun);
      const [one] = missing;
      if (dryRun) return { names: missing.map(({ name }) => name), over: true };
      if (one === undefined) {
        await addArrows(client, schema);
        await addFunctions(client, schema);
        return { names: [], over: true };
      }
      await client.query(inSchema(one.sql, schema));
      await client.query(`insert into ${schema}.migration (number, name, hash) values ($1, $2, $3)`, [
        one.number,
        one.name,
        one.hash,
      ]);
      return { names: [one.name], over: false };
    });
    if (next.over) return dryRun ? next.names : done;
    done.push(...next.names);
  }
}

interface MigrateOptions {
  readonly schema: string;
  /** Only returns the names. */
  readonly dryRun?: boolean;
  readonly migrations?: readonly Migration[];
}

/** Arrows are only added: an older process may still need an arrow that this version removed. */
async function addArrows(client: Client, schema: string): Promise<void> {
  const arrows = arrowsOf();
  const values = [
    arrows.map(({ kind }) => kind),
    arrows.map(({ was }) => was),
    arrows.map(({ state }) => state),
    arrows.map(({ recount }) => recount),
    arrows.map(({ totals }) => JSON.stringify(totals)),
  ];
  const drawn = 'select * from unnest($1::text[], $2::text[], $3::text[], $4::int2[], $5::jsonb[])';
  // A role without update rights can start on a ledger that has them all.
  const { rowCount } = await client.query(
    `${drawn} except select kind, was, state, recount, totals from ${schema}.arrow limit 1`,
    values,
  );
  if (rowCount === 0) return;
  await client.query(
    `insert into ${schema}.arrow (kind, was, state, recount, totals) ${drawn}
     on conflict (kind, was, state) do update set recount = excluded.recount, totals = excluded.totals
     where (arrow.recount, arrow.totals) is distinct from (excluded.recount, excluded.totals)`,
    values,
  );
}

/** Functions are only added: an older process may still call its own. */
async function addFunctions(client: Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = $1`,
    [schema],
  );
  const there = new Set(rows.map(({ name }) => name));
  for (const { name, sql } of plannedFunctions(schema)) if (!there.has(name)) await client.query(sql);
}

async function missingOf(
  client: Client,
  schema: string,
  migrations: readonly Migration[],
  dryRun: boolean,
): Promise<readonly Migration[]> {
  // A role without create rights can start if there is nothing to create.
  const { rows: found } = await client.query(
    `select from pg_tables where schemaname = $1 and tablename = 'migration'`,
    [schema],
  );
  if (found.length === 0) {
    if (dryRun) return migrations;
    await client.query(`create schema if not exists ${schema}`);
    await client.query(
      `create table ${schema}.migration (
         number int primary key, name text not null, hash text not null, at timestamptz not null default now())`,
    );
  }
  const { rows } = await client.query<{ number: number; name: string; hash: string }>(
    `select number, name, hash from ${schema}.migration`,
  );
  const known = new Map(migrations.map((one) => [one.number, one]));
  for (const { number, name, hash } of rows) {
    const file = known.get(number);
    if (file === undefined) {
      throw new MigrationRefused(message('migration_newer', { number, name }), message('run_newer_relais'));
    }
    if (file.hash !== hash) {
      throw new MigrationRefused(message('migration_differs', { number, name }), message('restore_migration'));
    }
  }
  const applied = new Set(rows.map(({ number }) => number));
  return migrations.filter(({ number }) => !applied.has(number));
}

/**
 * A lock held by another session is awaited briefly and then requested again, so that no other statement queues
 * behind it.
 */
async function inTransaction<Answer>(client: Client, run: () => Promise<Answer>): Promise<Answer> {
  for (let left = LOCK_TRIES; ; left -= 1) {
    await client.query('begin');
    try {
      // The role may have the time-out of ordinary statements.
      await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'; set local statement_timeout = 0`);
      const answer = await run();
      await client.query('commit');
      return answer;
    } catch (error) {
      await client.query('rollback');
      if (left === 0 || (error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
    }
  }
}
