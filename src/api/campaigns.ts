import { type Request, type Response, Router } from 'express';
import { paceToRecord } from '../operations/campaign-pace.ts';
import { campaignAmendment } from '../kinds/campaign-request.ts';
import { outcomeLetters, type RecipientState } from '../kinds/recipient.ts';
import { recipientsPage } from '../campaigns/recipients.ts';
import { recipientsCsv } from '../campaigns/recipients-csv.ts';
import { type CampaignSwitch, campaignSwitches } from '../operations/campaign-switches.ts';
import type { CampaignRecord } from '../operations/record.ts';
import { problemsOf } from '../producer/problems.ts';
import { retryCampaign } from './campaign-retry.ts';
import { takeUpload } from './campaign-upload.ts';
import {
  type ApiContext,
  findRecord,
  idempotencyKey,
  queryNumber,
  queryText,
  requireAccount,
  requireKept,
  requireNoRecovery,
  requireOpen,
  requireRole,
  takeAnswer,
} from './context.ts';
import type { ApiKey } from './keys.ts';
import { ApiProblem, invalid } from './problem.ts';
import { campaignView } from './views.ts';

const CALLERS_SWITCHES = ['start', 'pause', 'resume', 'cancel'] as const satisfies readonly CampaignSwitch[];

export function campaignRoutes(context: ApiContext): Router {
  const router = Router();

  router.post('/', async (request, response) => {
    const key = requireRole(response, 'enqueue');
    requireAccount(key, request.body);
    requireOpen(context, response);
    const answer = takeAnswer(await context.acceptance.campaign(request.body, idempotencyKey(request)));
    if (answer.outcome === 'duplicate') response.set('Idempotency-Replayed', 'true');
    response.status(201).json(view(context, await findRecord(context, key, 'campaign', answer.id)));
  });

  router.get('/:id', async (request, response) => {
    const key = requireRole(response, 'read');
    response.json(view(context, await findRecord(context, key, 'campaign', request.params.id)));
  });

  router.post('/:id/recipients', (request, response) => upload(context, request, response));
  router.get('/:id/recipients', (request, response) => listRecipients(context, request, response));

  router.patch('/:id', (request, response) => amend(context, request, response));

  for (const name of CALLERS_SWITCHES) {
    router.post(`/:id/${name}`, async (request, response) => {
      const key = requireRole(response, 'enqueue');
      const campaign = await findRecord(context, key, 'campaign', request.params.id);
      if (name === 'start') requireOpen(context, response);
      if (name === 'start' || name === 'resume') await requireNoRecovery(context, response);
      await switchCampaign(context, campaign, name);
      // Asked again after an answer that was not kept, it is as asked already, and may still not be kept.
      await requireKept(context);
      response.json(view(context, await findRecord(context, key, 'campaign', campaign.id)));
    });
  }
  router.post('/:id/retry', async (request, response) => {
    const key = requireRole(response, 'enqueue');
    const campaign = await findRecord(context, key, 'campaign', request.params.id);
    const replayed = await retryCampaign(context, campaign, { request, response });
    await requireKept(context);
    if (replayed) response.set('Idempotency-Replayed', 'true');
    response.json(view(context, await findRecord(context, key, 'campaign', campaign.id)));
  });
  return router;
}

function view({ clock }: ApiContext, record: CampaignRecord) {
  return campaignView(record, clock.now());
}

/** Asking again for the state that a campaign is already in changes nothing, so that a retry is harmless. */
async function switchCampaign(context: ApiContext, campaign: CampaignRecord, name: CampaignSwitch): Promise<void> {
  const { to } = campaignSwitches[name];
  if (campaign.state === to || (name === 'start' && campaign.state === 'scheduled')) return;
  if (name === 'resume') await beforeResuming(context, campaign);
  if (name === 'start') {
    if (campaign.chunks === 0) {
      throw new ApiProblem('wrong-state', 'It has no recipients to send to: upload some first.', {
        state: campaign.state,
      });
    }
  }
  const switched = await context.campaigns.switch(campaign.id, name);
  if (switched.is === 'refused') {
    throw new ApiProblem('wrong-state', `It is ${switched.state}, so there is nothing to ${name}.`, {
      state: switched.state,
    });
  }
  if (switched.to === 'running') context.wake('campaign', campaign.id, switched.rev);
}

/** Somebody looked and said "go on", so an account that is held for an empty balance is tried again. */
async function beforeResuming({ accounts }: ApiContext, campaign: CampaignRecord): Promise<void> {
  const { state, account } = campaign;
  if (state === 'held' && campaign.reason === 'quiet_hours') {
    throw new ApiProblem(
      'wrong-state',
      'It waits for the quiet hours to end, and goes on by itself. To send all the same: PATCH {"quietHours": false}.',
      { state },
    );
  }
  if (state !== 'held' && state !== 'paused') return;
  for (const { area, reason } of await accounts.holdsOf(account)) {
    if (area === 'messaging') await accounts.release(account, area, reason);
  }
}

/** Counts from the next chunk on: faster, slower, through the night or not. */
async function amend(context: ApiContext, request: Request, response: Response): Promise<void> {
  const key = requireRole(response, 'enqueue');
  const campaign = await campaignOf(context, key, request);
  const parsed = campaignAmendment.safeParse(request.body);
  if (!parsed.success) throw invalid(problemsOf(parsed.error));
  const amended = await context.campaigns.amend(campaign.id, paceToRecord(parsed.data));
  if (amended.is === 'refused') {
    throw new ApiProblem('wrong-state', `It is ${amended.state}: nothing is sent any more.`, {
      state: amended.state,
    });
  }
  context.wake('campaign', campaign.id, amended.rev);
  await requireKept(context);
  response.json(view(context, await findRecord(context, key, 'campaign', campaign.id)));
}

async function upload(context: ApiContext, request: Request, response: Response): Promise<void> {
  const key = requireRole(response, 'enqueue');
  requireOpen(context, response);
  const campaign = await campaignOf(context, key, request);
  if (campaign.state !== 'draft' && campaign.state !== 'ready') {
    throw new ApiProblem('wrong-state', `It is ${campaign.state}: recipients are added before the start.`);
  }
  await takeUpload(context, campaign, { request, response });
}

function campaignOf(context: ApiContext, key: ApiKey, request: Request): Promise<CampaignRecord> {
  const { id } = request.params;
  return findRecord(context, key, 'campaign', typeof id === 'string' ? id : undefined);
}

async function listRecipients(context: ApiContext, request: Request, response: Response): Promise<void> {
  const key = requireRole(response, 'read');
  const campaign = await campaignOf(context, key, request);
  const limit = queryNumber(request, 'limit', 100, 1_000);
  const state = queryText(request, 'state');
  const after = queryText(request, 'after');
  const states = Object.keys(outcomeLetters);
  if (state !== undefined && !states.includes(state)) {
    throw invalid([{ pointer: '/state', message: `must be one of ${states.join(', ')}` }]);
  }
  const page = await recipientsPage(campaign, context, { state: state as RecipientState | undefined, after, limit });
  if (request.accepts(['json', 'csv']) === 'csv') {
    if (page.next) response.set('X-Next', page.next);
    response.type('text/csv').send(recipientsCsv(page.items));
    return;
  }
  response.json({ items: page.items, next: page.next ?? null });
}
