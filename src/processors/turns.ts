/**
 * Whose turn it is, where there are more attempts than requests that may be in flight: while some wait for the service,
 * others get ready or write down what it said, and the service never waits for us.
 */
import type { Clock } from '../lib/clock.ts';
import { Semaphore } from '../lib/semaphore.ts';
import type { AttemptResult } from './context.ts';

/** An intent is written in a fraction of the time that a quick service takes, and waits no longer than that. */
const INTENTS_PER_REQUEST = 1.2;
/** Beside a request that takes so long, writing its intent is nothing: then no intent waits for its request. */
const SLOW_MS = 1_000;

/** The two steps of an attempt. Each is told whether it had to wait for its turn. */
interface Steps<I, A> {
  readonly intend: (waited: boolean) => Promise<I | AttemptResult>;
  readonly send: (intended: I, waited: boolean) => Promise<A | AttemptResult>;
}

export class Turns {
  readonly #clock: Clock;
  readonly #toIntend: Semaphore;
  readonly #toSend: Semaphore;
  #slow = false;

  /** `requests`: how many may be in flight. */
  constructor(requests: number, clock: Clock) {
    this.#clock = clock;
    this.#toIntend = new Semaphore(Math.ceil(requests * INTENTS_PER_REQUEST));
    this.#toSend = new Semaphore(requests);
  }

  take<I extends object, A>({ intend, send }: Steps<I, A>): Promise<A | AttemptResult> {
    const timed = async (intended: I, waited: boolean): Promise<A | AttemptResult> => {
      const startedMono = this.#clock.monotonic();
      try {
        return await send(intended, waited);
      } finally {
        this.#slow = this.#clock.monotonic() - startedMono > SLOW_MS;
      }
    };
    const first = this.#slow ? this.#toSend : this.#toIntend;
    return first.within(async (waited) => {
      const intended = await intend(waited);
      if ('outcome' in intended) return intended;
      if (first === this.#toSend) return timed(intended, false);
      return this.#toSend.within((waitedAgain) => timed(intended, waitedAgain));
    });
  }
}
