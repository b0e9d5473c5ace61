/** One text for many recipients. */
import { z } from 'zod';
import { recipientsCursor } from '../campaigns/recipient-row.ts';
import { recipientsPage, recipientsCsv } from '../campaigns/recipients.ts';
import { type CampaignSwitch, amendmentToRecord, campaignSwitches } from '../kinds/campaign-switches.ts';
import type { Act } from '../ledger/acts.ts';
import type { CampaignRecord } from '../operations/record.ts';
import { campaignAmendment, campaignRequest } from '../kinds/campaign-request.ts';
import { recipientBins } from '../kinds/recipient.ts';
import { approve, reject } from './campaign-approval.ts';
import { campaignRetry, retryCampaign } from './campaign-retry.ts';
import { fileRoutes } from './campaign-file.ts';
import { requireTrialNumbers } from './trial.ts';
import { uploadRoutes } from './campaign-upload.ts';
import { type ApiContext, findRecord, takeAnswer } from './context.ts';
import { phoneFilter, phonesOf, readerOf } from './finding.ts';
import { listRoute } from './lists.ts';
import {
  acceptanceFor,
  dryRunQuery,
  JUDGED,
  judgedAs,
  accepted,
  after,
  answer,
  APPROVAL_MAX,
  approvalOf,
  json,
  limit,
  Reply,
  replayed,
  route,
} from './route.ts';
import { campaign, recipients } from './openapi/answers-texts.ts';
import { rejecting } from './rejecting.ts';
import { personOf } from './keys.ts';
import { templateProblems } from '../producer/problems.ts';
import { ApiProblem, invalid } from './problem.ts';
import { triedAgainAt } from '../kinds/hold.ts';
import { campaignView } from './views.ts';
import { message } from '../messages/message.ts';

const createCampaign = route(
  {
    method: 'post',
    path: '/v1/campaigns',
    id: 'createCampaign',
    tag: 'Campaigns',
    summary: 'Create a campaign',
    description:
      'The campaign has no recipients yet. Words in `{{braces}}` are replaced by the columns of the recipients.',
    role: 'enqueue-sms',
    scope: 'named',
    identity: 'required',
    durable: true,
    query: dryRunQuery,
    body: accepted(campaignRequest),
    answers: { 200: JUDGED, 201: answer('Made, or made before.', campaign) },
  },
  async (asked) => {
    const { context, key, query, body, idempotencyKey, response } = asked;
    const given = await acceptanceFor(asked).campaign(body, idempotencyKey, personOf(key));
    if (query.dryRun) return judgedAs(given);
    const { id, outcome } = takeAnswer(given);
    replayed(response, outcome === 'duplicate');
    return new Reply(201, await view(context, await findRecord(context, key, 'campaign', id)));
  },
);

const about = {
  tag: 'Campaigns',
  role: 'enqueue-sms',
  scope: 'record',
  record: 'campaign',
  answers: { 200: answer('As it is now.', campaign) },
} as const;

const getCampaign = route(
  {
    ...about,
    method: 'get',
    path: '/v1/campaigns/{id}',
    id: 'getCampaign',
    cli: { name: 'campaign show', byHand: true },
    summary: 'Get a campaign',
    description: 'With its progress and its recipient counts.',
    role: 'read',
  },
  ({ context, record }) => view(context, record),
);

/** Campaign fields that affect the check of a file. */
const READ_FOR = ['text', 'country', 'replaceCostly', 'from'] as const;

const amendCampaign = route(
  {
    ...about,
    method: 'patch',
    path: '/v1/campaigns/{id}',
    id: 'amendCampaign',
    summary: 'Update a campaign',
    description:
      'The change applies from the next request on. null removes a limit. Name, text, sender ID, country, ' +
      'look-alikes and time can change only while the campaign has no recipients.',
    body: json(campaignAmendment),
    problems: ['wrong-state'],
  },
  async ({ context, key, record, body, again, act }) => {
    const problems = templateProblems(body.text ?? '');
    if (problems.length > 0) throw invalid(problems);
    const how = { by: personOf(key), act: act(record.id) };
    const amended = await context.campaigns.amend(record.id, amendmentToRecord(body), how);
    if (amended.is === 'approved') {
      const detail = message('campaign_hours_fixed');
      throw new ApiProblem('wrong-state', detail, { state: record.state });
    }
    if (amended.is === 'filled') {
      const detail = message('campaign_text_fixed');
      throw new ApiProblem('wrong-state', detail, { state: record.state });
    }
    if (amended.is !== 'applied') {
      const state = amended.state || record.state;
      throw new ApiProblem('wrong-state', message('campaign_sends_no_more', { state }), { state });
    }
    context.wake('campaign');
    if (READ_FOR.some((name) => body[name] !== undefined)) await context.keptFiles.outdated(record.id);
    return view(context, await again());
  },
);

const listRecipients = route(
  {
    ...about,
    method: 'get',
    path: '/v1/campaigns/{id}/recipients',
    id: 'listRecipients',
    summary: 'List campaign recipients',
    description:
      'With the result of each recipient; as CSV with `Accept: text/csv`. The other columns of the file are ' +
      'returned with each row, under their own headings. With a filter, a page can be short or empty while `next` ' +
      'still leads to more.',
    role: 'read',
    query: {
      state: z.enum(recipientBins).optional().meta({ description: 'Only recipients with this status.' }),
      phone: phoneFilter,
      after: after(recipientsCursor),
      limit: limit(100, 1_000),
    },
    answers: {
      200: {
        says: 'A page of recipients.',
        schema: recipients,
        files: {
          'text/csv': { says: 'One line per recipient.', example: 'to;row;state\r\n+221771234567;2;sent\r\n' },
        },
        headers: { 'X-Next': 'With CSV: what `next` is with JSON; absent at the end.' },
      },
    },
  },
  async ({ context, record, query: { phone, ...query }, request, response }) => {
    const country = record.country ?? context.defaultCountry;
    const meant = phone === undefined ? {} : { isMeant: readerOf(phone, country), phones: phonesOf(phone, country) };
    const page = await recipientsPage(record, context.recipients, { ...query, ...meant });
    if (request.accepts(['json', 'csv']) !== 'csv') return { ...page, next: page.next ?? null };
    if (page.next) response.set('X-Next', page.next);
    response
      .type('text/csv')
      .send(recipientsCsv(page.items, { zone: context.reports.timezone, columns: page.columns }));
    return undefined;
  },
);

const SWITCHES = {
  start: ['Start a campaign', 'relais begins to send to its recipients.', 'The campaign is running.'],
  pause: ['Pause a campaign', 'Requests in progress are completed.', 'Nothing more is sent until it is resumed.'],
  resume: ['Resume a campaign', 'An account held for messaging is tried again.', 'The campaign is running.'],
  cancel: ['Cancel a campaign', 'SMS that are not sent yet are never sent.', 'Nothing more is sent.'],
} as const satisfies Partial<Record<CampaignSwitch, readonly [summary: string, effect: string, says: string]>>;

/** A start or a resume is refused if sent requests might not be recorded. */
const GUARDS = {
  start: { durable: true, releases: true },
  pause: {},
  resume: { releases: true },
  cancel: {},
} as const;

const switchRoutes = (['start', 'pause', 'resume', 'cancel'] as const).map((name) => {
  const [summary, effect, says] = SWITCHES[name];
  return route(
    {
      ...about,
      ...GUARDS[name],
      method: 'post',
      path: `/v1/campaigns/{id}/${name}`,
      id: `${name}Campaign`,
      cli: { name: `campaign ${name}`, ...(name === 'start' ? { byHand: true } : {}) },
      summary,
      description: `${effect} Repeating the request changes nothing.`,
      answers: {
        200: answer(says, campaign),
        ...(name === 'start' || name === 'resume'
          ? { 202: answer('It waits for a different person.', campaign) }
          : {}),
      },
      problems: ['wrong-state'],
    },
    async ({ context, key, record, again, act }) => {
      await switchCampaign(context, { record, by: personOf(key), act: act(record.id) }, name);
      // A repeated request after a lost answer finds the state already changed, and may still not be durable.
      const now = await again();
      return new Reply(now.state === 'awaiting_approval' ? 202 : 200, await view(context, now));
    },
  );
});

const approveCampaign = route(
  {
    ...about,
    method: 'post',
    path: '/v1/campaigns/{id}/approve',
    id: 'approveCampaign',
    fresh: true,
    cli: { name: 'campaign approve', byHand: true },
    summary: 'Approve a campaign',
    description:
      'By a different person than those who made, filled, changed or started it (403). What was changed since has another hash (409).',
    role: 'approve',
    durable: true,
    releases: true,
    body: { schema: approvalOf('CampaignApproval'), limit: APPROVAL_MAX },
    answers: { 200: answer('It is sent, or waits for its time.', campaign) },
    problems: ['wrong-state'],
  },
  async ({ context, key, record, body: { contentHash }, again, act }) => {
    await approve(context, { record, key, act: act(record.id, { contentHash }) }, contentHash);
    return view(context, await again());
  },
);

const rejectCampaign = route(
  {
    ...about,
    ...rejecting,
    path: '/v1/campaigns/{id}/reject',
    id: 'rejectCampaign',
    cli: { name: 'campaign reject', asks: 'Reject the campaign {id}?' },
    summary: 'Reject a campaign',
    description:
      'For a campaign that waits for approval. It becomes `cancelled` with the reason `not_approved`. Those who made, ' +
      'filled, changed or started it cannot reject it (403), and cancel it instead.',
  },
  async ({ context, key, record, body: { reason: note }, again, act }) => {
    await reject(context, { record, key, act: act(record.id) }, note);
    return view(context, await again());
  },
);

const retry = route(
  {
    ...about,
    method: 'post',
    path: '/v1/campaigns/{id}/retry',
    id: 'retryCampaign',
    summary: 'Retry the failed recipients of a campaign',
    description:
      'Only for a finished campaign. The request changes nothing while the retry is running, or when it repeats an ' +
      '`Idempotency-Key`. Its end is announced by another event, with a higher sequence.',
    identity: 'optional',
    durable: true,
    releases: true,
    body: json(campaignRetry),
    answers: { 200: answer('It goes on.', campaign) },
    problems: ['wrong-state'],
  },
  async ({ context, record, body, idempotencyKey, response, again, act }) => {
    const before = await retryCampaign(context, record, { ...body, idempotencyKey, act: act(record.id) });
    replayed(response, before);
    return view(context, await again());
  },
);

async function view({ clock, accounts, processing }: ApiContext, record: CampaignRecord) {
  const holds = record.state === 'running' ? await accounts.holdsOf(record.account) : [];
  const hold = holds.find(({ area }) => area === 'messaging');
  const until = hold && triedAgainAt(hold, processing.policy.holdRecheckMs);
  return campaignView(record, clock.now(), {
    hold: hold && { reason: hold.reason, until: until && Math.max(until, clock.now()) },
    policy: processing.policy,
  });
}

interface ByHand {
  readonly record: CampaignRecord;
  readonly by: string;
  readonly act: Act;
}

/** A switch to the current state changes nothing, so that a retry is harmless. */
async function switchCampaign(
  context: ApiContext,
  { record, by, act }: ByHand,
  name: keyof typeof SWITCHES,
): Promise<void> {
  const { to } = campaignSwitches[name];
  const begun: readonly string[] = name === 'start' ? [to, 'scheduled', 'awaiting_approval'] : [to];
  if (begun.includes(record.state)) return;
  if (name === 'cancel' && (await context.recoveryDesk.underWay())) {
    const detail = message('campaign_in_recovery');
    throw new ApiProblem('wrong-state', detail, { state: record.state });
  }
  if (name === 'resume') await beforeResuming(context, record, act);
  if (name === 'start') {
    if (record.slices === 0) {
      throw new ApiProblem('wrong-state', message('campaign_without_recipients'), {
        state: record.state,
      });
    }
  }
  if (name === 'start' || name === 'resume') await requireTrialNumbers(context, record.id);
  const switched = await context.campaigns.switch(record.id, name, { by, act });
  if (name === 'cancel') await context.keptFiles.forget(record.id);
  if (switched.is !== 'applied') {
    const state = (switched.is === 'refused' && switched.state) || record.state;
    throw new ApiProblem('wrong-state', message('campaign_cannot', { state, action: name }), { state });
  }
  if (switched.to === 'running') context.wake('campaign');
}

/** A user decided to continue, so an account with an empty-balance hold gets a trial. */
async function beforeResuming({ accounts }: ApiContext, record: CampaignRecord, act: Act): Promise<void> {
  const { state, account } = record;
  if (state === 'held' && record.reason === 'quiet_hours') {
    throw new ApiProblem('wrong-state', message('campaign_in_quiet_hours'), { state });
  }
  if (state !== 'held' && state !== 'paused') return;
  for (const { area, reason } of await accounts.holdsOf(account)) {
    if (area === 'messaging') await accounts.release(account, area, reason, { ...act, target: account });
  }
}

const listCampaigns = listRoute({
  kind: 'campaign',
  path: '/v1/campaigns',
  id: 'listCampaigns',
  tag: 'Campaigns',
  summary: 'List campaigns',
  cli: 'campaign list',
  columns: ['id', 'state', 'name', 'reason', 'segments', 'account', 'createdAt'],
  row: campaignView,
});

export const campaignRoutes = [
  listCampaigns,
  createCampaign,
  getCampaign,
  amendCampaign,
  ...uploadRoutes,
  ...fileRoutes,
  listRecipients,
  ...switchRoutes,
  approveCampaign,
  rejectCampaign,
  retry,
];
