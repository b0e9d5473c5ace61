import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { arrowsOf } from '../../src/ledger/arrows.ts';
import { canonicalJson } from '../../src/lib/ids.ts';
import { allMigrations, migrate } from '../../src/ledger/migrate.ts';
import { type FreshPostgres, freshPostgres } from '../support/fresh-postgres.ts';

let fresh: FreshPostgres;
beforeAll(async () => (fresh = await freshPostgres()));
afterAll(() => fresh?.close());

async function connected<Answer>(run: (client: Client) => Promise<Answer>): Promise<Answer> {
  const client = new Client({ connectionString: fresh.url });
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.end();
  }
}

test('a dry run lists what is missing and changes nothing', async () => {
  const names = allMigrations().map(({ name }) => name);
  expect(await connected((client) => migrate(client, { schema: 'tried', dryRun: true }))).toEqual(names);
  expect(await connected((client) => migrate(client, { schema: 'tried', dryRun: true }))).toEqual(names);
  expect(await fresh.query(`select from pg_namespace where nspname = 'tried'`)).toEqual([]);
});

test('a role that may not create schemas starts on a ledger that is up to date', async () => {
  await connected((client) => migrate(client, { schema: 'served' }));
  const role = `app_${new URL(fresh.url).pathname.slice(1)}`;
  const applied = connected(async (client) => {
    await client.query(`create role ${role}`);
    await client.query(`grant usage on schema served to ${role}`);
    await client.query(`grant select, insert on all tables in schema served to ${role}`);
    await client.query(`set role ${role}`);
    return migrate(client, { schema: 'served' });
  });
  expect(await applied).toEqual([]);
});

test('five processes that start at once migrate one time, and hold every arrow of the kinds', async () => {
  const schema = 'together';
  const applied = await Promise.all(
    Array.from({ length: 5 }, () => connected((client) => migrate(client, { schema }))),
  );
  expect(applied.flat()).toEqual(allMigrations().map(({ name }) => name));
  const arrows = await fresh.query(`select kind, was, state, recount, totals from ${schema}.arrow`);
  expect(new Set(arrows.map((arrow) => canonicalJson(arrow)))).toEqual(
    new Set(arrowsOf().map((arrow) => canonicalJson(arrow))),
  );
});

test('a file that was applied and has other content is refused by number and name', async () => {
  const [first] = allMigrations();
  if (first === undefined) throw new Error('no migration');
  const changed = connected((client) =>
    migrate(client, { schema: 'together', migrations: [{ ...first, hash: 'other' }] }),
  );
  await expect(changed).rejects.toThrow('Migration 1 (ledger) was applied with other content');
});

test('a migration of a newer version is refused', async () => {
  const older = connected((client) => migrate(client, { schema: 'together', migrations: [] }));
  await expect(older).rejects.toThrow('Migration 1 (ledger) was applied by a newer relais');
});

test('a migration waits for a lock for two seconds at a time, so that others get through, and is applied in the end', async () => {
  const schema = 'locked';
  await connected((client) => migrate(client, { schema }));
  const holder = new Client({ connectionString: fresh.url });
  await holder.connect();
  await holder.query('begin');
  await holder.query(`lock table ${schema}.operation in access share mode`);
  const sql = 'alter table relais.operation add column newer int';
  const migrations = [...allMigrations(), { number: 9_999, name: 'newer', sql, hash: 'newer' }];
  const migrating = connected((client) => migrate(client, { schema, migrations }));
  const isWaiting = async (): Promise<boolean> =>
    (
      await fresh.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).length > 0;
  await vi.waitUntil(isWaiting, { interval: 5, timeout: 60_000 });
  // It queues behind the migration, which steps aside.
  expect(await fresh.query(`select from ${schema}.operation`)).toEqual([]);
  await holder.query('commit');
  await holder.end();
  expect(await migrating).toEqual(['newer']);
});

test('an arrow that this version no longer draws stays, since an older process may need it', async () => {
  const schema = 'older';
  await connected((client) => migrate(client, { schema }));
  await fresh.query(`insert into ${schema}.arrow (kind, was, state) values ('disbursement', 'queued', 'older')`);
  await connected((client) => migrate(client, { schema }));
  expect(await fresh.query(`select state from ${schema}.arrow where state = 'older'`)).toHaveLength(1);
});

test('a start corrects the effect of an arrow on the sums of the day', async () => {
  const schema = 'recounted';
  await connected((client) => migrate(client, { schema }));
  const arrow = `kind = 'disbursement' and was = 'queued' and state = 'rejected'`;
  await fresh.query(`update ${schema}.arrow set recount = 0 where ${arrow}`);
  await connected((client) => migrate(client, { schema }));
  expect(await fresh.query(`select recount from ${schema}.arrow where ${arrow}`)).toEqual([{ recount: -1 }]);
});
