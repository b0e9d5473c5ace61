import { asTyped } from '../../files/own-cells.ts';
import { costOf, type Prices } from '../../files/prices.ts';
import type { FileFacts } from '../../files/rows.ts';
import type { Holding } from '../../lib/held-bytes.ts';
import type { Measured } from '../../lib/measure.ts';
import { replacementFor } from '../../lib/segments.ts';
import type {
  SkipReason,
  CheckSummary,
  CostEstimate,
  CostlyCharacter,
  CountryTotals,
  Example,
  PreviewedText,
  Repair,
  SegmentTotals,
  SkippedRow,
} from './report.ts';

const EXAMPLES = 20;
const CHARACTERS = 30;
/** Beyond this a file has binary data, not letters; further characters are counted but not listed. */
const MAX_DISTINCT_CHARACTERS = 2_000;

interface TallyOptions {
  /** XOF per segment, by country (`SN`). */
  readonly prices?: Prices;
  /** Texts with more segments than this are reported. */
  readonly warnAbove: number;
  /** The text as written, to distinguish a costly character of the text from one of a row. */
  readonly templateText?: string;
}

interface Country {
  recipients: number;
  segments: number;
  segmentsSaved: number;
}

/** Counts the results of rows in constant memory. */
export class Tally {
  readonly #options: TallyOptions;
  readonly #reasons = new Map<SkipReason, { count: number; examples: Example[] }>();
  readonly #countries = new Map<string, Country>();
  readonly #textsBySegments: Record<number, number> = {};
  readonly #characters = new Map<string, number>();
  readonly #repairs: Repair[] = [];
  #repaired = 0;
  #recipients = 0;
  #skipped = 0;
  #blank = 0;
  #costlyTexts = 0;
  #long = 0;

  constructor(options: TallyOptions) {
    this.#options = options;
  }

  /** No data row so far. */
  get isEmpty(): boolean {
    return this.#recipients + this.#skipped === 0;
  }

  blank(): void {
    this.#blank += 1;
  }

  skip({ row, to, reason, column, detail }: SkippedRow): void {
    this.#skipped += 1;
    let entry = this.#reasons.get(reason);
    if (!entry) this.#reasons.set(reason, (entry = { count: 0, examples: [] }));
    entry.count += 1;
    if (entry.examples.length < EXAMPLES)
      entry.examples.push({
        row,
        to,
        ...(column !== undefined && { column }),
        ...(detail !== undefined && { detail }),
      });
  }

  repair(repair: Repair): void {
    this.#repaired += 1;
    if (this.#repairs.length < EXAMPLES) this.#repairs.push(repair);
  }

  /** `said`: undefined if no text was given. */
  accept(country: string, said: Measured | undefined): void {
    this.#recipients += 1;
    let totals = this.#countries.get(country);
    if (!totals) this.#countries.set(country, (totals = { recipients: 0, segments: 0, segmentsSaved: 0 }));
    totals.recipients += 1;
    if (!said) return;
    const { count } = said;
    totals.segments += count.segments;
    this.#textsBySegments[count.segments] = (this.#textsBySegments[count.segments] ?? 0) + 1;
    if (count.segments > this.#options.warnAbove) this.#long += 1;
    if (count.encoding === 'UCS-2') totals.segmentsSaved += this.#countCostly(said);
  }

  summary(facts: FileFacts): CheckSummary {
    const cost = this.#cost();
    return {
      ...facts,
      total: this.#recipients + this.#skipped,
      recipients: this.#recipients,
      skipped: this.#skipped,
      blank: this.#blank,
      reasons: Object.fromEntries([...this.#reasons].sort((a, b) => b[1].count - a[1].count)),
      countries: this.#countryTotals(),
      repaired: { count: this.#repaired, examples: this.#repairs },
      ...(this.#options.templateText !== undefined && { segments: this.#segmentTotals() }),
      ...(cost && { cost }),
    };
  }

  #countCostly({ costly, saved }: Measured): number {
    this.#costlyTexts += 1;
    for (const char of costly) {
      const texts = this.#characters.get(char);
      if (texts !== undefined || this.#characters.size < MAX_DISTINCT_CHARACTERS)
        this.#characters.set(char, (texts ?? 0) + 1);
    }
    return saved;
  }

  #countryTotals(): Record<string, CountryTotals> {
    const { prices, templateText } = this.#options;
    const priced = templateText === undefined ? undefined : prices;
    const sorted = [...this.#countries].sort((a, b) => b[1].recipients - a[1].recipients);
    return Object.fromEntries(
      sorted.map(([country, { recipients, segments }]) => {
        const price = priced?.[country];
        return [
          country,
          { recipients, segments, ...(price !== undefined && { estimatedXof: costOf(segments, price) }) },
        ];
      }),
    );
  }

  #cost(): CostEstimate | undefined {
    const { prices, templateText } = this.#options;
    if (!prices || templateText === undefined) return undefined;
    const unpriced = [...this.#countries.keys()].filter((country) => prices[country] === undefined);
    return { estimated: true, xof: this.#priceOf('segments'), unpriced };
  }

  #priceOf(what: 'segments' | 'segmentsSaved'): number {
    let xof = 0;
    for (const [country, totals] of this.#countries)
      xof += costOf(totals[what], this.#options.prices?.[country] ?? 0);
    return xof;
  }

  #segmentTotals(): SegmentTotals {
    const countries = [...this.#countries.values()];
    return {
      estimated: true,
      total: countries.reduce((sum, { segments }) => sum + segments, 0),
      textsBySegments: this.#textsBySegments,
      long: this.#long,
      costly: {
        texts: this.#costlyTexts,
        characters: this.#costlyCharacters(),
        segmentsSaved: countries.reduce((sum, { segmentsSaved }) => sum + segmentsSaved, 0),
        ...(this.#options.prices && { estimatedXofSaved: this.#priceOf('segmentsSaved') }),
      },
    };
  }

  #costlyCharacters(): CostlyCharacter[] {
    const template = this.#options.templateText ?? '';
    const frequent = [...this.#characters].sort((a, b) => b[1] - a[1]).slice(0, CHARACTERS);
    return frequent.map(([character, texts]) => {
      const replacement = replacementFor(character);
      const codePoint = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
      const inTemplate = template.replace(/\{\{[^{}]*\}\}/g, '').includes(character);
      return { character, codePoint, ...(replacement !== undefined && { replacement }), texts, inTemplate };
    });
  }
}

function valuesOf(columns: readonly string[], cells: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(columns.map((name, at) => [name, asTyped((cells[at] ?? '').trim()).slice(0, 200)]));
}

interface Candidate extends Pick<Measured, 'characters' | 'count' | 'text'> {
  readonly row: number;
  readonly to: string;
  readonly country: string;
  readonly cells: readonly string[];
}

/** Keeps the texts for a preview: the first ones, the longest, the most expensive. */
export class Preview {
  readonly #size: number;
  readonly #prices: Prices | undefined;
  readonly #first: Candidate[] = [];
  readonly #row: number | undefined;
  #asked: Candidate | undefined;
  #longest: Candidate | undefined;
  #dearest: Candidate | undefined;
  #dearestXof = 0;

  constructor(size: number, prices: Prices | undefined, row?: number) {
    this.#size = size;
    this.#prices = prices;
    this.#row = row;
  }

  add(candidate: Candidate): void {
    if (this.#first.length < this.#size) this.#first.push(candidate);
    if (candidate.row === this.#row) this.#asked = candidate;
    const { characters, count, country } = candidate;
    if (!this.#longest || characters > this.#longest.characters) this.#longest = candidate;
    const xof = count.segments * (this.#prices?.[country] ?? 0);
    // Without a price, the one with most segments counts as the most expensive.
    const dearer = xof > this.#dearestXof || (xof === this.#dearestXof && count.segments > this.#dearestSegments);
    if (!this.#dearest || dearer) [this.#dearest, this.#dearestXof] = [candidate, xof];
  }

  /** Each row a single time, even with several reasons; with its values if columns are given. */
  texts(columns?: readonly string[]): readonly PreviewedText[] {
    const texts = new Map<number, PreviewedText>();
    for (const [why, candidate] of this.#chosen()) {
      if (!candidate) continue;
      const { row, cells } = candidate;
      const shown = this.#show(candidate, [...(texts.get(row)?.why ?? []), why]);
      texts.set(row, columns ? { ...shown, values: valuesOf(columns, cells) } : shown);
    }
    return [...texts.values()];
  }

  get #dearestSegments(): number {
    return this.#dearest?.count.segments ?? 0;
  }

  #chosen(): readonly (readonly [PreviewedText['why'][number], Candidate | undefined])[] {
    const first = this.#first.map((candidate) => ['first', candidate] as const);
    return [...first, ['longest', this.#longest], ['dearest', this.#dearest], ['asked', this.#asked]];
  }

  #show({ row, to, country, characters, text, count }: Candidate, why: PreviewedText['why']): PreviewedText {
    const { encoding, segments } = count;
    const price = this.#prices?.[country];
    const cost = price === undefined ? {} : { estimatedXof: costOf(segments, price) };
    return { why, row, to, text: text(), characters, encoding, segments, ...cost };
  }
}

const SLOT_BYTES = Float64Array.BYTES_PER_ELEMENT + Uint32Array.BYTES_PER_ELEMENT;

/**
 * The numbers seen so far, each with its row: 12 bytes a slot, so a million numbers take 25 MB instead of over a
 * hundred for a `Set` of strings. Open addressing; an E.164 number has at most 15 digits and fits a double exactly.
 */
export class NumberIndex {
  #keys: Float64Array;
  #rows: Uint32Array;
  readonly #held: Holding | undefined;
  #size = 0;

  /** Throws a NoRoom if `held` has no room, as does `add`. */
  constructor(capacity = 1_024, held?: Holding) {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(16, capacity * 2)));
    this.#held = held;
    held?.take(slots * SLOT_BYTES);
    this.#keys = new Float64Array(slots);
    this.#rows = new Uint32Array(slots);
  }

  get size(): number {
    return this.#size;
  }

  /** `e164` with its `+`. */
  has(e164: string): boolean {
    return this.#keys[this.#slotOf(Number(e164))] !== 0;
  }

  /** Adds the number and returns 0, or returns the row of its first occurrence. Rows begin with 1. */
  add(e164: string, row: number): number {
    const key = Number(e164);
    const slot = this.#slotOf(key);
    if (this.#keys[slot] !== 0) return this.#rows[slot] ?? 0;
    this.#keys[slot] = key;
    this.#rows[slot] = row;
    this.#size += 1;
    // Beyond two thirds the chains get long.
    if (this.#size * 3 > this.#keys.length * 2) this.#grow();
    return 0;
  }

  #slotOf(key: number): number {
    const mask = this.#keys.length - 1;
    // Real files have neighbouring numbers, so both halves are mixed before they are masked.
    let hash = Math.imul((key % 0x1_0000_0000) | 0, 0x9e3779b1) ^ Math.imul((key / 0x1_0000_0000) | 0, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    let slot = hash ^ (hash >>> 13);
    for (slot &= mask; ; slot = (slot + 1) & mask) {
      const held = this.#keys[slot];
      if (held === key || held === 0) return slot;
    }
  }

  #grow(): void {
    const keys = this.#keys;
    const rows = this.#rows;
    // The old arrays count for half of these.
    this.#held?.take(keys.length * SLOT_BYTES);
    this.#keys = new Float64Array(keys.length * 2);
    this.#rows = new Uint32Array(keys.length * 2);
    for (const [at, key] of keys.entries()) {
      if (key === 0) continue;
      const slot = this.#slotOf(key);
      this.#keys[slot] = key;
      this.#rows[slot] = rows[at] ?? 0;
    }
  }
}
