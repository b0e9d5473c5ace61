/** What the code of one text says, in the answer to a send and in statistics. */
import { listedCode } from '../failures.ts';
import { type JsonObject, isObject, readText } from '../json.ts';

/** Codes of an item that do not tell whether the text left: as for the whole request, only asking settles it. */
const UNCLEAR: ReadonlySet<string> = new Set(['ERROR_101', 'ERROR_102', 'ERROR_103', 'ERROR_116']);

/**
 * interface: SMS records call it only "SMS code". It is `00`, or the number of the text with the service: nothing
 * shorter, so that no status or word passes for one.
 */
const NUMBER = /^(?!err)(?=.*\d)[\w.-]{8,64}$/i;
const SENT_WORDS: ReadonlySet<string> = new Set(['00', 'sent', 'sms_sent', 'success', 'ok', 'accepted', 'delivered']);

/** What is kept of a code that is none: enough to ask the service about it, and nobody's number or text. */
const PLAIN = /^(?!.*\d{7})[\w.:-]{1,40}$/;

export interface ItemCode {
  /** A clear yes, a clear no, or neither. */
  readonly outcome: 'sent' | 'failed' | 'unknown';
  /** As the service wrote it, where it is fit to be shown. */
  readonly code?: string | undefined;
  /** It says something that the interface does not. */
  readonly strange: boolean;
}

/** An allow-list: a text counts as sent only where the service says so in a form that we know. */
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

/** Whether any text stands in an answer as sent, whatever the answer says as a whole. */
export function tellsOfSent({ data }: JsonObject): boolean {
  const list: unknown = isObject(data) ? data['sms'] : undefined;
  return Array.isArray(list) && list.some((item) => isObject(item) && readItemCode(item).outcome === 'sent');
}

/** What a status or an error beside the code says; the interface has neither. */
function besideOf({ status, error }: JsonObject): 'sent' | 'not sent' | 'nothing' {
  if (!isNothing(error) && error !== false) return 'not sent';
  if (isNothing(status)) return 'nothing';
  return SENT_WORDS.has(readText(status)?.toLowerCase() ?? '') ? 'sent' : 'not sent';
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}
