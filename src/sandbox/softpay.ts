/** Softpay: direct payment of an invoice token, twenty similar paths (interface: Softpay). */
import { z } from 'zod';
import { type Answer, ok, refuseIn, undocumentedStatus } from './answers.ts';
import { readBody } from './body.ts';
import { settleInvoice, settleInvoiceLater, statusNow } from './checkout.ts';
import { type PayerOutcome, payerOutcomeOf } from './magic.ts';
import type { Invoice } from './records.ts';
import type { Handler, Simulator } from './simulator.ts';
import { type SoftpaySuffix, phoneFieldOf, softpayMethods, tokenFieldOf } from './softpay-methods.ts';

interface Payment {
  readonly suffix: SoftpaySuffix;
  readonly fields: Readonly<Record<string, string>>;
  /** Empty for a card. */
  readonly phone: string;
  readonly invoice: Invoice;
  readonly transactionId: string;
}

/** The interface does not show its card test numbers; the sandbox has two, and accepts every other card. */
export const cardOutcomes: ReadonlyMap<string, 'declined' | '3-D Secure'> = new Map([
  ['4000000000000002', 'declined'],
  ['4000000000003220', '3-D Secure'],
]);
const WRONG_CODE = '000000';
const CODE_FIELDS = ['wallet_a_ci_otp', 'otp_code', 'authorization_code'];

export function softpay(suffix: SoftpaySuffix): Handler {
  const schema = z.strictObject(Object.fromEntries(softpayMethods[suffix].map((name) => [name, z.string()])));
  return (call, simulator) => {
    const read = readBody(schema, call, simulator);
    if (!read.ok) return no('The data is not valid', simulator);
    const fields = read.data;
    const invoice = payableInvoice(suffix, fields[tokenFieldOf(suffix) ?? ''] ?? '', simulator);
    if (typeof invoice === 'string') return no(invoice, simulator, 404);
    const phone = fields[phoneFieldOf(suffix) ?? ''] ?? '';
    const payment = { suffix, fields, phone, invoice, transactionId: simulator.random.hex(8) };
    return suffix === 'card' ? payByCard(payment, simulator) : payByWallet(payment, simulator);
  };
}

const no = (message: string, simulator: Simulator, status = 422): Answer =>
  refuseIn('flag', '', message, undocumentedStatus(simulator, status));

/** The invoice to pay, or the message that explains why there is none. */
function payableInvoice(suffix: SoftpaySuffix, given: string, simulator: Simulator): Invoice | string {
  const token = suffix === 'wallet-h-senegal/confirm' ? tokenOfFirstStep(given, simulator) : given;
  const invoice = simulator.records.invoices.get(token);
  if (invoice === undefined) return 'Invoice not found';
  return statusNow(invoice, simulator) === 'pending' ? invoice : `The invoice is ${invoice.status}`;
}

/** The token of the payment that the first step of wallet-h began. */
function tokenOfFirstStep(id: string, { records }: Simulator): string {
  const first = records.softpay.find(
    ({ method, transactionId }) => method === 'wallet-h-senegal' && transactionId === id,
  );
  return first?.token ?? '';
}

function payByCard(payment: Payment, simulator: Simulator): Answer {
  const { fields, invoice } = payment;
  const outcome = cardOutcomes.get(fields['card_number'] ?? '') ?? 'accepted';
  record(payment, outcome, simulator);
  if (outcome === 'declined') {
    const errors = { message: 'Declined', description: 'Do not honour' };
    void settleInvoice(invoice, 'failed', simulator, 'Declined');
    const body = { success: false, message: 'The payment failed', errors };
    return { status: undocumentedStatus(simulator, 422), body };
  }
  settleInvoiceLater(invoice, 'completed', simulator);
  const url = outcome === '3-D Secure' ? { url: `${simulator.base}/3ds/${invoice.token}` } : {};
  return ok({ success: true, message: 'The payment is being processed', ...url });
}

function payByWallet(payment: Payment, simulator: Simulator): Answer {
  const { suffix, fields, phone, invoice } = payment;
  const outcome = payerOutcomeOf(phone);
  if (CODE_FIELDS.some((name) => fields[name] === WRONG_CODE)) {
    record(payment, 'wrong code', simulator);
    return no('The code is not valid or has expired', simulator);
  }
  record(payment, outcome ?? 'accepted', simulator);
  if (outcome === 'declines') return no('The payer declined the payment', simulator);
  if (outcome === 'validates too late') return no('The validation delay was exceeded', simulator);
  // The second step of wallet-h is the consent.
  const consents = suffix !== 'wallet-h-senegal' && outcome !== 'never validates';
  if (consents) settleInvoiceLater(invoice, outcome === 'payment fails' ? 'failed' : 'completed', simulator);
  const message = DIALLED.includes(suffix)
    ? 'Dial *123# to complete the payment'
    : 'The payment was recorded and awaits the confirmation of the customer';
  return ok({ success: true, message, ...feesOf(payment, outcome), ...extraFieldsOf(payment, simulator) });
}

const DIALLED: readonly SoftpaySuffix[] = ['wallet-b-senegal', 'wallet-f-burkina'];

/** Only if the payer bears them. The answer of wallet-a-mali has only success and message. */
function feesOf({ suffix, invoice }: Payment, outcome: PayerOutcome | undefined): object {
  if (outcome !== 'bears the fees' || suffix === 'wallet-a-mali') return {};
  return { fees: Math.ceil(invoice.totalAmount / 100), currency: 'XOF' };
}

const extraFields: Partial<Record<SoftpaySuffix, (payment: Payment, page: string, base: string) => object>> = {
  'wallet-d-senegal': (_payment, page) => ({ url: page }),
  'wallet-d-ci': (_payment, page) => ({ url: page }),
  'new-wallet-a-senegal': (_payment, page) => ({
    url: page,
    other_url: { wallet_app_url: `${page}?in=wallet`, partner_app_url: `${page}?in=partner` },
  }),
  'wallet-b-senegal': ({ phone, invoice, transactionId }) => ({
    data: {
      status: 'PENDING',
      amount: invoice.totalAmount,
      currency: 'XOF',
      customermsisdn: phone,
      transactionid: transactionId,
      externaltransactionid: invoice.token,
    },
  }),
  'wallet-h-senegal': ({ transactionId }) => {
    const details = { message: 'Awaiting the authorization code', service: 'wallet-h', cid: transactionId };
    return { data: { Operation: 'PAYMENT', TransactionID: transactionId, details } };
  },
  'wallet-h-senegal/confirm': ({ invoice }, _page, base) => ({
    return_url: `${base}/checkout/return/${invoice.token}`,
    token: invoice.token,
  }),
};

/** Additional fields in the success of some methods. */
function extraFieldsOf(payment: Payment, { base }: Simulator): object {
  return extraFields[payment.suffix]?.(payment, `${base}/pay/${payment.invoice.token}`, base) ?? {};
}

function record({ suffix, invoice, transactionId }: Payment, outcome: string, { records }: Simulator): void {
  records.softpay.push({ method: suffix, token: invoice.token, outcome, transactionId });
}
