/** One run of one contender: how long, how much of the machine. */
import { cpuMs, forgetPeak, peakBytes } from './watch.ts';

export interface Used {
  /** By process, ms of processor time. */
  readonly cpuMs: Readonly<Record<string, number>>;
  /** By process, bytes. */
  readonly peakBytes: Readonly<Record<string, number>>;
}

export type Pids = Readonly<Record<string, number>>;

/** What the processes use while `work` runs. */
export async function whileWatching<T>(pids: Pids, work: () => Promise<T>): Promise<{ value: T; used: Used }> {
  const before = each(pids, cpuMs);
  for (const pid of Object.values(pids)) forgetPeak(pid);
  const value = await work();
  const after = each(pids, cpuMs);
  const spent = Object.entries(after).map(([name, ms]) => [name, ms - (before[name] ?? 0)]);
  return { value, used: { cpuMs: Object.fromEntries(spent), peakBytes: each(pids, peakBytes) } };
}

/** Of all processes that a contender brings; the service is nobody's. */
export function cpuOf({ cpuMs: spent }: Used): number {
  return Object.entries(spent).reduce((sum, [name, ms]) => (name === 'sandbox' ? sum : sum + ms), 0);
}

function each(pids: Pids, of: (pid: number) => number): Record<string, number> {
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, of(pid)]));
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[middle]];
  return (low + high) / 2;
}
