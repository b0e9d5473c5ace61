/** Checkout invoices: create, confirm, and the notification about them (interface: Checkout invoice; Events). */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ok, refuse } from './answers.ts';
import type { Invoice, InvoiceStatus } from './books.ts';
import { amountOutcomeOf } from './magic.ts';
import { understood } from './understood.ts';
import { type Ask, type Handler, type World } from './world.ts';

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

export const createInvoice: Handler = (ask, world) => {
  const parsed = understood(createBody, ask, world);
  if (!parsed.success) {
    const [first] = parsed.error.issues;
    const what = `${first?.path.join('.') || 'body'}: ${first?.message ?? 'not valid'}`;
    world.books.breach(ask.operation, what);
    // The codes of this operation are not documented; the sandbox lends it the one of data validation.
    return refuse('1001', `Data not valid: ${what}`, 400);
  }
  const invoice: Invoice = {
    token: `${ask.endpoint.mode === 'test' ? 'test_' : ''}${world.random.hex(8)}`,
    mode: ask.endpoint.mode,
    totalAmount: parsed.data.invoice.total_amount,
    status: 'pending',
    coming: [],
    payments: 0,
    createdAt: world.time.now(),
    callbackUrl: parsed.data.actions?.callback_url,
    request: parsed.data,
    failReason: '',
    callbacks: 0,
  };
  world.books.invoices.set(invoice.token, invoice);
  awaitPayer(invoice, world);
  return ok({
    response_code: '00',
    response_text: `${world.base}/checkout/invoice/${invoice.token}`,
    description: 'Checkout Invoice Created',
    token: invoice.token,
  });
};

/** Some amounts are decided without anybody. */
function awaitPayer(invoice: Invoice, world: World): void {
  const outcome = amountOutcomeOf(invoice.totalAmount);
  if (outcome !== undefined) settleLater(invoice, outcome, world);
}

/** Where it was decided meanwhile, only a payment still comes to it: a second one is one more. */
export function settleLater(invoice: Invoice, status: Decided, world: World): void {
  const coming = { word: status, at: world.time.now() + world.settings.values.settleDelayMs };
  invoice.coming = [...invoice.coming, coming];
  waitForPayer(invoice, coming, world);
}

export function waitForPayer(invoice: Invoice, coming: Invoice['coming'][number], world: World): void {
  const { word: status, at } = coming;
  world.time.after(at - world.time.now(), () => {
    invoice.coming = invoice.coming.filter((one) => one !== coming);
    if (status === 'completed' || invoice.status === 'pending') void settleInvoice(invoice, status, world);
  });
}

export const confirmInvoice: Handler = (ask, world) => {
  const invoice = world.books.invoices.get(ask.endpoint.tail);
  const known = invoice !== undefined && invoice.mode === ask.endpoint.mode;
  if (!known || world.faults.named('forgets the token', ask))
    return refuse(world.settings.values.notFoundCode, 'Invoice not found');
  return ok({ response_code: '00', response_text: 'Transaction Found', ...recordOf(invoice, ask, world) });
};

/** An unpaid invoice becomes cancelled 24 hours after its creation; nobody is told, it is seen by asking. */
export function statusNow(invoice: Invoice, { time }: World): InvoiceStatus {
  if (invoice.status === 'pending' && time.now() - invoice.createdAt >= UNPAID_LIFETIME_MS)
    invoice.status = 'cancelled';
  return invoice.status;
}

/** Where the merchant wants the payer to be led. */
export function actionsOf({ request }: Invoice): NonNullable<z.output<typeof createBody>['actions']> {
  return (request as z.output<typeof createBody>).actions ?? {};
}

/** What the payer is shown. */
export function storeOf({ request }: Invoice): { readonly name: string; readonly description: string } {
  const { store, invoice } = request as z.output<typeof createBody>;
  return { name: store.name, description: invoice.description ?? '' };
}

/** The invoice status record, of confirm and of the notification alike. */
function recordOf(
  invoice: Invoice,
  ask: Pick<Ask, 'operation' | 'url' | 'text'>,
  world: World,
): Record<string, unknown> {
  const { invoice: asked, custom_data, actions } = invoice.request as z.output<typeof createBody>;
  const status = statusNow(invoice, world);
  const less = world.faults.named('reports another amount', ask) ? 1 : 0;
  const failed = invoice.failReason !== '';
  return {
    hash: createHash('sha512').update(world.credentials.masterKey).digest('hex'),
    invoice: {
      items: asked.items ?? {},
      taxes: asked.taxes ?? {},
      token: invoice.token,
      total_amount: invoice.totalAmount - less,
      description: asked.description ?? '',
    },
    custom_data: custom_data ?? {},
    actions: { cancel_url: '', callback_url: '', return_url: '', ...actions },
    mode: invoice.mode,
    status,
    fail_reason: invoice.failReason,
    customer: { name: '', phone: '', email: '', ...asked.customer },
    receipt_url: status === 'completed' ? `${world.base}/checkout/receipt/pdf/${invoice.token}.pdf` : '',
    ...(failed ? { errors: { message: invoice.failReason, description: 'The card was refused' } } : {}),
  };
}

/** What the payer (or the control API) decides. A cancelled or failed invoice may still be paid: nothing forbids it. */
export async function settleInvoice(invoice: Invoice, status: Decided, world: World, failReason = ''): Promise<void> {
  invoice.status = status;
  invoice.failReason = failReason;
  world.revision += 1;
  if (status === 'completed') invoice.payments += 1;
  await notifyInvoice(invoice, world);
}

export async function notifyInvoice(invoice: Invoice, world: World): Promise<void> {
  const { callbackUrl, token } = invoice;
  if (callbackUrl === undefined) return;
  const fields = {
    response_code: '00',
    response_text: 'Transaction Found',
    ...recordOf(invoice, { operation: 'invoice.callback', url: callbackUrl, text: token }, world),
  };
  const posted = () => {
    invoice.callbacks += 1;
  };
  await world.postman.send({ kind: 'invoice', token, url: callbackUrl, fields, posted }, world);
}
