import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { doctor } from '../../src/app/doctor.ts';
import type { Finding } from '../../src/app/examine/finding.ts';
import { PROBES, tryInside } from '../../src/app/examine/redis.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { type Sandbox, defaultCredentials, startSandbox } from '../../src/sandbox/sandbox.ts';
import { Secret } from '../../src/lib/secret.ts';
import { createReceiver } from '../../src/webhooks/receiver.ts';

// Settings of Redis belong to the whole server, so these facts need one of their own.
let server: EmbeddedRedis;
let redis: Redis;
let sandbox: Sandbox;
let webhooks: string;
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  server = await startEmbeddedRedis();
  redis = new Redis(server.url);
  sandbox = await startSandbox();
  webhooks = await listening(
    createReceiver({
      secrets: [new Secret('callback-secret')],
      hashes: async () => ({ digests: [], areAll: false }),
      operations: {
        nudge: async () => Promise.reject(new Error('a probe was taken for a callback')),
        awaitReplicated: async () => undefined,
      },
      clock: systemClock,
      wake: () => undefined,
      onCallback: () => undefined,
      onError: () => undefined,
    }),
  );
});
beforeEach(async () => {
  await redis.flushall();
  await fetch(`${sandbox.control}/reset`, { method: 'POST' });
});
afterAll(async () => {
  for (const stop of stops) await stop();
  redis.disconnect();
  await sandbox.stop();
  await server.stop();
});

async function listening(handler: Parameters<typeof createServer>[1]): Promise<string> {
  const http = createServer(handler);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  stops.push(async () => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

const healthy = (): Record<string, string> => ({
  REDIS_URL: server.url,
  SERVICE_BASE_URL: sandbox.base,
  SERVICE_CRM_URL: sandbox.crm,
  SERVICE_MASTER_KEY: defaultCredentials.masterKey,
  SERVICE_PRIVATE_KEY: defaultCredentials.privateKey,
  SERVICE_TOKEN: defaultCredentials.token,
  SMS_USER_KEY: defaultCredentials.smsUserKey,
  SMS_SECRET_KEY: defaultCredentials.smsSecretKey,
  SMS_APP_KEY: defaultCredentials.smsAppKey,
  SMS_SENDER: defaultCredentials.smsSender,
  CALLBACK_SECRET: 'callback-secret',
  PUBLIC_URL: webhooks,
  CONSOLE: 'off',
});

async function examined(env: Record<string, string | undefined> = {}, clock: Clock = systemClock) {
  const printed: string[] = [];
  const code = await doctor({
    env: { ...healthy(), ...env },
    clock,
    random: systemRandom,
    signal: new AbortController().signal,
    json: true,
    print: (line) => printed.push(line),
  });
  const { ok, findings } = JSON.parse(printed.join('\n')) as { ok: boolean; findings: Finding[] };
  expect(code).toBe(ok ? 0 : 1);
  return findings;
}

/** The commands that the files of a folder name. */
function scriptsIn(folder: string, pattern: RegExp): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.(ts|js)$/.test(file) && !file.includes('examine'),
  );
  return files.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(pattern)].map(([, command = '']) => command.toUpperCase()),
  );
}

const faultsOf = (findings: readonly Finding[]) =>
  findings.filter(({ is }) => is === 'fault').map(({ check, says, fix }) => `${check}: ${says} → ${fix}`);
const faults = async (env: Record<string, string | undefined>, clock?: Clock) => faultsOf(await examined(env, clock));

test('a healthy deployment has every check, and no fault', async () => {
  const findings = await examined();
  expect(findings.map(({ check, is }) => `${is} ${check}`)).toEqual([
    'ok settings',
    'ok redis',
    'ok durability',
    'ok memory',
    'ok clock',
    'ok permissions',
    ...['recovery', 'deployment', 'limits', 'records', 'state'].map((check) => `ok ${check}`),
    'skipped audit',
    'ok intake',
    'ok keys',
    'ok keys',
    'ok sms login',
    'ok balance',
    'skipped console',
    'ok callbacks',
  ]);
  const balance = findings.find(({ check }) => check === 'balance');
  expect(balance?.says).toContain('SN 1\u00a0000\u00a0000\u00a0000\u00a0XOF');
});

test('looking costs nothing: a login and a question about the balance', async () => {
  await examined();
  const books = (await (await fetch(`${sandbox.control}/books`)).json()) as Record<string, unknown>;
  expect(books['requests']).toEqual({ 'sms.login': 1, 'balance.all': 1 });
  await examined();
  const again = (await (await fetch(`${sandbox.control}/books`)).json()) as Record<string, unknown>;
  expect(again['requests']).toEqual({ 'sms.login': 1, 'balance.all': 2 });
});

test('for people it is one line per check, and a last one that says how it is', async () => {
  const printed: string[] = [];
  const tools = { clock: systemClock, random: systemRandom, signal: new AbortController().signal, json: false };
  const print = (line: string): void => void printed.push(line);
  expect(await doctor({ ...tools, env: healthy(), print })).toBe(0);
  expect(printed).toHaveLength(20);
  expect(printed[0]).toMatch(/^✓ settings {4,5}\d+ are set, all can be read$/);
  expect(printed.at(-1)).toBe('No fault was found.');
  printed.length = 0;
  expect(await doctor({ ...tools, env: { ...healthy(), SERVICE_TOKEN: '' }, print })).toBe(1);
  expect(printed).toContain(
    '✗ keys         main: some payments keys are missing, so it cannot move money → Set SERVICE_TOKEN.',
  );
  expect(printed.at(-1)).toBe('1 fault.');
});

test('no key is shown, whatever is wrong', async () => {
  const wrong = { SMS_SECRET_KEY: 'hush-hush-1', SERVICE_TOKEN: 'hush-hush-2', SERVICE_MASTER_KEY: 'hush-hush-3' };
  expect(JSON.stringify(await examined(wrong))).not.toMatch(/hush|sandbox-|callback-secret/);
});

describe('settings', () => {
  test('all that are wrong are told at once, and nothing else is looked at', async () => {
    const findings = await examined({ API_PORT: 'many', UPSTREAM_TIMEOUT: '60', CALLBACK_SECRET: '' });
    const told = faultsOf(findings).join('\n');
    for (const name of ['API_PORT', 'UPSTREAM_TIMEOUT', 'CALLBACK_SECRET'])
      expect(told).toContain(`settings: ${name}: `);
    expect(findings.at(-1)).toMatchObject({ check: 'redis', is: 'skipped' });
  });

  test('one that is only missing stops no other check', async () => {
    const findings = await examined({ CALLBACK_SECRET: '' });
    expect(faultsOf(findings)).toEqual([expect.stringContaining('settings: CALLBACK_SECRET: is not set')]);
    expect(findings.at(-1)).toMatchObject({ check: 'callbacks', is: 'skipped' });
    expect(findings.filter(({ is }) => is === 'ok')).toHaveLength(15);
  });

  test('keys of the API and accounts are read too, and names that are none of ours', async () => {
    expect((await faults({ UPSTREAM_TIMOUT: '3s' })).join()).toContain('did you mean UPSTREAM_TIMEOUT?');
    expect(await faults({ API_KEYS: 'zut' })).toEqual([expect.stringContaining('settings: API_KEYS: entry 1')]);
    expect(await faults({ ACCOUNTS_FILE: '/nowhere' })).toEqual([expect.stringContaining('settings: ACCOUNTS_FILE')]);
  });
});

describe('redis', () => {
  test('that is away is a fault, and what does not need it is still looked at', async () => {
    const findings = await examined({ REDIS_URL: 'redis://:hush@127.0.0.1:1' });
    expect(faultsOf(findings)).toEqual([
      expect.stringMatching(/^redis: Redis at 127\.0\.0\.1:1 is not available.*\) → Start it, or point REDIS_URL/),
    ]);
    expect(findings.filter(({ is }) => is === 'ok').map(({ check }) => check)).toEqual([
      'settings',
      'keys',
      'keys',
      'callbacks',
    ]);
  });

  test('whose address is none is a fault of the settings', async () => {
    expect(await faults({ REDIS_URL: 'http://127.0.0.1' })).toEqual([
      expect.stringContaining('settings: REDIS_URL: must be an address such as redis://host:6379'),
    ]);
  });

  test('that forgets is a fault for each reason, with its remedy', async () => {
    await redis.config('SET', 'appendfsync', 'everysec', 'maxmemory-policy', 'allkeys-lru');
    onTestFinished(async () => {
      await redis.config('SET', 'appendfsync', 'always', 'maxmemory-policy', 'noeviction');
    });
    expect(await faults({})).toEqual([
      expect.stringMatching(/^durability: appendfsync is everysec, .* → set it with CONFIG SET appendfsync always/),
      expect.stringMatching(/^durability: maxmemory-policy is allkeys-lru, .* → set it with CONFIG SET/),
    ]);
    const asserted = await examined({ DURABILITY: 'asserted' });
    expect(asserted.find(({ check }) => check === 'durability')).toMatchObject({
      is: 'ok',
      says: expect.stringContaining('asserted by DURABILITY, though appendfsync is everysec'),
    });
  });

  test('whose disk does not take a snapshot is a fault, and so is what cannot be looked at for it', async () => {
    // A folder stands where it should be written.
    mkdirSync(join(server.dir, 'dump.rdb'));
    onTestFinished(async () => {
      rmSync(join(server.dir, 'dump.rdb'), { recursive: true });
      await redis.config('SET', 'save', '');
    });
    await redis.config('SET', 'save', '3600 100000');
    await redis.bgsave('SCHEDULE');
    await vi.waitFor(
      async () => expect(await redis.info('persistence')).toContain('rdb_last_bgsave_status:err'),
      20_000,
    );
    expect(await faults({})).toEqual([
      expect.stringMatching(/^durability: its last snapshot failed, so it takes no writes → make room on its disk/),
      expect.stringMatching(/^sms login: could not be looked at: MISCONF/),
    ]);
  });

  test.for([
    [
      'what is missing is named',
      ['-hset', '-xadd', '-evalsha'],
      /may not run EVALSHA, HSET, XADD → .* \+evalsha \+hset \+xadd$/,
    ],
    [
      'other keys than ours are no help',
      ['resetkeys', '~shop:*'],
      /may not use keys that begin with \{relais\} → .* ~\{relais\}:\*$/,
    ],
    ['scripts are needed', ['-eval'], /may not run EVAL →/],
  ] as const)('whose user may not do all is a fault: %s', async ([, rules, told]) => {
    await redis.acl('SETUSER', 'narrow', 'on', '>pass', '+@all', '~{relais}:*', ...rules);
    onTestFinished(async () => void (await redis.acl('DELUSER', 'narrow')));
    const narrow = Object.assign(new URL(server.url), { username: 'narrow', password: 'pass' }).href;
    const permissions = (await faults({ REDIS_URL: narrow })).filter((one) => one.startsWith('permissions: '));
    expect(permissions).toEqual([expect.stringMatching(told)]);
    expect(permissions[0]).toContain('the user narrow');
  });

  test('whose user may do no more than relais does is well', async () => {
    const commands = [...new Set(PROBES.map((probe) => `+${probe.split(' ')[0]?.toLowerCase()}`))];
    const outside = [
      '+eval',
      '+evalsha',
      '+multi',
      '+exec',
      '+bzpopmin',
      '+scan',
      '+info',
      '+client',
      '+config|get',
      '+ping',
      '+select',
    ];
    await redis.acl('SETUSER', 'exact', 'on', '>pass', '~{relais}:*', ...commands, ...outside);
    onTestFinished(async () => void (await redis.acl('DELUSER', 'exact')));
    const exact = Object.assign(new URL(server.url), { username: 'exact', password: 'pass' }).href;
    expect(await faults({ REDIS_URL: exact })).toEqual([]);
  });

  test('is left as it was found', async () => {
    await examined();
    expect((await redis.keys('*')).filter((key) => key.includes('doctor'))).toEqual([]);
  });

  test('every probe is a command as Redis knows it', async () => {
    const said = await tryInside(redis, systemRandom);
    expect(said.filter((one) => /number of args|unknown|syntax|not allowed/i.test(one))).toEqual([]);
  });

  test('every command that a script of ours, or of BullMQ, calls is probed', () => {
    const probed = PROBES.map((probe) => probe.split(' ')[0]);
    const called = [
      ...scriptsIn('src', /redis\.call\(\s*'(\w+)'/g),
      ...scriptsIn('node_modules/bullmq/dist/esm/scripts', /rcall\(\s*["'](\w+)["']/g),
    ];
    expect(called.length).toBeGreaterThan(200);
    expect([...new Set(called)].filter((command) => !probed.includes(command))).toEqual([]);
  });

  test('that is nearly full is a fault', async () => {
    const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
    await redis.config('SET', 'maxmemory', String(Math.ceil(used * 1.1)));
    onTestFinished(async () => void (await redis.config('SET', 'maxmemory', '0')));
    expect(await faults({})).toEqual([
      expect.stringMatching(/^memory: \d+ % of maxmemory is used, .* → Give Redis more/),
    ]);
  });

  test.for([
    [-60_000, 'behind'],
    [60_000, 'ahead of'],
  ] as const)('a clock that is %i ms off is a fault', async ([off, how]) => {
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + off };
    expect(await faults({}, clock)).toEqual([`clock: this machine is 1m ${how} Redis → Let NTP set both clocks.`]);
  });
});

describe('accounts', () => {
  test('an area without any key is not used; an account without any is a fault', async () => {
    const noTexts = { SMS_USER_KEY: '', SMS_SECRET_KEY: '', SMS_APP_KEY: '', SMS_SENDER: '' };
    const findings = await examined(noTexts);
    expect(faultsOf(findings)).toEqual([]);
    expect(findings.find(({ check, is }) => check === 'keys' && is === 'skipped')?.says).toContain(
      'cannot send texts',
    );
    const nothing = { ...noTexts, SERVICE_MASTER_KEY: '', SERVICE_PRIVATE_KEY: '', SERVICE_TOKEN: '' };
    expect(await faults(nothing)).toEqual([expect.stringContaining('keys: main: has no keys at all')]);
  });

  test('every account of the file is looked at, by the names it has there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'relais-doctor-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'accounts.json');
    writeFileSync(file, JSON.stringify({ shop: { masterKey: defaultCredentials.masterKey } }));
    expect(await faults({ ACCOUNTS_FILE: file })).toEqual([
      expect.stringMatching(
        /^keys: shop: some payments keys are missing.*Set privateKey, token of shop in ACCOUNTS_FILE/,
      ),
    ]);
  });

  test('a wrong SMS key is a fault of the login', async () => {
    expect(await faults({ SMS_SECRET_KEY: 'wrong' })).toEqual([
      expect.stringMatching(
        /^sms login: main: .*\(ERROR_\d+.* → Check SMS_USER_KEY, SMS_SECRET_KEY, and SERVICE_CRM_URL\.$/,
      ),
    ]);
  });

  test('a wrong payment key is a fault of the balance', async () => {
    expect(await faults({ SERVICE_TOKEN: 'wrong' })).toEqual([
      expect.stringMatching(/^balance: main: .* → Check SERVICE_MASTER_KEY, SERVICE_PRIVATE_KEY, SERVICE_TOKEN/),
    ]);
  });

  test('a service that cannot be reached is told with its address', async () => {
    expect(await faults({ SERVICE_BASE_URL: 'http://127.0.0.1:1', SERVICE_CRM_URL: 'http://127.0.0.1:1' })).toEqual([
      expect.stringMatching(/^sms login: main: The service could not be reached.*Is SERVICE_CRM_URL right/),
      expect.stringMatching(/^balance: main: The service could not be reached.*Is SERVICE_BASE_URL right/),
    ]);
  });

  test('one in test mode has no balance to ask for', async () => {
    const findings = await examined({ SERVICE_MODE: 'test' });
    expect(faultsOf(findings)).toEqual([]);
    expect(findings.find(({ check }) => check === 'balance')).toMatchObject({ is: 'skipped' });
  });
});

describe('callbacks', () => {
  test('an address where nobody listens is a fault', async () => {
    expect(await faults({ PUBLIC_URL: 'http://127.0.0.1:1' })).toEqual([
      expect.stringMatching(/^callbacks: .*does not answer \(ECONNREFUSED\).*role webhooks/),
    ]);
  });

  test('one that listens with another secret is a fault', async () => {
    expect(await faults({ CALLBACK_SECRET: 'another' })).toEqual([
      expect.stringMatching(/^callbacks: .* says 404 to a signed address .*same CALLBACK_SECRET/),
    ]);
  });

  test('a page that says yes to everything is no callback receiver', async () => {
    const page = await listening((_request, response) => void response.end('Welcome'));
    expect(await faults({ PUBLIC_URL: page })).toEqual([
      expect.stringContaining('says 200 to an address that is not signed: something else answers there'),
    ]);
  });

  test('without an address, the one on this machine is meant only while the service is there too', async () => {
    const port = new URL(webhooks).port;
    expect(await faults({ PUBLIC_URL: '', WEBHOOKS_PORT: port })).toEqual([]);
    expect(await faults({ PUBLIC_URL: '', WEBHOOKS_PORT: '0' })).toEqual([
      expect.stringMatching(/^callbacks: PUBLIC_URL is not set, and .* → Set PUBLIC_URL/),
    ]);
  });
});
