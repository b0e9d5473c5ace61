/** A request with texts: which recipients it leaves without, when it may leave, and what its answer means for each of them. */
import { toMs } from '../../lib/clock.ts';
import { isSameSender } from '../../lib/sender.ts';
import type { OptOuts } from '../../operations/opt-outs.ts';
import { type Letter, RECIPIENTS_PER_REQUEST } from '../../operations/slice-form.ts';
import { smsBatch } from '../../queues/index.ts';
import type { UpstreamAccount } from '../../upstream/client.ts';
import type { SentItem } from '../../upstream/messaging/messaging.ts';
import type { NotOk, Verdict } from '../../upstream/verdict.ts';
import { quietNow } from '../../operations/campaign-hours.ts';
import { BALANCE_EMPTY } from '../campaign.ts';
import { type AttemptResult, type ProcessorContext, closedFor, retryAt } from '../context.ts';
import { conditionIn, isNotLetThrough, NOT_AUTHORISED } from '../gate.ts';
import type { Committed } from './step.ts';
import type { HeldSlice } from './held-slice.ts';

export interface Texting {
  readonly to: string;
  readonly text: string;
  readonly from?: string | undefined;
}

export type Judgement =
  /** The service has taken it. Where one is in doubt, statistics are asked. */
  | {
      readonly is: 'over' | 'doubt';
      readonly letters: readonly Letter[];
      readonly codes: readonly string[];
      readonly reason: string;
      /** What the others of the account would meet too: they wait. */
      readonly holds?: 'funds' | typeof NOT_AUTHORISED;
    }
  /** It was refused before any work, for the sake of somebody in it. */
  | { readonly is: 'refused'; readonly code: string }
  /** Provably nothing was sent. */
  | { readonly is: 'unsent'; readonly reason: string; readonly hold?: string; readonly retryAfterMs: number };

export type Sent = Verdict<{ readonly items: readonly SentItem[] }>;

export function judge(verdict: Sent, sent: readonly Texting[], { split }: { readonly split: boolean }): Judgement {
  if (verdict.is !== 'ok') return judgeNotOk(verdict, sent, split);
  const letters = sent.map((): Letter => 'u');
  const codes = sent.map(() => '');
  for (const { index, outcome, code } of verdict.value.items) {
    if (index >= sent.length) continue;
    letters[index] = outcome === 'sent' ? 's' : outcome === 'failed' ? 'f' : 'u';
    codes[index] = code ?? '';
  }
  if (!letters.includes('u')) return { is: 'over', letters, codes: shared(codes), reason: 'sent' };
  const strange = verdict.value.items.some((item) => item.strange);
  return { is: 'doubt', letters, codes: shared(codes), reason: strange ? 'strange_code' : 'items_missing' };
}

/** A slow-down or a refused token is an answer given before any work: nothing was sent, as when nothing left us. */
function judgeNotOk(verdict: NotOk, sent: readonly Texting[], split: boolean): Judgement {
  const { exchange } = verdict;
  if (exchange.sent === 'never' || verdict.is === 'transient' || verdict.is === 'config') return unsent(verdict);
  if (verdict.is === 'refused') {
    const code = exchange.upstreamCode ?? verdict.code;
    if (split && mayBeOfOne(code, sent)) return { is: 'refused', code };
    return { is: 'over', letters: sent.map(() => 'f'), codes: [code], reason: code };
  }
  return {
    is: 'doubt',
    letters: sent.map(() => 'u'),
    codes: [],
    reason: verdict.is === 'held' ? verdict.condition : verdict.code,
    ...(exchange.upstreamCode === BALANCE_EMPTY ? { holds: 'funds' } : {}),
    ...(isNotLetThrough(verdict) ? { holds: NOT_AUTHORISED } : {}),
  };
}

/** What each of these codes is about (interface: SMS errors). They refuse a request before any work. */
const ABOUT: Readonly<Record<string, (recipient: Texting) => string>> = {
  ERROR_108: ({ from }) => from ?? '',
  ERROR_110: ({ to }) => to,
  ERROR_112: ({ text }) => text,
  ERROR_113: ({ text }) => text,
};

/** Whether one of several recipients may have spoilt it for the others: not where what is wrong is the same for all. */
function mayBeOfOne(code: string | undefined, recipients: readonly Texting[]): boolean {
  const about = code === undefined ? undefined : ABOUT[code];
  return about !== undefined && new Set(recipients.map(about)).size > 1;
}

/** Back to the queue, or held with the account where our keys were refused. */
function unsent(verdict: NotOk): Extract<Judgement, { is: 'unsent' }> {
  const hold = conditionIn(verdict);
  const reason = hold ?? ('code' in verdict ? verdict.code : 'unsent');
  const retryAfterMs = 'retryAfterMs' in verdict ? (verdict.retryAfterMs ?? 0) : 0;
  return { is: 'unsent', reason, retryAfterMs, ...(hold === undefined ? {} : { hold }) };
}

/** One code where all have the same. */
function shared(codes: readonly string[]): readonly string[] {
  const [first = ''] = codes;
  return codes.every((code) => code === first) ? [first] : codes;
}

/** The sender that upstream used instead of the one that was asked for (interface: Send SMS). */
export function senderInstead(
  items: readonly SentItem[],
  sent: readonly Texting[],
  usual: string | undefined,
): string | undefined {
  return items.find(({ index, sender }) => {
    const asked = sent[index]?.from ?? usual;
    return sender !== undefined && asked !== undefined && !isSameSender(sender, asked);
  })?.sender;
}

/** With more bad recipients than this among fifty, one request each is cheaper than halving on. */
const BAD_TO_HALVE_FOR = 5;

/** The parts in which those of a refused request go out again. */
export function partsOf(places: readonly number[], bad: number): number[][] {
  if (bad > BAD_TO_HALVE_FOR) return places.map((place) => [place]);
  const middle = Math.ceil(places.length / 2);
  return [places.slice(0, middle), places.slice(middle)].filter((part) => part.length > 0);
}

/** How many were found to be bad among the fifty that these are a part of. */
export function badAround(letters: readonly Letter[], [first = 0]: readonly number[]): number {
  const around = letters.slice(Math.max(0, first - RECIPIENTS_PER_REQUEST), first + RECIPIENTS_PER_REQUEST);
  return around.filter((letter) => letter === 'f').length;
}

/** Those of a slice that are not sent to after all, although they wait, and those whose text waits for another. */

/** Recipients that go out together, by position. */
export interface Group {
  readonly places: readonly number[];
  readonly part: boolean;
}

/** Recipients that were put there together go out together: fifty at a time, in order. */
export function groupsOf({ waiting, standing, requests }: HeldSlice): Group[] {
  const byRequest = new Map<number, number[]>();
  for (const place of waiting) {
    const number = standing.requests[place] ?? -1;
    const places = byRequest.get(number);
    if (places) places.push(place);
    else byRequest.set(number, [place]);
  }
  return [...byRequest].flatMap(([number, places]) => {
    const part = requests.get(number)?.part ?? false;
    const count = Math.ceil(places.length / RECIPIENTS_PER_REQUEST);
    return Array.from({ length: count }, (_, at) => ({
      part,
      places: places.slice(at * RECIPIENTS_PER_REQUEST, (at + 1) * RECIPIENTS_PER_REQUEST),
    }));
  });
}

/** So many of the first go out in one request, and the others of it in the next. */
export function splitFirst(groups: readonly Group[], count: number): Group[] {
  const [first, ...others] = groups;
  if (first === undefined) return [];
  const parts = [first.places.slice(0, count), first.places.slice(count)].filter(({ length }) => length > 0);
  return [...parts.map((places) => ({ ...first, places })), ...others];
}

export class LeftOut {
  readonly #held: HeldSlice;
  readonly #account: UpstreamAccount;
  readonly #optOuts: Pick<OptOuts, 'among'>;
  /** The step has found opt-outs, so somebody may be in them. */
  optOutsMet = false;
  /** Marks of texts that are open elsewhere: theirs wait until that is over. */
  readonly busy = new Set<string>();
  /** Why somebody was left out in this attempt. */
  why: string | undefined;

  constructor(held: HeldSlice, account: UpstreamAccount, optOuts: Pick<OptOuts, 'among'>) {
    this.#held = held;
    this.#account = account;
    this.#optOuts = optOuts;
    this.#leaveOut(held.texts.purgedAmong(held.waiting), 'purged');
  }

  /**
   * The groups without those whose time is over, those who have opted out by now, however long ago the file was
   * uploaded, and those who wait for the same text to be over: of two alike the second waits too, since what statistics
   * show of one would pass for both.
   */
  async without(groups: readonly Group[]): Promise<readonly Group[]> {
    const places = groups.flatMap((group) => group.places);
    const expired = this.#held.expiredAmong(places);
    const optedOut = await this.#optedOutAmong(places);
    const alike = this.#held.saidBefore(places);
    const out = new Set([...expired, ...optedOut, ...alike, ...this.#held.among(places, this.busy)]);
    if (out.size === 0) return groups;
    this.#leaveOut(expired, 'expired');
    this.#leaveOut(
      optedOut.filter((place) => !expired.includes(place)),
      'opted_out',
    );
    return groups.flatMap(({ places: all, part }) => {
      const rest = all.filter((place) => !out.has(place));
      return rest.length > 0 ? [{ places: rest, part }] : [];
    });
  }

  async #optedOutAmong(places: readonly number[]): Promise<number[]> {
    if (!this.optOutsMet || places.length === 0) return [];
    const people = places.map((place) => ({ to: this.#held.texts.to(place), sender: this.#senderOf(place) }));
    const optedOut = await this.#optOuts.among(this.#held.record.account, people);
    return places.filter((_, index) => optedOut[index]);
  }

  #senderOf(place: number): string | undefined {
    const { campaign, texts } = this.#held;
    return (campaign ? campaign.from : texts.at(place).from) ?? this.#account.smsSender;
  }

  /** Senders whose lists of opt-outs must be empty: every sender, and those that these recipients would see. */
  sendersOf(groups: readonly Group[]): string[] {
    // A one-time password is what its owner asked for a moment ago, so opt-outs do not stop it.
    if (this.optOutsMet || this.#held.record.lane === 'otp') return [];
    // The recipients of a campaign all see the same one.
    const some = this.#held.campaign ? [0] : groups.flatMap(({ places }) => places);
    return [...new Set(['', ...some.flatMap((place) => this.#senderOf(place) ?? [])])];
  }

  #leaveOut(places: readonly number[], why: 'purged' | 'opted_out' | 'expired'): void {
    if (places.length === 0) return;
    this.why = why;
    this.#held.leaveOut(places, why === 'expired' ? 'e' : 'x');
  }
}

/** What may stand in the way of the requests of a slice, and what becomes of the attempt then. */

const RETRY_MS = smsBatch.retryAfter.map(toMs);
/** A slice whose campaign is ahead of its pace looks again this soon, since the pace may be changed meanwhile. */
const PACE_LOOK_MS = 5_000;

/** A bearer that was there need not be asked for with each request: the one that sends asks for it once more. */
const PREPARED_MS = 250;

/** Why no more requests of the slice leave in this attempt. */
export interface Stop {
  readonly reason: string;
  readonly dueInMs: number;
  readonly outcome: AttemptResult['outcome'];
  /** Those whose intent is written, and who have not left, do not leave either. */
  readonly withdraws?: true;
  readonly tries?: number;
}

type Unsent = Extract<Judgement, { is: 'unsent' }>;

export class Gate {
  readonly #held: HeldSlice;
  readonly #account: UpstreamAccount;
  readonly #context: ProcessorContext;
  /** An attempt gives way when this is over, on our own monotonic clock. */
  readonly #untilMono: number;
  /** The service has answered a request of this attempt. */
  answered = false;
  #preparedUntilMono = 0;

  constructor(held: HeldSlice, account: UpstreamAccount, context: ProcessorContext) {
    this.#held = held;
    this.#account = account;
    this.#context = context;
    this.#untilMono = context.clock.monotonic() + context.policy.leaseMs / 4;
  }

  /** Asked for each request, before its intent is written. Undefined: it may leave. */
  async mayLeave(): Promise<Stop | undefined> {
    const { upstream, campaigns, policy, clock } = this.#context;
    const { campaign, at } = this.#held;
    if (this.#context.stopping?.()) return { reason: 'stopping', dueInMs: 0, outcome: 'advanced' };
    if (clock.monotonic() >= this.#untilMono) return { reason: 'gave_way', dueInMs: 0, outcome: 'advanced' };
    const closed = closedFor(this.#context);
    if (closed) return { reason: closed, dueInMs: policy.holdRecheckMs, outcome: 'waits' };
    const until = campaign && quietNow({ campaign, at }, policy);
    if (campaign && until !== undefined) {
      // The step finds the campaign held, and what was handed out in the evening is not sent at night.
      const how = { reason: 'quiet_hours', againInMs: until - at, asRead: campaign.rev } as const;
      const { is } = await campaigns.switch(campaign.id, 'hold', how);
      // Somebody may have taken the hours away since this attempt began: the next one reads it anew.
      return { reason: 'quiet_hours', dueInMs: is === 'applied' ? until - at : 0, outcome: 'waits' };
    }
    if (clock.monotonic() >= this.#preparedUntilMono) {
      const prepared = await upstream.messaging.prepare(this.#account);
      if (prepared.is !== 'ok') {
        const judgement = unsent(prepared);
        await this.hold(judgement);
        return this.stopUnsent(judgement);
      }
      this.#preparedUntilMono = clock.monotonic() + Math.min(PREPARED_MS, prepared.value.usableForMs);
    }
    const admission = await upstream.admit(this.#account, 'messaging', 'act');
    return admission.admitted ? undefined : { reason: 'rate', dueInMs: admission.retryAfterMs, outcome: 'waits' };
  }

  /** What the step has found. */
  stopAt({ why, waitMs }: Extract<Committed, { is: 'kept' }>): Stop {
    const { policy } = this.#context;
    if (why === 'paced') return { reason: 'pace', dueInMs: Math.min(waitMs, PACE_LOOK_MS), outcome: 'waits' };
    if (why === 'fence') return this.stopUnsent({ is: 'unsent', reason: why, retryAfterMs: 0 });
    // By the clock of Redis, which may have leapt since this attempt began: the next one begins with it.
    if (why === 'expiring') return { reason: why, dueInMs: 0, outcome: 'advanced' };
    if (why === 'parked' || why === 'cancelled') return { reason: `campaign_${why}`, dueInMs: 0, outcome: 'waits' };
    return { reason: why === 'held' ? 'account_held' : why, dueInMs: policy.holdRecheckMs, outcome: 'waits' };
  }

  /** Provably nothing was sent: it is tried again later, or when what holds the account has cleared. */
  stopUnsent({ reason, hold, retryAfterMs }: Unsent): Stop {
    const { policy } = this.#context;
    if (hold) return { reason: hold, dueInMs: policy.holdRecheckMs, outcome: 'waits', withdraws: true };
    const before = { tries: this.answered ? 0 : this.#held.record.tries, because: reason };
    const { dueInMs, tries } = retryAt(RETRY_MS, before, policy);
    return { reason, dueInMs: Math.max(retryAfterMs, dueInMs), tries, outcome: 'retries', withdraws: true };
  }

  async hold({ hold }: Unsent): Promise<void> {
    if (hold) await this.#context.accounts.hold(this.#held.record.account, 'messaging', hold);
  }
}
