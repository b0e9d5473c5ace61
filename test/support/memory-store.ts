/**
 * As much of Redis as our scripts use, in memory: hashes, sorted sets, strings and one stream. Every step can be
 * undone until it was made durable, so that a test can cut the power.
 */
export interface StoredEvent {
  readonly op: string;
  readonly seq: number;
  readonly at: number;
  readonly account: string;
  readonly type: string;
  readonly data: string;
}

type Hash = ReadonlyMap<string, string>;
const EMPTY: Hash = new Map();

export class MemoryStore {
  readonly #hashes = new Map<string, Map<string, string>>();
  readonly #sets = new Map<string, Map<string, number>>();
  readonly #texts = new Map<string, string>();
  readonly #events: StoredEvent[] = [];
  /** How to take back each step since the last time everything was durable, oldest first. */
  #steps: (() => void)[][] = [];
  #undo: (() => void)[] = [];
  /** Hashes that differ from their durable image, with that image. */
  #durable = new Map<string, Hash>();

  /** One script: all of it, or nothing. */
  step<T>(run: () => T): T {
    this.#undo = [];
    const answer = run();
    if (this.#undo.length > 0) this.#steps.push(this.#undo);
    return answer;
  }

  /** From here on, nothing that was written so far can be lost. */
  makeDurable(): void {
    this.#steps = [];
    this.#durable = new Map();
  }

  /** How many steps a power loss could take. */
  get atRisk(): number {
    return this.#steps.length;
  }

  /** Power loss: the newest `count` steps that are not durable never happened. */
  lose(count: number): void {
    for (const undo of this.#steps.splice(Math.max(0, this.#steps.length - count)).toReversed()) {
      for (const takeBack of undo.toReversed()) takeBack();
    }
  }

  /** What would be left of a hash if the power went now. */
  durableHash(key: string): Hash {
    return this.#durable.get(key) ?? this.#hashes.get(key) ?? EMPTY;
  }

  hash(key: string): Hash {
    return this.#hashes.get(key) ?? EMPTY;
  }

  setFields(key: string, fields: Readonly<Record<string, string | number>>): void {
    const hash = this.#touch(key);
    for (const [name, value] of Object.entries(fields)) {
      const before = hash.get(name);
      hash.set(name, String(value));
      this.#undo.push(() => (before === undefined ? hash.delete(name) : hash.set(name, before)));
    }
  }

  dropFields(key: string, names: readonly string[]): void {
    const hash = this.#touch(key);
    for (const name of names) {
      const before = hash.get(name);
      hash.delete(name);
      if (before !== undefined) this.#undo.push(() => hash.set(name, before));
    }
  }

  increase(key: string, name: string, by: number): number {
    const value = Number(this.hash(key).get(name) ?? 0) + by;
    this.setFields(key, { [name]: value });
    return value;
  }

  score(key: string, member: string): number | undefined {
    return this.#sets.get(key)?.get(member);
  }

  /** Members with their scores, in the order of a sorted set. */
  members(key: string): readonly (readonly [member: string, score: number])[] {
    const inOrder = [...(this.#sets.get(key) ?? [])];
    return inOrder.sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1));
  }

  /** The score of the first member; Infinity when there is none. */
  lowest(key: string): number {
    let lowest = Number.POSITIVE_INFINITY;
    for (const score of this.#sets.get(key)?.values() ?? []) lowest = Math.min(lowest, score);
    return lowest;
  }

  add(key: string, score: number, member: string): void {
    const set = this.#sets.get(key) ?? new Map<string, number>();
    this.#sets.set(key, set);
    const before = set.get(member);
    set.set(member, score);
    this.#undo.push(() => (before === undefined ? set.delete(member) : set.set(member, before)));
  }

  remove(key: string, member: string): void {
    const set = this.#sets.get(key);
    const before = set?.get(member);
    if (set === undefined || before === undefined) return;
    set.delete(member);
    this.#undo.push(() => set.set(member, before));
  }

  text(key: string): string | undefined {
    return this.#texts.get(key);
  }

  setText(key: string, value: string): void {
    const before = this.#texts.get(key);
    this.#texts.set(key, value);
    this.#undo.push(() => (before === undefined ? this.#texts.delete(key) : this.#texts.set(key, before)));
  }

  dropText(key: string): void {
    const before = this.#texts.get(key);
    if (before === undefined) return;
    this.#texts.delete(key);
    this.#undo.push(() => this.#texts.set(key, before));
  }

  append(event: StoredEvent): void {
    this.#events.push(event);
    this.#undo.push(() => this.#events.pop());
  }

  get events(): readonly StoredEvent[] {
    return this.#events;
  }

  /** Everything there is, as a Redis that was emptied before would show it. */
  everything(): Record<string, unknown> {
    const full = <V>(maps: Map<string, Map<string, V>>) =>
      [...maps].filter(([, map]) => map.size > 0).map(([key, map]) => [key, Object.fromEntries(map)]);
    return Object.fromEntries([...full(this.#hashes), ...full(this.#sets), ...this.#texts]);
  }

  #touch(key: string): Map<string, string> {
    const hash = this.#hashes.get(key) ?? new Map<string, string>();
    this.#hashes.set(key, hash);
    if (!this.#durable.has(key)) {
      const image = new Map(hash);
      this.#durable.set(key, image);
    }
    return hash;
  }
}
