/** After a start of PostgreSQL nothing leaves before every process has compared what it remembers with the ledger. */
import type { Clock } from '../lib/clock.ts';
import { LedgerClosed } from './errors.ts';

/** Longer than the others need to see that a process is gone. */
const PATIENCE_MS = 12_000;
const AGAIN_MS = 100;

/** Repeats a statement that would let a request leave. Throws `LedgerClosed` when a process has still not compared. */
export async function untilCompared<T>(
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  write: () => Promise<T>,
): Promise<T> {
  const sinceMono = clock.monotonic();
  for (;;) {
    try {
      return await write();
    } catch (error) {
      const isEarly = error instanceof LedgerClosed && error.reason === 'not compared';
      if (!isEarly || clock.monotonic() - sinceMono >= PATIENCE_MS) throw error;
      await clock.sleep(AGAIN_MS);
    }
  }
}
