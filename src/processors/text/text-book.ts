/** What becomes of the texts of a slice, as the book of the day counts it: by country, with their segments and costs. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { Prices } from '../../files/prices.ts';
import type { RecipientState } from '../../kinds/recipient.ts';
import { countSegments } from '../../lib/wording.ts';
import { type Posts, addText, isTextState } from '../../operations/book.ts';
import type { Texts } from './texts.ts';

interface Of {
  readonly account: string;
  readonly texts: Texts;
  /** By position; none where nobody has looked. */
  readonly countries: readonly string[];
  readonly prices: Prices | undefined;
}

export class TextBook {
  readonly #of: Of;
  #posts: Record<string, number> = {};

  constructor(of: Of) {
    this.#of = of;
  }

  moved(place: number, from: RecipientState, to: RecipientState): void {
    if (!isTextState(from) && !isTextState(to)) return;
    const { account, texts, countries, prices } = this.#of;
    const { to: phone, text } = texts.at(place);
    const country = countries[place] || (parsePhoneNumberFromString(phone)?.country ?? '');
    const { segments } = countSegments(text);
    const price = prices?.[country];
    const cost = price === undefined ? undefined : segments * Math.round(price * 100);
    addText(this.#posts, { account, country, segments, cost }, from, to);
  }

  /** What moved since the last step. */
  take(): Posts {
    const posts = this.#posts;
    this.#posts = {};
    return posts;
  }
}
