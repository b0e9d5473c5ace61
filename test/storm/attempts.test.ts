/** What the storm knows of how long attempts took, from a log that is made up. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readAttempts, within } from './attempts.ts';

const dir = mkdtempSync(join(tmpdir(), 'relais-attempts-'));
afterAll(() => rmSync(dir, { recursive: true }));

const at = (second: number): string => new Date(second * 1_000).toISOString();
const said = (second: number, fields: object): string =>
  JSON.stringify({ level: 'info', time: at(second), ...fields });

test('a time without PostgreSQL that a worker tells of is none of an attempt, and one that all had counts once', async () => {
  const log = join(dir, 'worker.log');
  const attempt = { queue: 'status-poll', id: 'slc_1', did: 'ended', because: 'looked', msg: 'attempt finished' };
  writeFileSync(
    log,
    [
      said(10, { msg: 'PostgreSQL is away: what needs it waits, and is tried again by itself' }),
      said(13, { msg: 'PostgreSQL is back' }),
      said(15, { ...attempt, durationMs: 6_000 }),
      said(16, { ...attempt, durationMs: 10 }),
    ].join('\n'),
  );
  const worker = { plan: { name: 'worker-1', log }, stoodStill: [] };
  const { count, long } = await readAttempts([worker], [{ from: 12_000, to: 14_000 }], 1_000);
  expect([count, long.map(({ durationMs, darkMs }) => [durationMs, darkMs])]).toEqual([2, [[6_000, 4_000]]]);
});

test('what lies before, behind and in a time is told apart', () => {
  const spans = [
    { from: 0, to: 5 },
    { from: 8, to: 9 },
    { from: 19, to: 40 },
  ];
  expect(within({ from: 4, to: 20 }, spans)).toBe(3);
});
