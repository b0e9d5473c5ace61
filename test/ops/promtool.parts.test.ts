import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { words } from '../../src/metrics/label-words.ts';
import { clockByHand, idleSources } from '../metrics/by-hand.ts';
import { missing, promtool } from './prometheus.ts';
import { OPS } from './rules-files.ts';

const inOps = (path: string): string => fileURLToPath(new URL(path, OPS));
const filesIn = (folder: string): string[] => readdirSync(new URL(folder, OPS)).map((file) => inOps(folder + file));

describe.skipIf(missing)('promtool', () => {
  test('finds the rules, and the configuration that loads them, in order', async () => {
    expect(await promtool(['check', 'config', inOps('prometheus/prometheus.yml')])).toMatchObject({ ok: true });
    const { ok, output } = await promtool(['check', 'rules', ...filesIn('prometheus/rules/')]);
    expect([ok, output]).toEqual([true, expect.stringContaining('SUCCESS')]);
  });

  test('every rule passes its tests', async () => {
    expect(await promtool(['test', 'rules', ...filesIn('prometheus/tests/')])).toMatchObject({ ok: true });
  });

  test('accepts a full metrics page of ours', async () => {
    const { ok, output } = await promtool(['check', 'metrics'], await ours(everythingOnce()));
    expect([ok, output]).toEqual([true, '']);
  });
});

/** Node's own metrics are named by prom-client. */
async function ours(page: Promise<string>): Promise<string> {
  const lines = (await page).split('\n');
  return `${lines.filter((line) => /^(# (HELP|TYPE) )?relais_/.test(line)).join('\n')}\n`;
}

async function everythingOnce(): Promise<string> {
  const { clock } = clockByHand();
  const idle = idleSources(clock);
  const metrics = createMetrics({
    ...idle,
    balances: () => Promise.resolve([{ account: 'main', country: 'SN', xof: 1_000, inFlight: 200 }]),
    accounts: { allHolds: () => Promise.resolve([{ account: 'main', area: 'payments', reason: 'funds', since: 1 }]) },
    queries: {
      ...idle.queries,
      backlog: () => Promise.resolve(words.dueQueues.map((queue) => ({ queue, due: 1, oldestDueAt: 1 }))),
      due: () => Promise.resolve([{ queue: 'disbursement', account: 'main', due: 1, later: 0, oldestAt: 1 }]),
    },
  });
  metrics.rolesAre(words.roles);
  metrics.workersSeen(new Map(words.queues.map((queue) => [queue, 0])));
  for (const queue of words.queues)
    metrics.attemptFinished({ queue, result: { outcome: 'ended', reason: 'x' }, durationMs: 1 });
  for (const operation of words.operations) metrics.exchanged({ operation, code: 'ok', durationMs: 1 });
  metrics.committed(1);
  return metrics.scrape();
}
