import { type Request, type Response, Router } from 'express';
import { recipientsPage } from '../campaigns/recipients.ts';
import { UnusableFile } from '../campaigns/check/reasons.ts';
import { recipientsCsv } from '../campaigns/recipients-csv.ts';
import { uploadRecipients } from '../campaigns/upload.ts';
import { type CampaignSwitch, campaignSwitches } from '../operations/campaigns.ts';
import { type RecipientState, outcomeLetters } from '../operations/chunk-items.ts';
import type { CampaignRecord } from '../operations/record.ts';
import {
  type ApiContext,
  findRecord,
  idempotencyKey,
  queryNumber,
  queryText,
  requireAccount,
  requireOpen,
  requireRole,
  takeAnswer,
} from './context.ts';
import type { ApiKey } from './keys.ts';
import { ApiProblem, invalid } from './problem.ts';
import { campaignView } from './views.ts';

const FORMATS = { 'text/csv': 'csv', 'application/x-ndjson': 'ndjson' } as const;
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

  for (const name of CALLERS_SWITCHES) {
    router.post(`/:id/${name}`, async (request, response) => {
      const key = requireRole(response, 'enqueue');
      const campaign = await findRecord(context, key, 'campaign', request.params.id);
      await switchCampaign(context, campaign, name);
      response.json(view(context, await findRecord(context, key, 'campaign', campaign.id)));
    });
  }
  return router;
}

function view({ clock }: ApiContext, record: CampaignRecord) {
  return campaignView(record, clock.now());
}

/** Asking again for the state that a campaign is already in changes nothing, so that a retry is harmless. */
async function switchCampaign(context: ApiContext, campaign: CampaignRecord, name: CampaignSwitch): Promise<void> {
  const { to } = campaignSwitches[name];
  if (campaign.state === to) return;
  if (name === 'start') {
    requireOpenNow(context);
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
  if (to !== 'running') return;
  // Somebody looked and said "go on", so an account that is held for an empty balance is tried again.
  for (const { area, reason } of await context.accounts.holdsOf(campaign.account)) {
    if (name === 'resume' && area === 'messaging') await context.accounts.release(campaign.account, area, reason);
  }
  context.wake('campaign', campaign.id, switched.rev);
}

function requireOpenNow({ refusal }: ApiContext): void {
  const why = refusal();
  if (why) throw new ApiProblem(why.kind, why.detail);
}

async function upload(context: ApiContext, request: Request, response: Response): Promise<void> {
  const key = requireRole(response, 'enqueue');
  requireOpen(context, response);
  const campaign = await campaignOf(context, key, request);
  if (campaign.state !== 'draft' && campaign.state !== 'ready') {
    throw new ApiProblem('wrong-state', `It is ${campaign.state}: recipients are added before the start.`);
  }
  const format = FORMATS[(request.get('content-type') ?? '').split(';')[0]?.trim() as keyof typeof FORMATS];
  if (!format) throw new ApiProblem('unsupported-media-type', `Send ${Object.keys(FORMATS).join(' or ')}.`);
  try {
    const { campaigns, queries, random } = context;
    const answer = await uploadRecipients(campaign, request, { campaigns, queries, random, format });
    if (answer.is === 'changed') {
      throw new ApiProblem('wrong-state', 'The campaign was changed meanwhile; nothing was added. Send it again.');
    }
    if (answer.is === 'replayed') response.set('Idempotency-Replayed', 'true');
    const { recipients, skipped } = answer.upload;
    const totals = { total: recipients + skipped, recipients, skipped };
    response.json({ replayed: answer.is === 'replayed', ...(answer.is === 'counted' ? answer.summary : totals) });
  } catch (error) {
    if (error instanceof UnusableFile) throw invalid(error.problems.map(describeFileProblem));
    throw error;
  }
}

function describeFileProblem({ message, detail, row }: UnusableFile['problems'][number]) {
  return {
    pointer: row === undefined ? '' : `/${row}`,
    message: detail === undefined ? message : `${message} (${detail})`,
  };
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
