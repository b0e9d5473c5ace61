import { Router } from 'express';
import { advanceInvoice } from '../processors/invoice.ts';
import { invoiceRequest } from '../queues/requests-collect.ts';
import { createWhileWaiting, lookWhileWaiting } from './collect-create.ts';
import { addResolve } from './collect-resolve.ts';
import { invoiceView } from './collect-views.ts';
import { type ApiContext, findRecord, requireRole } from './context.ts';
import { addSoftpay } from './softpay.ts';

export function invoiceRoutes(context: ApiContext): Router {
  const router = Router();
  const creation = {
    kind: 'invoice',
    accept: (body: unknown, key: string | undefined) => context.collect.invoice(body, key),
    advance: advanceInvoice,
    view: invoiceView,
  } as const;

  router.post('/', (request, response) => {
    const view = (record: Parameters<typeof invoiceView>[0]) => ({
      ...invoiceView(record),
      warnings: warningsOf(request.body),
    });
    return createWhileWaiting(context, request, response, { ...creation, view });
  });

  router.get('/:id', async (request, response) => {
    const key = requireRole(response, 'read');
    response.json(invoiceView(await findRecord(context, key, 'invoice', request.params.id)));
  });

  router.post('/:id/confirm', (request, response) => lookWhileWaiting(context, request, response, creation));

  addSoftpay(router, context);
  addResolve(router, context, { ...creation, outcomes: ['completed', 'cancelled', 'failed'] });
  return router;
}

/** Upstream bills the total and only shows the rest, so a list that adds up to something else is worth a word. */
function warningsOf(body: unknown): string[] {
  const { data } = invoiceRequest.safeParse(body);
  const prices = data?.items?.map(({ totalPrice }) => Number(totalPrice)) ?? [];
  if (!data || prices.length === 0 || prices.some((price) => Number.isNaN(price))) return [];
  const taxes = data.taxes?.map(({ amount }) => amount ?? 0) ?? [];
  const sum = [...prices, ...taxes].reduce((total, amount) => total + amount, 0);
  if (sum === data.totalAmount) return [];
  return [`items and taxes add up to ${sum}, and ${data.totalAmount} is billed`];
}
