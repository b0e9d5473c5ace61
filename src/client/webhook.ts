/** For receivers of webhooks: verifies origin, time and content. */
import { timingSafeEqual } from 'node:crypto';
import { type Clock, systemClock, toMs } from '../lib/clock.ts';
import { keyIn, signatureOf } from '../lib/webhook-signature.ts';
import type { Event } from './generated/api.ts';

export interface Posted {
  /** The endpoint's secret, shown at its creation: `whsec_…`. Several during a rotation. */
  readonly secret: string | readonly string[];
  /** The request's headers: those of Node, or of `Request`. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes as received: not a value parsed by a framework. */
  readonly body: string | Uint8Array;
  /** Maximum age, and maximum time in the future. Default: `5m`. */
  readonly tolerance?: string;
}

/** It is not from relais, was changed on its way, or is a replay of an old one. Answer 400, and do nothing. */
export class NotFromRelais extends Error {
  override readonly name = 'NotFromRelais';
}

/** The minimum length: 24 characters of base64 are 18 bytes. */
const SECRET_MIN_BYTES = 16;

/**
 * The delivered event; throws `NotFromRelais`, and a TypeError for an invalid secret. Its `id` is equal in each
 * delivery: store the ids you have handled.
 */
export function verifyWebhook(posted: Posted, clock: Pick<Clock, 'now'> = systemClock): Event {
  const { secret, headers, body, tolerance = '5m' } = posted;
  const secrets = typeof secret === 'string' ? [secret] : secret;
  for (const one of secrets) requireSecret(one);
  const [id, timestampS, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (!id || !timestampS || !signatures) throw new NotFromRelais('it has not the headers of a signed delivery');
  const ageMs = Math.abs(clock.now() - Number(timestampS) * 1_000);
  // NaN must fail too.
  if (!(ageMs <= toMs(tolerance))) throw new NotFromRelais('it was posted too long ago, or its time is wrong');
  const given = signatures.split(' ');
  const fits = secrets.some((one) => {
    const ours = signatureOf(one, { id, timestampS, body });
    return given.some((theirs) => isSame(ours, theirs));
  });
  if (!fits) throw new NotFromRelais('no signature is of these secrets and these bytes');
  return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as Event;
}

/** An empty secret is no protection. */
function requireSecret(secret: string): void {
  if (keyIn(secret).length >= SECRET_MIN_BYTES) return;
  throw new TypeError('a secret is not set, or is none: it is what was answered when the endpoint was made, whsec_…');
}

function headerOf(headers: Posted['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1];
  return typeof value === 'object' ? value[0] : value;
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
