/**
 * Send SMS (interface: Send SMS). The one hot path of the sandbox: a campaign of a million recipients is twenty
 * thousand of these, so the body is checked by hand and not by a schema.
 */
import { type Answer, ok } from './answers.ts';
import { type MessageOutcome, messageOutcomeOf } from './magic.ts';
import { type SmsCode, smsRefusal } from './sms-codes.ts';
import { refuseBearer } from './sms-login.ts';
import { type Ask, type Handler, readJson, type World } from './world.ts';

interface Item {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

interface Verdict {
  readonly code: SmsCode;
  readonly why: string;
}

const SMS_PER_REQUEST = 50;
// What a message is sent as when its sender is not the configured signature (interface: Send SMS).
const DEFAULT_SENDER = 'SMS-TEST';
const INTERNATIONAL = /^\+?[1-9]\d{7,14}$/;

export const isInternational = (number: string): boolean => INTERNATIONAL.test(number);

export const sendSms: Handler = (ask, world) => {
  const refusal = refuseBearer(ask, world);
  if (refusal !== undefined) return refusal;
  const items = readItems(readJson(ask, world), world);
  if (!Array.isArray(items)) {
    world.books.breach(ask.operation, items.why);
    return smsRefusal(items.code, world);
  }
  const code = refuseWhole(items, ask, world);
  if (code !== undefined) return smsRefusal(code, world);
  return carryOut(items, ask, world);
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const breach = (code: SmsCode, why: string): Verdict => ({ code, why });

/** Checks `type` and `app_key`, which sending and statistics share. */
export function checkWrap(wrap: unknown, fields: number, { credentials }: World): Verdict | undefined {
  if (!isObject(wrap)) return breach('ERROR_104', 'the body has no root object of the documented name');
  if (Object.keys(wrap).length > fields) return breach('ERROR_104', 'the body has fields the page does not name');
  if (wrap['type'] !== 'application') return breach('ERROR_106', 'type is not "application"');
  if (wrap['app_key'] !== credentials.smsAppKey) return breach('ERROR_107', 'app_key is not the application key');
  return undefined;
}

function readItems(body: unknown, world: World): Item[] | Verdict {
  const wrap = isObject(body) ? body['send_sms_request'] : undefined;
  const verdict = checkWrap(wrap, 3, world);
  if (verdict !== undefined) return verdict;
  const items: unknown = isObject(wrap) ? wrap['sms'] : undefined;
  if (!Array.isArray(items)) return breach('ERROR_105', 'sms is not an array');
  if (items.length < 1 || items.length > SMS_PER_REQUEST)
    return breach('ERROR_111', `sms holds ${items.length} items`);
  for (const item of items) {
    const wrong = checkItem(item, world);
    if (wrong !== undefined) return wrong;
  }
  return items as Item[];
}

function checkItem(item: unknown, { settings }: World): Verdict | undefined {
  if (!isObject(item)) return breach('ERROR_105', 'an item of sms is not an object');
  const { from, to, text } = item;
  if (Object.keys(item).length > 3) return breach('ERROR_105', 'an item has fields the page does not name');
  if (typeof from !== 'string' || from === '') return breach('ERROR_108', 'from is not a text');
  if (typeof to !== 'string' || to === '') return breach('ERROR_109', 'to is missing');
  if (!isInternational(to)) return breach('ERROR_110', 'to is not in international format');
  if (typeof text !== 'string' || text === '') return breach('ERROR_112', 'text is not a text');
  if (text.length > settings.values.smsMaxTextLength)
    return breach('ERROR_113', `text has ${text.length} characters`);
  return undefined;
}

/** Refusals of a well-formed request: not the client's fault, so not a breach. */
function refuseWhole(items: readonly Item[], ask: Ask, { faults, settings }: World): SmsCode | undefined {
  if (faults.named('refuses the chunk for one bad number', ask)) return 'ERROR_110';
  if (faults.named('says the SMS balance is insufficient', ask)) return 'ERROR_102';
  const { smsBalance } = settings.values;
  if (smsBalance >= 0 && items.length > smsBalance) return 'ERROR_102';
  for (const { to } of items) {
    const outcome = messageOutcomeOf(to);
    if (outcome !== undefined && wholeCodes[outcome] !== undefined) return wholeCodes[outcome];
  }
  return undefined;
}

const wholeCodes: Partial<Record<MessageOutcome, SmsCode>> = {
  'bad number': 'ERROR_110',
  'no balance': 'ERROR_102',
  'server error': 'ERROR_116',
};

function carryOut(items: readonly Item[], ask: Ask, world: World): Answer {
  const half = world.faults.named('accepts only part of an SMS chunk', ask);
  const accepted = half === undefined ? items : items.slice(0, Math.ceil(items.length / 2));
  const listed: object[] = [];
  const now = world.time.now();
  let sent = 0;
  for (const item of accepted) {
    const outcome = messageOutcomeOf(item.to);
    const times = outcome === 'not sent' || outcome === 'left out' ? 0 : 1;
    const code = times === 0 ? 'ERROR_101' : codeOfSent(world);
    const from = item.from === world.credentials.smsSender ? item.from : DEFAULT_SENDER;
    world.books.messages.write({ to: item.to, from, text: item.text, code, times }, now);
    sent += times;
    if (outcome !== 'left out')
      listed.push({ code, sender_addresss: from, receiver_address: item.to, text: item.text });
  }
  const { smsBalance } = world.settings.values;
  if (smsBalance >= 0) world.settings.change({ smsBalance: smsBalance - sent });
  return ok({ code: '00', message: 'sms_sent', description: 'SMS sent successfully', data: { sms: listed } });
}

const codeOfSent = ({ settings, random }: World): string =>
  settings.values.smsItemCode === 'outcome' ? '00' : `SMS0${random.hex(6)}`;
