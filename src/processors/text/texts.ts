/** The recipients of a slice as they are sent to: rendered from the campaign's text, or as each message says. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { Prices } from '../../files/prices.ts';
import type { RecipientState } from '../../kinds/recipient.ts';
import { countSegments } from '../../lib/segments.ts';
import { wordingOf } from '../../lib/wording.ts';
import { type Posts, addText, isTextState } from '../../operations/book.ts';
import type { BudgetsContract } from '../../operations/budgets.ts';
import {
  type Letter,
  type MessageItem,
  type SliceCampaign,
  PURGED,
  isPurged,
  messageIn,
  recipientStateOf,
  unpackItem,
} from '../../operations/slice-form.ts';
import type { SliceRecord, BudgetPeriod, SliceStep } from '../../operations/slices.ts';

interface Text {
  readonly to: string;
  readonly text: string;
  readonly from?: string | undefined;
  /** The message that it is, where it is not of a campaign. */
  readonly message?: MessageItem;
}

/** By position. */
export interface Texts {
  to(place: number): string;
  /** Made when it is asked for, and kept until it is over: it is sent, and counted by what it said. */
  at(place: number): Text;
  over(place: number): void;
  /** Those of them whose person was forgotten: they have no number to send to. */
  purgedAmong(places: readonly number[]): number[];
}

export function textsOf(record: SliceRecord, campaign: SliceCampaign | undefined): Texts {
  // A thousand recipients taken apart at once would outlive the requests that need fifty of them.
  const lines = record.items.split('\n');
  const itemAt = (place: number): ReturnType<typeof unpackItem> => {
    const line = lines[place];
    if (line === undefined) throw new Error(`nobody at ${place} of ${record.id}`);
    return unpackItem(line);
  };
  const wording = campaign && wordingOf(campaign);
  const make = (place: number): Text => {
    const item = itemAt(place);
    if (wording === undefined) return single(messageIn(item));
    return { to: item.to, text: wording.textOf(item.values), from: campaign?.from };
  };
  const made = new Map<number, Text>();
  return {
    to: (place) => made.get(place)?.to ?? itemAt(place).to,
    at: (place) => {
      const known = made.get(place);
      if (known) return known;
      const text = make(place);
      made.set(place, text);
      return text;
    },
    over: (place) => void made.delete(place),
    purgedAmong: (places) =>
      record.items.includes(PURGED) ? places.filter((place) => isPurged(itemAt(place).to)) : [],
  };
}

function single(message: MessageItem): Text {
  const { to, text, from } = message;
  return { to, text, from: from || undefined, message };
}

/** What the texts of a slice cost, and what an attempt at it is counted for and gives back. */

/** What a request was counted for. */
interface Counted extends BudgetPeriod {
  readonly cost: number;
}

/** Of a process that counts nothing. */
const NO_PERIOD: BudgetPeriod = { day: '', month: '' };

/** All in hundredths of XOF. */
export class Costs {
  readonly #texts: Texts;
  readonly #budgets: BudgetsContract | undefined;
  /** Of requests that this attempt has let leave. */
  readonly #counted = new Map<number, Counted>();
  #givenBack: Counted[] = [];
  /** For texts that may have left. */
  #charged = 0;

  constructor(texts: Texts, budgets: BudgetsContract | undefined) {
    this.#texts = texts;
    this.#budgets = budgets;
  }

  /** Of a request, where a step may ask for it. */
  of(places: readonly number[]): { readonly cost?: number } {
    return this.#budgets?.reckons ? { cost: places.reduce((sum, place) => sum + this.#at(place), 0) } : {};
  }

  /** For how many of them, from the first on, this is enough. */
  enoughFor(places: readonly number[], spare: number): number {
    let left = spare;
    const end = places.findIndex((place) => (left -= this.#at(place)) < 0);
    return end < 0 ? places.length : end;
  }

  /** They may have got it: it counts, whatever was counted before. */
  charge(places: readonly number[]): void {
    for (const place of places) this.#charged += this.#at(place);
  }

  left(number: number, { leaving, period }: Pick<SliceStep, 'leaving' | 'period'>, index: number): void {
    const { cost } = leaving[index] ?? {};
    if (cost !== undefined) this.#counted.set(number, { cost, ...period });
  }

  /** Of this request nothing was sent: what it was counted for is left for others. */
  giveBack(number: number): void {
    const counted = this.#counted.get(number);
    if (this.#counted.delete(number) && counted) this.#givenBack.push(counted);
  }

  /** For the next step. What was counted in a day that is over stays counted there. */
  take(at: number): Pick<SliceStep, 'period' | 'charged'> {
    const period = this.#budgets?.periodOf(at) ?? NO_PERIOD;
    const back = this.#givenBack.filter(({ day }) => day === period.day);
    const charged = this.#charged - back.reduce((sum, { cost }) => sum + cost, 0);
    this.#givenBack = [];
    this.#charged = 0;
    return { period, charged };
  }

  /** 0 where nobody knows a price. */
  #at(place: number): number {
    const { to, text } = this.#texts.at(place);
    return this.#budgets?.costOf(to, text) ?? 0;
  }
}

/** What becomes of the recipients of a slice, as the bins of its campaign and the book of the day count it. */

interface Of {
  readonly account: string;
  readonly texts: Texts;
  /** By position; none where nobody has looked. */
  readonly countries: readonly string[];
  readonly prices: Prices | undefined;
}

/** Recipients that moved alike: most of a request do, and are counted as one. */
interface Alike {
  readonly was: Letter;
  readonly becomes: Letter;
  /** As the upload has it; '' where nobody has looked. */
  readonly country: string;
  /** As the number has it where the upload says nothing. Empty for texts that are not in the book. */
  readonly sentTo: string;
  readonly segments: number;
  /** The book has it so already. */
  readonly isBooked: boolean;
  times: number;
}

/** The states that are counted by country too. */
const COUNTED_BY_COUNTRY: ReadonlySet<RecipientState> = new Set(['sent', 'failed', 'unknown']);

export class Moves {
  readonly #of: Of;
  readonly #alike = new Map<string, Alike>();
  #last: Alike | undefined;

  constructor(of: Of) {
    this.#of = of;
  }

  add(place: number, was: Letter, becomes: Letter, isBooked = false): void {
    const { texts, countries } = this.#of;
    const country = countries[place] ?? '';
    const isTold = isTextState(recipientStateOf[was]) || isTextState(recipientStateOf[becomes]);
    const segments = isTold ? countSegments(texts.at(place).text).segments : 0;
    const last = this.#last;
    if (
      last?.was === was &&
      last.becomes === becomes &&
      last.segments === segments &&
      last.country === country &&
      last.isBooked === isBooked &&
      country !== ''
    )
      last.times += 1;
    else
      this.#find({
        was,
        becomes,
        country,
        sentTo: isTold ? this.#sentTo(place) : '',
        segments,
        isBooked,
        times: 0,
      }).times += 1;
    // What waits or is on its way is still sent; of the others nobody asks again.
    if (becomes !== 'q' && becomes !== 'g') texts.over(place);
  }

  #find(move: Alike): Alike {
    const { was, becomes, country, sentTo, segments, isBooked } = move;
    const name = `${was} ${becomes} ${country} ${sentTo} ${segments} ${isBooked}`;
    const alike = this.#alike.get(name) ?? move;
    this.#alike.set(name, alike);
    this.#last = alike;
    return alike;
  }

  #sentTo(place: number): string {
    const { texts, countries } = this.#of;
    return countries[place] || (parsePhoneNumberFromString(texts.at(place).to)?.country ?? '');
  }

  /** What moved since the last step: `bins` by field of the campaign. */
  take(): { readonly bins: Readonly<Record<string, number>>; readonly posts: Posts } {
    const { account, prices } = this.#of;
    const bins: Record<string, number> = {};
    const posts: Record<string, number> = {};
    const add = (bin: string, delta: number): void => void (bins[bin] = (bins[bin] ?? 0) + delta);
    for (const { was, becomes, country, sentTo, segments, isBooked, times } of this.#alike.values()) {
      const [from, to] = [recipientStateOf[was], recipientStateOf[becomes]];
      for (const [state, delta] of [[from, -times] as const, [to, times] as const]) {
        add(`t:${state}`, delta);
        if (country && COUNTED_BY_COUNTRY.has(state)) add(`c:${country}:${state}`, delta);
      }
      if (isBooked) continue;
      const price = prices?.[sentTo];
      const cost = price === undefined ? undefined : segments * Math.round(price * 100);
      addText(posts, { account, country: sentTo, segments, cost }, { from, to, times });
    }
    this.#alike.clear();
    this.#last = undefined;
    return { bins, posts };
  }
}
