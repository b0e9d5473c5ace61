/** A client that requests payments: it retries, loses answers, and sometimes changes a request. */
import { derivedHex, derivedId } from '../../src/lib/ids.ts';
import type { Random } from '../../src/lib/random.ts';
import { nowMs, wait } from './clock.ts';
import { ask } from './http.ts';
import { ENVIRONMENT } from './plan.ts';
import { type Asked, toldText } from './story.ts';

const MODES = [
  { withdrawMode: 'wallet-a-senegal', alias: (index: number) => `77${String(index).padStart(7, '0')}` },
  { withdrawMode: 'wallet-a-ci', alias: (index: number) => `07${String(index).padStart(8, '0')}` },
  { withdrawMode: 'wallet-a-mali', alias: (index: number) => `7${String(index).padStart(7, '0')}` },
] as const;

/** The SMS to payees, by state. */
const notify = {
  text: toldText('succeeded', '{{reference}}'),
  failedText: toldText('failed', '{{reference}}'),
  on: ['succeeded', 'failed'],
};

const LOST_ANSWER_MS = 4;
const AGAIN_MS = 400;
/** Thousands of retries each 400 ms during an outage of Redis would overload the machine. */
const AGAIN_MOST_MS = 3_200;

type Told = 'acknowledged' | 'answeredIds' | 'changedRequestStatus' | 'askedAgainAt' | 'cancelledAt';
export interface Wish extends Omit<Asked, Told> {
  acknowledged: boolean;
  /** When the last 202 arrived, on the clock of the storm. */
  acknowledgedAt?: number;
  readonly answeredIds: string[];
  changedRequestStatus?: number;
  asked?: true;
  /** After each restore that may have lost it, and whenever its caller had no answer yet. */
  askedAgainAt?: readonly number[];
  cancelledAt?: number;
  readonly notBefore?: string;
}

export function wishesOf(count: number, seed: number): Wish[] {
  return Array.from({ length: count }, (_, index) => wishAt(`storm-${seed}-${index}`, index));
}

export function wishAt(reference: string, index: number, environment = ENVIRONMENT): Wish {
  const { withdrawMode, alias } = MODES[index % MODES.length] ?? MODES[0];
  return {
    reference,
    id: derivedId('dsb', environment, 'main', 'disbursement', reference),
    disburseId: derivedHex('disburse_id', environment, 'main', 'disbursement', reference),
    amount: 100 + (index % 4_900),
    accountAlias: alias(index),
    withdrawMode,
    acknowledged: false,
    answeredIds: [],
  };
}

export interface CallerCounts {
  requests: number;
  repeated: number;
  lostAnswers: number;
  refusedForAWhile: number;
}

/** Requests all of them, evenly over `overMs`; resolves when each was acknowledged, or after `giveUpMs`. */
export async function makeWishes(
  api: string,
  wishes: readonly Wish[],
  { random, overMs, giveUpMs, steady }: Asking,
): Promise<CallerCounts> {
  const counts: CallerCounts = { requests: 0, repeated: 0, lostAnswers: 0, refusedForAWhile: 0 };
  const until = nowMs() + giveUpMs;
  const caller = { api, counts, until, steady };
  const begun = wishes.map(async (wish, index) => {
    const habit = random.fraction();
    await wait((index / wishes.length) * overMs);
    await makeWish(wish, habit, caller);
  });
  await Promise.all(begun);
  return counts;
}

interface Asking {
  readonly random: Random;
  readonly overMs: number;
  readonly giveUpMs: number;
  /**
   * False while an acknowledged request may be lost in a restore: a changed request would then be the first of its
   * name.
   */
  readonly steady: () => boolean;
}

interface Place {
  readonly api: string;
  readonly until: number;
  readonly counts?: CallerCounts;
}

interface Caller extends Place {
  readonly counts: CallerCounts;
  readonly steady: () => boolean;
}

async function makeWish(wish: Wish, habit: number, caller: Caller): Promise<void> {
  const { counts } = caller;
  if (habit < 0.1) {
    counts.lostAnswers += 1;
    await post(wish, caller, LOST_ANSWER_MS);
  }
  const asking = untilAcknowledged(wish, caller);
  if (habit > 0.85) {
    counts.repeated += 1;
    await untilAcknowledged(wish, caller);
  }
  await asking;
  if (habit > 0.97) {
    await wait(1_000);
    counts.repeated += 1;
    await untilAcknowledged(wish, caller);
  }
  if (habit > 0.1 && habit < 0.12) await changeMind(wish, caller);
}

export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
}

export async function untilAcknowledged(wish: Wish, caller: Place): Promise<void> {
  for (let againMs = AGAIN_MS; nowMs() < caller.until; againMs = Math.min(2 * againMs, AGAIN_MOST_MS)) {
    if (await post(wish, caller)) return;
    if (caller.counts) caller.counts.refusedForAWhile += 1;
    await wait(againMs);
  }
}

async function post(wish: Wish, { api, counts }: Place, withinMs?: number): Promise<boolean> {
  if (counts) counts.requests += 1;
  if (wish.asked) wish.askedAgainAt = [...(wish.askedAgainAt ?? []), nowMs()];
  wish.asked = true;
  const { accountAlias, amount, withdrawMode, reference, notBefore } = wish;
  const body = { accountAlias, amount, withdrawMode, reference, notify, ...(notBefore ? { notBefore } : {}) };
  const reply = await ask(`${api}/v1/disbursements`, { method: 'POST', body, ...(withinMs ? { withinMs } : {}) });
  if (reply?.status !== 202) {
    if (reply && reply.status < 500)
      throw new RequestRefused(`${reference}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return false;
  }
  wish.acknowledged = true;
  wish.acknowledgedAt = nowMs();
  const { id } = reply.body as { id: string };
  if (!wish.answeredIds.includes(id)) wish.answeredIds.push(id);
  return true;
}

/** The same reference with another amount is another payment, and must be refused. */
async function changeMind(wish: Wish, { api, until, steady }: Caller): Promise<void> {
  if (!steady()) return;
  const { accountAlias, amount, withdrawMode, reference } = wish;
  const body = { accountAlias, amount: amount + 1, withdrawMode, reference, notify };
  while (nowMs() < until) {
    const reply = await ask(`${api}/v1/disbursements`, { method: 'POST', body });
    if (reply && reply.status < 500) {
      wish.changedRequestStatus = reply.status;
      return;
    }
    await wait(AGAIN_MS);
  }
}
