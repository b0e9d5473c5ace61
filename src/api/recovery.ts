/** After a Redis that may have lost something: what is open, what is said of it, and the word of a person. */
import { z } from 'zod';
import { type RecoveryDesk, type RecoveryReport, type UnderWay, isProven } from '../processors/recovery/desk.ts';
import type { Missing } from '../operations/history.ts';
import { personOf } from './keys.ts';
import { recovery } from './openapi/answers-operating.ts';
import { answer, json, wholeNumber, route } from './route.ts';
import { ApiProblem } from './problem.ts';
import { wordsIn } from '../words/languages.ts';
import { recoverySteps } from '../words/recovery-steps.ts';

const recoveryWord = z
  .union(
    [
      z.strictObject({ apply: z.literal(true), withoutHistory: z.literal(true).optional() }),
      z.strictObject({ nothingWasLost: z.literal(true) }),
      z.strictObject({ withoutMissing: z.literal(true) }),
    ],
    {
      error: 'must be {"apply": true}, {"nothingWasLost": true} or {"withoutMissing": true}',
    },
  )
  .meta({ id: 'RecoveryWord', example: { apply: true } });

const ASK_MOST = 200;

const getRecovery = route(
  {
    method: 'get',
    path: '/v1/recovery',
    id: 'getRecovery',
    tag: 'Operating',
    summary: 'Get the recovery status',
    description:
      'Says for each kind and state how many there are and what an apply would do: `review` (a person), `ask` (the ' +
      'service is asked, then a person), `hold`, `doubt` (looked up in the statistics), `look` and `nothing` (as it ' +
      'is). A key for some accounts sees the state only.',
    role: 'read',
    scope: 'none',
    query: {
      ask: wholeNumber(ASK_MOST).optional().meta({
        description: 'Ask the service about so many of each kind; it takes as long as that. Absent: it is not asked.',
      }),
    },
    answers: { 200: answer('What is known.', recovery) },
  },
  async ({ context, key, query: { ask = 0 } }) => {
    const { recoveryDesk: desk } = context;
    const underWay = await desk.underWay();
    const state = stateView(underWay);
    // The numbers are those of every account.
    if (key.accounts !== undefined) return state;
    const says = underWay === undefined || ask === 0 ? [] : await desk.says(underWay, ask);
    const missing = missingView(await desk.missing());
    return { ...state, open: await desk.open(), says, last: reportView(await desk.lastReport()), missing };
  },
);

const recover = route(
  {
    method: 'post',
    path: '/v1/recovery',
    id: 'recover',
    fresh: true,
    tag: 'Operating',
    summary: 'Recover after a possible data loss',
    description:
      '`apply` works for a few seconds in each request: repeat it until `over`. Operations that the restored backup shows as unsent ' +
      'are not sent; see docs/redis.md. Operations of the data-loss window that are in history are restored with their ' +
      'final states, so that none is done twice. While history cannot be read, the answer is 503, unless ' +
      '`withoutHistory` says that history is lost. `nothingWasLost` confirms a long stop without loss; it is refused ' +
      '(409) if relais knows of a loss. `withoutMissing` continues without the operations that an older backup of ' +
      'history lacks (409 if it lacks none).',
    role: 'operate',
    alsoRole: 'approve',
    scope: { all: 'this is about all of them' },
    body: json(recoveryWord),
    answers: { 200: answer('How far it is.', recovery) },
    problems: ['wrong-state'],
  },
  async ({ context, key, body, act }) => {
    const { recoveryDesk: desk } = context;
    const by = personOf(key);
    if ('withoutMissing' in body) {
      if (!(await desk.goOnWithout(by, act('', { how: 'without what is missing in history' })))) {
        throw new ApiProblem('wrong-state', 'History has every operation that left Redis.', { state: 'none' });
      }
      return { ...stateView(await desk.underWay()), over: true };
    }
    if ('nothingWasLost' in body) {
      const confirmed = await desk.confirm(by, act('', { how: 'nothing was lost' }));
      if (confirmed === 'lost') throw await contradicted(desk);
      return { ...stateView(await desk.underWay()), over: true };
    }
    const { withoutHistory = false } = body;
    const how = withoutHistory ? 'apply, without history' : 'apply';
    const applied = await desk.apply({ by, act: act('', { how }), withoutHistory });
    if (applied.is === 'under way') {
      const { done, of } = applied;
      return { ...stateView(await desk.underWay()), over: false, progress: { done, of } };
    }
    return { ...stateView(await desk.underWay()), over: true, last: reportView(await desk.lastReport()) };
  },
);

async function contradicted(desk: RecoveryDesk): Promise<ApiProblem> {
  const underWay = await desk.underWay();
  return new ApiProblem(
    'wrong-state',
    `Data was lost (${underWay?.because ?? 'it is known'}), so this was not only a long stop. Review the pending operations, then send {"apply": true}.`,
    { state: 'recovering' },
  );
}

function missingView(missing: Missing | undefined) {
  if (missing === undefined) return null;
  const { count, from, to } = missing;
  return { count, from: iso(from), to: iso(to) };
}

const iso = (ms: number): string | null => (ms > 0 ? new Date(ms).toISOString() : null);

function stateView(underWay: UnderWay | undefined) {
  if (underWay === undefined)
    return { state: 'none' as const, because: null, since: null, lastBeat: null, proven: false };
  const { because, since, lastBeat } = underWay;
  return {
    state: 'recovering' as const,
    because,
    since: iso(since),
    lastBeat: iso(lastBeat),
    proven: isProven(underWay),
  };
}

/** One of an older version knows nothing of history. */
type KeptReport = Omit<RecoveryReport, OfHistory> & Partial<Pick<RecoveryReport, OfHistory>>;
type OfHistory = 'putBack' | 'byHistory' | 'lostActs' | 'lostIdentities';

/** It was kept by the desk, in this form. */
function reportView(kept: unknown) {
  if (kept === undefined) return null;
  const { at, lastBeat, putBack, byHistory, lostActs, lostIdentities, withoutHistory, ...rest }: KeptReport =
    kept as RecoveryReport;
  const times = { at: iso(at), lostSince: iso(lastBeat) };
  const view = { ...rest, ...times, putBack: putBack ?? {}, byHistory: byHistory ?? {} };
  const lost = { lostIdentities: lostIdentities ?? { count: 0, ids: [] } };
  const told = { ...view, ...lost, lostActs: lostActs ?? [], withoutHistory: withoutHistory === true };
  return { ...told, next: recoverySteps(told, wordsIn('en')) };
}

export const recoveryRoutes = [getRecovery, recover];
