import { Router } from 'express';
import { invoiceRequest } from '../kinds/invoice-request.ts';
import { advanceInvoice } from '../processors/collect/invoice.ts';
import { createWhileWaiting } from './collect-create.ts';
import { addAskable } from './collect-routes.ts';
import { invoiceView } from './collect-views.ts';
import type { ApiContext } from './context.ts';
import { addSoftpay } from './softpay.ts';

export function invoiceRoutes(context: ApiContext): Router {
  const router = Router();
  const creation = {
    kind: 'invoice',
    accept: (body: unknown, key: string | undefined) => context.collect.invoice(body, key),
    advance: advanceInvoice,
    view: invoiceView,
    outcomes: ['completed', 'cancelled', 'failed'],
  } as const;

  router.post('/', (request, response) => {
    const view = (record: Parameters<typeof invoiceView>[0]) => ({
      ...invoiceView(record),
      warnings: warningsOf(request.body),
    });
    return createWhileWaiting(context, request, response, { ...creation, view });
  });

  addAskable(router, context, creation);
  addSoftpay(router, context);
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
