/** What a process has used, as the kernel counts it. Where the kernel keeps no such files (macOS), nothing is known. */
import { readFileSync, writeFileSync } from 'node:fs';

/** Of one tick of the kernel's count; the same on every Linux that Node runs on. */
const TICK_MS = 10;
const KIB = 1_024;

/** User and system time so far, ms. */
export function cpuMs(pid: number): number {
  const text = read(pid, 'stat');
  // The name in brackets may hold spaces, so fields are counted from behind it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MS;
}

/** The most memory it has held since the last `forgetPeak`, bytes. */
export function peakBytes(pid: number): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB/m.exec(read(pid, 'status')) ?? [];
  return Number(kib ?? 0) * KIB;
}

export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch (error) {
    // Some kernels and containers do not allow it; the peak then counts from the start of the process.
    if (!(error instanceof Error)) throw error;
  }
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    if (error instanceof Error) return '';
    throw error;
  }
}
