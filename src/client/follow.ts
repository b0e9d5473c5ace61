/** A live stream of events over one endless request, and over the next one when it ends. */
import { messagesOf } from '../lib/server-sent.ts';
import { toMs } from '../lib/clock.ts';
import { type Line, exchange } from './exchange.ts';
import type { Event } from './generated/api.ts';
import { NoAnswer, Refused } from './refusal.ts';

export interface FollowOptions {
  /** The cursor of the last handled event. */
  readonly after?: string | undefined;
  /** Without a cursor: begin with the oldest stored event, or with the next one. Default: `beginning`. */
  readonly from?: 'beginning' | 'now';
  /** Only these. */
  readonly types?: readonly Event['type'][];
  readonly signal?: AbortSignal;
  /** Called for each position that is passed, with or without a matching event: where to continue. */
  readonly onCursor?: (cursor: string) => void;
  /** Receives the reason of each reconnect. */
  readonly onError?: (error: unknown) => void;
}

export interface Followed {
  readonly event: Event;
  /** Where to continue after it. */
  readonly cursor: string;
}

const BEGINNING = '0-0';
const ANSWER_WITHIN_MS = toMs('30s');
/** The stream sends something each 15 s. */
const SILENCE_MOST_MS = toMs('45s');
const AGAIN_AFTER_MS = 1_000;

export async function* follow(line: Line, options: FollowOptions): AsyncGenerator<Followed, void> {
  for await (const { event, cursor } of places(line, options)) {
    if (event) yield { event, cursor };
    options.onCursor?.(cursor);
  }
}

/** A place that is passed, with its event if there is one for the caller. */
interface Place {
  readonly cursor: string;
  readonly event: Event | undefined;
}

export type PlaceOptions = Omit<FollowOptions, 'onCursor'>;

/** Throws what will not pass by itself: a key that may not read, or a cursor that is too old (`Refused`, 410). */
export async function* places(line: Line, options: PlaceOptions): AsyncGenerator<Place, void> {
  const { after, from = 'beginning', types, signal, onError } = options;
  const place = { cursor: after ?? (from === 'beginning' ? BEGINNING : undefined) };
  const query = types === undefined ? '' : `?types=${encodeURIComponent(types.join(','))}`;
  for (;;) {
    let waitMs = AGAIN_AFTER_MS;
    try {
      yield* heardFrom(line, `/v1/stream${query}`, { place, ...options });
    } catch (error) {
      if (signal?.aborted) return;
      if (!willPass(error)) throw error;
      onError?.(error);
      if (error instanceof Refused) waitMs = error.retryAfterMs ?? waitMs;
    }
    if (signal?.aborted) return;
    // Only a stop interrupts the sleep.
    await line.clock.sleep(waitMs, signal).catch(() => undefined);
  }
}

interface Hearing extends PlaceOptions {
  /** Advances with each received message. */
  readonly place: { cursor: string | undefined };
}

/** Until one side ends it. */
async function* heardFrom(line: Line, path: string, { place, signal }: Hearing): AsyncGenerator<Place, void> {
  for await (const { id, data } of messagesFrom(line, { path, cursor: place.cursor, signal })) {
    const event = data === undefined ? undefined : eventIn(data, line.url);
    place.cursor = id ?? place.cursor;
    if (place.cursor !== undefined) yield { cursor: place.cursor, event };
  }
}

function eventIn(data: string, url: string): Event {
  try {
    return JSON.parse(data) as Event;
  } catch (cause) {
    throw new NoAnswer(url, 'cut', { accepted: 'no', cause });
  }
}

function willPass(error: unknown): boolean {
  if (error instanceof Refused) return error.status === 429 || error.status >= 500;
  return error instanceof NoAnswer;
}

interface Asked {
  readonly path: string;
  readonly cursor: string | undefined;
  readonly signal: AbortSignal | undefined;
}

async function* messagesFrom(line: Line, { path, cursor, signal }: Asked) {
  const ended = new AbortController();
  const letter = {
    method: 'GET',
    path,
    headers: { accept: 'text/event-stream', ...(cursor === undefined ? {} : { 'last-event-id': cursor }) },
    isStreamed: false,
    isSafe: true,
    timeoutMs: ANSWER_WITHIN_MS,
    signal: signal ? AbortSignal.any([signal, ended.signal]) : ended.signal,
  };
  try {
    const answer = await exchange({ ...line, patienceMs: 0 }, letter, async (begun) => begun);
    yield* messagesOf(partsOf(line, answer, ended));
  } finally {
    // A reader that stops midway leaves no open connection.
    ended.abort();
  }
}

async function* partsOf(
  { clock, url }: Line,
  { body }: Response,
  ended: AbortController,
): AsyncGenerator<string, void> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const disarm = clock.after(SILENCE_MOST_MS, () => ended.abort());
    try {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    } catch (cause) {
      throw new NoAnswer(url, ended.signal.aborted ? 'silent' : 'broken off', { accepted: 'no', cause });
    } finally {
      disarm();
    }
  }
}
