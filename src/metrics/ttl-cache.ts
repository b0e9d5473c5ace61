import { type Clock, within } from '../lib/clock.ts';

interface TtlCacheOptions<T> {
  readonly read: () => Promise<T>;
  readonly clock: Clock;
  /** How long an answer, or the lack of one, is good for. */
  readonly keepMs: number;
  /** An answer is waited for no longer than this. */
  readonly limitMs: number;
  /** Told of each reading that failed or took too long. */
  readonly onError: (error: unknown) => void;
}

/**
 * Reads at most once in `keepMs` however often it is asked, and one at a time. Undefined when it could not be read:
 * the rest can still be told.
 */
export function ttlCache<T>(options: TtlCacheOptions<T>): () => Promise<T | undefined> {
  const { read, clock, keepMs, limitMs, onError } = options;
  let latest: Promise<T | undefined> | undefined;
  let staleAtMono = 0;

  const late = () => new Error(`no answer within ${limitMs} ms`);
  const begin = async (): Promise<T | undefined> => {
    try {
      return await within({ clock, ms: limitMs, late }, read());
    } catch (error) {
      onError(error);
      return undefined;
    } finally {
      staleAtMono = clock.monotonic() + keepMs;
    }
  };

  return () => {
    if (latest !== undefined && clock.monotonic() < staleAtMono) return latest;
    // Until it has an answer, every caller waits for this one.
    staleAtMono = Number.POSITIVE_INFINITY;
    latest = begin();
    return latest;
  };
}
