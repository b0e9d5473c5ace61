import { Router } from 'express';
import { type EventType, eventTypes } from '../kinds/event-types.ts';
import { CursorAhead, CursorTooOld, cursorPattern } from '../events/stream.ts';
import { type ApiContext, queryNumber, queryText, requireRole } from './context.ts';
import { mayUseAccount } from './keys.ts';
import { ApiProblem, invalid } from './problem.ts';

export function eventRoutes({ events }: ApiContext): Router {
  const router = Router();

  router.get('/', async (request, response) => {
    const key = requireRole(response, 'read');
    const limit = queryNumber(request, 'limit', 100, 1_000);
    const after = queryText(request, 'after', cursorPattern);
    const types = readTypes(queryText(request, 'types', /^[\w.,]{1,1000}$/));
    try {
      const page = await events.read(after, limit, types);
      response.json({ events: page.events.filter(({ account }) => mayUseAccount(key, account)), next: page.next });
    } catch (error) {
      if (error instanceof CursorAhead) throw aheadOfTheStream(error);
      if (!(error instanceof CursorTooOld)) throw error;
      throw new ApiProblem(
        'gone',
        `Events up to here are forgotten; the oldest kept is ${error.oldest}. Take stock, then read on without a cursor.`,
        {
          oldest: error.oldest,
        },
      );
    }
  });

  return router;
}

function aheadOfTheStream({ oldest, epoch }: CursorAhead): ApiProblem {
  const detail =
    'Events up to this cursor are not, or no longer, in the stream: Redis was put back, or has lost something. ' +
    'Take stock, then read on without a cursor.';
  return new ApiProblem('ahead-of-the-stream', detail, { oldest: oldest ?? null, epoch });
}

function readTypes(text: string | undefined): Set<string> | undefined {
  if (text === undefined) return undefined;
  const types = text.split(',');
  const unknown = types.filter((type) => !eventTypes.includes(type as EventType));
  if (unknown.length === 0) return new Set(types);
  const message = `${unknown.join(', ')} is not an event type; they are ${eventTypes.join(', ')}`;
  throw invalid([{ pointer: '/types', message }]);
}
