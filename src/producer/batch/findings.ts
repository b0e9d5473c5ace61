import type { Finding, Findings } from '../../kinds/batch.ts';

const KEPT = 100;

/** Counts everything and keeps the first hundred, or so many: a file with one wrong column has ten thousand problems. */
export class FindingList {
  readonly #kept: number;
  readonly #list: Finding[] = [];
  #count = 0;

  constructor(kept = KEPT) {
    this.#kept = kept;
  }

  add(...findings: readonly Finding[]): void {
    this.#count += findings.length;
    this.#list.push(...findings.slice(0, Math.max(0, this.#kept - this.#list.length)));
  }

  read(): Findings {
    return { count: this.#count, list: [...this.#list] };
  }
}
