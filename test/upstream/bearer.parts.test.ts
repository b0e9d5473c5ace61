import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { Secret } from '../../src/lib/secret.ts';
import { type FreshRedis, freshRedis, keysLike } from '../support/fresh-redis.ts';
import { type Answerer, json, type Listener, listen, liveAccount, openUpstream, type Opened } from './listener.ts';

const CLIENTS = 6;
const SENDERS = 10;
const hello = { messages: [{ to: '+221771234567', text: 'Bonjour' }] };
const account = liveAccount();

let listener: Listener;
let fresh: FreshRedis;
let clients: Opened[] = [];
const connections: Redis[] = [];
/** How far the clients' clock is ahead of the real one. */
let ahead = 0;
let logins = 0;
let valid = '';
let beforeLogin: () => Promise<void> = async () => undefined;
let life: object = { expires_in: 3_600 };

/** As the service may do it: a new login puts an end to every bearer before it. */
const service: Answerer = async (heard, response) => {
  if (heard.path.endsWith('/auth/login')) {
    logins += 1;
    const token = `bearer-${logins}`;
    await beforeLogin();
    valid = token;
    json({ access_token: token, token_type: 'bearer', ...life })(heard, response) as undefined;
  } else {
    const fine = heard.headers.authorization === `Bearer ${valid}`;
    json(fine ? { code: '00', message: 'sms_sent', data: { sms: [] } } : { code: 'ERROR_121' })(
      heard,
      response,
    ) as undefined;
  }
};

/** One client as another process would have it: its own copy, its own connection to Redis. */
function client(timeoutMs = 5_000): Opened {
  const redis = fresh.redis.duplicate();
  connections.push(redis);
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + ahead };
  return openUpstream(listener.url, { redis, clock, timeoutMs });
}

beforeAll(async () => {
  listener = await listen(service);
});
afterAll(() => listener.close());
beforeEach(async () => {
  fresh = await freshRedis();
  ahead = 0;
  logins = 0;
  valid = '';
  life = { expires_in: 3_600 };
  beforeLogin = async () => undefined;
  clients = Array.from({ length: CLIENTS }, () => client());
  await Promise.all(connections.map(onceReady));
});
afterEach(async () => {
  for (const { upstream } of clients) await upstream.close();
  for (const redis of connections.splice(0)) redis.disconnect();
  await fresh.close();
});

async function onceReady(redis: Redis): Promise<void> {
  if (redis.status === 'ready') return;
  await new Promise<void>((resolve) => redis.once('ready', () => resolve()));
}

/** Everybody sends at once; the verdicts' words. */
async function herd(): Promise<Set<string>> {
  const all = clients.flatMap(({ upstream }) =>
    Array.from({ length: SENDERS }, () => upstream.messaging.send(account, hello)),
  );
  return new Set((await Promise.all(all)).map((verdict) => verdict.is));
}

async function keyOf(what: string): Promise<string> {
  const [key] = await keysLike(fresh.redis, `*:${what}`);
  return key!;
}

test('sixty senders in six processes start with one login', async () => {
  expect(await herd()).toEqual(new Set(['ok']));
  expect(logins).toBe(1);
});

test('a bearer that upstream ended early costs one login, however many met the refusal', async () => {
  await herd();
  valid = 'something else';
  expect(await herd()).toEqual(new Set(['ok']));
  expect(logins).toBe(2);
});

test('a bearer that expired costs one login', async () => {
  await herd();
  ahead = 3_600_000;
  await fresh.redis.del(await keyOf('token'));
  expect(await herd()).toEqual(new Set(['ok']));
  expect(logins).toBe(2);
});

test('a process that starts later logs in no more', async () => {
  await herd();
  const late = client();
  clients.push(late);
  await onceReady(connections.at(-1)!);
  expect((await late.upstream.messaging.prepare(account)).is).toBe('ok');
  expect(logins).toBe(1);
});

test('near its end one process renews the bearer while the others go on with it', async () => {
  await herd();
  ahead = 3_000_000;
  await fresh.redis.pexpire(await keyOf('token'), 240_000);
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  beforeLogin = () => held;
  let done = 0;
  const all = clients.map(async ({ upstream }) => {
    const verdict = await upstream.messaging.prepare(account);
    done += 1;
    if (done === CLIENTS - 1) release();
    return verdict.is;
  });
  expect(new Set(await Promise.all(all))).toEqual(new Set(['ok']));
  expect(logins).toBe(2);
});

test('whoever holds the login and dies holds it only for a while', async () => {
  await clients[0]!.upstream.messaging.prepare(account);
  const lock = (await keyOf('token')).replace(/token$/, 'login');
  await fresh.redis.del(await keyOf('token'));
  await fresh.redis.set(lock, 'dead', 'PX', 300);
  expect((await clients[1]!.upstream.messaging.prepare(account)).is).toBe('ok');
  expect(logins).toBe(2);
});

test('where another process logs in and dies, an attempt waits for it no longer than for an answer', async () => {
  const hasty = client(300);
  clients.push(hasty);
  await onceReady(connections.at(-1)!);
  await hasty.upstream.messaging.prepare(account);
  const lock = (await keyOf('token')).replace(/token$/, 'login');
  await fresh.redis.del(await keyOf('token'));
  ahead = 3_600_000;
  await fresh.redis.set(lock, 'dead', 'PX', 60_000);
  expect(await hasty.upstream.messaging.prepare(account)).toMatchObject({ is: 'transient', code: 'login_awaited' });
  expect(await fresh.redis.pttl(lock)).toBeGreaterThan(50_000);
});

test('the lock of a login lives as long as the login may take, written in every way', async () => {
  const hasty = client(1_000);
  clients.push(hasty);
  await onceReady(connections.at(-1)!);
  let lockedMs = 0;
  beforeLogin = async () => {
    lockedMs = await fresh.redis.pttl(await keyOf('login'));
  };
  expect((await hasty.upstream.messaging.prepare(account)).is).toBe('ok');
  expect(lockedMs).toBeGreaterThan(1_000);
  expect(lockedMs).toBeLessThanOrEqual(4_000);
});

test('a login that took longer than its lock stores nothing', async () => {
  await clients[0]!.upstream.messaging.prepare(account);
  const token = await keyOf('token');
  const generation = token.replace(/token$/, 'generation');
  await fresh.redis.del(token);
  beforeLogin = async () => {
    beforeLogin = async () => undefined;
    await fresh.redis.set(token.replace(/token$/, 'login'), 'somebody else', 'PX', 100);
  };
  expect((await clients[1]!.upstream.messaging.prepare(account)).is).toBe('ok');
  expect(await fresh.redis.get(generation)).toBe('2');
  expect(logins).toBe(3);
});

test('while Redis is away the copy is good, and nobody logs in', async () => {
  await herd();
  for (const redis of connections) redis.disconnect();
  expect(await herd()).toEqual(new Set(['ok']));
  ahead = 3_000_000;
  expect(await herd()).toEqual(new Set(['ok']));
  ahead = 3_600_000;
  await expect(clients[0]!.upstream.messaging.send(account, hello)).rejects.toThrow();
  expect(logins).toBe(1);
});

test('accounts do not share a bearer', async () => {
  const { upstream } = clients[0]!;
  await upstream.messaging.prepare(account);
  await upstream.messaging.prepare({ ...account, name: 'other' });
  await upstream.messaging.prepare({ ...account, smsSecretKey: new Secret('changed') });
  expect(logins).toBe(3);
});

const lives: readonly (readonly [life: object, fromMs: number, toMs: number])[] = [
  [{ expires_in: 3_600 }, 3_230_000, 3_240_000],
  [{ expires_in: '3600' }, 3_230_000, 3_240_000],
  [{}, 3_230_000, 3_240_000],
  [{ expires_in: 'soon' }, 3_230_000, 3_240_000],
  [{ expires_in: 10 }, 4_000, 5_000],
  [{ expires_in: 0 }, 500, 1_000],
  [{ expires_in: -1 }, 500, 1_000],
];
test.for(lives)('a life of %j is used up before it ends', async ([says, fromMs, toMs]) => {
  life = says;
  const verdict = await clients[0]!.upstream.messaging.prepare(account);
  const usableForMs = verdict.is === 'ok' ? verdict.value.usableForMs : 0;
  expect(usableForMs).toBeGreaterThan(fromMs);
  expect(usableForMs).toBeLessThanOrEqual(toMs);
  expect(await fresh.redis.pttl(await keyOf('token'))).toBeLessThanOrEqual(toMs);
});
