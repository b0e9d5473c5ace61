import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { doctor } from '../../src/app/doctor.ts';
import type { Finding } from '../../src/app/examine/finding.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Secret } from '../../src/lib/secret.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { type Sandbox, defaultCredentials, startSandbox } from '../../src/sandbox/sandbox.ts';
import { createReceiver } from '../../src/webhooks/receiver.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';

let server: EmbeddedRedis;
let ledger: FreshLedger;
let sandbox: Sandbox;
let webhooks: string;
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  server = await startEmbeddedRedis();
  ledger = await freshLedger();
  sandbox = await startSandbox();
  webhooks = await listening(
    createReceiver({
      secrets: [new Secret('callback-secret')],
      hashes: async () => ({ digests: [], areAll: false }),
      operations: { nudge: async () => Promise.reject(new Error('a probe was taken for a callback')) },
      clock: systemClock,
      wake: () => undefined,
      onCallback: () => undefined,
      onError: () => undefined,
    }),
  );
});
beforeEach(async () => {
  await ledger.query('truncate relais.sms_token, relais.rate');
  await fetch(`${sandbox.control}/reset`, { method: 'POST' });
});
afterAll(async () => {
  for (const stop of stops) await stop();
  await sandbox.stop();
  await ledger.close();
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
  DATABASE_URL: ledger.url,
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

type Printed = Omit<Finding, 'says' | 'fix'> & { readonly says: string; readonly fix?: string };
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
  const { ok, findings } = JSON.parse(printed.join('\n')) as { ok: boolean; findings: Printed[] };
  expect(code).toBe(ok ? 0 : 1);
  return findings;
}

const faultsOf = (findings: readonly Printed[]) =>
  findings.filter(({ is }) => is === 'fault').map(({ check, says, fix }) => `${check}: ${says} → ${fix}`);
const faults = async (env: Record<string, string | undefined>, clock?: Clock) => faultsOf(await examined(env, clock));

test('a healthy deployment has every check, and no fault', async () => {
  const findings = await examined();
  expect(findings.map(({ check, is }) => `${is} ${check}`)).toEqual([
    'ok settings',
    ...['postgres', 'durability', 'clock', 'logging', 'schema', 'permissions'].map((check) => `ok ${check}`),
    ...['recovery', 'deployment', 'limits', 'state', 'storage', 'events'].map((check) => `ok ${check}`),
    'skipped audit',
    'ok keys',
    'ok keys',
    'ok sms login',
    'ok balance',
    'ok redis',
    'ok intake',
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

test('for users it is one line per check, and a summary line', async () => {
  const printed: string[] = [];
  const tools = { clock: systemClock, random: systemRandom, signal: new AbortController().signal, json: false };
  const print = (line: string): void => void printed.push(line);
  expect(await doctor({ ...tools, env: healthy(), print })).toBe(0);
  expect(printed).toHaveLength(23);
  expect(printed[0]).toMatch(/^✓ settings {5}\d+ are set, all can be read$/);
  expect(printed.at(-1)).toBe('No fault was found.');
  printed.length = 0;
  expect(await doctor({ ...tools, env: { ...healthy(), SERVICE_TOKEN: '' }, print })).toBe(1);
  expect(printed).toContain(
    '✗ keys         main: some payment keys are missing, so it cannot move money → Set SERVICE_TOKEN.',
  );
  expect(printed.at(-1)).toBe('1 fault.');
});

test('no key is shown, whatever the error', async () => {
  const wrong = { SMS_SECRET_KEY: 'hush-hush-1', SERVICE_TOKEN: 'hush-hush-2', SERVICE_MASTER_KEY: 'hush-hush-3' };
  expect(JSON.stringify(await examined(wrong))).not.toMatch(/hush|sandbox-|callback-secret/);
});

describe('settings', () => {
  test('all errors are reported at once, and nothing else is checked', async () => {
    const findings = await examined({ API_PORT: 'many', UPSTREAM_TIMEOUT: '60', CALLBACK_SECRET: '' });
    const told = faultsOf(findings).join('\n');
    for (const name of ['API_PORT', 'UPSTREAM_TIMEOUT', 'CALLBACK_SECRET'])
      expect(told).toContain(`settings: ${name}: `);
    expect(findings.at(-1)).toMatchObject({ check: 'postgres', is: 'skipped' });
  });

  test('one that is only missing stops no other check', async () => {
    const findings = await examined({ CALLBACK_SECRET: '' });
    expect(faultsOf(findings)).toEqual([expect.stringContaining('settings: CALLBACK_SECRET: is not set')]);
    expect(findings.at(-1)).toMatchObject({ check: 'callbacks', is: 'skipped' });
    expect(findings.filter(({ is }) => is === 'ok')).toHaveLength(18);
  });

  test('keys of the API and accounts are read too, and names that are none of ours', async () => {
    expect((await faults({ UPSTREAM_TIMOUT: '3s' })).join()).toContain('did you mean UPSTREAM_TIMEOUT?');
    expect(await faults({ API_KEYS: 'zut' })).toEqual([expect.stringContaining('settings: API_KEYS: entry 1')]);
    expect(await faults({ ACCOUNTS_FILE: '/nowhere' })).toEqual([expect.stringContaining('settings: ACCOUNTS_FILE')]);
  });
});

/** Changes a setting of this file's database until the test has finished. */
async function withSetting(name: string, value: string): Promise<void> {
  const database = new URL(ledger.url).pathname.slice(1);
  await ledger.query(`alter database ${database} set ${name} = '${value}'`);
  const reset = `begin read write; alter database ${database} reset ${name}; commit`;
  onTestFinished(async () => void (await ledger.query(reset)));
}

describe('PostgreSQL', () => {
  test('an unreachable one is a fault, and independent checks still run', async () => {
    const findings = await examined({ DATABASE_URL: 'postgres://relais:hush@127.0.0.1:1/relais' });
    expect(faultsOf(findings)).toEqual([
      'postgres: PostgreSQL cannot be used: nothing listens at its address → Start PostgreSQL, or correct DATABASE_URL.',
    ]);
    expect(JSON.stringify(findings)).not.toContain('hush');
    expect(findings.filter(({ is }) => is === 'ok').map(({ check }) => check)).toEqual([
      'settings',
      'redis',
      'intake',
      'keys',
      'keys',
      'callbacks',
    ]);
  });

  test('that has no such database is a fault', async () => {
    const url = Object.assign(new URL(ledger.url), { pathname: '/nowhere' }).href;
    expect(await faults({ DATABASE_URL: url })).toEqual([
      expect.stringContaining('the database of DATABASE_URL does not exist'),
    ]);
  });

  test('that can lose a commit is a fault, and nothing else is asked of it', async () => {
    await withSetting('synchronous_commit', 'off');
    expect(await faults({})).toEqual([
      'durability: synchronous_commit is off: PostgreSQL can lose what it has committed, so nothing leaves → ' +
        'Set synchronous_commit = on.',
    ]);
  });

  test('that accepts reads only is a fault', async () => {
    await withSetting('default_transaction_read_only', 'on');
    expect(await faults({})).toEqual([expect.stringMatching(/^postgres: this PostgreSQL accepts reads only/)]);
  });

  test('that logs parameters is a fault', async () => {
    await withSetting('log_parameter_max_length_on_error', '64');
    expect(await faults({})).toEqual([
      expect.stringMatching(/^logging: .*can contain phone numbers: log_parameter_max_length_on_error is not 0/),
    ]);
  });

  test.for(['default', 'verbose'])(
    'whose errors are logged with their details (%s) is a fault',
    async (verbosity) => {
      await withSetting('log_error_verbosity', verbosity);
      expect(await faults({})).toEqual([
        expect.stringMatching(
          /^logging: .*can contain phone numbers: log_error_verbosity is not terse → alter role \w+ set log_error_verbosity = terse/,
        ),
      ]);
    },
  );

  test('without the schema is a fault, with the command that creates it', async () => {
    expect(await faults({ DATABASE_SCHEMA: 'missing' })).toEqual([
      expect.stringMatching(/^schema: the schema missing lacks ledger.* → Run relais migrate/),
    ]);
  });

  test('whose role may not write is a fault that names the tables', async () => {
    const role = `doctor_${process.pid}_${Date.now()}`;
    await ledger.query(`create role ${role} login password 'pass'`);
    onTestFinished(async () => {
      await ledger.query(`drop owned by ${role}`);
      await ledger.query(`drop role ${role}`);
    });
    await ledger.query(`grant usage on schema relais to ${role}`);
    await ledger.query(`grant select on all tables in schema relais to ${role}`);
    const url = Object.assign(new URL(ledger.url), { username: role, password: 'pass' }).href;
    const [told = ''] = (await faults({ DATABASE_URL: url })).filter((one) => one.startsWith('permissions: '));
    expect(told).toMatch(/cannot read and write .*operation.* → Grant the role relais_app to it/);
  });

  test('of another environment is a fault', async () => {
    const [told = ''] = await faults({ ENVIRONMENT: 'staging' });
    expect(told).toMatch(
      /^deployment: ENVIRONMENT: is staging, and the ledger relais of this PostgreSQL belongs to default/,
    );
  });

  test('that is recovering is a fault, and so is one that no witness has confirmed', async () => {
    onTestFinished(async () => {
      await ledger.query('update relais.deployment set recovering_at = null, unwitnessed_at = null');
    });
    await ledger.query('update relais.deployment set unwitnessed_at = now()');
    expect(await faults({})).toEqual([
      expect.stringMatching(/^recovery: since .* no witness has confirmed this ledger/),
    ]);
    expect(await faults({ WITNESS: 'none' })).toEqual([]);
    await ledger.query(`update relais.deployment set recovering_at = now(), recovering_why = 'witness'`);
    expect(await faults({})).toEqual([
      expect.stringMatching(
        /^recovery: since .* nothing is accepted and nothing leaves.*\(witness\) → .*relais recover/,
      ),
    ]);
  });

  test('with unpublished events is a fault, as are quarantined ones', async () => {
    onTestFinished(async () => void (await ledger.query('truncate relais.outbox')));
    const event = `'e', 'main', 'dsb_1', 'disbursement.succeeded', '{}'`;
    await ledger.query(`
      insert into relais.outbox (id, account, subject, type, data, at) values (${event}, now() - interval '5 min')`);
    expect(await faults({})).toEqual([
      expect.stringMatching(/^events: the oldest event has waited 5m.* for its position/),
    ]);
    await ledger.query(`update relais.outbox set refused = 'because'`);
    expect(await faults({})).toEqual([
      expect.stringContaining('1 events could not be published and are quarantined'),
    ]);
  });

  test.for([
    [-60_000, 'behind'],
    [60_000, 'ahead of'],
  ] as const)('a clock that is %i ms off is a fault', async ([off, how]) => {
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + off };
    const told = (await faults({}, clock)).filter((one) => one.startsWith('clock: '));
    expect(told).toEqual([`clock: the clock of this machine is 1m ${how} PostgreSQL → Let NTP set both clocks.`]);
  });
});

describe('Redis', () => {
  test('an unreachable one is named, with what continues without it', async () => {
    const findings = await examined({ REDIS_URL: 'redis://:hush@127.0.0.1:1' });
    expect(faultsOf(findings)).toEqual([
      expect.stringMatching(
        /^redis: Redis cannot be reached: .* → Start Redis, or correct REDIS_URL\. Payments and SMS/,
      ),
    ]);
    expect(findings.filter(({ check }) => check === 'balance' || check === 'state').map(({ is }) => is)).toEqual([
      'ok',
      'ok',
    ]);
  });

  test('an invalid address is a fault of the settings', async () => {
    expect(await faults({ REDIS_URL: 'http://127.0.0.1' })).toEqual([
      expect.stringContaining('settings: REDIS_URL: must be an address such as redis://host:6379'),
    ]);
  });
});

describe('accounts', () => {
  test('an area without any key is not used; an account without any is a fault', async () => {
    const noTexts = { SMS_USER_KEY: '', SMS_SECRET_KEY: '', SMS_APP_KEY: '', SMS_SENDER: '' };
    const findings = await examined(noTexts);
    expect(faultsOf(findings)).toEqual([]);
    expect(findings.find(({ check, is }) => check === 'keys' && is === 'skipped')?.says).toContain('cannot send SMS');
    const nothing = { ...noTexts, SERVICE_MASTER_KEY: '', SERVICE_PRIVATE_KEY: '', SERVICE_TOKEN: '' };
    expect(await faults(nothing)).toEqual([expect.stringContaining('keys: main: has no keys')]);
  });

  test('every account of the file is checked, by its name there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'relais-doctor-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'accounts.json');
    writeFileSync(file, JSON.stringify({ shop: { masterKey: defaultCredentials.masterKey } }));
    expect(await faults({ ACCOUNTS_FILE: file })).toEqual([
      expect.stringMatching(
        /^keys: shop: some payment keys are missing.*Set privateKey, token of shop in ACCOUNTS_FILE/,
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

  test('an unreachable provider is reported with its address', async () => {
    expect(await faults({ SERVICE_BASE_URL: 'http://127.0.0.1:1', SERVICE_CRM_URL: 'http://127.0.0.1:1' })).toEqual([
      expect.stringMatching(/^sms login: main: The provider could not be reached.*Is SERVICE_CRM_URL right/),
      expect.stringMatching(/^balance: main: The provider could not be reached.*Is SERVICE_BASE_URL right/),
    ]);
  });

  test('one in test mode has no balance to ask for', async () => {
    const findings = await examined({ SERVICE_MODE: 'test' });
    expect(faultsOf(findings)).toEqual([]);
    expect(findings.find(({ check }) => check === 'balance')).toMatchObject({ is: 'skipped' });
  });
});

describe('callbacks', () => {
  test('an address without a listener is a fault', async () => {
    expect(await faults({ PUBLIC_URL: 'http://127.0.0.1:1' })).toEqual([
      expect.stringMatching(/^callbacks: .*does not answer \(ECONNREFUSED\).*role webhooks/),
    ]);
  });

  test('one that listens with another secret is a fault', async () => {
    expect(await faults({ CALLBACK_SECRET: 'another' })).toEqual([
      expect.stringMatching(/^callbacks: .* answers 404 to a signed address .*same CALLBACK_SECRET/),
    ]);
  });

  test('a page that accepts everything is no callback receiver', async () => {
    const page = await listening((_request, response) => void response.end('Welcome'));
    expect(await faults({ PUBLIC_URL: page })).toEqual([
      expect.stringContaining('answers 200 to an unsigned address: something else listens there'),
    ]);
  });

  test('without an address, the one on this machine is used only if the provider is there too', async () => {
    const port = new URL(webhooks).port;
    expect(await faults({ PUBLIC_URL: '', WEBHOOKS_PORT: port })).toEqual([]);
    expect(await faults({ PUBLIC_URL: '', WEBHOOKS_PORT: '0' })).toEqual([
      expect.stringMatching(/^callbacks: PUBLIC_URL is not set, and .* → Set PUBLIC_URL/),
    ]);
  });
});
