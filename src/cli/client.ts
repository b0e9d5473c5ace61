import type { Readable } from 'node:stream';
import { type Clock, readRetryAfter } from '../lib/clock.ts';
import { codeOf, wasNeverSent } from '../lib/not-reached.ts';
import type { Secret } from '../lib/secret.ts';
import { type Heard, Line, textOf } from './line.ts';
import { AnswerLost, NotReached, Refused, readProblem, Unreadable } from './refusal.ts';
import { CommandFailed } from './failure.ts';
import { ENGLISH, type Speech } from './speech.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
  /** A repeated request: the API did nothing new. */
  readonly replayed: boolean;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

export interface ApiOptions {
  /** Without a slash at the end. */
  readonly url: string;
  readonly key: Secret;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How refusals are shown, and the language of explanations. */
  readonly speech?: Speech;
}

/** The stream sends something each 15 s. */
const SILENCE_MOST_MS = 45_000;
const MOST_WAITS = 10;
const LONGEST_WAIT_S = 30;

type Changing = 'POST' | 'PATCH' | 'DELETE';

interface Letter {
  readonly method: 'GET' | Changing;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Readable;
  /** Repeating it finds it, or returns the same; an SMS without a reference would be a second SMS. */
  readonly isFound?: boolean;
}

/** The HTTP API for commands. Throws for all but 2xx; waits after a 429, because nothing happened. */
export class ApiClient {
  readonly #options: ApiOptions & { readonly speech: Speech };
  #line: Line | undefined;

  constructor(options: ApiOptions) {
    this.#options = { speech: ENGLISH, ...options };
  }

  get url(): string {
    return this.#options.url;
  }

  async get(path: string, query: Query = {}): Promise<Answer> {
    return this.#retryUntilDeadline(() => this.#exchange({ method: 'GET', path: pathWith(path, query) }));
  }

  /** A body that is not JSON, as text. */
  async file(path: string, query: Query, accept: string): Promise<string> {
    const letter: Letter = { method: 'GET', path: pathWith(path, query), headers: { accept } };
    return (await this.#retryUntilDeadline(() => this.#taken(letter))).text;
  }

  async post(path: string, body: JsonObject = {}, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send('POST', path, body, headers);
  }

  async send(
    method: Changing,
    path: string,
    body: JsonObject,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const json = { ...headers, 'content-type': 'application/json' };
    const isFound = method !== 'POST' || isNamed(headers) || body['reference'] !== undefined;
    const letter: Letter = { method, path, headers: json, body: JSON.stringify(body), isFound };
    return this.#retryUntilDeadline(() => this.#exchange(letter));
  }

  /**
   * Streams; a consumed body cannot be sent again, so a 429 is an error here. Sending the same file again finds it.
   */
  async upload(
    path: string,
    body: Readable,
    type: string | Readonly<Record<string, string>>,
    method: Changing = 'POST',
  ): Promise<Answer> {
    const headers = typeof type === 'string' ? { 'content-type': type } : type;
    return this.#exchange({ method, path, headers, body, isFound: true });
  }

  /** Request and answer are streamed concurrently: lines and results, or a file and a file. */
  async *converse(
    path: string,
    body: Readable,
    headers: Readonly<Record<string, string>>,
  ): AsyncGenerator<string, void> {
    yield* this.#parts({ method: 'POST', path, headers, body, isFound: isNamed(headers) });
  }

  /** An endless answer, as it arrives. */
  async *read(path: string, query: Query, headers: Readonly<Record<string, string>>): AsyncGenerator<string, void> {
    yield* this.#parts({ method: 'GET', path: pathWith(path, query), headers }, SILENCE_MOST_MS);
  }

  async *#parts(letter: Letter, silenceMs?: number): AsyncGenerator<string, void> {
    const { signal, speech } = this.#options;
    try {
      const answer = await this.#request(letter, silenceMs);
      if (answer.status < 200 || answer.status > 299) {
        throw new Refused(answer.status, readProblem(readObject(await textOf(answer.body))), {
          speech,
          isSafe: isSafe(letter),
        });
      }
      for await (const part of answer.body.setEncoding('utf8')) yield String(part);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof Refused ? error : explainLoss(error, letter, this.#options);
    }
  }

  async close(): Promise<void> {
    await this.#line?.close();
  }

  async #retryUntilDeadline<T>(ask: () => Promise<T>): Promise<T> {
    for (let waits = 0; ; waits += 1) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof Refused) || error.status !== 429 || waits === MOST_WAITS) throw error;
        await this.#options.clock.sleep(
          Math.min(error.retryAfterS ?? 1, LONGEST_WAIT_S) * 1_000,
          this.#options.signal,
        );
      }
    }
  }

  async #exchange(letter: Letter): Promise<Answer> {
    const { url, speech } = this.#options;
    const { status, headers, text } = await this.#taken(letter);
    const body = status === 204 ? {} : readObject(text);
    if (body === undefined) throw new Unreadable(url, status, speech);
    return { status, body, replayed: headers['idempotency-replayed'] === 'true' };
  }

  /** The answer of a success. */
  async #taken(letter: Letter) {
    const { signal, speech } = this.#options;
    const answer = await this.#deliver(letter).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw explainLoss(cause, letter, this.#options);
    });
    const { status, headers, text } = answer;
    if (status >= 200 && status <= 299) return answer;
    const pauseMs = readRetryAfter(headers['retry-after'] ?? '', this.#options.clock.now());
    const retryAfterS = pauseMs === undefined ? undefined : pauseMs / 1_000;
    throw new Refused(status, readProblem(readObject(text)), { speech, retryAfterS, isSafe: isSafe(letter) });
  }

  async #deliver(letter: Letter) {
    const answer = await this.#request(letter);
    return { status: answer.status, headers: answer.headers, text: await textOf(answer.body) };
  }

  async #request({ method, path, headers, body }: Letter, silenceMs?: number): Promise<Heard> {
    const { url, key, signal, speech } = this.#options;
    this.#line ??= new Line(url);
    return this.#line.ask({
      path: `${new URL(url).pathname.replace(/\/$/, '')}${path}`,
      method,
      headers: {
        accept: 'application/json',
        'accept-language': speech.language,
        authorization: `Bearer ${key.reveal()}`,
        ...headers,
      },
      body,
      signal,
      silenceMs,
    });
  }
}

function pathWith(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, `${value}`]]));
  const search = new URLSearchParams(given as [string, string][]).toString();
  return search === '' ? path : `${path}?${search}`;
}

const isNamed = (headers: Readonly<Record<string, string>>): boolean => headers['idempotency-key'] !== undefined;

/** Whether the command can be repeated without a check. */
const isSafe = ({ method, path, isFound }: Letter): boolean =>
  method === 'GET' || isFound === true || /[?&]dryRun=true(&|$)/.test(path);

function explainLoss(cause: unknown, letter: Letter, { url, speech = ENGLISH }: ApiOptions): Error {
  const { method, body } = letter;
  const code = codeOf(cause);
  // An error of the file, not of the network: its source is unreadable.
  if (code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR') return cause as Error;
  if (code === 'ANSWER_TOO_LARGE' && method === 'GET') {
    const { tooLarge, lessAtOnce } = speech.words.shell.refused;
    return new CommandFailed(tooLarge(url), { next: lessAtOnce, cause });
  }
  if (wasNeverSent(code)) return new NotReached(url, code, { speech, cause });
  const changes = method !== 'GET' && body !== undefined;
  return new AnswerLost(url, { code, changes, isSafe: isSafe(letter), speech, cause });
}

function readObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
