/**
 * The numbers seen so far, each with the row where it stood: 12 bytes a slot, so a million numbers take 25 MB where a
 * `Set` of strings takes over a hundred. Open addressing; an E.164 number has at most 15 digits and fits a double
 * exactly.
 */
export class NumberIndex {
  #keys: Float64Array;
  #rows: Uint32Array;
  #size = 0;

  constructor(capacity = 1_024) {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(16, capacity * 2)));
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

  /** Adds the number and answers 0, or answers the row where it already stood. Rows begin with 1. */
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
    // Neighbouring numbers are the rule in a real file, so both halves are mixed before they are cut to the mask.
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
