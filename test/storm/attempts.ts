/** Durations of attempts, from the workers' log lines. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { SeenAttempt } from './story.ts';

export interface Attempts {
  readonly count: number;
  /** Attempts longer than the limit, by their workers' own clocks. */
  readonly long: readonly SeenAttempt[];
}

/** The data of a worker that is read after the storm. */
interface SeenWorker {
  readonly plan: { readonly name: string; readonly log: string };
  /** When its process was frozen. */
  readonly stoodStill: readonly Span[];
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * `dark`: when PostgreSQL was away for all; a worker logs when it was away for it alone. `longMs`: shorter ones are
 * only counted.
 */
export async function readAttempts(
  workers: readonly SeenWorker[],
  dark: readonly Span[],
  longMs: number,
): Promise<Attempts> {
  let count = 0;
  const long: SeenAttempt[] = [];
  for (const worker of workers) {
    const lines = createInterface({ input: createReadStream(worker.plan.log) });
    const away = new Away();
    for await (const line of lines) {
      away.hear(line);
      const attempt = attemptIn(line);
      if (!attempt) continue;
      count += 1;
      const endedAt = Date.parse(attempt.time);
      const beganAt = endedAt - attempt.durationMs;
      const { queue, id, did, because, durationMs } = attempt;
      if (durationMs <= longMs) continue;
      const stoodStill = worker.stoodStill.some(({ from, to }) => from <= endedAt && to >= beganAt);
      const darkMs = within({ from: beganAt, to: endedAt }, [...dark, ...away.spans]);
      const settlement = `${did} (${because})`;
      long.push({ worker: worker.plan.name, queue, id, settlement, durationMs, darkMs, stoodStill });
    }
  }
  return { count, long };
}

/** When a worker had no PostgreSQL, from its log. */
class Away {
  readonly spans: Span[] = [];
  #from: number | undefined;

  hear(line: string): void {
    if (!line.includes('"msg":"PostgreSQL ')) return;
    const at = Date.parse(/"time":"([^"]+)"/.exec(line)?.[1] ?? '');
    if (line.includes('"msg":"PostgreSQL is away')) this.#from ??= at;
    else if (this.#from !== undefined && line.includes('"msg":"PostgreSQL is back')) {
      this.spans.push({ from: this.#from, to: at });
      this.#from = undefined;
    }
  }
}

/** The part of a period within any of the spans, ms; overlapping spans count once. */
export function within(time: Span, spans: readonly Span[]): number {
  let [counted, sum] = [time.from, 0];
  for (const { from, to } of spans.toSorted((one, other) => one.from - other.from)) {
    const end = Math.min(to, time.to);
    sum += Math.max(0, end - Math.max(from, counted));
    counted = Math.max(counted, end);
  }
  return sum;
}

interface AttemptLine {
  readonly time: string;
  readonly queue: string;
  readonly id: string;
  readonly did: string;
  readonly because: string;
  readonly durationMs: number;
}

/** Undefined for any other line, and for one truncated by the end of its process. */
function attemptIn(line: string): AttemptLine | undefined {
  if (!line.includes('"attempt finished"') || !line.endsWith('}')) return undefined;
  try {
    return JSON.parse(line) as AttemptLine;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
