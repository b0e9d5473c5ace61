/**
 * Hands out the slices of a running campaign, a bounded number at a time, so that pause and cancel take effect within
 * those that are out, and a million recipients wait in compact records instead of jobs.
 *
 * It also lets time and conditions do what a person would have to get up for: begin when the time has come, wait
 * through the night, stop where nothing good comes back, and go on when the cause has cleared.
 */
import type { CampaignSwitch, SwitchDetails } from '../operations/campaign-switches.ts';
import type { CampaignRecord } from '../operations/record.ts';
import type { ProcessorContext, AttemptResult } from './context.ts';
import { judgeCanary } from './campaign-canary.ts';
import { type Standing, judgeOutcome, quietNow } from './campaign-stand.ts';

/** Handing out again is mostly asked for by the slice that settled; this is for when nobody asks. */
const AGAIN_MS = 2_000;
/** However many campaigns run, each keeps a few slices before the workers, and at a pace no more are of use. */
const LEAST_SLICES = 2;
const REQUESTS_PER_SLICE = 20;

export async function feedCampaign(id: string, context: ProcessorContext): Promise<AttemptResult> {
  const campaign = await context.queries.read('campaign', id);
  if (!campaign) return { outcome: 'idle', reason: 'none' };
  const { at, running } = await context.campaigns.circumstances();
  const standing: Standing = { campaign, at };
  if (campaign.state === 'scheduled') return begin(standing, context);
  if (campaign.state === 'held') return releaseIfCleared(standing, context);
  if (campaign.state !== 'running') return rest(campaign, undefined, context);
  const held = await whatHolds(standing, context);
  if (held) return hold(campaign, held, context);
  if (campaign.walk !== undefined) return retry(campaign, running, context);
  return handOut(campaign, running, context);
}

async function begin({ campaign, at }: Standing, context: ProcessorContext): Promise<AttemptResult> {
  const { sendAt = 0 } = campaign;
  return sendAt > at ? rest(campaign, sendAt, context) : change(campaign, 'begin', {}, context);
}

/**
 * What somebody must look at stays held; a night ends by itself, and so does an empty balance once it is filled, and a
 * doubt once statistics have shown that most were sent to.
 */
async function releaseIfCleared(standing: Standing, context: ProcessorContext): Promise<AttemptResult> {
  const { campaign, at } = standing;
  if (campaign.reason === 'quiet_hours') {
    const until = quietNow(standing, context.policy);
    return until === undefined
      ? change(campaign, 'release', { only: 'quiet_hours' }, context)
      : rest(campaign, until, context);
  }
  if (campaign.reason === 'in_doubt') {
    return judgeOutcome(campaign).stop
      ? rest(campaign, at + context.policy.holdRecheckMs, context)
      : change(campaign, 'release', { only: 'in_doubt' }, context);
  }
  if (campaign.reason !== 'funds') return rest(campaign, undefined, context);
  return (await fundsAreGone(campaign, context))
    ? rest(campaign, at + context.policy.holdRecheckMs, context)
    : change(campaign, 'release', { only: 'funds' }, context);
}

async function whatHolds(standing: Standing, context: ProcessorContext): Promise<SwitchDetails | undefined> {
  const { campaign, at } = standing;
  const until = quietNow(standing, context.policy);
  if (until !== undefined) return { reason: 'quiet_hours', againInMs: until - at };
  if (await fundsAreGone(campaign, context)) return { reason: 'funds', againInMs: context.policy.holdRecheckMs };
  const { stop } = judgeOutcome(campaign);
  if (stop === 'in_doubt') return { reason: stop, againInMs: context.policy.holdRecheckMs };
  return stop && { reason: stop };
}

async function fundsAreGone({ account }: CampaignRecord, context: ProcessorContext): Promise<boolean> {
  const holds = await context.accounts.holdsOf(account);
  return holds.some(({ area, reason }) => area === 'messaging' && reason === 'funds');
}

async function handOut(campaign: CampaignRecord, running: number, context: ProcessorContext): Promise<AttemptResult> {
  const canary = await judgeCanary(campaign, context);
  if (canary.is === 'bad') return hold(campaign, { reason: canary.reason }, context);
  const room = roomFor(campaign, running, context);
  const most = canary.is === 'out' ? Math.min(room, canary.more) : room;
  const slices = await context.campaigns.feed(campaign, {
    most,
    againInMs: AGAIN_MS,
    judged: judgeOutcome(campaign).judged,
    canaryOver: canary.is === 'over',
  });
  for (const slice of slices ?? []) context.wake('sms-batch', slice, 1);
  return slices && slices.length > 0
    ? { outcome: 'advanced', reason: 'handed_out' }
    : { outcome: 'idle', reason: canary.is === 'out' ? 'canary_is_out' : 'window_full' };
}

/** Failed recipients go out again, as many at a time as others would. */
async function retry(campaign: CampaignRecord, running: number, context: ProcessorContext): Promise<AttemptResult> {
  const slices = await context.retries.gather(campaign, roomFor(campaign, running, context), AGAIN_MS);
  for (const slice of slices) context.wake('sms-batch', slice, `retry${campaign.retries}`);
  return { outcome: 'advanced', reason: 'retried' };
}

/** Campaigns share what may be out, so that a small one behind a huge one waits for a part of it and not for all. */
function roomFor({ out, perSecond }: CampaignRecord, running: number, context: ProcessorContext): number {
  const { policy, workers } = context;
  const window = perSecond === undefined ? policy.feedWindow * (workers?.times ?? 1) : 0;
  // Those in doubt wait for nobody: one text that is looked for must not keep a thousand others back.
  return Math.max(LEAST_SLICES, Math.ceil(window / running / REQUESTS_PER_SLICE)) - out;
}

async function hold(
  campaign: CampaignRecord,
  details: SwitchDetails,
  context: ProcessorContext,
): Promise<AttemptResult> {
  await context.campaigns.switch(campaign.id, 'hold', details);
  return { outcome: 'waits', reason: details.reason ?? 'held' };
}

async function change(
  { id }: CampaignRecord,
  name: CampaignSwitch,
  details: SwitchDetails,
  context: ProcessorContext,
): Promise<AttemptResult> {
  const switched = await context.campaigns.switch(id, name, details);
  if (switched.is === 'refused') return { outcome: 'idle', reason: 'switched_meanwhile' };
  context.wake('campaign', id, switched.rev);
  return { outcome: 'advanced', reason: name };
}

async function rest(
  campaign: CampaignRecord,
  dueAt: number | undefined,
  context: ProcessorContext,
): Promise<AttemptResult> {
  await context.campaigns.rest(campaign, dueAt);
  return { outcome: 'waits', reason: campaign.reason ?? campaign.state };
}
