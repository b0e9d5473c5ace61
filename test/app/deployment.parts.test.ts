/** Whose the keys are: a process with the settings of another deployment does not start, and says what to do. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { accountFingerprint, readAccounts } from '../../src/accounts.ts';
import { loadConfig } from '../../src/config.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { readStamp } from '../../src/operations/stamp.ts';
import { examineDeployment } from '../../src/app/examine/redis.ts';
import { targetOf } from '../../src/app/container.ts';
import { newStamp } from '../../src/app/new-stamp.ts';
import { startRoles } from '../../src/app/run.ts';
import { OtherDeployment } from '../../src/producer/errors.ts';
import { createProducer } from '../../src/producer/producer.ts';
import { openCommands, waitUntilReady } from '../../src/redis/connections.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { type FreshRedis, cutProcesses, freshRedis, heldBy } from '../support/fresh-redis.ts';
import { ask } from '../support/service.ts';
import type { UpstreamAccount } from '../../src/upstream/client.ts';
import { startServer } from '../redis/servers.ts';
import { Link } from '../storm/link.ts';
import { startRelais } from '../support/relais-process.ts';
import { relaisSettings } from '../support/relais-settings.ts';
import { listedIn } from '../support/listed.ts';

type Settings = Readonly<Record<string, string>>;

let dir: string;
let sandbox: Sandbox;
let fresh: FreshRedis;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'relais-deployment-'));
  sandbox = await startSandbox();
});
afterAll(async () => {
  await sandbox.stop();
  rmSync(dir, { recursive: true, force: true });
});
beforeEach(async () => {
  fresh = await freshRedis();
});
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
  await fresh.close();
});

const settings = (more: Settings = {}): Settings => ({
  ...relaisSettings({ ...sandbox, redisUrl: fresh.url }),
  CALLBACK_SECRET: 'callback-secret',
  ENVIRONMENT: 'live',
  LOG_LEVEL: 'silent',
  ...more,
});

/** Starts a process with these settings in this one; what ends it by itself is told. */
async function starts(more: Settings = {}, roles: readonly ('worker' | 'webhooks' | 'api')[] = ['worker']) {
  const gaveUp: Error[] = [];
  const running = await startRoles(loadConfig(settings(more)), roles, undefined, {
    giveUp: (error) => gaveUp.push(error),
  });
  stops.push(running.stop);
  return gaveUp;
}

async function stopAll(): Promise<void> {
  for (const stop of stops.splice(0).toReversed()) await stop();
}

function accountsFile(...names: string[]): Settings {
  const path = join(dir, `${names.join('-')}.json`);
  const account = { mode: 'live', masterKey: 'm', privateKey: 'p', token: 't' };
  writeFileSync(path, JSON.stringify(Object.fromEntries(names.map((name) => [name, account]))));
  return { ACCOUNTS_FILE: path };
}

/** Held back until tomorrow, so that it stays open. */
async function askedOf(account: string): Promise<string> {
  const producer = createProducer({ redis: fresh.url, environment: 'live' });
  const notBefore = new Date(Date.now() + 86_400_000).toISOString();
  const order = { accountAlias: '771234567', amount: 500, withdrawMode: 'wallet-a-senegal', notBefore } as const;
  const { id } = await producer.disburse({ ...order, account, reference: 'tomorrow' });
  await producer.close();
  return id;
}

test.for([
  [
    { ENVIRONMENT: 'staging' },
    /ENVIRONMENT: is staging, and the keys \{relais\}:\* of this Redis are of live\. Give this deployment a REDIS_PREFIX of its own, such as \{relais-staging\}, or another database in REDIS_URL/,
  ],
  [
    { SERVICE_MODE: 'test' },
    /SERVICE_MODE: main is in test mode, and in the keys \S+ of this Redis in live mode.*REDIS_PREFIX/,
  ],
  [
    { SERVICE_BASE_URL: 'http://127.0.0.1:9' },
    /SERVICE_BASE_URL: is another service.*REDIS_PREFIX.*relais recover --new-stamp/,
  ],
  [{ SERVICE_CRM_URL: 'http://127.0.0.1:9' }, /SERVICE_CRM_URL: is another service/],
] as const)('a process with %o does not start on the keys of a deployment without it', async ([other, says]) => {
  await starts();
  await expect(starts(other)).rejects.toThrow(says);
  await expect(starts({ ...other, REDIS_PREFIX: '{relais-staging}' })).resolves.toEqual([]);
});

test('it ends with 1, and says why in words', async () => {
  await starts();
  const ended = startRelais(settings({ ENVIRONMENT: 'staging' }), 'webhooks');
  await expect(ended).rejects.toThrow(
    /^relais ended with 1: [^{]*A setting is wrong:\n {2}- ENVIRONMENT: is staging/,
  );
});

test('the last thing in its log is why it ended', async () => {
  await starts();
  const ended = startRelais(settings({ ENVIRONMENT: 'staging', LOG_LEVEL: 'info' }), 'webhooks');
  await expect(ended).rejects.toThrow(/"msg":"starting"[^]*A setting is wrong:/);
});

test('more processes of one deployment start, with fewer roles and without the addresses of the service too', async () => {
  await starts();
  await starts({}, ['api', 'webhooks']);
  const { SERVICE_BASE_URL: _base, SERVICE_CRM_URL: _crm, ...rest } = settings();
  const running = await startRoles(loadConfig({ ...rest, SERVICE_MODE: 'test' }), ['webhooks']);
  stops.push(running.stop);
  expect(await readStamp(fresh.redis)).toMatchObject({ environment: 'live', accounts: { main: 'live' } });
});

test('accounts may be added, and one with an open operation may not be taken away', async () => {
  await starts();
  await stopAll();
  await starts(accountsFile('shop', 'kiosk'));
  await stopAll();
  const id = await askedOf('shop');
  await expect(starts()).rejects.toThrow(new RegExp(`ACCOUNTS_FILE: shop is not in it any more.*${id}.*Put it back`));
  await starts(accountsFile('shop'));
  expect((await readStamp(fresh.redis))?.accounts).toEqual({ main: 'live', shop: 'live' });
});

test('a process whose connection comes back to the keys of another deployment ends at once', async () => {
  const gaveUp = await starts();
  await fresh.redis.set('stamp', JSON.stringify({ ...(await readStamp(fresh.redis)), environment: 'staging' }));
  await cutProcesses(fresh.redis);
  await vi.waitFor(() => expect(gaveUp.map(String)).toEqual([expect.stringContaining('are of staging')]), 5_000);
});

test('a process that is led to the Redis of another deployment ends, and changes nothing there', async () => {
  const [here, there] = await Promise.all([startServer(), startServer()]);
  const link = await Link.to(here.port);
  stops.push(
    () => here.stop(),
    () => there.stop(),
    () => link.close(),
  );
  await starts({ REDIS_URL: `redis://127.0.0.1:${there.port}`, ENVIRONMENT: 'staging' }, ['webhooks']);
  await stops.pop()?.();
  const before = await heldBy(there.redis);
  const REDIS_URL = `redis://127.0.0.1:${link.port}`;
  const gaveUp: Error[] = [];
  const giveUp = (error: Error): void => void gaveUp.push(error);
  const config = loadConfig(settings({ REDIS_URL, LOG_LEVEL: 'silent' }));
  const { urls, stop } = await startRoles(config, ['api', 'webhooks'], undefined, { giveUp });
  stops.push(stop);
  link.lead(there.port);
  await vi.waitFor(
    () => expect(gaveUp.map(String)).toContainEqual(expect.stringContaining('are of staging')),
    10_000,
  );
  const order = { accountAlias: '771234567', amount: 500, withdrawMode: 'wallet-a-senegal', reference: 'r' };
  const refused = await ask(`${urls.api}/v1/disbursements`, 'POST', { body: order, key: 'dev' });
  expect(refused.status).toBe(503);
  expect(await heldBy(there.redis)).toEqual(before);
  // It would have ended by now; here it beats on, and is told the same each time.
  const told = gaveUp.length;
  await vi.waitFor(() => expect(gaveUp.length).toBeGreaterThan(told + 1), 10_000);
  expect(await heldBy(there.redis)).toEqual(before);
});

test('a process whose connection comes back to a Redis without a stamp writes it again', async () => {
  const gaveUp = await starts();
  const before = await readStamp(fresh.redis);
  await fresh.redis.del('stamp');
  await cutProcesses(fresh.redis);
  await vi.waitFor(async () => expect(await readStamp(fresh.redis)).toEqual(before), 5_000);
  expect(gaveUp).toEqual([]);
});

test('a producer of another environment is refused, and told what to give it', async () => {
  const order = { accountAlias: '771234567', amount: 500, withdrawMode: 'wallet-a-senegal', reference: 'r' } as const;
  const producers = ['live', 'staging'].map((environment) => createProducer({ redis: fresh.url, environment }));
  stops.push(async () => void (await Promise.all(producers.map((producer) => producer.close()))));
  const [live, staging] = producers;
  await starts({}, ['webhooks']);
  await expect(live?.disburse(order)).resolves.toMatchObject({ outcome: 'accepted' });
  await expect(staging?.disburse(order)).rejects.toThrow(OtherDeployment);
  await expect(staging?.disburse(order)).rejects.toThrow(
    /environment staging and the keys there are of live.*REDIS_PREFIX/,
  );
  expect(await listedIn(fresh.redis, 'disbursement')).toBe(1);
});

test('a producer that is older than the stamp meets it soon after', async () => {
  const staging = createProducer({ redis: fresh.url, environment: 'staging' });
  stops.push(() => staging.close());
  await staging.campaign({ name: 'first', text: 'hello', reference: 'first' });
  await starts({}, ['webhooks']);
  const asked = async () => staging.campaign({ name: 'second', text: 'hello', reference: 'second' });
  await vi.waitFor(async () => await expect(asked()).rejects.toThrow(OtherDeployment), 5_000);
});

test('the doctor tells whose the keys are, and what would keep these settings from starting', async () => {
  const told = async (more: Settings = {}) => {
    const config = loadConfig(settings(more));
    const redis = openCommands(targetOf(config), { name: 'test', onError: () => undefined });
    await waitUntilReady(redis, 5_000);
    const findings = await examineDeployment(redis, config, readAccounts(config));
    redis.disconnect();
    return findings.map(({ is, says, fix }) => [is, says, fix].join(' '));
  };
  expect((await told()).join()).toContain('ok no process has started on the keys {relais}:* yet');
  await starts();
  expect((await told()).join()).toContain('ok the keys {relais}:* are of live: main (live)');
  expect((await told({ REDIS_PREFIX: '{other}' })).join()).toContain(
    'ok no process has started on the keys {other}:*',
  );
  expect(await told({ ENVIRONMENT: 'staging', SERVICE_CRM_URL: 'http://127.0.0.1:9' })).toEqual([
    expect.stringMatching(/^fault ENVIRONMENT: is staging, and the keys .* are of live Give .* REDIS_PREFIX/),
    expect.stringMatching(/^fault SERVICE_CRM_URL: is another service .*recover --new-stamp\.$/),
  ]);
});

describe('a service that has moved', () => {
  const KEYS = { API_KEYS: 'ops:approve+operate:both,checker:approve:one,shop:approve+operate@shop:some' };
  const moved = { ...KEYS, SERVICE_BASE_URL: 'http://127.0.0.1:9' };
  const accepts = async (more: Settings, RELAIS_API_KEY = 'both') => {
    const printed: string[] = [];
    const confirmed = async (differs: readonly string[]) => {
      printed.push(...differs);
      return true;
    };
    const tools = {
      confirmed,
      nothingDiffers: 'Nothing differs',
      clock: systemClock,
      print: (line: string) => printed.push(line),
    };
    expect(await newStamp({ ...tools, env: { ...settings(more), RELAIS_API_KEY } })).toBe(0);
    return printed;
  };

  test('is accepted by a key that may approve and operate, and who did it is written down', async () => {
    await starts();
    await stopAll();
    expect((await accepts(moved))[0]).toBe('SERVICE_BASE_URL');
    await starts(moved);
    expect((await readStamp(fresh.redis))?.accepted).toMatchObject([{ by: 'ops', addresses: ['SERVICE_BASE_URL'] }]);
    await expect(starts()).rejects.toThrow(/SERVICE_BASE_URL: is another service/);
    expect(await accepts(moved)).toEqual([expect.stringContaining('Nothing differs')]);
  });

  test.for([
    ['one', /checker does not have the role operate/],
    ['some', /shop is for some accounts only/],
    ['wrong', /RELAIS_API_KEY: is not among API_KEYS/],
  ] as const)('is not accepted by the key "%s"', async ([key, says]) => {
    await starts();
    await expect(accepts(moved, key)).rejects.toThrow(says);
    expect((await readStamp(fresh.redis))?.accepted).toEqual([]);
  });

  test('is not accepted together with another environment', async () => {
    await starts();
    await expect(accepts({ ...moved, ENVIRONMENT: 'staging' })).rejects.toThrow(/ENVIRONMENT: is staging/);
  });
});

test('what was accepted for keys that were changed since says so, and goes on once they are named', async () => {
  const old = { SERVICE_MASTER_KEY: 'the-old-key' };
  const door = await startRoles(loadConfig(settings(old)), ['api']);
  stops.push(door.stop);
  const api = door.urls.api ?? '';
  const order = { accountAlias: '771234567', amount: 500, withdrawMode: 'wallet-a-senegal', reference: 'rotated' };
  const { body } = await ask(`${api}/v1/disbursements`, 'POST', { body: order, key: 'dev' });
  const explained = async () => (await ask(`${now.urls.api}/v1/explain/${body.id}`, 'GET', { key: 'dev' })).body;
  const now = await startRoles(loadConfig(settings({ HOLD_RECHECK: '200ms' })), ['api', 'worker', 'webhooks']);
  await vi.waitFor(async () => expect(JSON.stringify(await explained())).toContain('SERVICE_KEYS_BEFORE'), 10_000);
  await now.stop();
  const book = readAccounts(loadConfig(settings(old)));
  const before = accountFingerprint(book.get('main') as UpstreamAccount);
  await starts({ SERVICE_KEYS_BEFORE: before, SWEEP_INTERVAL: '50ms' }, ['worker', 'webhooks']);
  const paid = async () => (await ask(`${api}/v1/disbursements/${body.id}`, 'GET', { key: 'dev' })).body.state;
  await vi.waitFor(async () => expect(await paid()).toBe('succeeded'), { timeout: 40_000, interval: 100 });
});
