/** How things ended, read with a cursor. */
import { z } from 'zod';
import { type EventType, eventTypes } from '../kinds/event-types.ts';
import { CursorAhead, CursorTooOld, cursorPattern } from '../events/stream.ts';
import { mayUseAccount } from './keys.ts';
import { eventPage } from './openapi/answers-operating.ts';
import { after, answer, limit } from './openapi/pieces.ts';
import { ApiProblem } from './problem.ts';
import { route } from './route.ts';

const isType = (text: string): text is EventType => eventTypes.some((type) => type === text);

const readEvents = route(
  {
    method: 'get',
    path: '/v1/events',
    id: 'readEvents',
    tag: 'Events',
    summary: 'Read how things ended.',
    description:
      'Keep `next` and give it as `after`. Each event comes at least once; its `id` is the same each time. A cursor ' +
      'older than EVENTS_KEEP is answered with 410 and the oldest that is kept.',
    role: 'read',
    scope: 'list',
    query: {
      after: after(cursorPattern),
      limit: limit(100, 1_000),
      types: z
        .string()
        .refine((text) => text.split(',').every(isType), `must be of ${eventTypes.join(', ')}`)
        .optional()
        .meta({ description: `Separated by commas, of ${eventTypes.join(', ')}.`, example: eventTypes[0] }),
    },
    answers: { 200: answer('The next ones, the oldest first.', eventPage) },
    problems: ['gone', 'ahead-of-the-stream'],
  },
  async ({ context, key, query: { after: place, limit: most, types } }) => {
    try {
      const page = await context.events.read(
        place,
        most,
        types === undefined ? undefined : new Set(types.split(',')),
      );
      return { events: page.events.filter(({ account }) => mayUseAccount(key, account)), next: page.next };
    } catch (error) {
      if (error instanceof CursorAhead) throw aheadOfTheStream(error);
      if (error instanceof CursorTooOld) throw tooOld(error);
      throw error;
    }
  },
);

function tooOld({ oldest }: CursorTooOld): ApiProblem {
  const detail = `Events up to here are forgotten; the oldest kept is ${oldest}. Take stock, then read on without a cursor.`;
  return new ApiProblem('gone', detail, { oldest });
}

function aheadOfTheStream({ oldest, epoch }: CursorAhead): ApiProblem {
  const detail =
    'Events up to this cursor are not, or no longer, in the stream: Redis was put back, or has lost something. ' +
    'Take stock, then read on without a cursor.';
  return new ApiProblem('ahead-of-the-stream', detail, { oldest: oldest ?? null, epoch });
}

export const eventRoutes = [readEvents];
