/** Money in through a payment page. The provider is called while the caller waits. */
import { advanceInvoice } from '../processors/collect/invoice.ts';
import { invoiceRequest } from '../kinds/invoice-request.ts';
import { createWhileWaiting, lookWhileWaiting, WHILE_WAITING } from './collect-create.ts';
import { resolutionOf, resolve } from './collect-resolve.ts';
import { invoiceView } from './collect-views.ts';
import { isRecord } from './context.ts';
import { personOf } from './keys.ts';
import { listRoute } from './lists.ts';
import { collectFor, dryRunQuery, JUDGED, judgedAs, accepted, answer, route } from './route.ts';
import { invoice } from './openapi/answers-collect.ts';
import { softpayRoutes } from './softpay.ts';
import { type Message, message } from '../messages/message.ts';
import { textOf } from '../messages/texts.ts';
import { languageFor } from './problem.ts';

const createInvoice = route(
  {
    method: 'post',
    path: '/v1/invoices',
    id: 'createInvoice',
    tag: 'Invoices',
    summary: 'Create an invoice',
    description: WHILE_WAITING,
    role: 'enqueue-payments',
    scope: 'named',
    identity: 'required',
    durable: true,
    query: dryRunQuery,
    body: accepted(invoiceRequest),
    answers: {
      200: JUDGED,
      201: answer('Made: send the payer to `url`.', invoice),
      202: answer('Somebody is still at it: repeat the request.', invoice),
    },
    problems: ['upstream-refused', 'upstream-silent'],
  },
  async (asked) => {
    const given = await collectFor(asked).invoice(asked.body, asked.idempotencyKey, personOf(asked.key));
    const warnings = warningsOf(asked.body);
    if (asked.query.dryRun) return judgedAs(given, warnings, languageFor(asked.request));
    return createWhileWaiting(asked, {
      kind: 'invoice',
      answer: given,
      advance: advanceInvoice,
      view: (record) => ({
        ...invoiceView(record),
        warnings: warnings.map((one) => textOf(one, languageFor(asked.request))),
      }),
    });
  },
);

/** The provider bills the total and only displays the items, so a different sum gets a warning. */
function warningsOf(body: unknown): Message[] {
  if (!isRecord(body)) return [];
  const { items, taxes, totalAmount } = body;
  const prices = numbersIn(items, 'totalPrice');
  if (prices.length === 0 || prices.some((price) => Number.isNaN(price))) return [];
  const sum = [...prices, ...numbersIn(taxes, 'amount')].reduce((total, amount) => total + amount, 0);
  if (sum === totalAmount) return [];
  return [message('items_differ', { sum, total: String(totalAmount) })];
}

/** Precondition: acceptance has validated the list. */
function numbersIn(list: unknown, name: string): number[] {
  return Array.isArray(list) ? list.filter(isRecord).map((one) => Number(one[name] ?? 0)) : [];
}

const about = { tag: 'Invoices', record: 'invoice', answers: { 200: answer('As it is now.', invoice) } } as const;

const getInvoice = route(
  {
    ...about,
    method: 'get',
    path: '/v1/invoices/{id}',
    id: 'getInvoice',
    cli: 'invoice show',
    summary: 'Get an invoice',
    role: 'read',
    scope: 'record',
  },
  ({ record }) => invoiceView(record),
);

const confirmInvoice = route(
  {
    ...about,
    method: 'post',
    path: '/v1/invoices/{id}/confirm',
    id: 'confirmInvoice',
    cli: 'invoice confirm',
    summary: 'Check an invoice with the provider',
    description: 'relais asks the provider now whether the invoice was paid.',
    role: 'enqueue-payments',
    scope: 'record',
    answers: { 200: answer('As the provider says.', invoice) },
    problems: ['wrong-state', 'upstream-refused', 'upstream-silent'],
  },
  async ({ context, record, again }) =>
    invoiceView(await lookWhileWaiting(context, { record, again, advance: advanceInvoice })),
);

const resolveInvoice = route(
  {
    ...about,
    ...resolutionOf('invoice', {}),
    path: '/v1/invoices/{id}/resolve',
    id: 'resolveInvoice',
    fresh: true,
    cli: { name: 'invoice resolve', asks: 'Resolve {id}?' },
    description: 'relais asks the provider first; an answer of the provider takes precedence (409).',
    problems: ['wrong-state', 'upstream-refused', 'upstream-silent'],
  },
  async (asked) => invoiceView(await resolve<'invoice'>(asked, advanceInvoice)),
);

const listInvoices = listRoute({
  kind: 'invoice',
  path: '/v1/invoices',
  id: 'listInvoices',
  tag: 'Invoices',
  summary: 'List invoices',
  cli: 'invoice list',
  columns: ['id', 'state', 'totalAmount', 'amountPaid', 'reference', 'account', 'createdAt'],
  row: invoiceView,
});

export const invoiceRoutes = [
  listInvoices,
  createInvoice,
  getInvoice,
  confirmInvoice,
  resolveInvoice,
  ...softpayRoutes,
];
