import { createHash, timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';

const HIDDEN = '[secret]';

/** A value that shows itself only when asked: printing, logging, JSON and inspection all give `[secret]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself. Call it at the last moment, where it goes on the wire. */
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

/** A list that rotates a secret: the first is used for what is new, all of them for what is there. */
export function secretsOf(list: Secret | string | undefined): Secret[] {
  const text = typeof list === 'string' ? list : (list?.reveal() ?? '');
  return text
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '')
    .map((secret) => new Secret(secret));
}

/** Compares in a time that does not depend on where the texts differ, nor on their lengths. */
export function sameSecret(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
