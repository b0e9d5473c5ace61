/**
 * One attempt at sending what waits of a slice: slots are taken ahead, what comes back is written in steps together
 * with the intents of what goes next, and a request leaves when its intent is durable, was read again, and a slot is
 * free.
 */
import { type Request, REQUESTS_PER_SLICE, lettersFor, placesOf } from '../../operations/slice-form.ts';
import { BUDGET } from '../../kinds/hold.ts';
import type { UpstreamAccount } from '../../upstream/client.ts';
import type { SentItem } from '../../upstream/messaging/messaging.ts';
import type { NotOk } from '../../upstream/verdict.ts';
import type { AttemptResult, ProcessorContext } from '../context.ts';
import { OTHER_SENDER } from '../campaign.ts';
import { NOT_AUTHORISED } from '../gate.ts';
import { type Judgement, type Sent, type Texting, judge, senderInstead } from '../sms/answers.ts';
import { Gate, type Stop, type Group, LeftOut, badAround, groupsOf, partsOf, splitFirst } from './request.ts';
import type { Committed, Draft } from './step.ts';
import type { HeldSlice } from './held-slice.ts';
import { Sleeper, type Slots } from './slots.ts';

/** What an attempt at sending works with. */
export interface TextContext extends ProcessorContext {
  readonly slots: Slots;
  /** Called when all of its requests have a slot, and another slice may begin: small ones fill the slots too. */
  readonly onAllClaimed?: () => void;
}

/** What comes back, and slots that become free, collect for so long after the first of them: the longer, the less there is. */
const GATHER_MS = { least: 2, most: 10 } as const;
/** Requests that a campaign may cost beyond one for each fifty; at least as many as it has of those. */
const EXTRA_REQUESTS = 200;
/** What has cleared where a request was read and refused for what is in it: our keys were taken. */
const KEYS_WORK: readonly string[] = [NOT_AUTHORISED, 'login_contested'];
/** How soon it is seen whether the same text to the same number is over. */
const SAME_TEXT_MS = 5_000;

/** What the next step knows of, and what is left goes with it. */
const GO_ON_AT_ONCE: readonly string[] = ['busy', 'budget', 'uncounted'];

const NOTHING = async (): Promise<void> => undefined;

/** One attempt at sending what waits of a slice. */
export class Sending {
  readonly #held: HeldSlice;
  readonly #account: UpstreamAccount;
  readonly #context: TextContext;
  #groups: Group[];
  /** What the account is held for, and this attempt was let through to try. */
  #probing: readonly string[];
  readonly #gate: Gate;
  #stop: Stop | undefined;
  /** The attempt is over, well or not: nothing leaves any more. */
  #over = false;
  /** What went wrong beside the requests themselves; told once what came back of them is written down. */
  #failure: Error | undefined;
  /** Slots that may be used, by requests whose intent is not written yet. */
  #claimed = 0;
  #claiming = false;
  /** Requests whose intent is written, and that have not come back. */
  #out = 0;
  /** Of these, so many have come back since the last step. */
  #came = 0;
  readonly #leftOut: LeftOut;
  /** Of the last recipient that is over, and of the last one in doubt. */
  #endedFor: string | undefined;
  #doubtedFor: string | undefined;
  readonly #sleeper: Sleeper;

  constructor(held: HeldSlice, account: UpstreamAccount, probing: readonly string[], context: TextContext) {
    this.#held = held;
    this.#account = account;
    this.#probing = probing;
    this.#context = context;
    this.#sleeper = new Sleeper(context.clock);
    this.#gate = new Gate(held, account, context);
    this.#leftOut = new LeftOut(held, account, context.optOuts);
    this.#groups = groupsOf(held);
    // What is not let through leaves its people in doubt: one of them is enough to see whether it is again.
    if (probing.includes(NOT_AUTHORISED)) this.#groups = splitFirst(this.#groups, 1);
  }

  async run(): Promise<AttemptResult> {
    try {
      for (;;) {
        this.#claimMore();
        await this.#untilSomething();
        const ending = this.#isOver();
        const committed = await this.#step(ending);
        if (committed.is === 'lost') return { outcome: 'lost', reason: committed.reason };
        if (ending && this.#failure) throw this.#failure;
        if (ending) return this.#ended(committed);
      }
    } finally {
      // Whatever is still to leave finds that it is not ours any more.
      this.#over = true;
      this.#giveBackClaims();
    }
  }

  // Slots ----------------------------------------------------------------------------------------------------------

  /** While somebody waits, slots are asked for, a turn of them one after the other; then another slice has its turn. */
  #claimMore(): void {
    if (this.#claiming || !this.#wantsMore()) return;
    this.#claiming = true;
    void this.#claim()
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#claiming = false;
        this.#sleeper.look();
      });
  }

  #wantsMore(): boolean {
    if (this.#stop || this.#over) return false;
    // One request tells whether what holds the account has cleared.
    if (this.#probing.length > 0 && this.#claimed + this.#out > 0) return false;
    return this.#groups.length > this.#claimed;
  }

  async #claim(): Promise<void> {
    const { intents, turn } = this.#context.slots;
    const single = this.#held.campaign === undefined;
    for (let taken = 0; this.#wantsMore(); taken += 1) {
      await intents.take({ first: taken % turn > 0, single });
      let may = false;
      try {
        const stop = this.#wantsMore() ? await this.#gate.mayLeave() : undefined;
        if (stop) this.#halt(stop);
        may = this.#wantsMore();
      } finally {
        if (!may) intents.giveBack();
      }
      if (!may) return;
      this.#claimed += 1;
      if (this.#groups.length <= this.#claimed) this.#context.onAllClaimed?.();
      this.#sleeper.look();
    }
  }

  #halt(stop: Stop): void {
    // What keeps back those who have not left is not to be hidden by a reason that came first.
    if (this.#stop === undefined || (stop.withdraws && !this.#stop.withdraws)) this.#stop = stop;
  }

  #giveBackClaims(): void {
    for (; this.#claimed > 0; this.#claimed -= 1) this.#context.slots.intents.giveBack();
  }

  // Steps ----------------------------------------------------------------------------------------------------------

  /** Something came back, a slot is free, the lease is to be renewed, or all is over. Then a moment more, for others. */
  async #untilSomething(): Promise<void> {
    const { clock, policy } = this.#context;
    const renewInMs = this.#held.leasedSince.mono + policy.leaseMs / 4 - clock.monotonic();
    const isSomething = (): boolean => this.#held.pending || this.#claimed > 0 || this.#isOver();
    if (
      (await this.#sleeper.until(isSomething, renewInMs)) &&
      !(await this.#sleeper.until(() => this.#isAll(), GATHER_MS.least))
    )
      await this.#sleeper.until(() => this.#isTurn(), GATHER_MS.most - GATHER_MS.least);
    this.#came = 0;
  }

  /** Nothing would join what the next step has. */
  #isAll(): boolean {
    if (this.#isOver()) return true;
    return this.#claimed > 0 ? !this.#wantsMore() : !this.#claiming && this.#out === 0;
  }

  #isTurn(): boolean {
    const { turn } = this.#context.slots;
    return this.#isAll() || this.#came >= turn || this.#claimed >= turn;
  }

  #isOver(): boolean {
    if (this.#out > 0 || this.#claiming) return false;
    return this.#stop !== undefined || (this.#claimed === 0 && this.#groups.length === 0);
  }

  async #step(ending: boolean): Promise<Committed> {
    if (ending) {
      this.#giveBackClaims();
      const tries = this.#stop?.tries ?? (this.#gate.answered ? 0 : this.#held.record.tries);
      if (tries !== this.#held.record.tries) this.#held.set('tries', tries);
      return this.#held.commit({ ending: { sendInMs: this.#rest().dueInMs } });
    }
    const groups = this.#stop ? [] : this.#groups.splice(0, this.#claimed);
    const going = await this.#leftOut.without(groups).catch((error: unknown) => this.#notNow(groups, error));
    const committed = await this.#held.commit({
      leaving: going.map((group) => this.#draftOf(group)),
      optOutsOf: this.#leftOut.sendersOf(going),
      // What held it when the attempt began was looked at then; what comes later stops it.
      tried: this.#held.accountHeld,
    });
    if (committed.is === 'lost') return committed;
    this.#groups.unshift(...going.slice(committed.left.length));
    this.#claimed -= groups.length - (going.length - committed.left.length);
    // Nobody is left of these: what they would have used is for others.
    for (let spare = groups.length - going.length; spare > 0; spare -= 1) this.#context.slots.intents.giveBack();
    if (committed.failure !== undefined) this.#failed(committed.failure);
    await this.#keepToBudget(committed).catch((error: unknown) => this.#failed(error));
    for (const mark of committed.busy) this.#leftOut.busy.add(mark);
    // These are left out, and the others go with the next step.
    if (committed.why === 'opt-outs') this.#leftOut.optOutsMet = true;
    else if (committed.why !== '' && !GO_ON_AT_ONCE.includes(committed.why)) this.#halt(this.#gate.stopAt(committed));
    if (this.#stop) this.#giveBackClaims();
    // Nobody knows whether these intents would survive: whatever else stops the attempt, they do not leave.
    if (committed.why === 'fence') for (const request of committed.left) this.#keepBack(request);
    else for (const request of committed.left) this.#letLeave(request);
    return committed;
  }

  /** Nobody knows which of them have opted out: none of them leaves, and what came back meanwhile is written down. */
  #notNow(groups: readonly Group[], error: unknown): readonly Group[] {
    this.#groups.unshift(...groups);
    this.#failed(error);
    return [];
  }

  #draftOf({ places, part }: Group): Draft {
    return { is: 'going', part, ...lettersFor(places, () => 'g') };
  }

  #ended({ rev }: Extract<Committed, { is: 'kept' }>): AttemptResult {
    const { record, standing, queue } = this.#held;
    if (standing.letters.includes('q')) {
      const { reason, outcome, dueInMs } = this.#rest();
      if (dueInMs === 0 && outcome === 'advanced') this.#context.wake(queue, record.id, rev);
      return { outcome, reason };
    }
    const doubtful = [...this.#held.requests.values()].some(({ is }) => is === 'doubt' || is === 'refused');
    if (doubtful) return { outcome: 'unknown', reason: this.#doubtedFor ?? 'in_doubt' };
    return { outcome: 'ended', reason: this.#endedFor ?? this.#leftOut.why ?? 'sent' };
  }

  /** When those who still wait are due, and why. */
  #rest(): Pick<Stop, 'reason' | 'outcome' | 'dueInMs'> {
    if (this.#stop) return this.#stop;
    if (this.#leftOut.busy.size === 0) return { reason: 'waits', outcome: 'advanced', dueInMs: 0 };
    const dueInMs = Math.min(SAME_TEXT_MS, this.#context.policy.settleDelayMs);
    return { reason: 'same_text_open', outcome: 'waits', dueInMs };
  }

  // Requests -------------------------------------------------------------------------------------------------------

  #letLeave(request: Request): void {
    this.#out += 1;
    void this.#request(request)
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#out -= 1;
        this.#came += 1;
        this.#context.slots.intents.giveBack();
        this.#sleeper.look();
      });
  }

  #keepBack(request: Request): void {
    this.#withdraw(request, 'fence');
    this.#context.slots.intents.giveBack();
  }

  /** What is known by now is written down all the same. A blink of Redis is over long before a hold is looked at again. */
  #failed(error: unknown): void {
    this.#failure ??= error instanceof Error ? error : new Error(String(error));
    this.#halt(this.#gate.stopUnsent({ is: 'unsent', reason: 'failed', retryAfterMs: 0 }));
  }

  async #request(request: Request): Promise<void> {
    const { slots } = this.#context;
    const sent = placesOf(request).map((place) => this.#held.texts.at(place));
    await slots.requests.take({ single: this.#held.campaign === undefined });
    const verdict = await this.#send(request, sent).finally(() => slots.requests.giveBack());
    if (verdict === undefined) return;
    const judgement = judge(verdict, sent, this.#context.policy);
    // Refused before any work: nothing of it was sent, for whichever of its people it was refused.
    if (verdict.is === 'refused') this.#held.costs.giveBack(request.number);
    const effects = this.#judged(judgement, request);
    if (verdict.is !== 'ok') await this.#note(verdict);
    else await this.#noteItems(verdict.value.items, sent);
    if (verdict.is === 'ok') await this.#releaseProbed();
    else if (verdict.is === 'refused' && verdict.exchange.sent !== 'never') await this.#releaseProbed(KEYS_WORK);
    await effects();
  }

  /** Undefined: it did not leave, and nothing of it was sent. */
  async #send(request: Request, messages: readonly Texting[]): Promise<Sent | undefined> {
    const { upstream } = this.#context;
    // What has waited for its slot until now has not begun.
    if (this.#context.stopping?.()) return this.#withdraw(request, 'stopping');
    if (this.#stop?.withdraws) return this.#withdraw(request, 'withdrawn');
    if (this.#over) return this.#withdraw(request, 'over');
    // The lease as it is by now: the process may have stood still since the second reading, and may do so yet. The
    // client asks when the connection is in its hand.
    const sendBy = this.#held.sendBy(placesOf(request));
    try {
      return await upstream.messaging.send(this.#account, { messages }, { sendBy });
    } catch (error) {
      // Whatever became of a request is a verdict. What is thrown came before it: its bearer could not be read.
      this.#withdraw(request, 'failed');
      throw error;
    }
  }

  /** Nothing of it has left: its people wait as before, and go out under another number. */
  #withdraw(request: Request, reason: string): undefined {
    this.#held.costs.giveBack(request.number);
    this.#held.change(request.number, { is: 'waiting', letters: request.letters.replaceAll('g', 'q') });
    if (reason === 'stopping') this.#halt({ reason, dueInMs: 0, outcome: 'advanced' });
  }

  /** What upstream said, kept with the record, whichever attempt has it by then. */
  async #note({ exchange }: NotOk): Promise<void> {
    const code = exchange.upstreamCode ?? exchange.code;
    await this.#context.operations.appendEvidence(this.#held.record.id, {
      operation: 'send',
      code,
      httpStatus: exchange.httpStatus,
    });
  }

  /** What an answer tells besides: a code that nobody knows, or another sender than was asked for. */
  async #noteItems(items: readonly SentItem[], sent: readonly Texting[]): Promise<void> {
    const { record, campaign } = this.#held;
    const strange = items.find((item) => item.strange);
    if (strange) {
      const detail = `strange code ${strange.code ?? '(none that can be shown)'}`;
      await this.#context.operations.appendEvidence(record.id, { operation: 'send', code: 'ok', detail });
    }
    const other = campaign && senderInstead(items, sent, this.#account.smsSender);
    if (other === undefined) return;
    this.#held.set(OTHER_SENDER, other);
    if (campaign?.requireSender)
      await this.#context.campaigns.switch(campaign.id, 'hold', { reason: 'sender_replaced' });
  }

  /** What became of it is known from here on; what else is to be done about it is answered. */
  #judged(judgement: Judgement, request: Request): () => Promise<void> {
    if (judgement.is === 'unsent') {
      this.#halt(this.#gate.stopUnsent(judgement));
      this.#withdraw(request, judgement.reason);
      return () => this.#gate.hold(judgement);
    }
    this.#gate.answered = true;
    if (request.part) this.#held.count('extra', 1);
    if (judgement.is === 'refused') {
      this.#refused(judgement.code, request);
      return NOTHING;
    }
    this.#answered(judgement, request);
    const holds = judgement.is === 'doubt' ? judgement.holds : undefined;
    if (holds === undefined) return NOTHING;
    this.#halt({ reason: holds, dueInMs: this.#context.policy.holdRecheckMs, outcome: 'waits', withdraws: true });
    return () => this.#holdFor(holds);
  }

  #answered({ is, letters, codes, reason }: Extract<Judgement, { is: 'over' | 'doubt' }>, request: Request): void {
    if (is === 'doubt') this.#doubtedFor = reason;
    else this.#endedFor = reason;
    const { again } = this.#held.standing;
    // A recipient that may have got it before is not reported as not sent to.
    const letterOf = (place: number, index: number): string =>
      letters[index] === 'f' && (again[place] ?? 0) > 0 ? 'u' : (letters[index] ?? 'u');
    const dueAt = is === 'doubt' ? this.#held.at + this.#context.policy.settleDelayMs : 0;
    const packed = lettersFor(placesOf(request), letterOf);
    this.#held.change(request.number, { is, letters: packed.letters, codes, looks: 0, dueAt });
  }

  /** Statistics are asked for which numbers it was refused, once; a part that is refused too goes out in smaller ones. */
  #refused(code: string, request: Request): void {
    const places = placesOf(request);
    if (this.#isTooMuch())
      return this.#answered({ is: 'over', letters: places.map(() => 'f'), codes: [code], reason: code }, request);
    if (!request.part) {
      const dueAt = this.#held.at + this.#context.policy.settleDelayMs;
      return this.#held.change(request.number, { is: 'refused', codes: [code], dueAt });
    }
    this.#held.change(request.number, { is: 'over', letters: request.letters.replaceAll('g', 'q'), codes: [code] });
    for (const part of partsOf(places, badAround(this.#held.standing.letters, places))) {
      this.#held.open(part, { is: 'waiting', part: true }, () => 'q');
      this.#groups.push({ places: part, part: true });
    }
  }

  #isTooMuch(): boolean {
    const { extra = 0, slices = 0 } = this.#held.campaign ?? {};
    return extra >= Math.max(EXTRA_REQUESTS, slices * REQUESTS_PER_SLICE);
  }

  /** Upstream took a request that was let through to try, so what held the account, or these of it, has cleared. */
  async #releaseProbed(cleared: readonly string[] = this.#probing): Promise<void> {
    const { accounts } = this.#context;
    const released = this.#probing.filter((reason) => cleared.includes(reason));
    for (const reason of released) await accounts.release(this.#held.record.account, 'messaging', reason);
    this.#probing = this.#probing.filter((reason) => !released.includes(reason));
  }

  /** Of the request that a budget has stopped, those leave that it is enough for; then the account waits. */
  async #keepToBudget({ why, spare }: Extract<Committed, { is: 'kept' }>): Promise<void> {
    const { budgets } = this.#context;
    if (why === 'uncounted' && budgets?.pricesAreKnown) budgets.reckons = true;
    else if (why === 'uncounted' || (why === 'budget' && !this.#cutTo(spare))) {
      this.#halt({ reason: BUDGET, dueInMs: this.#context.policy.holdRecheckMs, outcome: 'waits' });
      await this.#holdFor(BUDGET);
    }
  }

  /** Whether anybody of the next request is left. */
  #cutTo(spare: number): boolean {
    const [next] = this.#groups;
    if (next === undefined) return false;
    const end = this.#held.costs.enoughFor(next.places, spare);
    this.#groups = splitFirst(this.#groups, end);
    return end > 0;
  }

  /**
   * The rest of the campaign is not burnt one request after the other: it waits until somebody has paid, or raised it.
   * Keys that are let through again let the account go on by themselves, and its campaigns with it.
   */
  async #holdFor(reason: 'funds' | typeof BUDGET | typeof NOT_AUTHORISED): Promise<void> {
    const { accounts, campaigns, policy } = this.#context;
    const { record, campaign } = this.#held;
    await accounts.hold(record.account, 'messaging', reason);
    if (!campaign || reason === NOT_AUTHORISED) return;
    await campaigns.switch(campaign.id, 'hold', { reason, againInMs: policy.holdRecheckMs });
  }
}
