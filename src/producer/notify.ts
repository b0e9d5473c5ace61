/** The SMS to the payee of a payment, put into its final words when the payment is accepted. */
import type { RequestOf } from '../kinds/index.ts';
import { type NotifiedState, type NotifyPlan, type NotifyRequest } from '../kinds/notify.ts';
import { textToSend } from '../kinds/request-pieces.ts';
import { type Country, countries } from '../lib/countries.ts';
import { canonicalName, wordingOf } from '../lib/wording.ts';
import { readInternationalNumber } from '../lib/written-number.ts';
import { type Message, message } from '../messages/message.ts';
import { payeeOf } from '../provider/capabilities.ts';
import { type Problem, check, templateProblems } from './problems.ts';
import { type TrialNumbers, trialProblems } from './trial-numbers.ts';

type Values = Readonly<Record<string, string>>;

/** The variables that every payment has. By canonical name. */
export function valuesOfPayment(payment: Readonly<Record<string, unknown>>): Values {
  const { metadata, ...fields } = payment;
  const own = NAMES.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]] as const]));
  const all = [...own, ...entriesOf(metadata).map(([key, value]) => [`metadata.${key}`, value] as const)];
  return Object.fromEntries(all.map(([name, value]) => [canonicalName(name), String(value)]));
}

const NAMES = ['amount', 'accountAlias', 'withdrawMode', 'reference', 'payeeName', 'purpose'] as const;

const entriesOf = (metadata: unknown): [string, unknown][] =>
  typeof metadata === 'object' && metadata !== null ? Object.entries(metadata) : [];

const TEXTS = ['text', 'failedText'] as const;
type Texts = Pick<NotifyRequest, 'text' | 'failedText'>;

/** Problems of the texts, for every payee. `columns`: those of a file. */
export function templateFaults(notify: Texts, columns: readonly string[] = []): readonly Problem[] {
  const names = [...new Set([...NAMES, ...columns].map(canonicalName))];
  const isKnown = (name: string): boolean => names.includes(name) || name.startsWith('metadata.');
  return TEXTS.flatMap((place) => {
    const text = notify[place];
    const faults = text === undefined ? [] : templateProblems(text);
    const unknown =
      text === undefined || faults.length > 0 ? [] : wordingOf({ text }).variables.filter((name) => !isKnown(name));
    const about = unknown.map((name) => message('notify_variable', { name, known: names.join(', ') }));
    return [...faults.map((fault) => fault.message), ...about].map((one) => ({
      pointer: `/notify/${place}`,
      message: one,
    }));
  });
}

/** The request with its texts filled in, and what they lack. Precondition: `templateFaults` finds nothing. */
export function renderNotify<Request extends Texts>(
  notify: Request,
  values: Values,
): { readonly notify: Request; readonly problems: readonly Problem[] } {
  const filled: { text?: string; failedText?: string } = {};
  const problems: Problem[] = [];
  for (const place of TEXTS) {
    const text = notify[place];
    if (text === undefined) continue;
    const rendered = render(text, values);
    if (typeof rendered === 'string') filled[place] = rendered;
    else problems.push(...rendered.map((problem) => ({ ...problem, pointer: `/notify/${place}` })));
  }
  return { notify: { ...notify, ...filled }, problems };
}

function render(text: string, values: Values): string | readonly Problem[] {
  const wording = wordingOf({ text });
  const empty = wording.variables.find((name) => !values[name] && !wording.optional.has(name));
  if (empty !== undefined) return [{ pointer: '', message: message('notify_value', { name: empty }) }];
  const { data, problems } = check(textToSend, wording.textFor(values));
  return problems ?? data;
}

export interface NotifyRules {
  /** The accounts that can send SMS. Absent: not known here. */
  readonly smsAccounts?: ReadonlySet<string> | undefined;
  readonly trial?: TrialNumbers;
}

export function senderFaults(account: string, smsAccounts: NotifyRules['smsAccounts']): Problem[] {
  if (smsAccounts === undefined || smsAccounts.has(account)) return [];
  return [{ pointer: '/notify', message: message('notify_account', { account }) }];
}

type Payment = Pick<RequestOf<'disbursement'>, 'accountAlias' | 'account'> & {
  readonly country: Country | undefined;
};

/** The texts and the recipient of the SMS. `country` belongs to the paid number; absent: the alias is no number. */
function planNotify(
  notify: NotifyRequest,
  { accountAlias, account, country }: Payment,
  { smsAccounts, trial }: NotifyRules,
): { readonly plan: NotifyPlan } | { readonly problems: readonly Problem[] } {
  const problems: Problem[] = senderFaults(account, smsAccounts);
  const phone = notify.phone ?? (country && numberIn(accountAlias, country));
  if (phone === undefined)
    return { problems: [...problems, { pointer: '/notify/phone', message: message('notify_phone') }] };
  const payee = payeeOf(phone, undefined);
  problems.push(...trialProblems(trial, payee, '/notify/phone'));
  if (problems.length > 0) return { problems };
  const texts = Object.fromEntries(notify.on.map((state) => [state, textFor(notify, state)]));
  return { plan: { phone, payee, texts } };
}

/** Undefined: it is no number that an SMS can be sent to. */
function numberIn(alias: string, country: Country): string | undefined {
  const read = readInternationalNumber(`+${countries[country].dialling}${alias}`);
  return 'number' in read ? read.number : undefined;
}

const textFor = ({ text, failedText }: NotifyRequest, state: NotifiedState): string =>
  state === 'failed' ? (failedText ?? text) : text;

/** An unpaid payee gets the text for a paid one. */
export function saysTheSame({ on, text, failedText = text }: NotifyRequest): boolean {
  return on.length > 1 && text === failedText;
}

interface Told {
  readonly plan?: NotifyPlan;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Message[];
}

const TOLD_NOTHING: Told = { problems: [], warnings: [] };

interface ReadPayee {
  /** The country of the paid number; absent: the alias is no number. */
  readonly country: Country | undefined;
  readonly problems: readonly Problem[];
}

/** The SMS to the payee of a payment, in its final words, and what is wrong with it. */
export function readNotify(
  known: Partial<RequestOf<'disbursement'>> & Pick<RequestOf<'disbursement'>, 'accountAlias'>,
  payee: ReadPayee,
  rules: NotifyRules,
): Told {
  if (known.notify === undefined) return TOLD_NOTHING;
  const faults = templateFaults(known.notify);
  if (faults.length > 0) return { problems: faults, warnings: [] };
  const { notify, problems } = renderNotify(known.notify, valuesOfPayment(known));
  // Whose number it would be is not known.
  if (payee.problems.length > 0 && notify.phone === undefined) return { problems, warnings: [] };
  const { account = 'main', accountAlias } = known;
  const planned = planNotify(notify, { account, accountAlias, country: payee.country }, rules);
  const warnings = saysTheSame(notify) ? [message('notify_one_text')] : [];
  if ('problems' in planned) return { problems: [...problems, ...planned.problems], warnings };
  return { plan: planned.plan, problems, warnings };
}
