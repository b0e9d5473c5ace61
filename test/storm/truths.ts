/** What the service has to post of its own accord: the end of a lie, and a success that it took back. */
export class Truths {
  readonly #posted = new Set<string>();
  readonly #takenBack = new Map<string, { readonly id: string; readonly atMs: number }>();

  isTakenBack(token: string): boolean {
    return this.#takenBack.has(token);
  }

  /** Whatever was posted about it before is not the last word any more. */
  takeBack(token: string, id: string, atMs: number): void {
    this.#takenBack.set(token, { id, atMs });
    this.#posted.delete(token);
  }

  /** The operations whose success was taken back. */
  get takenBack(): string[] {
    return [...this.#takenBack.values()].map(({ id }) => id);
  }

  posted(token: string): void {
    this.#posted.add(token);
  }

  /** What was heard may be lost with the world that heard it. */
  forgetPosted(): void {
    this.#posted.clear();
  }

  /** Tokens of which the last word was not posted yet, with when it may be. `lies`: the same of those that were lied about. */
  unposted(lies: ReadonlyMap<string, number>): [token: string, fromMs: number][] {
    const takenBack = [...this.#takenBack].map(([token, { atMs }]) => [token, atMs] as const);
    return [...new Map([...lies, ...takenBack])].filter(([token]) => !this.#posted.has(token));
  }
}
