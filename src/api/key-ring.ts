/**
 * The keys that may ask: those of the settings, and those that were made while relais runs. The latter are read again
 * each second, so that no request waits for Redis; what was read longer ago than two seconds counts for nothing, and is
 * read anew before it is believed. So a key that is revoked ends within three seconds in every process, whatever became
 * of its connection.
 */
import type { Clock } from '../lib/clock.ts';
import type { MadeKey } from '../operations/api-keys.ts';
import { type ApiKey, findKey, isRole, personOf } from './keys.ts';

/** What every secret that is made here begins with. */
export const MADE = 'rk_';
const FRESH_MS = 2_000;

export interface KeyRingOptions {
  /** Of the settings. */
  readonly fixed: readonly ApiKey[];
  readonly read: () => Promise<readonly MadeKey[]>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
}

export class KeyRing {
  readonly #options: KeyRingOptions;
  #made: readonly ApiKey[] = [];
  /** Who made a key for which holder, those that are revoked too. */
  #hands: readonly (readonly [maker: string, person: string])[] = [];
  #readMono = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(options: KeyRingOptions) {
    this.#options = options;
  }

  get fixed(): readonly ApiKey[] {
    return this.#options.fixed;
  }

  /** A promise only where what is known is too old to be believed. */
  find(secret: string): ApiKey | undefined | Promise<ApiKey | undefined> {
    const { fixed, clock } = this.#options;
    if (!secret.startsWith(MADE)) return findKey(fixed, secret);
    if (clock.monotonic() - this.#readMono < FRESH_MS) return this.#findMade(secret);
    return this.refresh().then(() => this.#findMade(secret));
  }

  /** Reads them again; asked for while that is under way, it is the same reading. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** Whether a key that was right when it asked still is. */
  holds({ id, expiresAt }: ApiKey): boolean {
    const expired = expiresAt !== undefined && expiresAt <= this.#options.clock.now();
    return id === undefined || (!expired && this.#made.some((one) => one.id === id));
  }

  /** Told after each reading, for what goes on for long. The function that is returned ends it. */
  onRead(run: () => void): () => void {
    this.#listeners.add(run);
    return () => void this.#listeners.delete(run);
  }

  /**
   * Whether what one asked for is the other's too: of one person, or of one who made the other's key and so has known its
   * secret.
   */
  isOne(key: ApiKey, by: string): boolean {
    const own = personOf(key);
    if (own === by) return true;
    return this.#hands.some(
      ([maker, person]) => (maker === own && person === by) || (maker === by && person === own),
    );
  }

  async #read(): Promise<void> {
    const { clock, read } = this.#options;
    const startedMono = clock.monotonic();
    const all = await read();
    this.#made = all.flatMap(asKey);
    this.#hands = all.map((key) => [key.madeBy, personOf(ownerOf(key))] as const);
    this.#readMono = startedMono;
    for (const run of this.#listeners) run();
  }

  #findMade(secret: string): ApiKey | undefined {
    const key = findKey(this.#made, secret);
    return key?.expiresAt !== undefined && key.expiresAt <= this.#options.clock.now() ? undefined : key;
  }
}

const ownerOf = ({ name, person, service }: MadeKey) => ({ name, person: person ?? service ?? name });

function asKey(key: MadeKey): ApiKey[] {
  const { id, roles, accounts, digest, expiresAt, revokedAt } = key;
  if (digest === undefined || revokedAt !== undefined) return [];
  return [
    {
      ...ownerOf(key),
      id,
      roles: new Set(roles.filter(isRole)),
      ...(accounts ? { accounts: new Set(accounts) } : {}),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      digest: Buffer.from(digest, 'hex'),
    },
  ];
}
