/** A request with texts: which recipients it leaves without, when it may leave, and what its answer means for each of them. */
import { toMs } from '../../lib/clock.ts';
import type { OptOuts } from '../../operations/opt-outs.ts';
import { type Letter, RECIPIENTS_PER_REQUEST } from '../../operations/slice-form.ts';
import { smsBatch } from '../../queues/index.ts';
import type { UpstreamAccount } from '../../upstream/client.ts';
import { quietNow } from '../../kinds/campaign-hours.ts';
import { type AttemptResult, type ProcessorContext, closedFor, retryAt } from '../context.ts';
import { type Judgement, unsent } from '../sms/answers.ts';
import type { Committed } from './step.ts';
import type { HeldSlice } from './held-slice.ts';

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
