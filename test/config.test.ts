import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WrongSettings, apiKeysOf, describeConfig, loadConfig, missingFor } from '../src/config.ts';

const problemsOf = (env: Record<string, string>): readonly string[] => {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof WrongSettings) return error.problems;
    throw error;
  }
  return [];
};

test('with nothing set, every setting has its default', () => {
  const config = loadConfig({});
  expect(config).toMatchObject({ DISBURSEMENT_QUIET_PERIOD: 60_000, UPSTREAM_RATE: 50, SERVICE_MODE: 'live' });
  expect(config.DISBURSEMENT_POLL).toEqual([2, 5, 10, 20, 40, 60, 120, 300, 600, 1800].map((s) => s * 1_000));
});

test('all that is wrong is named at once, each with what would be right', () => {
  const problems = problemsOf({
    UPSTREAM_TIMEOUT: '60',
    API_PORT: 'eighty',
    SERVICE_MODE: 'prod',
    DISBURSEMENT_POLL: '2s,soon',
    SERVICE_BASE_URL: 'somewhere',
  });
  expect(problems).toHaveLength(5);
  expect(problems.join('\n')).toContain(
    'UPSTREAM_TIMEOUT: not a duration: "60" (write it as 250ms, 30s, 10m, 24h or 30d)',
  );
  expect(problems.join('\n')).toContain('SERVICE_MODE: must be live or test');
  expect(problems.join('\n')).toContain('DISBURSEMENT_POLL: not a duration: "soon"');
});

test('an empty variable is one that is not set', () => {
  expect(loadConfig({ SERVICE_BASE_URL: '', API_PORT: '' }).API_PORT).toBe(3000);
});

test('a secret may come from a file, and one that cannot be read is named', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'relais-config-')), 'key');
  writeFileSync(path, 'from-a-file\n');
  expect(loadConfig({ SERVICE_MASTER_KEY_FILE: path }).SERVICE_MASTER_KEY?.reveal()).toBe('from-a-file');
  expect(problemsOf({ SMS_APP_KEY_FILE: '/nowhere/key' }).join()).toContain('SMS_APP_KEY_FILE: cannot be read');
});

test('what a role cannot do without is named with its meaning', () => {
  expect(missingFor({}, ['worker']).map((line) => line.split(':')[0])).toEqual([
    'SERVICE_BASE_URL',
    'SERVICE_CRM_URL',
    'CALLBACK_SECRET',
  ]);
  expect(missingFor({}, ['api'])).toEqual([]);
});

const LONG = 'a'.repeat(24);
/** What takes a process off loopback: somebody else can reach it, or it talks to the real service. */
const outside: readonly Record<string, string>[] = [
  { HOST: '0.0.0.0' },
  { PUBLIC_URL: 'https://hooks.example' },
  { SERVICE_BASE_URL: 'https://pay.example' },
  { SERVICE_CRM_URL: 'https://crm.example' },
];

test.for(outside)('off loopback (%o) a short secret is refused, and how long it must be is told', (place) => {
  expect(problemsOf({ ...place, CALLBACK_SECRET: 'a', SEALING_SECRET: `${LONG},b` })).toEqual([
    'CALLBACK_SECRET: has 1 characters; 24 is the least (openssl rand -hex 32)',
    'SEALING_SECRET: number 2 has 1 characters; 24 is the least (openssl rand -hex 32)',
  ]);
  expect(problemsOf({ ...place, CALLBACK_SECRET: LONG, SEALING_SECRET: LONG })).toEqual([]);
  const keys = missingFor({ ...place, SEALING_SECRET: LONG, API_KEYS: `w:read:1,x:read:sha256:${'0'.repeat(64)}` }, [
    'api',
  ]);
  expect(keys).toEqual([
    expect.stringContaining('API_KEYS: entry 1: the secret of "w" has 1 characters; 24 is the least'),
  ]);
  expect(missingFor({ ...place, SEALING_SECRET: LONG }, ['api'])).toEqual([
    expect.stringContaining('API_KEYS: is needed'),
  ]);
  expect(missingFor({ ...place, API_KEYS: `w:read:${LONG}` }, ['api'])).toEqual([
    expect.stringContaining('SEALING_SECRET: is not set'),
  ]);
});

test('on this machine alone a short secret will do, and keys are there already', () => {
  const here = { SERVICE_BASE_URL: 'http://127.0.0.1:4010', HOST: 'localhost', PUBLIC_URL: 'http://[::1]:3001' };
  expect(problemsOf({ ...here, CALLBACK_SECRET: 'a' })).toEqual([]);
  expect(missingFor(here, ['api'])).toEqual([]);
  expect(missingFor({ ...here, API_KEYS: 'w:read:1' }, ['api'])).toEqual([]);
  expect(apiKeysOf(loadConfig(here)).map(({ name }) => name)).toEqual(['dev', 'checker']);
});

test('a secret is shown only as set or missing', () => {
  const shown = JSON.stringify(describeConfig(loadConfig({ SERVICE_MASTER_KEY: 'canary-key' })));
  expect(shown).not.toContain('canary-key');
  expect(shown).toContain('"SERVICE_MASTER_KEY":"set"');
  expect(shown).toContain('"SERVICE_TOKEN":"missing"');
  const withPassword = describeConfig(loadConfig({ REDIS_URL: 'rediss://relais:canary-password@redis:6379/0' }));
  expect(withPassword['REDIS_URL']).toBe('rediss://relais:[secret]@redis:6379/0');
});
