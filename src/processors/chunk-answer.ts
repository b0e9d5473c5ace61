/** What an answer to a request with texts means for each of those who were in it. */
import { toMs } from '../lib/durations.ts';
import { type RecipientState, orDoubt } from '../operations/chunk-items.ts';
import { smsBatch } from '../queues/sms-batch.ts';
import type { SentItem } from '../upstream/messaging/types.ts';
import type { NotOk, Seen, Verdict } from '../upstream/verdict.ts';
import { type Bench, type Settlement, retryAt } from './bench.ts';
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
  bench: Bench,
): Promise<Settlement> {
  if (verdict.is !== 'ok') return settleNotSent(attempt, verdict, bench);
  const places = placesSentTo(attempt);
  const codes: Record<number, string> = {};
  const outcomes = attempt.states.map((): RecipientState => 'unknown');
  for (const item of verdict.value.items) {
    const place = places[item.index];
    if (place === undefined) continue;
    outcomes[place] = item.outcome;
    if (item.code) codes[place] = item.code;
  }
  await releaseProbed(attempt, bench);
  const told = { states: become(attempt, (index) => outcomes[index] ?? 'unknown'), codes };
  const strange = verdict.value.items.find((item) => item.strange);
  const detail = strange && `strange code ${strange.code ?? '(none that can be shown)'}`;
  const evidence = { ...evidenceOf(verdict.seen), detail };
  const set = await noteSender(attempt, verdict.value.items, bench);
  const doubtful = places.some((index) => outcomes[index] === 'unknown');
  const because = strange ? 'strange_code' : 'items_missing';
  if (doubtful) return settleUnclear(attempt, { ...told, evidence, set }, because, bench);
  return settlePart(attempt, { ...told, evidence, set }, 'sent', bench);
}

async function settleNotSent(attempt: SendAttempt, verdict: NotOk, bench: Bench): Promise<Settlement> {
  const { seen } = verdict;
  // A slow-down or a refused token is an answer given before any work: nothing was sent, as when nothing left us.
  if (seen.sent === 'never' || verdict.is === 'transient' || verdict.is === 'config') {
    return settleUnsent(attempt, verdict, bench);
  }
  if (verdict.is === 'refused') return settleRefused(attempt, verdict.seen, verdict.code, bench);
  if (seen.upstreamCode === BALANCE_EMPTY) await stopForFunds(attempt, bench);
  const told = { states: become(attempt, () => 'unknown'), evidence: evidenceOf(seen) };
  return settleUnclear(attempt, told, verdict.is === 'held' ? verdict.condition : verdict.code, bench);
}

/** Whom it was sent to is looked up before anybody else of the chunk is sent to. */
function settleUnclear(attempt: SendAttempt, told: Told, because: string, bench: Bench): Promise<Settlement> {
  const dueInMs = bench.policy.settleDelayMs;
  const counts = extraRequest(attempt);
  const move: ChunkMove = { to: 'unknown', ...told, dueInMs, set: { ...told.set, looks: '' }, counts };
  return finishChunk(attempt, move, { did: 'unknown', because }, bench);
}

/** This part is over, and the next one goes out if there is one. */
function settlePart(attempt: SendAttempt, told: Told, because: string, bench: Bench): Promise<Settlement> {
  const dueInMs = waitForSameText(attempt, bench);
  return goOn(attempt, { ...told, dueInMs, counts: extraRequest(attempt) }, because, bench);
}

/**
 * Refused before any work. Where one of several may have spoilt it for the others, statistics are asked who, once, and
 * then the parts go out; a part that is refused too is halved.
 */
async function settleRefused(attempt: SendAttempt, seen: Seen, code: string, bench: Bench): Promise<Settlement> {
  const { record, recipients } = attempt;
  await releaseProbed(attempt, bench, KEYS_WORK);
  const places = placesSentTo(attempt);
  const part = recipients.filter((_, index) => places.includes(index));
  const refusedAs = seen.upstreamCode ?? code;
  const evidence = evidenceOf(seen);
  if (!bench.policy.split || !mayBeOfOne(refusedAs, part) || isTooMuch(attempt)) {
    const codes = Object.fromEntries(places.map((index) => [index, refusedAs]));
    return settlePart(attempt, { states: become(attempt, () => 'failed'), codes, evidence }, refusedAs, bench);
  }
  if (record.plan !== '') {
    const states = become(attempt, () => 'queued');
    const set = { plan: splitPart(record.plan, places, states) };
    return goOn(attempt, { states, evidence, set, counts: extraRequest(attempt) }, 'split', bench);
  }
  const { states } = attempt;
  const dueInMs = bench.policy.settleDelayMs;
  const move: ChunkMove = { to: 'refused', states, evidence, dueInMs, set: { refusedAs } };
  return finishChunk(attempt, move, { did: 'advanced', because: 'one_of_many' }, bench);
}

/** Provably nothing was sent: back to the queue, or held with the account where our keys were refused. */
export async function settleUnsent(attempt: SendAttempt, verdict: NotOk, bench: Bench): Promise<Settlement> {
  const { record } = attempt;
  const evidence = evidenceOf(verdict.seen);
  const held = verdict.is === 'config' ? 'not_authorised' : verdict.is === 'held' ? verdict.condition : undefined;
  if (held) {
    await bench.accounts.hold(record.account, 'messaging', held);
    return leaveQueued(attempt, bench, { dueInMs: bench.policy.holdRecheckMs, because: held, evidence });
  }
  const because = 'code' in verdict ? verdict.code : 'unsent';
  const { dueInMs, tries } = retryAt(RETRY_MS, { tries: record.tries, because }, bench.policy);
  const retryAfterMs = 'retryAfterMs' in verdict ? (verdict.retryAfterMs ?? 0) : 0;
  const later = Math.max(retryAfterMs, dueInMs);
  return leaveQueued(attempt, bench, { dueInMs: later, because, did: 'retries', tries, evidence });
}

/** The rest of the campaign is not burnt one chunk after the other: it waits until somebody has paid and says so. */
async function stopForFunds({ record }: SendAttempt, bench: Bench): Promise<void> {
  await bench.accounts.hold(record.account, 'messaging', 'funds');
  const funds = { reason: 'funds', againInMs: bench.policy.holdRecheckMs } as const;
  if (record.campaign) await bench.campaigns.switch(record.campaign, 'hold', funds);
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

function evidenceOf(seen: Seen) {
  return { operation: 'send', code: seen.upstreamCode ?? seen.code, httpStatus: seen.httpStatus };
}
