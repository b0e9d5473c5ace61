/**
 * Looks at a chunk that may have been sent: asks upstream's statistics for each recipient in doubt.
 *
 * Found with the same text: sent. Not found says little, since statistics lag: after the second look in vain the
 * recipient stays `unknown`, is reported as such, and is sent to again only where `onUnknown: resend` asks for it. So
 * it is when statistics cannot be had at all until the limit: callers are owed a last word. A number that is missing in
 * them says nothing (interface: SMS statistics, a number never sent to holds an empty array), so nobody is sent to on
 * the strength of that. Nor is anybody of a copy of Redis that was put back: it does not know what was sent since.
 *
 * A chunk that was refused for the sake of one recipient is looked at once, before its parts go out: statistics may
 * name whom it was refused for, and whoever was sent to all the same must not be sent to again.
 */
import type { RecipientState } from '../kinds/recipient.ts';
import { digitsOf } from '../lib/phone.ts';
import { toMs } from '../lib/clock.ts';
import { orDoubt, packAgain, unpackAgain } from '../operations/chunk-items.ts';
import { statusPoll } from '../queues/status-poll.ts';
import type { Statistics } from '../upstream/messaging/messaging.ts';
import { finish } from './intent.ts';
import { type ProcessorContext, type AttemptResult, waitAt } from './context.ts';
import { foundAmong, periodOf } from './chunk-found.ts';
import { splitPart } from './chunk-plan.ts';
import { type ChunkHeld, type ChunkMove, finishChunk, goOn, statesBefore } from './chunk-settle.ts';
import { type Recipient, recipientsOf } from './chunk-texts.ts';

const RETRY_MS = statusPoll.retryAfter.map(toMs);
const LOOKS = 2;
/** With the first time: how often anybody is sent to under `onUnknown: resend`. */
const SENDS = 3;

interface Looking extends ChunkHeld {
  readonly onUnknown: 'hold' | 'resend';
}

export async function lookAtChunk(id: string, context: ProcessorContext): Promise<AttemptResult> {
  const acquired = await context.operations.acquire('chunk', id, 'status-poll', context.policy.leaseMs);
  if (acquired.is !== 'acquired') return { outcome: 'idle', reason: acquired.is };
  const { record, at } = acquired;
  const campaign = record.campaign ? await context.queries.read('campaign', record.campaign) : undefined;
  const held: Looking = {
    ...acquired,
    recipients: recipientsOf(record, campaign),
    onUnknown: campaign?.onUnknown ?? context.policy.onUnknown,
  };
  if (record.state === 'sending') return doubt(held, context);
  const states = statesBefore(record);
  const sentAt = record.sentAt ?? record.since;
  const settleFor = sentAt + context.policy.settleDelayMs - at;
  if (settleFor > 0) return wait(held, context, settleFor, 'settle_delay');

  const account = context.account(record.account);
  if (!account) return wait(held, context, context.policy.holdRecheckMs, 'account_not_configured');
  const admission = await context.upstream.admit(account.upstream, 'messaging', 'look');
  if (!admission.admitted) return wait(held, context, admission.retryAfterMs, 'rate');
  const doubtful = placesOf(states, record.state === 'refused' ? 'sending' : 'unknown');
  const verdict = await context.upstream.messaging.statistics(account.upstream, {
    numbers: doubtful.flatMap((index) => held.recipients[index]?.to ?? []),
    ...periodOf(record.firstSentAt ?? sentAt, at),
  });
  if (verdict.is !== 'ok') {
    const because = verdict.is === 'held' ? verdict.condition : verdict.code;
    if (at - sentAt >= context.policy.limitMs) return giveUp(held, doubtful, because, context);
    return wait(held, context, waitAt(RETRY_MS, record.tries), because);
  }
  const found = await foundAmong(held, doubtful, verdict.value, context);
  const look = { states, doubtful, found, statistics: verdict.value, late: at - sentAt >= context.policy.limitMs };
  return record.state === 'refused' ? settleRefused(held, look, context) : settleLook(held, look, context);
}

interface Look {
  readonly states: readonly RecipientState[];
  /** Whom statistics were asked about, and who of them was found there, by position. */
  readonly doubtful: readonly number[];
  readonly found: ReadonlyMap<number, string>;
  readonly statistics: Statistics;
  /** Nothing is waited for any more. */
  readonly late: boolean;
}

/** An attempt died while it was sending. It is never repeated: from here on whom it was sending to is in doubt. */
async function doubt(held: ChunkHeld, context: ProcessorContext): Promise<AttemptResult> {
  const before = statesBefore(held.record);
  const states = before.map((state): RecipientState => (state === 'sending' ? 'unknown' : state));
  // Everybody had expired when it died, so there is nobody to ask about.
  if (!before.includes('sending')) return goOn(held, { states }, 'nobody_in_doubt', context);
  const evidence = { operation: 'send', code: 'interrupted' };
  const dueInMs = context.policy.settleDelayMs;
  // That we died says nothing about the service, so a campaign is not judged by it.
  const died = before.filter((state) => state === 'sending').length;
  const counts = { judgedOver: died, judgedUnknown: died };
  const move: ChunkMove = { to: 'unknown', states, dueInMs, evidence, set: { looks: '' }, counts };
  return finishChunk(held, move, { outcome: 'unknown', reason: 'interrupted' }, context);
}

/** Statistics could not be had for as long as we ask: who is in doubt stays so, and who was refused stays refused. */
async function giveUp(
  held: ChunkHeld,
  doubtful: readonly number[],
  code: string,
  context: ProcessorContext,
): Promise<AttemptResult> {
  const { record } = held;
  const evidence = { operation: 'statistics', code, detail: 'limit' };
  const refused = statesBefore(record).map((state): RecipientState => (state === 'sending' ? 'failed' : state));
  const states = orDoubt(refused, record);
  const codes = record.refusedAs ? codesOf(doubtful, record.refusedAs) : {};
  return goOn(held, { states, codes, evidence, set: { refusedAs: '' } }, 'limit', context);
}

async function wait(
  { record, lease }: ChunkHeld,
  context: ProcessorContext,
  dueInMs: number,
  because: string,
): Promise<AttemptResult> {
  const set = { tries: record.tries + 1 };
  return finish({ record, lease }, context, { to: record.state, dueInMs, set, outcome: 'retries', reason: because });
}

/** It was refused before any work: who was not sent to goes out again, without those that statistics call invalid. */
async function settleRefused(held: ChunkHeld, look: Look, context: ProcessorContext): Promise<AttemptResult> {
  const { record, recipients } = held;
  const untold = untoldIn(look, held);
  if (untold.length > 0 && !look.late)
    return wait(held, context, waitAt(RETRY_MS, record.tries), 'statistics_silent');
  const invalid = new Set(look.statistics.invalid);
  const code = record.refusedAs ?? 'refused';
  const unclear = unclearIn(look, held);
  const named = look.doubtful.filter(
    (index) => !look.found.has(index) && (untold.includes(index) || invalid.has(numberOf(recipients[index]))),
  );
  const become = look.states.map((state, index): RecipientState => {
    if (state !== 'sending') return state;
    if (look.found.has(index)) return 'sent';
    if (unclear.includes(index)) return 'unknown';
    return named.includes(index) ? 'failed' : 'queued';
  });
  const states = orDoubt(become, record);
  const left = placesOf(states, 'queued');
  // Where the one it was refused for is known, the others are tried together; if that fails, they are halved too.
  const plan = named.length + unclear.length > 0 ? String(record.count) : splitPart('', left, states);
  const codes = { ...Object.fromEntries(look.found), ...codesOf(named, code) };
  const evidence = evidenceOf(look, `, ${named.length} invalid`);
  return goOn(held, { states, codes, evidence, set: { plan, refusedAs: '' } }, 'looked', context);
}

async function settleLook(held: Looking, look: Look, context: ProcessorContext): Promise<AttemptResult> {
  const looks = held.record.looks + 1;
  const states = look.states.map((state, index): RecipientState => (look.found.has(index) ? 'sent' : state));
  const codes = Object.fromEntries(look.found);
  const evidence = evidenceOf(look);
  // Whoever may have been sent to is not sent to again.
  const untold = [...untoldIn(look, held), ...unclearIn(look, held)];
  const again = lookAgain(held, { ...look, states, untold, looks }, context);
  if (again) {
    const { dueInMs, because } = again;
    const set = { looks, tries: held.record.tries + 1 };
    const move: ChunkMove = { to: 'unknown', states, codes, evidence, dueInMs, set };
    return finishChunk(held, move, { outcome: 'unknown', reason: because }, context);
  }
  const move = { states, codes, evidence, set: { looks } };
  return (await sendAgain(held, move, untold, context)) ?? goOn(held, move, 'looked', context);
}

/** When it is looked once more, and why; undefined: this was the last look. */
function lookAgain(
  held: Looking,
  { states, untold, looks, late }: Look & { readonly untold: readonly number[]; readonly looks: number },
  context: ProcessorContext,
): { readonly dueInMs: number; readonly because: string } | undefined {
  if (!states.includes('unknown')) return undefined;
  if (looks < LOOKS) return { dueInMs: context.policy.settleDelayMs, because: 'not_seen_yet' };
  if (late || untold.length === 0 || !mayResend(held)) return undefined;
  return { dueInMs: waitAt(RETRY_MS, held.record.tries), because: 'statistics_silent' };
}

/** Those of whom statistics said nothing at all. */
function untoldIn({ doubtful, statistics: { sent, invalid } }: Look, { recipients }: ChunkHeld): number[] {
  const told = new Set([...sent.keys(), ...invalid]);
  return doubtful.filter((index) => !told.has(numberOf(recipients[index])));
}

/** Those whose text is listed, but not as one that was sent: that is no yes, and no no. */
function unclearIn({ doubtful, found, statistics: { unclear } }: Look, { recipients }: ChunkHeld): number[] {
  if (!unclear?.size) return [];
  const isListed = (index: number): boolean =>
    unclear.get(numberOf(recipients[index]))?.includes(recipients[index]?.text ?? '') === true;
  return doubtful.filter((index) => !found.has(index) && isListed(index));
}

function mayResend({ record, onUnknown }: Looking): boolean {
  return onUnknown === 'resend' && !record.restored && record.resends + 1 < SENDS;
}

/**
 * `onUnknown: resend`: who was not sent to, as two looks told, is sent to again, unless it was asked for to stop, or too
 * late.
 */
async function sendAgain(
  held: Looking,
  move: Omit<ChunkMove, 'to'>,
  untold: readonly number[],
  context: ProcessorContext,
): Promise<AttemptResult | undefined> {
  const { record, recipients, at } = held;
  if (!mayResend(held)) return undefined;
  const again = unpackAgain(record.again, record.count);
  const states = move.states.map((state, index): RecipientState => {
    const expiresAt = recipients[index]?.message?.expiresAt ?? 0;
    if (state !== 'unknown' || untold.includes(index) || (expiresAt > 0 && expiresAt <= at)) return state;
    again[index] = (again[index] ?? 0) + 1;
    return 'queued';
  });
  const resent = placesOf(states, 'queued').length - placesOf(move.states, 'queued').length;
  if (resent === 0) return undefined;
  const settlement = await finishChunk(
    held,
    {
      ...move,
      to: 'queued',
      states,
      dueInMs: 0,
      only: 'not cancelled',
      set: { looks: '', resends: record.resends + 1, again: packAgain(again) },
      counts: { resent },
    },
    { outcome: 'advanced', reason: 'sent_again' },
    context,
  );
  return settlement.reason === 'cancelled' ? undefined : settlement;
}

function numberOf(recipient: Recipient | undefined): string {
  return digitsOf(recipient?.to ?? '');
}

function evidenceOf({ doubtful, found }: Look, more = '') {
  return { operation: 'statistics', code: 'ok', detail: `${found.size} of ${doubtful.length} sent${more}` };
}

function codesOf(places: readonly number[], code: string): Record<number, string> {
  return Object.fromEntries(places.map((index) => [index, code]));
}

function placesOf(states: readonly RecipientState[], wanted: RecipientState): number[] {
  return states.flatMap((state, index) => (state === wanted ? [index] : []));
}
