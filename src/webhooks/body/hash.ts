import { createHash } from 'node:crypto';
import { type Secret, sameSecret } from '../../lib/secret.ts';

const SHA512_HEX = /^[0-9a-f]{128}$/;

/**
 * Whether a callback's `hash` is the SHA-512 of one of these master keys (the current one and those before it). It
 * proves nothing about the rest of the body: it is the same in every message, so a stranger that saw one can
 * write another.
 */
export function hashMatches(hash: Secret | undefined, masterKeys: readonly Secret[]): boolean {
  const given = hash?.reveal().trim().toLowerCase() ?? '';
  let matches = false;
  for (const key of masterKeys) {
    const expected = createHash('sha512').update(key.reveal()).digest('hex');
    matches = sameSecret(expected, given) || matches;
  }
  return matches && SHA512_HEX.test(given);
}
