/** The Standard Webhooks format: HMAC-SHA256 over `id.timestamp.body`. */
import { createHmac } from 'node:crypto';

export const SECRET_PREFIX = 'whsec_';

export interface SignedMessage {
  /** The same for every attempt, so that a receiver can drop what it has seen. */
  readonly id: string;
  /** Seconds since the epoch, of this attempt: receivers refuse what is more than five minutes old. */
  readonly timestampS: number | string;
  /** Exactly the bytes that are posted. */
  readonly body: string | Uint8Array;
}

/** One signature, `v1,` and base64. */
export function signatureOf(secret: string, { id, timestampS, body }: SignedMessage): string {
  return `v1,${createHmac('sha256', keyIn(secret)).update(`${id}.${timestampS}.`).update(body).digest('base64')}`;
}

/** The bytes of a secret as it is told. */
export function keyIn(secret: string): Buffer {
  return Buffer.from(secret.replace(SECRET_PREFIX, ''), 'base64');
}
