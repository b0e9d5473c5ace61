/**
 * Sends a slice: up to a thousand recipients of a campaign in requests of up to fifty, or up to fifty single messages
 * in one, each at most once.
 *
 *   take the lease ─▶ a slot ahead, a bearer, the rate ─▶ step: what came back + intents of what goes next
 *        ▲                                                  │ durable, read again
 *        └── results and free slots collect meanwhile ◀─ send, while the lease and the time allow it
 *
 * Upstream has no way to recognise a repeated request, so one that was found `going` under a lease that ended is never
 * sent again: it is looked at (look.ts). The unit of truth is the recipient, the unit of doubt the request.
 */
import { type SliceQueue, campaignOfSlice } from '../../operations/slices.ts';
import { feedCampaign } from '../campaign.ts';
import type { AttemptResult, ProcessorContext } from '../context.ts';
import { mayText } from '../gate.ts';
import type { Committed } from './step.ts';
import { HeldSlice, holdSlice } from './held-slice.ts';
import { Sending, type TextContext } from './sending.ts';

type SendingQueue = Exclude<SliceQueue, 'status-poll'>;

/** Waits until it is a slice's turn in this process, sends it, and asks for more of its campaign when it is through. */
export async function sendNextSlice(
  id: string,
  context: ProcessorContext,
  queue: SendingQueue = 'sms-batch',
): Promise<AttemptResult> {
  const { slots } = context;
  if (slots === undefined) throw new Error('a slice is sent by a worker that has slots');
  const campaign = campaignOfSlice(id);
  // Single messages are one request: they wait for a slot like any other, and for no slice to be through.
  if (campaign === '') return sendSlice(id, { ...context, slots }, queue);
  // A job that only waits for its turn must not live as long as its lock.
  const patienceMs = Math.min(context.policy.leaseMs / 8, slots.patienceMs);
  if (!(await slots.slices.takeWithin(patienceMs, context.clock))) {
    context.wake(queue, id, context.random.hex(4));
    return { outcome: 'waits', reason: 'no_slot' };
  }
  const giveBack = once(() => slots.slices.giveBack());
  try {
    if (context.stopping?.()) return { outcome: 'idle', reason: 'stopping' };
    const result = await sendSlice(id, { ...context, slots, onAllClaimed: giveBack }, queue);
    if (result.outcome !== 'idle') await feedCampaign(campaign, context);
    return result;
  } finally {
    giveBack();
  }
}

function once(run: () => void): () => void {
  let ran = false;
  return () => {
    if (!ran) run();
    ran = true;
  };
}

export async function sendSlice(
  id: string,
  context: TextContext,
  queue: SendingQueue = 'sms-batch',
): Promise<AttemptResult> {
  const held = await holdSlice(id, queue, context);
  if (!(held instanceof HeldSlice)) return held;
  const interrupted = held.doubtInterrupted();
  if (held.campaign?.state === 'cancelled') return endCancelled(held, interrupted);
  const account = context.account(held.record.account);
  const condition = account
    ? await mayText(held.record.account, held.accountHeld, context)
    : { wait: 'account_not_configured' };
  if (account === undefined || 'wait' in condition) {
    const reason = 'wait' in condition ? condition.wait : 'account_not_configured';
    // Those whose time is over meanwhile are told so now, and not when the wait has ended.
    held.leaveOut(held.expiredAmong(held.waiting), 'e');
    return endOf(await held.commit({ ending: { sendInMs: context.policy.holdRecheckMs } }), {
      outcome: 'waits',
      reason,
    });
  }
  return new Sending(held, account.upstream, condition.probing, context).run();
}

/**
 * Nobody is sent to again, so what is known of each is what was known after the last time: a failure stays one, and
 * a recipient in doubt may have got it. `cancelled` are those never sent to.
 */
async function endCancelled(held: HeldSlice, interrupted: boolean): Promise<AttemptResult> {
  // Who is in doubt since a process died is counted for the first time, and the others were counted before.
  const doubted = interrupted ? await held.commit({}) : undefined;
  if (doubted?.is === 'lost') return { outcome: 'lost', reason: doubted.reason };
  held.leaveOut(held.waiting, 'c');
  const committed = await held.commit({ ending: {}, recounted: true });
  return endOf(committed, { outcome: 'ended', reason: 'campaign_cancelled' });
}

function endOf(committed: Committed, meant: AttemptResult): AttemptResult {
  return committed.is === 'kept' ? meant : { outcome: 'lost', reason: committed.reason };
}
