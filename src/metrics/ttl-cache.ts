import { type Clock, within } from '../lib/clock.ts';

interface TtlCacheOptions<T> {
  readonly read: () => Promise<T>;
  readonly clock: Clock;
  /** How long an answer, or a failure, is valid. */
  readonly keepMs: number;
  /** Maximum wait for an answer. */
  readonly limitMs: number;
  /** Receives each read that failed or took too long. */
  readonly onError: (error: unknown) => void;
}

/** Reads at most once per `keepMs`, one at a time. Undefined: unreadable; other values can still be reported. */
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
    // Until it has an answer, every caller waits for this read.
    staleAtMono = Number.POSITIVE_INFINITY;
    latest = begin();
    return latest;
  };
}
