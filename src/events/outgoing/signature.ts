/**
 * Signing what we tell others, in the Standard Webhooks format: HMAC-SHA256 over `id.timestamp.body`, so that a
 * receiver can check with a library in its own language that we said it, just now, and to the letter.
 */
import { createHmac } from 'node:crypto';
import type { Random } from '../../lib/random.ts';
import { Secret } from '../../lib/secret.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export interface SignedMessage {
  /** The id of the event: the same for every attempt, so that a receiver can drop what it has seen. */
  readonly id: string;
  /** Seconds since the epoch, of this attempt: receivers refuse what is more than five minutes old. */
  readonly timestampS: number;
  /** Exactly the bytes that are posted. */
  readonly body: string;
}

/** `whsec_` and 256 bits in base64. The owner of the endpoint is shown it once. */
export function newEndpointSecret(random: Random): Secret {
  return new Secret(`${PREFIX}${Buffer.from(random.hex(SECRET_BYTES), 'hex').toString('base64')}`);
}

/** One signature, `v1,` and base64. */
export function standardSignature(secret: Secret, { id, timestampS, body }: SignedMessage): string {
  const key = Buffer.from(secret.reveal().replace(PREFIX, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampS}.${body}`).digest('base64')}`;
}

/** The headers of a delivery, signed with every secret given: while one replaces another, either checks. */
export function signedHeaders(secrets: readonly Secret[], message: SignedMessage): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestampS),
    'webhook-signature': secrets.map((secret) => standardSignature(secret, message)).join(' '),
  };
}
