/** A small campaign in slices, or a few single messages, every process that touches it, and everything that goes wrong. */
import { seededRandom } from '../../src/lib/random.ts';
import type { Accounts } from '../../src/operations/accounts.ts';
import type { BudgetsContract } from '../../src/operations/budgets.ts';
import type { Campaigns } from '../../src/operations/campaigns.ts';
import { keys } from '../../src/operations/keys.ts';
import type { Operations } from '../../src/operations/operations.ts';
import { RECORD_VERSION } from '../../src/operations/record.ts';
import { itemOf, packItems, standingOf } from '../../src/operations/slice-form.ts';
import { SLICE_PREFIX, type SliceQueue, readSlice } from '../../src/operations/slices.ts';
import type { Policy } from '../../src/processors/context.ts';
import { lookAtSlice } from '../../src/processors/text/look.ts';
import type { TextContext } from '../../src/processors/text/sending.ts';
import { sendSlice } from '../../src/processors/text/slice.ts';
import { Slots } from '../../src/processors/text/slots.ts';
import type { Upstream } from '../../src/upstream/client.ts';
import { ALL_SLICE_GUARDS, MemorySlices, type SliceGuards } from '../support/memory-slices.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { Chance, DEFAULT_TROUBLES, type Troubles } from './chance.ts';
import { ConnectionLost, type Durability, type StoreLink, fenceThrough, sendThrough } from './connection.ts';
import { LEASE_MS, Process } from './process.ts';
import { type MessagingLink, type Post, SimulatedMessaging } from './slice-messaging.ts';
import { Timeline } from './timeline.ts';

export interface SliceWorldOptions {
  readonly seed: number;
  /** Single messages instead of a campaign; some of them are of no use after a time. */
  readonly singles?: boolean;
  readonly onUnknown: 'hold' | 'resend';
  readonly durability: Durability;
  readonly troubles?: Partial<Troubles>;
  readonly guards?: Partial<SliceGuards>;
  readonly policy?: Partial<Policy>;
  readonly tamper?: (context: TextContext, world: SliceWorld) => TextContext;
}

export const messageOf = (to: string): string => `msg_${to.slice(1)}`;

/** A process has many requests in flight, so it meets its end less often at each await. */
export const SLICE_TROUBLES: Troubles = {
  ...DEFAULT_TROUBLES,
  kill: 0.002,
  freeze: 0.003,
  rollback: 0.01,
  submitFault: 0.15,
  statusNameless: 0.01,
  standsStillBeforeSend: 0.002,
};

const START = 1_800_000_000_000;
const SWEEP_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SLICES = 2;
const MOST_PER_SLICE = 180;
const MOST_SINGLES = 20;
export const CAMPAIGN = 'cmp_1';
const TEXT = 'Bonjour {{name}}';
const OPEN = ['running', 'paused', 'held'];

const POLICY = {
  leaseMs: LEASE_MS,
  settleDelayMs: MINUTE_MS,
  holdRecheckMs: 30_000,
  limitMs: 12 * HOUR_MS,
  split: true,
} satisfies Partial<Policy>;

const ONE_EACH: BudgetsContract = {
  reckons: true,
  pricesAreKnown: true,
  costOf: () => 100,
  periodOf: () => ({ day: '2026-11-22', month: '2026-11' }),
  hasRoom: async () => true,
};

export class SliceWorld {
  readonly options: SliceWorldOptions;
  readonly timeline = new Timeline(START);
  readonly store = new MemoryStore();
  readonly chance: Chance;
  readonly posts: Post[] = [];
  readonly book: MessagingLink['book'] = new Map();
  readonly counts: Record<string, number> = {};
  readonly crashes: unknown[] = [];
  readonly ids: readonly string[];
  /** Slice and position of each number. */
  readonly places = new Map<string, readonly [slice: string, place: number]>();
  /** When the text to a number is of no use any more, where that is so. */
  readonly expiries = new Map<string, number>();
  cancelledAt: number | undefined;
  /** Texts that the service had sent when the budget was raised, and how many it was for. */
  budget: { readonly texts: number; booked: number } | undefined;
  readonly #random;
  readonly #link: StoreLink & MessagingLink;
  #sweptAt = 0;

  constructor(options: SliceWorldOptions) {
    this.options = options;
    this.#random = seededRandom(options.seed);
    this.chance = new Chance(this.#random);
    const name = options.singles ? `${SLICE_PREFIX}_` : `${CAMPAIGN}.ab-`;
    this.ids = Array.from({ length: SLICES }, (_, place) => `${name}${place}`);
    const bad = new Set<string>();
    const { timeline, store, chance, posts, book, counts } = this;
    this.#link = {
      timeline,
      store,
      chance,
      posts,
      book,
      counts,
      bad,
      namesTheBad: chance.happens(0.5),
      troubles: { ...SLICE_TROUBLES, ...options.troubles },
      durability: options.durability,
      commands: { inFlight: new Set(), atRiskSince: START },
      isIntended: (numbers) => this.#isIntended(numbers),
    };
    let total = 0;
    const most = options.singles ? MOST_SINGLES : MOST_PER_SLICE;
    for (const id of this.ids) total += this.#stage(id, 1 + chance.whole(most), bad);
    store.setFields(keys.record(CAMPAIGN), {
      id: CAMPAIGN,
      state: 'running',
      text: TEXT,
      slices: SLICES,
      onUnknown: options.onUnknown,
      't:total': total,
      't:queued': total,
      ...(chance.happens(0.3) ? { perSecond: 1 + chance.whole(20) } : {}),
    });
    if (chance.happens(0.3)) this.#limit(total);
    store.makeDurable();
  }

  /** Until somebody raises it; each text costs one XOF. */
  #limit(total: number): void {
    const texts = this.chance.whole(total);
    this.store.setFields(keys.limits, { SMS_BUDGET_DAY: texts });
    const budget = { texts, booked: 0 };
    this.budget = budget;
    this.timeline.after(HOUR_MS, () => {
      budget.booked = [...this.book.values()].flat().length;
      this.store.step(() => this.store.setFields(keys.limits, { SMS_BUDGET_DAY: 'off' }));
      this.store.makeDurable();
    });
  }

  #stage(id: string, count: number, bad: Set<string>): number {
    const items = Array.from({ length: count }, (_, place) => {
      const to = `+2217${this.places.size + 1_000_000}`;
      this.places.set(to, [id, place]);
      if (this.chance.happens(0.01)) bad.add(to);
      return this.options.singles ? this.#single(to, place) : { row: place, to, values: [`n${place}`] };
    });
    this.store.setFields(keys.record(id), {
      id,
      kind: 'slice',
      v: RECORD_VERSION,
      state: 'queued',
      rev: 1,
      account: 'main',
      ...(this.options.singles ? {} : { campaign: CAMPAIGN }),
      count,
      countries: 'SN',
      ...packItems(items),
    });
    this.store.add(keys.due('sms-batch'), START + this.chance.upTo(MINUTE_MS), id);
    return count;
  }

  /** A message, which stands in a record of its own too. */
  #single(to: string, place: number) {
    const { chance } = this;
    const id = messageOf(to);
    const expiresAt = chance.happens(0.5) ? START + chance.upTo(2 * MINUTE_MS) : 0;
    if (expiresAt > 0) this.expiries.set(to, expiresAt);
    this.store.setFields(keys.record(id), {
      id,
      kind: 'message',
      v: RECORD_VERSION,
      state: 'queued',
      account: 'main',
    });
    this.store.increase(keys.counts('message'), 'queued', 1);
    return itemOf({ id, to, from: '', expiresAt, text: `n${place}` });
  }

  async live(): Promise<void> {
    const { chance } = this;
    if (chance.happens(0.2)) this.timeline.after(chance.upTo(HOUR_MS / 2), () => this.#cancel());
    if (chance.happens(0.4)) this.timeline.after(chance.upTo(HOUR_MS / 4), () => this.switch('paused'));
    const end = START + 3 * 24 * HOUR_MS;
    while (this.timeline.now < end) {
      const sweepAt = Math.max(this.#sweptAt + SWEEP_MS, this.#nextDueAt());
      if (sweepAt > end && this.timeline.nextAt > end) break;
      if (sweepAt <= this.timeline.nextAt) {
        this.timeline.after(Math.max(0, sweepAt - this.timeline.now), () => this.#sweep());
        this.#sweptAt = sweepAt;
      }
      await this.timeline.step();
    }
  }

  #nextDueAt(): number {
    return Math.min(this.store.lowest(keys.due('sms-batch')), this.store.lowest(keys.due('status-poll')));
  }

  #sweep(): void {
    const at = this.timeline.now;
    for (const queue of ['sms-batch', 'status-poll'] as const) {
      for (const [id, due] of this.store.members(keys.due(queue))) {
        if (due > at) continue;
        this.store.step(() => this.store.add(keys.due(queue), at + LEASE_MS, id));
        this.#wake(queue, id);
      }
    }
  }

  #wake(queue: SliceQueue, id: string): void {
    const { wakeLost, wakeTwice } = this.#link.troubles;
    if (this.chance.happens(wakeLost)) return;
    const start = () => this.timeline.after(this.chance.upTo(10_000), () => this.#attempt(queue, id));
    start();
    if (this.chance.happens(wakeTwice)) start();
  }

  #attempt(queue: SliceQueue, id: string): void {
    const { tamper = (context: TextContext) => context } = this.options;
    const context = tamper(this.#context(), this);
    const work = queue === 'sms-batch' ? sendSlice(id, context) : lookAtSlice(id, context);
    void work.then(
      ({ outcome, reason }) => this.#tally(`${queue} ${outcome} ${reason}`),
      (error: unknown) => {
        if (!(error instanceof ConnectionLost)) this.crashes.push(error);
      },
    );
  }

  #tally(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  #context(): TextContext {
    const process = new Process(this.#link);
    const { timeline, store, chance } = this;
    const send = sendThrough(process, this.#link);
    const { onUnknown, guards, policy, durability } = this.options;
    const slices = new MemorySlices({
      store,
      random: this.#random,
      now: () => Math.floor(timeline.now),
      send,
      guards: { ...ALL_SLICE_GUARDS, ...guards },
    });
    const stopsAt = chance.happens(0.1) ? timeline.now + chance.upTo(MINUTE_MS) : Number.POSITIVE_INFINITY;
    return {
      clock: process.clock,
      random: this.#random,
      budgets: ONE_EACH,
      policy: { ...POLICY, onUnknown, ...policy } as Policy,
      slices,
      // Up to two turns of requests ahead, so that a step carries several.
      slots: new Slots(1 + chance.whole(8)),
      sameTexts: {
        freeCodes: async (_asking: unknown, found: readonly { readonly codes: readonly string[] }[]) =>
          found.map(({ codes }) => codes[0]),
      },
      operations: { appendEvidence: () => send(() => undefined) } as unknown as Operations,
      accounts: {
        holdsOf: async () => [],
        hold: async () => true,
        release: async () => undefined,
      } as unknown as Accounts,
      campaigns: { switch: () => send(() => this.switch('held')) } as unknown as Campaigns,
      upstream: {
        messaging: new SimulatedMessaging(process, this.#link),
        admit: async () => (chance.happens(0.01) ? { admitted: false, retryAfterMs: 2_000 } : { admitted: true }),
      } as unknown as Upstream,
      account: () => ({ upstream: { name: 'main', smsSender: 'SHOP' }, fingerprint: 'keys' }),
      durability: () => ({ durable: true, reasons: [] }),
      fence: durability === 'each' ? async () => true : fenceThrough(process, this.#link),
      stopping: () => timeline.now >= stopsAt,
      wake: (queue: string, id: string) => this.#wake(queue as SliceQueue, id),
    } as unknown as TextContext;
  }

  /** Somebody, or something, stops the campaign, and goes on with it later. */
  switch(state: 'paused' | 'held'): void {
    const { store } = this;
    if (store.hash(keys.record(CAMPAIGN)).get('state') !== 'running') return;
    store.step(() => store.setFields(keys.record(CAMPAIGN), { state }));
    this.timeline.after(this.chance.upTo(HOUR_MS), () => this.#resume());
  }

  #resume(): void {
    const { store } = this;
    const state = store.hash(keys.record(CAMPAIGN)).get('state');
    if (state !== 'paused' && state !== 'held') return;
    store.step(() => {
      store.setFields(keys.record(CAMPAIGN), { state: 'running' });
      this.#release();
    });
    // Somebody, or the due index, says it again where it was forgotten.
    store.makeDurable();
  }

  #release(): void {
    for (const [id] of this.store.members(keys.parked(CAMPAIGN))) {
      this.store.remove(keys.parked(CAMPAIGN), id);
      this.store.add(keys.due('sms-batch'), this.timeline.now, id);
    }
  }

  #cancel(): void {
    const { store } = this;
    const now = store.hash(keys.record(CAMPAIGN));
    if (!OPEN.includes(now.get('state') ?? '')) return;
    this.cancelledAt = this.timeline.now;
    const queued = Number(now.get('t:queued') ?? 0);
    store.step(() => {
      const cancelled = Number(now.get('t:cancelled') ?? 0) + queued;
      store.setFields(keys.record(CAMPAIGN), { state: 'cancelled', 't:cancelled': cancelled, 't:queued': 0 });
      this.#release();
    });
    store.makeDurable();
  }

  /** Whether all of them stand in requests that are about to leave, in what a power loss would leave. */
  #isIntended(numbers: readonly string[]): boolean {
    const [slice = ''] = this.places.get(numbers[0] ?? '') ?? [];
    const { requests, count } = readSlice(Object.fromEntries(this.store.durableHash(keys.record(slice))));
    const { letters } = standingOf(count, requests);
    return numbers.every((number) => letters[this.places.get(number)?.[1] ?? -1] === 'g');
  }
}
