/**
 * A slice in the hands of the attempt that has its lease: what is known of each recipient, and the steps in which that
 * is written down.
 *
 *   what came back, and what is about to leave ─▶ one script ──▶ durable ──▶ read again ──▶ only now may it leave
 *
 * A step whose answer was lost is asked for again under the same word until the lease is over: the script knows it
 * again. What was written after another attempt took the lease, or in a Redis that has forgotten, is found out by the
 * second reading, and then nothing leaves.
 */
import {
  NOBODY,
  unpackCountries,
  type Letter,
  type MessageItem,
  type Request,
  type Standing,
  applyRequest,
  itemOf,
  lettersFor,
  packItems,
  packRequest,
  placesOf,
  standingOf,
  type SliceCampaign,
} from '../../operations/slice-form.ts';
import {
  type Leaving,
  type SliceBegun,
  type SliceQueue,
  type SliceRecord,
  type SliceState,
  type SliceStep,
  type SliceStepped,
  queueOfLane,
} from '../../operations/slices.ts';
import { isUnreadable } from '../../operations/record.ts';
import { type Deadline, type Moment, momentOf, msBetween } from '../../lib/clock.ts';
import type { ProcessorContext, AttemptResult } from '../context.ts';
import { sendBy } from '../intent.ts';
import { type Committed, type Committing, type Draft, type EndInHistory, Singles } from './step.ts';
import { Costs, Moves, type Texts, textsOf } from './texts.ts';

/** How soon a step, or a second reading, whose answer was lost is asked for again. */
const AGAIN_MS = 500;

/** Stands in for the number of a request that is not written yet. */
const UNNUMBERED = -2;

const BLANK: Omit<Request, 'number'> = {
  is: 'over',
  part: false,
  from: 0,
  letters: '',
  at: 0,
  codes: [],
  looks: 0,
  dueAt: 0,
};

type Acquired = Extract<SliceBegun, { is: 'acquired' }>;

/** Takes the lease, or says why there is nothing to do. */
export async function holdSlice(
  id: string,
  queue: SliceQueue,
  context: ProcessorContext,
): Promise<HeldSlice | AttemptResult> {
  const leasedSince = momentOf(context.clock);
  const begun = await context.slices.begin(id, queue, context.policy.leaseMs);
  if (begun.is !== 'acquired') return { outcome: 'idle', reason: begun.is };
  context.traces?.belongsTo(begun.campaign?.trace, 'apart');
  context.traces?.present.says({ 'relais.campaign': begun.campaign?.id });
  return new HeldSlice(begun, queue, leasedSince, context);
}

export class HeldSlice {
  readonly record: SliceRecord;
  /** Absent where it carries single messages. */
  readonly campaign: SliceCampaign | undefined;
  readonly texts: Texts;
  readonly costs: Costs;
  readonly lease: string;
  readonly accountHeld: boolean;
  readonly standing: Standing;
  readonly requests = new Map<number, Request>();
  /** What became of some of them in a time that Redis has lost, by position. */
  readonly endsInHistory = new Map<number, EndInHistory>();
  readonly #queue: SliceQueue;
  readonly #context: ProcessorContext;
  readonly #begunSince: Moment;
  readonly #begunAt: number;
  /** Each request as it stands in Redis. */
  readonly #stored = new Map<number, string>();
  readonly #moves: Moves;
  readonly #singles: Singles | undefined;
  #state: SliceState;
  #next: number;
  #lastStep: string | undefined;
  /** Before the last step that was read again: the lease counts from here. */
  leasedSince: Moment;
  // What the next step will write.
  #changed = new Set<number>();
  #moved = new Set<number>();
  #opened: Request[] = [];
  #counts: Record<string, number> = {};
  #set: Record<string, string | number> = {};

  constructor(
    { record, lease, at, campaign, accountHeld }: Acquired,
    queue: SliceQueue,
    leasedSince: Moment,
    context: ProcessorContext,
  ) {
    this.record = record;
    this.campaign = campaign;
    this.lease = lease;
    this.accountHeld = accountHeld;
    this.#queue = queue;
    this.#context = context;
    this.#begunSince = leasedSince;
    this.#begunAt = at;
    this.leasedSince = leasedSince;
    this.#state = record.state;
    this.#next = record.next;
    this.#lastStep = record.op;
    this.standing = standingOf(record.count, record.requests);
    for (const request of record.requests) {
      this.requests.set(request.number, request);
      this.#stored.set(request.number, record.fields[`r${request.number}`] ?? '');
    }
    this.texts = textsOf(record, campaign);
    const { prices } = context.policy;
    const countries = unpackCountries(record.countries, record.count);
    this.#moves = new Moves({ account: record.account, texts: this.texts, countries, prices });
    this.costs = new Costs(this.texts, context.budgets);
    this.#singles = campaign ? undefined : new Singles(record, this, (place) => this.#messageAt(place));
  }

  /** The queue in which it is sent. */
  get queue(): SliceQueue {
    return queueOfLane[this.record.lane];
  }

  /** The clock of Redis as it must be by now, ms since the epoch. */
  get at(): number {
    return this.#atOf(momentOf(this.#context.clock));
  }

  #atOf(moment: Moment): number {
    return this.#begunAt + Math.round(msBetween(this.#begunSince, moment));
  }

  /** Whether there is anything to write. */
  get pending(): boolean {
    return this.#changed.size > 0 || this.#opened.length > 0 || Object.keys(this.#set).length > 0;
  }

  /** Positions of those who wait, in order. */
  get waiting(): number[] {
    return this.standing.letters.flatMap((letter, place) => (letter === 'q' ? [place] : []));
  }

  /** What became of a request, from the next step on. */
  change(number: number, becomes: Partial<Omit<Request, 'number' | 'from'>>): void {
    const request = this.requests.get(number);
    if (request === undefined) throw new Error(`no request ${number} in ${this.record.id}`);
    this.#changed.add(number);
    this.#put({ codes: [], dueAt: 0, ...becomes, number }, request);
  }

  /** Somebody waits again, or is over without having been sent to. */
  open(
    places: readonly number[],
    how: Pick<Draft, 'is' | 'part' | 'dueAt' | 'codes'> & { readonly at?: number },
    letterOf: (place: number) => Letter,
  ): void {
    if (places.length === 0) return;
    // A step may be on its way with numbers of its own: these get theirs when they are written.
    this.#opened.push(
      this.#put({ at: this.at, ...how, ...lettersFor(places, letterOf), number: UNNUMBERED }, undefined),
    );
  }

  /**
   * They are over without having been sent to. Those who may have got it before are not reported so, and who failed
   * before is not reported as cancelled.
   */
  leaveOut(places: readonly number[], as: 'x' | 'e' | 'c'): void {
    const { again, before } = this.standing;
    this.open(places, { is: 'over', part: false }, (place) => {
      if ((again[place] ?? 0) > 0) return 'u';
      return as === 'c' && before[place] === 'f' ? 'f' : as;
    });
  }

  /** Those of them who must not get it any more, since its time is over. Nobody of a campaign. */
  expiredAmong(places: readonly number[]): number[] {
    if (this.campaign) return [];
    const { at } = this;
    return places.filter((place) => {
      const { expiresAt } = this.#messageAt(place);
      return expiresAt > 0 && expiresAt <= at;
    });
  }

  /** A request for these must not leave later: the lease ends, or one of the messages expires. */
  sendBy(places: readonly number[]): Deadline {
    const { since, ms } = sendBy(this.leasedSince, this.#context);
    const expiries = this.campaign ? [] : places.flatMap((place) => this.#messageAt(place).expiresAt || []);
    return { since, ms: Math.min(ms, Math.min(...expiries) - this.#atOf(since)) };
  }

  /** Those of them whose text is one of these marks. */
  among(places: readonly number[], marks: ReadonlySet<string>): number[] {
    const singles = this.#singles;
    return singles === undefined || marks.size === 0
      ? []
      : places.filter((place) => marks.has(singles.markOf(place)));
  }

  /** Those of them whose text goes to the same number at a place before. Nobody of a campaign is in it twice. */
  saidBefore(places: readonly number[]): number[] {
    const singles = this.#singles;
    if (singles === undefined || places.length < 2) return [];
    const said = new Set<string>();
    return places.filter((place) => {
      const mark = singles.markOf(place);
      const isSaid = said.has(mark);
      said.add(mark);
      return isSaid;
    });
  }

  /** A field of its campaign. */
  count(field: string, delta: number): void {
    if (this.campaign) this.#counts[field] = (this.#counts[field] ?? 0) + delta;
  }

  set(field: string, value: string | number): void {
    this.#set[field] = value;
  }

  /**
   * An attempt ended with these: they may have left, so they are never sent again by it; who they were for is in doubt.
   * Whether there are any.
   */
  doubtInterrupted(): boolean {
    for (const { number, is, letters } of this.requests.values()) {
      if (is !== 'going') continue;
      const dueAt = this.at + this.#context.policy.settleDelayMs;
      this.change(number, { is: 'doubt', letters: letters.replaceAll('g', 'u'), looks: 0, dueAt });
      // That we died says nothing about the service, so a campaign is not judged by it.
      const died = letters.replaceAll(/[^g]/g, '').length;
      this.count('judgedOver', died);
      this.count('judgedUnknown', died);
    }
    return this.#changed.size > 0;
  }

  /** Writes all that is known, and what is about to leave. Whatever comes of it, what has not come back here has not left. */
  async commit({ leaving = [], ...how }: Committing): Promise<Committed> {
    // Of which nothing came back, by whatever went wrong: nobody else will ask for it, and it is not over.
    if (how.ending) this.doubtInterrupted();
    const requests = leaving.map((draft) => this.#whole(draft));
    const step = this.#step(requests, how);
    const leasedSince = momentOf(this.#context.clock);
    const stepped = await this.#untilAnswered(() => this.#context.slices.step(this.record, this.lease, step));
    if (stepped.is !== 'applied' && stepped.is !== 'mine') return { is: 'lost', reason: stepped.is };
    this.#state = step.to;
    this.#lastStep = step.op;
    const told: Partial<Extract<SliceStepped, { is: 'applied' }>> = stepped.is === 'applied' ? stepped : {};
    // Where nobody can say whether it was counted, it stays so.
    const { why = '', waitMs = 0, rev = this.record.rev, spare = 0, counted = false, busy = [] } = told;
    const left = requests.slice(0, stepped.leave).map((request, index) => this.#hasLeft(request, step, index));
    if (counted) for (const [index, { number }] of left.entries()) this.costs.left(number, step, index);
    this.#next += step.opened.length + stepped.leave;
    const answer = { is: 'kept', left, why, waitMs, rev, spare, busy } as const;
    if (how.ending) return answer;
    try {
      if (!(await this.#context.fence())) return { ...answer, why: 'fence' };
    } catch (failure) {
      return { ...answer, why: 'fence', failure };
    }
    const kept = await this.#untilAnswered(() => this.#context.slices.kept(this.record.id, this.lease, step.op));
    if (!kept) return { is: 'lost', reason: 're-read' };
    this.leasedSince = leasedSince;
    if (stepped.is === 'applied' && stepped.counter > 0) this.#context.heartbeat?.remember(stepped.counter);
    return answer;
  }

  #step(
    leaving: readonly Omit<Request, 'number'>[],
    { optOutsOf = [], tried = false, ending, recounted = false, inRecovery }: Omit<Committing, 'leaving'>,
  ): SliceStep {
    const changed = [...this.#changed].map((number) => {
      const read = this.#stored.get(number) ?? '';
      const becomes = this.#packed(number);
      this.#stored.set(number, becomes);
      return { number, read, becomes };
    });
    const { bins, posts } = this.#moves.take();
    const opened = this.#opened.map((request, index) => this.#numbered(request, this.#next + index));
    const { leaseMs } = this.#context.policy;
    const sends = this.#queue !== 'status-poll';
    const carried = this.#singles?.changes(this.#moved, this) ?? { messages: [], closes: [], sent: [] };
    const to = ending ? this.#stateAfter() : this.#state;
    const step: SliceStep = {
      op: this.#context.random.hex(8),
      follows: this.#lastStep,
      from: this.#state,
      to,
      ...(ending
        ? { sendInMs: to === 'queued' ? ending.sendInMs : undefined, lookInMs: this.#lookInMs() }
        : { keepMs: leaseMs, sendInMs: sends ? leaseMs : 'as it is', lookInMs: sends ? 'as it is' : leaseMs }),
      changed,
      opened,
      leaving: leaving.map((request) => this.#leavingOf(request)),
      next: this.#next,
      counts: this.campaign ? { ...this.#counts, ...bins } : {},
      posts,
      recounted,
      inRecovery,
      ...this.costs.take(this.at),
      set: to === 'settled' && this.record.lane === 'otp' ? { ...this.#set, items: this.#forgotten() } : this.#set,
      optOutsOf,
      tried,
      at: this.at,
      ...carried,
      messages: [
        ...carried.messages,
        ...leaving.flatMap((request, index) => this.#singles?.leaving(placesOf(request), index + 1) ?? []),
      ],
    };
    this.#changed = new Set();
    this.#moved = new Set();
    this.#opened = [];
    this.#counts = {};
    this.#set = {};
    return step;
  }

  #leavingOf(request: Omit<Request, 'number'>): Leaving {
    const places = placesOf(request);
    const leaving = { becomes: packRequest(request), carries: places.length, ...this.costs.of(places) };
    const singles = this.#singles;
    if (singles === undefined) return leaving;
    const expiries = places.flatMap((place) => this.#messageAt(place).expiresAt || []);
    return {
      ...leaving,
      expiresAt: expiries.length > 0 ? Math.min(...expiries) : undefined,
      opens: places.map((place) => singles.markOf(place)).join(''),
    };
  }

  /** Its items without what they said: one-time passwords. */
  #forgotten(): string {
    const places = Array.from({ length: this.record.count }, (_, place) => place);
    return packItems(places.map((place) => itemOf({ ...this.#messageAt(place), text: '' }))).items;
  }

  #messageAt(place: number): MessageItem {
    const { message } = this.texts.at(place);
    if (message === undefined) throw new Error(`no message at ${place} of ${this.record.id}`);
    return message;
  }

  #stateAfter(): SliceState {
    if (this.standing.letters.includes('q')) return 'queued';
    return this.#lookInMs() === undefined ? 'settled' : 'unknown';
  }

  /** When the next of those in doubt is to be asked about. */
  #lookInMs(): number | undefined {
    const due = [...this.requests.values()].flatMap(({ is, dueAt }) =>
      is === 'doubt' || is === 'refused' ? [dueAt] : [],
    );
    return due.length === 0 ? undefined : Math.max(0, Math.min(...due) - this.at);
  }

  #hasLeft(written: Omit<Request, 'number'>, step: SliceStep, index: number): Request {
    const request = { ...written, number: step.next + step.opened.length + index };
    this.#stored.set(request.number, step.leaving[index]?.becomes ?? packRequest(request));
    this.requests.set(request.number, request);
    applyRequest(this.standing, request);
    this.#singles?.left(placesOf(request));
    return request;
  }

  #whole(draft: Draft): Omit<Request, 'number'> {
    return { codes: [], looks: 0, dueAt: 0, ...draft, at: this.at };
  }

  #packed(number: number): string {
    const request = this.requests.get(number);
    if (request === undefined) throw new Error(`no request ${number} in ${this.record.id}`);
    return packRequest(request);
  }

  #numbered(opened: Request, number: number): string {
    const request = { ...opened, number };
    const becomes = packRequest(request);
    this.requests.set(number, request);
    this.#stored.set(number, becomes);
    const { requests } = this.standing;
    for (const place of placesOf(request)) if (requests[place] === UNNUMBERED) requests[place] = number;
    return becomes;
  }

  #put(after: Partial<Request> & Pick<Request, 'number'>, before: Request | undefined): Request {
    const request: Request = { ...(before ?? BLANK), ...after };
    const { letters } = this.standing;
    for (let index = 0; index < request.letters.length; index += 1) {
      const becomes = request.letters[index] as Letter | typeof NOBODY;
      if (becomes === NOBODY) continue;
      const place = request.from + index;
      if (this.#singles) this.#moved.add(place);
      const was = letters[place];
      if (was === undefined || was === becomes) continue;
      const isBooked = request.is === 'over' && was === 'q' && this.#isBooked(place, becomes);
      this.#moves.add(place, was, becomes, isBooked);
    }
    applyRequest(this.standing, request);
    if (request.number !== UNNUMBERED) this.requests.set(request.number, request);
    return request;
  }

  /** A retry opens people again and takes nothing out of the book: who was not sent to since stands there yet. */
  #isBooked(place: number, becomes: Letter): boolean {
    const { retry, reopened } = this.record.fields;
    const by = this.standing.opened[place];
    // Earlier versions did not say which request the retry has opened.
    return retry !== undefined && by === Number(reopened ?? by) && becomes === this.standing.before[place];
  }

  /** Asks until there is an answer, or the lease is nearly over: then another attempt finds what was written. */
  async #untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
    const { clock, policy } = this.#context;
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (isUnreadable(error) || clock.monotonic() + AGAIN_MS >= this.leasedSince.mono + policy.leaseMs)
          throw error;
      }
      await clock.sleep(AGAIN_MS);
    }
  }
}
