import type { Clock } from '../lib/clock.ts';
import { maskPhone } from '../lib/mask.ts';
import { consequenceOf, type FailureCode, type OperationClass, type Consequence } from './failures.ts';
import { type JsonObject, type JsonReading, readJson, readText } from './json.ts';
import { tellsOfSent } from './messaging/item-code.ts';
import type { Area, CallOptions, UpstreamAccount } from './options.ts';
import { secretsOf } from './account.ts';
import type { Delivery, OutgoingRequest, Transport } from './transport.ts';
import type { HoldCondition, NotOk, ExchangeSummary, UpstreamOperation, Verdict } from './verdict.ts';

const LONGEST_MESSAGE = 200;
const LONGEST_CODE = 40;
const LONGEST_PAUSE_MS = 3_600_000;

/** One thing to ask, and how to read what comes back. */
export interface Question<T> {
  readonly operation: UpstreamOperation;
  readonly kind: OperationClass;
  readonly area: Area;
  readonly letter: OutgoingRequest;
  readonly read: (answer: Answer) => Reading<T>;
}

/** An answer that came whole. `body` is undefined when it was not one JSON object; `problem` says why. */
export interface Answer {
  readonly status: number;
  readonly kind: OperationClass;
  readonly body: JsonObject | undefined;
  readonly problem?: string;
}

export type Reading<T> = Taken<T> | FailureReading;

/** What a success says. */
export interface Taken<T> {
  readonly value: T;
  /** Codes of single texts in it that the interface does not list. */
  readonly strangeCodes?: number;
}

export interface FailureReading {
  readonly code: FailureCode;
  readonly upstreamCode?: string | undefined;
  readonly message?: string | undefined;
  /** Only where the text of the answer says more than its code. */
  readonly consequence?: Consequence;
}

export interface Exchange {
  ask<T>(account: UpstreamAccount, question: Question<T>, call: CallOptions): Promise<Verdict<T>>;
}

interface ExchangeOptions {
  readonly clock: Clock;
  readonly transports: Readonly<Record<Area, Transport>>;
  readonly onExchange: (exchange: ExchangeSummary) => void;
  /** Told of every 429 that names its pause. */
  readonly onThrottle: (account: string, area: Area, retryAfterMs: number) => Promise<void>;
}

/** Turns every exchange into a verdict: the one place where "what came back" becomes "what it means". */
export function createExchange(options: ExchangeOptions): Exchange {
  const { clock } = options;
  return {
    async ask(account, question, call) {
      const started = clock.monotonic();
      const delivery = await options.transports[question.area].deliver(question.letter, call);
      const durationMs = Math.round((clock.monotonic() - started) * 100) / 100;
      const retryAfterMs = pauseOf(delivery, clock);
      const reading = readDelivery(delivery, question, retryAfterMs);
      const exchange = describe(account, question.operation, delivery, reading, durationMs);
      options.onExchange(exchange);
      if (retryAfterMs !== undefined) await options.onThrottle(account.name, question.area, retryAfterMs);
      if ('value' in reading) return { is: 'ok', value: reading.value, exchange };
      const consequence = reading.consequence ?? consequenceOf(reading.code, question.kind);
      return notOk(reading.code, consequence, exchange, retryAfterMs);
    },
  };
}

/** A verdict reached without asking: no exchange took place, and nothing was sent. */
export function unasked(
  account: UpstreamAccount,
  operation: UpstreamOperation,
  code: FailureCode,
  message?: string,
): NotOk {
  const exchange: ExchangeSummary = {
    operation,
    account: account.name,
    code,
    ...(message === undefined ? {} : { message: presentable(message, account) }),
    sent: 'never',
    durationMs: 0,
  };
  return notOk(code, consequenceOf(code, 'effect'), exchange);
}

function notOk(code: string, consequence: Consequence, exchange: ExchangeSummary, retryAfterMs?: number): NotOk {
  if (consequence.startsWith('held:')) {
    return { is: 'held', condition: consequence.slice('held:'.length) as HoldCondition, code, exchange };
  }
  const is = consequence as Exclude<Consequence, `held:${string}`>;
  return { is, code, exchange, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

function readDelivery<T>(delivery: Delivery, question: Question<T>, retryAfterMs?: number): Reading<T> {
  if (delivery.sent !== 'answered') return { code: delivery.code, message: delivery.detail };
  const json: JsonReading | undefined = delivery.text === undefined ? undefined : readJson(delivery.text);
  const body = json && 'object' in json ? json.object : undefined;
  // A refusal for going too fast was decided before any work, whatever the class of the operation.
  if (retryAfterMs !== undefined && !claimsSuccess(body)) return { code: 'throttled' };
  const problem = json === undefined ? 'cut' : 'problem' in json ? json.problem : undefined;
  return question.read({
    status: delivery.status,
    kind: question.kind,
    body,
    ...(problem === undefined ? {} : { problem }),
  });
}

const SUCCESS: ReadonlySet<string> = new Set(['00', 'success', 'sms_sent']);

/** Any spelling of success. An answer that says "too fast" and "done" at once is for nobody to believe. */
export function claimsSuccess(body: JsonObject | undefined): boolean {
  if (body === undefined) return false;
  const words = ['response_code', 'response-code', 'code', 'message'].map((key) => readText(body[key]));
  return body['success'] === true || words.some((word) => word && SUCCESS.has(word)) || tellsOfSent(body);
}

/** Retry-After of a 429 in ms (seconds or an HTTP date), at most an hour; undefined when it names none. */
function pauseOf(delivery: Delivery, clock: Clock): number | undefined {
  if (delivery.sent !== 'answered' || delivery.status !== 429 || delivery.retryAfter === undefined) return undefined;
  const text = delivery.retryAfter.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - clock.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), LONGEST_PAUSE_MS) : undefined;
}

function describe<T>(
  account: UpstreamAccount,
  operation: UpstreamOperation,
  delivery: Delivery,
  reading: Reading<T>,
  durationMs: number,
): ExchangeSummary {
  const failure = 'value' in reading ? undefined : reading;
  const strangeCodes = 'value' in reading ? (reading.strangeCodes ?? 0) : 0;
  return {
    operation,
    account: account.name,
    code: failure?.code ?? 'ok',
    ...(failure?.upstreamCode
      ? { upstreamCode: presentable(failure.upstreamCode, account).slice(0, LONGEST_CODE) }
      : {}),
    ...(delivery.sent === 'answered' ? { httpStatus: delivery.status } : {}),
    ...(strangeCodes > 0 ? { strangeCodes } : {}),
    ...(failure?.message ? { message: presentable(failure.message, account) } : {}),
    sent: delivery.sent,
    durationMs,
  };
}

/** What upstream wrote, fit for a log: on one line, without our keys, without whole phone numbers, and short. */
function presentable(text: string, account: UpstreamAccount): string {
  // Masking long texts costs; nothing after this length is shown anyway.
  let shown = text.slice(0, LONGEST_MESSAGE * 5);
  for (const secret of secretsOf(account)) shown = shown.replaceAll(secret.reveal(), '[secret]');
  shown = maskPhone(shown.replace(/[\p{Cc}\s]+/gu, ' ').trim());
  return shown.slice(0, LONGEST_MESSAGE);
}
