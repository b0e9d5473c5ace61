/** The cost of a text from its parts: parts that are equal for all recipients are measured in advance. */
import { type SegmentCount, cheaperText, costlyIn, countSegments, segmentsOf, transliterate } from './segments.ts';

/** The cost of one text, with and without look-alikes. */
export interface Measured {
  readonly count: SegmentCount;
  /** UTF-16 code units. */
  readonly characters: number;
  /** The characters that force UCS-2, each listed a single time, in the order of the text. */
  readonly costly: Iterable<string>;
  /** Segments that look-alikes would save; 0 if they are already in use. */
  readonly saved: number;
  /** The final text, built only on demand. */
  readonly text: () => string;
}

interface Size {
  readonly characters: number;
  /** NaN: GSM-7 cannot encode all of it. */
  readonly septets: number;
}

/** A literal of the text, or a value. */
export interface Piece {
  readonly text: string;
  readonly size: Size;
  /** With look-alikes. */
  readonly cheaper: Size;
  readonly costly: readonly string[];
}

export function pieceOf(text: string): Piece {
  const size = sizeOf(text);
  if (!Number.isNaN(size.septets)) return { text, size, cheaper: size, costly: [] };
  return { text, size, cheaper: sizeOf(transliterate(text)), costly: [...costlyIn(text)] };
}

/** The cost of parts in a row; `replaceCostly`: look-alikes are used if they save segments. */
export function measured(pieces: readonly Piece[], replaceCostly: boolean): Measured {
  const whole = () => pieces.map(({ text }) => text).join('');
  const text = replaceCostly ? () => cheaperText(whole()) : whole;
  const count = countOf(pieces, 'size');
  if (pieces.some(joins) || count === undefined) return measuredWhole(text());
  if (count.encoding === 'GSM-7') return { count, characters: lengthOf(pieces, 'size'), costly: [], saved: 0, text };
  const cheaper = countOf(pieces, 'cheaper');
  if (cheaper === undefined) return measuredWhole(text());
  const pays = cheaper.encoding === 'GSM-7' && cheaper.segments <= count.segments;
  if (pays && replaceCostly)
    return { count: cheaper, characters: lengthOf(pieces, 'cheaper'), costly: [], saved: 0, text };
  const saved = pays ? count.segments - cheaper.segments : 0;
  return { count, characters: lengthOf(pieces, 'size'), costly: allCostly(pieces), saved, text };
}

function measuredWhole(whole: string): Measured {
  const count = countSegments(whole);
  const saved = count.segments - countSegments(cheaperText(whole)).segments;
  return { count, characters: whole.length, costly: costlyIn(whole), saved, text: () => whole };
}

/** From here on a character may combine with the one before it: an accent, the second half of a pair. */
const FIRST_THAT_JOINS = 0x300;

function joins({ text }: Piece, place: number): boolean {
  return place > 0 && text.charCodeAt(0) >= FIRST_THAT_JOINS;
}

/** Undefined: the split depends on the positions of its characters. */
function countOf(pieces: readonly Piece[], which: 'size' | 'cheaper'): SegmentCount | undefined {
  const characters = lengthOf(pieces, which);
  let septets = 0;
  for (const piece of pieces) septets += piece[which].septets;
  const encoding = Number.isNaN(septets) ? 'UCS-2' : 'GSM-7';
  const units = encoding === 'UCS-2' ? characters : septets;
  const segments = segmentsOf(encoding, units);
  const isEven = encoding === 'UCS-2' ? pieces.every(({ text }) => !HALF.test(text)) : units === characters;
  return segments < 2 || isEven ? { encoding, units, segments } : undefined;
}

const HALF = /[\ud800-\udfff]/;

function lengthOf(pieces: readonly Piece[], which: 'size' | 'cheaper'): number {
  let characters = 0;
  for (const piece of pieces) characters += piece[which].characters;
  return characters;
}

function sizeOf(text: string): Size {
  const { encoding, units } = countSegments(text);
  return { characters: text.length, septets: encoding === 'GSM-7' ? units : Number.NaN };
}

function allCostly(pieces: readonly Piece[]): Iterable<string> {
  const dear = pieces.filter(({ costly }) => costly.length > 0);
  return dear.length === 1 ? (dear[0]?.costly ?? []) : new Set(dear.flatMap(({ costly }) => costly));
}
