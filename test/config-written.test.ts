/** Written forms of settings: addresses with unused parts, time zones, and files from Windows. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { WrongSettings, describeSettings, loadConfig } from '../src/config.ts';
import { readTimeZone } from '../src/lib/quiet-hours.ts';
import type { Secret } from '../src/lib/secret.ts';
import { textOf } from '../src/messages/texts.ts';

const dir = mkdtempSync(join(tmpdir(), 'relais-written-'));
afterAll(() => rmSync(dir, { recursive: true }));

const OF_PROVIDER = {
  OIDC_ISSUER: 'https://login.example.sn',
  OIDC_CLIENT_ID: 'relais',
  OIDC_GROUPS: 'staff:read',
};

const problemsOf = (env: Readonly<Record<string, string>>): readonly string[] => {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof WrongSettings) return error.problems.map((one) => textOf(one));
    throw error;
  }
  return [];
};

const SECRET_PART = /se-cret|12345/;

test.for([
  ['REDIS_URL', 'redis://cache:6379/?db=3', '?db is not read: write the database as redis://host:6379/3'],
  ['REDIS_URL', 'redis://cache:6379?tls=true&family=6', '?tls and ?family is not read: write rediss://'],
  ['REDIS_URL', 'redis://cache:6379/0#3', 'must not contain # (in a password write %23)'],
  ['REDIS_URL', 'redis://:se-cret/x@cache:6379', 'write / as %2F, # as %23'],
  ['REDIS_URL', 'redis://relais:12345/se-cret@cache:6379', 'write / as %2F, # as %23'],
  ['REDIS_URL', 'redis://relais:12345#se-cret@cache:6379', 'write / as %2F, # as %23'],
  ['REDIS_URL', 'redis://relais:12345?se-cret=1@cache:6379', 'write / as %2F, # as %23'],
  ['DATABASE_URL', 'postgres://u:12345#se-cret@db/relais', 'write / as %2F, # as %23'],
  [
    'DATABASE_URL',
    'postgres://u:p@db/relais?sslmode=require&channel_binding=require',
    '?channel_binding is not read',
  ],
  ['DATABASE_URL', 'mysql://db/relais', 'must be an address such as postgres://user:password@host/database'],
  ['SERVICE_BASE_URL', 'https://pay.example/?key=se-cret', '?key is not read: remove it'],
  ['SERVICE_CRM_URL', 'https://user:se-cret@sms.example', 'must not contain a user or a password'],
  ['PUBLIC_URL', 'https://relais.example#callbacks', 'must not contain #'],
  ['PUBLIC_URL', 'https://relais.example?', 'must not contain ?'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318?x=1', '?x is not read'],
  ['OIDC_ISSUER', 'https://login.example.sn/?tenant=a', '?tenant is not read'],
] as const)('of an address no part is ignored: %s=%s', ([name, text, says]) => {
  const problems = problemsOf({ [name]: text }).filter((problem) => problem.startsWith(`${name}: `));
  expect(problems).toEqual([expect.stringContaining(says)]);
  expect(problems.join()).not.toMatch(SECRET_PART);
});

test.for([
  ['REDIS_URL', 'rediss://relais:a%2Fb%23c%3Fd%40e@cache:6379/3'],
  ['REDIS_URL', 'redis://[::1]:6379'],
  [
    'DATABASE_URL',
    'postgresql://u:p@db:5432/relais?sslmode=verify-full&sslrootcert=/etc/ca.pem&application_name=relais',
  ],
  ['PUBLIC_URL', 'https://relais.example/hooks'],
] as const)('an address with all that is read is taken: %s=%s', ([name, text]) => {
  expect(() => loadConfig({ [name]: text })).not.toThrow();
});

test.for(['+04:00', '+0400', '-01', 'UTC+4', 'PST', 'CST', 'africa', 'Africa/Dakar; DROP', ''])(
  'a time zone is a name, so that Redis, the API and PostgreSQL read it alike: %s is refused',
  (zone) => {
    expect(() => readTimeZone(zone)).toThrow('such as Africa/Dakar');
  },
);
test.for(['Africa/Porto-Novo', 'America/Argentina/Buenos_Aires', 'UTC', 'Etc/GMT+4'])('%s is a time zone', (zone) => {
  expect(readTimeZone(zone)).toBe(zone);
});

const secretNames = describeSettings().flatMap(({ name, secret }) =>
  secret && name !== 'DATABASE_URL' ? [name] : [],
);
const VALUES: Readonly<Record<string, string>> = { API_KEYS: 'shop:enqueue:a-key-of-24-characters-1' };
const valueOf = (name: string): string => VALUES[name] ?? 'a-secret-of-24-characters';
const revealed = (name: string, env: Readonly<Record<string, string>>): string | undefined =>
  (loadConfig(env) as unknown as Record<string, Secret | undefined>)[name]?.reveal();

describe.for(secretNames)('a file written on Windows: %s', (name) => {
  const withProvider = name === 'OIDC_CLIENT_SECRET' ? OF_PROVIDER : {};
  test('spaces and line ends around the value are dropped', () => {
    for (const around of ['\r', '\r\n', ' ', '\t'])
      expect(revealed(name, { ...withProvider, [name]: `${around}${valueOf(name)}${around}` })).toBe(valueOf(name));
  });

  test('so they are in a file, with a byte order mark', () => {
    const path = join(dir, `windows-${name}`);
    writeFileSync(path, `\uFEFF${valueOf(name)}\r\n`);
    expect(revealed(name, { ...withProvider, [`${name}_FILE`]: path })).toBe(valueOf(name));
  });

  test('a control character inside is refused by name, and the value is not shown', () => {
    const path = join(dir, `control-${name}`);
    writeFileSync(path, `${valueOf(name)}\u0007more`);
    for (const env of [{ [name]: `${valueOf(name)}\r\nmore` }, { [`${name}_FILE`]: path }]) {
      const problems = problemsOf({ ...withProvider, ...env });
      expect(problems).toContainEqual(expect.stringMatching(new RegExp(`^${name}(_FILE)?: `)));
      expect(problems.join()).not.toMatch(/24-char/);
    }
  });
});

test('a value of only spaces is not set', () => {
  const config = loadConfig({ SERVICE_MASTER_KEY: ' \r', TIMEZONE: 'Africa/Abidjan\r' });
  expect([config.SERVICE_MASTER_KEY, config.TIMEZONE]).toEqual([undefined, 'Africa/Abidjan']);
});

test('keys of ACCOUNTS_FILE have no line end, and no control character', () => {
  const path = join(dir, 'windows-accounts.json');
  writeFileSync(path, `\uFEFF${JSON.stringify({ shop: { masterKey: 'key-1\r\n', token: 'to\rken' } })}`);
  expect(problemsOf({ ACCOUNTS_FILE: path })).toEqual([
    expect.stringContaining('shop.token: contains the invisible character U+000D at position 3'),
  ]);
  writeFileSync(path, `\uFEFF${JSON.stringify({ shop: { masterKey: 'key-1\r\n' } })}`);
  expect(loadConfig({ ACCOUNTS_FILE: path }).ACCOUNTS_FILE?.holds['shop']?.masterKey?.reveal()).toBe('key-1');
});
