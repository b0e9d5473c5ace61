/** The doctor looks at what stands still too, and not only at what is set. */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { doctor } from '../../src/app/doctor.ts';
import type { Finding } from '../../src/app/examine/finding.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Accounts } from '../../src/operations/accounts.ts';
import { DOUBT_SLOT_MS, keys } from '../../src/operations/keys.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';

let server: EmbeddedRedis;
beforeAll(async () => {
  server = await startEmbeddedRedis();
});
beforeEach(() => using((own) => own.flushall()));
afterAll(() => server.stop());

async function examined() {
  const printed: string[] = [];
  const code = await doctor({
    env: { REDIS_URL: server.url },
    clock: systemClock,
    random: systemRandom,
    signal: new AbortController().signal,
    json: true,
    print: (line) => printed.push(line),
  });
  return { code, findings: (JSON.parse(printed.join('\n')) as { findings: Finding[] }).findings };
}

test('requests where nobody takes them are a fault, with the prefix to add them with', async () => {
  await using((own) => own.flushall());
  const beside = new Redis({ host: '127.0.0.1', port: server.port });
  await beside.lpush('bull:intake:wait', '1', '2');
  beside.disconnect();
  const { findings } = await examined();
  expect(findings.find(({ check }) => check === 'intake')).toMatchObject({
    is: 'fault',
    says: '2 jobs wait in bull:intake, where nobody takes them',
    fix: expect.stringContaining("prefix: '{relais}'"),
  });
});

test('people are told in French where they read it, programs in English', async () => {
  const printed: string[] = [];
  const { signal } = new AbortController();
  const tools = { env: { REDIS_URL: server.url }, clock: systemClock, random: systemRandom, signal, json: false };
  await doctor({ ...tools, language: 'fr', print: (line) => printed.push(line) });
  const said = printed.join('\n');
  expect(said).toMatch(/✓ droits +l’utilisateur default peut faire tout ce que fait relais/);
  expect(said).toMatch(/\d+ problèmes?\.$/);
});

describe('what stands still', () => {
  test('is a fault: a held account, with what waits behind it', async () => {
    await using(async (own) => {
      await new Accounts(own).hold('main', 'payments', 'funds');
      await own.hset(keys.counts('disbursement'), 'unsent:main', 12, 'unsent-xof:main', 240_000);
    });
    const { code, findings } = await examined();
    expect(code).toBe(1);
    expect(findings.find(({ check }) => check === 'state')).toMatchObject({
      is: 'fault',
      says: expect.stringMatching(
        /account main is held \(payments: funds\) since .*; 12 payments, 240.000.XOF, wait/,
      ),
      fix: 'What it means and what ends it: relais explain funds.',
    });
  });

  test('is a fault: money that has been in doubt for more than an hour, and not before', async () => {
    const slot = (ms: number) => `doubt:${Math.floor(ms / DOUBT_SLOT_MS)}`;
    const doubt = (ageMs: number) =>
      using(async (own) => {
        const since = systemClock.now() - ageMs;
        await own.zadd(keys.state('disbursement', 'unknown'), since, `dsb_${ageMs}`);
        await own.hset(keys.counts('disbursement'), slot(since), 700);
      });
    const state = async () => (await examined()).findings.filter(({ check }) => check === 'state');
    await doubt(60_000);
    expect(await state()).toMatchObject([{ is: 'ok' }]);
    await doubt(3 * 3_600_000);
    expect(await state()).toMatchObject([{ is: 'fault', says: expect.stringMatching(/700.XOF \(1\) .* an hour/) }]);
  });
});

async function using(work: (own: Redis) => Promise<unknown>): Promise<void> {
  const own = new Redis({ host: '127.0.0.1', port: server.port, keyPrefix: '{relais}:' });
  try {
    await work(own);
  } finally {
    own.disconnect();
  }
}
