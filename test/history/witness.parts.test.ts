/** History knows how far Redis had come, and says so to what starts, and to what is at work. */
import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';
import { request } from 'undici';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startRoles } from '../../src/app/run.ts';
import type { Role } from '../../src/cli/io.ts';
import { loadConfig } from '../../src/config.ts';
import { freePort } from '../../src/lib/listening.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { HistoryWitness } from '../../src/history/witness.ts';
import { Heartbeat } from '../../src/operations/heartbeat.ts';
import { keys, ON_NOTHING_FIELD } from '../../src/operations/keys.ts';
import { type FreshPostgres, freshPostgres } from '../support/fresh-postgres.ts';
import { type FreshRedis, copyOf, freshRedis } from '../support/fresh-redis.ts';
import { ask, KEYS } from '../support/service.ts';
import { writerOf } from './history-world.ts';

const SOON = { timeout: 20_000, interval: 50 };
const HOUR_MS = 3_600_000;
const AWAY = 'postgres://127.0.0.1:1/none';
const PLACE = 'production 127.0.0.1:1/0 relais';

const closing: (() => unknown)[] = [];
let store: FreshRedis;
let database: FreshPostgres;

beforeEach(async () => {
  [store, database] = [await freshRedis(), await freshPostgres()];
  closing.push(
    () => store.close(),
    () => database.close(),
  );
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function start(roles: readonly Role[] = ['api', 'history'], url = database.url) {
  const config = loadConfig({
    REDIS_URL: store.url,
    API_KEYS: KEYS,
    API_PORT: '0',
    API_RATE: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'silent',
    WITNESS_FILE: 'off',
    ...(url === '' ? {} : { HISTORY_URL: url }),
  });
  const { urls, stop } = await startRoles(config, [...roles]);
  let stopped: Promise<void> | undefined;
  const end = (): Promise<void> => (stopped ??= stop());
  closing.push(end);
  return {
    stop: end,
    pay: (reference: string) => ask(`${urls.api}/v1/disbursements`, 'POST', { body: order(reference) }),
    cancel: (id: string) => ask(`${urls.api}/v1/disbursements/${id}/cancel`, 'POST', {}),
    recover: (body: object) => ask(`${urls.api}/v1/recovery`, 'POST', { body }),
    reasons: async () => {
      const { reasons = [] } = (await (await request(`${urls.metrics}/readyz`)).body.json()) as {
        reasons?: string[];
      };
      return reasons;
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

const known = async (): Promise<{ counter: number; at: number } | undefined> => {
  const rows = await database
    .query<{ value: string }>("select value from relais.facts where name = 'beat'")
    .catch(() => []);
  return rows[0] && (JSON.parse(rows[0].value) as { counter: number; at: number });
};

/** Works until history has heard of it, and ends. */
async function aDay(): Promise<void> {
  const one = await start();
  expect((await one.pay('open')).status).toBe(202);
  await vi.waitUntil(async () => (await known()) !== undefined, SOON);
  await one.stop();
}

/** As it was a moment before: a copy that is put back. */
async function putBack(): Promise<void> {
  await store.redis.hincrby(keys.heartbeat, 'counter', -2);
}

/** As it was long before: whatever is raised in it meanwhile makes up for nothing. */
async function putBackOld(): Promise<void> {
  await database.query(
    `update relais.facts set value = jsonb_set(value::jsonb, '{counter}', '1000000') where name = 'beat'`,
  );
}

test('a night without anybody is only that, where history has seen its beginning', async () => {
  await aDay();
  const { at: seen = 0 } = (await known()) ?? {};
  const at = Number(await store.redis.hget(keys.heartbeat, 'at')) - 8 * HOUR_MS;
  await store.redis.hset(keys.heartbeat, 'at', at);
  await database.query(
    `update relais.facts set value = jsonb_set(value::jsonb, '{at}', '${seen - 8 * HOUR_MS}') where name = 'beat'`,
  );
  expect(await (await start()).reasons()).toEqual([]);
});

test('a Redis that is a moment older than history knows it to be is not worked on', async () => {
  await aDay();
  await putBack();
  const one = await start();
  expect(await one.reasons()).toEqual([expect.stringMatching(/^recovering/)]);
  expect((await one.pay('new')).status).toBe(503);
  expect(await store.redis.hget(keys.recovery, 'because')).toBe('witness');
});

test('while history is away it proves nothing, and the process starts', async () => {
  await aDay();
  await putBack();
  expect(await (await start(['api'], AWAY)).reasons()).toEqual([]);
});

test('what starts without history is told by the process that has it', async () => {
  await aDay();
  await putBackOld();
  const one = await start(['api'], '');
  expect(await one.reasons()).toEqual([]);
  await start(['history']);
  await vi.waitFor(async () => expect(await one.reasons()).toEqual([expect.stringMatching(/^recovering/)]), SOON);
});

test('history that was away at the start is heard when it is back', async () => {
  await aDay();
  await putBackOld();
  const heartbeat = new Heartbeat({ redis: store.redis, random: systemRandom, silenceMs: HOUR_MS });
  await heartbeat.begin(undefined);
  expect(heartbeat.recovering()).toBeUndefined();
  const witness = { compare: heartbeat.compare.bind(heartbeat), known: () => undefined };
  const writer = writerOf(store.redis, () => database.url, { witness });
  await writer.pass();
  await writer.close();
  expect(heartbeat.recovering()?.because).toBe('rolled_back');
});

/** Its address, at which nobody answers until it is back. */
async function historyThatIsAway() {
  const port = await freePort();
  const url = new URL(database.url);
  const there = { host: url.hostname, port: Number(url.port) };
  url.port = String(port);
  const server = createServer((wire) => pipeline(wire, connect(there), wire, () => undefined));
  closing.push(() => server.close());
  return { url: url.href, isBack: () => void server.listen(port, '127.0.0.1') };
}

test('a process that heard history only at its end says its last word all the same, unless something is lost', async () => {
  await aDay();
  const before = (await known())?.counter ?? 0;
  for (const isLost of [false, true]) {
    if (isLost) await putBackOld();
    const { url, isBack } = await historyThatIsAway();
    const one = await start(['api'], url);
    await one.pay(`new-${isLost}`);
    isBack();
    await one.stop();
    expect(Number((await known())?.counter) > before).toBe(true);
    expect(await store.redis.hget(keys.recovery, 'because')).toBe(isLost ? 'rolled_back' : null);
  }
  expect((await known())?.counter, 'nothing is written over it').toBe(1_000_000);
});

test('a Redis that was emptied is known by history too, where it can be heard only later', async () => {
  await aDay();
  const before = await known();
  await store.redis.flushdb();
  const { url, isBack } = await historyThatIsAway();
  const one = await start(['api', 'history'], url);
  expect(await one.reasons()).toEqual([]);
  await one.pay('new');
  isBack();
  await vi.waitFor(async () => expect(await one.reasons()).toEqual([expect.stringMatching(/^recovering/)]), SOON);
  expect(await known(), 'nothing is written over it').toEqual(before);
});

test('a process that could not hear history at its start writes nothing over its word when it ends', async () => {
  await aDay();
  const before = await known();
  await putBack();
  const heard = new HistoryWitness(database.url, PLACE);
  const deaf = new HistoryWitness(database.url, PLACE);
  const word = { deployment: 'another', epoch: 'e', counter: 1e9, event: '0-0', at: 0 };
  await deaf.keep(word);
  expect(await known()).toEqual(before);
  await heard.tell('another');
  await heard.keep(word);
  expect(await known()).toMatchObject(word);
});

test('another Redis beside the same history is no older one', async () => {
  await aDay();
  await putBackOld();
  await store.redis.hset(keys.heartbeat, 'deployment', 'another');
  // It did not begin in the place of one that is gone.
  await store.redis.hdel(keys.heartbeat, ON_NOTHING_FIELD);
  expect(await (await start()).reasons()).toEqual([]);
});

/** What came to its end after the copy was made, and mostly was accepted after it; then Redis is what it was before. */
async function loseThePayment(reference = 'lost'): Promise<string> {
  await aDay();
  const putBackCopy = await copyOf(store.redis);
  const one = await start();
  const { id } = (await one.pay(reference)).body;
  await one.cancel(id);
  const isKept = () => database.query(`select from relais.disbursements where id = '${id}'`);
  await vi.waitUntil(async () => (await isKept()).length > 0, SOON);
  await one.stop();
  await putBackCopy();
  return id;
}

test('what was accepted in the lost time, and is over, is a duplicate after the recovery', async () => {
  const id = await loseThePayment();
  const one = await start();
  expect(await one.reasons()).toEqual([expect.stringMatching(/^recovering/)]);
  const { body } = await one.recover({ apply: true });
  expect(body).toMatchObject({ over: true, last: { putBack: { disbursement: 1 }, withoutHistory: false } });
  expect(body['last'].next[0]).toContain('1 operation was accepted in the lost time');
  expect(await one.pay('lost')).toMatchObject({ body: { id, state: 'cancelled' } });
});

test('what the copy shows open, and was called off in the lost time, is called off after the recovery', async () => {
  const id = await loseThePayment('open');
  const one = await start();
  const { body } = await one.recover({ apply: true });
  expect(await one.pay('open')).toMatchObject({ body: { id, state: 'cancelled' } });
  expect(body).toMatchObject({ over: true, last: { byHistory: { disbursement: 1 } } });
  expect(body['last'].next[0]).toContain('1 operation had ended in the lost time');
  const [row] = body['last'].items;
  expect(row).toMatchObject({ kind: 'disbursement', open: { count: 1 }, settled: { count: 1 } });
});

test('where history cannot be asked nobody ends a recovery but a person who says that there is none', async () => {
  await loseThePayment();
  const one = await start(['api']);
  await one.stop();
  const other = await start(['api'], AWAY);
  expect((await other.recover({ apply: true })).status).toBe(503);
  expect(await other.reasons()).toEqual([expect.stringMatching(/^recovering/)]);
  const { body } = await other.recover({ apply: true, withoutHistory: true });
  expect(body).toMatchObject({ over: true, last: { withoutHistory: true } });
});
