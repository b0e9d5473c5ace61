/** Send SMS and SMS statistics (interface: Send SMS; SMS statistics). */
import { z } from 'zod';
import { type Answer, ok, type SmsCode, smsRefusal } from './answers.ts';
import { readJson } from './body.ts';
import { type MessageOutcome, messageOutcomeOf } from './magic.ts';
import type { RecordedMessage } from './messages.ts';
import type { Call, Handler, Simulator } from './simulator.ts';
import { refuseBearer } from './sms-login.ts';

interface Item {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** A breach of the interface, and the code of its answer. */
interface Breach {
  readonly code: SmsCode;
  readonly what: string;
}

const breach = (code: SmsCode, what: string): Breach => ({ code, what });

const SMS_PER_REQUEST = 50;
/** The sender ID of a message that does not name the configured one. */
const DEFAULT_SENDER = 'SMS-TEST';
const INTERNATIONAL = /^\+?[1-9]\d{7,14}$/;

export const sendSms: Handler = (call, simulator) => {
  const refusal = refuseBearer(call, simulator);
  if (refusal !== undefined) return refusal;
  const items = readItems(readJson(call, simulator), simulator);
  if (!Array.isArray(items)) return refuseBreach(items, call, simulator);
  const code = refusalOfAll(items, call, simulator);
  return code === undefined ? sendAll(items, call, simulator) : smsRefusal(code, simulator);
};

function refuseBreach({ code, what }: Breach, { operation }: Call, simulator: Simulator): Answer {
  simulator.records.breach(operation, what);
  return smsRefusal(code, simulator);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Checks the root object with `type` and `app_key`, which sending and statistics share. */
function checkRoot(root: unknown, { credentials }: Simulator): Breach | undefined {
  if (!isObject(root)) return breach('ERROR_104', 'the body has no root object of the documented name');
  if (Object.keys(root).length > 3)
    return breach('ERROR_104', 'the body has fields that the interface does not have');
  if (root['type'] !== 'application') return breach('ERROR_106', 'type is not "application"');
  if (root['app_key'] !== credentials.smsAppKey) return breach('ERROR_107', 'app_key is not the application key');
  return undefined;
}

/** Checked by hand and not by a schema: a campaign of a million recipients is twenty thousand of these requests. */
function readItems(body: unknown, simulator: Simulator): Item[] | Breach {
  const root = isObject(body) ? body['send_sms_request'] : undefined;
  const wrong = checkRoot(root, simulator);
  if (wrong !== undefined) return wrong;
  const items: unknown = isObject(root) ? root['sms'] : undefined;
  if (!Array.isArray(items)) return breach('ERROR_105', 'sms is not an array');
  if (items.length < 1 || items.length > SMS_PER_REQUEST)
    return breach('ERROR_111', `sms holds ${items.length} items`);
  for (const item of items) {
    const wrongItem = checkItem(item, simulator);
    if (wrongItem !== undefined) return wrongItem;
  }
  return items as Item[];
}

function checkItem(item: unknown, { settings }: Simulator): Breach | undefined {
  if (!isObject(item)) return breach('ERROR_105', 'an item of sms is not an object');
  const { from, to, text } = item;
  if (Object.keys(item).length > 3) return breach('ERROR_105', 'an item has fields that the interface does not have');
  if (typeof from !== 'string' || from === '') return breach('ERROR_108', 'from is not a text');
  if (typeof to !== 'string' || to === '') return breach('ERROR_109', 'to is missing');
  if (!INTERNATIONAL.test(to)) return breach('ERROR_110', 'to is not in international format');
  if (typeof text !== 'string' || text === '') return breach('ERROR_112', 'text is not a text');
  if (text.length > settings.values.smsMaxTextLength)
    return breach('ERROR_113', `text has ${text.length} characters`);
  return undefined;
}

const codesOfAll: Partial<Record<MessageOutcome, SmsCode>> = {
  'bad number': 'ERROR_110',
  'no balance': 'ERROR_102',
  'server error': 'ERROR_116',
};

/** Refusals of a well-formed request: the client made no error, so they are no breach. */
function refusalOfAll(items: readonly Item[], call: Call, { faults, settings }: Simulator): SmsCode | undefined {
  if (faults.strikes('refuses the chunk for one bad number', call)) return 'ERROR_110';
  if (faults.strikes('says the SMS balance is insufficient', call)) return 'ERROR_102';
  const { smsBalance } = settings.values;
  if (smsBalance >= 0 && items.length > smsBalance) return 'ERROR_102';
  for (const { to } of items) {
    const outcome = messageOutcomeOf(to);
    if (outcome !== undefined && codesOfAll[outcome] !== undefined) return codesOfAll[outcome];
  }
  return undefined;
}

function sendAll(items: readonly Item[], call: Call, simulator: Simulator): Answer {
  const { credentials, faults, records, settings, time } = simulator;
  const part = faults.strikes('accepts only part of an SMS chunk', call);
  const accepted = part ? items.slice(0, Math.ceil(items.length / 2)) : items;
  const listed: object[] = [];
  const now = time.now();
  let sent = 0;
  for (const { from: wanted, to, text } of accepted) {
    const outcome = messageOutcomeOf(to);
    const times = outcome === 'not sent' || outcome === 'left out' ? 0 : 1;
    const code = times === 0 ? 'ERROR_101' : codeOfSent(simulator);
    const from = wanted === credentials.smsSender ? wanted : DEFAULT_SENDER;
    records.messages.add({ to, from, text, code, times }, now);
    sent += times;
    if (outcome !== 'left out') listed.push({ code, sender_addresss: from, receiver_address: to, text });
  }
  const { smsBalance } = settings.values;
  if (smsBalance >= 0) settings.change({ smsBalance: smsBalance - sent });
  return ok({ code: '00', message: 'sms_sent', description: 'SMS sent successfully', data: { sms: listed } });
}

const codeOfSent = ({ settings, random }: Simulator): string =>
  settings.values.smsItemCode === 'outcome' ? '00' : `SMS0${random.hex(6)}`;

const filters = z.strictObject({
  receiver_address: z.array(z.strictObject({ value: z.string() })),
  start_date: z.string().optional(),
  end_date: z.string().optional(),
});

const statisticsBody = z.strictObject({ sms_sent: z.object({ filters }) });

interface Query {
  readonly numbers: readonly string[];
  /** ms since the epoch. */
  readonly from: number;
  readonly until: number;
}

export const smsStatistics: Handler = (call, simulator) => {
  const refusal = refuseBearer(call, simulator);
  if (refusal !== undefined) return refusal;
  const query = readQuery(readJson(call, simulator), simulator);
  return 'code' in query ? refuseBreach(query, call, simulator) : report(query, simulator);
};

function readQuery(body: unknown, simulator: Simulator): Query | Breach {
  const wrong = checkRoot(isObject(body) ? body['sms_sent'] : undefined, simulator);
  if (wrong !== undefined) return wrong;
  const parsed = statisticsBody.safeParse(body);
  if (!parsed.success) return breach('ERROR_105', parsed.error.issues[0]?.message ?? 'filters');
  const { receiver_address: receivers, start_date = '', end_date = '' } = parsed.data.sms_sent.filters;
  if (receivers.length === 0) return breach('ERROR_109', 'receiver_address is empty');
  const { statsZoneMinutes } = simulator.settings.values;
  const from = start_date === '' ? 0 : readDate(start_date, statsZoneMinutes);
  if (from === undefined) return breach('ERROR_114', 'start_date is not YYYY-MM-DD HH:MM:SS');
  const last = end_date === '' ? Number.POSITIVE_INFINITY : readDate(end_date, statsZoneMinutes);
  if (last === undefined) return breach('ERROR_115', 'end_date is not YYYY-MM-DD HH:MM:SS');
  // The last second of a period is included.
  return { numbers: receivers.map(({ value }) => value), from, until: last + 999 };
}

/** Parses `YYYY-MM-DD HH:MM:SS`, written `zoneMinutes` east of UTC. Undefined: another format. */
function readDate(text: string, zoneMinutes: number): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text)) return undefined;
  const written = text.replace(' ', 'T');
  const ms = Date.parse(`${written}Z`);
  // `Date` reads 30 February as 2 March.
  const exists = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(written);
  return exists ? ms - zoneMinutes * 60_000 : undefined;
}

function report({ numbers, from, until }: Query, { records, settings, time }: Simulator): Answer {
  const visibleUntil = Math.min(until, time.now() - settings.values.statsLagMs);
  const isShown = (at: number): boolean => at >= from && at <= visibleUntil;
  const sentTo = (number: string): object[] =>
    [...records.messages.to(number)].flatMap((message) =>
      Array.from({ length: timesShown(message, isShown) }, () => ({ code: message.code, content: message.text })),
    );
  const valid: object[] = [];
  const invalid: object[] = [];
  for (const value of numbers) {
    const outcome = messageOutcomeOf(value);
    if (!INTERNATIONAL.test(value) || outcome === 'invalid in statistics') invalid.push({ value });
    else valid.push({ [value]: outcome === 'never in statistics' ? [] : sentTo(value) });
  }
  const data = { ...(invalid.length > 0 ? { invalid_number: invalid } : {}), valid_number: valid };
  return ok({ code: '00', message: 'success', description: 'request processed successfully', data });
}

/** The records have the first and the last time of a message; times in between count while the first is shown. */
function timesShown(message: RecordedMessage, isShown: (at: number) => boolean): number {
  const { times, firstAt, lastAt } = message;
  if (times === 0) return 0;
  if (isShown(firstAt) && isShown(lastAt)) return times;
  if (isShown(firstAt)) return Math.max(1, times - 1);
  return isShown(lastAt) ? 1 : 0;
}
