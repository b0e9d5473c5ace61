import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { relais } from './terminal.ts';

const EXAMPLE = 'examples/recipients.csv';

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'relais-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

test('a file without doubts is done', async () => {
  const folder = folderWith({ 'a.csv': 'to;prenom\n771234567;Awa\n+221771234568;Ben\n' });
  const argv = ['campaign', 'check', join(folder, 'a.csv'), '--country', 'sn', '--text', 'Bonjour {{prenom}}'];
  const { code, stdout } = await relais(argv);
  expect(code).toBe(0);
  expect(stdout).toContain('2 rows: 2 recipients, 0 skipped');
  expect(stdout).toContain('Estimate: 2 segments');
});

test('numbers without a country need a decision, and the flags for it are named', async () => {
  const file = join(folderWith({ 'a.csv': 'to\n771234567\n+221771234568\n' }), 'a.csv');
  const { code, stdout } = await relais(['campaign', 'check', file]);
  expect(code).toBe(1);
  expect(stdout).toContain('1 numbers have no country code: --country SN');
  expect(stdout).toContain('--leave-out no_country');

  expect(await relais(['campaign', 'check', file, '--country', 'SN'])).toMatchObject({ code: 0 });
  expect(await relais(['campaign', 'check', file, '--leave-out', 'no_country'])).toMatchObject({ code: 0 });
});

test('old numbers need a decision, and --repair is one', async () => {
  const file = join(folderWith({ 'a.csv': 'to\n+22507000001\n+221771234568\n' }), 'a.csv');
  expect((await relais(['campaign', 'check', file])).stdout).toContain('--repair CI,BJ renews them');
  const { code, stdout } = await relais(['campaign', 'check', file, '--repair', 'CI']);
  expect(code).toBe(0);
  expect(stdout).toContain('+22507000001 → +2250707000001');
});

test('--json is the whole report with the open decisions', async () => {
  const { code, stdout } = await relais(['campaign', 'check', EXAMPLE, '--json']);
  expect(code).toBe(1);
  const report = JSON.parse(stdout);
  expect(report.total).toBe(2_000);
  expect(report.recipients + report.skipped).toBe(2_000);
  expect(report.decisions[0]).toMatchObject({
    reason: 'no_country',
    flags: ['--country SN', '--leave-out no_country'],
  });
});

test('--csv holds every skipped row, once, under one header', async () => {
  const bad = Array.from({ length: 1_200 }, (_, at) => `nobody ${at}`).join('\n');
  const folder = folderWith({ 'a.csv': `to\n+221771234568\n${bad}\n` });
  const argv = ['campaign', 'check', join(folder, 'a.csv'), '--csv', join(folder, 'out.csv')];
  expect(await relais(argv)).toMatchObject({ code: 0 });
  const lines = readFileSync(join(folder, 'out.csv'), 'utf8').trimEnd().split('\r\n');
  expect(lines).toHaveLength(1_201);
  expect(lines[0]).toContain('row;to;reason');
  expect(new Set(lines).size).toBe(1_201);
});

test('a file that cannot be used leaves no list behind', async () => {
  const folder = folderWith({ 'a.csv': 'nom;ville\nAwa;Dakar\n' });
  const argv = ['campaign', 'check', join(folder, 'a.csv'), '--csv', join(folder, 'out.csv')];
  const { code, stderr } = await relais(argv);
  expect(code).toBe(1);
  expect(stderr).toContain('Name it “to”');
  expect(readdirSync(folder)).toEqual(['a.csv']);
});

test('nobody to text is no success', async () => {
  const file = join(folderWith({ 'a.csv': 'to\nnobody\n' }), 'a.csv');
  const { code, stderr } = await relais(['campaign', 'check', file]);
  expect(code).toBe(1);
  expect(stderr).toContain('Nobody would get a text.');
});

test.for([
  ['a file that is not there', ['nowhere.csv'], 1, 'nowhere.csv: there is no such file.'],
  ['a folder', ['src'], 1, 'it is a folder'],
  ['a text whose braces do not match', [EXAMPLE, '--text', 'Bonjour {{nom'], 2, 'braces do not match'],
  ['a country nobody knows', [EXAMPLE, '--country', 'XX'], 2, 'not a country'],
  ['a country that cannot be repaired', [EXAMPLE, '--repair', 'SN'], 2, 'There is: CI, BJ'],
  ['a list over the file itself', [EXAMPLE, '--csv', EXAMPLE], 2, 'overwrite'],
] as const)('%s is said so', async ([, flags, exit, words]) => {
  const { code, stderr } = await relais(['campaign', 'check', ...flags]);
  expect(stderr).toContain(words);
  expect(code).toBe(exit);
});
