/**
 * Posts what the service tells a merchant by itself (interface: Events). How often, when and in which writing is
 * undocumented for disbursements, so all of it can be bent by faults and settings.
 */
import { Agent, request } from 'undici';
import type { CallbackPost } from './books.ts';
import { type CallbackEncoding, writeCallback } from './encodings.ts';
import { faultTable } from './fault-table.ts';
import type { StandingFault } from './faults.ts';
import type { World } from './world.ts';

export interface Notice {
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
    const struck = world.faults.onCallback(target);
    const has = (fault: StandingFault['fault']) => struck.find((standing) => standing.fault === fault);
    if (has('never calls back')) return;
    const late = has('calls back late');
    const waitMs = world.settings.values.callbackDelayMs + (late ? (late.delayMs ?? LATE_MS) : 0);
    if (waitMs > 0) await new Promise<void>((resolve) => world.time.after(waitMs, resolve));
    const letter = write(notice, struck, world);
    await this.#deliver(letter, notice, world);
    if (has('calls back twice')) await this.#deliver(letter, notice, world);
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
    for (let attempt = 0; attempt <= callbackRetries; attempt += 1) {
      if (attempt > 0) await new Promise<void>((resolve) => world.time.after(callbackRetryDelayMs, resolve));
      notice.posted();
      const answer = await this.#post(notice.url, letter);
      const { kind, token, fields } = notice;
      world.books.callbacks.push({
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
