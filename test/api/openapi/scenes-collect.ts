/** What happens to invoices and payment requests, until every answer was given once. */
import { expect } from 'vitest';
import type { Stage } from './stage.ts';

const CHECKER = 'checker-secret';
const resolution = (outcome: string) => ({ key: CHECKER, body: { outcome, note: 'Seen in the dashboard.' } });

interface Collected {
  readonly path: string;
  readonly operation: string;
  readonly look: string;
  readonly asked: (reference?: string, amount?: number) => object;
}

const invoices: Collected = {
  path: '/v1/invoices',
  operation: 'invoice.create',
  look: 'invoice.confirm',
  asked: (reference, totalAmount = 15_000) => ({ totalAmount, store: { name: 'La Boutique' }, reference }),
};

const paymentRequests: Collected = {
  path: '/v1/payment-requests',
  operation: 'payment-request.create',
  look: 'payment-request.status',
  asked: (reference, amount = 5_000) => ({ amount, phone: '+221771234567', feesPaidBy: 'customer', reference }),
};

export async function invoiceScenes(stage: Stage): Promise<void> {
  const { ask, service, upstreamFails } = stage;
  await collectScenes(stage, invoices);

  const { body: open } = await ask('POST', '/v1/invoices', { body: invoices.asked('softpay') });
  const path = `/v1/invoices/${open.id}`;
  const customer = { name: 'Awa Diop', email: 'awa@example.com', phone: '771234567' };
  const start = () => ask('POST', `${path}/softpay`, { body: { method: 'wallet-h-senegal', customer } });
  await upstreamFails('softpay', start);
  const { body: started } = await start();
  const confirmation = { authorizationCode: '123456', phone: '771234567', transactionId: started.transactionId };
  const confirm = () => ask('POST', `${path}/softpay/confirm`, { body: confirmation });
  await upstreamFails('softpay', confirm);
  await confirm();
  await service.control('POST', `/invoices/${open.token}`, { status: 'completed' });
  await ask('POST', `${path}/confirm`);
  await start();
  await confirm();
  await ask('POST', `${path}/softpay`, { body: {} });
  await ask('POST', `${path}/softpay/confirm`, { body: {} });
}

export const paymentRequestScenes = (stage: Stage): Promise<void> => collectScenes(stage, paymentRequests);

async function collectScenes(stage: Stage, { path, operation, look, asked }: Collected): Promise<void> {
  const { ask, service, upstreamFails, needsReview } = stage;
  const create = (reference?: string, amount?: number) => ask('POST', path, { body: asked(reference, amount) });
  await ask('POST', `${path}?dryRun=true`, { body: asked('plain') });
  const { body: made } = await create('plain');
  await create('plain', 20_000);
  await ask('GET', path);
  await create();
  await ask('GET', `${path}/${made.id}`);
  await service.control('POST', '/faults', { fault: 'answers HTML', operation, count: 1 });
  await create('html');
  await service.control('POST', '/faults', { fault: 'hangs before doing the work', operation, count: 1 });
  await create('hangs');
  await whileCreating(stage, operation, () => create('slow'));
  const unmade = await unmadeOf(stage, operation, () => create('refused'));
  await ask('POST', `${path}/${unmade}/confirm`);

  await upstreamFails(look, () => ask('POST', `${path}/${made.id}/confirm`));
  expect((await ask('POST', `${path}/${made.id}/confirm`)).status).toBe(200);

  const resolve = () => ask('POST', `${path}/${made.id}/resolve`, resolution('failed'));
  await resolve();
  await ask('POST', `${path}/${made.id}/resolve`, { key: CHECKER, body: {} });
  await needsReview(made.id);
  await upstreamFails(look, resolve);
  expect((await resolve()).status).toBe(200);
}

/** 202: another request of the same moment is still being answered by the service. */
async function whileCreating({ service }: Stage, operation: string, create: () => Promise<{ status: number }>) {
  await service.control('POST', '/faults', { fault: 'answers late', operation, delayMs: 250, count: 1 });
  const answers = await Promise.all([create(), create(), create()]);
  expect(answers.map(({ status }) => status)).toContain(202);
}

/** One that the service refused to make: there is nothing to ask about. */
async function unmadeOf(
  { service }: Stage,
  operation: string,
  create: () => Promise<{ body: any }>,
): Promise<string> {
  await service.control('POST', '/faults', { fault: 'answers a given code', operation, code: '1001', count: 1 });
  const { body } = await create();
  return body.id;
}
