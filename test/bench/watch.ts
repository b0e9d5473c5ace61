/** Resources used by a process, as counted by Linux. */
import { readFileSync, readdirSync } from 'node:fs';

/** Duration of one kernel tick; equal on every Linux that Node supports. */
const TICK_MS = 10;
const KIB = 1_024;

/** Fields of /proc/<pid>/stat after the name, counted from 0. */
const PARENT = 1;
const OWN = [11, 12] as const;
const OF_CHILDREN = [13, 14] as const;

/** User and system time of a process and its descendants, including ended ones, ms. */
export function cpuMs(pid: number): number {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? []);
  const below = (parent: number): number =>
    stats.filter((one) => one.parent === parent).reduce((sum, one) => sum + one.ms + below(one.pid), 0);
  return (stats.find((one) => one.pid === pid)?.ms ?? 0) + below(pid);
}

/** Current memory of a process, bytes. */
export function memoryBytes(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib ?? 0) * KIB;
}

function statOf(pid: number): { readonly pid: number; readonly parent: number; readonly ms: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may contain spaces, so fields are counted after it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = [...OWN, ...OF_CHILDREN].reduce((sum, at) => sum + Number(fields[at] ?? 0), 0);
    return { pid, parent: Number(fields[PARENT]), ms: ticks * TICK_MS };
  } catch (error) {
    // It ended after the list was read.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
