/**
 * The worker of campaigns. Each step writes the results since the last step and takes as many requests as there are
 * free slots. No slot waits for a timer while there is work.
 */
import { momentOf } from '../../lib/clock.ts';
import type { RequestResult, TakenRequest } from '../../ledger/sms-rows.ts';
import type { Stepped } from '../../ledger/sms-requests.ts';
import { AccountGate } from './account-gate.ts';
import { Checks } from './checks.ts';
import type { SmsContext } from './context.ts';
import { type AccountRoom, decide } from './decide.ts';
import { tendCampaigns } from './holds.ts';
import { Sending } from './sending.ts';

/** Intents beyond the slots: a free slot is used at once. */
const AHEAD = 0.25;
/** The poll interval while campaigns run and nothing could be taken, because of a pace or a hold. */
const LOOK_MS = 250;
const FAILED_MS = 500;
/**
 * The longest time that a result waits for others. If the worker is killed meanwhile, its recipients become unknown.
 */
const GATHER_MS = 20;

export class SmsWorker {
  readonly #context: SmsContext;
  readonly #sending: Sending;
  readonly #checks: Checks;
  readonly #gates = new Map<string, AccountGate>();
  readonly #most: number;
  #results: RequestResult[] = [];
  /** Accounts with a running campaign, as known to this worker. */
  #accounts: readonly string[] = [];
  #accountsFromMono = Number.NEGATIVE_INFINITY;
  #sweptAtMono = Number.NEGATIVE_INFINITY;
  /** The last step found no work, and nothing has changed since. */
  #isIdle = false;
  #isStopping = false;
  #wakeUp: () => void = () => undefined;
  #running: Promise<void> | undefined;

  constructor(context: SmsContext) {
    this.#context = context;
    this.#most = Math.ceil(context.concurrency * (1 + AHEAD));
    this.#sending = new Sending(context, (result) => {
      this.#results.push(result);
      this.#changed();
    });
    this.#checks = new Checks(context);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Signals that there may be work. */
  wake(): void {
    this.#sweptAtMono = Number.NEGATIVE_INFINITY;
    this.#renew();
    this.#changed();
  }

  /** Waits for requests in flight and writes their results; no more requests leave. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#sending.stop();
    this.#changed();
    await this.#running;
  }

  #renew(): void {
    this.#accountsFromMono = Number.NEGATIVE_INFINITY;
    for (const gate of this.#gates.values()) gate.expire();
  }

  #changed(): void {
    this.#isIdle = false;
    this.#wakeUp();
  }

  async #run(): Promise<void> {
    while (!this.#isOver()) {
      try {
        await this.#turn();
      } catch (error) {
        this.#context.onError?.(error);
        await this.#sleep(FAILED_MS, () => false);
      }
    }
  }

  #isOver(): boolean {
    return this.#isStopping && this.#sending.open === 0 && this.#results.length === 0;
  }

  async #turn(): Promise<void> {
    if (!this.#isStopping) await this.#sweep().catch((error: unknown) => this.#context.onError?.(error));
    const rooms = this.#isStopping ? new Map<string, AccountRoom>() : this.#rooms();
    if (this.#results.length === 0 && (rooms.size === 0 || this.#isIdle)) {
      const isWanted = (): boolean => this.#isOver() || !this.#isIdle;
      this.#isIdle = true;
      return this.#sleep(this.#accounts.length > 0 ? LOOK_MS : this.#context.sweepMs, isWanted);
    }
    if (!this.#isStopping) await this.#gather();
    await this.#step(rooms);
  }

  /** While every slot is busy, results are collected: a step costs more than its requests. */
  async #gather(): Promise<void> {
    const { concurrency } = this.#context;
    if (this.#results.length > 0) await this.#sleep(GATHER_MS, () => this.#sending.open < concurrency);
  }

  async #step(rooms: ReadonlyMap<string, AccountRoom>): Promise<void> {
    const { requests, policy, clock } = this.#context;
    const results = this.#results.splice(0);
    const costs = new Map<string, { readonly extra: number; readonly recipients: number }>();
    const optedOut = new Set<string>();
    const trying = new Set<string>();
    const free = Math.max(0, this.#most - this.#sending.open);
    const since = momentOf(clock);
    let at = clock.now();
    let stepped: Stepped;
    this.#isIdle = true;
    try {
      stepped = await requests.step({
        results,
        accounts: new Map([...rooms].map(([account, { room }]) => [account, room])),
        // Campaigns are held even if no slot is free.
        most: rooms.size === 0 ? 0 : Math.max(1, free),
        decide: (campaign, content) => {
          at = campaign.at.getTime();
          costs.set(campaign.number, { extra: campaign.extra, recipients: campaign.recipients });
          if (campaign.opted_out) optedOut.add(campaign.account);
          const known = rooms.get(campaign.account) ?? { room: 0 };
          const decision = decide(campaign, content, trying.has(campaign.account) ? { room: 0 } : known, policy);
          if (known.isTrial === true && decision.room > 0) trying.add(campaign.account);
          return decision;
        },
      });
    } catch (error) {
      this.#results.unshift(...results);
      throw error;
    }
    this.#results.push(...stepped.left);
    if (stepped.taken.length > 0 || stepped.held.length > 0) this.#isIdle = false;
    for (const [account, taken] of this.#byAccount(stepped.taken)) {
      const gate = this.#gateOf(account);
      const admittedAtMono = gate.took(taken.length);
      const hasOptOuts = optedOut.has(account);
      this.#sending.launch({ account, gate, requests: taken, since, at, costs, hasOptOuts, admittedAtMono });
    }
  }

  #byAccount(taken: readonly TakenRequest[]): ReadonlyMap<string, readonly TakenRequest[]> {
    const byAccount = new Map<string, TakenRequest[]>();
    for (const request of taken) {
      const { account } = this.#context.requests.contentOf(request.campaign);
      byAccount.set(account, [...(byAccount.get(account) ?? []), request]);
    }
    return byAccount;
  }

  /** Accounts that may take requests, or whose campaigns need a hold. */
  #rooms(): ReadonlyMap<string, AccountRoom> {
    const free = this.#most - this.#sending.open;
    const rooms = this.#accounts
      .map((account) => [account, this.#gateOf(account).room(Math.max(0, free))] as const)
      .filter(([, { room, unpaid }]) => room > 0 || unpaid !== undefined);
    return new Map(rooms);
  }

  #gateOf(account: string): AccountGate {
    const known = this.#gates.get(account);
    if (known !== undefined) return known;
    const gate = new AccountGate(account, this.#context, () => this.#changed());
    this.#gates.set(account, gate);
    return gate;
  }

  /** Polls for other work, each at its own interval. */
  async #sweep(): Promise<void> {
    const { clock, requests, sweepMs, policy } = this.#context;
    const now = clock.monotonic();
    if (now >= this.#accountsFromMono) {
      const known = await requests.sendingAccounts();
      this.#accounts = known.filter((account) => this.#context.account(account) !== undefined);
      this.#accountsFromMono = now + LOOK_MS;
      if (this.#accounts.length > 0) this.#isIdle = false;
    }
    if (now < this.#sweptAtMono + sweepMs) return;
    this.#sweptAtMono = now;
    await requests.rescue(policy.settleDelayMs);
    if ((await tendCampaigns(this.#context)) > 0) this.#renew();
    // A campaign without unsent recipients may still have recipients in doubt.
    this.#checks.look(this.#context.names);
  }

  async #sleep(ms: number, isWanted: () => boolean): Promise<void> {
    if (isWanted()) return;
    await new Promise<void>((resolve) => {
      const forget = this.#context.clock.after(ms, resolve);
      this.#wakeUp = () => {
        if (!isWanted()) return;
        forget();
        resolve();
      };
    });
    this.#wakeUp = () => undefined;
  }
}
