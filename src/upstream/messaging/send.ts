import { unasked } from '../exchange.ts';
import { type JsonObject, isObject, readText } from '../json.ts';
import { askMessaging, type MessagingContext } from './authorised.ts';
import { readSms } from './envelope.ts';
import { digitsOf, writeNumber } from './numbers.ts';
import type { Messaging, OutgoingMessage, SentItem } from './types.ts';

/** interface: Limits. */
const MOST_MESSAGES = 50;

/** Codes of an item that do not tell whether the text left: as for the whole request, only asking settles it. */
const UNCLEAR_ITEM = new Set(['ERROR_101', 'ERROR_102', 'ERROR_103', 'ERROR_116']);

/** interface: Send SMS. One request, up to 50 texts, no way to tell upstream that it is the same request again. */
export function createSend(context: MessagingContext): Messaging['send'] {
  return async (account, { messages }, call = {}) => {
    if (messages.length < 1 || messages.length > MOST_MESSAGES) return unasked(account, 'sms_send', 'ERROR_111');
    const senders = messages.map((message) => message.from?.trim() || account.smsSender?.trim());
    // Without a sender upstream would use a test name of its own, without a word.
    if (senders.some((sender) => !sender)) return unasked(account, 'sms_send', 'missing_sms_sender');
    const sms = messages.map(({ to, text }, index) => ({
      from: senders[index],
      to: writeNumber(to, context.numberFormat),
      text,
    }));
    return askMessaging(
      context,
      account,
      {
        operation: 'sms_send',
        kind: 'effect',
        path: '/api/v1/sms/send',
        body: ({ appKey }) => ({ send_sms_request: { type: 'application', app_key: appKey.reveal(), sms } }),
        read: (answer) => readSms(answer, (body) => ({ items: attribute(messages, readResults(body)) })),
      },
      call,
    );
  };
}

interface Result {
  readonly digits: string;
  readonly text: string | undefined;
  readonly code?: string;
  readonly sender?: string;
}

function readResults(body: JsonObject): readonly Result[] {
  const data = isObject(body['data']) ? body['data'] : {};
  const list = Array.isArray(data['sms']) ? data['sms'] : [];
  return list.filter(isObject).map((item) => {
    const code = readText(item['code']);
    const sender = readText(item['sender_addresss']) ?? readText(item['sender_address']);
    return {
      digits: digitsOf(readText(item['receiver_address']) ?? ''),
      text: typeof item['text'] === 'string' ? item['text'] : undefined,
      ...(code === undefined ? {} : { code }),
      ...(sender === undefined ? {} : { sender }),
    };
  });
}

/**
 * Which result belongs to which message: by receiver and text, in order among equals; then by receiver alone where
 * one message and one result are left for it (upstream may have rewritten the text). The rest is unknown.
 */
function attribute(messages: readonly OutgoingMessage[], results: readonly Result[]): SentItem[] {
  const digits = messages.map(({ to }) => digitsOf(to));
  const isFor = (index: number, result: Result | undefined): boolean =>
    result !== undefined && result.digits === digits[index] && result.text === messages[index]?.text;
  // Mostly they come in the order of the request, and then nothing is searched.
  if (messages.every((_, index) => isFor(index, results[index]))) {
    return messages.map((_, index) => itemFor(index, results[index]));
  }
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
    return itemFor(index, found[index] ?? (left.length === 1 && waiting === 1 ? left[0] : undefined));
  });
}

function itemFor(index: number, match: Result | undefined): SentItem {
  if (!match) return { index, outcome: 'unknown' };
  const { code, sender } = match;
  const outcome =
    code === undefined || !code.startsWith('ERROR_') ? 'sent' : UNCLEAR_ITEM.has(code) ? 'unknown' : 'failed';
  return { index, outcome, ...(code === undefined ? {} : { code }), ...(sender === undefined ? {} : { sender }) };
}
