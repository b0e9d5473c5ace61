/**
 * One consumer that hears events over HTTP. Its place is a cursor that the caller stores, so nothing else can share it.
 * The cursor is written after the handler: an event whose consumer died in between is handled again, under the same id.
 *
 *   read the cursor ──▶ event ──▶ handler, until it succeeds ──▶ write the cursor ──▶ next event …
 */
import { type PlaceOptions, places } from '../client/follow.ts';
import type { Line } from '../client/exchange.ts';
import type { HandlerContext } from '../ledger/subscription.ts';
import type { Clock } from '../lib/clock.ts';
import type { CompletionEvent } from './catalogue.ts';

/** Where the caller stores how far its handler has come. */
export interface CursorStore {
  /** The cursor that was written last. Undefined: none yet. */
  readonly read: () => Promise<string | null | undefined> | string | null | undefined;
  /** Resolves when the cursor is stored durably. */
  readonly write: (cursor: string) => Promise<void> | void;
}

export interface HttpSubscription {
  readonly line: Line;
  readonly cursor: CursorStore;
  readonly from: 'beginning' | 'now';
  readonly types: readonly CompletionEvent['type'][] | undefined;
  /** The wait before each retry of an event; the last one repeats. */
  readonly retryMs: readonly number[];
  readonly handler: (event: CompletionEvent, context: HandlerContext) => Promise<void> | void;
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly onError: (error: unknown, event?: CompletionEvent) => void;
}

const PAUSE_MS = 500;

/** Resolves when the signal fired and the handler in progress is done. Throws `Refused` for a key or cursor of no use. */
export async function followOverHttp(subscription: HttpSubscription): Promise<void> {
  const { line, from, types, signal, onError } = subscription;
  const begun = await untilDone(subscription, () => subscription.cursor.read());
  if (begun === undefined) return;
  const after = begun.value ?? undefined;
  const asked: PlaceOptions = { after, from, signal, onError, ...(types === undefined ? {} : { types }) };
  let written = after;
  for await (const { event, cursor } of places(line, asked)) {
    // Its type is that of openapi.json, which is made of this one.
    if (event && !(await isHandled(subscription, event as CompletionEvent))) return;
    if (cursor === written) continue;
    if (!(await untilDone(subscription, () => subscription.cursor.write(cursor)))) return;
    written = cursor;
  }
}

/** False: the signal fired before its handler succeeded. No later event is handled before it. */
async function isHandled(subscription: HttpSubscription, event: CompletionEvent): Promise<boolean> {
  const { handler, signal, clock, retryMs, onError } = subscription;
  for (let tries = 1; !signal.aborted; tries += 1) {
    try {
      await handler(event, { tries, signal });
      return true;
    } catch (error) {
      onError(error, event);
    }
    const waitMs = retryMs[tries - 1] ?? retryMs.at(-1) ?? PAUSE_MS;
    // A sleep is interrupted only by the signal, and then the loop ends.
    await clock.sleep(waitMs, signal).catch(() => undefined);
  }
  return false;
}

/** Undefined: the signal fired before the store of the caller answered. */
async function untilDone<T>(
  { signal, clock, onError }: HttpSubscription,
  run: () => Promise<T> | T,
): Promise<{ readonly value: T } | undefined> {
  for (;;) {
    try {
      return { value: await run() };
    } catch (error) {
      onError(error);
    }
    await clock.sleep(PAUSE_MS, signal).catch(() => undefined);
    if (signal.aborted) return undefined;
  }
}
