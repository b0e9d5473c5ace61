import { expect, test } from 'vitest';
import { seededRandom } from '../../src/lib/random.ts';
import { cheaperText, costlyIn, countSegments } from '../../src/lib/segments.ts';
import { wordingOf } from '../../src/lib/wording.ts';

const random = seededRandom(20_261_123);
const pick = (items: readonly string[]): string => items[Math.floor(random.fraction() * items.length)] ?? '';

/** One character, two septets, two code units, or only a part of a visible character. */
const SOME = ['a', 'é', '€', 'ê', '’', '😀', '日', 'e\u0301', '\u0301', '\ud83d', '\ude00', '\u200d', '\t', '12345 '];
const LONG = ['', 'x'.repeat(60), 'x'.repeat(150), '^'.repeat(79), '’'.repeat(66), '😀'.repeat(33)];

function someText(): string {
  let text = pick(LONG);
  for (let left = Math.floor(random.fraction() * 6); left > 0; left -= 1) text += pick(SOME);
  return text;
}

test.each([false, true])('a text measures the same from its pieces as whole (look-alikes: %s)', (replaceCostly) => {
  for (let round = 0; round < 2_000; round += 1) {
    const wording = wordingOf({
      text: `${someText()}{{a}}${someText()}{{b|${pick(SOME)}x}}${someText()}`,
      replaceCostly,
    });
    const vars = { a: someText(), b: random.fraction() < 0.3 ? '' : someText() };
    const { count, costly, saved, characters, text } = wording.measure(vars);
    const whole = wording.textFor(vars);
    const told = JSON.stringify(whole);
    expect(text(), told).toBe(whole);
    expect(characters, told).toBe(whole.length);
    expect(count, told).toEqual(countSegments(whole));
    expect([...costly], told).toEqual([...costlyIn(whole)]);
    expect(saved, told).toBe(count.segments - countSegments(cheaperText(whole)).segments);
  }
});

test('a text without a variable is measured unchanged', () => {
  const { count, characters, text } = wordingOf({ text: 'Bonjour à tous' }).measure({});
  expect({ count, characters, text: text() }).toEqual({
    count: { encoding: 'GSM-7', units: 14, segments: 1 },
    characters: 14,
    text: 'Bonjour à tous',
  });
});
