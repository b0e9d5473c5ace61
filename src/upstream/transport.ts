import { Agent, buildConnector, Client, type Dispatcher } from 'undici';
import type { Clock } from '../lib/clock.ts';
import { type Answered, writeRequest } from './answer.ts';
import type { FailureCode } from './failures.ts';
import { errorFacts, neverSent } from './never-sent.ts';
import type { CallOptions } from './options.ts';

const LARGEST_ANSWER = 1_048_576;

/**
 * Shorter than any server's own, so that it is we who close an idle connection and not they, in the middle of a
 * request.
 */
const KEEP_ALIVE_MS = 2_000;

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** A connection of its own: whatever fails before it opens was provably never sent. */
  readonly fresh: boolean;
  /** Whether giving up in flight is harmless. */
  readonly abortable: boolean;
  readonly timeoutMs?: number;
}

/** How far a letter got. An answer whose body did not arrive whole is still an answer, with nothing in it. */
export type Delivery =
  | { readonly sent: 'never' | 'maybe'; readonly code: FailureCode; readonly detail: string }
  | ({ readonly sent: 'answered' } & Answered);

export interface Transport {
  deliver(letter: OutgoingRequest, call: CallOptions): Promise<Delivery>;
  close(): Promise<void>;
}

interface TransportOptions {
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly clock: Clock;
}

/**
 * One area's connections. Never retries, never follows a redirect: whether to repeat is decided where the record is.
 */
export function createTransport(options: TransportOptions): Transport {
  return new Connections(options);
}

class Connections implements Transport {
  readonly #options: TransportOptions;
  readonly #limits: Readonly<Record<'headersTimeout' | 'bodyTimeout' | 'maxResponseSize', number>>;
  readonly #connector: Connector;
  /** Errors of connections that never opened: the proof that nothing was sent. */
  readonly #neverConnected = new WeakSet<object>();
  readonly #agent: Agent;
  readonly #places = new Places();
  #closing = false;
  readonly #inFlight = new Set<Promise<Delivery>>();

  constructor(options: TransportOptions) {
    const { timeoutMs, connectTimeoutMs } = options;
    this.#options = options;
    this.#limits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs, maxResponseSize: LARGEST_ANSWER };
    this.#connector = buildConnector({ timeout: connectTimeoutMs });
    this.#agent = new Agent({
      ...this.#limits,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      connect: remembering(this.#connector, this.#neverConnected),
    });
  }

  async deliver(letter: OutgoingRequest, call: CallOptions): Promise<Delivery> {
    if (this.#closing) return unsent('closing');
    if (call.signal?.aborted) return unsent('given_up');
    if (this.#late(call)) return unsent('send_deadline');
    const delivery = this.#attempt(letter, call);
    this.#inFlight.add(delivery);
    try {
      return await delivery;
    } finally {
      this.#inFlight.delete(delivery);
    }
  }

  async #attempt(letter: OutgoingRequest, call: CallOptions): Promise<Delivery> {
    try {
      return await (letter.fresh ? this.#onFreshSocket(letter, call) : this.#write(letter, call, this.#agent));
    } catch (error) {
      return explain(error, this.#neverConnected);
    }
  }

  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    await Promise.all(this.#inFlight);
    await this.#agent.close();
  }

  /** Spares a connection. What counts is asked when there is one (answer.ts). */
  #late({ sendBy }: CallOptions): boolean {
    return sendBy !== undefined && this.#options.clock.monotonic() > sendBy;
  }

  async #onFreshSocket(letter: OutgoingRequest, call: CallOptions): Promise<Delivery> {
    const client = new Client(this.#places.of(letter.url).origin, {
      ...this.#limits,
      pipelining: 0,
      connect: remembering(this.#connector, this.#neverConnected),
    });
    try {
      return await this.#write(letter, call, client);
    } finally {
      await client.destroy();
    }
  }

  async #write(letter: OutgoingRequest, call: CallOptions, dispatcher: Dispatcher): Promise<Delivery> {
    const patienceMs = letter.timeoutMs ?? this.#options.timeoutMs;
    const { origin, path } = this.#places.of(letter.url);
    const request: Dispatcher.DispatchOptions = {
      origin,
      path,
      method: letter.method,
      headers: letter.headers,
      body: letter.body ?? null,
      reset: letter.fresh,
      headersTimeout: patienceMs,
      bodyTimeout: patienceMs,
    };
    const signal = letter.abortable ? call.signal : undefined;
    const { sendBy } = call;
    const { clock } = this.#options;
    const answered = await writeRequest(dispatcher, request, { clock, patienceMs, signal, sendBy });
    return { sent: 'answered', ...answered };
  }
}

const MOST_PLACES = 50;

interface Place {
  readonly origin: string;
  readonly path: string;
}

/** Reading an address costs as much as reading its answer's head, and most letters go to the same few. */
class Places {
  readonly #known = new Map<string, Place>();

  /** Throws when the address is none. */
  of(url: string): Place {
    return this.#known.get(url) ?? this.#read(url);
  }

  #read(url: string): Place {
    const { origin, pathname, search } = new URL(url);
    const place = { origin, path: `${pathname}${search}` };
    // Some addresses end in a token, so there is no end of them.
    if (this.#known.size >= MOST_PLACES) this.#known.clear();
    this.#known.set(url, place);
    return place;
  }
}

type Connector = ReturnType<typeof buildConnector>;

/** Opens a connection, and remembers that it failed before a socket existed. */
function remembering(connect: Connector, failed: WeakSet<object>): Connector {
  return (target, done) => {
    connect(target, (error, socket) => {
      if (error) {
        failed.add(error);
        done(error, null);
      } else {
        done(null, socket);
      }
    });
  };
}

function unsent(code: FailureCode): Delivery {
  return { sent: 'never', code, detail: '' };
}

function explain(error: unknown, neverConnected: WeakSet<object>): Delivery {
  const { code, syscall } = errorFacts(error);
  const detail = `${code} ${syscall}`.trim();
  const connecting = typeof error === 'object' && error !== null && neverConnected.has(error);
  const reason = neverSent(error, connecting);
  if (reason) return { sent: 'never', code: reason, detail };
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return { sent: 'maybe', code: 'no_answer', detail };
  if (code === 'UND_ERR_ABORTED' || code === 'AbortError' || code === 'TimeoutError')
    return { sent: 'maybe', code: 'given_up', detail };
  return { sent: 'maybe', code: 'cut', detail };
}
