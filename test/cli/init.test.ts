import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { apiKeysOf, loadConfig, missingFor } from '../../src/config.ts';
import { relais } from './terminal.ts';

/** Known only to the operator. */
const DATABASE_URL = 'postgres://relais:secret@localhost:5432/relais';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'relais-init-'));
  file = join(folder, '.env');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** As a shell reads it. */
function settingsIn(path: string): Record<string, string> {
  const text = execFileSync('/bin/sh', ['-c', `set -a; . "${path}"; env -0`], { env: {}, encoding: 'utf8' });
  return Object.fromEntries(
    text
      .split('\0')
      .filter((line) => line !== '' && !/^(PWD|SHLVL|_|OLDPWD)=/.test(line))
      .map((line): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

test('--yes asks no question and writes secrets that relais starts with, readable only by its user', async () => {
  const { code, stdout } = await relais(['init', '--yes', '--file', file], { isTerminal: true });
  expect(code).toBe(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const env = settingsIn(file);
  expect(env['CALLBACK_SECRET']).toMatch(/^[0-9a-f]{64}$/);
  expect(env['SEALING_SECRET']).not.toBe(env['CALLBACK_SECRET']);
  const config = loadConfig({ ...env, HOST: '0.0.0.0', DATABASE_URL }, (given) =>
    missingFor(given, ['api', 'webhooks']),
  );
  const keys = apiKeysOf(config).map(({ name, roles }) => [name, [...roles].join('+')]);
  expect(keys).toEqual([
    ['service', 'enqueue+read'],
    ['operator', 'enqueue+read+operate'],
    ['approver', 'read+approve'],
  ]);
  expect(env['API_KEYS']).toContain(`operator:enqueue+read+operate:${env['RELAIS_API_KEY']}`);
  expect(stdout).toContain('DATABASE_URL, SERVICE_BASE_URL');
  for (const secret of Object.values(env).filter((value) => value.length > 30)) expect(stdout).not.toContain(secret);
});

test('a file that is there is left as it is, and its content is not read out', async () => {
  writeFileSync(file, 'CALLBACK_SECRET=mine\n');
  const { code, stdout, stderr } = await relais(['init', '--yes', '--file', file]);
  expect([code, readFileSync(file, 'utf8')]).toEqual([1, 'CALLBACK_SECRET=mine\n']);
  expect(stdout + stderr).toContain('exists already');
  expect(stdout + stderr).not.toContain('mine');
});

test('if no file can be written it names a place where one can', async () => {
  const { code, stderr } = await relais(['init', '--yes', '--file', join(folder, 'nowhere', '.env')]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/cannot be written \(ENOENT\).*\n.*Name another place with --file/);
});

test('two files have no secret in common', async () => {
  const other = join(folder, 'other.env');
  await relais(['init', '--yes', '--file', file]);
  await relais(['init', '--yes', '--file', other]);
  const [one, two] = [settingsIn(file), settingsIn(other)];
  for (const name of ['CALLBACK_SECRET', 'SEALING_SECRET', 'API_KEYS', 'RELAIS_API_KEY'])
    expect(one[name]).not.toBe(two[name]);
});

test('on a terminal it asks, repeats a question after an invalid answer, and leaves out unused settings', async () => {
  const typed = [
    DATABASE_URL,
    '',
    'nonsense',
    'https://crm.example',
    'user',
    'secret',
    'app',
    'BOUTIQUE',
    'sn',
    'SN',
    '',
  ];
  const { code, stderr } = await relais(['init', '--file', file], {
    isTerminal: true,
    types: `${typed.join('\n')}\n`,
  });
  expect(code).toBe(0);
  const env = settingsIn(file);
  expect(env).toMatchObject({
    DATABASE_URL,
    SERVICE_CRM_URL: 'https://crm.example',
    SMS_APP_KEY: 'app',
    DEFAULT_COUNTRY: 'SN',
  });
  expect(Object.keys(env).filter((name) => name.startsWith('SERVICE_'))).toEqual(['SERVICE_CRM_URL']);
  expect(stderr).toContain('SERVICE_CRM_URL: must be an address');
});

test('it speaks French where the terminal does, or where it is asked to', async () => {
  const asked = await relais(['--lang', 'fr', 'init', '--yes', '--file', file]);
  expect(asked.stdout).toContain('est écrit');
  const again = await relais(['init', '--file', file], { env: { LANG: 'fr_SN.UTF-8' } });
  expect(again.stderr).toContain('existe déjà');
  expect((await relais(['init', '--file', file, '--lang=en'], { env: { LANG: 'fr_SN' } })).stderr).toContain(
    'exists already',
  );
});

test('Ctrl-C at a question writes nothing', async () => {
  const types = `${DATABASE_URL}\n\u0003`;
  const argv = ['init', '--file', file];
  const { code, stderr } = await relais(argv, { types, onKeys: true, isTerminal: true });
  expect([code, existsSync(file)]).toEqual([1, false]);
  expect(stderr).toContain('Stopped.');
});
