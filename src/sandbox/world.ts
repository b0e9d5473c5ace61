import type { Random } from '../lib/random.ts';
import type { Answer } from './answers.ts';
import type { Books } from './books.ts';
import type { Postman } from './callbacks.ts';
import type { Faults } from './faults.ts';
import type { Endpoint } from './operations.ts';
import type { Settings } from './settings.ts';
import type { SandboxTime } from './time.ts';

/** What a client must present. Not secrets: they open nothing but this program. */
export interface Credentials {
  readonly masterKey: string;
  readonly privateKey: string;
  readonly token: string;
  readonly smsUserKey: string;
  readonly smsSecretKey: string;
  readonly smsAppKey: string;
  /** The sender signature configured on the messaging account. */
  readonly smsSender: string;
}

/** The bearer tokens that were given out, and until when each is good. */
export class TokenBook {
  readonly #endsAt = new Map<string, number>();

  give(random: Random, endsAt: number): string {
    const token = random.hex(24);
    this.#endsAt.set(token, endsAt);
    return token;
  }

  /** The error code a token deserves, or undefined when it is good. */
  refusal(token: string, now: number): 'ERROR_121' | 'ERROR_122' | undefined {
    const endsAt = this.#endsAt.get(token);
    if (endsAt === undefined) return 'ERROR_122';
    return now >= endsAt ? 'ERROR_121' : undefined;
  }

  expire(token: string): void {
    if (this.#endsAt.has(token)) this.#endsAt.set(token, 0);
  }

  clear(): void {
    this.#endsAt.clear();
  }
}

/** Everything a handler may touch. Time and chance come only from here. */
export interface World {
  readonly time: SandboxTime;
  readonly random: Random;
  readonly settings: Settings;
  readonly faults: Faults;
  readonly credentials: Credentials;
  readonly postman: Postman;
  readonly tokens: TokenBook;
  /** Replaced by a reset. */
  books: Books;
  /** disburse_ids and the token each was used up by. */
  readonly disburseIds: Map<string, string>;
  /** The address of the payment host, once it listens. */
  base: string;
}

/** One request that was let in. */
export interface Ask {
  readonly endpoint: Endpoint;
  readonly operation: string;
  readonly url: string;
  /** The body as it came. */
  readonly text: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}

export type Handler = (ask: Ask, world: World) => Answer | Promise<Answer>;

/** `errorStatus` decides the HTTP status of errors for which the page gives none. */
export const undocumentedStatus = (world: World, meaningful: number): number =>
  world.settings.values.errorStatus === '200' ? 200 : meaningful;

/** Parses the body as JSON; a body that is none is booked as a breach and undefined. */
export function readJson({ operation, text }: Ask, { books }: World): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    books.breach(operation, 'the body is not JSON');
    return undefined;
  }
}
