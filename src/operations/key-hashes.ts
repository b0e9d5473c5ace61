/**
 * Digests that verify a hash of the provider. The provider sends the SHA-512 of the master key, equal in every
 * message. relais stores a hash of that hash, which cannot be sent in its place. The digest remains after a change of
 * the key: earlier and late callbacks come from the provider too.
 */
import { createHash } from 'node:crypto';
import type { Secret } from '../lib/secret.ts';

export const digestOfHash = (hash: string): string => createHash('sha256').update(hash).digest('hex');

export const digestOfKey = (masterKey: Secret): string =>
  digestOfHash(createHash('sha512').update(masterKey.reveal()).digest('hex'));

/** By the fingerprint of the keys that include the master key. */
export type KeyDigests = ReadonlyMap<string, string>;
