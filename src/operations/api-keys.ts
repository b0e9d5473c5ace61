/**
 * Keys of callers that were made while relais runs. A secret is shown once and kept as its SHA-256. A key that was
 * revoked stays, without that: it still says whose hand was in what.
 */
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type Act, told } from './audit.ts';
import { keys } from './keys.ts';
import { addKey, revokeKey } from './scripts/generated/scripts.ts';

/** So many may be in use: each is looked at for each request. */
const KEYS_MOST = 1_000;

const madeKey = z.object({
  id: z.string(),
  name: z.string(),
  roles: z.array(z.string()),
  /** Absent: all. */
  accounts: z.array(z.string()).optional(),
  person: z.string().optional(),
  service: z.string().optional(),
  /** SHA-256 of the secret, in hex; absent once it is revoked. */
  digest: z.string().optional(),
  /** ms since the epoch. */
  createdAt: z.number(),
  /** The one behind the key that made it. */
  madeBy: z.string(),
  expiresAt: z.number().optional(),
  revokedAt: z.number().optional(),
});

export type MadeKey = z.output<typeof madeKey>;

export class ApiKeys {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /** False: there are too many already. */
  async add(key: MadeKey, act: Act): Promise<boolean> {
    const { is } = await addKey(this.#redis, {
      known: keys.apiKeys,
      ...told(act),
      id: key.id,
      most: KEYS_MOST,
      key: JSON.stringify(key),
    });
    return is === 'added';
  }

  /** Undefined: there is none that could be ended. */
  async revoke(id: string, at: number, act?: Act): Promise<MadeKey | undefined> {
    const was = await this.#redis.hget(keys.apiKeys, id);
    const { digest: _digest, ...key } = was === null ? ({} as Partial<MadeKey>) : readKey(was);
    if (was === null || key.id === undefined || key.revokedAt !== undefined) return undefined;
    const ended = { ...readKey(was), digest: undefined, revokedAt: at };
    const done = await revokeKey(this.#redis, {
      known: keys.apiKeys,
      ...told(act),
      id,
      was,
      becomes: JSON.stringify(ended),
    });
    return done ? ended : this.revoke(id, at, act);
  }

  /** The newest first, those that are revoked too. */
  async all(): Promise<MadeKey[]> {
    const kept = await this.#redis.hgetall(keys.apiKeys);
    return Object.values(kept)
      .map(readKey)
      .sort((a, b) => b.createdAt - a.createdAt);
  }
}

function readKey(text: string): MadeKey {
  return madeKey.parse(JSON.parse(text));
}
