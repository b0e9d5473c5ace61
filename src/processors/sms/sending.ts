/**
 * Requests between intent and result: opt-outs, budget, a free slot, the deadline, the provider's answer. The
 * provider cannot recognise a repeated request, so a request that may have left is never repeated automatically.
 */
import { type Deadline, type Moment, momentOf, msBetween } from '../../lib/clock.ts';
import type { Period } from '../../lib/sms-cost.ts';
import { traced } from '../../lib/traces.ts';
import { BUDGET } from '../../kinds/hold.ts';
import type { RequestResult, TakenRequest } from '../../ledger/sms-rows.ts';
import type { UpstreamAccount } from '../../provider/client.ts';
import { LONGEST_WAIT_MS } from '../../provider/rates.ts';
import { type Judgement, type Sent, judge, senderInstead } from './answers.ts';
import type { AccountGate } from './account-gate.ts';
import { type SmsContext, spanOf } from './context.ts';
import { Countries, Outgoing, Wordings } from './outgoing.ts';

/** Extra requests that a campaign may use beyond one per fifty recipients; at least as many as its regular ones. */
const EXTRA_REQUESTS = 200;

/** Requests of one account that were taken in one step. */
export interface TakenTogether {
  readonly account: string;
  readonly gate: AccountGate;
  readonly requests: readonly TakenRequest[];
  /** Before the step: the deadline of the intents starts here. */
  readonly since: Moment;
  /** The time of PostgreSQL at the step, ms since the epoch. */
  readonly at: number;
  readonly hasOptOuts: boolean;
  /** When the rate admitted the first request, on the monotonic clock. */
  readonly admittedAtMono: number;
  /** By campaign: the requests added by splits, and the recipients. */
  readonly costs: ReadonlyMap<string, { readonly extra: number; readonly recipients: number }>;
}

interface Ready {
  readonly outgoing: Outgoing;
  readonly of: TakenTogether;
  readonly charged?: { readonly period: Period; readonly cents: number } | undefined;
}

export class Sending {
  readonly #context: SmsContext;
  readonly #onResult: (result: RequestResult) => void;
  readonly #wordings = new Wordings();
  readonly #countries = new Countries();
  #ready: Ready[] = [];
  #inFlight = 0;
  /** Taken, and neither ready nor in flight yet. */
  #preparing = 0;
  #isStopping = false;

  constructor(context: SmsContext, onResult: (result: RequestResult) => void) {
    this.#context = context;
    this.#onResult = onResult;
  }

  /** Requests with an intent and without a result. */
  get open(): number {
    return this.#inFlight + this.#preparing + this.#ready.length;
  }

  /** Requests that have not left no longer leave. */
  stop(): void {
    this.#isStopping = true;
    for (const ready of this.#ready.splice(0)) this.#withdraw(ready);
  }

  launch(together: TakenTogether): void {
    this.#preparing += together.requests.length;
    void this.#prepare(together);
  }

  async #prepare(of: TakenTogether): Promise<void> {
    const outgoing = of.requests.map((request) => this.#outgoing(request));
    let ready: readonly Ready[] = [];
    try {
      if (of.hasOptOuts) await this.#leaveOut(of.account, outgoing);
      if (of.gate.triesOne) for (const one of outgoing) one.deferFrom(1);
      ready = await this.#charge(outgoing, of);
    } catch (error) {
      // Opt-outs or the budget cannot be read: nothing leaves.
      this.#context.onError?.(error);
      await this.#paused(of.gate);
    }
    const isReady = new Set(ready.map((one) => one.outgoing));
    this.#preparing -= outgoing.length;
    for (const one of outgoing) if (!isReady.has(one)) this.#withdraw({ outgoing: one, of });
    if (this.#isStopping) for (const one of ready) this.#withdraw(one);
    else this.#ready.push(...ready);
    this.#next();
  }

  #outgoing(request: TakenRequest): Outgoing {
    const content = this.#context.requests.contentOf(request.campaign);
    const { prices } = this.#context.policy;
    const tools = { wording: this.#wordings.of(content), countries: this.#countries, prices };
    return new Outgoing(request, content, tools);
  }

  /** Recipients who have opted out by now, even after the upload. */
  async #leaveOut(account: string, outgoing: readonly Outgoing[]): Promise<void> {
    const usual = this.#context.account(account)?.upstream.smsSender;
    const people = outgoing.flatMap(({ sms }) => sms.map(({ to, from = usual }) => ({ to, sender: from })));
    const out = await this.#context.optOuts.among(account, people);
    let from = 0;
    for (const one of outgoing) {
      const { length } = one.sms;
      one.leaveOut(out.slice(from, from + length));
      from += length;
    }
  }

  /** The requests that the budget covers. The request at the limit is cut to the recipients that still fit. */
  async #charge(outgoing: readonly Outgoing[], of: TakenTogether): Promise<readonly Ready[]> {
    const { charges, budgets } = this.#context;
    const whole = outgoing.map((one): Ready => ({ outgoing: one, of }));
    if (charges === undefined || budgets === undefined) return whole;
    const costOf = (one: Outgoing): number =>
      one.sms.reduce((sum, { to, text }) => sum + budgets.costOf(to, text), 0);
    const costs = outgoing.map(costOf);
    const { allowed, spare, period } = await charges.charge(of.account, of.at, costs);
    if (period === undefined) return whole;
    const ready = whole
      .slice(0, allowed)
      .map((one, at): Ready => ({ ...one, charged: { period, cents: costs[at] ?? 0 } }));
    const next = outgoing[allowed];
    if (next === undefined) return ready;
    let left = spare;
    const count = next.sms.findIndex(({ to, text }) => (left -= budgets.costOf(to, text)) < 0);
    if (count <= 0) {
      await of.gate.hold(BUDGET);
      return ready;
    }
    next.deferFrom(count);
    const cents = costOf(next);
    const rest = await charges.charge(of.account, of.at, [cents]);
    return rest.allowed === 1 ? [...ready, { outgoing: next, of, charged: { period, cents } }] : ready;
  }

  #next(): void {
    while (this.#inFlight < this.#context.concurrency) {
      const ready = this.#ready.shift();
      if (ready === undefined) return;
      this.#inFlight += 1;
      void this.#traced(ready)
        // The result is known: a request has one, whatever happens to the account.
        .catch((error: unknown) => this.#context.onError?.(error))
        .finally(() => {
          this.#inFlight -= 1;
          this.#next();
        });
    }
  }

  #traced(ready: Ready): Promise<void> {
    return traced(
      this.#context.traces,
      () => spanOf('sms-batch', ready.outgoing.content),
      () => this.#send(ready),
    );
  }

  async #send(ready: Ready): Promise<void> {
    const { outgoing, of } = ready;
    const { policy } = this.#context;
    const account = this.#context.account(of.account)?.upstream;
    const { sms } = outgoing;
    if (sms.length === 0) {
      of.gate.returned();
      return this.#onResult(outgoing.settled('settled', []));
    }
    const isOpen = (): boolean => !this.#isStopping && !of.gate.isPaused && this.#context.closed() === undefined;
    if (account === undefined || !isOpen() || !(await this.#isAdmitted(of, account))) return this.#withdraw(ready);
    if (!(await this.#mayLeave(ready)) || !isOpen()) return this.#withdraw(ready);
    const verdict = await this.#sent(ready, account);
    if (verdict === undefined) {
      this.#withdraw(ready);
      return this.#paused(of.gate);
    }
    const judgement = judge(verdict, sms, policy);
    const other = verdict.is === 'ok' ? senderInstead(verdict.value.items, sms, account.smsSender) : undefined;
    await this.#judged(ready, judgement, other);
    if (verdict.is === 'ok') await of.gate.answered(true);
    else if (verdict.is === 'refused' && verdict.exchange.sent !== 'never') await of.gate.answered(false);
  }

  /** Checks a request again after it waited for a slot: its campaign may have been stopped. */
  async #mayLeave({ outgoing, of }: Ready): Promise<boolean> {
    const { clock, sweepMs, requests, onError } = this.#context;
    if (msBetween(of.since, momentOf(clock)) < sweepMs) return true;
    try {
      return await requests.mayLeave(outgoing.request.campaign);
    } catch (error) {
      onError?.(error);
      return false;
    }
  }

  /** Permits that waited long for a slot would leave in a burst: after a while a new permit is required. */
  async #isAdmitted({ admittedAtMono }: TakenTogether, account: UpstreamAccount): Promise<boolean> {
    const { clock, upstream, onError } = this.#context;
    if (clock.monotonic() - admittedAtMono <= LONGEST_WAIT_MS) return true;
    try {
      return (await upstream.admit(account, 'messaging', 'act')).admitted;
    } catch (error) {
      onError?.(error);
      return false;
    }
  }

  /** Undefined: it failed before any byte left. Every other result is a verdict. */
  async #sent({ outgoing, of }: Ready, account: UpstreamAccount): Promise<Sent | undefined> {
    const { upstream, policy, onError } = this.#context;
    // The client checks the deadline once it has a connection.
    const sendBy: Deadline = { since: of.since, ms: policy.leaseMs / 2 };
    try {
      return await upstream.messaging.send(account, { messages: outgoing.sms }, { sendBy });
    } catch (error) {
      onError?.(error);
      return undefined;
    }
  }

  async #judged(ready: Ready, judgement: Judgement, otherSender: string | undefined): Promise<void> {
    const { outgoing, of } = ready;
    const { policy } = this.#context;
    if (judgement.is === 'unsent') {
      this.#withdraw(ready);
      this.#report('retries', judgement.reason);
      return of.gate.notSent(judgement);
    }
    if (judgement.is === 'refused') {
      this.#giveBack(ready);
      return this.#refused(ready, judgement.code);
    }
    const { letters, codes, reason, holds } = judgement;
    if (judgement.is === 'over') this.#onResult(outgoing.settled('settled', letters, { codes, otherSender }));
    else this.#onResult(outgoing.settled('unknown', letters, { codes, otherSender, dueMs: policy.settleDelayMs }));
    this.#report(judgement.is === 'over' ? 'ended' : 'unknown', reason);
    if (holds !== undefined) await of.gate.hold(holds);
  }

  #refused({ outgoing, of }: Ready, code: string): void {
    const { request, sms } = outgoing;
    const { extra = 0, recipients = 0 } = of.costs.get(request.campaign) ?? {};
    const isTooMuch = extra >= Math.max(EXTRA_REQUESTS, Math.ceil(recipients / 50));
    this.#report('advanced', code);
    if (isTooMuch) {
      this.#onResult(
        outgoing.settled(
          'settled',
          sms.map(() => 'f'),
          { codes: [code] },
        ),
      );
    } else
      this.#onResult(
        request.part ? outgoing.split(code) : outgoing.refused(code, this.#context.policy.settleDelayMs),
      );
  }

  /** Nothing of it has left. */
  #withdraw(ready: Ready): void {
    ready.of.gate.returned();
    this.#giveBack(ready);
    this.#onResult(ready.outgoing.withdrawn());
  }

  #giveBack({ charged, of }: Ready): void {
    if (charged === undefined) return;
    const given = this.#context.charges?.giveBack(of.account, charged.period, charged.cents);
    given?.catch((error: unknown) => this.#context.onError?.(error));
  }

  #paused(gate: AccountGate): Promise<void> {
    return gate.notSent({ is: 'unsent', reason: 'failed', retryAfterMs: 0 });
  }

  #report(outcome: 'ended' | 'unknown' | 'retries' | 'advanced', reason: string): void {
    const { report, traces } = this.#context;
    report?.('sms-batch', { outcome, reason });
    traces?.present.says({ 'relais.outcome': outcome, 'relais.reason': reason });
    if (outcome === 'unknown') traces?.present.failed(reason);
  }
}
