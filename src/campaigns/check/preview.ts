import type { SegmentCount } from '../../lib/segments.ts';
import { costOf, type Prices } from './prices.ts';
import type { PreviewedText } from './summary.ts';

interface Candidate {
  readonly row: number;
  readonly to: string;
  readonly country: string;
  readonly text: string;
  readonly count: SegmentCount;
}

/** Keeps the texts that a sender wants to see before they leave: the first ones, the longest, the dearest. */
export class Preview {
  readonly #size: number;
  readonly #prices: Prices | undefined;
  readonly #first: Candidate[] = [];
  #longest: Candidate | undefined;
  #dearest: Candidate | undefined;
  #dearestXof = 0;

  constructor(size: number, prices: Prices | undefined) {
    this.#size = size;
    this.#prices = prices;
  }

  add(candidate: Candidate): void {
    if (this.#first.length < this.#size) this.#first.push(candidate);
    const { text, count, country } = candidate;
    if (!this.#longest || text.length > this.#longest.text.length) this.#longest = candidate;
    const xof = count.segments * (this.#prices?.[country] ?? 0);
    // Without a price, the one of most segments is the dearest as far as anybody knows.
    const dearer = xof > this.#dearestXof || (xof === this.#dearestXof && count.segments > this.#dearestSegments);
    if (!this.#dearest || dearer) [this.#dearest, this.#dearestXof] = [candidate, xof];
  }

  /** Each row once, however many reasons there are to show it. */
  texts(): readonly PreviewedText[] {
    const texts = new Map<number, PreviewedText>();
    for (const [why, candidate] of this.#chosen()) {
      if (candidate) texts.set(candidate.row, this.#show(candidate, [...(texts.get(candidate.row)?.why ?? []), why]));
    }
    return [...texts.values()];
  }

  get #dearestSegments(): number {
    return this.#dearest?.count.segments ?? 0;
  }

  #chosen(): readonly (readonly [PreviewedText['why'][number], Candidate | undefined])[] {
    const first = this.#first.map((candidate) => ['first', candidate] as const);
    return [...first, ['longest', this.#longest], ['dearest', this.#dearest]];
  }

  #show({ row, to, country, text, count }: Candidate, why: PreviewedText['why']): PreviewedText {
    const { encoding, segments } = count;
    const price = this.#prices?.[country];
    const cost = price === undefined ? {} : { estimatedXof: costOf(segments, price) };
    return { why, row, to, text, characters: text.length, encoding, segments, ...cost };
  }
}
