/**
 * Digests that recognise a hash of the provider. The provider posts the SHA-512 of the master key, the same in every
 * message. relais stores a hash of that hash, which cannot be posted in its place. The digest remains after a change
 * of the key: earlier and late callbacks come from the provider too.
 */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Secret } from '../lib/secret.ts';
import { keys } from './keys.ts';

const FIELD = 'hash:';

export const digestOfHash = (hash: string): string => createHash('sha256').update(hash).digest('hex');

export const digestOfKey = (masterKey: Secret): string =>
  digestOfHash(createHash('sha512').update(masterKey.reveal()).digest('hex'));

/** By the fingerprint of the keys that the master key was one of. */
export type KeyDigests = ReadonlyMap<string, string>;

export async function noteKeyDigest(
  redis: Redis,
  { account, fingerprint }: { readonly account: string; readonly fingerprint: string },
  masterKey: Secret,
): Promise<void> {
  await redis.hset(keys.account(account), FIELD + fingerprint, digestOfKey(masterKey));
}

export async function keyDigestsOf(redis: Redis, account: string): Promise<KeyDigests> {
  const fields = Object.entries(await redis.hgetall(keys.account(account)));
  return new Map(
    fields.flatMap(([name, digest]) => (name.startsWith(FIELD) ? [[name.slice(FIELD.length), digest]] : [])),
  );
}
