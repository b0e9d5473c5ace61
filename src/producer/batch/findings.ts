import type { Finding, Findings } from '../../kinds/batch.ts';

const KEPT = 100;

/** Counts everything and keeps the first hundred: a file with one wrong column has ten thousand problems. */
export class FindingList {
  readonly #list: Finding[] = [];
  #count = 0;

  add(...findings: readonly Finding[]): void {
    this.#count += findings.length;
    this.#list.push(...findings.slice(0, Math.max(0, KEPT - this.#list.length)));
  }

  read(): Findings {
    return { count: this.#count, list: [...this.#list] };
  }
}
