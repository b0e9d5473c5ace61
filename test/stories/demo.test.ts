import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const DEMO = fileURLToPath(new URL('../../script/demo', import.meta.url));

/** Leftover files here were forgotten. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'relais-story-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function demo(): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(DEMO, { env: { ...process.env, TMPDIR: folder }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      output += data.toString();
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

/** Lines of a screen: the typed command and the next prompt take two of its thirty. */
const LINES = 28;
const COLUMNS = 100;

test('the demo ends with equal records', async () => {
  const { code, output } = await demo();
  expect(output).toMatch(/1955 sent, 0 failed, 0 unknown +1955 sent, 0 of them twice/);
  expect(output).toMatch(/48 succeeded, 2 failed +48 made, 0 of them twice/);
  expect(output).toContain('Nothing took effect twice');
  expect(output).toMatch(/Killed worker-1 \(pid \d+\) with SIGKILL/);
  expect(code).toBe(0);
  // Everything has stopped: a page remains, and its address is the last line.
  const [, page = ''] = /The report of the day: (file:\/\/\S+\.html)\n$/.exec(output) ?? [];
  expect(readFileSync(new URL(page), 'utf8')).toContain('<table');
  expect(page).toContain('/.relais/');
  // The number of progress lines depends on the machine.
  const lines = output
    .trimEnd()
    .split('\n')
    .filter((line) => !line.endsWith(' payments ended'));
  expect(lines.length).toBeLessThanOrEqual(LINES);
  expect(lines.slice(0, -1).filter((line) => line.length > COLUMNS)).toEqual([]);
  expect(output).not.toContain('\u001b');
  expect(readdirSync(folder)).toEqual([]);
});
