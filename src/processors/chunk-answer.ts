/** What an answer to a request with texts means for each of those who were in it. */
import type { RecipientState } from '../kinds/recipient.ts';
import { toMs } from '../lib/clock.ts';
import { orDoubt } from '../operations/chunk-items.ts';
import { smsBatch } from '../queues/sms-batch.ts';
import type { SentItem } from '../upstream/messaging/messaging.ts';
import type { NotOk, ExchangeSummary, Verdict } from '../upstream/verdict.ts';
import { type ProcessorContext, type AttemptResult, retryAt } from './context.ts';
import { BALANCE_EMPTY } from './campaign-canary.ts';
import { noteSender } from './campaign-gate.ts';
import { type SendAttempt, leaveQueued, releaseProbed } from './chunk-attempt.ts';
import { waitForSameText } from './chunk-intent.ts';
import { mayBeOfOne, splitPart } from './chunk-plan.ts';
import { type ChunkMove, finishChunk, goOn } from './chunk-settle.ts';

const RETRY_MS = smsBatch.retryAfter.map(toMs);

/** What has cleared where a request was read and refused for what is in it: whoever judges texts has taken our keys. */
const KEYS_WORK: readonly string[] = ['not_authorised'];

/** Requests that a campaign may cost beyond one for each chunk; at least as many as it has chunks. */
const EXTRA_REQUESTS = 200;

type Told = Pick<ChunkMove, 'states' | 'codes' | 'evidence' | 'set'>;

export async function settleAnswer(
  attempt: SendAttempt,
  verdict: Verdict<{ readonly items: readonly SentItem[] }>,
  context: ProcessorContext,
): Promise<AttemptResult> {
  if (verdict.is !== 'ok') return settleNotSent(attempt, verdict, context);
  const places = placesSentTo(attempt);
  const codes: Record<number, string> = {};
  const outcomes = attempt.states.map((): RecipientState => 'unknown');
  for (const item of verdict.value.items) {
    const place = places[item.index];
    if (place === undefined) continue;
    outcomes[place] = item.outcome;
    if (item.code) codes[place] = item.code;
  }
  await releaseProbed(attempt, context);
  const told = { states: become(attempt, (index) => outcomes[index] ?? 'unknown'), codes };
  const strange = verdict.value.items.find((item) => item.strange);
  const detail = strange && `strange code ${strange.code ?? '(none that can be shown)'}`;
  const evidence = { ...evidenceOf(verdict.exchange), detail };
  const set = await noteSender(attempt, verdict.value.items, context);
  const doubtful = places.some((index) => outcomes[index] === 'unknown');
  const because = strange ? 'strange_code' : 'items_missing';
  if (doubtful) return settleUnclear(attempt, { ...told, evidence, set }, because, context);
  return settlePart(attempt, { ...told, evidence, set }, 'sent', context);
}

async function settleNotSent(
  attempt: SendAttempt,
  verdict: NotOk,
  context: ProcessorContext,
): Promise<AttemptResult> {
  const { exchange } = verdict;
  // A slow-down or a refused token is an answer given before any work: nothing was sent, as when nothing left us.
  if (exchange.sent === 'never' || verdict.is === 'transient' || verdict.is === 'config') {
    return settleUnsent(attempt, verdict, context);
  }
  if (verdict.is === 'refused') return settleRefused(attempt, verdict.exchange, verdict.code, context);
  if (exchange.upstreamCode === BALANCE_EMPTY) await stopForFunds(attempt, context);
  const told = { states: become(attempt, () => 'unknown'), evidence: evidenceOf(exchange) };
  return settleUnclear(attempt, told, verdict.is === 'held' ? verdict.condition : verdict.code, context);
}

/** Whom it was sent to is looked up before anybody else of the chunk is sent to. */
function settleUnclear(
  attempt: SendAttempt,
  told: Told,
  because: string,
  context: ProcessorContext,
): Promise<AttemptResult> {
  const dueInMs = context.policy.settleDelayMs;
  const counts = extraRequest(attempt);
  const move: ChunkMove = { to: 'unknown', ...told, dueInMs, set: { ...told.set, looks: '' }, counts };
  return finishChunk(attempt, move, { outcome: 'unknown', reason: because }, context);
}

/** This part is over, and the next one goes out if there is one. */
function settlePart(
  attempt: SendAttempt,
  told: Told,
  because: string,
  context: ProcessorContext,
): Promise<AttemptResult> {
  const dueInMs = waitForSameText(attempt, context);
  return goOn(attempt, { ...told, dueInMs, counts: extraRequest(attempt) }, because, context);
}

/**
 * Refused before any work. Where one of several may have spoilt it for the others, statistics are asked who, once, and
 * then the parts go out; a part that is refused too is halved.
 */
async function settleRefused(
  attempt: SendAttempt,
  exchange: ExchangeSummary,
  code: string,
  context: ProcessorContext,
): Promise<AttemptResult> {
  const { record, recipients } = attempt;
  await releaseProbed(attempt, context, KEYS_WORK);
  const places = placesSentTo(attempt);
  const part = recipients.filter((_, index) => places.includes(index));
  const refusedAs = exchange.upstreamCode ?? code;
  const evidence = evidenceOf(exchange);
  if (!context.policy.split || !mayBeOfOne(refusedAs, part) || isTooMuch(attempt)) {
    const codes = Object.fromEntries(places.map((index) => [index, refusedAs]));
    return settlePart(attempt, { states: become(attempt, () => 'failed'), codes, evidence }, refusedAs, context);
  }
  if (record.plan !== '') {
    const states = become(attempt, () => 'queued');
    const set = { plan: splitPart(record.plan, places, states) };
    return goOn(attempt, { states, evidence, set, counts: extraRequest(attempt) }, 'split', context);
  }
  const { states } = attempt;
  const dueInMs = context.policy.settleDelayMs;
  const move: ChunkMove = { to: 'refused', states, evidence, dueInMs, set: { refusedAs } };
  return finishChunk(attempt, move, { outcome: 'advanced', reason: 'one_of_many' }, context);
}

/** Provably nothing was sent: back to the queue, or held with the account where our keys were refused. */
export async function settleUnsent(
  attempt: SendAttempt,
  verdict: NotOk,
  context: ProcessorContext,
): Promise<AttemptResult> {
  const { record } = attempt;
  const evidence = evidenceOf(verdict.exchange);
  const held = verdict.is === 'config' ? 'not_authorised' : verdict.is === 'held' ? verdict.condition : undefined;
  if (held) {
    await context.accounts.hold(record.account, 'messaging', held);
    return leaveQueued(attempt, context, { dueInMs: context.policy.holdRecheckMs, because: held, evidence });
  }
  const because = 'code' in verdict ? verdict.code : 'unsent';
  const { dueInMs, tries } = retryAt(RETRY_MS, { tries: record.tries, because }, context.policy);
  const retryAfterMs = 'retryAfterMs' in verdict ? (verdict.retryAfterMs ?? 0) : 0;
  const later = Math.max(retryAfterMs, dueInMs);
  return leaveQueued(attempt, context, { dueInMs: later, because, did: 'retries', tries, evidence });
}

/** The rest of the campaign is not burnt one chunk after the other: it waits until somebody has paid and says so. */
async function stopForFunds({ record }: SendAttempt, context: ProcessorContext): Promise<void> {
  await context.accounts.hold(record.account, 'messaging', 'funds');
  const funds = { reason: 'funds', againInMs: context.policy.holdRecheckMs } as const;
  if (record.campaign) await context.campaigns.switch(record.campaign, 'hold', funds);
}

function placesSentTo({ states }: SendAttempt): number[] {
  const places: number[] = [];
  for (const [index, state] of states.entries()) if (state === 'sending') places.push(index);
  return places;
}

/** What became of those who were sent to. */
function become({ states, record }: SendAttempt, outcomeOf: (index: number) => RecipientState): RecipientState[] {
  return orDoubt(
    states.map((state, index) => (state === 'sending' ? outcomeOf(index) : state)),
    record,
  );
}

function extraRequest({ record }: SendAttempt): Record<string, number> {
  return record.plan === '' ? {} : { extra: 1 };
}

function isTooMuch({ campaign }: SendAttempt): boolean {
  return campaign !== undefined && campaign.extra >= Math.max(EXTRA_REQUESTS, campaign.chunks);
}

function evidenceOf(exchange: ExchangeSummary) {
  return { operation: 'send', code: exchange.upstreamCode ?? exchange.code, httpStatus: exchange.httpStatus };
}
