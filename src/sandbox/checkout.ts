/** Checkout invoices: create, confirm and callback (interface: Checkout invoice; Events). */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ok, refuse } from './answers.ts';
import { readBody } from './body.ts';
import type { Target } from './faults.ts';
import { amountOutcomeOf } from './magic.ts';
import type { Invoice, InvoiceStatus } from './records.ts';
import type { Handler, Simulator } from './simulator.ts';

type Decided = Exclude<InvoiceStatus, 'pending'>;

const UNPAID_LIFETIME_MS = 24 * 3_600_000;
const text = z.string().optional();

const createBody = z.strictObject({
  invoice: z.strictObject({
    total_amount: z.number().positive(),
    description: text,
    items: z
      .record(
        z.string().regex(/^item_\d+$/),
        z.strictObject({
          name: text,
          quantity: z.number().optional(),
          unit_price: text,
          total_price: text,
          description: text,
        }),
      )
      .optional(),
    taxes: z
      .record(z.string().regex(/^tax_\d+$/), z.strictObject({ name: text, amount: z.number().optional() }))
      .optional(),
    customer: z.strictObject({ name: text, email: text, phone: text }).optional(),
    channels: z.union([z.string().min(1), z.array(z.string().min(1))]).optional(),
  }),
  store: z.strictObject({
    name: z.string().min(1),
    tagline: text,
    postal_address: text,
    phone: text,
    logo_url: text,
    website_url: text,
  }),
  custom_data: z.record(z.string(), z.unknown()).optional(),
  actions: z
    .strictObject({
      cancel_url: z.url().optional(),
      return_url: z.url().optional(),
      callback_url: z.url().optional(),
    })
    .optional(),
});

type CreateBody = z.output<typeof createBody>;

export const createInvoice: Handler = (call, simulator) => {
  const { base, random, records, time } = simulator;
  const read = readBody(createBody, call, simulator);
  // The codes of this operation are not documented; the sandbox borrows the one of data validation.
  if (!read.ok) return refuse('1001', `Data not valid: ${read.problem}`, 400);
  const { mode } = call.endpoint;
  const invoice: Invoice = {
    token: `${mode === 'test' ? 'test_' : ''}${random.hex(8)}`,
    mode,
    totalAmount: read.data.invoice.total_amount,
    status: 'pending',
    scheduled: [],
    payments: 0,
    createdAt: time.now(),
    callbackUrl: read.data.actions?.callback_url,
    request: read.data,
    failReason: '',
    callbacks: 0,
  };
  records.invoices.set(invoice.token, invoice);
  const outcome = amountOutcomeOf(invoice.totalAmount);
  if (outcome !== undefined) settleInvoiceLater(invoice, outcome, simulator);
  return ok({
    response_code: '00',
    response_text: `${base}/checkout/invoice/${invoice.token}`,
    description: 'Checkout Invoice Created',
    token: invoice.token,
  });
};

export function settleInvoiceLater(invoice: Invoice, status: Decided, simulator: Simulator): void {
  const scheduled = { status, at: simulator.time.now() + simulator.settings.values.settleDelayMs };
  invoice.scheduled = [...invoice.scheduled, scheduled];
  resumeInvoice(invoice, scheduled, simulator);
}

/** Waits for a scheduled status, also after a restart with stored records. */
export function resumeInvoice(invoice: Invoice, scheduled: Invoice['scheduled'][number], simulator: Simulator): void {
  const { status, at } = scheduled;
  simulator.time.after(at - simulator.time.now(), () => {
    invoice.scheduled = invoice.scheduled.filter((one) => one !== scheduled);
    simulator.revision += 1;
    // After a final status only a payment still applies: a second one is one more payment.
    if (status === 'completed' || invoice.status === 'pending') void settleInvoice(invoice, status, simulator);
  });
}

export const confirmInvoice: Handler = (call, simulator) => {
  const { faults, records, settings } = simulator;
  const invoice = records.invoices.get(call.endpoint.tail);
  const known = invoice !== undefined && invoice.mode === call.endpoint.mode;
  if (!known || faults.strikes('forgets the token', call))
    return refuse(settings.values.notFoundCode, 'Invoice not found');
  return ok(recordOf(invoice, call, simulator));
};

/** An unpaid invoice becomes cancelled 24 hours after its creation, without a callback. */
export function statusNow(invoice: Invoice, { time }: Simulator): InvoiceStatus {
  if (invoice.status === 'pending' && time.now() - invoice.createdAt >= UNPAID_LIFETIME_MS)
    invoice.status = 'cancelled';
  return invoice.status;
}

const requestOf = ({ request }: Invoice): CreateBody => request as CreateBody;

/** The merchant's addresses for the payer. */
export const actionsOf = (invoice: Invoice): NonNullable<CreateBody['actions']> => requestOf(invoice).actions ?? {};

/** Texts for the payer. */
export function storeOf(record: Invoice): { readonly name: string; readonly description: string } {
  const { store, invoice } = requestOf(record);
  return { name: store.name, description: invoice.description ?? '' };
}

/** The invoice status record of confirm and of the callback. */
function recordOf(invoice: Invoice, target: Target, simulator: Simulator): Record<string, unknown> {
  const { base, credentials, faults } = simulator;
  const { invoice: requested, custom_data } = requestOf(invoice);
  const status = statusNow(invoice, simulator);
  const less = faults.strikes('reports another amount', target) ? 1 : 0;
  const failed = invoice.failReason !== '';
  return {
    response_code: '00',
    response_text: 'Transaction Found',
    hash: createHash('sha512').update(credentials.masterKey).digest('hex'),
    invoice: {
      items: requested.items ?? {},
      taxes: requested.taxes ?? {},
      token: invoice.token,
      total_amount: invoice.totalAmount - less,
      description: requested.description ?? '',
    },
    custom_data: custom_data ?? {},
    actions: { cancel_url: '', callback_url: '', return_url: '', ...actionsOf(invoice) },
    mode: invoice.mode,
    status,
    fail_reason: invoice.failReason,
    customer: { name: '', phone: '', email: '', ...requested.customer },
    receipt_url: status === 'completed' ? `${base}/checkout/receipt/pdf/${invoice.token}.pdf` : '',
    ...(failed ? { errors: { message: invoice.failReason, description: 'The card was refused' } } : {}),
  };
}

/** Applies a decision of a payer or of the control API. A cancelled or failed invoice can still be paid. */
export async function settleInvoice(
  invoice: Invoice,
  status: Decided,
  simulator: Simulator,
  failReason = '',
): Promise<void> {
  invoice.status = status;
  invoice.failReason = failReason;
  simulator.revision += 1;
  if (status === 'completed') invoice.payments += 1;
  await notifyInvoice(invoice, simulator);
}

export async function notifyInvoice(invoice: Invoice, simulator: Simulator): Promise<void> {
  const { callbackUrl: url, token } = invoice;
  if (url === undefined) return;
  const fields = recordOf(invoice, { operation: 'invoice.callback', url, text: token }, simulator);
  const posted = () => {
    invoice.callbacks += 1;
  };
  await simulator.callbacks.send({ kind: 'invoice', token, url, fields, posted }, simulator);
}
