/** What becomes of texts, as the book of the day counts it: many that are alike are one line, and none is lost. */
import { expect, test } from 'vitest';
import type { RecipientState } from '../../src/kinds/recipient.ts';
import { seededRandom } from '../../src/lib/random.ts';
import { addText } from '../../src/operations/book.ts';
import { type Texts, TextBook } from '../../src/processors/text/texts.ts';
import { countSegments } from '../../src/lib/wording.ts';

const TEXTS = ['Bonjour Awa', 'Bonjour Moussa', 'é'.repeat(161), 'ê'.repeat(71), '😀'.repeat(40)];
const COUNTRIES = ['SN', 'CI', ''];
const PHONES: Readonly<Record<string, string>> = { SN: '+221771234567', CI: '+2250701020304', '': '+22997010203' };
const STATES: readonly RecipientState[] = ['queued', 'sending', 'sent', 'failed', 'unknown', 'expired', 'cancelled'];
const prices = { SN: 12.34, CI: 9 };

const countryOf = (place: number): string => COUNTRIES[place % COUNTRIES.length] ?? '';
const texts: Texts = {
  to: (place) => PHONES[countryOf(place)] ?? '',
  at: (place) => ({ to: PHONES[countryOf(place)] ?? '', text: TEXTS[place % TEXTS.length] ?? '' }),
};

test('what is written down together is what each would have been written down as', () => {
  const random = seededRandom(7);
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random.fraction() * of.length)]!;
  const countries = Array.from({ length: 60 }, (_, place) => countryOf(place) || 'BJ');
  const book = new TextBook({ account: 'main', texts, countries, prices });
  const oneByOne: Record<string, number> = {};
  for (let n = 0; n < 2_000; n += 1) {
    const [place, from, to] = [Math.floor(random.fraction() * 60), pick(STATES), pick(STATES)];
    const country = countries[place] ?? '';
    const { segments } = countSegments(texts.at(place).text);
    const price = new Map(Object.entries(prices)).get(country);
    const cost = price === undefined ? undefined : segments * Math.round(price * 100);
    book.moved(place, from, to);
    addText(oneByOne, { account: 'main', country, segments, cost }, { from, to, times: 1 });
  }
  const told = book.take();
  expect(nothingLess(told)).toEqual(nothingLess(oneByOne));
  expect(Object.keys(told).length).toBeGreaterThan(10);
  expect(book.take()).toEqual({});
});

/** Moves that cancel each other out leave a nothing behind, or leave nothing behind. */
const nothingLess = (posts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(posts).filter(([, sum]) => sum !== 0));
