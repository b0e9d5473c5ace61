/** The scripts of a slice in memory, one promise each to be taken away: what a simulation works over. */
import type { Random } from '../../src/lib/random.ts';
import { PACE_AHEAD_MS } from '../../src/kinds/campaign-switches.ts';
import { keys } from '../../src/operations/keys.ts';
import { RECORD_VERSION } from '../../src/operations/record.ts';
import {
  OPEN_KEPT_MS,
  marksIn,
  slotOf,
  SLICE_CAMPAIGN_FIELDS,
  campaignOfFields,
} from '../../src/operations/slice-form.ts';
import {
  type MessageChange,
  type SliceBegun,
  type SliceQueue,
  type SliceRecord,
  type SliceStep,
  type SliceStepped,
  type SlicesContract,
  type WhyNotMore,
  campaignOfSlice,
  queueOfLane,
  readSlice,
} from '../../src/operations/slices.ts';
import { numbersLost } from '../../src/operations/transition.ts';
import type { MemoryStore } from './memory-store.ts';

type NumbersLost = ReturnType<typeof numbersLost>;

export interface SliceGuards {
  /** A step by an attempt that does not hold the lease is refused. */
  readonly lease: boolean;
  /** A request that is not as it was read is left as it is. */
  readonly compare: boolean;
  /** A step whose predecessor is not there any more is refused. */
  readonly order: boolean;
  /** A new request takes the number that nobody has had. */
  readonly numbers: boolean;
  /** What leaves is written down only while the campaign runs. */
  readonly gate: boolean;
  /** What leaves is counted, and no more of it leaves than a budget lets. */
  readonly budget: boolean;
  /** The same text to the same number waits until the one before is over. */
  readonly sameText: boolean;
}

export const ALL_SLICE_GUARDS: SliceGuards = {
  lease: true,
  compare: true,
  order: true,
  numbers: true,
  gate: true,
  budget: true,
  sameText: true,
};

export interface MemorySlicesOptions {
  readonly store: MemoryStore;
  readonly random: Random;
  readonly now: () => number;
  readonly send?: <T>(command: () => T) => Promise<T>;
  readonly guards?: SliceGuards;
}

type Names = Pick<SliceRecord, 'id' | 'account' | 'campaign' | 'lane'>;
type Hash = ReadonlyMap<string, string>;

/** What stops a step before it comes to its budget. */
const UNASKED: ReadonlySet<WhyNotMore> = new Set(['recovering', 'cancelled', 'parked', 'held', 'expiring', 'busy']);

export class MemorySlices implements SlicesContract {
  readonly #store: MemoryStore;
  readonly #random: Random;
  readonly #now: () => number;
  readonly #send: <T>(command: () => T) => Promise<T>;
  readonly #guards: SliceGuards;

  constructor({ store, random, now, send, guards = ALL_SLICE_GUARDS }: MemorySlicesOptions) {
    this.#store = store;
    this.#random = random;
    this.#now = now;
    this.#send = send ?? (async (command) => command());
    this.#guards = guards;
  }

  async read(id: string): Promise<SliceRecord | undefined> {
    const fields = Object.fromEntries(this.#store.hash(keys.record(id)));
    return fields['kind'] === 'slice' ? readSlice(fields) : undefined;
  }

  begin(id: string, queue: SliceQueue, leaseMs: number): Promise<SliceBegun> {
    const lease = this.#random.hex(16);
    return this.#send(() => this.#store.step(() => this.#begin(id, queue, { lease, leaseMs })));
  }

  step(record: Names, lease: string, step: SliceStep): Promise<SliceStepped> {
    return this.#send(() => this.#store.step(() => this.#step(record, lease, step)));
  }

  kept(id: string, lease: string, op: string): Promise<boolean> {
    return this.#send(() => {
      const record = this.#store.hash(keys.record(id));
      return record.get('lease') === lease && record.get('op')?.startsWith(`${op} `) === true;
    });
  }

  #begin(id: string, queue: SliceQueue, { lease, leaseMs }: { lease: string; leaseMs: number }): SliceBegun {
    const store = this.#store;
    const at = this.#now();
    const key = keys.record(id);
    const record = store.hash(key);
    const state = record.get('state');
    if (state === undefined) {
      store.remove(keys.due(queue), id);
      return { is: 'none' };
    }
    if (record.get('v') !== RECORD_VERSION) return { is: 'other version' };
    if (state === 'settled') {
      store.remove(keys.due(queue), id);
      return { is: 'final' };
    }
    if (queue !== 'status-poll' && state !== 'queued') return { is: 'elsewhere' };
    if (record.get('lease') && Number(record.get('until') ?? 0) > at) return { is: 'leased' };
    const ends = at + leaseMs;
    store.setFields(key, { lease, until: ends });
    store.add(keys.due(queue), ends, id);
    const campaign = campaignOfSlice(id);
    const fields = Object.fromEntries(store.hash(key));
    const accountHeld = store.score(keys.heldAccounts, fields['account'] ?? '') !== undefined;
    return {
      is: 'acquired',
      record: readSlice(fields),
      lease,
      at,
      accountHeld,
      campaign:
        campaign === ''
          ? undefined
          : campaignOfFields(
              campaign,
              SLICE_CAMPAIGN_FIELDS.map((field) => store.hash(keys.record(campaign)).get(field) ?? null),
            ),
    };
  }

  #step(names: Names, lease: string, step: SliceStep): SliceStepped {
    const { id, campaign } = names;
    const store = this.#store;
    const at = this.#now();
    const key = keys.record(id);
    const record = store.hash(key);
    const state = record.get('state');
    if (state === undefined) return { is: 'none' };
    const [op, left] = (record.get('op') ?? '').split(' ');
    if (op === step.op) return { is: 'mine', leave: Number(left) };
    if (this.#guards.order && (op || undefined) !== step.follows) return { is: 'not yours', state };
    if (state !== step.from || (this.#guards.lease && record.get('lease') !== lease))
      return { is: 'not yours', state };
    if (this.#guards.numbers && Number(record.get('n') ?? 0) !== step.next) return { is: 'not yours', state };
    const differs = step.changed.some(({ number, read }) => record.get(`r${number}`) !== read);
    if (this.#guards.compare && differs) return { is: 'not yours', state };
    if (step.inRecovery && !store.hash(keys.heartbeat).has('recovering')) return { is: 'recovered' };
    const campaignKey = keys.record(campaign);
    const { leave, why, waitMs, paceAt, spare = 0, busy = [] } = this.#gate(record, step, names, at);
    this.#charge(names, step, leave);
    if (paceAt !== undefined) store.setFields(campaignKey, { paceAt });
    const lost = numbersLost(step.inRecovery);
    const rev = Number(record.get('rev') ?? 0) + 1 + lost.revisionsLost;
    if (campaign) this.#count(campaignKey, step, leave);
    const opened = step.opened.length;
    const set: Record<string, string | number> = {
      state: step.to,
      op: `${step.op} ${leave}`,
      n: step.next + opened + leave,
      rev,
      updatedAt: at,
      ...Object.fromEntries(step.changed.map(({ number, becomes }) => [`r${number}`, becomes])),
      ...Object.fromEntries(step.opened.map((becomes, index) => [`r${step.next + index}`, becomes])),
      ...Object.fromEntries(
        step.leaving.slice(0, leave).map(({ becomes }, index) => [`r${step.next + opened + index}`, becomes]),
      ),
      ...step.set,
      ...(step.from === step.to ? {} : { since: at }),
      ...(step.keepMs === undefined ? {} : { until: at + step.keepMs }),
    };
    if (step.keepMs === undefined) store.dropFields(key, ['lease', 'until']);
    store.setFields(key, set);
    this.#move(id, step, at);
    this.#mark(names, step, leave, at);
    for (const message of step.messages) if (message.leavesWith <= leave) this.#follow(message, at, lost);
    if (campaign) this.#moveInCampaign(campaignKey, step);
    this.#setDue(names, step, at);
    const counter = leave > 0 ? store.increase(keys.heartbeat, 'counter', 1) : 0;
    const asked = step.leaving.length > 0 && !UNASKED.has(why);
    const counted = asked && this.#guards.budget && Object.keys(this.#budgets()).length > 0;
    return { is: 'applied', leave, why, waitMs, rev, counter, spare, counted, busy };
  }

  #gate(
    record: Hash,
    step: SliceStep,
    names: Names,
    at: number,
  ): { leave: number; why: WhyNotMore; waitMs: number; paceAt?: number; spare?: number; busy?: string[] } {
    const { leaving, tried, closes } = step;
    const { account, campaign: id } = names;
    const stop = (why: WhyNotMore) => ({ leave: 0, why, waitMs: 0 });
    if (leaving.length === 0) return stop('');
    const campaign: Hash = id === '' ? new Map([['state', 'running']]) : this.#store.hash(keys.record(id));
    const state = campaign.get('state');
    if (this.#guards.gate && (state === 'cancelled' || state === 'finished')) return stop('cancelled');
    if (this.#guards.gate && state !== 'running') return stop('parked');
    const held = this.#store.score(keys.heldAccounts, record.get('account') ?? '') !== undefined;
    if (!tried && held) return stop('held');
    if (leaving.some(({ expiresAt }) => expiresAt !== undefined && at >= expiresAt)) return stop('expiring');
    const open = this.#store.hash(keys.openTexts(account));
    const opens = leaving.flatMap((request) => marksIn(request.opens ?? ''));
    const busy = opens.filter((mark) => !closes.includes(mark) && Number(open.get(mark) ?? 0) > at - OPEN_KEPT_MS);
    if (this.#guards.sameText && busy.length > 0) return { ...stop('busy'), busy };
    const affordable = this.#affordable(names, step);
    const { leave, spare } = affordable;
    const perSecond = Number(campaign.get('perSecond') ?? 0);
    if (perSecond === 0) return { ...affordable, waitMs: 0 };
    let paceAt = Number(campaign.get('paceAt') ?? 0);
    for (const [index, { carries }] of leaving.slice(0, leave).entries()) {
      const ahead = Math.ceil(paceAt - at - PACE_AHEAD_MS);
      if (ahead > 0) return { leave: index, why: 'paced', waitMs: ahead, spare, ...(index > 0 ? { paceAt } : {}) };
      paceAt = Math.floor(Math.max(paceAt, at) + (carries * 1_000) / perSecond);
    }
    return { ...affordable, waitMs: 0, ...(leave > 0 ? { paceAt } : {}) };
  }

  #budgets(): Readonly<Record<string, number>> {
    const limits = this.#store.hash(keys.limits);
    const set = ['SMS_BUDGET_DAY', 'SMS_BUDGET_MONTH'].filter((name) => (limits.get(name) ?? 'off') !== 'off');
    return Object.fromEntries(set.map((name) => [name, Number(limits.get(name))]));
  }

  #affordable({ account }: Names, step: SliceStep): { leave: number; why: WhyNotMore; spare: number } {
    const { leaving, period, charged } = step;
    const budgets = this.#budgets();
    const all = { leave: leaving.length, why: '', spare: 0 } as const;
    if (!this.#guards.budget || Object.keys(budgets).length === 0) return all;
    const spent = this.#store.hash(keys.textsCost(account, period.month));
    const { SMS_BUDGET_DAY: ofDay = Infinity, SMS_BUDGET_MONTH: ofMonth = Infinity } = budgets;
    const left = [ofDay * 100 - Number(spent.get(period.day) ?? 0), ofMonth * 100 - Number(spent.get('all') ?? 0)];
    let spare = Math.max(0, Math.min(...left) - charged);
    for (const [leave, { cost }] of leaving.entries()) {
      if (cost === undefined) return { leave, why: 'uncounted', spare };
      if (cost > spare) return { leave, why: 'budget', spare };
      spare -= cost;
    }
    return { ...all, spare };
  }

  #charge({ account }: Names, { leaving, period, charged }: SliceStep, leave: number): void {
    const counts = this.#guards.budget && Object.keys(this.#budgets()).length > 0;
    const costs = counts ? leaving.slice(0, leave).map(({ cost = 0 }) => cost) : [];
    const cost = costs.reduce((sum, one) => sum + one, charged);
    if (cost === 0) return;
    const key = keys.textsCost(account, period.month);
    const spent = this.#store.hash(key);
    const after = (field: string): number => Math.max(0, Number(spent.get(field) ?? 0) + cost);
    this.#store.setFields(key, { [period.day]: after(period.day), all: after('all') });
  }

  #mark({ account }: Names, { leaving, closes, sent, at: slotAt }: SliceStep, leave: number, at: number): void {
    const open = keys.openTexts(account);
    this.#store.dropFields(open, closes);
    for (const request of leaving.slice(0, leave)) {
      const opens = marksIn(request.opens ?? '');
      this.#store.setFields(open, Object.fromEntries(opens.map((mark) => [mark, at])));
    }
    for (const mark of sent) this.#store.add(keys.sentTexts(account, slotOf(slotAt)), 0, mark);
  }

  #follow({ id, from, to, code, event, forgets }: MessageChange, at: number, lost: NumbersLost): void {
    const store = this.#store;
    const key = keys.record(id);
    if (store.hash(key).get('state') !== from) return;
    store.setFields(key, {
      state: to,
      since: at,
      updatedAt: at,
      rev: Number(store.hash(key).get('rev') ?? 0) + 1 + lost.revisionsLost,
      ...(code ? { code } : {}),
      ...(to === 'sending' ? { sentAt: at } : {}),
      ...(forgets ? { text: '' } : {}),
    });
    if (lost.eventsLost > 0) store.increase(key, 'seq', lost.eventsLost);
    if (event) store.increase(key, 'seq', 1);
    if (from === to) return;
    store.increase(keys.counts('message'), from, -1);
    store.increase(keys.counts('message'), to, 1);
    if (['sent', 'failed', 'unknown', 'expired'].includes(to)) store.increase(keys.counts('outcome'), to, 1);
  }

  #count(campaign: string, { counts, leaving, recounted }: SliceStep, leave: number): void {
    const store = this.#store;
    const cancelled = store.hash(campaign).get('state') === 'cancelled';
    for (const [field, delta] of Object.entries(counts)) {
      if (delta === 0) continue;
      store.increase(campaign, cancelled && field === 't:queued' ? 't:cancelled' : field, delta);
      const counted = ['t:sent', 't:failed', 't:unknown', 't:expired'].includes(field) && delta > 0 && !recounted;
      if (counted) store.increase(keys.counts('outcome'), field.slice(2), delta);
    }
    for (const { carries } of leaving.slice(0, leave)) {
      store.increase(campaign, 't:queued', -carries);
      store.increase(campaign, 't:sending', carries);
    }
  }

  #move(id: string, { from, to }: SliceStep, at: number): void {
    if (from === to) return;
    this.#store.increase(keys.counts('slice'), from, -1);
    this.#store.increase(keys.counts('slice'), to, 1);
    this.#store.remove(keys.state('slice', from), id);
    if (to !== 'settled') this.#store.add(keys.state('slice', to), at, id);
  }

  #moveInCampaign(campaign: string, { from, to }: SliceStep): void {
    if (from === to) return;
    if (from === 'queued') this.#store.increase(campaign, 'out', -1);
    else if (to === 'queued') this.#store.increase(campaign, 'out', 1);
    if (to !== 'settled') return;
    const settled = this.#store.increase(campaign, 'settled', 1);
    const now = this.#store.hash(campaign);
    const open = ['running', 'paused', 'held'].includes(now.get('state') ?? '');
    if (open && settled >= Number(now.get('slices'))) this.#store.setFields(campaign, { state: 'finished' });
  }

  #setDue({ id, campaign, lane }: Names, { keepMs, sendInMs, lookInMs }: SliceStep, at: number): void {
    const store = this.#store;
    const due = (queue: SliceQueue, inMs: number | 'as it is' | undefined): void => {
      if (inMs === 'as it is') return;
      if (inMs === undefined) store.remove(keys.due(queue), id);
      else store.add(keys.due(queue), at + inMs, id);
    };
    due('status-poll', lookInMs);
    const sends = queueOfLane[lane];
    const state = campaign === '' ? 'running' : store.hash(keys.record(campaign)).get('state');
    const rests = keepMs === undefined && typeof sendInMs === 'number' && state !== 'running';
    if (!rests) return due(sends, sendInMs);
    if (state === 'cancelled') return due('sms-batch', 0);
    due('sms-batch', undefined);
    if (state !== 'finished') store.add(keys.parked(campaign), 0, id);
  }
}
