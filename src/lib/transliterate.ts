import { countSegments, septetsOf } from './segments.ts';

/** What people read as the same, for characters whose accent is not all that keeps them out of GSM-7. */
const REPLACEMENTS = {
  '’': "'",
  '‘': "'",
  '‚': ',',
  '`': "'",
  '´': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '«': '"',
  '»': '"',
  '‹': "'",
  '›': "'",
  '–': '-',
  '—': '-',
  '‑': '-',
  '‐': '-',
  '−': '-',
  '…': '...',
  '•': '-',
  '·': '.',
  '×': 'x',
  '°': 'o',
  º: 'o',
  ª: 'a',
  œ: 'oe',
  Œ: 'OE',
  '™': 'TM',
  '©': '(c)',
  '®': '(r)',
  '½': '1/2',
  '¼': '1/4',
  '¾': '3/4',
  ɛ: 'e',
  ɔ: 'o',
  ŋ: 'n',
  Ɛ: 'E',
  Ɔ: 'O',
  Ŋ: 'N',
  ɓ: 'b',
  ɗ: 'd',
  ƴ: 'y',
  ı: 'i',
  '\t': ' ',
  '\u00a0': ' ',
  '\u202f': ' ',
  '\u2009': ' ',
  '\u2007': ' ',
  '\u200b': '',
  '\u200d': '',
  '\ufeff': '',
  '\u00ad': '',
} as const satisfies Record<string, string>;

const known = new Map<string, string | undefined>(Object.entries(REPLACEMENTS));

/**
 * What to write instead of a character that GSM-7 does not have, or undefined when nothing reads the same (an emoji).
 * Empty: leave it out.
 */
export function replacementFor(char: string): string | undefined {
  if (!known.has(char)) known.set(char, withoutAccent(char));
  return known.get(char);
}

/** The characters of a text that force UCS-2, each once. */
export function costlyIn(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const char of text) if (isCostly(char)) found.add(char);
  return found;
}

/**
 * The text with everything replaced that has a cheaper look-alike (`ê` → `e`, `œ` → `oe`, `’` → `'`); the rest stays.
 * Never done unasked: it changes what people read.
 */
export function transliterate(text: string): string {
  let cheaper = '';
  // Composed first: an accent typed as a character of its own would be taken for one that has no look-alike.
  for (const char of text.normalize('NFC')) cheaper += isCostly(char) ? (replacementFor(char) ?? char) : char;
  return cheaper;
}

/**
 * The text as `replaceCostly` makes it where that pays, else as it is: an emoji that stays keeps the whole text dear, and
 * then nothing is won by taking the accents away.
 */
export function cheaperText(text: string): string {
  const now = countSegments(text);
  if (now.encoding === 'GSM-7') return text;
  const replaced = transliterate(text);
  const then = countSegments(replaced);
  return then.encoding === 'GSM-7' && then.segments <= now.segments ? replaced : text;
}

function isCostly(char: string): boolean {
  return char.length > 1 || septetsOf(char.charCodeAt(0)) === 0;
}

function withoutAccent(char: string): string | undefined {
  const bare = char.normalize('NFKD').replace(/\p{M}/gu, '');
  // An accent that stands alone is left out; an emoji stays what it is and has no replacement.
  return bare === char || costlyIn(bare).size > 0 ? undefined : bare;
}
