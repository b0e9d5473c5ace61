/** The single clock of a storm: ms since its beginning, so that all observations can be ordered. */
import { setTimeout as delay } from 'node:timers/promises';

const began = performance.now();

export const nowMs = (): number => Math.round((performance.now() - began) * 10) / 10;
/** A time of day (ms since the epoch) on this clock. */
export const onOurClock = (epochMs: number): number => epochMs - (Date.now() - nowMs());
export const wait = (ms: number): Promise<void> => delay(ms);

/** True if the condition was met in time. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  ms: number,
  everyMs = 250,
): Promise<boolean> {
  const until = nowMs() + ms;
  for (;;) {
    if (await condition()) return true;
    if (nowMs() > until) return false;
    await wait(everyMs);
  }
}
