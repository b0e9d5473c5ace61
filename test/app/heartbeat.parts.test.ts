/** Whole processes over a Redis that loses something, or only seems to. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { afterEach, expect, test, vi } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { keys } from '../../src/operations/keys.ts';
import { startRoles } from '../../src/app/run.ts';
import { type FreshRedis, freshRedis } from '../support/fresh-redis.ts';
import { Link } from '../storm/link.ts';
import { ask, KEYS } from '../support/service.ts';

const SOON = { timeout: 20_000, interval: 50 };

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

interface World {
  readonly store: FreshRedis;
  readonly witness: string;
  start(env?: Readonly<Record<string, string>>): Promise<Running>;
}

interface Running {
  /** Why it is not ready; empty: it is. */
  reasons(): Promise<readonly string[]>;
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }>;
  stop(): Promise<void>;
}

async function world(): Promise<World> {
  const store = await freshRedis();
  closing.push(() => store.close());
  const dir = mkdtempSync(join(tmpdir(), 'relais-witness-'));
  closing.push(() => rmSync(dir, { recursive: true, force: true }));
  const witness = join(dir, 'deep', 'witness');
  return {
    store,
    witness,
    start: async (env = {}) => {
      const config = loadConfig({
        REDIS_URL: store.url,
        API_KEYS: KEYS,
        API_PORT: '0',
        API_RATE: '0',
        METRICS_PORT: '0',
        LOG_LEVEL: 'silent',
        WITNESS_FILE: witness,
        ...env,
      });
      const { urls, stop } = await startRoles(config, ['api']);
      closing.push(stop);
      return {
        reasons: async () => {
          const answer = await request(`${urls.metrics}/readyz`);
          const { reasons = [] } = (await answer.body.json()) as { reasons?: string[] };
          return reasons;
        },
        call: (method, path, body) => ask(`${urls.api}${path}`, method, { body }),
        stop,
      };
    },
  };
}

const order = (reference: string) => ({
  reference,
  accountAlias: '771234567',
  amount: 5_000,
  withdrawMode: 'wallet-a-senegal',
  notBefore: '2099-01-01T00:00:00Z',
});

/** As if the last beat were so long ago. */
async function sleepFor(ms: number, { store, witness }: World): Promise<void> {
  const at = Number(await store.redis.hget(keys.heartbeat, 'at')) - ms;
  await store.redis.hset(keys.heartbeat, 'at', at);
  const told = JSON.parse(readFileSync(witness, 'utf8')) as { deployments: { at: number }[] };
  for (const one of told.deployments) one.at -= ms;
  writeFileSync(witness, JSON.stringify(told));
}

const HOUR_MS = 3_600_000;

test('a night without anybody is only that, where the witness has seen its beginning', async () => {
  const here = await world();
  const first = await here.start();
  expect((await first.call('POST', '/v1/disbursements', order('open'))).status).toBe(202);
  await first.stop();
  await sleepFor(8 * HOUR_MS, here);
  const second = await here.start();
  expect(await second.reasons()).toEqual([]);
});

test('a night without anybody and without a witness is asked about: nothing is accepted, and all can be read', async () => {
  const here = await world();
  const first = await here.start();
  const { body } = await first.call('POST', '/v1/disbursements', order('open'));
  await first.stop();
  await sleepFor(8 * HOUR_MS, here);
  const second = await here.start({ WITNESS_FILE: 'off' });
  expect(await second.reasons()).toEqual([expect.stringMatching(/^recovering: .*relais recover/)]);
  const refused = await second.call('POST', '/v1/disbursements', order('new'));
  expect([refused.status, refused.body.type]).toEqual([503, expect.stringMatching(/\/recovering$/)]);
  expect((await second.call('GET', `/v1/disbursements/${body.id}`)).status).toBe(200);
  expect((await second.call('POST', '/v1/opt-outs', { phones: ['+221771234567'] })).status).toBe(200);
  expect((await second.call('POST', `/v1/disbursements/${body.id}/cancel`)).body.state).toBe('cancelled');
});

/** Cuts whatever is connected to this database, the test itself left out. */
async function cut({ store }: World): Promise<void> {
  const { redis } = store;
  const own = await redis.client('ID');
  const clients = (await redis.client('LIST')) as string;
  const here = clients.split('\n').filter((line) => line.includes(` db=${redis.options.db} `));
  for (const line of here) {
    const [, id = ''] = /^id=(\d+)/.exec(line) ?? [];
    if (Number(id) !== own) await redis.client('KILL', 'ID', Number(id));
  }
}

test('what a process that was killed had let leave is missed by the others as soon as they are connected again', async () => {
  const here = await world();
  const process = await here.start();
  const { epoch = '', counter = '' } = await here.store.redis.hgetall(keys.heartbeat);
  writeFileSync(`${here.witness}.mark.dead`, `${epoch} ${Number(counter) + 1_000}\n`);
  expect((await process.call('POST', '/v1/disbursements', order('before'))).status).toBe(202);
  await cut(here);
  const asked = () => process.call('POST', '/v1/disbursements', order('after'));
  await expect.poll(async () => (await asked()).body.type, SOON).toMatch(/\/recovering$/);
  expect((await process.call('GET', '/v1/disbursements?reference=after')).body.items).toEqual([]);
});

test('what was let leave between the connection and the first word of Redis is missed too', async () => {
  const here = await world();
  const { hostname, port, pathname } = new URL(here.store.url);
  const wire = await Link.to(Number(port));
  closing.push(() => wire.close());
  const process = await here.start({ REDIS_URL: `redis://${hostname}:${wire.port}${pathname}` });
  const { epoch = '', counter = '' } = await here.store.redis.hgetall(keys.heartbeat);
  const newest = async (): Promise<number> => {
    const clients = (await here.store.redis.client('LIST')) as string;
    return Math.max(0, ...[...clients.matchAll(/^id=(\d+) .* name=relais/gm)].map(([, id]) => Number(id)));
  };
  const before = await newest();
  wire.hold();
  await cut(here);
  // It is connected, has asked who answers, and hears nothing yet.
  await expect.poll(newest, SOON).toBeGreaterThan(before);
  writeFileSync(`${here.witness}.mark.dead`, `${epoch} ${Number(counter) + 1_000}\n`);
  wire.letGo();
  const asked = () => process.call('POST', '/v1/disbursements', order('after'));
  await expect.poll(async () => (await asked()).body.type, SOON).toMatch(/\/recovering$/);
  expect((await process.call('GET', '/v1/disbursements?reference=after')).body.items).toEqual([]);
});

test('a Redis that was emptied while nobody was at work is known by its witness', async () => {
  const here = await world();
  const first = await here.start();
  await first.stop();
  await here.store.redis.flushdb();
  const second = await here.start();
  expect(await second.reasons()).toEqual([expect.stringMatching(/^recovering/)]);
  expect(await here.store.redis.hget(keys.recovery, 'because')).toBe('witness');
});

test('nor is it hidden by one that began before, and has no witness', async () => {
  const here = await world();
  await (await here.start()).stop();
  await here.store.redis.flushdb();
  const without = await here.start({ WITNESS_FILE: 'off' });
  expect(await without.reasons()).toEqual([]);
  const second = await here.start();
  expect(await second.reasons()).toEqual([expect.stringMatching(/^recovering/)]);
  await vi.waitFor(async () => expect(await without.reasons()).toEqual([expect.stringMatching(/^recovering/)]), SOON);
});

test('… also where that one has begun again since, on a machine whose witness is new', async () => {
  const here = await world();
  await (await here.start()).stop();
  await here.store.redis.flushdb();
  const elsewhere = { WITNESS_FILE: `${here.witness}-of-another-machine` };
  await (await here.start(elsewhere)).stop();
  const again = await here.start(elsewhere);
  expect(await again.reasons()).toEqual([]);
  expect(await (await here.start()).reasons()).toEqual([expect.stringMatching(/^recovering/)]);
});

test('the witness of another deployment says nothing about this one', async () => {
  const here = await world();
  await (await here.start()).stop();
  const there = await world();
  const other = await there.start({ WITNESS_FILE: here.witness });
  expect(await other.reasons()).toEqual([]);
  await other.stop();
  const again = await here.start();
  expect(await again.reasons()).toEqual([]);
});

test('a Redis that is emptied under a process is noticed within a moment, and refuses even before', async () => {
  const here = await world();
  const only = await here.start();
  await here.store.redis.flushdb();
  expect((await only.call('POST', '/v1/disbursements', order('new'))).body.type).toMatch(/\/recovering$/);
  await vi.waitFor(async () => expect(await only.reasons()).toEqual([expect.stringMatching(/^recovering/)]), SOON);
});

test('a rolling deployment asks nothing', async () => {
  const here = await world();
  const old = await here.start();
  await old.call('POST', '/v1/disbursements', order('open'));
  const young = await here.start();
  await old.stop();
  const younger = await here.start();
  await young.stop();
  expect(await younger.reasons()).toEqual([]);
  expect((await younger.call('POST', '/v1/disbursements', order('new'))).status).toBe(202);
});

test('a witness file that is asked for and cannot be written is a wrong setting', async () => {
  const here = await world();
  await (await here.start()).stop();
  // Where it asks for a folder there is a file.
  await expect(here.start({ WITNESS_FILE: join(here.witness, 'witness') })).rejects.toThrow(
    /WITNESS_FILE: cannot be written/,
  );
});
