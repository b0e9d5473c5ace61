/** Softpay: direct payment of an invoice token, twenty paths of one shape (interface: Softpay). */
import { z } from 'zod';
import { type Answer, ok, refuseIn } from './answers.ts';
import type { Invoice } from './books.ts';
import { settleInvoice, settleLater, statusNow } from './checkout.ts';
import { type PayerOutcome, payerOutcomeOf } from './magic.ts';
import { type SoftpayMethod, type SoftpaySuffix, softpayMethods } from './softpay-methods.ts';
import { understood } from './understood.ts';
import { type Ask, type Handler, undocumentedStatus, type World } from './world.ts';

type Fields = Readonly<Record<string, string>>;

interface Payment {
  readonly suffix: SoftpaySuffix;
  readonly method: SoftpayMethod;
  readonly fields: Fields;
  readonly invoice: Invoice;
  readonly transactionId: string;
}

// The page's own card test numbers are not shown, so the sandbox has two of its own; any other card is accepted.
export const cardOutcomes: ReadonlyMap<string, 'declined' | '3-D Secure'> = new Map([
  ['4000000000000002', 'declined'],
  ['4000000000003220', '3-D Secure'],
]);
const WRONG_CODE = '000000';

export function softpay(suffix: SoftpaySuffix): Handler {
  const method: SoftpayMethod = softpayMethods[suffix];
  const schema = z.strictObject(Object.fromEntries(method.fields.map((name) => [name, z.string()])));
  return (ask, world) => {
    const parsed = understood(schema, ask, world);
    if (!parsed.success) {
      const [first] = parsed.error.issues;
      world.books.breach(ask.operation, `${first?.path.join('.') || 'body'}: ${first?.message ?? 'not valid'}`);
      return no('The data is not valid', world, 422);
    }
    const invoice = payable(method, parsed.data, world);
    if (typeof invoice === 'string') return no(invoice, world, 404);
    const payment = { suffix, method, fields: parsed.data, invoice, transactionId: world.random.hex(8) };
    return suffix === 'card' ? payByCard(payment, world) : payByWallet(payment, ask, world);
  };
}

const no = (message: string, world: World, meaning = 422): Answer =>
  refuseIn('flag', '', message, undocumentedStatus(world, meaning));

/** The invoice to pay, or the sentence that says why there is none. */
function payable({ token: field, extra }: SoftpayMethod, fields: Fields, world: World): Invoice | string {
  const given = fields[field] ?? '';
  const token = extra === 'wallet-h confirmed' ? begunWith(given, world) : given;
  const invoice = world.books.invoices.get(token);
  if (invoice === undefined) return 'Invoice not found';
  return statusNow(invoice, world) === 'pending' ? invoice : `The invoice is ${invoice.status}`;
}

/** The token of the payment that the first step of wallet-h began. */
function begunWith(id: string, { books }: World): string {
  const begun = books.softpay.find(
    ({ method, transactionId }) => method === 'wallet-h-senegal' && transactionId === id,
  );
  return begun?.token ?? '';
}

function payByCard(payment: Payment, world: World): Answer {
  const outcome = cardOutcomes.get(payment.fields['card_number'] ?? '') ?? 'accepted';
  book(payment, outcome, world);
  if (outcome === 'declined') {
    const errors = { message: 'Declined', description: 'Do not honour' };
    void settleInvoice(payment.invoice, 'failed', world, 'Declined');
    return {
      status: undocumentedStatus(world, 422),
      body: { success: false, message: 'The payment failed', errors },
    };
  }
  settleLater(payment.invoice, 'completed', world);
  const url = outcome === '3-D Secure' ? { url: `${world.base}/3ds/${payment.invoice.token}` } : {};
  return ok({ success: true, message: 'The payment is being processed', ...url });
}

function payByWallet(payment: Payment, ask: Ask, world: World): Answer {
  const { fields, method } = payment;
  const codes = [fields['wallet_a_ci_otp'], fields['otp_code'], fields['authorization_code']];
  const outcome = payerOutcomeOf(fields[method.phone ?? ''] ?? '');
  if (codes.includes(WRONG_CODE)) {
    book(payment, 'wrong code', world);
    return no('The code is not valid or has expired', world);
  }
  book(payment, outcome ?? 'accepted', world);
  if (outcome === 'declines') return no('The payer declined the payment', world);
  if (outcome === 'validates too late') return no('The validation delay was exceeded', world);
  // Of the two steps of wallet-h the second one is the consent.
  const consents = method.extra !== 'wallet-h data' && outcome !== 'never validates';
  if (consents) settleLater(payment.invoice, outcome === 'payment fails' ? 'failed' : 'completed', world);
  return ok({ success: true, message: message(ask), ...fees(payment, outcome), ...extras(payment, world) });
}

const message = ({ operation }: Ask): string =>
  operation === 'softpay.wallet-b-senegal' || operation === 'softpay.wallet-f-burkina'
    ? 'Dial *123# to complete the payment'
    : 'The payment was recorded and awaits the confirmation of the customer';

/** Only when the payer bears them, and never for the method whose answer has nothing but success and message. */
function fees({ method, invoice }: Payment, outcome: PayerOutcome | undefined): object {
  if (outcome !== 'bears the fees' || method.fees === false) return {};
  return { fees: Math.ceil(invoice.totalAmount / 100), currency: 'XOF' };
}

type Extras = (payment: Payment, page: string, base: string) => object;

const extraFields = {
  card: () => ({}),
  redirect: (_payment, page) => ({ url: page }),
  qr: (_payment, page) => ({
    url: page,
    other_url: { wallet_app_url: `${page}?in=wallet`, partner_app_url: `${page}?in=partner` },
  }),
  'wallet-b data': ({ method, fields, invoice, transactionId }) => ({
    data: {
      status: 'PENDING',
      amount: invoice.totalAmount,
      currency: 'XOF',
      customermsisdn: fields[method.phone ?? ''],
      transactionid: transactionId,
      externaltransactionid: invoice.token,
    },
  }),
  'wallet-h data': ({ transactionId }) => {
    const details = { message: 'Awaiting the authorization code', service: 'wallet-h', cid: transactionId };
    return { data: { Operation: 'PAYMENT', TransactionID: transactionId, details } };
  },
  'wallet-h confirmed': ({ invoice }, _page, base) => ({
    return_url: `${base}/checkout/return/${invoice.token}`,
    token: invoice.token,
  }),
} as const satisfies Record<NonNullable<SoftpayMethod['extra']>, Extras>;

function extras(payment: Payment, { base }: World): object {
  const { extra } = payment.method;
  return extra === undefined ? {} : extraFields[extra](payment, `${base}/pay/${payment.invoice.token}`, base);
}

function book({ suffix, invoice, transactionId }: Payment, outcome: string, { books }: World): void {
  books.softpay.push({ method: suffix, token: invoice.token, outcome, transactionId });
}
