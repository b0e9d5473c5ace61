/** A request during its send: the SMS of its recipients, the skipped recipients, and the result. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { Posts } from '../../kinds/day-totals.ts';
import { type Wording, wordingOf } from '../../lib/wording.ts';
import type { CampaignContent, ChildRequest, Letter, RequestResult, TakenRequest } from '../../ledger/sms-rows.ts';
import type { Texting } from './answers.ts';
import { Totals, countedBefore } from './totals.ts';

/** Campaigns whose compiled text is cached. */
const REMEMBERED = 200;

export class Wordings {
  readonly #known = new Map<string, Wording>();

  of({ number, version, body, options }: CampaignContent): Wording {
    const name = `${number}.${version}`;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const wording = wordingOf({ text: body, replaceCostly: options['replaceCostly'] === 1 });
    this.#known.set(name, wording);
    for (const one of this.#known.keys()) {
      if (this.#known.size <= REMEMBERED) break;
      this.#known.delete(one);
    }
    return wording;
  }
}

/** Numbers of one country mostly share a prefix, and parsing a number is slow. */
const PREFIX = 6;
const COUNTRIES_MOST = 5_000;

export class Countries {
  readonly #known = new Map<string, string>();

  /** '' if the number has no country. */
  of(to: string): string {
    const prefix = to.slice(0, PREFIX);
    const known = this.#known.get(prefix);
    if (known !== undefined) return known;
    const country = parsePhoneNumberFromString(to)?.country ?? '';
    if (this.#known.size < COUNTRIES_MOST && !to.startsWith('+1')) this.#known.set(prefix, country);
    return country;
  }
}

interface Sms extends Texting {
  /** Position in the request. */
  readonly at: number;
}

export interface OutgoingTools {
  readonly wording: Wording;
  readonly countries: Countries;
  /** XOF per segment, by country. */
  readonly prices?: Readonly<Record<string, number>> | undefined;
}

export class Outgoing {
  readonly request: TakenRequest;
  readonly content: CampaignContent;
  /** The recipients of the request. */
  #sms: readonly Sms[];
  /** Letters of skipped recipients, by position. */
  readonly #out = new Map<number, Letter>();
  /** Recipients that move to another request. */
  #deferred: readonly Sms[] = [];
  readonly #countries: readonly string[];
  readonly #prices: Readonly<Record<string, number>> | undefined;

  constructor(request: TakenRequest, content: CampaignContent, { wording, countries, prices }: OutgoingTools) {
    this.request = request;
    this.content = content;
    this.#prices = prices;
    const { from } = content.options;
    const sender = from === undefined ? {} : { from: String(from) };
    const sms: Sms[] = [];
    for (const [at, { to, values }] of request.recipients.entries()) {
      if (to === undefined) this.#leaveOut(at);
      else sms.push({ at, to, text: wording.textOf(values), ...sender });
    }
    this.#sms = sms;
    const all = request.recipients.map(({ to }) => (to === undefined ? '' : countries.of(to)));
    this.#countries = new Set(all).size === 1 ? all.slice(0, 1) : all;
  }

  get sms(): readonly Texting[] {
    return this.#sms;
  }

  /** By index among the recipients of the request. */
  leaveOut(out: readonly boolean[]): void {
    for (const [index, { at }] of this.#sms.entries()) if (out[index]) this.#leaveOut(at);
    this.#sms = this.#sms.filter((_, index) => !out[index]);
  }

  /** Only the first ones go now. */
  deferFrom(count: number): void {
    this.#deferred = this.#sms.slice(count);
    this.#sms = this.#sms.slice(0, count);
  }

  /** Nothing of it left. */
  withdrawn(): RequestResult {
    return { ...this.#key(), state: 'queued' };
  }

  /** Letters and codes of the recipients, or one for all. */
  settled(
    state: 'settled' | 'unknown',
    letters: readonly Letter[],
    more: Pick<RequestResult, 'codes' | 'dueMs' | 'otherSender'> = {},
  ): RequestResult {
    const all = this.#all(letters);
    const codes = more.codes === undefined || more.codes.length <= 1 ? more.codes : this.#codes(more.codes);
    const children = this.#children([]);
    // A request in doubt may not be a parent: it is settled only after the doubt is resolved.
    const totals = this.#totals(all);
    return { ...this.#key(), ...more, codes, state, letters: all, countries: this.#countries, children, totals };
  }

  /** Refused before any work because of one recipient, which the statistics may name. */
  refused(code: string, dueMs: number): RequestResult {
    return { ...this.#key(), state: 'refused', codes: [code], dueMs };
  }

  /** A part of a refused request: its recipients go in smaller parts. */
  split(code: string): RequestResult {
    const members = this.#sms.map(({ at }) => this.#number(at));
    const parts = partsOf(members).map((part): ChildRequest => ({ members: part, part: true }));
    return {
      ...this.#key(),
      state: 'settled',
      letters: this.#all(this.#sms.map(() => '-' as const)),
      codes: [code],
      countries: this.#countries,
      children: this.#children(parts),
    };
  }

  #leaveOut(at: number): void {
    // A recipient who may already have the SMS is not reported as skipped.
    this.#out.set(at, this.request.before === 'u' ? 'u' : 'x');
  }

  #key() {
    const { campaign, n, lease, recipients } = this.request;
    return { campaign, n, lease, size: recipients.length };
  }

  #number(at: number): number {
    return this.request.recipients[at]?.n ?? 0;
  }

  #children(parts: readonly ChildRequest[]): readonly ChildRequest[] | undefined {
    const deferred = this.#deferred.map(({ at }) => this.#number(at));
    const all = deferred.length > 0 ? [...parts, { members: deferred, part: this.request.part }] : parts;
    return all.length > 0 ? all : undefined;
  }

  #all(letters: readonly Letter[]): string {
    const all = this.request.recipients.map((_, at): Letter => this.#out.get(at) ?? '-');
    for (const [index, { at }] of this.#sms.entries()) {
      const letter = letters[index] ?? 'u';
      // A recipient who may already have the SMS is not reported as failed.
      all[at] = letter === 'f' && this.request.before === 'u' ? 'u' : letter;
    }
    return all.join('');
  }

  #totals(letters: string): Posts {
    const totals = new Totals(this.content.account, this.#prices);
    for (const { at, text } of this.#sms) {
      const country = this.#countries[this.#countries.length === 1 ? 0 : at] ?? '';
      const letter = letters[at] as Letter;
      totals.add({ country, text }, countedBefore(this.request, letter), letter);
    }
    return totals.posts;
  }

  #codes(codes: readonly string[]): readonly string[] {
    const all = this.request.recipients.map(() => '');
    for (const [index, { at }] of this.#sms.entries()) all[at] = codes[index] ?? '';
    return all;
  }
}

/** Below this number, one request per recipient costs less than halves. */
const ALONE_UNDER = 8;

/** The parts in which recipients of a refused request are sent again. */
export function partsOf<T>(members: readonly T[]): readonly (readonly T[])[] {
  if (members.length < ALONE_UNDER) return members.map((one) => [one]);
  const middle = Math.ceil(members.length / 2);
  return [members.slice(0, middle), members.slice(middle)];
}
