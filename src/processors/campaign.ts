/**
 * Hands out the slices of a running campaign, a bounded number at a time, so that pause and cancel take effect within
 * those that are out, and a million recipients wait in compact records instead of jobs.
 *
 * It also lets time and conditions do what a person would have to get up for: begin when the time has come, wait
 * through the night, stop where nothing good comes back, and go on when the cause has cleared.
 */
import type { RecipientState } from '../kinds/recipient.ts';
import { quietNow } from '../kinds/campaign-hours.ts';
import type { CampaignSwitch } from '../kinds/campaign-switches.ts';
import { type SwitchDetails, type Judged, sliceAt } from '../operations/campaigns.ts';
import { BUDGET } from '../kinds/hold.ts';
import { REQUESTS_PER_SLICE } from '../operations/slice-form.ts';
import type { CampaignRecord } from '../operations/record.ts';
import { type SliceRecord, statesOf } from '../operations/slices.ts';
import { readEvidence } from '../operations/transition.ts';
import type { ProcessorContext, AttemptResult } from './context.ts';
import { isReached } from './gate.ts';
import { BALANCE_EMPTY } from './sms/answers.ts';

/** Handing out again is mostly asked for by the slice that settled; this is for when nobody asks. */
const AGAIN_MS = 2_000;
/** However many campaigns run, each keeps a few slices before the workers, and at a pace no more are of use. */
const LEAST_SLICES = 2;

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
  const { reason } = campaign;
  if (reason !== 'funds' && reason !== BUDGET) return rest(campaign, undefined, context);
  return (await cannotBePaid(campaign, context)) === reason
    ? rest(campaign, at + context.policy.holdRecheckMs, context)
    : change(campaign, 'release', { only: reason }, context);
}

async function whatHolds(standing: Standing, context: ProcessorContext): Promise<SwitchDetails | undefined> {
  const { campaign, at } = standing;
  const until = quietNow(standing, context.policy);
  if (until !== undefined) return { reason: 'quiet_hours', againInMs: until - at };
  const unpaid = await cannotBePaid(campaign, context);
  if (unpaid) return { reason: unpaid, againInMs: context.policy.holdRecheckMs };
  const { stop } = judgeOutcome(campaign);
  if (stop === 'in_doubt') return { reason: stop, againInMs: context.policy.holdRecheckMs };
  return stop && { reason: stop };
}

/** The balance ran out, or a budget is reached, which is over as soon as it has room again. */
async function cannotBePaid(
  { account }: CampaignRecord,
  context: ProcessorContext,
): Promise<'funds' | typeof BUDGET | undefined> {
  const holds = await context.accounts.holdsOf(account);
  const isHeldFor = (why: string): boolean =>
    holds.some(({ area, reason }) => area === 'messaging' && reason === why);
  if (isHeldFor('funds')) return 'funds';
  return isHeldFor(BUDGET) && (await isReached(account, context)) ? BUDGET : undefined;
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
  if (slices && slices.length > 0) context.traces?.belongsTo(campaign.trace);
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
  context.traces?.belongsTo(campaign.trace);
  const { is } = await context.campaigns.switch(campaign.id, 'hold', { ...details, asRead: campaign.rev });
  if (is !== 'applied') return { outcome: 'idle', reason: 'switched_meanwhile' };
  return { outcome: 'waits', reason: details.reason ?? 'held' };
}

async function change(
  { id, trace }: CampaignRecord,
  name: CampaignSwitch,
  details: SwitchDetails,
  context: ProcessorContext,
): Promise<AttemptResult> {
  context.traces?.belongsTo(trace);
  const switched = await context.campaigns.switch(id, name, details);
  if (switched.is !== 'applied') return { outcome: 'idle', reason: 'switched_meanwhile' };
  if (switched.to === 'awaiting_approval') return { outcome: 'waits', reason: switched.to };
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

/** What stands in the way of a campaign at a moment: the night, or that nothing good comes back. */

interface Standing<C = CampaignRecord> {
  readonly campaign: C;
  /** The clock of Redis, ms since the epoch. */
  readonly at: number;
}

/** Judged again each time so many more are over; a campaign stops at this percentage of them. */
const STOP = { of: 200, percent: 50 } as const;

/**
 * Whether too many of the last recipients failed, or are in doubt. The sender would rather be asked than end with
 * thousands of recipients in doubt. `judged` is what the next judgement counts from, where that changes.
 */
export function judgeOutcome({ totals, judgedOver, judgedFailed, judgedUnknown, pauseOnFailure }: CampaignRecord): {
  readonly stop?: 'failures' | 'in_doubt';
  readonly judged?: Judged;
} {
  const { sent, failed, unknown } = totals;
  const now = { over: sent + failed + unknown, failed, unknown };
  // A recipient that was found since is in doubt no longer: it must not hide one that came into doubt.
  const before = { over: judgedOver, failed: judgedFailed, unknown: Math.min(judgedUnknown ?? unknown, unknown) };
  const last = { over: now.over - before.over, failed: failed - before.failed, unknown: unknown - before.unknown };
  // A recipient that is sent to again is no longer over, so the count begins anew.
  if (last.over < 0 || last.failed < 0) return { judged: now };
  if (last.over < STOP.of) return before.unknown === judgedUnknown ? {} : { judged: before };
  const most = (pauseOnFailure ?? STOP.percent) * last.over;
  if (most > 0 && last.failed * 100 >= most) return { stop: 'failures', judged: now };
  if (most > 0 && (last.failed + last.unknown) * 100 >= most) return { stop: 'in_doubt', judged: now };
  return { judged: now };
}

/**
 * The first recipients of a large campaign go alone, and the rest waits for what became of them. A wrong key, a sender
 * that was silently replaced (interface: Send SMS) or a text that nobody takes then costs one request and not a
 * thousand.
 */

/** A campaign with more recipients than this sends a canary unless it says otherwise. */
const ABOVE_RECIPIENTS = 1_000;

/** Field of a slice: the sender that came back, where it was not the one that was asked for. */
export const OTHER_SENDER = 'otherSender';

type Canary =
  /** It was looked at, or there is none. */
  | { readonly is: 'over' }
  /** So many more slices of it may go; the rest waits. */
  | { readonly is: 'out'; readonly more: number }
  | { readonly is: 'bad'; readonly reason: 'canary_failed' | 'canary_in_doubt' | 'canary_sender' };

async function judgeCanary(campaign: CampaignRecord, context: ProcessorContext): Promise<Canary> {
  if (campaign.canaryOver || !hasCanary(campaign)) return { is: 'over' };
  if (campaign.fed === 0) return { is: 'out', more: 1 };
  if (campaign.settled < campaign.fed) return { is: 'out', more: 0 };
  const slice = await context.slices.read(sliceAt(campaign, campaign.fed - 1) ?? '');
  return slice ? judge(slice) : { is: 'out', more: 1 };
}

/** The first slice is as large as the canary. */
export function hasCanary({ canary, uploads }: CampaignRecord): boolean {
  const recipients = uploads.reduce((sum, upload) => sum + upload.recipients, 0);
  return (canary ?? (recipients > ABOVE_RECIPIENTS ? 1 : 0)) > 0;
}

/**
 * Nobody of those that were tried is known to have got it: bad. Nobody was tried, since all have opted out, or there
 * were no funds, which is a hold of its own and over by now: the next ones are the canary.
 */
function judge(slice: SliceRecord): Canary {
  if (slice.fields[OTHER_SENDER]) return { is: 'bad', reason: 'canary_sender' };
  const tried = triedIn(slice);
  if (tried.length === 0) return { is: 'out', more: 1 };
  if (tried.every((state) => state === 'failed')) return { is: 'bad', reason: 'canary_failed' };
  if (!tried.includes('sent')) return { is: 'bad', reason: 'canary_in_doubt' };
  return { is: 'over' };
}

function triedIn(slice: SliceRecord): readonly RecipientState[] {
  const states = statesOf(slice);
  if (states.includes('sent')) return ['sent'];
  if (readEvidence(slice).lines.some(({ code }) => code === BALANCE_EMPTY)) return [];
  return states.filter((state) => state === 'failed' || state === 'unknown');
}
