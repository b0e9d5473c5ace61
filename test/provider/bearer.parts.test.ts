import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { Secret } from '../../src/lib/secret.ts';
import { type Answerer, json, type Listener, listen, liveAccount, openUpstream, type Opened } from './listener.ts';
import { type TokensUnderTest, ledgerTokens } from './token-stores.ts';

const CLIENTS = 6;
const SENDERS = 10;
const hello = { messages: [{ to: '+221771234567', text: 'Bonjour' }] };
const account = liveAccount();

let listener: Listener;
let tokens: TokensUnderTest;
let clients: Opened[] = [];
/** The clients' clock minus the real one. */
let ahead = 0;
let logins = 0;
let valid = '';
let beforeLogin: () => Promise<void> = async () => undefined;
let life: object = { expires_in: 3_600 };

/** Possible behaviour of the provider: a new login ends every earlier bearer. */
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

beforeAll(async () => {
  listener = await listen(service);
});
afterAll(() => listener.close());

/** One client as another process would have it: its own copy, its own connection. */
async function client(timeoutMs = 5_000): Promise<Opened> {
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + ahead };
  const opened = openUpstream(listener.url, { tokenStores: await tokens.open(), clock, timeoutMs });
  clients.push(opened);
  return opened;
}

beforeEach(async () => {
  tokens = await ledgerTokens();
  ahead = 0;
  logins = 0;
  valid = '';
  life = { expires_in: 3_600 };
  beforeLogin = async () => undefined;
  clients = [];
  for (let at = 0; at < CLIENTS; at += 1) await client();
});
afterEach(async () => {
  for (const { upstream } of clients) await upstream.close();
  await tokens.close();
});

/** Everybody sends at once; the verdicts' words. */
async function herd(): Promise<Set<string>> {
  const all = clients.flatMap(({ upstream }) =>
    Array.from({ length: SENDERS }, () => upstream.messaging.send(account, hello)),
  );
  return new Set((await Promise.all(all)).map((verdict) => verdict.is));
}

test('sixty senders in six processes start with one login', async () => {
  expect(await herd()).toEqual(new Set(['ok']));
  expect(logins).toBe(1);
});

test('a bearer that the provider ended early costs one login, for any number of refusals', async () => {
  await herd();
  valid = 'something else';
  expect(await herd()).toEqual(new Set(['ok']));
  expect(logins).toBe(2);
});

test('a bearer that expired costs one login', async () => {
  await herd();
  ahead = 3_600_000;
  await tokens.dropToken();
  expect(await herd()).toEqual(new Set(['ok']));
  expect(logins).toBe(2);
});

test('a process that starts later logs in no more', async () => {
  await herd();
  const late = await client();
  expect((await late.upstream.messaging.prepare(account)).is).toBe('ok');
  expect(logins).toBe(1);
});

test('near its end one process renews the bearer while the others continue with it', async () => {
  await herd();
  ahead = 3_000_000;
  await tokens.shortenToken(240_000);
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

test('a process that dies during the login holds it only for a while', async () => {
  await clients[0]!.upstream.messaging.prepare(account);
  await tokens.dropToken();
  await tokens.leaseLogin('dead', 300);
  expect((await clients[1]!.upstream.messaging.prepare(account)).is).toBe('ok');
  expect(logins).toBe(2);
});

test('where another process logs in and dies, an attempt waits for it no longer than for an answer', async () => {
  const hasty = await client(300);
  await hasty.upstream.messaging.prepare(account);
  await tokens.dropToken();
  ahead = 3_600_000;
  await tokens.leaseLogin('dead', 60_000);
  expect(await hasty.upstream.messaging.prepare(account)).toMatchObject({ is: 'transient', code: 'login_awaited' });
  expect(await tokens.leaseMs()).toBeGreaterThan(50_000);
});

test('the lock of a login lives as long as the login may take, written in every way', async () => {
  const hasty = await client(1_000);
  let lockedMs = 0;
  beforeLogin = async () => {
    lockedMs = await tokens.leaseMs();
  };
  expect((await hasty.upstream.messaging.prepare(account)).is).toBe('ok');
  expect(lockedMs).toBeGreaterThan(1_000);
  expect(lockedMs).toBeLessThanOrEqual(4_000);
});

test('a login that took longer than its lock stores nothing', async () => {
  await clients[0]!.upstream.messaging.prepare(account);
  await tokens.dropToken();
  beforeLogin = async () => {
    beforeLogin = async () => undefined;
    await tokens.leaseLogin('somebody else', 100);
  };
  expect((await clients[1]!.upstream.messaging.prepare(account)).is).toBe('ok');
  expect(await tokens.generation()).toBe(2);
  expect(logins).toBe(3);
});

test('while the store is away the copy is valid, and no process logs in', async () => {
  await herd();
  await tokens.cut();
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
  expect(await tokens.tokenMs()).toBeLessThanOrEqual(toMs);
});

test('a bearer is stored encrypted', async () => {
  await herd();
  const stored = await tokens.stored();
  expect(stored.length).toBeGreaterThan(50);
  expect(stored).not.toContain('bearer-1');
});

test('fresh bearers that are refused again and again pause the login for every process', async () => {
  await herd();
  for (const _ of [1, 2]) {
    valid = 'of another system';
    await herd();
  }
  const before = logins;
  valid = 'of another system';
  const verdicts = await Promise.all(clients.map(({ upstream }) => upstream.messaging.send(account, hello)));
  expect(verdicts.every((verdict) => verdict.is !== 'ok')).toBe(true);
  expect(logins).toBe(before);
});

test('a login that fails pauses the login for every process, longer each time', async () => {
  life = { access_token: '' };
  const [one, other] = clients;
  const first = await one!.upstream.messaging.prepare(account);
  expect(first.is).not.toBe('ok');
  const before = logins;
  const second = await other!.upstream.messaging.prepare(account);
  expect(second.is).toBe(first.is);
  expect(logins).toBe(before);
});
