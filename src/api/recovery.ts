/** A ledger restored from a backup: open operations, the provider's statuses, and operators' decisions. */
import { z } from 'zod';
import type { RecoveryReport, UnderWay } from '../ledger/recovery-view.ts';
import { isProven } from '../ledger/recovery-view.ts';
import type { ApiContext } from './context.ts';
import { personOf } from './keys.ts';
import { recovery } from './openapi/answers-operating.ts';
import { answer, json, wholeNumber, route } from './route.ts';
import { ApiProblem } from './problem.ts';
import { wordsIn } from '../messages/languages.ts';
import { recoverySteps } from '../messages/recovery-steps.ts';
import { message } from '../messages/message.ts';
import { says as saying } from '../messages/schemas.ts';

const recoveryWord = z
  .union([z.strictObject({ apply: z.literal(true) }), z.strictObject({ nothingWasLost: z.literal(true) })], {
    error: saying('apply_or_nothing_lost'),
  })
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
        description:
          'Ask the provider about so many of each kind; it takes as long as that. Absent: it is not asked.',
      }),
    },
    answers: { 200: answer('What is known.', recovery) },
  },
  async ({ context, key, query: { ask = 0 } }) => {
    const { recoveryDesk: desk } = context;
    const underWay = await desk.underWay();
    const state = stateView(underWay);
    // The figures are for all accounts.
    if (key.accounts !== undefined) return state;
    const says = underWay === undefined || ask === 0 ? [] : await desk.says(underWay, ask);
    return { ...state, open: await desk.open(), says, last: reportView(await desk.lastReport()) };
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
      '`apply` works for a few seconds in each request: repeat it until `over`. Operations that the restored ledger ' +
      'shows as unsent are not sent, unless the journal proves that they never left. What the journal knows of the ' +
      'data-loss window is recorded again. `nothingWasLost` confirms that nothing was lost: two persons must send it ' +
      'within a day, the first is answered with `first`. It is refused (409) if relais knows of a loss.',
    role: 'operate',
    alsoRole: 'approve',
    scope: 'all',
    body: json(recoveryWord),
    answers: { 200: answer('How far it is.', recovery) },
    problems: ['wrong-state'],
  },
  async ({ context, key, body, act }) => {
    const { recoveryDesk: desk } = context;
    const by = personOf(key);
    if ('nothingWasLost' in body) {
      const confirmed = await desk.confirm(by, act('', { how: 'nothing was lost' }));
      if (confirmed === 'lost') throw await contradicted(desk);
      const over = confirmed !== 'first';
      return { ...stateView(await desk.underWay()), over, ...(over ? {} : { first: by }) };
    }
    const applied = await desk.apply({ by, act: act('', { how: 'apply' }) });
    if (applied.is === 'under way') {
      const { done, of } = applied;
      return { ...stateView(await desk.underWay()), over: false, progress: { done, of } };
    }
    return { ...stateView(await desk.underWay()), over: true, last: reportView(await desk.lastReport()) };
  },
);

async function contradicted(desk: ApiContext['recoveryDesk']): Promise<ApiProblem> {
  const underWay = await desk.underWay();
  return new ApiProblem('wrong-state', message('data_was_lost', { why: underWay?.because ?? 'it is known' }), {
    state: 'recovering',
  });
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

/** The recovery stored it in this form. */
function reportView(kept: unknown) {
  if (kept === undefined) return null;
  const { at, lastBeat, lostActions, broken, ...rest } = kept as RecoveryReport;
  const told = {
    ...rest,
    at: iso(at),
    lostSince: iso(lastBeat),
    lostActions: lostActions.map((one) => ({ at: iso(one.at), act: one.act })),
    broken: broken ?? null,
  };
  return { ...told, next: recoverySteps(told, wordsIn('en')) };
}

export const recoveryRoutes = [getRecovery, recover];
