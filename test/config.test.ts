import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WrongSettings, describeConfig, loadConfig, missingFor } from '../src/config.ts';

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

test('a secret is shown only as set or missing', () => {
  const shown = JSON.stringify(describeConfig(loadConfig({ SERVICE_MASTER_KEY: 'canary-key' })));
  expect(shown).not.toContain('canary-key');
  expect(shown).toContain('"SERVICE_MASTER_KEY":"set"');
  expect(shown).toContain('"SERVICE_TOKEN":"missing"');
  const withPassword = describeConfig(loadConfig({ REDIS_URL: 'rediss://relais:canary-password@redis:6379/0' }));
  expect(withPassword['REDIS_URL']).toBe('rediss://relais:[secret]@redis:6379/0');
});
