import { openSync, readSync } from 'node:fs';
import { uptime } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { message } from '../messages/message.ts';
import { MessageError } from '../messages/texts.ts';

/** Time as a parameter, so that a test or a simulation controls it. */
export interface Clock {
  /** Wall-clock time in ms since the epoch. For records and display; never for durations. */
  now(): number;
  /**
   * Milliseconds that only grow. For time-outs and durations: a wall clock may jump. It stops while the machine is
   * suspended, so requests with an effect do not rely on it alone: see `lateness`.
   */
  monotonic(): number;
  /** Milliseconds since the machine was started, including suspensions. */
  sinceBoot(): number;
  /** Resolves after `ms`, or rejects with an AbortError when the signal fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `run` after `ms`; the returned function cancels it. Never keeps the process alive by itself. */
  after(ms: number, run: () => void): () => void;
}

/** Reads the file that `os.uptime` opens, reads and closes each time: each send asks for the time since boot several times. */
function sinceBoot(): () => number {
  let file: number;
  try {
    file = openSync('/proc/uptime', 'r');
  } catch {
    // Not Linux.
    return () => uptime() * 1_000;
  }
  const buffer = Buffer.alloc(64);
  return () =>
    Number(buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0)).split(' ', 1)[0]) * 1_000;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sinceBoot: sinceBoot(),
  sleep: (ms, signal) => delay(ms, undefined, signal ? { signal } : {}),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** One moment on each clock of this machine, ms. */
export interface Moment {
  readonly wall: number;
  readonly mono: number;
  readonly boot: number;
}

type Clocks = Pick<Clock, 'now' | 'monotonic' | 'sinceBoot'>;

export function momentOf(clock: Clocks): Moment {
  return { wall: clock.now(), mono: clock.monotonic(), boot: clock.sinceBoot() };
}

/** The time between two moments, including suspensions. The wall clock is not used: it may be set. */
export function msBetween(from: Moment, until: Moment): number {
  return Math.max(until.mono - from.mono, until.boot - from.boot);
}

/** A deadline: a duration after a moment. */
export interface Deadline {
  readonly since: Moment;
  readonly ms: number;
}

/** More than the error of a clock with whole seconds, and far less than half a lease. */
const GAP_MS = 5_000;

/**
 * Why a request with an effect must not leave any more, if so. Every clock has to allow it. The monotonic clock stops
 * while a machine is suspended; the boot clock also stops while a virtual machine is paused; the wall clock may be
 * set back. If the clocks disagree, one of these happened, and no earlier request leaves.
 */
export function lateness({ since, ms }: Deadline, clock: Clocks): 'send_deadline' | 'clocks_disagree' | undefined {
  const now = momentOf(clock);
  const passed = [now.wall - since.wall, now.mono - since.mono, now.boot - since.boot];
  if (Math.max(...passed) - Math.min(...passed) > GAP_MS) return 'clocks_disagree';
  return Math.max(...passed) > ms ? 'send_deadline' : undefined;
}

/** Time-outs and retries for every folder. */

/** The answer, or `late()` as the error if it does not arrive in time. A later answer is dropped. */
export function within<T>(
  { clock, ms, late }: { readonly clock: Pick<Clock, 'after'>; readonly ms: number; readonly late: () => Error },
  asked: Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const disarm = clock.after(Math.max(0, ms), () => reject(late()));
    asked.then(resolve, reject).finally(disarm);
  });
}

/** False if the deadline came first. */
export async function withDeadline(clock: Clock, ms: number, work: () => Promise<unknown>): Promise<boolean> {
  const late = new AbortController();
  const outcome = await Promise.race([
    work().then(() => true),
    clock.sleep(ms, late.signal).then(
      () => false,
      () => true,
    ),
  ]);
  late.abort();
  return outcome;
}

interface RetryOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  /** For all tries together, ms. */
  readonly limitMs: number;
  readonly pauseMs: number;
  /** Fires when the process stops: waiting ends. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the error may be temporary; called for each error. */
  readonly again: (error: unknown, waitedMs: number) => boolean;
}

/** Retries until success, a permanent error, or the time limit. Then it throws the last error. */
export async function retryUntilDeadline<T>(
  attempt: (leftMs: number) => Promise<T>,
  { clock, limitMs, pauseMs, signal, again }: RetryOptions,
): Promise<T> {
  const startedMono = clock.monotonic();
  for (;;) {
    try {
      return await attempt(startedMono + limitMs - clock.monotonic());
    } catch (error) {
      const waitedMs = clock.monotonic() - startedMono;
      if (!again(error, waitedMs) || signal?.aborted || waitedMs >= limitMs) throw error;
      // Only a stop interrupts the sleep, and then the next attempt is the last.
      await clock.sleep(Math.min(pauseMs, limitMs - waitedMs), signal).catch(() => undefined);
    }
  }
}

/** Durations in settings are strings with a unit; names of computed durations end in `Ms`. */
const MS_PER_UNIT = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Parses `250ms`, `30s`, `10m`, `24h`, `30d`. Throws a RangeError that lists the formats. */
export function toMs(text: string): number {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim()) ?? [];
  if (count === undefined) throw new MessageError(message('duration', { text }));
  return Math.round(Number(count) * MS_PER_UNIT[unit as keyof typeof MS_PER_UNIT]);
}

/** `90_000` → `1m 30s`; the two largest units, for display. */
export function describeMs(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  const parts: string[] = [];
  let rest = Math.round(ms / 1_000) * 1_000;
  for (const unit of ['d', 'h', 'm', 's'] as const) {
    const count = Math.floor(rest / MS_PER_UNIT[unit]);
    if (count > 0) parts.push(`${count}${unit}`);
    rest -= count * MS_PER_UNIT[unit];
  }
  return parts.slice(0, 2).join(' ');
}

/** RFC 9110: a number of seconds, or a date in one of three formats. Servers also write fractions and ISO dates. */
const SECONDS = /^\d+(?:\.\d+)?$/;
const DATE = /^(?:[A-Z][a-z]{2,8},? .*|\d{4}-\d\d-\d\dT)\d\d:\d\d:\d\d/;
const HAS_ZONE = /(?:GMT|Z|[+-]\d\d:?\d\d)$/;

/** The wait in ms, rounded to seconds. Undefined: unusable, or in the past, for example if two clocks differ. */
export function readRetryAfter(text: string, now: number): number | undefined {
  const written = text.trim();
  if (SECONDS.test(written)) return Math.ceil(Number(written)) * 1_000;
  if (!DATE.test(written)) return undefined;
  // The third format has no zone and means UTC.
  const ms = Date.parse(HAS_ZONE.test(written) ? written : `${written} GMT`) - now;
  return ms > 0 ? Math.ceil(ms / 1_000) * 1_000 : undefined;
}
