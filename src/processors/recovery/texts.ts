/**
 * What becomes of texts that stood in a copy of Redis that was put back. Nobody knows which of them were sent since, so
 * none of them is sent: each is in doubt, and the statistics of the service are asked, as after any doubt. A recipient
 * that they do not show stays `unknown`, whatever was asked for.
 */
import type { RecipientState } from '../../kinds/recipient.ts';
import { impliedState, unpackOutcome } from '../../operations/chunk-items.ts';
import { type CampaignRecord, type ChunkRecord, isUnreadable } from '../../operations/record.ts';
import { isSlice } from '../../operations/slices.ts';
import { RESTORED } from '../../operations/restored.ts';
import type { ProcessorContext } from '../context.ts';
import { foundAmong, periodOf } from '../chunk-found.ts';
import { type ChunkHeld, settleChunk } from '../chunk-settle.ts';
import { recipientsOf } from '../chunk-texts.ts';
import { HeldSlice, holdSlice } from '../text/held-slice.ts';
import { admitted } from './money.ts';

export interface Lost {
  /** Nothing of what was lost happened before this time (ms): when the copy was made. */
  readonly from: number;
  /** The clock of Redis, about now. */
  readonly at: number;
}

/** Of a person's doing: an attempt that was at it finds out when it settles. */
const NO_LEASE = '';

/**
 * Puts everybody of a slice in doubt who was not over: they may have got it since `lost.from`. A one-time password that
 * was not sent yet is of no use by now. `again`: an attempt is at it.
 */
async function doubtSlice(id: string, lost: Lost, context: ProcessorContext): Promise<'done' | 'again'> {
  const held = await holdSlice(id, 'status-poll', context);
  if (!(held instanceof HeldSlice)) return held.reason === 'leased' ? 'again' : 'done';
  const { record, requests } = held;
  const dueAt = held.at + context.policy.settleDelayMs;
  held.doubtInterrupted();
  for (const { number, is, letters } of requests.values()) {
    if (is === 'refused')
      held.change(number, { is: 'doubt', letters: letters.replaceAll('g', 'u'), looks: 0, dueAt });
  }
  const at = lost.from || Number(record.fields['createdAt'] ?? 0);
  if (record.lane === 'otp') held.leaveOut(held.waiting, 'e');
  else held.open(held.waiting, { is: 'doubt', part: false, at, dueAt }, () => 'u');
  held.set('restored', held.at);
  const committed = await held.commit({ ending: {}, inRecovery: true });
  return committed.is === 'kept' ? 'done' : 'again';
}

/**
 * Puts everybody of a chunk in doubt who was not over. A one-time password that was not sent yet is of no use by now.
 * `again`: somebody else has changed it meanwhile.
 */
export async function doubtChunk(
  id: string,
  lost: Lost,
  context: ProcessorContext,
  known?: CampaignRecord,
): Promise<'done' | 'again'> {
  if (isSlice(id)) return doubtSlice(id, lost, context);
  const record = await context.queries.read('chunk', id);
  if (record === undefined || record.state === 'settled') return 'done';
  const before = unpackOutcome(record.outcome, record.count, impliedState[record.state]);
  const campaign = known ?? (record.campaign ? await readCampaign(record.campaign, context) : undefined);
  // Without its campaign nobody knows what the texts are; the recipients in doubt are known all the same.
  const recipients = record.campaign && campaign === undefined ? [] : recipientsOf(record, campaign);
  const held = { record, lease: NO_LEASE, at: lost.at, recipients };
  const expires = record.lane === 'otp';
  const states = before.map((state): RecipientState => {
    if (state === 'queued' && expires) return 'expired';
    return state === 'queued' || state === 'sending' ? 'unknown' : state;
  });
  const evidence = { operation: 'send', code: RESTORED };
  const doubtful = states.includes('unknown');
  const settled = await settleChunk(
    held,
    {
      ...(doubtful
        ? { to: 'unknown', dueInMs: context.policy.settleDelayMs, set: doubtOf(record, campaign, lost) }
        : { to: 'settled' }),
      states,
      evidence,
      only: 'in a recovery',
    },
    context,
  );
  return settled.is === 'applied' || settled.is === 'mine' ? 'done' : 'again';
}

/** It may be unreadable, and its recipients are in doubt all the same. */
function readCampaign(id: string, { queries }: ProcessorContext): Promise<CampaignRecord | undefined> {
  return queries.read('campaign', id).catch(orUndefined);
}

function doubtOf(record: ChunkRecord, campaign: CampaignRecord | undefined, { from }: Lost) {
  const first = record.firstSentAt ?? record.sentAt ?? (from || campaign?.createdAt || record.createdAt);
  return { looks: '', plan: '', refusedAs: '', restored: 1, firstSentAt: first, '@sentAt': 0 };
}

/** So many of the first chunks tell whether a campaign was begun: they go first. */
const FIRST_CHUNKS = 2;

/**
 * Whether a campaign may have been sent since the copy was made. One that the copy shows as never started, and of which
 * the statistics do not show the first texts, was not; while they cannot be asked, nobody knows.
 */
export async function mayHaveBeenSent(
  campaign: CampaignRecord,
  chunks: readonly string[],
  lost: Lost,
  context: ProcessorContext,
): Promise<boolean> {
  if (campaign.startedAt !== undefined) return true;
  if (chunks.length === 0 || (campaign.sendAt ?? 0) > lost.at) return false;
  for (const id of chunks.slice(0, FIRST_CHUNKS)) {
    const shown = await shownBy(id, campaign, lost, context).catch(orUndefined);
    if (shown === undefined || shown > 0) return true;
  }
  return false;
}

/** What cannot be read is what nobody knows. */
export function orUndefined(error: unknown): undefined {
  if (!isUnreadable(error)) throw error;
}

/** How many recipients of a chunk the statistics show as sent to. Undefined: they could not be asked. */
export async function shownBy(
  id: string,
  campaign: CampaignRecord | undefined,
  lost: Lost,
  context: ProcessorContext,
): Promise<number | undefined> {
  const record = await context.queries.read('chunk', id);
  const account = record && context.account(record.account);
  if (record === undefined || account === undefined) return undefined;
  const recipients = recipientsOf(record, campaign);
  const held: ChunkHeld = {
    record: { ...record, firstSentAt: doubtOf(record, campaign, lost).firstSentAt },
    lease: NO_LEASE,
    at: lost.at,
    recipients,
  };
  await admitted(record.account, 'messaging', context);
  const verdict = await context.upstream.messaging.statistics(account.upstream, {
    numbers: recipients.map(({ to }) => to),
    ...periodOf(held.record.firstSentAt ?? lost.from, lost.at),
  });
  if (verdict.is !== 'ok') return undefined;
  const places = recipients.map((_, index) => index);
  return (await foundAmong(held, places, verdict.value, context)).size;
}
