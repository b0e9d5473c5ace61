/**
 * Requests of campaigns and their counts, in memory: steps, leases, rescue, checks, and the switches of a campaign.
 * Without pace, canary, and start times.
 */
import type {
  CampaignContent,
  NextCampaign,
  RequestResult,
  RequestToCheck,
  TakenRequest,
} from '../../src/ledger/sms-rows.ts';
import {
  COUNTED,
  type Campaign,
  NEW,
  type Request,
  cancelled,
  codesOf,
  isQueued,
  letterCount,
  merged,
} from './request-rows.ts';
import { inLockOrder } from '../../src/ledger/sms-rows.ts';
import type { StepAsked, Stepped } from '../../src/ledger/sms-requests.ts';

/** Comparisons of the statements. A simulation removes one to prove that it is needed. */
export interface SmsGuards {
  /** A result counts only under the lease of its request. */
  readonly lease: boolean;
  /** A request of a dead worker becomes unknown; otherwise it is queued again. */
  readonly doubt: boolean;
  /** The intent is written before its worker gets the request; otherwise with the next statement. */
  readonly intent: boolean;
}

const ALL_GUARDS: SmsGuards = { lease: true, doubt: true, intent: true };

const PER_REQUEST = 50;
const ANSWERED: readonly Request['state'][] = ['sending', 'refused', 'unknown'];

export interface ModelRequestsOptions {
  readonly now: () => number;
  readonly leaseMs: number;
  readonly phoneOf: (recipient: number) => string;
  readonly content: Pick<CampaignContent, 'body' | 'options'>;
  readonly guards?: Partial<SmsGuards>;
  /** The account has opt-outs. */
  readonly optedOut?: boolean;
  /** Processes that beat. */
  readonly isAlive?: (process: string) => boolean;
}

export class ModelRequests {
  readonly campaigns = new Map<string, Campaign>();
  readonly events: { readonly campaign: string; readonly type: string }[] = [];
  readonly #options: ModelRequestsOptions;
  readonly #guards: SmsGuards;
  #leases = 0;
  #lateIntents: (() => void)[] = [];
  #turns = 0;

  constructor(options: ModelRequestsOptions) {
    this.#options = options;
    this.#guards = { ...ALL_GUARDS, ...options.guards };
  }

  /** A newly started campaign. */
  start({
    number,
    id,
    account,
    recipients,
    version = 1,
  }: Pick<Campaign, 'number' | 'id' | 'account' | 'recipients'> & { readonly version?: number }): void {
    const counts = { sent: 0, failed: 0, unknown: 0, skipped: 0, expired: 0, cancelled: 0 };
    const requests = Array.from({ length: Math.ceil(recipients / PER_REQUEST) }, (_, n) => {
      const size = Math.min(PER_REQUEST, recipients - PER_REQUEST * n);
      return { ...NEW, n, size, members: Array.from({ length: size }, (__, at) => PER_REQUEST * n + at) };
    });
    this.campaigns.set(number, {
      number,
      id,
      account,
      recipients,
      version,
      state: 'running',
      turn: (this.#turns += 1),
      open: requests.length,
      extra: 0,
      resent: 0,
      judgedOver: 0,
      judgedUnknown: 0,
      counts,
      requests,
    });
  }

  step({ results, accounts, most, decide }: StepAsked, process: string): Stepped {
    this.settle(results);
    if (most <= 0 || accounts.size === 0) return { taken: [], left: [], held: [], campaigns: 0 };
    const next = [...this.campaigns.values()]
      .filter((one) => one.state === 'running' && accounts.has(one.account) && one.requests.some(isQueued))
      .toSorted((a, b) => a.turn - b.turn);
    if (next.length > 1) for (const one of next) one.turn = this.#turns += 1;
    const held: string[] = [];
    const takes: Take[] = [];
    for (const campaign of next) {
      const decision = decide(this.#asNext(campaign), this.contentOf(campaign.number));
      if (decision.judged !== undefined) {
        campaign.judgedOver = decision.judged.over;
        campaign.judgedUnknown = decision.judged.unknown;
      }
      if (decision.hold !== undefined) {
        this.switch(campaign.number, 'held');
        held.push(campaign.id);
      } else if (decision.room > 0) takes.push({ campaign, room: decision.room });
    }
    return { taken: this.#take(takes, { most, accounts, process }), left: [], held, campaigns: next.length };
  }

  settle(results: readonly RequestResult[]): void {
    for (const write of this.#lateIntents.splice(0)) write();
    for (const result of inLockOrder(results)) {
      const campaign = this.campaigns.get(result.campaign);
      const request = campaign?.requests[result.n];
      if (campaign === undefined || request === undefined || !ANSWERED.includes(request.state)) continue;
      if (this.#guards.lease && request.lease !== result.lease) continue;
      this.#settleOne(campaign, request, result);
    }
    for (const campaign of this.campaigns.values()) this.#finish(campaign);
  }

  contentOf(number: string): CampaignContent {
    const { id, account, version, state } = this.#campaign(number);
    return { number, id, account, version, state, trace: null, ...this.#options.content };
  }

  sendingAccounts(): readonly string[] {
    const sending = [...this.campaigns.values()].filter(
      ({ state, requests }) => state === 'running' && requests.some(isQueued),
    );
    return [...new Set(sending.map(({ account }) => account))];
  }

  /** The campaign was not stopped since its requests were taken. */
  mayLeave(number: string): boolean {
    return this.#campaign(number).state === 'running';
  }

  rescue(settleMs: number): number {
    const at = this.#options.now();
    const { isAlive = () => true } = this.#options;
    let rescued = 0;
    for (const campaign of this.campaigns.values()) {
      for (const request of campaign.requests) {
        const { leaseUntil = 0, sendUntil = 0, holder = '', size } = request;
        const isLate = leaseUntil <= at || (sendUntil <= at && !isAlive(holder));
        if (request.state !== 'sending' || !isLate) continue;
        rescued += 1;
        if (!this.#guards.doubt) {
          this.#put(campaign, { ...request, state: 'queued' });
          continue;
        }
        this.#put(campaign, {
          ...request,
          state: 'unknown',
          outcome: 'u'.repeat(size),
          leaseUntil: undefined,
          dueAt: at + settleMs,
        });
        campaign.judgedOver += size;
        campaign.judgedUnknown += size;
      }
    }
    return rescued;
  }

  claimChecks(accounts: readonly string[], most: number): readonly RequestToCheck[] {
    const at = this.#options.now();
    const due = [...this.campaigns.values()]
      .filter(({ account }) => accounts.includes(account))
      .flatMap((campaign) => campaign.requests.map((request) => ({ campaign, request })))
      .filter(({ request: { state, dueAt = Number.POSITIVE_INFINITY, leaseUntil = 0 } }) => {
        return (state === 'refused' || state === 'unknown') && dueAt <= at && leaseUntil <= at;
      })
      .toSorted((a, b) => (a.request.dueAt ?? 0) - (b.request.dueAt ?? 0))
      .slice(0, most);
    if (due.length === 0) return [];
    const lease = this.#nextLease();
    return due.map(({ campaign, request }) => {
      const leased = this.#put(campaign, { ...request, lease, leaseUntil: at + this.#options.leaseMs });
      return {
        ...this.#taken(campaign, leased, lease),
        state: request.state as 'refused' | 'unknown',
        letters: request.outcome,
        codes: codesOf(request),
        checks: request.checks,
        isCounted: request.hasCountries,
        sentAt: new Date(request.sentAt ?? 0),
        at: new Date(at),
      };
    });
  }

  /** `running`: it resumes. A finished campaign stays unchanged. */
  switch(number: string, to: 'running' | 'paused' | 'held' | 'cancelled'): void {
    const campaign = this.#campaign(number);
    if (campaign.state === 'finished' || campaign.state === 'cancelled' || campaign.state === to) return;
    campaign.state = to;
    campaign.version += 1;
    if (to !== 'running') this.events.push({ campaign: number, type: `campaign.${to}` });
    if (to !== 'cancelled') return;
    for (const request of campaign.requests.filter(isQueued)) this.#put(campaign, cancelled(request));
  }

  #take(
    takes: readonly Take[],
    { most, accounts, process }: Pick<StepAsked, 'most' | 'accounts'> & { process: string },
  ): readonly TakenRequest[] {
    const at = this.#options.now();
    const turns = takes
      .flatMap(({ campaign, room }, nth) => {
        const queued = campaign.requests.filter(isQueued).slice(0, room);
        return queued.map((request, turn) => ({ campaign, request, turn, nth }));
      })
      .toSorted((a, b) => a.turn - b.turn || a.nth - b.nth);
    const places = new Map<string, number>();
    const shared = turns.filter(({ campaign: { account } }) => {
      const place = (places.get(account) ?? 0) + 1;
      places.set(account, place);
      return place <= (accounts.get(account) ?? 0);
    });
    const chosen = shared.slice(0, most);
    if (chosen.length === 0) return [];
    const lease = this.#nextLease();
    const { leaseMs } = this.#options;
    const taken = chosen.map(({ campaign, request }) => {
      const sentAt = request.sentAt ?? at;
      const until = { leaseUntil: at + leaseMs, sendUntil: at + leaseMs / 2, holder: process };
      const sending = { ...request, ...until, state: 'sending', lease, sends: request.sends + 1, sentAt } as const;
      if (this.#guards.intent) this.#put(campaign, sending);
      else this.#lateIntents.push(() => void this.#put(campaign, sending));
      return this.#taken(campaign, sending, lease);
    });
    return taken.toSorted((a, b) => Number(a.campaign) - Number(b.campaign) || a.n - b.n);
  }

  #settleOne(campaign: Campaign, request: Request, result: RequestResult): void {
    const at = this.#options.now();
    const isCancelled = campaign.state === 'cancelled';
    const { codes = request.codes, checks = request.checks, dueMs, children = [] } = result;
    const isBack = result.state === 'queued';
    const outcome = isBack
      ? undefined
      : result.state === 'refused'
        ? undefined
        : merged(request.outcome, result.letters);
    const next: Request = {
      ...request,
      state: result.state,
      outcome,
      codes,
      checks,
      hasCountries: request.hasCountries || result.countries !== undefined,
      sends: isBack ? request.sends - 1 : request.sends,
      dueAt: dueMs === undefined ? undefined : at + dueMs,
      lease: undefined,
      leaseUntil: undefined,
    };
    const before = letterCount(request.outcome, 'u');
    const settled = this.#put(campaign, isBack && isCancelled ? cancelled(next) : next);
    if (result.blameless) {
      const more = letterCount(settled.outcome, 'u') - before;
      campaign.judgedOver += more;
      campaign.judgedUnknown += more;
    }
    for (const { members, before: asked, part } of children) {
      const { sends, sentAt } = request;
      const born = { ...NEW, n: campaign.requests.length, size: members.length, members, part, sends, sentAt };
      const child: Request = { ...born, before: asked ?? request.before };
      if (part) campaign.extra += 1;
      if (child.before === 'u' && !part && !isCancelled) campaign.resent += members.length;
      campaign.open += 1;
      campaign.requests.push(child);
      if (isCancelled) this.#put(campaign, cancelled(child));
    }
  }

  /** Stores a request, and adds the difference to the counts of its campaign, in one transaction. */
  #put(campaign: Campaign, request: Request): Request {
    const before = campaign.requests[request.n];
    for (const [letter, name] of Object.entries(COUNTED)) {
      campaign.counts[name] += letterCount(request.outcome, letter) - letterCount(before?.outcome, letter);
    }
    if (before !== undefined && before.state !== 'settled' && request.state === 'settled') campaign.open -= 1;
    campaign.requests[request.n] = request;
    return request;
  }

  #finish(campaign: Campaign): void {
    if (campaign.open > 0 || !['running', 'paused', 'held'].includes(campaign.state)) return;
    campaign.state = 'finished';
    campaign.version += 1;
    this.events.push({ campaign: campaign.number, type: 'campaign.finished' });
  }

  #campaign(number: string): Campaign {
    const campaign = this.campaigns.get(number);
    if (campaign === undefined) throw new Error(`there is no campaign ${number}`);
    return campaign;
  }

  #nextLease(): string {
    this.#leases += 1;
    return String(this.#leases);
  }

  #taken({ number }: Campaign, { n, members, before, part, sends }: Request, lease: string): TakenRequest {
    const recipients = members.map((at) => ({ n: at, to: this.#options.phoneOf(at), values: [`name ${at}`] }));
    return { campaign: number, n, lease, before, part, sends, recipients };
  }

  #asNext(campaign: Campaign): NextCampaign {
    const { number, id, account, version, recipients, extra, counts, judgedOver, judgedUnknown } = campaign;
    const { sent, failed, unknown } = counts;
    const judged = { judged_over: judgedOver, judged_failed: 0, judged_unknown: judgedUnknown };
    const canary = { canary: 0, canary_over: false, canary_open: '0', canary_letters: null, canary_codes: null };
    const rest = {
      other_sender: null,
      opted_out: this.#options.optedOut ?? false,
      trace: null,
      at: new Date(this.#options.now()),
    };
    return { number, id, account, version, recipients, extra, sent, failed, unknown, ...judged, ...canary, ...rest };
  }
}

interface Take {
  readonly campaign: Campaign;
  readonly room: number;
}
