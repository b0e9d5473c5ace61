import { type Clock, readRetryAfter } from '../lib/clock.ts';
import { readJson as readStrictJson } from '../lib/json.ts';
import { maskPhone } from '../lib/phone.ts';
import { type Area, type UpstreamAccount, type UpstreamOptions, secretsOf } from './account.ts';
import type { CallOptions, Delivery, OutgoingRequest, Transport } from './transport.ts';
import {
  consequenceOf,
  type FailureCode,
  type OperationClass,
  type Consequence,
  type HoldCondition,
  type NotOk,
  type ExchangeSummary,
  type UpstreamOperation,
  type Verdict,
  listedCode,
} from './verdict.ts';

const LONGEST_MESSAGE = 200;
const LONGEST_CODE = 40;
const LONGEST_PAUSE_MS = 3_600_000;
const OWN_PAUSE_MS = 10_000;

/** One request, and how to read its answer. */
export interface Question<T> {
  readonly operation: UpstreamOperation;
  readonly kind: OperationClass;
  readonly area: Area;
  readonly letter: OutgoingRequest;
  readonly read: (answer: Answer) => Reading<T>;
}

/** A complete answer. `body` is undefined if it is not one JSON object; `problem` gives the reason. */
export interface Answer {
  readonly status: number;
  readonly kind: OperationClass;
  readonly body: JsonObject | undefined;
  readonly problem?: string;
}

export type Reading<T> = Taken<T> | FailureReading;

/** The content of a success. */
export interface Taken<T> {
  readonly value: T;
  /** Codes of single SMS in it that the interface does not list. */
  readonly strangeCodes?: number;
}

export interface FailureReading {
  readonly code: FailureCode;
  readonly upstreamCode?: string | undefined;
  readonly message?: string | undefined;
  /** Only if the text of the answer is more specific than its code. */
  readonly consequence?: Consequence;
}

export interface Exchange {
  ask<T>(account: UpstreamAccount, question: Question<T>, call: CallOptions): Promise<Verdict<T>>;
}

interface ExchangeOptions {
  readonly clock: Clock;
  readonly transports: Readonly<Record<Area, Transport>>;
  readonly onExchange: UpstreamOptions['onExchange'];
  /** Receives every 429 with a pause. */
  readonly onThrottle: (account: string, area: Area, retryAfterMs: number) => Promise<void>;
}

/** Turns every exchange into a verdict: the one place that interprets answers. */
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
      options.onExchange(exchange, question.letter);
      if (retryAfterMs !== undefined) await options.onThrottle(account.name, question.area, retryAfterMs);
      if ('value' in reading) return { is: 'ok', value: reading.value, exchange };
      const consequence = reading.consequence ?? consequenceOf(reading.code, question.kind);
      return notOk(reading.code, consequence, exchange, retryAfterMs);
    },
  };
}

/** A verdict without an exchange: nothing was sent. */
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
  // A rate-limit refusal precedes any work, for every class of operation.
  if (retryAfterMs !== undefined && !claimsSuccess(body)) return { code: 'throttled' };
  const problem = json === undefined ? 'cut' : 'problem' in json ? whatCame(json.problem, delivery) : undefined;
  return question.read({
    status: delivery.status,
    kind: question.kind,
    body,
    ...(problem === undefined ? {} : { problem }),
  });
}

const LONGEST_BEGINNING = 100;
const LONGEST_HEADER = 40;

/** A description of an unreadable answer for the log: no customer data follows the first bracket. */
function whatCame(
  problem: string,
  { type = 'no type', encoding, text = '' }: Extract<Delivery, { sent: 'answered' }>,
): string {
  const headers = [type, ...(encoding === undefined ? [] : [encoding])].map((value) =>
    value.slice(0, LONGEST_HEADER),
  );
  const beginning = text.trim() === '' ? [] : [`begins: ${beginningOf(text)}`];
  return `${problem} (${[...headers, ...beginning].join(', ')})`;
}

function beginningOf(text: string): string {
  const beginning = text.replace(/^\uFEFF/, '').slice(0, LONGEST_BEGINNING);
  if (/\uFFFD|[^\P{Cc}\s]/u.test(beginning)) return 'bytes, no text';
  // One-time passwords have this many digits. Longer numbers are masked like phone numbers.
  return beginning
    .replace(/([{[])[^]*$/, '$1…')
    .replace(/\S+@\S+/g, '[email]')
    .replace(/(?<!\d)\d{4,6}(?!\d)/g, '••••');
}

const SUCCESS: ReadonlySet<string> = new Set(['00', 'success', 'sms_sent']);

/** Any spelling of success. An answer with both "too fast" and "done" is not trusted. */
export function claimsSuccess(body: JsonObject | undefined): boolean {
  if (body === undefined) return false;
  const words = ['response_code', 'response-code', 'code', 'message'].map((key) => readText(body[key]));
  return body['success'] === true || words.some((word) => word && SUCCESS.has(word)) || tellsOfSent(body);
}

/** The pause that a 429 requests, ms, at most an hour; our own if it is unreadable. Undefined: none. */
function pauseOf(delivery: Delivery, clock: Clock): number | undefined {
  if (delivery.sent !== 'answered' || delivery.status !== 429 || delivery.retryAfter === undefined) return undefined;
  return Math.min(readRetryAfter(delivery.retryAfter, clock.now()) ?? OWN_PAUSE_MS, LONGEST_PAUSE_MS);
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

/** The provider's text for a log: one line, without our keys and full phone numbers, and short. */
function presentable(text: string, account: UpstreamAccount): string {
  // Masking long texts is slow, and text after this length is never shown.
  let shown = text.slice(0, LONGEST_MESSAGE * 5);
  for (const secret of secretsOf(account)) shown = shown.replaceAll(secret.reveal(), '[secret]');
  shown = maskPhone(shown.replace(/[\p{Cc}\s]+/gu, ' ').trim(), 'anybody');
  return shown.slice(0, LONGEST_MESSAGE);
}

/** Item codes that do not show whether the SMS left: as for the whole request, only a check settles it. */
const UNCLEAR: ReadonlySet<string> = new Set(['ERROR_101', 'ERROR_102', 'ERROR_103', 'ERROR_116']);

/**
 * interface: SMS records call it only "SMS code". It is `00`, or the provider's number of the SMS: at least 8
 * characters, so that no status word matches.
 */
const NUMBER = /^(?!err)(?=.*\d)[\w.-]{8,64}$/i;
const SENT_WORDS: ReadonlySet<string> = new Set(['00', 'sent', 'sms_sent', 'success', 'ok', 'accepted', 'delivered']);

/** The stored part of an invalid code: enough for a support request to the provider, without a number or text. */
const PLAIN = /^(?!.*\d{7})[\w.:-]{1,40}$/;

export interface ItemCode {
  /** A clear yes, a clear no, or neither. */
  readonly outcome: 'sent' | 'failed' | 'unknown';
  /** The provider's spelling, if it is safe to show. */
  readonly code?: string | undefined;
  /** The code is not in the interface. */
  readonly strange: boolean;
}

/**
 * The code of one SMS, in the answer to a send and in statistics. An allow-list: an SMS counts as sent only if the
 * provider reports it in a known form.
 */
export function readItemCode(item: JsonObject): ItemCode {
  const code = readText(item['code']);
  const beside = besideOf(item);
  const documented = code !== undefined && code.startsWith('ERROR_') && listedCode(code) !== undefined;
  if (documented) {
    const clear = !UNCLEAR.has(code) && beside !== 'sent';
    return { outcome: clear ? 'failed' : 'unknown', code, strange: beside === 'sent' };
  }
  const told = code === '00' || (code !== undefined && NUMBER.test(code));
  if (told && beside !== 'not sent') return { outcome: 'sent', code, strange: false };
  return { outcome: 'unknown', code: code !== undefined && PLAIN.test(code) ? code : undefined, strange: true };
}

/** Whether an answer lists any SMS as sent, whatever its overall result. */
export function tellsOfSent({ data }: JsonObject): boolean {
  const list: unknown = isObject(data) ? data['sms'] : undefined;
  return Array.isArray(list) && list.some((item) => isObject(item) && readItemCode(item).outcome === 'sent');
}

/** A status or an error next to the code; the interface has neither. */
function besideOf({ status, error }: JsonObject): 'sent' | 'not sent' | 'nothing' {
  if (!isNothing(error) && error !== false) return 'not sent';
  if (isNothing(status)) return 'nothing';
  return SENT_WORDS.has(readText(status)?.toLowerCase() ?? '') ? 'sent' : 'not sent';
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

export type JsonObject = Readonly<Record<string, unknown>>;

type JsonReading =
  | { readonly object: JsonObject }
  | { readonly problem: 'empty' | 'html' | 'not_json' | 'duplicate_keys' | 'too_deep' | 'not_an_object' };

const PROBLEMS = { 'no JSON': 'not_json', 'too deep': 'too_deep', ambiguous: 'duplicate_keys' } as const;

/**
 * Parses an answer strictly. A duplicate key makes it unreadable: parsers differ in which value they use, and one of
 * them may be `00`.
 */
export function readJson(text: string): JsonReading {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  if (trimmed === '') return { problem: 'empty' };
  if (trimmed.startsWith('<')) return { problem: 'html' };
  const read = readStrictJson(trimmed);
  if ('wrong' in read) return { problem: PROBLEMS[read.is] };
  return isObject(read.value) ? { object: read.value } : { problem: 'not_an_object' };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A non-empty trimmed text; a whole number is accepted, since the interface is loose about identifiers. */
export function readText(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  if (typeof value !== 'string') return undefined;
  return value.trim() || undefined;
}
