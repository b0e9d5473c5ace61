import { digitsOf } from '../../lib/digits.ts';
import { type Taken, unasked } from '../exchange.ts';
import { isObject, type JsonObject, readText } from '../json.ts';
import { askMessaging, type MessagingContext } from './authorised.ts';
import { readSms } from './envelope.ts';
import { readItemCode } from './item-code.ts';
import { writeNumber } from './numbers.ts';
import type { Messaging, Statistics } from './types.ts';

const MOST_NUMBERS = 50;

/** interface: SMS statistics. The only thing to ask about a text that may have been sent. */
export function createStatistics(context: MessagingContext): Messaging['statistics'] {
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

/** `invalid_number` is there only when there is one; `valid_number` is a list of objects, each keyed by a number. */
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
