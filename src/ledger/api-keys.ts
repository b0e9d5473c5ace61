/** API keys that are created at run time. The secret is not stored; a revoked key is retained without its hash. */
import { type Act, actOf, noteAct } from './acts.ts';
import type { OnCommitted } from './committed.ts';
import type { Database } from './pool.ts';

/** Times are ms since the epoch. */
export interface MadeKey {
  readonly id: string;
  readonly name: string;
  readonly roles: string[];
  /** Absent: all accounts. */
  readonly accounts?: string[] | undefined;
  readonly person?: string | undefined;
  readonly service?: string | undefined;
  /** SHA-256 of the secret, in hex. Absent: the key is revoked. */
  readonly digest?: string | undefined;
  readonly createdAt: number;
  readonly madeBy: string;
  readonly expiresAt?: number | undefined;
  readonly revokedAt?: number | undefined;
}

interface ApiKeysOptions {
  readonly database: Database;
  readonly onCommitted?: OnCommitted;
}

interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly hash?: Buffer | null;
  readonly roles: string[];
  readonly accounts: string[] | null;
  readonly person: string | null;
  readonly service: string | null;
  readonly created_by: string;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
}

/** Maximum number of active keys: every request is compared with each. */
const MOST = 1_000;

export class ApiKeys {
  readonly #options: ApiKeysOptions;

  constructor(options: ApiKeysOptions) {
    this.#options = options;
  }

  /** False: the limit is reached. A repeated call with the same id adds nothing. */
  async add(key: MadeKey, act: Act): Promise<boolean> {
    return this.#options.database.transaction(async (run) => {
      await run('lock_deployment');
      if ((await run('api_key_exists', [key.id])).length > 0) return true;
      if ((await run('add_api_key', valuesOf(key))).length === 0) return false;
      await noteAct(run, actOf(act));
      return true;
    });
  }

  /** Undefined: there is no active key with this id. */
  async revoke(id: string, at: number, act?: Act): Promise<MadeKey | undefined> {
    const { database, onCommitted } = this.#options;
    const row = await database.transaction(async (run) => {
      const [found] = await run<KeyRow & { revoked: boolean }>('revoke_api_key', [id, new Date(at)]);
      if (found?.revoked && act !== undefined) await noteAct(run, actOf(act));
      return found;
    });
    if (row === undefined) return undefined;
    // Also for a key that was revoked earlier: the process may have died before the journal entry.
    await onCommitted?.('key.revoked', { id, at: row.revoked_at?.toISOString() });
    return row.revoked ? keyOf(row) : undefined;
  }

  /** Newest first, including revoked keys. */
  async all(): Promise<MadeKey[]> {
    return (await this.#options.database.run<KeyRow>('api_keys')).map(keyOf);
  }
}

const valuesOf = (key: MadeKey): readonly unknown[] => [
  key.id,
  key.name,
  key.digest === undefined ? null : Buffer.from(key.digest, 'hex'),
  key.roles,
  key.accounts ?? null,
  key.person ?? null,
  key.service ?? null,
  key.madeBy,
  new Date(key.createdAt),
  key.expiresAt === undefined ? null : new Date(key.expiresAt),
  MOST,
];

function keyOf({ id, name, roles, hash, ...row }: KeyRow): MadeKey {
  const { accounts, person, service, expires_at, revoked_at } = row;
  return {
    id,
    name,
    roles,
    ...(accounts === null ? {} : { accounts }),
    ...(person === null ? {} : { person }),
    ...(service === null ? {} : { service }),
    ...(hash ? { digest: hash.toString('hex') } : {}),
    createdAt: row.created_at.getTime(),
    madeBy: row.created_by,
    ...(expires_at === null ? {} : { expiresAt: expires_at.getTime() }),
    ...(revoked_at === null ? {} : { revokedAt: revoked_at.getTime() }),
  };
}
