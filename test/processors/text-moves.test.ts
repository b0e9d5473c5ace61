/** What becomes of recipients, as bins and the book of the day count it: many that are alike are one, none is lost. */
import { expect, test } from 'vitest';
import { outcomeLetters } from '../../src/kinds/recipient.ts';
import { seededRandom } from '../../src/lib/random.ts';
import { addText } from '../../src/operations/book.ts';
import { recipientStateOf } from '../../src/operations/slice-form.ts';
import { Moves, type Texts } from '../../src/processors/text/texts.ts';
import { countSegments } from '../../src/lib/segments.ts';

const TEXTS = ['Bonjour Awa', 'Bonjour Moussa', 'é'.repeat(161), 'ê'.repeat(71), '😀'.repeat(40)];
const COUNTRIES = ['SN', 'CI', ''];
const PHONES: Readonly<Record<string, string>> = { SN: '+221771234567', CI: '+2250701020304', '': '+22997010203' };
const LETTERS = Object.values(outcomeLetters);
const prices = { SN: 12.34, CI: 9 };

const countryOf = (place: number): string => COUNTRIES[place % COUNTRIES.length] ?? '';
const texts: Texts = {
  to: (place) => PHONES[countryOf(place)] ?? '',
  at: (place) => ({ to: PHONES[countryOf(place)] ?? '', text: TEXTS[place % TEXTS.length] ?? '' }),
  over: () => undefined,
  purgedAmong: () => [],
};

test('what is written down together is what each would have been written down as', () => {
  const random = seededRandom(7);
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random.fraction() * of.length)]!;
  const countries = Array.from({ length: 60 }, (_, place) => countryOf(place));
  const moves = new Moves({ account: 'main', texts, countries, prices });
  const posts: Record<string, number> = {};
  const bins: Record<string, number> = {};
  const count = (bin: string, delta: number): void => void (bins[bin] = (bins[bin] ?? 0) + delta);
  for (let n = 0; n < 2_000; n += 1) {
    const [place, was, becomes] = [Math.floor(random.fraction() * 60), pick(LETTERS), pick(LETTERS)];
    const [from, to] = [recipientStateOf[was], recipientStateOf[becomes]];
    const country = countries[place] || 'BJ';
    const { segments } = countSegments(texts.at(place).text);
    const price = new Map(Object.entries(prices)).get(country);
    const cost = price === undefined ? undefined : segments * Math.round(price * 100);
    moves.add(place, was, becomes);
    addText(posts, { account: 'main', country, segments, cost }, { from, to, times: 1 });
    for (const [state, delta] of [[from, -1] as const, [to, 1] as const]) {
      count(`t:${state}`, delta);
      // What the upload does not say is in the book, and in no bin of a country.
      if (countries[place] && ['sent', 'failed', 'unknown'].includes(state))
        count(`c:${countries[place]}:${state}`, delta);
    }
  }
  const told = moves.take();
  expect(nothingLess(told.posts)).toEqual(nothingLess(posts));
  expect(nothingLess(told.bins)).toEqual(nothingLess(bins));
  expect(Object.keys(told.posts).length).toBeGreaterThan(10);
  expect(Object.keys(told.bins).length).toBeGreaterThan(10);
  expect(moves.take()).toEqual({ bins: {}, posts: {} });
});

test('neighbours of one country and length are one, whatever they are called', () => {
  const moves = new Moves({ account: 'main', texts, countries: ['SN', 'CI', 'SN', 'SN'], prices: undefined });
  for (const place of [0, 1, 2, 3]) moves.add(place, 'g', 's');
  expect(moves.take().bins).toMatchObject({ 't:sending': -4, 't:sent': 4, 'c:SN:sent': 3, 'c:CI:sent': 1 });
});

/** Moves that cancel each other out leave a nothing behind, or leave nothing behind. */
const nothingLess = (posts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(posts).filter(([, sum]) => sum !== 0));
