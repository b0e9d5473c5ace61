/**
 * Looks at the requests of a slice that may have left: asks upstream's statistics for each recipient in doubt.
 *
 * Found with the same text, and nobody else of the account is counted for it: sent. Not found says little, since
 * statistics lag: after the second look in vain the recipient stays `unknown`, is reported as such, and is sent to again
 * only where `onUnknown: resend` asks for it. A number that is missing in them says nothing, so nobody is sent to on the
 * strength of that. Nor is anybody of a copy of Redis that was put back: it does not know what was sent since.
 *
 * A request that was refused for the sake of one recipient is looked at too, before its people go out again: statistics
 * may name who it was refused for, and a recipient that was sent to all the same must not be sent to again.
 */
import { digitsOf } from '../../lib/phone.ts';
import { toMs } from '../../lib/clock.ts';
import { canonicalName } from '../../lib/wording.ts';
import { type Letter, NOBODY, type Request, placesOf } from '../../operations/slice-form.ts';
import { statusPoll } from '../../queues/index.ts';
import type { UpstreamAccount } from '../../upstream/client.ts';
import type { Statistics } from '../../upstream/messaging/messaging.ts';
import type { AttemptResult, ProcessorContext } from '../context.ts';
import type { Committed } from './step.ts';
import { HeldSlice, holdSlice } from './held-slice.ts';
import { partsOf } from './request.ts';

const RETRY_MS = statusPoll.retryAfter.map(toMs);
const LOOKS = 2;
/** With the first time: how often anybody is sent to under `onUnknown: resend`. */
const SENDS = 3;

export async function lookAtSlice(id: string, context: ProcessorContext): Promise<AttemptResult> {
  const held = await holdSlice(id, 'status-poll', context);
  if (!(held instanceof HeldSlice)) return held;
  const interrupted = held.doubtInterrupted();
  return new Looking(held, interrupted ? 'interrupted' : 'looked', context).run();
}

/** One of those who are in doubt, with what statistics say. */
interface Told {
  readonly place: number;
  readonly says: 'sent' | 'unclear' | 'not sent' | 'invalid' | 'nothing';
  readonly code: string;
}

/** One attempt at finding out what became of those in doubt. */
class Looking {
  readonly #held: HeldSlice;
  readonly #context: ProcessorContext;
  readonly #untilMono: number;
  #reason: string;
  /** Somebody waits to go out again since this look. */
  #opened = false;

  constructor(held: HeldSlice, reason: string, context: ProcessorContext) {
    this.#held = held;
    this.#reason = reason;
    this.#context = context;
    this.#untilMono = context.clock.monotonic() + context.policy.leaseMs / 4;
  }

  async run(): Promise<AttemptResult> {
    const account = this.#context.account(this.#held.record.account);
    const lost = account && (await this.#lookAtAll(account.upstream));
    if (lost) return { outcome: 'lost', reason: lost.reason };
    if (!account) this.#putOff(this.#due(), this.#context.policy.holdRecheckMs, 'account_not_configured');
    const { record, requests } = this.#held;
    // Those that waited before are due as before; those that wait since this look are due now, or since one that did not come to its end.
    const isNew = this.#opened || record.state === 'unknown';
    const committed = await this.#held.commit({ ending: { sendInMs: isNew ? 0 : 'as it is' } });
    if (committed.is === 'lost') return { outcome: 'lost', reason: committed.reason };
    if (isNew && this.#held.waiting.length > 0) this.#context.wake(this.#held.queue, record.id, committed.rev);
    if ([...requests.values()].some(isOpen)) return { outcome: 'unknown', reason: this.#reason };
    return { outcome: this.#held.waiting.length > 0 ? 'advanced' : 'ended', reason: this.#reason };
  }

  /** What was found is written down before the next is asked about. From one that is lost nothing goes on. */
  async #lookAtAll(account: UpstreamAccount): Promise<Extract<Committed, { is: 'lost' }> | undefined> {
    for (const request of this.#due()) {
      if (this.#context.clock.monotonic() >= this.#untilMono) return undefined;
      if (!(await this.#look(request, account))) return undefined;
      const committed = this.#held.pending ? await this.#held.commit({}) : undefined;
      if (committed?.is === 'lost') return committed;
    }
    return undefined;
  }

  #due(): Request[] {
    const { at } = this.#held;
    return [...this.#held.requests.values()].filter((request) => isOpen(request) && request.dueAt <= at);
  }

  #putOff(requests: readonly Request[], waitMs: number, reason: string): false {
    this.#reason = reason;
    const dueAt = this.#held.at + waitMs;
    for (const { number, codes } of requests) this.#held.change(number, { codes, dueAt });
    return false;
  }

  /** False: none can be looked at now. */
  async #look(request: Request, account: UpstreamAccount): Promise<boolean> {
    const { upstream } = this.#context;
    const admission = await upstream.admit(account, 'messaging', 'look');
    if (!admission.admitted) return this.#putOff([request], admission.retryAfterMs, 'rate');
    const wanted: Letter = request.is === 'refused' ? 'g' : 'u';
    const places = placesOf(request).filter((place) => request.letters[place - request.from] === wanted);
    const { at } = this.#held;
    const verdict = await upstream.messaging.statistics(account, {
      numbers: places.map((place) => this.#held.texts.to(place)),
      ...periodOf(this.#firstSentAt(places), at),
    });
    if (verdict.is !== 'ok') {
      if (!this.#isLate(request)) {
        const reason = verdict.is === 'held' ? verdict.condition : verdict.code;
        return this.#putOff([request], this.#retryMs(request), reason);
      }
      this.#giveUp(request);
      return true;
    }
    const told = await this.#toldBy(verdict.value, places);
    if (request.is === 'refused') this.#refused(request, told);
    else this.#doubted(request, told);
    return true;
  }

  /** Statistics may know of any of the times. */
  #firstSentAt(places: readonly number[]): number {
    const asked = new Set(places);
    const sent = [...this.#held.requests.values()].filter((request) =>
      placesOf(request).some((one) => asked.has(one)),
    );
    return Math.min(...sent.map((request) => request.at));
  }

  /** Nothing is waited for any more. */
  #isLate({ at }: Request): boolean {
    // What stood in a copy may be as old as that: it is asked about for as long as anything else.
    return this.#held.at - Math.max(at, this.#held.record.restoredAt) >= this.#context.policy.limitMs;
  }

  /** The longer it has been in doubt, the longer the wait. */
  #retryMs({ at }: Request): number {
    const quarter = (this.#held.at - at) / 4;
    return RETRY_MS.findLast((waitMs) => waitMs <= quarter) ?? RETRY_MS[0] ?? 0;
  }

  async #toldBy({ sent, invalid, unclear }: Statistics, places: readonly number[]): Promise<Told[]> {
    const isInvalid = new Set(invalid);
    const told = places.map((place) => {
      const { to, text } = this.#held.texts.at(place);
      const digits = digitsOf(to);
      const entries = sent.get(digits);
      const codes = (entries ?? []).filter(({ content }) => content === text).map(({ code }) => code);
      const says = (): Told['says'] => {
        if (codes.length > 0) return 'sent';
        if (unclear?.get(digits)?.includes(text)) return 'unclear';
        // Written otherwise it proves nothing, and nobody is sent to again on the strength of it.
        if (entries?.some(({ content }) => canonicalName(content) === canonicalName(text))) return 'unclear';
        if (isInvalid.has(digits)) return 'invalid';
        return entries ? 'not sent' : 'nothing';
      };
      return { place, says: says(), to, text, codes };
    });
    const found = told.filter(({ says }) => says === 'sent');
    const { account, campaign } = this.#held.record;
    const free = await this.#context.sameTexts.freeCodes({ account, campaign, at: this.#held.at }, found);
    const codeOf = new Map(found.map(({ place }, index) => [place, free[index]]));
    return told.map(({ place, says }) => {
      const code = codeOf.get(place);
      if (says !== 'sent') return { place, says, code: '' };
      return code === undefined ? { place, says: 'unclear', code: '' } : { place, says, code };
    });
  }

  #doubted(request: Request, told: readonly Told[]): void {
    const { policy } = this.#context;
    const looks = request.looks + 1;
    const open = told.filter(({ says }) => says !== 'sent');
    const again = open.filter(({ place }) => this.#mayResend(place));
    const silent = again.some(({ says }) => says === 'nothing' || says === 'unclear') && !this.#isLate(request);
    const letters = this.#lettersAfter(request, told, () => 'u');
    if (open.length > 0 && (looks < LOOKS || silent)) {
      this.#reason = looks < LOOKS ? 'not_seen_yet' : 'statistics_silent';
      const waitMs = looks < LOOKS ? policy.settleDelayMs : this.#retryMs(request);
      return this.#held.change(request.number, { ...letters, is: 'doubt', looks, dueAt: this.#held.at + waitMs });
    }
    this.#held.change(request.number, { ...letters, is: 'over', looks });
    const resent = again.filter(({ says }) => says === 'not sent' || says === 'invalid').map(({ place }) => place);
    if (resent.length === 0) return;
    this.#open(resent, false);
    this.#held.count('resent', resent.length);
    this.#reason = 'sent_again';
  }

  #mayResend(place: number): boolean {
    const { record, campaign, standing } = this.#held;
    const goesOn = campaign?.state !== 'cancelled' && campaign?.state !== 'finished';
    const asked = (campaign?.onUnknown ?? this.#context.policy.onUnknown) === 'resend';
    const isLate = this.#held.expiredAmong([place]).length > 0;
    return asked && goesOn && !isLate && record.restoredAt === 0 && (standing.again[place] ?? 0) + 1 < SENDS;
  }

  /** It was refused before any work: those not sent to go out again, without the ones that statistics call invalid. */
  #refused(request: Request, told: readonly Told[]): void {
    const silent = told.some(({ says }) => says === 'nothing');
    if (silent && !this.#isLate(request)) {
      this.#putOff([request], this.#retryMs(request), 'statistics_silent');
      return;
    }
    const mayHaveIt = told.filter(({ says }) => says === 'sent' || says === 'unclear');
    // As it was refused, what it cost was given back.
    this.#held.costs.charge(mayHaveIt.map(({ place }) => place));
    const bad = told.filter(({ says }) => says === 'invalid' || says === 'nothing');
    const unclear = told.filter(({ says }) => says === 'unclear');
    const left = told.filter(({ says }) => says === 'not sent').map(({ place }) => place);
    const named = bad.length + unclear.length;
    const letters = this.#lettersAfter(request, told, ({ says }) => {
      if (says === 'unclear') return 'u';
      return says === 'not sent' ? 'q' : 'f';
    });
    this.#held.change(request.number, { ...letters, is: 'over' });
    // Where the one it was refused for is known, the others are tried together; if that fails, they are halved too.
    for (const part of named > 0 ? [left] : partsOf(left, 0)) this.#open(part, true);
  }

  #open(places: readonly number[], part: boolean): void {
    if (places.length === 0) return;
    this.#held.open(places, { is: 'waiting', part }, () => 'q');
    this.#opened = true;
  }

  /** Statistics could not be had for as long as we ask: what is in doubt stays so, and what was refused stays refused. */
  #giveUp(request: Request): void {
    this.#reason = 'limit';
    const told = placesOf(request).map((place): Told => ({ place, says: 'nothing', code: '' }));
    const become = request.is === 'refused' ? 'f' : 'u';
    this.#held.change(request.number, { ...this.#lettersAfter(request, told, () => become), is: 'over' });
  }

  /** Letters and codes of the request, with what was told of some of them. */
  #lettersAfter(
    request: Request,
    told: readonly Told[],
    otherwise: (told: Told) => Letter,
  ): Pick<Request, 'letters' | 'codes'> {
    const { standing } = this.#held;
    const [refusedAs = ''] = request.is === 'refused' ? request.codes : [];
    const byPlace = new Map(told.map((one) => [one.place, one]));
    const codes: string[] = [];
    const letters = Array.from(request.letters, (was, index) => {
      const place = request.from + index;
      if (was === NOBODY) return was;
      const one = byPlace.get(place);
      const becomes = one === undefined ? was : one.says === 'sent' ? 's' : otherwise(one);
      if (one === undefined) codes.push(standing.codes[place] ?? '');
      else codes.push(becomes === 'f' ? refusedAs : one.code);
      // A recipient that may have got it before is not reported as not sent to.
      return one && becomes === 'f' && (standing.again[place] ?? 0) > 0 ? 'u' : becomes;
    });
    return { letters: letters.join(''), codes };
  }
}

const HOUR_MS = 3_600_000;
/** Clocks of two machines. */
const SKEW_MS = 600_000;
/** The zone of the dates is not told (interface: Resources, SMS records), and zones lie 12 hours west to 14 east. */
const BEHIND_MS = 12 * HOUR_MS + SKEW_MS;
const AHEAD_MS = 14 * HOUR_MS + SKEW_MS;

/** No text that left after `sentAt` (ms) and before `at` falls out of this, in whatever zone the dates are read. */
export function periodOf(sentAt: number, at: number): { readonly startDate: string; readonly endDate: string } {
  return { startDate: serviceDate(sentAt - BEHIND_MS), endDate: serviceDate(at + AHEAD_MS) };
}

/** `YYYY-MM-DD HH:MM:SS` (interface: Resources, SMS records). */
function serviceDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

function isOpen({ is }: Request): boolean {
  return is === 'doubt' || is === 'refused';
}
