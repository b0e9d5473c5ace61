/** The doctor finds blocked work, and storage that slows it down. */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { doctor } from '../../src/app/doctor.ts';
import type { Finding } from '../../src/app/examine/finding.ts';
import { examineStorage } from '../../src/app/examine/postgres.ts';
import { Holds } from '../../src/ledger/holds.ts';
import { Database } from '../../src/ledger/pool.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { textOf } from '../../src/messages/texts.ts';

let server: EmbeddedRedis;
let ledger: FreshLedger;
let database: Database;

beforeAll(async () => {
  server = await startEmbeddedRedis();
  ledger = await freshLedger();
  database = new Database({ url: ledger.url, schema: ledger.schema });
});
afterAll(async () => {
  await database.close();
  await ledger.close();
  await server.stop();
});

const quiet = { clock: systemClock, random: systemRandom, signal: new AbortController().signal };

async function examined(env: Readonly<Record<string, string>> = {}) {
  const printed: string[] = [];
  const code = await doctor({
    ...quiet,
    env: { REDIS_URL: server.url, DATABASE_URL: ledger.url, ...env },
    json: true,
    print: (line) => printed.push(line),
  });
  return { code, findings: (JSON.parse(printed.join('\n')) as { findings: Finding[] }).findings };
}

const of = ({ findings }: { findings: readonly Finding[] }, check: string) =>
  findings.filter((one) => one.check === check);

test('requests in a queue without workers are a fault, with the prefix to use', async () => {
  const beside = new Redis({ host: '127.0.0.1', port: server.port });
  await beside.lpush('bull:intake:wait', '1', '2');
  const found = await examined();
  await beside.flushall();
  beside.disconnect();
  expect(of(found, 'intake')).toMatchObject([
    {
      is: 'fault',
      says: '2 jobs wait in bull:intake, where no worker takes them',
      fix: expect.stringContaining("prefix: '{relais}'"),
    },
  ]);
});

test('users get French on request, programs get English', async () => {
  const printed: string[] = [];
  const env = { REDIS_URL: server.url, DATABASE_URL: ledger.url };
  await doctor({ ...quiet, env, json: false, language: 'fr', print: (line) => printed.push(line) });
  const text = printed.join('\n');
  expect(text).toMatch(/✓ droits +le rôle de DATABASE_URL peut lire et écrire chaque table/);
  expect(text).toMatch(/\d+ problèmes?\.$/);
});

describe('blocked work', () => {
  test('is a fault: a held account, with the operations behind it', async () => {
    const holds = new Holds({ database, clock: systemClock });
    await holds.hold('main', 'payments', 'funds');
    await disbursements(12, { state: 'queued', amount: 20_000, ageMs: 0 });
    const found = await examined();
    await holds.release('main', 'payments', 'funds');
    expect(found.code).toBe(1);
    expect(of(found, 'state')).toMatchObject([
      {
        is: 'fault',
        says: expect.stringMatching(
          /account main is held \(payments: funds\) since .*; 12 payments, 240.000.XOF, wait/,
        ),
        fix: 'See its meaning, and what ends it: relais explain funds.',
      },
    ]);
  });

  test('is a fault: money that has been in doubt for more than an hour, and not before', async () => {
    await disbursements(1, { state: 'unknown', amount: 700, ageMs: 60_000 });
    expect(of(await examined(), 'state')).toMatchObject([{ is: 'ok' }]);
    await disbursements(1, { state: 'unknown', amount: 700, ageMs: 3 * 3_600_000 });
    expect(of(await examined(), 'state')).toMatchObject([
      { is: 'fault', says: expect.stringMatching(/700.XOF \(1\) .* an hour/) },
    ]);
  });
});

test('an old transaction, missing partitions and rows of the default partition are faults', async () => {
  const now = Date.parse('2026-11-28T12:00:00Z');
  const found = await examineStorage(
    {
      oldestSnapshot: async () => ({ holder: 'psql (pid 7, user ops, idle in transaction)', ageMs: 3_600_000 }),
      partitions: async () => ({ defaults: ['event_rest'], until: new Date('2026-12-01T00:00:00Z') }),
    },
    now,
  );
  expect(found.map(({ is, says }) => `${is}: ${textOf(says)}`)).toEqual([
    'fault: a transaction of psql (pid 7, user ops, idle in transaction) has been open for 1h: dead rows stay, and work slows down',
    'fault: there is no partition for the events of the next 30 days',
    'fault: rows are in the default partition (event_rest), so retention is slower',
  ]);
});

interface Made {
  readonly state: string;
  readonly amount: number;
  readonly ageMs: number;
}

async function disbursements(count: number, { state, amount, ageMs }: Made): Promise<void> {
  await ledger.query(`
    insert into relais.operation (id, kind, account, state, amount, request, fingerprint, created_by, schema_version, op, since)
    select 'dsb_${state}_${ageMs}_' || n, 'disbursement', 'main', '${state}', ${amount}, '{}', '', 'shop', 1,
      gen_random_uuid(), now() - ${ageMs} * interval '1 ms'
    from generate_series(1, ${count}) n`);
}
