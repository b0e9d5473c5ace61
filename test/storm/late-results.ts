import { ask } from './http.ts';
import type { LedgerEntry } from './story.ts';

/** The provider's records of this token; undefined: no answer. */
export async function inBooks(
  control: string,
  token: string,
): Promise<{ entry: LedgerEntry | undefined } | undefined> {
  const books = await ask(`${control}/books/disbursements`);
  return books && { entry: (books.body as LedgerEntry[]).find((one) => one.token === token) };
}

/**
 * Makes the provider return a payment. It answers after its callback was answered, which may exceed the time-out:
 * then its records show whether it did, so that a return is never left unreported.
 */
export async function takeBackAt(control: string, token: string): Promise<boolean> {
  const taken = await ask(`${control}/disbursements/${token}`, { method: 'POST', body: { status: 'failed' } });
  if (taken) return taken.status < 300;
  return (await inBooks(control, token))?.entry?.status !== 'success';
}

/** The provider's spontaneous reports: the correction of a false status, and a return. */
export class LateResults {
  readonly #posted = new Set<string>();
  readonly #takenBack = new Map<string, { readonly id: string; readonly atMs: number }>();

  isTakenBack(token: string): boolean {
    return this.#takenBack.has(token);
  }

  /** Earlier callbacks about it are no longer final. */
  takeBack(token: string, id: string, atMs: number): void {
    this.#takenBack.set(token, { id, atMs });
    this.#posted.delete(token);
  }

  /** The operations whose payment was returned. */
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

  /** Tokens whose final status was not reported yet, with the earliest time. `lies`: those with a false status. */
  unposted(lies: ReadonlyMap<string, number>): [token: string, fromMs: number][] {
    const takenBack = [...this.#takenBack].map(([token, { atMs }]) => [token, atMs] as const);
    return [...new Map([...lies, ...takenBack])].filter(([token]) => !this.#posted.has(token));
  }
}
