/** Digests of earlier provider keys, cached: a callback never waits for PostgreSQL. */
import type { Clock } from '../lib/clock.ts';
import type { Secret } from '../lib/secret.ts';
import { type KeyDigests, digestOfKey } from '../operations/key-hashes.ts';
import type { Database } from './pool.ts';

interface KeyHashesOptions {
  readonly database: Database;
  readonly clock: Pick<Clock, 'monotonic'>;
}

interface HashRow {
  readonly account: string;
  readonly fingerprint: string;
  readonly hash: Buffer;
}

/** Age at which the digests are refreshed in the background. */
const FRESH_MS = 10_000;
/** Age at which a caller waits for the refresh. */
const USABLE_MS = 60_000;
const NONE: KeyDigests = new Map();

export class KeyHashes {
  readonly #options: KeyHashesOptions;
  #known: ReadonlyMap<string, KeyDigests> = new Map();
  #readMono = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(options: KeyHashesOptions) {
    this.#options = options;
  }

  /** `fingerprint`: of all keys of the account, including this master key. */
  async note(
    { account, fingerprint }: { readonly account: string; readonly fingerprint: string },
    masterKey: Secret,
  ): Promise<void> {
    const digest = digestOfKey(masterKey);
    await this.#options.database.run('note_provider_key', [account, fingerprint, Buffer.from(digest, 'hex')]);
    const digests = new Map(this.#known.get(account)).set(fingerprint, digest);
    this.#known = new Map(this.#known).set(account, digests);
  }

  /** While PostgreSQL is away, returns the cached digests. Rejects if they were never read. */
  async of(account: string): Promise<KeyDigests> {
    const ageMs = this.#options.clock.monotonic() - this.#readMono;
    if (ageMs >= FRESH_MS) {
      const reading = this.refresh();
      if (ageMs === Infinity) await reading;
      else if (ageMs >= USABLE_MS) await reading.catch(() => undefined);
      else reading.catch(() => undefined);
    }
    return this.#known.get(account) ?? NONE;
  }

  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { clock, database } = this.#options;
    const startedMono = clock.monotonic();
    const known = new Map<string, Map<string, string>>();
    for (const { account, fingerprint, hash } of await database.run<HashRow>('provider_keys')) {
      const digests = known.get(account) ?? new Map<string, string>();
      known.set(account, digests.set(fingerprint, hash.toString('hex')));
    }
    this.#known = known;
    this.#readMono = startedMono;
  }
}
