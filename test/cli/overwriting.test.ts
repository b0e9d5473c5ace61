import { linkSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { relais } from './terminal.ts';

const PEOPLE = 'to\n771234567\n+221771234568\n';

/** A file of recipients, and its other names. */
function aFile() {
  const folder = mkdtempSync(join(tmpdir(), 'relais-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'people.csv');
  writeFileSync(file, PEOPLE);
  symlinkSync(file, join(folder, 'link.csv'));
  linkSync(file, join(folder, 'other.csv'));
  const names = [`${folder}/./people.csv`, join(folder, 'link.csv'), join(folder, 'other.csv')];
  return { file, names, text: () => readFileSync(file, 'utf8') };
}

describe.each([
  ['campaign check', []],
  ['campaign create', ['--name', 'Rappel', '--text', 'Bonjour', '--dry-run']],
  ['disburse batch', []],
])('%s', (command, flags) => {
  test('never overwrites the file with its list, under any of its names', async () => {
    const { file, names, text } = aFile();
    for (const name of names) {
      const { code, stderr } = await relais([...command.split(' '), name, '--csv', file, ...flags]);
      expect([code, stderr]).toEqual([2, expect.stringContaining('overwrite')]);
      expect(text()).toBe(PEOPLE);
    }
  });
});
