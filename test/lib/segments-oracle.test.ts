import { SegmentedMessage } from 'sms-segments-calculator';
import { expect, test } from 'vitest';
import { seededRandom } from '../../src/lib/random.ts';
import { countSegments } from '../../src/lib/segments.ts';
import { DEEP } from '../support/deep.ts';

/** The other counter reads one or two thousand texts a second: a hundred thousand are for `./script/test --deep`. */
const TEXTS = DEEP ? 100_000 : 1_500;
const SEED = Number(process.env['RELAIS_SEED'] ?? 20_261_121);

const BASIC = Array.from('@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./059:;<=>?¡AZÄÖÑÜ§¿azäöñüà');
const EXTENDED = Array.from('\f^{}\\[~]|€');
// Only whole characters: the other counter keeps a letter and its separate accent in one part, which no specification
// requires.
const OUTSIDE = Array.from('êçœ’«»…日й\t');
const PAIRS = ['😀', '🎉', '𝒳'];

const random = seededRandom(SEED);
const pick = <T>(items: readonly T[]): T => items[Math.floor(random.fraction() * items.length)] as T;

/** Frequencies of the alphabets; most texts lack one or two of them, like real ones. */
const MIXES = [
  [1, 0, 0, 0],
  [1, 0.2, 0, 0],
  [0, 1, 0, 0],
  [1, 0.1, 0.02, 0],
  [1, 0, 0.3, 0.1],
  [0, 0, 0, 1],
  [1, 0.2, 0.2, 0.2],
] as const;
/** Limits of parts in septets or code units; half of the texts end within three of such a limit. */
const BORDERS = [160, 153, 306, 459, 70, 67, 134, 201, 1_530, 35, 33];

function randomText(): string {
  const [basic, extended, outside, pairs] = pick(MIXES);
  const length =
    random.fraction() < 0.5
      ? Math.max(1, pick(BORDERS) - 3 + Math.floor(random.fraction() * 7))
      : 1 + Math.floor(random.fraction() * 400);
  let text = '';
  for (let at = 0; at < length; at += 1) {
    const chance = random.fraction() * (basic + extended + outside + pairs);
    if (chance < basic) text += pick(BASIC);
    else if (chance < basic + extended) text += pick(EXTENDED);
    else if (chance < basic + extended + outside) text += pick(OUTSIDE);
    else text += pick(PAIRS);
  }
  return text;
}

test(`the count equals that of sms-segments-calculator on ${TEXTS} random texts (RELAIS_SEED=${SEED})`, {
  timeout: 600_000,
}, () => {
  const seen = { 'GSM-7': 0, 'UCS-2': 0 };
  for (let index = 0; index < TEXTS; index += 1) {
    const text = randomText();
    const { encodingName, segmentsCount } = new SegmentedMessage(text);
    const { encoding, segments } = countSegments(text);
    seen[encoding] += 1;
    if (encoding !== encodingName || segments !== segmentsCount) {
      expect({ text, encoding, segments }).toEqual({ text, encoding: encodingName, segments: segmentsCount });
    }
  }
  expect(Math.min(seen['GSM-7'], seen['UCS-2'])).toBeGreaterThan(TEXTS / 5);
});
