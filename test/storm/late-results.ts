import { ask } from './http.ts';
import type { LedgerEntry } from './story.ts';

/** What the books of the service have of this token; undefined: they did not answer. */
export async function inBooks(
  control: string,
  token: string,
): Promise<{ entry: LedgerEntry | undefined } | undefined> {
  const books = await ask(`${control}/books/disbursements`);
  return books && { entry: (books.body as LedgerEntry[]).find((one) => one.token === token) };
}

/**
 * Has the service take a success back. It answers when its callback was answered, which may take longer than anybody
 * waits: then its books say whether it has, and what was done and nobody knows of would never be posted.
 */
export async function takeBackAt(control: string, token: string): Promise<boolean> {
  const taken = await ask(`${control}/disbursements/${token}`, { method: 'POST', body: { status: 'failed' } });
  if (taken) return taken.status < 300;
  return (await inBooks(control, token))?.entry?.status !== 'success';
}

/** What the service has to post of its own accord: the end of a lie, and a success that it took back. */
export class LateResults {
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

  /** A restored ledger may lack a callback that relais has received. */
  forgetPosted(): void {
    this.#posted.clear();
  }

  /** Tokens of which the last word was not posted yet, with when it may be. `lies`: the same of those that were lied about. */
  unposted(lies: ReadonlyMap<string, number>): [token: string, fromMs: number][] {
    const takenBack = [...this.#takenBack].map(([token, { atMs }]) => [token, atMs] as const);
    return [...new Map([...lies, ...takenBack])].filter(([token]) => !this.#posted.has(token));
  }
}
