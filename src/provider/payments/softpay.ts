import { textOf } from '../../messages/texts.ts';
import { readAccountAlias } from '../capabilities.ts';
import { unasked, isObject, type JsonObject, readText } from '../exchange.ts';
import { readXof } from '../../lib/money.ts';
import type { UpstreamAccount } from '../account.ts';
import type { CallOptions } from '../transport.ts';
import type { Verdict } from '../verdict.ts';
import {
  askPayments,
  type PaymentContext,
  type PaymentQuestion,
  type Refine,
  readPayment,
  present,
  type Payments,
} from './ask.ts';
import { softpayPaths, type SoftpayRequest, type SoftpayStarted, type SoftpayWord } from './softpay-table.ts';

type Path = keyof typeof softpayPaths;
type Words = Readonly<Partial<Record<SoftpayWord, string | undefined>>>;

/** interface: Limits. One wallet waits 30 s for its payer before it answers. */
export const LEAST_PATIENCE_MS = 60_000;

/** Excludes an expired code: that code was refused, and no payer was prompted. */
const PAYER_TOO_SLOW = /exceeded|d[eé]pass|delay|d[eé]lai/i;

/** interface: Softpay. The payer's input is discarded after the call. */
export function softpay(context: PaymentContext): Pick<Payments, 'softpay' | 'confirmSoftpay'> {
  return {
    softpay: async (account, method, request, call = {}) => {
      if (method === 'card' && !context.softpayCard) return unasked(account, 'softpay', 'softpay_card_off');
      return start(context, account, { path: method, words: wordsOf(request), omit: request.omit ?? [] }, call);
    },
    confirmSoftpay: async (account, request, call = {}) => {
      const path: Path = 'wallet-h-senegal/confirm';
      return start(context, account, { path, words: { ...request }, omit: [] }, call);
    },
  };
}

interface Start {
  readonly path: Path;
  readonly words: Words;
  readonly omit: readonly string[];
}

async function start(
  context: PaymentContext,
  account: UpstreamAccount,
  { path, words, omit }: Start,
  call: CallOptions,
): Promise<Verdict<SoftpayStarted>> {
  const operation = path === 'wallet-h-senegal/confirm' ? 'softpay_confirm' : 'softpay';
  const body = softpayBody(path, words, omit);
  if ('missing' in body) return unasked(account, operation, 'field_missing', body.missing.join(', '));
  if ('problem' in body) return unasked(account, operation, 'field_invalid', body.problem);
  const question: PaymentQuestion<SoftpayStarted> = {
    operation,
    kind: 'effect',
    method: 'POST',
    path: `/v1/softpay/${path}`,
    only: 'live',
    body: body.fields,
    timeoutMs: Math.max(context.timeoutMs, LEAST_PATIENCE_MS),
    read: (answer) => readPayment(answer, takeStarted, refineSoftpay),
  };
  return askPayments(context, account, question, call);
}

type Body =
  | { readonly fields: Record<string, string> }
  | { readonly missing: string[] }
  | { readonly problem: string };

/** The body under the names of the interface; or the names without a value. */
function softpayBody(path: Path, words: Words, omit: readonly string[] = []): Body {
  const row: {
    readonly country?: Parameters<typeof readAccountAlias>[1];
    readonly fields: Record<string, SoftpayWord>;
  } = softpayPaths[path];
  const wanted = Object.entries(row.fields).filter(([field]) => !omit.includes(field));
  const missing = wanted.filter(([, word]) => !words[word]?.trim()).map(([field]) => field);
  if (missing.length > 0) return { missing };
  const phone = words.phone ? readAccountAlias(words.phone, row.country) : undefined;
  if (phone && 'problem' in phone) return { problem: textOf(phone.problem) };
  const known: Words = phone ? { ...words, phone: phone.alias } : words;
  return { fields: Object.fromEntries(wanted.map(([field, word]) => [field, known[word]?.trim() ?? ''])) };
}

function wordsOf({ card, omit: _omit, ...words }: SoftpayRequest): Words {
  if (!card) return words;
  const { number, cvv, expiryYear, expiryMonth } = card;
  return { ...words, cardNumber: number, cardCvv: cvv, cardYear: expiryYear, cardMonth: expiryMonth };
}

/** interface: Softpay. A payer who took too long may still have confirmed: the invoice decides. */
const refineSoftpay: Refine = ({ text = '', code: written }, code) => {
  if (written !== undefined || (code !== 'rejected' && code !== 'unlisted_code')) return {};
  return { code: PAYER_TOO_SLOW.test(text) ? 'payer_too_slow' : 'softpay_refused' };
};

function takeStarted(body: JsonObject): SoftpayStarted {
  const other = isObject(body['other_url']) ? body['other_url'] : undefined;
  const data = isObject(body['data']) ? body['data'] : undefined;
  return {
    ...present('message', readText(body['message'])),
    ...present('url', readText(body['url'])),
    ...present(
      'links',
      other && {
        ...present('walletApp', readText(other['wallet_app_url'])),
        ...present('partnerApp', readText(other['partner_app_url'])),
      },
    ),
    ...present('fees', readXof(body['fees'])),
    ...present('currency', readText(body['currency'])),
    ...present('transactionId', data && (readText(data['TransactionID']) ?? readText(data['transactionid']))),
    ...present('returnUrl', readText(body['return_url'])),
    ...present('token', readText(body['token'])),
    ...present('data', data),
  };
}
