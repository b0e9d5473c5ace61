/** After a Redis that may have lost something: what is open, what is said of it, and the word of a person. */
import { z } from 'zod';
import { type RecoveryDesk, type RecoveryReport, type UnderWay, isProven } from '../processors/recovery/desk.ts';
import { requireKept } from './context.ts';
import { personOf } from './keys.ts';
import { recovery } from './openapi/answers-operating.ts';
import { answer, json, wholeNumber, route } from './route.ts';
import { ApiProblem } from './problem.ts';

const recoveryWord = z
  .union([z.strictObject({ apply: z.literal(true) }), z.strictObject({ nothingWasLost: z.literal(true) })], {
    error: 'must be {"apply": true} or {"nothingWasLost": true}',
  })
  .meta({ id: 'RecoveryWord', example: { apply: true } });

const ASK_MOST = 200;

const getRecovery = route(
  {
    method: 'get',
    path: '/v1/recovery',
    id: 'getRecovery',
    tag: 'Operating',
    summary: 'Whether Redis may have lost something, what is open, and what would be done with it.',
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
  async ({ context: { recoveryDesk: desk }, key, query: { ask = 0 } }) => {
    const underWay = await desk.underWay();
    const state = stateView(underWay);
    // The numbers are those of every account.
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
    summary: 'Lead on what is open after a loss, or say that nothing was lost.',
    description:
      '`apply` works for a few seconds a request: ask again until `over`. Nothing that the copy shows as not yet sent ' +
      'is sent; see docs/redis.md. `nothingWasLost` confirms a silence, and is refused (409) where it is known better.',
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
    if ('nothingWasLost' in body) {
      const confirmed = await desk.confirm(by, act('', { how: 'nothing was lost' }));
      if (confirmed === 'lost') throw await contradicted(desk);
      await requireKept(context);
      return { ...stateView(await desk.underWay()), over: true };
    }
    const applied = await desk.apply(by, act('', { how: 'apply' }));
    if (applied.is === 'under way') {
      const { done, of } = applied;
      return { ...stateView(await desk.underWay()), over: false, progress: { done, of } };
    }
    await requireKept(context);
    return { ...stateView(await desk.underWay()), over: true, last: reportView(await desk.lastReport()) };
  },
);

async function contradicted(desk: RecoveryDesk): Promise<ApiProblem> {
  const underWay = await desk.underWay();
  return new ApiProblem(
    'wrong-state',
    `Something was lost (${underWay?.because ?? 'it is known'}): this can be no mere silence. See what is open, then {"apply": true}.`,
    { state: 'recovering' },
  );
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

/** It was kept by the desk, in this form. */
function reportView(kept: unknown) {
  if (kept === undefined) return null;
  const { at, by, because, lastBeat, items, unreadable, intakeJobs, heldCampaigns } = kept as RecoveryReport;
  return {
    at: iso(at),
    by,
    because,
    lostSince: iso(lastBeat),
    items,
    unreadable,
    intakeJobs,
    heldCampaigns,
    next: nextSteps(kept as RecoveryReport),
  };
}

const NAMED_IN_WORDS = 10;

/** What relais cannot do for anybody. */
function nextSteps({ lastBeat, items, unreadable, intakeJobs, heldCampaigns }: RecoveryReport): string[] {
  const since = iso(lastBeat) ?? 'the copy was made';
  const count = (pick: (row: RecoveryReport['items'][number]) => number): number =>
    items.reduce((sum, row) => sum + pick(row), 0);
  const review = count(({ needsReview }) => needsReview.count);
  const texts = items.some(
    ({ kind, underWay }) => (kind === 'recipient' || kind === 'message') && underWay.count > 0,
  );
  return [
    `Opt-outs since ${since} are lost: bring them again (relais opt-outs add) before a campaign is resumed.`,
    `Stops of accounts, pauses of queues and limits that were set since ${since} are gone: set them anew.`,
    'Those that were lifted since are back: relais account list, GET /v1/queues, relais limits list.',
    `Event endpoints are as they were before ${since}. Persons who were forgotten since are known again: relais purge.`,
    ...(unreadable.count > 0
      ? [
          `${unreadable.count} records cannot be read (${unreadable.ids.slice(0, NAMED_IN_WORDS).join(', ')}): they are as they were, and nothing of them is due. relais doctor says why.`,
        ]
      : []),
    ...(intakeJobs > 0
      ? [`${intakeJobs} jobs of intake were given up: look whether each was carried out before it is added anew.`]
      : []),
    ...(review > 0
      ? [
          `${review} need review: relais review list. Look each up in the dashboard of the service, also those that waited already: they may have been resolved since.`,
        ]
      : []),
    ...(heldCampaigns.length > 0
      ? [`${heldCampaigns.length} campaigns wait until they are resumed: relais campaign resume ID.`]
      : []),
    ...(texts
      ? [
          'Texts in doubt are looked up in the statistics. Who is not shown stays unknown: relais campaign retry ID --include-unknown sends to them again.',
        ]
      : []),
  ];
}

export const recoveryRoutes = [getRecovery, recover];
