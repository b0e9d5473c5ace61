/** The rights of each role of the ledger. */
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { makeRoles, rolesScript } from '../../src/ledger/roles.ts';
import { startLedger } from '../../src/ledger/start.ts';
import { type FreshPostgres, freshPostgres } from '../support/fresh-postgres.ts';

const SCHEMA = `shop_${systemRandom.hex(4)}`;
let database: FreshPostgres;
beforeAll(async () => {
  database = await freshPostgres();
  const { database: pool } = await startLedger({
    database: { url: database.url, schema: SCHEMA, size: 2 },
    migrates: true,
    deployment: { environment: 'shop', addresses: {} },
    patienceMs: 30_000,
    clock: systemClock,
    random: systemRandom,
    onWait: () => undefined,
  });
  await pool.close();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await makeRoles(client, SCHEMA);
  await makeRoles(client, SCHEMA);
  for (const role of ROLES) await client.query(`alter role ${SCHEMA}_${role} login`);
  await client.end();
});
afterAll(async () => {
  for (const role of ROLES)
    await database?.query(`drop owned by ${SCHEMA}_${role} cascade; drop role ${SCHEMA}_${role}`);
  await database?.close();
});

const ROLES = ['app', 'reader', 'enqueue'] as const;

const urlOf = (role: (typeof ROLES)[number]): string =>
  Object.assign(new URL(database.url), { username: `${SCHEMA}_${role}` }).href;

async function as(role: (typeof ROLES)[number], sql: string): Promise<readonly object[]> {
  const client = new Client({ connectionString: urlOf(role) });
  await client.connect();
  try {
    return (await client.query<object>(sql)).rows;
  } finally {
    await client.end();
  }
}

test('relais starts as the role of the application without migrating', async () => {
  const { database: pool, applied } = await startLedger({
    database: { url: urlOf('app'), schema: SCHEMA, size: 2 },
    migrates: false,
    deployment: { environment: 'shop', addresses: {} },
    patienceMs: 30_000,
    clock: systemClock,
    random: systemRandom,
    onWait: () => undefined,
  });
  expect(applied).toEqual([]);
  await pool.run('register_process', ['p-1', 's', '', '', 1, '', 'test', 1, []]);
  expect(await pool.run('processes')).toMatchObject([{ process: 'p-1' }]);
  await pool.close();
  expect(await as('app', 'show lock_timeout')).toEqual([{ lock_timeout: '1s' }]);
  await expect(as('app', `drop table ${SCHEMA}.operation`)).rejects.toMatchObject({ code: '42501' });
});

test('the reader reads the views of finance and nothing else', async () => {
  expect(await as('reader', `select * from ${SCHEMA}.disbursements`)).toEqual([]);
  await expect(as('reader', `select * from ${SCHEMA}.operation`)).rejects.toMatchObject({ code: '42501' });
  await expect(as('reader', `select * from ${SCHEMA}.api_key`)).rejects.toMatchObject({ code: '42501' });
});

test('the role for enqueueing may enqueue, and see its own rows', async () => {
  expect(await as('enqueue', `select * from ${SCHEMA}.my_intake`)).toEqual([]);
  await expect(as('enqueue', `select * from ${SCHEMA}.intake`)).rejects.toMatchObject({ code: '42501' });
  await expect(as('reader', `select ${SCHEMA}.enqueue('disbursement', '{}')`)).rejects.toMatchObject({
    code: '42501',
  });
});

test('the script names the schema everywhere', () => {
  expect(rolesScript('pay')).not.toMatch(/\brelais[._]/);
  expect(rolesScript('pay')).not.toContain('schema relais');
});
