import type { Dispatcher } from 'undici';
import type { Clock } from '../lib/clock.ts';
import { DEADLINE_CODE } from './never-sent.ts';

/** What came back to one request. `text` is undefined when the body was cut, too large or too slow. */
export interface Answered {
  readonly status: number;
  readonly retryAfter?: string;
  readonly text?: string;
}

interface Waiting {
  readonly clock: Clock;
  /** How long the whole body may take, ms. Counted from the headers. */
  readonly patienceMs: number;
  /** Gives the request up, on its way out or in. */
  readonly signal?: AbortSignal | undefined;
  /** On the monotonic clock, ms: what would be written later than this is not written. */
  readonly sendBy?: number | undefined;
}

/**
 * Writes one request and collects what comes back, as it comes: a stream for each answer would cost more than the
 * answer. Rejects with undici's own error when there was no answer, since only that tells how far the request got.
 */
export function writeRequest(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  waiting: Waiting,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(request, new Collector(waiting, resolve, reject));
  });
}

class Collector implements Dispatcher.DispatchHandler {
  readonly #waiting: Waiting;
  readonly #resolve: (answered: Answered) => void;
  readonly #reject: (error: Error) => void;
  readonly #chunks: Buffer[] = [];
  #head: Answered | undefined;
  #untilMono = 0;
  /** Only while the request is on a connection: there is nothing to break off before. */
  #controller: Dispatcher.DispatchController | undefined;

  constructor(waiting: Waiting, resolve: (answered: Answered) => void, reject: (error: Error) => void) {
    this.#waiting = waiting;
    this.#resolve = resolve;
    this.#reject = reject;
    waiting.signal?.addEventListener('abort', this.#giveUp);
  }

  readonly #giveUp = (): void => this.#controller?.abort(this.#waiting.signal?.reason as Error);

  /**
   * The connection is there, and the request is written when this returns: nothing waits in between. However long the
   * process stood still before, in a handshake or in a queue, it is noticed here, and then no byte leaves.
   */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { clock, sendBy, signal } = this.#waiting;
    this.#controller = controller;
    if (signal?.aborted) this.#giveUp();
    else if (sendBy !== undefined && clock.monotonic() > sendBy) {
      controller.abort(Object.assign(new Error('too late to send'), { code: DEADLINE_CODE }));
    }
  }

  /** Called for interim answers too: they are no answer yet. */
  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return;
    const retryAfter = headers['retry-after'];
    this.#head = { status, ...(typeof retryAfter === 'string' ? { retryAfter } : {}) };
    this.#untilMono = this.#waiting.clock.monotonic() + this.#waiting.patienceMs;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    // A body that trickles for ever keeps undici's own time-out happy.
    if (this.#waiting.clock.monotonic() > this.#untilMono) controller.abort(new Error('the body came too slowly'));
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    if (!this.#head) return this.onResponseError(controller, new Error('an answer without a head'));
    this.#forget();
    this.#resolve({ ...this.#head, text: this.#text() });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#forget();
    // Once there is a status it is known, whatever became of the body.
    if (this.#head) this.#resolve(this.#head);
    else this.#reject(error);
  }

  #text(): string {
    const [first, ...more] = this.#chunks;
    if (!first) return '';
    return (more.length === 0 ? first : Buffer.concat(this.#chunks)).toString('utf8');
  }

  /** The signal may live as long as the process. */
  #forget(): void {
    this.#waiting.signal?.removeEventListener('abort', this.#giveUp);
  }
}
