/**
 * The verdict about the `hash` of a callback, the SHA-512 of the master key. The hash is equal in every message, so
 * it proves nothing about the rest of the body. A wrong hash means that the provider did not write the callback.
 */
import { sameSecret, type Secret } from '../lib/secret.ts';
import { type KeyDigests, digestOfHash, digestOfKey } from '../operations/key-hashes.ts';
import { WRONG_HASH } from '../operations/transition.ts';

/** `hash_unverified`: the possible keys are unknown, as without a hash. */
export type HashVerdict = 'hash_right' | typeof WRONG_HASH | 'hash_unverified';

export interface KnownHashes {
  readonly digests: readonly string[];
  /** Whether these are all keys of the account, so that another hash is wrong. */
  readonly areAll: boolean;
}

interface OwnKeys {
  readonly masterKey?: Secret | undefined;
  /** Fingerprints of replaced keys. */
  readonly keysBefore: readonly string[];
}

export function knownHashes(noted: KeyDigests, own: OwnKeys = { keysBefore: [] }): KnownHashes {
  const digests = [...noted.values(), ...(own.masterKey ? [digestOfKey(own.masterKey)] : [])];
  return { digests, areAll: digests.length > 0 && own.keysBefore.every((fingerprint) => noted.has(fingerprint)) };
}

/** Digest of this process's key: it matches most callbacks without a read of the store. */
export const ownDigest = ({ masterKey }: OwnKeys): string | undefined => masterKey && digestOfKey(masterKey);

const SHA512_HEX = /^[0-9a-f]{128}$/;

export function verdictOfHash(hash: Secret, { digests, areAll }: KnownHashes): HashVerdict {
  const given = hash.reveal().trim().toLowerCase();
  if (!SHA512_HEX.test(given)) return WRONG_HASH;
  const digest = digestOfHash(given);
  let isKnown = false;
  for (const known of digests) isKnown = sameSecret(known, digest) || isKnown;
  if (isKnown) return 'hash_right';
  return areAll ? WRONG_HASH : 'hash_unverified';
}
