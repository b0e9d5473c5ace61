/** The SMS token of each account, shared by all processes: one encrypted row, and one login at a time. */
import {
  CONTESTED,
  CONTESTED_MS,
  ENCODING_KEPT_MS,
  FORCED_RENEWAL_EVERY_MS,
  type Pause,
  type Refusal,
  type StoredToken,
  type TokenStore,
  type TokenStores,
  YOUNG_MS,
} from '../provider/messaging/token-store.ts';
import type { LoginEncoding } from '../provider/account.ts';
import type { Database } from './pool.ts';

interface LedgerTokensOptions {
  readonly database: Database;
  /** A pause after new tokens were refused. */
  readonly contestedMs?: number | undefined;
}

interface TokenRow {
  readonly generation: number;
  readonly sealed: string | null;
  readonly usable_ms: number | null;
  readonly remaining_ms: number | null;
  readonly paused_why: string | null;
  readonly paused_ms: number | null;
  readonly encoding: string | null;
}

interface RefusedRow {
  readonly generation: number;
  readonly age_ms: number;
  readonly young: readonly number[];
  /** Null: no token was replaced after a refusal yet. */
  readonly forced_ms: number | null;
}

const NOT_NOW: Refusal = { waitMs: 0, contested: false };

export function ledgerTokenStores({ database, contestedMs = CONTESTED_MS }: LedgerTokensOptions): TokenStores {
  return (account, credentials) => new LedgerTokenStore(database, [account, credentials], contestedMs);
}

class LedgerTokenStore implements TokenStore {
  readonly #database: Database;
  readonly #place: readonly [account: string, credentials: string];
  readonly #contestedMs: number;

  constructor(database: Database, place: readonly [string, string], contestedMs: number) {
    this.#database = database;
    this.#place = place;
    this.#contestedMs = contestedMs;
  }

  async look(): Promise<{ readonly token?: StoredToken; readonly pause?: Pause }> {
    const row = await this.#row();
    if (row === undefined) return {};
    const { sealed, generation, remaining_ms: remainingMs, usable_ms: usableMs } = row;
    const [is = '', code = ''] = (row.paused_why ?? '').split(' ');
    return {
      ...(sealed !== null && remainingMs !== null && remainingMs > 0
        ? { token: { generation, sealed, remainingMs, usableMs: usableMs ?? 0 } }
        : {}),
      ...(row.paused_ms !== null && row.paused_ms > 0 ? { pause: { is, code, remainingMs: row.paused_ms } } : {}),
    };
  }

  async lock(owner: string, forMs: number): Promise<boolean> {
    return (await this.#database.run('lock_login', [...this.#place, owner, forMs, null])).length > 0;
  }

  async unlock(owner: string): Promise<void> {
    await this.#database.run('unlock_login', [...this.#place, owner]);
  }

  async store(owner: string, sealed: string, usableMs: number): Promise<number> {
    const values = [...this.#place, owner, sealed, usableMs, null];
    const [row] = await this.#database.run<{ generation: number }>('store_token', values);
    return row?.generation ?? 0;
  }

  async invalidate(generation: number): Promise<Refusal> {
    return this.#database.transaction(async (run) => {
      const [row] = await run<RefusedRow>('token_to_refuse', [...this.#place, null]);
      if (row?.generation !== generation) return NOT_NOW;
      if (row.age_ms < YOUNG_MS) {
        // Many requests may be refused with one token, which counts as one refused token.
        const young = [...new Set([...row.young, generation])];
        if (young.length >= 2) {
          await run('remove_token', [...this.#place, null, storedReason(CONTESTED), this.#contestedMs, null]);
          return { waitMs: this.#contestedMs, contested: true };
        }
        if (row.young.length === 0) await run('note_young_token', [...this.#place, young, YOUNG_MS, null]);
      }
      if (row.forced_ms !== null && row.forced_ms > 0) {
        return { waitMs: Math.ceil(row.forced_ms), contested: false };
      }
      await run('remove_token', [...this.#place, FORCED_RENEWAL_EVERY_MS, null, null, null]);
      return NOT_NOW;
    });
  }

  async pause(owner: string, why: Pick<Pause, 'is' | 'code'>, firstMs: number, mostMs: number): Promise<number> {
    const values = [...this.#place, owner, storedReason(why), firstMs, mostMs, null];
    const [row] = await this.#database.run<{ pause_ms: number }>('pause_logins', values);
    return row?.pause_ms ?? firstMs;
  }

  async encoding(): Promise<string | null> {
    return (await this.#row())?.encoding ?? null;
  }

  async rememberEncoding(encoding: LoginEncoding): Promise<void> {
    await this.#database.run('remember_encoding', [...this.#place, encoding, ENCODING_KEPT_MS, null]);
  }

  async #row(): Promise<TokenRow | undefined> {
    const [row] = await this.#database.run<TokenRow>('look_up_token', [...this.#place, null]);
    return row;
  }
}

const storedReason = ({ is, code }: Pick<Pause, 'is' | 'code'>): string => `${is} ${code}`;
