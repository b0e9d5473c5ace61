/** Events, read with a cursor. */
import { z } from 'zod';
import { type EventType, eventTypes } from '../kinds/index.ts';
import type { Request, Response } from 'express';
import type { CompletionEvent } from '../events/catalogue.ts';
import { CursorAhead, CursorTooOld, cursorPattern } from '../lib/cursors.ts';
import { type Clock, withDeadline } from '../lib/clock.ts';
import { stillAsks } from './gates.ts';
import type { ApiKey } from './keys.ts';
import { eventPage } from './openapi/answers-operating.ts';
import { after, answer, limit, route } from './route.ts';
import { ApiProblem, invalid } from './problem.ts';
import { message } from '../messages/message.ts';
import { says } from '../messages/schemas.ts';

const isType = (text: string): text is EventType => eventTypes.some((type) => type === text);

const types = z
  .string()
  .refine((text) => text.split(',').every(isType), says('one_or_more_of', { values: eventTypes.join(', ') }))
  .optional()
  .meta({ description: `Separated by commas, of ${eventTypes.join(', ')}.`, example: eventTypes[0] });

type Wanted = (event: CompletionEvent) => boolean;

/** The filters within the rights of the key. Undefined: everything. */
function wantedBy({ accounts }: ApiKey, asked: string | undefined): Wanted | undefined {
  if (accounts === undefined && asked === undefined) return undefined;
  const named = asked === undefined ? undefined : new Set<string>(asked.split(','));
  return ({ type, account }) => (named?.has(type) ?? true) && (accounts?.has(account) ?? true);
}

const readEvents = route(
  {
    method: 'get',
    path: '/v1/events',
    id: 'readEvents',
    tag: 'Events',
    summary: 'Read events',
    description:
      'Store `next` and send it as `after`. Each event is delivered at least once, with a stable `id`. For a ' +
      'cursor older than EVENTS_KEEP the answer is 410, with the oldest event that is stored.',
    role: 'read',
    scope: 'list',
    query: {
      after: after(cursorPattern),
      limit: limit(100, 1_000),
      types,
    },
    answers: { 200: answer('The next ones, the oldest first.', eventPage) },
    problems: ['gone', 'ahead-of-the-stream'],
  },
  ({ context, key, query }) =>
    refusingCursors(() => context.events.read(query.after, query.limit, wantedBy(key, query.types))),
);

/** A proxy or the client may close a connection that is silent for longer. */
const HEARTBEAT_MS = 15_000;
/** A reader that takes nothing for this time is disconnected, and returns with its cursor. */
const TAKEN_WITHIN_MS = 30_000;
const AGAIN_AFTER_MS = 2_000;

const EXAMPLE = 'id: 1-48211\ndata: {"id":"dsb_0f6c8d4b2a1e49578c3d.1","type":"disbursement.succeeded"}\n\n';

const followEvents = route(
  {
    method: 'get',
    path: '/v1/stream',
    id: 'followEvents',
    tag: 'Events',
    summary: 'Stream events',
    description:
      'Server-sent events. Each `data` is an event as in `/v1/events`, and each `id` is its cursor: ' +
      '`Last-Event-ID` resumes after it, as an `EventSource` does by itself. Without it, the stream starts now. A ' +
      'comment is sent every 15 s, with an `id` that moves past filtered events. A client that reads nothing for ' +
      '30 s is disconnected.',
    role: 'read',
    scope: 'list',
    query: { types },
    answers: {
      200: {
        says: 'Events, until one side ends it.',
        files: { 'text/event-stream': { says: 'One event each.', example: EXAMPLE } },
      },
    },
    problems: ['gone', 'ahead-of-the-stream'],
  },
  async ({ context, key, query, request, response }) => {
    const { events, followers, clock } = context;
    const cursor = lastEventId(request);
    const place = await refusingCursors(() => (cursor === undefined ? events.end() : events.placeOf(cursor)));
    const isAsked = request.method !== 'HEAD';
    const leave = isAsked ? followers.enter(key.name) : undefined;
    if (isAsked && !leave) throw tooManyStreams(response);
    // Its connection is closed at the end: later requests must not reach a stopping process.
    response.status(200).type('text/event-stream');
    response.set({ 'X-Accel-Buffering': 'no', Connection: 'close' }).flushHeaders();
    if (!isAsked) return void response.end();
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    // A reader whose key was revoked receives nothing more. If that is unknown, the stream ends and the reader
    // reconnects.
    const deaf = context.keyRing.onRead(
      () =>
        void stillAsks(context, key)
          .catch(() => false)
          .then((does) => does || gone.abort()),
    );
    const tell = (text: string): Promise<boolean> => taken(response, text, clock);
    const isWanted = wantedBy(key, query.types);
    try {
      let goesOn = await tell(`retry: ${AGAIN_AFTER_MS}\nid: ${events.cursorOf(place)}\n\n`);
      let at = place;
      for await (const page of followers.after(place, HEARTBEAT_MS, gone.signal)) {
        at = page.at(-1)?.place ?? at;
        const wanted = page.filter(({ event }) => isWanted?.(event) ?? true);
        const lines = wanted.map(({ place: one, event }) => eventText(events.cursorOf(one), event));
        if (lines.length > 0) goesOn = goesOn && (await tell(lines.join('')));
        else if (page.length === 0) goesOn = goesOn && (await tell(`: here\nid: ${events.cursorOf(at)}\n\n`));
        if (!goesOn) break;
      }
    } catch (error) {
      context.onError(error, { method: 'GET', path: '/v1/stream', requestId: String(response.locals['requestId']) });
    }
    deaf();
    leave?.();
    if (!response.destroyed) response.end();
    return undefined;
  },
);

const eventText = (cursor: string, event: CompletionEvent): string =>
  `id: ${cursor}\ndata: ${JSON.stringify(event)}\n\n`;

function lastEventId(request: Request): string | undefined {
  const given = request.get('last-event-id');
  if (given === undefined || given === '' || cursorPattern.test(given)) return given || undefined;
  throw invalid([{ pointer: '/Last-Event-ID', message: message('stream_event_id') }]);
}

/** False: the client has disconnected, or reads nothing. */
async function taken(response: Response, text: string, clock: Clock): Promise<boolean> {
  if (response.destroyed) return false;
  if (response.write(text)) return true;
  const drained = new Promise<void>((resolve) => {
    const over = (): void => {
      response.off('drain', over).off('close', over);
      resolve();
    };
    response.on('drain', over).on('close', over);
  });
  const inTime = await withDeadline(clock, TAKEN_WITHIN_MS, () => drained);
  if (!inTime) response.destroy();
  return !response.destroyed;
}

function tooManyStreams(response: Response): ApiProblem {
  response.set('Retry-After', '30');
  return new ApiProblem('too-many-requests', message('too_many_event_streams'));
}

async function refusingCursors<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof CursorAhead) throw aheadOfTheStream(error);
    if (error instanceof CursorTooOld) throw tooOld(error);
    throw error;
  }
}

function tooOld({ oldest }: CursorTooOld): ApiProblem {
  const detail = oldest === undefined ? message('events_deleted') : message('events_deleted_until', { oldest });
  return new ApiProblem('gone', detail, { oldest: oldest ?? null });
}

function aheadOfTheStream({ oldest, epoch }: CursorAhead): ApiProblem {
  const detail = message('cursor_ahead');
  return new ApiProblem('ahead-of-the-stream', detail, { oldest: oldest ?? null, epoch });
}

export const eventRoutes = [readEvents, followEvents];
