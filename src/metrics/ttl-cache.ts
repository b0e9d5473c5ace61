import type { Clock } from '../lib/clock.ts';

export interface TtlCacheOptions<T> {
  readonly read: () => Promise<T>;
  readonly clock: Clock;
  /** How long an answer, or the lack of one, is good for. */
  readonly keepMs: number;
  /** Nobody waits longer for an answer than this. */
  readonly limitMs: number;
  /** Told of each reading that failed or took too long. */
  readonly onError: (error: unknown) => void;
}

/**
 * Reads at most once in `keepMs` however often it is asked, and one at a time. Undefined when it could not be read:
 * whoever asks can still tell the rest.
 */
export function ttlCache<T>(options: TtlCacheOptions<T>): () => Promise<T | undefined> {
  const { read, clock, keepMs, limitMs, onError } = options;
  let latest: Promise<T | undefined> | undefined;
  let staleAtMono = 0;

  const begin = async (): Promise<T | undefined> => {
    try {
      return await within(limitMs, read(), clock);
    } catch (error) {
      onError(error);
      return undefined;
    } finally {
      staleAtMono = clock.monotonic() + keepMs;
    }
  };

  return () => {
    if (latest !== undefined && clock.monotonic() < staleAtMono) return latest;
    // Until it has an answer, everybody who asks waits for this one.
    staleAtMono = Number.POSITIVE_INFINITY;
    latest = begin();
    return latest;
  };
}

/** An answer that comes after the limit is dropped. */
function within<T>(limitMs: number, answer: Promise<T>, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(limitMs, () => reject(new Error(`no answer within ${limitMs} ms`)));
    answer.then(resolve, reject).finally(cancel);
  });
}
