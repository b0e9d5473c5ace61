import { digitsOf } from '../../lib/digits.ts';
import { type Taken, unasked } from '../exchange.ts';
import { type JsonObject, isObject, readText } from '../json.ts';
import { askMessaging, type MessagingContext } from './authorised.ts';
import { readSms } from './envelope.ts';
import { type ItemCode, readItemCode } from './item-code.ts';
import { writeNumber } from './numbers.ts';
import type { Messaging, OutgoingMessage, SentItem } from './types.ts';

/** interface: Limits. */
const MOST_MESSAGES = 50;

/** interface: Send SMS. One request, up to 50 texts, no way to tell upstream that it is the same request again. */
export function createSend(context: MessagingContext): Messaging['send'] {
  return async (account, { messages }, call = {}) => {
    if (messages.length < 1 || messages.length > MOST_MESSAGES) return unasked(account, 'sms_send', 'ERROR_111');
    const usual = account.smsSender?.trim();
    const sms = messages.map(({ from, to, text }) => ({
      from: from?.trim() || usual,
      to: writeNumber(to, context.numberFormat),
      text,
    }));
    // Without a sender upstream would use a test name of its own, without a word.
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
  const results = list.filter(isObject);
  return inOrder(messages, results) ?? attribute(messages, results.map(readResult));
}

/** Mostly they come in the order of the request, and then nothing is searched. */
function inOrder(
  messages: readonly OutgoingMessage[],
  results: readonly JsonObject[],
): readonly SentItem[] | undefined {
  const items: SentItem[] = [];
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index];
    const result = results[index];
    if (!message || !result || result['text'] !== message.text || !isTo(message, result)) return undefined;
    items.push(itemFor(index, readItemCode(result), senderIn(result)));
  }
  return items;
}

/** Mostly the number comes back as it was written, and then nobody need take it apart. */
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
 * Which result belongs to which message: by receiver and text, in order among equals; then by receiver alone where
 * one message and one result are left for it (upstream may have rewritten the text). The rest is unknown.
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
  return { index, outcome, code, sender, ...(strange ? { strange } : {}) };
}
