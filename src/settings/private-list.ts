import { inspect } from 'node:util';

/** Personal data in a setting: printing, logging and JSON show only how many there are. */
export class PrivateList<Item> {
  readonly #noun: string;
  readonly #items: readonly Item[];

  /** `noun`: plural, such as `numbers`. */
  constructor(noun: string, items: readonly Item[]) {
    this.#noun = noun;
    this.#items = items;
  }

  get items(): readonly Item[] {
    return this.#items;
  }

  toJSON(): string {
    return `${this.#items.length} ${this.#noun}`;
  }

  [inspect.custom](): string {
    return this.toJSON();
  }
}
