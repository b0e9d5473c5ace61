/**
 * Asks Redis until it answers, for so long and no longer. Whatever is asked here must be safe to ask twice: the answer
 * to the first time may have been lost on the way.
 */
import type { Redis } from 'ioredis';
import { type Clock, retryUntilDeadline, within, describeMs } from '../lib/clock.ts';
import { howAway, waitUntilReady } from '../redis/connections.ts';
import { Unconfirmed } from './errors.ts';
import { pipelined } from './pipelined.ts';

interface Deadline {
  readonly redis: Redis;
  readonly clock: Clock;
  /** For the whole call, reconnecting included. */
  readonly limitMs: number;
}

/** Between two tries on a connection that is there: Redis said "not now" (it loads, or changes its primary). */
const PAUSE_MS = 100;

/** Throws `Unconfirmed` when the time is over; an error that has nothing to do with Redis being away goes through. */
async function untilConfirmed<T>({ redis, clock, limitMs }: Deadline, ask: () => Promise<T>): Promise<T> {
  let doubted = false;
  let last: unknown = new NoAnswer('there was no time to ask Redis');
  const again = (error: unknown): boolean => {
    const away = howAwayOf(error);
    doubted ||= away === 'maybe done';
    last = error;
    // A client that was closed never comes back.
    return away !== undefined && redis.status !== 'end';
  };
  const tryOnce = async (leftMs: number): Promise<T> => {
    if (leftMs <= 0) throw last;
    const endsMono = clock.monotonic() + leftMs;
    await waitUntilReady(redis, leftMs, clock);
    const ms = Math.max(0, endsMono - clock.monotonic());
    const late = () => new NoAnswer(`Redis is connected and did not answer for ${describeMs(ms)}`);
    return within({ clock, ms, late }, ask());
  };
  try {
    return await retryUntilDeadline(tryOnce, { clock, limitMs, pauseMs: PAUSE_MS, again });
  } catch (error) {
    if (howAwayOf(error) === undefined) throw error;
    throw new Unconfirmed(doubted ? 'unknown' : 'no', error);
  }
}

/** A server that hangs answers nothing and refuses nothing. */
class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

function howAwayOf(error: unknown): ReturnType<typeof howAway> {
  return error instanceof NoAnswer ? 'maybe done' : howAway(error);
}

/** The words of a script call, as ioredis takes them: the script, how many keys, then keys and arguments. */
type ScriptCall = [script: string, keys: number, ...words: (string | number)[]];

/**
 * A Redis whose scripts are asked patiently, and each time only `after` has let them. What is accepted is accepted by
 * scripts, and those are safe to ask twice.
 */
export function patientScripts(patience: Deadline, after: () => Promise<void>): Redis {
  const trip = pipelined(patience.redis);
  const asked = (ask: () => Promise<unknown>) =>
    untilConfirmed(patience, async () => {
      await after();
      return ask();
    });
  const scripts = {
    evalsha: (...call: ScriptCall) => asked(() => trip.evalsha(...call)),
    eval: (...call: ScriptCall) => asked(() => trip.eval(...call)),
    // Reads again what a script wrote; it is no new request, so nothing has to let it.
    hmget: (key: string, ...fields: string[]) => untilConfirmed(patience, () => trip.hmget(key, ...fields)),
  };
  return scripts as unknown as Redis;
}
