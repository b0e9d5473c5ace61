import { Agent, buildConnector, Client, type Dispatcher } from 'undici';
import { type Clock, type Deadline, lateness } from '../lib/clock.ts';
import { decode } from './decode.ts';
import type { FailureCode } from './verdict.ts';

const LARGEST_ANSWER = 1_048_576;

/** The error that closes a separate connection. Shared, since its stack trace is never used. */
const OVER = new Error('its one request is over');

/**
 * Shorter than any server's own time-out, so that relais closes an idle connection, and the server does not close it
 * during a request.
 */
const KEEP_ALIVE_MS = 2_000;

export interface CallOptions {
  /**
   * Checked before a connection is opened, and again on the open connection right before the request is written: past
   * it on any clock, no byte of the request leaves. Every request with an effect has one.
   */
  readonly sendBy?: Deadline | undefined;
  /** Aborts a read at any time, but an effect only before it leaves: aborting it in flight would lose the answer. */
  readonly signal?: AbortSignal | undefined;
}

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** A separate connection: every failure before it opens proves that nothing was sent. */
  readonly fresh: boolean;
  /** Whether aborting in flight is harmless. */
  readonly abortable: boolean;
  readonly timeoutMs?: number;
}

/** The delivery of a request. An answer with an incomplete body is still an answer, without content. */
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

/** One area's connections. Never retries, never follows a redirect: the owner of the record decides about retries. */
export function createTransport(options: TransportOptions): Transport {
  return new Connections(options);
}

class Connections implements Transport {
  readonly #options: TransportOptions;
  readonly #limits: Readonly<Record<'headersTimeout' | 'bodyTimeout' | 'maxResponseSize', number>>;
  readonly #connector: Connector;
  /** Errors of connections that never opened: proof that nothing was sent. */
  readonly #neverConnected = new WeakSet<object>();
  readonly #agent: Agent;
  readonly #places = new Places();
  #closing = false;
  readonly #inFlight = new Set<Promise<Delivery>>();

  constructor(options: TransportOptions) {
    const { timeoutMs, connectTimeoutMs } = options;
    this.#options = options;
    this.#limits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs, maxResponseSize: LARGEST_ANSWER };
    // Over HTTP/2 undici would automatically resend requests that a closing server reports as unprocessed.
    this.#connector = buildConnector({ timeout: connectTimeoutMs, allowH2: false });
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
    // Saves a connection. The decisive check is in `onRequestStart`.
    const late = call.sendBy && lateness(call.sendBy, this.#options.clock);
    if (late) return unsent(late);
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

  async #onFreshSocket(letter: OutgoingRequest, call: CallOptions): Promise<Delivery> {
    const client = new Client(this.#places.of(letter.url).origin, {
      ...this.#limits,
      pipelining: 0,
      connect: remembering(this.#connector, this.#neverConnected),
    });
    try {
      return await this.#write(letter, call, client);
    } finally {
      await client.destroy(OVER);
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

/** Parsing an address costs as much as parsing an answer's head, and most requests go to a few addresses. */
class Places {
  readonly #known = new Map<string, Place>();

  /** Throws for an invalid address. */
  of(url: string): Place {
    return this.#known.get(url) ?? this.#read(url);
  }

  #read(url: string): Place {
    const { origin, pathname, search } = new URL(url);
    const place = { origin, path: `${pathname}${search}` };
    // Some addresses end in a token, so their number is unbounded.
    if (this.#known.size >= MOST_PLACES) this.#known.clear();
    this.#known.set(url, place);
    return place;
  }
}

type Connector = ReturnType<typeof buildConnector>;

/** Opens a connection, and records a failure before a socket existed. */
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

/** The answer to one request. `text` is undefined if the body was truncated, too large or too slow. */
interface Answered {
  readonly status: number;
  readonly retryAfter?: string;
  readonly type?: string;
  /** From its header; the text is decompressed. */
  readonly encoding?: string;
  readonly text?: string;
}

interface Waiting {
  readonly clock: Clock;
  /** The time-out of the whole body, ms, from the headers on. */
  readonly patienceMs: number;
  /** Aborts the request or its answer. */
  readonly signal?: AbortSignal | undefined;
  /** After this, the request is not written. */
  readonly sendBy?: Deadline | undefined;
}

/**
 * Writes one request and collects its answer without a stream, which would cost more than the answer. Rejects with
 * undici's own error if there was no answer, since only that error shows how far the request got.
 */
function writeRequest(
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
  /** Set only while the request is on a connection: before that there is nothing to abort. */
  #controller: Dispatcher.DispatchController | undefined;

  constructor(waiting: Waiting, resolve: (answered: Answered) => void, reject: (error: Error) => void) {
    this.#waiting = waiting;
    this.#resolve = resolve;
    this.#reject = reject;
    waiting.signal?.addEventListener('abort', this.#giveUp);
  }

  readonly #giveUp = (): void => this.#controller?.abort(this.#waiting.signal?.reason as Error);

  /**
   * The connection is open, and the request is written when this returns: nothing waits in between. Any earlier pause
   * of the process, in a handshake or in a queue, is detected here, and then no byte leaves.
   */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { clock, sendBy, signal } = this.#waiting;
    this.#controller = controller;
    if (signal?.aborted) return this.#giveUp();
    const late = sendBy && lateness(sendBy, clock);
    if (late) controller.abort(Object.assign(new Error('too late to send'), { code: LATE[late] }));
  }

  /** Also called for interim answers, which are ignored. */
  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return;
    const named = (name: string): string | undefined => {
      const value = headers[name];
      return typeof value === 'string' ? value : undefined;
    };
    const [retryAfter, type, encoding] = ['retry-after', 'content-type', 'content-encoding'].map(named);
    this.#head = {
      status,
      ...(retryAfter === undefined ? {} : { retryAfter }),
      ...(type === undefined ? {} : { type }),
      ...(encoding === undefined ? {} : { encoding }),
    };
    this.#untilMono = this.#waiting.clock.monotonic() + this.#waiting.patienceMs;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    // A slow endless body does not trigger undici's own time-out.
    if (this.#waiting.clock.monotonic() > this.#untilMono) controller.abort(new Error('the body came too slowly'));
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    if (!this.#head) return this.onResponseError(controller, new Error('an answer without a head'));
    this.#forget();
    const text = this.#text(this.#head.encoding);
    this.#resolve(text === undefined ? this.#head : { ...this.#head, text });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#forget();
    // A received status counts, even if the body fails.
    if (this.#head) this.#resolve(this.#head);
    else this.#reject(error);
  }

  #text(encoding = ''): string | undefined {
    const [first, ...more] = this.#chunks;
    if (!first) return '';
    return decode(more.length === 0 ? first : Buffer.concat(this.#chunks), encoding, LARGEST_ANSWER);
  }

  /** The signal may live as long as the process. */
  #forget(): void {
    this.#waiting.signal?.removeEventListener('abort', this.#giveUp);
  }
}

/** Codes that only occur during name resolution or connecting. */
const BEFORE_CONNECTING = new Set(['ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_CLOSED']);

/** These codes also occur on a connection in use; only the syscall distinguishes them. */
const WHILE_CONNECTING = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EPIPE',
]);

const NOT_WRITABLE = new Set(['UND_ERR_INVALID_ARG', 'ERR_INVALID_URL', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH']);

const TLS = /^(ERR_SSL_|ERR_TLS_|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/;

/** Codes of our own errors; no other error has this format. */
const LATE = { send_deadline: 'RELAIS_SEND_DEADLINE', clocks_disagree: 'RELAIS_CLOCKS_DISAGREE' } as const;

/**
 * Why a request provably never left, or undefined if it may have. An allow-list: an unforeseen error counts as sent.
 * `whileConnecting`: the connector itself failed, so no socket ever existed. This settles errors (TLS, a reset in the
 * handshake) that look the same on a connection in use.
 */
export function neverSent(error: unknown, whileConnecting: boolean): FailureCode | undefined {
  const { code, syscall } = errorFacts(error);
  if (code === LATE.send_deadline) return 'send_deadline';
  if (code === LATE.clocks_disagree) return 'clocks_disagree';
  if (NOT_WRITABLE.has(code)) return 'request_invalid';
  if (BEFORE_CONNECTING.has(code)) return code === 'UND_ERR_CLOSED' ? 'closing' : 'unreachable';
  if (syscall === 'connect' && WHILE_CONNECTING.has(code)) return 'unreachable';
  if (!whileConnecting) return undefined;
  return TLS.test(code) ? 'tls_refused' : 'unreachable';
}

/** The two facts of a system error that are safe to show: neither contains a value of the request. */
function errorFacts(error: unknown): { readonly code: string; readonly syscall: string } {
  if (typeof error !== 'object' || error === null) return { code: '', syscall: '' };
  const { code, syscall, name } = error as { code?: unknown; syscall?: unknown; name?: unknown };
  return {
    code: typeof code === 'string' ? code : typeof name === 'string' ? name : '',
    syscall: typeof syscall === 'string' ? syscall : '',
  };
}
