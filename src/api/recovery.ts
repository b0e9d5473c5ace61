/** After a Redis that may have lost something: what is open, what is said of it, and the word of a person. */
import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import { type RecoveryDesk, type RecoveryReport, type UnderWay, isProven } from '../processors/recovery/desk.ts';
import { problemsOf } from '../producer/problems.ts';
import { type ApiContext, queryNumber, requireKept, requireRole } from './context.ts';
import type { ApiKey } from './keys.ts';
import { ApiProblem, invalid } from './problem.ts';

export const recoveryWord = z
  .union([z.strictObject({ apply: z.literal(true) }), z.strictObject({ nothingWasLost: z.literal(true) })], {
    error: 'must be {"apply": true} or {"nothingWasLost": true}',
  })
  .meta({ id: 'RecoveryWord', example: { apply: true } });

export const ASK_MOST = 200;

export function recoveryRoutes(context: ApiContext): Router {
  const router = Router();
  const { recoveryDesk: desk } = context;

  router.get('/', async (request, response) => {
    const key = requireRole(response, 'read');
    const underWay = await desk.underWay();
    const state = stateView(underWay);
    // The numbers are those of every account.
    if (key.accounts !== undefined) {
      response.json(state);
      return;
    }
    const asks = request.query['ask'] === undefined ? 0 : queryNumber(request, 'ask', ASK_MOST, ASK_MOST);
    const says = underWay === undefined || asks === 0 ? [] : await desk.says(underWay, asks);
    response.json({ ...state, open: await desk.open(), says, last: reportView(await desk.lastReport()) });
  });

  router.post('/', (request, response) => decide(context, desk, { request, response }));
  return router;
}

async function decide(
  context: ApiContext,
  desk: RecoveryDesk,
  { request, response }: { readonly request: Request; readonly response: Response },
): Promise<void> {
  const key = requireEverything(requireRole(response, 'operate'));
  requireRole(response, 'approve');
  const parsed = recoveryWord.safeParse(request.body ?? {});
  if (!parsed.success) throw invalid(problemsOf(parsed.error));
  if ('nothingWasLost' in parsed.data) {
    const confirmed = await desk.confirm(key.name);
    if (confirmed === 'lost') throw await contradicted(desk);
    if (confirmed === 'left') context.audit({ by: key.name, did: 'recover', how: 'nothing was lost' });
    await requireKept(context);
    response.json({ ...stateView(await desk.underWay()), over: true });
    return;
  }
  const applied = await desk.apply(key.name);
  if (applied.is === 'under way') {
    const { done, of } = applied;
    response.json({ ...stateView(await desk.underWay()), over: false, progress: { done, of } });
    return;
  }
  if (applied.is === 'over') {
    const { items, because } = applied.report;
    context.audit({ by: key.name, did: 'recover', how: 'apply', because, items });
  }
  await requireKept(context);
  response.json({ ...stateView(await desk.underWay()), over: true, last: reportView(await desk.lastReport()) });
}

async function contradicted(desk: RecoveryDesk): Promise<ApiProblem> {
  const underWay = await desk.underWay();
  return new ApiProblem(
    'wrong-state',
    `Something was lost (${underWay?.because ?? 'it is known'}): this can be no mere silence. See what is open, then {"apply": true}.`,
    { state: 'recovering' },
  );
}

/** It is about every account. */
function requireEverything(key: ApiKey): ApiKey {
  if (key.accounts === undefined) return key;
  throw new ApiProblem('forbidden', `The key "${key.name}" is for some accounts, and this is about all of them.`);
}

const iso = (ms: number): string | null => (ms > 0 ? new Date(ms).toISOString() : null);

function stateView(underWay: UnderWay | undefined) {
  if (underWay === undefined) return { state: 'none', because: null, since: null, lastBeat: null, proven: false };
  const { because, since, lastBeat } = underWay;
  return { state: 'recovering', because, since: iso(since), lastBeat: iso(lastBeat), proven: isProven(underWay) };
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
