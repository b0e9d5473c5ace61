/** The Standard Webhooks format: HMAC-SHA256 over `id.timestamp.body`. */
import { createHmac } from 'node:crypto';

export const SECRET_PREFIX = 'whsec_';

export interface SignedMessage {
  /** Equal in every attempt, so that a receiver can drop duplicates. */
  readonly id: string;
  /** Seconds since the epoch, of this attempt: receivers refuse a difference above five minutes. */
  readonly timestampS: number | string;
  /** Exactly the bytes of the request body. */
  readonly body: string | Uint8Array;
}

/** One signature, `v1,` and base64. */
export function signatureOf(secret: string, { id, timestampS, body }: SignedMessage): string {
  return `v1,${createHmac('sha256', keyIn(secret)).update(`${id}.${timestampS}.`).update(body).digest('base64')}`;
}

/** The bytes of a secret in its displayed form. */
export function keyIn(secret: string): Buffer {
  return Buffer.from(secret.replace(SECRET_PREFIX, ''), 'base64');
}
