import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';

/** A part of the running process, with its start and its stop. */
export interface Part {
  readonly name: string;
  start(): Promise<() => Promise<void>>;
}

/**
 * Starts parts in order; in any case, stops the started ones in reverse order. Stopping continues after a part that
 * fails to stop. `tell` receives the name of each part at its start.
 */
export async function startAll(
  parts: readonly Part[],
  tell: (starting: string) => void = () => undefined,
): Promise<() => Promise<void>> {
  const stops: { name: string; stop: () => Promise<void> }[] = [];

  const stopAll = async (): Promise<void> => {
    const failures: Error[] = [];
    for (const { name, stop } of stops.splice(0).toReversed()) {
      await stop().catch((cause: unknown) => failures.push(new Error(`${name} did not stop`, { cause })));
    }
    if (failures.length > 0) throw new AggregateError(failures, failures.map(({ message }) => message).join('; '));
  };

  for (const part of parts) {
    tell(part.name);
    try {
      stops.push({ name: part.name, stop: await part.start() });
    } catch (cause) {
      // The first failure is the reason; parts that fail to stop are listed after it.
      const failures = await stopAll().then(() => [], failuresOf);
      const why = [cause, ...failures].map((one) => (one instanceof Error ? one.message : String(one)));
      throw new Error(`${part.name} did not start: ${why.join('; ')}`, { cause });
    }
  }
  return stopAll;
}

const failuresOf = (error: unknown): readonly unknown[] => (error instanceof AggregateError ? error.errors : [error]);

/**
 * Independent parts: started in order and stopped concurrently, so that stopping takes only as long as the slowest
 * one.
 */
export function together(name: string, parts: readonly Part[]): Part {
  return {
    name,
    start: async () => {
      const stops: (() => Promise<void>)[] = [];
      const stopAll = async (): Promise<void> => {
        const ended = await Promise.allSettled(stops.splice(0).map((stop) => stop()));
        const failures = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
        if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('; '));
      };
      try {
        for (const part of parts) stops.push(await startAll([part]));
      } catch (error) {
        await stopAll();
        throw error;
      }
      return stopAll;
    },
  };
}

export interface Patience {
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** Fires when the process must stop: waiting ends. */
  readonly signal?: AbortSignal | undefined;
  /** After this time the last error is thrown (DATABASE_PATIENCE). */
  readonly limitMs?: number | undefined;
}
