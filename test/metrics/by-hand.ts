import type { Clock } from '../../src/lib/clock.ts';
import type { MetricsOptions } from '../../src/metrics/metrics.ts';

/** A manual clock. Wall and monotonic time begin at different numbers, as in reality. */
export function clockByHand(wallMs = 1_700_000_000_000): { clock: Clock; turn: (ms: number) => void } {
  let passedMs = 0;
  const waiting = new Set<{ atMs: number; run: () => void }>();
  const clock: Clock = {
    now: () => wallMs + passedMs,
    monotonic: () => 5_000 + passedMs,
    sinceBoot: () => 5_000 + passedMs,
    sleep: () => Promise.reject(new Error('nobody sleeps here')),
    after(ms, run) {
      const timer = { atMs: passedMs + ms, run };
      waiting.add(timer);
      return () => waiting.delete(timer);
    },
  };
  const turn = (ms: number): void => {
    passedMs += ms;
    for (const timer of [...waiting].filter(({ atMs }) => atMs <= passedMs)) {
      waiting.delete(timer);
      timer.run();
    }
  };
  return { clock, turn };
}

/** Sources of an idle service, and the reported errors. */
export function idleSources(clock: Clock): MetricsOptions & { errors: string[] } {
  const errors: string[] = [];
  return {
    queries: {
      outcomes: () => Promise.resolve({}),
      unfinishedUploads: () => Promise.resolve(0),
      eventsEmitted: () => Promise.resolve({}),
      counts: () => Promise.resolve({ count: {}, xof: {} }),
      oldestIn: () => Promise.resolve(undefined),
      backlog: () => Promise.resolve([]),
      due: () => Promise.resolve([]),
    },
    diagnostics: {
      publishing: () => Promise.resolve({ oldestAt: undefined, quarantined: 0, unsigned: 0 }),
      deadRows: () => Promise.resolve([]),
      oldestSnapshot: () => Promise.resolve(undefined),
      partitions: () => Promise.resolve({ defaults: [], until: undefined }),
    },
    accounts: { allHolds: () => Promise.resolve([]) },
    balances: () => Promise.resolve([]),
    misplaced: () => Promise.resolve(0),
    audit: () => Promise.resolve(undefined),
    jobCounts: () => Promise.resolve({}),
    oldestJobAt: () => Promise.resolve(undefined),
    recovering: () => false,
    unwitnessed: () => false,
    load: () => ({ inUse: 0, waiting: 0 }),
    clock,
    onError: (error) => errors.push(String(error)),
    errors,
  };
}

/** The printed samples of one metric: `{state="unknown"} 5`. */
export function samplesOf(page: string, name: string): string[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .map((line) => line.slice(name.length).trim());
}
