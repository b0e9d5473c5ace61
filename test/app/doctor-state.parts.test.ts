/** The doctor finds what stands still, and describes PostgreSQL and Redis. */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { doctor } from '../../src/app/doctor.ts';
import type { Finding } from '../../src/app/examine/finding.ts';
import { Holds } from '../../src/ledger/holds.ts';
import { Database } from '../../src/ledger/pool.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';

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

test('every check of PostgreSQL passes on a fresh ledger', async () => {
  const found = await examined();
  const checks = [
    ...['postgres', 'durability', 'clock', 'logging', 'schema', 'permissions', 'recovery', 'deployment'],
    ...['limits', 'state', 'storage', 'events', 'redis', 'intake'],
  ];
  expect(
    checks.flatMap((check) => of(found, check).map(({ is, says }) => [check, is, is === 'ok' ? '' : says])),
  ).toEqual(checks.map((check) => [check, 'ok', '']));
});
