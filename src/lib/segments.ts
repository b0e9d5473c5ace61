/**
 * Encodings and segments of an SMS by 3GPP TS 23.038 and TS 23.040, and look-alikes of characters that GSM-7 does not
 * have.
 */

/** Readable replacements for characters that are outside GSM-7 even without their accent. */
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

/** The replacement of a character outside GSM-7, or undefined if none is readable (an emoji). Empty: omit it. */
export function replacementFor(char: string): string | undefined {
  if (!known.has(char)) known.set(char, withoutAccent(char));
  return known.get(char);
}

/** The distinct characters of a text that force UCS-2. */
export function costlyIn(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const char of text) if (isCostly(char)) found.add(char);
  return found;
}

/**
 * The text with every cheaper look-alike (`ê` → `e`, `œ` → `oe`, `’` → `'`); the rest stays. Only on request: it
 * changes the text that people read.
 */
export function transliterate(text: string): string {
  let cheaper = '';
  // Composed first: a separate accent has no look-alike.
  for (const char of text.normalize('NFC')) cheaper += isCostly(char) ? (replacementFor(char) ?? char) : char;
  return cheaper;
}

/**
 * The text with look-alikes if that saves segments, otherwise unchanged: a remaining emoji keeps the whole text
 * expensive, and then removing accents saves nothing.
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
  // A separate accent is omitted; an emoji has no replacement and stays.
  return bare === char || costlyIn(bare).size > 0 ? undefined : bare;
}

/** The cost of a text: its encoding and its number of segments (3GPP TS 23.038, TS 23.040). */
export interface SegmentCount {
  readonly encoding: 'GSM-7' | 'UCS-2';
  /** Septets of GSM-7 (an extended character counts 2) or UTF-16 code units of UCS-2. */
  readonly units: number;
  /** Billed segments. An empty text has none. */
  readonly segments: number;
}

/** The basic alphabet: one septet each. */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
/** The extension: an escape and a septet. */
const EXTENDED = '\f^{}\\[~]|€';

/** Each segment of a longer text has a header of six bytes for reassembly. */
const LIMITS = { 'GSM-7': { single: 160, part: 153 }, 'UCS-2': { single: 70, part: 67 } } as const;

const septets = new Uint8Array(65_536);
for (const char of BASIC) septets[char.charCodeAt(0)] = 1;
for (const char of EXTENDED) septets[char.charCodeAt(0)] = 2;

/** Septets of one UTF-16 code unit; 0 if GSM-7 does not have it. */
function septetsOf(codeUnit: number): number {
  return septets[codeUnit] ?? 0;
}

/** Most texts contain only these, and this check is four times as fast. All of them are in `BASIC`. */
const PLAIN = /^[\n\r !"#$%&'()*+,\-./0-9:;<=>?@A-Z_a-z]*$/;

export function countSegments(text: string): SegmentCount {
  if (PLAIN.test(text)) return { encoding: 'GSM-7', units: text.length, segments: segmentsOf('GSM-7', text.length) };
  let units = 0;
  for (let at = 0; at < text.length; at += 1) {
    const width = septetsOf(text.charCodeAt(at));
    if (width === 0) return { encoding: 'UCS-2', units: text.length, segments: partsOf(text, text.length, 'UCS-2') };
    units += width;
  }
  return { encoding: 'GSM-7', units, segments: partsOf(text, units, 'GSM-7') };
}

/** For a text without two-unit characters, or with one segment. */
export function segmentsOf(encoding: SegmentCount['encoding'], units: number): number {
  const { single, part } = LIMITS[encoding];
  return units <= single ? Math.min(units, 1) : Math.ceil(units / part);
}

function partsOf(text: string, units: number, encoding: SegmentCount['encoding']): number {
  const { single, part } = LIMITS[encoding];
  if (units <= single || (encoding === 'GSM-7' && units === text.length)) return segmentsOf(encoding, units);
  if (encoding === 'UCS-2') return partsOfUnits(text, part);
  let parts = 1;
  let filled = 0;
  for (let at = 0; at < text.length; at += 1) {
    const size = septetsOf(text.charCodeAt(at));
    // An escape and its septet must be in one segment.
    if (filled + size > part) {
      parts += 1;
      filled = 0;
    }
    filled += size;
  }
  return parts;
}

/** A surrogate pair must be in one segment: only the end of each segment needs a check. */
function partsOfUnits(text: string, part: number): number {
  let parts = 0;
  for (let at = 0; at < text.length; parts += 1) {
    const end = at + part;
    at = end < text.length && isPair(text, end - 1) ? end - 1 : end;
  }
  return parts;
}

function isPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}
