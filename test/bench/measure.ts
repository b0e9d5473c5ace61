/** Processor time of a piece of work, by process. */
import { cpuMs } from './watch.ts';

export type Pids = Readonly<Record<string, number>>;

export interface Used {
  /** By process, ms of processor time. */
  readonly cpuMs: Readonly<Record<string, number>>;
  /** Wall-clock time, ms. */
  readonly ms: number;
}

/** Resources of the processes while `work` runs. */
export async function whileWatching(pids: Pids, work: () => Promise<unknown>): Promise<Used> {
  const before = each(pids);
  const started = performance.now();
  await work();
  const ms = performance.now() - started;
  const spent = Object.entries(each(pids)).map(([name, after]) => [name, after - (before[name] ?? 0)]);
  return { cpuMs: Object.fromEntries(spent), ms };
}

export const cpuOf = (used: Used): number => Object.values(used.cpuMs).reduce((sum, ms) => sum + ms, 0);

/** Every contender runs in each round, so that other load affects all of them. */
export async function inTurns<T>(
  rounds: number,
  contenders: Readonly<Record<string, () => Promise<T>>>,
): Promise<Readonly<Record<string, readonly T[]>>> {
  const results: Record<string, T[]> = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(contenders)) (results[name] ??= []).push(await run());
  }
  return results;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const low = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0;
  const high = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return (low + high) / 2;
}

function each(pids: Pids): Record<string, number> {
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, cpuMs(pid)]));
}
