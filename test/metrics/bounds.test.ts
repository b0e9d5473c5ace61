import { expect, test } from 'vitest';
import { words } from '../../src/metrics/label-words.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { clockByHand, idleSources, samplesOf } from './by-hand.ts';

const STRANGERS = Array.from({ length: 300 }, (_, number) => `+2217700${number}`);
const MOST_SERIES = 2_200;

const page = await everythingAtOnce();

test('with every event and unknown clients there are at most 2,200 series', () => {
  const series = page.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(series.length).toBeGreaterThan(1_000);
  expect(series.length).toBeLessThanOrEqual(MOST_SERIES);
});

test('no untrusted text becomes a label', () => {
  const strangers = page.split('\n').filter((line) => line.includes('+2217700'));
  expect(strangers.filter((line) => !line.startsWith('relais_held'))).toEqual([]);
});

test('the hundred oldest holds keep their account, the newer are counted together', () => {
  const held = samplesOf(page, 'relais_held');
  const named = held.filter((sample) => !sample.includes('account="other"'));
  expect(named).toHaveLength(100);
  expect(named[0]).toContain(STRANGERS.at(-1));
  const total = held.reduce((sum, sample) => sum + Number(sample.split(' ').at(-1)), 0);
  expect(total).toBe(STRANGERS.length * words.areas.length);
});

async function everythingAtOnce(): Promise<string> {
  const { clock } = clockByHand();
  const metrics = createMetrics({
    ...idleSources(clock),
    // These are names from the settings, never external text.
    balances: async () =>
      Array.from({ length: 200 }, (_, at) => ({ account: `shop-${at}`, country: 'SN', xof: 1, inFlight: 1 })),
    queries: {
      unfinishedUploads: () => Promise.resolve(0),
      eventsEmitted: () =>
        Promise.resolve({ ...everyCount(), ...Object.fromEntries(STRANGERS.map((type) => [type, 1])) }),
      outcomes: () => Promise.resolve({ sent: 1, failed: 2, unknown: 3, expired: 4 }),
      counts: () => Promise.resolve({ count: everyCount(), xof: everyCount() }),
      oldestIn: () => Promise.resolve(1),
      backlog: () => Promise.resolve(words.dueQueues.map((queue) => ({ queue, due: 1, oldestDueAt: 1 }))),
      due: () =>
        Promise.resolve(
          words.dueQueues.flatMap((queue) =>
            Array.from({ length: 200 }, (_, at) => ({
              queue,
              account: `shop-${at}`,
              due: 1,
              later: 0,
              oldestAt: at,
            })),
          ),
        ),
    },
    jobCounts: () => Promise.resolve(everyCount()),
    oldestJobAt: () => Promise.resolve(1),
    accounts: {
      allHolds: () =>
        Promise.resolve(
          STRANGERS.flatMap((account, number) =>
            words.areas.map((area) => ({ account, area, reason: reasonOf(number), since: -number })),
          ),
        ),
    },
  });
  for (const queue of [...words.queues, ...STRANGERS]) {
    for (const outcome of [...words.settlements, ...STRANGERS]) {
      metrics.attemptFinished({ queue, result: { outcome, reason: 'x' }, durationMs: 1 });
    }
  }
  for (const operation of words.operations) {
    for (const code of [...words.codes, ...STRANGERS]) metrics.exchanged({ operation, code, durationMs: 1 });
  }
  for (const kind of [...words.callbackKinds, ...STRANGERS]) {
    for (const verdict of [...words.callbackVerdicts, ...STRANGERS]) metrics.callbackReceived(kind, verdict);
    for (const hash of [...words.callbackHashes, ...STRANGERS]) metrics.callbackReceived(kind, 'noted', hash);
  }
  for (const outcome of [...words.stopOutcomes, ...STRANGERS]) metrics.stopLinkUsed(outcome);
  metrics.committed(1);
  metrics.lockLost(1);
  metrics.rolesAre([...words.roles, ...STRANGERS]);
  metrics.workersSeen(new Map([...words.queues, ...STRANGERS].map((queue) => [queue, 1])));
  for (const outcome of [...words.deliveryOutcomes, ...STRANGERS]) metrics.eventDelivered(outcome);
  return metrics.scrape();
}

function everyCount(): Record<string, number> {
  return Object.fromEntries([...words.states, ...words.jobStates, ...STRANGERS].map((name) => [name, 1]));
}

function reasonOf(number: number): string {
  return words.holdReasons[number % (words.holdReasons.length + 1)] ?? `reason ${number}`;
}
