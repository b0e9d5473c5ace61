import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';

/** A part of the running service: something to start, and the way to stop it again. */
export interface Part {
  readonly name: string;
  start(): Promise<() => Promise<void>>;
}

/**
 * Starts parts in order; whatever happens, stops those that started in the reverse of it. Stopping goes on past a
 * part that cannot. `tell` hears which part is started now.
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
      // The first failure is the reason; parts that cannot stop are named after it.
      const failures = await stopAll().then(() => [], failuresOf);
      const why = [cause, ...failures].map((one) => (one instanceof Error ? one.message : String(one)));
      throw new Error(`${part.name} did not start: ${why.join('; ')}`, { cause });
    }
  }
  return stopAll;
}

const failuresOf = (error: unknown): readonly unknown[] => (error instanceof AggregateError ? error.errors : [error]);

/**
 * Parts that owe each other nothing: started in order, and stopped all at once, so that stopping takes as long as the
 * slowest of them and not as all of them.
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
  /** Fires when the process is to stop: nothing waits on. */
  readonly signal?: AbortSignal | undefined;
  /** After this the last error is the answer (DATABASE_PATIENCE). */
  readonly limitMs?: number | undefined;
}
