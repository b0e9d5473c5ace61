import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import type { Random } from '../../lib/random.ts';
import type { Secret } from '../../lib/secret.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a bearer for Redis (AES-256-GCM): append-only files and backups outlive the hour the bearer is good for.
 * The key comes from the account's own secret key, so whoever can open it could have logged in anyway. `place` is
 * bound in: a sealed bearer copied to another account's key does not open.
 */
export function seal(token: string, secretKey: Secret, place: string, random: Random): string {
  const nonce = Buffer.from(random.hex(NONCE_BYTES), 'hex');
  const cipher = createCipheriv('aes-256-gcm', keyFor(secretKey, place), nonce);
  cipher.setAAD(Buffer.from(place));
  const body = Buffer.concat([cipher.update(token, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
}

/** undefined: sealed with another key, for another place, or damaged. The answer to all three is a new login. */
export function unseal(sealed: string, secretKey: Secret, place: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', keyFor(secretKey, place), bytes.subarray(0, NONCE_BYTES));
  decipher.setAAD(Buffer.from(place));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    const body = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([body, decipher.final()]).toString('utf8');
  } catch (error) {
    // GCM reports every mismatch as a bare Error when the text is closed.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

function keyFor(secretKey: Secret, place: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey.reveal(), place, 'relais sms bearer', 32));
}
