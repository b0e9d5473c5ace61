/**
 * Asks Redis until it answers, for so long and no longer. Whatever is asked here must be safe to ask twice: the answer
 * to the first time may have been lost on the way.
 */
import type { Redis } from 'ioredis';
import type { Clock } from '../lib/clock.ts';
import { describeMs } from '../lib/durations.ts';
import { waitUntilReady } from '../redis/connections.ts';
import { Unconfirmed } from './errors.ts';
import { pipelined } from './pipelined.ts';

export interface Deadline {
  readonly redis: Redis;
  readonly clock: Clock;
  /** For the whole call, reconnecting included. */
  readonly limitMs: number;
}

/** Between two tries on a connection that is there: Redis said "not now" (it loads, or changes its primary). */
const PAUSE_MS = 100;

/** The first: the command cannot have been carried out. The second: it may have been. */
const NOT_DONE =
  /^(Stream isn't writeable|Connection is closed|LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|NOREPLICAS|OOM)/;
const MAYBE_DONE = /^(Command timed out|Command aborted|Reached the max retries|.*ECONNRESET|.*EPIPE)/;

/** Throws `Unconfirmed` when the time is over; an error that has nothing to do with Redis being away goes through. */
async function retryUntilDeadline<T>(patience: Deadline, ask: () => Promise<T>): Promise<T> {
  const { redis, clock, limitMs } = patience;
  const endsMono = clock.monotonic() + limitMs;
  let doubted = false;
  let last: unknown;
  for (;;) {
    const leftMs = endsMono - clock.monotonic();
    if (leftMs <= 0) throw new Unconfirmed(doubted ? 'unknown' : 'no', last);
    try {
      await waitUntilReady(redis, leftMs, clock);
      return await within(endsMono - clock.monotonic(), clock, ask());
    } catch (error) {
      const away = howAway(error);
      if (away === undefined) throw error;
      doubted ||= away === 'maybe done';
      last = error;
      // A client that was closed never comes back.
      if (redis.status === 'end') throw new Unconfirmed(doubted ? 'unknown' : 'no', error);
      await clock.sleep(Math.min(PAUSE_MS, Math.max(0, endsMono - clock.monotonic())));
    }
  }
}

function howAway(error: unknown): 'not done' | 'maybe done' | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof NoAnswer) return 'maybe done';
  if (error.name === 'RedisUnavailable' || NOT_DONE.test(error.message)) return 'not done';
  return error.name === 'MaxRetriesPerRequestError' || MAYBE_DONE.test(error.message) ? 'maybe done' : undefined;
}

/** Whether it is about Redis being away, and not about what was asked. */
export function isAway(error: unknown): boolean {
  return howAway(error) !== undefined;
}

class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** A server that hangs answers nothing and refuses nothing. */
function within<T>(ms: number, clock: Clock, asked: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const disarm = clock.after(Math.max(0, ms), () => {
      reject(new NoAnswer(`Redis is connected and did not answer for ${describeMs(Math.max(0, ms))}`));
    });
    asked.then(resolve, reject).finally(disarm);
  });
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
    retryUntilDeadline(patience, async () => {
      await after();
      return ask();
    });
  const scripts = {
    evalsha: (...call: ScriptCall) => asked(() => trip.evalsha(...call)),
    eval: (...call: ScriptCall) => asked(() => trip.eval(...call)),
    // Reads again what a script wrote; it is no new request, so nothing has to let it.
    hmget: (key: string, ...fields: string[]) => retryUntilDeadline(patience, () => trip.hmget(key, ...fields)),
  };
  return scripts as unknown as Redis;
}
