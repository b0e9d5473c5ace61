import { Agent, request } from 'undici';
import type { Random } from '../lib/random.ts';
import type { Answer } from './answers.ts';
import type { Books, CallbackPost } from './books.ts';
import { type CallbackEncoding, writeCallback } from './encodings.ts';
import { faultTable } from './fault-table.ts';
import type { Faults, StandingFault } from './faults.ts';
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
  random: Random;
  /** How often its books were opened before. */
  starts: number;
  /** Raised by what the counts of the books do not show: a decision, a reset. */
  revision: number;
  readonly settings: Settings;
  readonly faults: Faults;
  readonly credentials: Credentials;
  /** What the names of the headers with the keys begin with, in small letters. */
  readonly headerPrefix: string;
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

/**
 * Posts what the service tells a merchant by itself (interface: Events). How often, when and in which writing is
 * undocumented for disbursements, so all of it can be bent by faults and settings.
 */

interface Notice {
  readonly kind: CallbackPost['kind'];
  readonly token: string;
  readonly url: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Told for every post, so that the record can count them. */
  readonly posted: () => void;
}

const ANSWER_WITHIN_MS = 10_000;
const WRONG_HASH = '0'.repeat(128);
const LATE_MS = 5_000;

export class Postman {
  readonly #agent = new Agent({
    headersTimeout: ANSWER_WITHIN_MS,
    bodyTimeout: ANSWER_WITHIN_MS,
    connectTimeout: 5_000,
  });

  /** Posts after the usual delay, unless a fault says otherwise. Resolves when the last post was answered. */
  async send(notice: Notice, world: World): Promise<void> {
    const target = { operation: `${notice.kind}.callback`, url: notice.url, text: JSON.stringify(notice.fields) };
    const { books } = world;
    const struck = world.faults.onCallback(target);
    const has = (fault: StandingFault['fault']) => struck.find((standing) => standing.fault === fault);
    if (has('never calls back')) return;
    const late = has('calls back late');
    const waitMs = world.settings.values.callbackDelayMs + (late ? (late.delayMs ?? LATE_MS) : 0);
    if (waitMs > 0 && !(await world.time.pass(waitMs))) return;
    const letter = write(notice, struck, world);
    await this.#deliver(letter, notice, world);
    if (has('calls back twice') && books === world.books) await this.#deliver(letter, notice, world);
  }

  /** Whether anything answers below HTTP 400 at a callback URL. */
  async probe(url: string, method: 'GET' | 'HEAD' | 'POST'): Promise<boolean> {
    try {
      const { statusCode, body } = await request(url, { method, dispatcher: this.#agent });
      await body.dump();
      return statusCode < 400;
    } catch {
      // Whatever went wrong, the URL did not answer, which is all that was asked.
      return false;
    }
  }

  async stop(): Promise<void> {
    await this.#agent.destroy();
  }

  async #deliver(letter: Letter, notice: Notice, world: World): Promise<void> {
    const { callbackRetries, callbackRetryDelayMs } = world.settings.values;
    const { books } = world;
    for (let attempt = 0; attempt <= callbackRetries; attempt += 1) {
      if (attempt > 0 && !(await world.time.pass(callbackRetryDelayMs))) return;
      notice.posted();
      const answer = await this.#post(notice.url, letter);
      // After a reset nobody knows of it any more.
      if (books !== world.books) return;
      const { kind, token, fields } = notice;
      books.callbacks.push({
        kind,
        token,
        status: String(fields['status']),
        encoding: letter.encoding,
        answer,
      });
      if (typeof answer === 'number' && answer >= 200 && answer < 300) return;
    }
  }

  async #post(url: string, { contentType, body }: Letter): Promise<number | string> {
    try {
      const headers = { 'content-type': contentType };
      const answer = await request(url, { method: 'POST', headers, body, dispatcher: this.#agent });
      await answer.body.dump();
      return answer.statusCode;
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : String(thrown);
    }
  }
}

interface Letter {
  readonly contentType: string;
  readonly body: string;
  readonly encoding: string;
}

function write(notice: Notice, struck: readonly StandingFault[], world: World): Letter {
  const named = (fault: StandingFault['fault']) => struck.some((standing) => standing.fault === fault);
  const usual = notice.kind === 'invoice' ? 'a nested form' : world.settings.values.callbackEncoding;
  const encoding = struck.map(({ fault }) => faultTable[fault].encoding).find((has) => has !== undefined) ?? usual;
  let fields = notice.fields;
  if (named('calls back with a wrong hash')) fields = { ...fields, hash: WRONG_HASH };
  if (named('calls back with fields missing')) fields = everySecond(fields);
  const { contentType, body } = writeCallback(encoding satisfies CallbackEncoding, fields);
  const kept = named('calls back mutilated') ? body.slice(0, Math.floor(body.length / 2)) : body;
  return { contentType, body: kept, encoding };
}

const everySecond = (fields: Notice['fields']): Notice['fields'] =>
  Object.fromEntries(Object.entries(fields).filter((_, index) => index % 2 === 0));
