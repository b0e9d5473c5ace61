/** Settings that statements rely on, with and without a pooler in front of PostgreSQL. */
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { examinePostgres } from '../../src/app/examine/postgres.ts';
import { loadConfig } from '../../src/config.ts';
import { prepareSession } from '../../src/ledger/database.ts';
import type { Database } from '../../src/ledger/pool.ts';
import { startLedger } from '../../src/ledger/start.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { startPooler } from '../support/pooler.ts';
import { reworded } from '../support/reworded.ts';

let ledger: FreshLedger;
let role: string;
const closing: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  ledger = await freshLedger();
  role = `pooled_${systemRandom.hex(4)}`;
  await ledger.query(`create role ${role} login superuser`);
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  await ledger.query(`drop owned by ${role} cascade; drop role ${role}`);
  await ledger.close();
});

const named = (): string => new URL(ledger.url).pathname.slice(1);
const directly = (): string => Object.assign(new URL(ledger.url), { username: role }).href;
const has = (setting: string, value: string) =>
  ledger.query(`alter role ${role} in database ${named()} set ${setting} = '${value}'`);

const RIGHT = {
  lock_timeout: '1s',
  statement_timeout: '10s',
  idle_in_transaction_session_timeout: '60s',
  TimeZone: 'UTC',
} as const;

async function pooled(): Promise<string> {
  const pooler = await startPooler(directly());
  closing.push(() => pooler.close());
  return pooler.url;
}

async function start(url: string): Promise<Database> {
  const { database } = await startLedger({
    database: { url, schema: ledger.schema, size: 2 },
    migrates: true,
    deployment: { environment: 'default', addresses: {} },
    patienceMs: 30_000,
    clock: systemClock,
    random: systemRandom,
    onWait: () => undefined,
  });
  closing.push(() => database.close());
  return database;
}

/** The view of another client of the same address. */
async function shown(url: string, setting: string): Promise<unknown> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ value: string }>(`select current_setting('${setting}') as value`);
  await client.end();
  return rows[0]?.value;
}

test.for([
  ['lock_timeout', '0'],
  ['statement_timeout', '0'],
  ['idle_in_transaction_session_timeout', '0'],
  ['TimeZone', 'Africa/Dakar'],
  ['DateStyle', 'German'],
  ['default_transaction_isolation', 'serializable'],
  ['standard_conforming_strings', 'off'],
] as const)(
  'a role with another %s is refused behind a pooler, and needs no change without one',
  async ([name, value]) => {
    for (const [setting, right] of Object.entries(RIGHT)) await has(setting, right);
    await has(name, value);
    const url = await pooled();
    const remedy = `alter role ${role} in database ${named()} set ${name} = `;
    const refused = start(url);
    await expect(refused).rejects.toMatchObject({
      name: 'UnsafeDatabase',
      message: expect.stringMatching(new RegExp(`: ${name} is [\\w/, ]+ and must be .*\\. Run ${remedy}`)),
    });
    const { findings } = await examinePostgres(loadConfig({ DATABASE_URL: url }), systemClock);
    expect(reworded(findings.filter(({ check }) => check === 'postgres'))).toMatchObject([
      { is: 'fault', says: expect.stringContaining(`${name} = `), fix: expect.stringContaining(remedy) },
    ]);
    await (await start(directly())).run('marks');
  },
);

test('behind a pooler no session is changed, and one that another client changed is reset', async () => {
  for (const [setting, right] of Object.entries(RIGHT)) await has(setting, right);
  const url = await pooled();
  const other = new Client({ connectionString: url });
  await other.connect();
  closing.push(() => other.end());
  await other.query('set lock_timeout = 0');
  await other.query(`set application_name = 'other'`);
  expect(await shown(url, 'lock_timeout')).toBe('0');
  await (await start(url)).run('marks');
  expect([await shown(url, 'lock_timeout'), await shown(url, 'application_name')]).toEqual(['1s', 'other']);
});

test('a session of our own has them in its next transaction, whatever the role says', async () => {
  await has('lock_timeout', '0');
  await has('TimeZone', 'Africa/Dakar');
  const client = new Client({ connectionString: directly() });
  await client.connect();
  closing.push(() => client.end());
  await prepareSession(client);
  const { rows } = await client.query(
    `select current_setting('lock_timeout') as lock, current_setting('TimeZone') as zone`,
  );
  expect(rows).toEqual([{ lock: '1s', zone: 'UTC' }]);
});
