/** What a campaign says, and how: what is checked, what is sent and what is reported all come from here. */
export interface Wording {
  /** Canonical names, each once, in the order of their first use. */
  readonly variables: readonly string[];
  /** Those of them that need no value, since the text has a default for them. */
  readonly optional: ReadonlySet<string>;
  /** The text as it goes out to one recipient; `vars` by canonical name. */
  textFor(vars: Readonly<Record<string, string>>): string;
  /** The same from the values alone, in the order of `variables`. */
  textOf(values: readonly string[]): string;
}

export interface Words {
  readonly text: string;
  /** Characters that make a text dear are replaced by look-alikes, in the text and in the values. */
  readonly replaceCostly?: boolean | undefined;
}

/** Throws an UnusableTemplate when the braces of the text do not match. */
export function wordingOf({ text, replaceCostly = false }: Words): Wording {
  const template = compileTemplate(text);
  const textFor: Wording['textFor'] = replaceCostly
    ? (vars) => cheaperText(renderText(template, vars))
    : (vars) => renderText(template, vars);
  const { variables, optional, parts, defaults } = template;
  /** Which of the values stands after each literal, in order. */
  const places = parts.flatMap((part, at) => (at % 2 === 1 ? [variables.indexOf(part)] : []));
  const rendered = (values: readonly string[]): string => {
    let said = parts[0] ?? '';
    for (const [turn, place] of places.entries())
      said += (values[place] || (defaults[turn] ?? '')) + (parts[2 * turn + 2] ?? '');
    return said;
  };
  const textOf: Wording['textOf'] = replaceCostly ? (values) => cheaperText(rendered(values)) : rendered;
  return { variables, optional, textFor, textOf };
}

/** How names of columns and variables are compared: without accents, case and spaces. `Prénom ` → `prenom`. */
export function canonicalName(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[\p{M}\s\u200b\ufeff]/gu, '')
    .toLowerCase();
}

/** A text with `{{variables}}` and `{{variables|defaults}}`, read once and rendered for every recipient. */
interface Template {
  readonly text: string;
  /** Canonical names (see `canonicalName`), each once, in the order of their first use. */
  readonly variables: readonly string[];
  /** Literals and variables in turn: the literal at 0, 2, 4 …, the variable at 1, 3, 5 … */
  readonly parts: readonly string[];
  /** What stands for each variable of `parts` where it has no value, in the same order. */
  readonly defaults: readonly string[];
  /** The variables that have a default wherever they stand: no value of theirs need be there. */
  readonly optional: ReadonlySet<string>;
}

const WRONG = { braces: 'braces do not match', noName: 'a variable has no name' } as const;

export class UnusableTemplate extends Error {
  override readonly name = 'UnusableTemplate';
  readonly code: keyof typeof WRONG;
  /** The place in the text. */
  readonly about: string;

  constructor(code: keyof typeof WRONG, about: string) {
    super(`${WRONG[code]}: “${about}”`);
    this.code = code;
    this.about = about;
  }
}

/** Throws an UnusableTemplate that shows the place when braces do not match. */
export function compileTemplate(text: string): Template {
  const parts = text.split(/\{\{([^{}]*)\}\}/);
  const defaults: string[] = [];
  const needed = new Set<string>();
  for (const [at, part] of parts.entries()) {
    if (at % 2 === 0 && /\{\{|\}\}/.test(part)) throw new UnusableTemplate('braces', around(part));
    if (at % 2 === 0) continue;
    const [name = '', ...rest] = part.split('|');
    const variable = (parts[at] = canonicalName(name));
    if (variable === '') throw new UnusableTemplate('noName', `{{${part}}}`);
    if (rest.length === 0) needed.add(variable);
    defaults.push(rest.join('|').trim());
  }
  const variables = [...new Set(parts.filter((_, at) => at % 2 === 1))];
  return { text, variables, parts, defaults, optional: new Set(variables.filter((name) => !needed.has(name))) };
}

/** The text for one recipient. `vars` has canonical names as keys; a value that is not there renders as its default. */
export function renderText(template: Template, vars: Readonly<Record<string, string>>): string {
  const { parts, defaults } = template;
  let text = parts[0] ?? '';
  for (let at = 1; at < parts.length; at += 2) {
    text += (vars[parts[at] ?? ''] || (defaults[(at - 1) / 2] ?? '')) + (parts[at + 1] ?? '');
  }
  return text;
}

function around(part: string): string {
  const at = part.search(/\{\{|\}\}/);
  return part.slice(Math.max(0, at - 10), at + 20);
}

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

/** What a text costs on the air: how it is encoded and into how many segments it is cut (3GPP TS 23.038, TS 23.040). */
export interface SegmentCount {
  readonly encoding: 'GSM-7' | 'UCS-2';
  /** Septets of GSM-7 (an extended character counts 2) or UTF-16 code units of UCS-2. */
  readonly units: number;
  /** Billed parts. An empty text has none. */
  readonly segments: number;
}

/** The basic alphabet: one septet each. */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
/** The extension: an escape and a septet. */
const EXTENDED = '\f^{}\\[~]|€';

/** A text of several parts carries a header of six bytes in each, to put them together again. */
const LIMITS = { 'GSM-7': { single: 160, part: 153 }, 'UCS-2': { single: 70, part: 67 } } as const;

const septets = new Uint8Array(65_536);
for (const char of BASIC) septets[char.charCodeAt(0)] = 1;
for (const char of EXTENDED) septets[char.charCodeAt(0)] = 2;

/** Septets of one UTF-16 code unit; 0 when GSM-7 does not have it. */
function septetsOf(codeUnit: number): number {
  return septets[codeUnit] ?? 0;
}

export function countSegments(text: string): SegmentCount {
  let units = 0;
  for (let at = 0; at < text.length; at += 1) {
    const width = septetsOf(text.charCodeAt(at));
    if (width === 0) return { encoding: 'UCS-2', units: text.length, segments: partsOf(text, text.length, 'UCS-2') };
    units += width;
  }
  return { encoding: 'GSM-7', units, segments: partsOf(text, units, 'GSM-7') };
}

function partsOf(text: string, units: number, encoding: SegmentCount['encoding']): number {
  const { single, part } = LIMITS[encoding];
  if (units <= single) return units === 0 ? 0 : 1;
  if (encoding === 'UCS-2') return partsOfUnits(text, part);
  // Nothing in it takes two septets.
  if (units === text.length) return Math.ceil(units / part);
  let parts = 1;
  let filled = 0;
  for (let at = 0; at < text.length; at += 1) {
    const size = septetsOf(text.charCodeAt(at));
    // An escape and its septet may not stand in different parts.
    if (filled + size > part) {
      parts += 1;
      filled = 0;
    }
    filled += size;
  }
  return parts;
}

/** The halves of a surrogate pair may not stand in different parts: only where one ends has to be looked at. */
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
