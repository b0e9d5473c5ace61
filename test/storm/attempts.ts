/** How long attempts took, from the lines that the workers wrote about them. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Child } from './child.ts';
import type { SeenAttempt } from './story.ts';

export interface Attempts {
  readonly count: number;
  /** Those that took longer than was asked about, by their workers' own clocks. */
  readonly long: readonly SeenAttempt[];
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** `dark`: when Redis was away. `longMs`: shorter ones are only counted. */
export async function readAttempts(
  workers: readonly Child[],
  dark: readonly Span[],
  longMs: number,
): Promise<Attempts> {
  let count = 0;
  const long: SeenAttempt[] = [];
  for (const worker of workers) {
    const lines = createInterface({ input: createReadStream(worker.plan.log) });
    for await (const line of lines) {
      const attempt = attemptIn(line);
      if (!attempt) continue;
      count += 1;
      const endedAt = Date.parse(attempt.time);
      const beganAt = endedAt - attempt.durationMs;
      const { queue, id, did, because, durationMs } = attempt;
      if (durationMs <= longMs) continue;
      const stoodStill = worker.stoodStill.some(({ from, to }) => from <= endedAt && to >= beganAt);
      const darkMs = dark.reduce((sum, span) => sum + overlapMs(span, { from: beganAt, to: endedAt }), 0);
      const settlement = `${did} (${because})`;
      long.push({ worker: worker.plan.name, queue, id, settlement, durationMs, darkMs, stoodStill });
    }
  }
  return { count, long };
}

const overlapMs = (a: Span, b: Span): number => Math.max(0, Math.min(a.to, b.to) - Math.max(a.from, b.from));

interface AttemptLine {
  readonly time: string;
  readonly queue: string;
  readonly id: string;
  readonly did: string;
  readonly because: string;
  readonly durationMs: number;
}

/** Undefined for any other line, and for one that was cut off with its process. */
function attemptIn(line: string): AttemptLine | undefined {
  if (!line.includes('"attempt finished"') || !line.endsWith('}')) return undefined;
  try {
    return JSON.parse(line) as AttemptLine;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
