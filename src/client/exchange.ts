/** One request and its answer; repeated if nothing can have happened, or if a repetition is idempotent. */
import { type Clock, readRetryAfter } from '../lib/clock.ts';
import { NOT_BEGUN, codeOf, wasNeverSent } from '../lib/not-reached.ts';
import type { Random } from '../lib/random.ts';
import type { Problem } from './generated/api.ts';
import { NoAnswer, Refused } from './refusal.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Line {
  /** Without a slash at the end. */
  readonly url: string;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: Random;
  readonly bearer: Bearer;
  /** For all tries together. */
  readonly patienceMs: number;
}

export interface Bearer {
  read(): Promise<string>;
  /** Reads the key again. False: unchanged. */
  changed(): Promise<boolean>;
}

export interface Letter {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: NonNullable<RequestInit['body']> | undefined;
  /** The body is a stream, so it cannot be sent again. */
  readonly isStreamed: boolean;
  /** Repeating it has no further effect. */
  readonly isSafe: boolean;
  /** Until the answer is complete; for a streamed answer, until it begins. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/** The answer, parsed by `read`. Throws for all but 2xx. */
export async function exchange<T>(line: Line, letter: Letter, read: (answer: Response) => Promise<T>): Promise<T> {
  const { clock, random, bearer, patienceMs } = line;
  const startedMono = clock.monotonic();
  const doubt = new Doubt(line, letter);
  for (let tries = 0; ; tries += 1) {
    try {
      return await once(line, letter, read);
    } catch (error) {
      letter.signal?.throwIfAborted();
      if (letter.isStreamed) throw error;
      if (error instanceof Refused && error.status === 401 && tries === 0 && (await bearer.changed())) continue;
      doubt.heed(error);
      if (!mayGoAgain(error, letter)) throw doubt.about(error);
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS) * (0.5 + random.fraction() / 2);
      const waitMs = error instanceof Refused ? (error.retryAfterMs ?? pause) : pause;
      if (clock.monotonic() - startedMono + waitMs > patienceMs) throw doubt.about(error);
      await clock.sleep(waitMs, letter.signal);
    }
  }
}

/** Whether an earlier try may have been accepted: a later answer says nothing about that. */
class Doubt {
  readonly #url: string;
  readonly #changes: boolean;
  #answerWasLost = false;
  #mayBeDone = false;

  constructor({ url }: Line, { method }: Letter) {
    this.#url = url;
    this.#changes = method !== 'GET';
  }

  heed(error: unknown): void {
    if (!this.#changes) return;
    this.#answerWasLost ||= error instanceof NoAnswer && error.accepted === 'unknown';
    // A proxy's time-out, or an API that could not confirm the write.
    const unsaid = error instanceof Refused && error.status >= 500 && !NOT_BEGUN.includes(error.word ?? '');
    this.#mayBeDone ||= this.#answerWasLost || unsaid;
  }

  /** Replaces the last error if it would claim that nothing was changed. */
  about(last: unknown): unknown {
    const inDoubt = (code: string) => new NoAnswer(this.#url, code, { accepted: 'unknown', cause: last });
    if (last instanceof NoAnswer && last.accepted === 'no' && this.#mayBeDone) return inDoubt(last.code);
    // Any other refusal was decided after reading the request and the existing data.
    if (!(last instanceof Refused) || last.word?.startsWith('upstream-')) return last;
    const neverLooked = NOT_LET_IN.includes(last.status) || last.status >= 500;
    return neverLooked && this.#answerWasLost ? inDoubt(`HTTP ${last.status}`) : last;
  }
}

const NOT_LET_IN: readonly number[] = [401, 403, 429];

/** A request that the API did not start can be repeated; a request in doubt only if that is safe. */
function mayGoAgain(error: unknown, { isSafe }: Letter): boolean {
  if (error instanceof NoAnswer) return isSafe || error.accepted === 'no';
  if (!(error instanceof Refused)) return false;
  if (error.status === 429) return true;
  if (!isSafe || error.status < 502) return false;
  // For requests to the provider, the API knows whether a repetition continues them.
  return error.word?.startsWith('upstream-') ? error.problem.retryable === true : error.status <= 504;
}

async function once<T>(line: Line, letter: Letter, read: (answer: Response) => Promise<T>): Promise<T> {
  const { method, path, body, isStreamed, timeoutMs, signal } = letter;
  const late = new AbortController();
  const disarm = line.clock.after(timeoutMs, () => late.abort(new Error('timed out')));
  const key = await line.bearer.read();
  try {
    const answer = await line.fetch(`${line.url}${path}`, {
      method,
      headers: { ...(key === '' ? {} : { authorization: `Bearer ${key}` }), ...letter.headers },
      body: body ?? null,
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
      ...(isStreamed ? { duplex: 'half' } : {}),
    });
    if (!answer.ok) throw await refusalIn(answer, line);
    return await read(answer);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof Refused) throw error;
    const code = late.signal.aborted ? 'timed out' : codeOf(error);
    const changes = method !== 'GET' && !wasNeverSent(code);
    throw new NoAnswer(line.url, code, { accepted: changes ? 'unknown' : 'no', cause: error });
  } finally {
    disarm();
  }
}

async function refusalIn(answer: Response, { clock }: Pick<Line, 'clock'>): Promise<Refused> {
  const { status, headers } = answer;
  return new Refused(problemIn(await answer.text()), {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterMs: readRetryAfter(headers.get('retry-after') ?? '', clock.now()),
  });
}

/** Parsed leniently: a proxy may answer in HTML. */
function problemIn(text: string): Partial<Problem> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
