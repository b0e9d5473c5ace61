import { digitsOf } from '../../lib/phone.ts';
import { type UpstreamAccount, messagingKeys, type MessagingKeys } from '../account.ts';
import {
  unasked,
  type Exchange,
  type Question,
  type Taken,
  type JsonObject,
  isObject,
  readText,
  type ItemCode,
  readItemCode,
  type Answer,
  type Reading,
  tellsOfSent,
} from '../exchange.ts';
import type { CallOptions } from '../transport.ts';
import { type Verdict, type UpstreamOperation, codeOfStatus, type FailureCode, listedCode } from '../verdict.ts';
import { ACCEPT } from './login.ts';
import type { Tokens } from './token.ts';
import { CONTESTED } from './token-store.ts';

export interface OutgoingMessage {
  /** The sender ID; the account's own if absent. */
  readonly from?: string | undefined;
  /** In international form, with or without `+`. */
  readonly to: string;
  readonly text: string;
}

/** The result of one message of the request. `sent`: the provider accepted it, not that it was delivered. */
export interface SentItem {
  /** The index of the message in the request. */
  readonly index: number;
  /** The provider's SMS code. */
  readonly code?: string | undefined;
  /** The sender ID that the provider reports: an unconfigured one is replaced silently. */
  readonly sender?: string | undefined;
  readonly outcome: 'sent' | 'failed' | 'unknown';
  /** The status of the SMS is neither yes nor no in a known form. */
  readonly strange?: boolean;
}

interface StatisticsRequest {
  /** At most 50 numbers, in international form. */
  readonly numbers: readonly string[];
  /** `YYYY-MM-DD HH:MM:SS`; the zone is not documented, so add a day on each side. */
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
}

export interface Statistics {
  /** Numbers (digits only) that the provider calls invalid. */
  readonly invalid: readonly string[];
  /** Digits → SMS sent to the number. A missing number proves nothing; an empty list means never sent to, so far. */
  readonly sent: ReadonlyMap<string, readonly { readonly code: string; readonly content: string }[]>;
  /** Digits → SMS listed with an unclear code. They prove nothing. */
  readonly unclear?: ReadonlyMap<string, readonly string[]>;
}

export interface Messaging {
  /** Obtains the bearer in advance, so that the next send needs no login. */
  readonly prepare: (
    account: UpstreamAccount,
    call?: CallOptions,
  ) => Promise<Verdict<{ readonly usableForMs: number }>>;
  /** Rejects only before anything has left: the bearer is shared in PostgreSQL, which may be away. */
  readonly send: (
    account: UpstreamAccount,
    request: { readonly messages: readonly OutgoingMessage[] },
    call?: CallOptions,
  ) => Promise<Verdict<{ readonly items: readonly SentItem[] }>>;
  readonly statistics: (
    account: UpstreamAccount,
    request: StatisticsRequest,
    call?: CallOptions,
  ) => Promise<Verdict<Statistics>>;
}

/** interface: Messaging area. */
export function createMessaging(context: MessagingContext): Messaging {
  return {
    prepare: async (account) => {
      const keys = messagingKeys(account);
      if (typeof keys === 'string') return unasked(account, 'sms_login', keys);
      const bearer = await context.tokens.bearer(account, keys);
      return bearer.is === 'ok' ? { ...bearer, value: { usableForMs: bearer.value.usableForMs } } : bearer;
    },
    send: createSend(context),
    statistics: createStatistics(context),
  };
}

interface MessagingContext {
  readonly exchange: Exchange;
  readonly tokens: Tokens;
  readonly crmUrl: string;
  readonly numberFormat: 'plus' | 'digits' | '00';
}

/** A call with the bearer, and the application key in its body. */
interface MessagingQuestion<T> {
  readonly operation: UpstreamOperation;
  readonly kind: 'read' | 'effect';
  readonly path: string;
  readonly body: (keys: MessagingKeys) => Readonly<Record<string, unknown>>;
  readonly read: Question<T>['read'];
}

/**
 * Calls with the shared bearer. A refused bearer is refused before any work, so the request is repeated once with a
 * new bearer; after a second refusal the caller waits.
 */
async function askMessaging<T>(
  context: MessagingContext,
  account: UpstreamAccount,
  question: MessagingQuestion<T>,
  call: CallOptions,
): Promise<Verdict<T>> {
  const keys = messagingKeys(account);
  if (typeof keys === 'string') return unasked(account, question.operation, keys);
  const bearer = await context.tokens.bearer(account, keys);
  if (bearer.is !== 'ok') return bearer;
  const verdict = await context.exchange.ask(account, write(context, question, keys, bearer.value.token), call);
  if (verdict.is === 'ok' || !isTokenRefusal(verdict.code)) return verdict;

  const refused = await context.tokens.refused(account, keys, bearer.value.generation);
  if (refused.contested) return unasked(account, question.operation, CONTESTED.code);
  if (refused.waitMs > 0) return { ...verdict, retryAfterMs: refused.waitMs } as Verdict<T>;
  const renewed = await context.tokens.bearer(account, keys);
  if (renewed.is !== 'ok') return renewed;
  const second = await context.exchange.ask(account, write(context, question, keys, renewed.value.token), call);
  if (second.is === 'ok' || !isTokenRefusal(second.code)) return second;
  const { waitMs, contested } = await context.tokens.refused(account, keys, renewed.value.generation);
  // A bearer is refused before any work, so nothing was done. The verdict names the reason for the wait.
  return contested
    ? unasked(account, question.operation, CONTESTED.code)
    : ({ ...second, retryAfterMs: waitMs } as Verdict<T>);
}

function write<T>(
  context: MessagingContext,
  question: MessagingQuestion<T>,
  keys: MessagingKeys,
  token: string,
): Question<T> {
  return {
    operation: question.operation,
    kind: question.kind,
    area: 'messaging',
    read: question.read,
    letter: {
      method: 'POST',
      url: `${context.crmUrl}${question.path}`,
      headers: { Authorization: `Bearer ${token}`, Accept: ACCEPT, 'Content-Type': 'application/json' },
      body: JSON.stringify(question.body(keys)),
      fresh: false,
      abortable: question.kind === 'read',
    },
  };
}

/** interface: Limits. */
const MOST_MESSAGES = 50;

/** interface: Send SMS. One request, up to 50 SMS. The provider cannot recognise a repeated request. */
function createSend(context: MessagingContext): Messaging['send'] {
  return async (account, { messages }, call = {}) => {
    if (messages.length < 1 || messages.length > MOST_MESSAGES) return unasked(account, 'sms_send', 'ERROR_111');
    const usual = account.smsSender?.trim();
    const sms = messages.map(({ from, to, text }) => ({
      from: from?.trim() || usual,
      to: writeNumber(to, context.numberFormat),
      text,
    }));
    // Without a sender ID the provider would silently use its own test name.
    if (sms.some(({ from }) => !from)) return unasked(account, 'sms_send', 'missing_sms_sender');
    return askMessaging(
      context,
      account,
      {
        operation: 'sms_send',
        kind: 'effect',
        path: '/api/v1/sms/send',
        body: ({ appKey }) => ({ send_sms_request: { type: 'application', app_key: appKey.reveal(), sms } }),
        read: (answer) => readSms(answer, (body) => told(readItems(messages, body))),
      },
      call,
    );
  };
}

function told(items: readonly SentItem[]): Taken<{ readonly items: readonly SentItem[] }> {
  return { value: { items }, strangeCodes: items.filter(({ strange }) => strange).length };
}

function readItems(messages: readonly OutgoingMessage[], body: JsonObject): readonly SentItem[] {
  const data = isObject(body['data']) ? body['data'] : {};
  const list: readonly unknown[] = Array.isArray(data['sms']) ? data['sms'] : [];
  return inOrder(messages, list) ?? attribute(messages, list.filter(isObject).map(readResult));
}

/** Results are mostly in the order of the request, which needs no search. */
function inOrder(messages: readonly OutgoingMessage[], results: readonly unknown[]): readonly SentItem[] | undefined {
  const items: SentItem[] = [];
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index];
    const result = results[index];
    if (!message || !isObject(result) || result['text'] !== message.text || !isTo(message, result)) return undefined;
    items.push(itemFor(index, readItemCode(result), senderIn(result)));
  }
  return items;
}

/** Numbers are mostly returned as written, which needs no parsing. */
const isTo = ({ to }: OutgoingMessage, result: JsonObject): boolean =>
  result['receiver_address'] === to || digitsIn(result) === digitsOf(to);
const digitsIn = (result: JsonObject): string => digitsOf(readText(result['receiver_address']) ?? '');
const senderIn = (result: JsonObject): string | undefined =>
  readText(result['sender_addresss']) ?? readText(result['sender_address']);

interface Result {
  readonly digits: string;
  readonly text: unknown;
  readonly code: ItemCode;
  readonly sender: string | undefined;
}

function readResult(result: JsonObject): Result {
  return { digits: digitsIn(result), text: result['text'], code: readItemCode(result), sender: senderIn(result) };
}

/**
 * Assigns results to messages: by receiver and text, in order among equals; then by receiver alone if one message and
 * one result are left for it (the provider may have rewritten the text). The rest is unknown.
 */
function attribute(messages: readonly OutgoingMessage[], results: readonly Result[]): SentItem[] {
  const digits = messages.map(({ to }) => digitsOf(to));
  const isFor = (index: number, result: Result | undefined): boolean =>
    result !== undefined && result.digits === digits[index] && result.text === messages[index]?.text;
  const free = new Map<string, Result[]>();
  for (const result of results) free.set(result.digits, [...(free.get(result.digits) ?? []), result]);
  const found = messages.map((_, index) => {
    const left = free.get(digits[index] ?? '') ?? [];
    const at = left.findIndex((result) => isFor(index, result));
    return at < 0 ? undefined : left.splice(at, 1)[0];
  });
  return messages.map((_, index) => {
    const left = free.get(digits[index] ?? '') ?? [];
    const waiting = found[index] ? 0 : digits.filter((other, at) => !found[at] && other === digits[index]).length;
    const match = found[index] ?? (left.length === 1 && waiting === 1 ? left[0] : undefined);
    return match ? itemFor(index, match.code, match.sender) : { index, outcome: 'unknown' };
  });
}

function itemFor(index: number, { outcome, code, strange }: ItemCode, sender: string | undefined): SentItem {
  return strange ? { index, outcome, code, sender, strange } : { index, outcome, code, sender };
}

const MOST_NUMBERS = 50;

/** interface: SMS statistics. The only status check of an SMS that may have been sent. */
function createStatistics(context: MessagingContext): Messaging['statistics'] {
  return async (account, { numbers, startDate = '', endDate = '' }, call = {}) => {
    if (numbers.length < 1 || numbers.length > MOST_NUMBERS) {
      return unasked(account, 'sms_statistics', 'field_invalid', `numbers: 1 to ${MOST_NUMBERS}`);
    }
    const filters = {
      receiver_address: numbers.map((number) => ({ value: writeNumber(number, context.numberFormat) })),
      start_date: startDate,
      end_date: endDate,
    };
    return askMessaging(
      context,
      account,
      {
        operation: 'sms_statistics',
        kind: 'read',
        path: '/api/v1/sms/stats',
        body: ({ appKey }) => ({ sms_sent: { type: 'application', app_key: appKey.reveal(), filters } }),
        read: (answer) => readSms(answer, readStatistics),
      },
      call,
    );
  };
}

/** `invalid_number` is present only if there is one; `valid_number` is a list of objects, each keyed by a number. */
function readStatistics(body: JsonObject): Taken<Statistics> | undefined {
  const data = body['data'];
  if (!isObject(data)) return undefined;
  const invalid = listOf(data['invalid_number'])
    .map((item) => (isObject(item) ? readText(item['value']) : readText(item)))
    .filter((number) => number !== undefined)
    .map(digitsOf);
  const sent = new Map<string, { code: string; content: string }[]>();
  const unclear = new Map<string, string[]>();
  let strangeCodes = 0;
  for (const [number, listed] of listOf(data['valid_number']).filter(isObject).flatMap(Object.entries)) {
    const digits = digitsOf(number);
    const entries = listOf(listed).filter(isObject).map(readEntry);
    const clear = entries.filter(({ isSent }) => isSent).map(({ code, content }) => ({ code, content }));
    const others = entries.filter(({ isSent }) => !isSent).map(({ content }) => content);
    sent.set(digits, [...(sent.get(digits) ?? []), ...clear]);
    if (others.length > 0) unclear.set(digits, [...(unclear.get(digits) ?? []), ...others]);
    strangeCodes += entries.filter(({ strange }) => strange).length;
  }
  return { value: { invalid, sent, unclear }, strangeCodes };
}

interface Entry {
  readonly code: string;
  readonly content: string;
  readonly isSent: boolean;
  readonly strange: boolean;
}

function readEntry(entry: JsonObject): Entry {
  const { code = '', outcome, strange } = readItemCode(entry);
  const content = entry['content'];
  return { code, content: typeof content === 'string' ? content : '', isSent: outcome === 'sent', strange };
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

const PREFIX = { plus: '+', digits: '', '00': '00' } as const;

/** interface: SMS records, "international format". The exact form is not documented. */
function writeNumber(number: string, format: 'plus' | 'digits' | '00'): string {
  return PREFIX[format] + digitsOf(number);
}

const SUCCESS = new Set(['00', 'success']);
const TOKEN_CODES: ReadonlySet<string> = new Set([
  'ERROR_121',
  'ERROR_122',
  'ERROR_123',
  'ERROR_124',
  'token_refused',
]);

/** Whether the bearer was refused: the request was refused before any work, and can be repeated. */
function isTokenRefusal(code: string): boolean {
  return TOKEN_CODES.has(code);
}

/**
 * Reads one answer of the messaging area. The HTTP statuses of its errors are not documented, so a listed code
 * decides at any status; the message, which is misspelt in places, never does. A refusal that lists sent SMS is not
 * trusted.
 */
function readSms<T>(answer: Answer, take: (body: JsonObject) => Taken<T> | undefined): Reading<T> {
  const { body, status, problem } = answer;
  if (!body) return { code: codeWithoutBody(status), message: problem };
  const upstreamCode = readText(body['code']);
  const message = readText(body['description']) ?? readText(body['message']);
  const listed = upstreamCode === undefined ? undefined : listedCode(upstreamCode);
  if (listed || !isSuccess(upstreamCode, body)) {
    // A retry after such a refusal would send its SMS twice.
    const code = tellsOfSent(body) ? 'unreadable' : (listed ?? codeOfFailure(status, upstreamCode));
    return { code, upstreamCode, message };
  }
  const taken = status >= 200 && status < 300 ? take(body) : undefined;
  return taken ?? { code: 'unreadable', message: 'a success without its fields' };
}

function isSuccess(code: string | undefined, body: JsonObject): boolean {
  return code === undefined ? readText(body['message']) === 'success' : SUCCESS.has(code);
}

function codeOfFailure(status: number, upstreamCode: string | undefined): FailureCode {
  const byStatus = codeWithoutBody(status);
  return byStatus === 'unreadable' && upstreamCode !== undefined ? 'unlisted_code' : byStatus;
}

/** Here a 401 concerns the bearer, and a 429 means that nothing was sent even without a pause. */
function codeWithoutBody(status: number): FailureCode {
  if (status === 401) return 'token_refused';
  return status === 429 ? 'throttled' : codeOfStatus(status);
}
