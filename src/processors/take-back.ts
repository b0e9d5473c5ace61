import type { Bench } from './bench.ts';

const EVERY_MS = 500;

/**
 * The answer to our intent was lost, so the intent may stand in the record; but we stopped before sending, and only we
 * know that. Said under the same lease while it is ours, it spares a look, a person or a text that nobody dares to
 * send.
 * If it cannot be said in time, the next attempt finds an intent and doubts it, which is safe.
 *
 * An intent that is still on its way to Redis and arrives after this is harmless for the same reason.
 */
export async function takeBack(bench: Bench, untilMono: number, unsay: () => Promise<unknown>): Promise<void> {
  while (bench.clock.monotonic() < untilMono) {
    await bench.clock.sleep(EVERY_MS);
    const said = await unsay().then(
      () => true,
      () => false,
    );
    if (said) return;
  }
}
