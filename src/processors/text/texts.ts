/** The recipients of a slice as they are sent to: rendered from the campaign's text, or as each message says. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { Prices } from '../../files/prices.ts';
import type { RecipientState } from '../../kinds/recipient.ts';
import { wordingOf, countSegments } from '../../lib/wording.ts';
import { type Posts, type TextCounted, addText, isTextState } from '../../operations/book.ts';
import type { BudgetsContract } from '../../operations/budgets.ts';
import { type MessageItem, messageIn, unpackItems, type SliceCampaign } from '../../operations/slice-form.ts';
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
  /** Made when it is asked for. */
  at(place: number): Text;
}

export function textsOf(record: SliceRecord, campaign: SliceCampaign | undefined): Texts {
  const items = unpackItems(record);
  const itemAt = (place: number): (typeof items)[number] => {
    const item = items[place];
    if (item === undefined) throw new Error(`nobody at ${place} of ${record.id}`);
    return item;
  };
  const to = (place: number): string => itemAt(place).to;
  if (campaign === undefined) return { to, at: (place) => single(messageIn(itemAt(place))) };
  const wording = wordingOf(campaign);
  const { from } = campaign;
  return { to, at: (place) => ({ to: to(place), text: wording.textOf(itemAt(place).values), from }) };
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

/** What becomes of the texts of a slice, as the book of the day counts it: by country, with their segments and costs. */

interface Of {
  readonly account: string;
  readonly texts: Texts;
  /** By position; none where nobody has looked. */
  readonly countries: readonly string[];
  readonly prices: Prices | undefined;
}

/** Texts that moved alike: most of a request do, and are written down as one. */
interface Alike {
  readonly text: TextCounted;
  readonly from: RecipientState;
  readonly to: RecipientState;
  times: number;
}

export class TextBook {
  readonly #of: Of;
  readonly #alike = new Map<string, Alike>();
  /** People of one name get the same text, and it is asked about when it leaves and when it is over. */
  readonly #segments = new Map<string, number>();

  constructor(of: Of) {
    this.#of = of;
  }

  moved(place: number, from: RecipientState, to: RecipientState): void {
    if (!isTextState(from) && !isTextState(to)) return;
    const { account, texts, countries, prices } = this.#of;
    const { to: phone, text } = texts.at(place);
    const country = countries[place] || (parsePhoneNumberFromString(phone)?.country ?? '');
    const segments = this.#segmentsOf(text);
    const name = `${from} ${to} ${country} ${segments}`;
    const alike = this.#alike.get(name);
    if (alike) {
      alike.times += 1;
      return;
    }
    const price = prices?.[country];
    const cost = price === undefined ? undefined : segments * Math.round(price * 100);
    this.#alike.set(name, { text: { account, country, segments, cost }, from, to, times: 1 });
  }

  #segmentsOf(text: string): number {
    const known = this.#segments.get(text);
    if (known !== undefined) return known;
    const { segments } = countSegments(text);
    this.#segments.set(text, segments);
    return segments;
  }

  /** What moved since the last step. */
  take(): Posts {
    const posts: Record<string, number> = {};
    for (const { text, from, to, times } of this.#alike.values()) addText(posts, text, { from, to, times });
    this.#alike.clear();
    return posts;
  }
}
