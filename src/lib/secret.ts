import { createCipheriv, createDecipheriv, hkdfSync, timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';
import type { Random } from './random.ts';

export const HIDDEN = '[secret]';

/** A value that is hidden by default: printing, logging, JSON and inspection all show `[secret]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself. Call it as late as possible, when it is sent. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}

/** A list for rotation: the first secret is for new data, all are for existing data. */
export function secretsOf(list: Secret | string | undefined): Secret[] {
  const text = typeof list === 'string' ? list : (list?.reveal() ?? '');
  return text
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '')
    .map((secret) => new Secret(secret));
}

/** Compares in a time that does not depend on the first difference. The length is not hidden: these are digests. */
export function sameSecret(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The context of an encrypted text: its kind, and its only valid location. A copy elsewhere does not decrypt. */
export interface SealPlace {
  readonly purpose: string;
  readonly place: string;
}

/**
 * Encrypts a text for storage (AES-256-GCM), because append-only files and backups outlive its use. Each context has
 * its own key and is authenticated. `random` must be the system's.
 */
export function sealText(text: string, key: Secret, at: SealPlace, random: Random): string {
  const nonce = Buffer.from(random.hex(NONCE_BYTES), 'hex');
  const cipher = createCipheriv('aes-256-gcm', keyFor(key, at), nonce);
  cipher.setAAD(boundTo(at));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
}

/** Undefined: encrypted with none of these keys, for another context, or damaged. */
export function unsealText(sealed: string, secrets: readonly Secret[], at: SealPlace): string | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined;
  for (const key of secrets) {
    const text = opened(bytes, keyFor(key, at), boundTo(at));
    if (text !== undefined) return text;
  }
  return undefined;
}

function opened(bytes: Buffer, key: Buffer, bound: Buffer): string | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAAD(bound);
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    const body = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([body, decipher.final()]).toString('utf8');
  } catch (error) {
    // GCM reports every mismatch as a plain Error at the end of the text.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

function boundTo({ purpose, place }: SealPlace): Buffer {
  return Buffer.from(JSON.stringify([purpose, place]));
}

function keyFor(key: Secret, { purpose, place }: SealPlace): Buffer {
  return Buffer.from(hkdfSync('sha256', key.reveal(), place, `relais ${purpose}`, 32));
}
