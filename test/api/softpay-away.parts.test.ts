/**
 * PostgreSQL goes away while a payer is prompted: the answer to the waiting caller never denies
 * the prompt and never asks to prompt the payer again.
 */
import { afterAll, expect, test, vi } from 'vitest';
import { Link } from '../support/link.ts';
import { startCollectService } from '../support/collect-service.ts';
import { freshLedger } from '../support/fresh-ledger.ts';

const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

const customer = { name: 'Awa Diop', email: 'awa@example.com' };
const cases = [
  ['the provider has asked the payer', undefined, [200, 'awaiting_payer', undefined]],
  ['its answer is lost', 'resets the connection after doing the work', [504, 'pending', false]],
  ['it refuses', 'the code is wrong', [502, 'pending', false]],
] as const;

test.for(cases)('%s', async ([, fault, told]) => {
  const ledger = await freshLedger({ isNew: true });
  closing.push(() => ledger.close());
  const database = new URL(ledger.url);
  const link = await Link.to(Number(database.port));
  closing.push(() => link.close());
  database.port = String(link.port);
  const service = await startCollectService({ DATABASE_URL: database.href, INVOICE_POLL: '1h' });
  closing.push(() => service.stop());
  closing.push(() => link.heal());
  const made = await service.post('/v1/invoices', { totalAmount: 15_000, store: { name: 'x' }, reference: 'one' });

  await service.control('POST', '/settings', { latencyMs: 2_000 });
  const isWrong = fault === 'the code is wrong';
  if (fault && !isWrong) await service.fault(fault, { operation: 'softpay' });
  const body = isWrong
    ? { method: 'wallet-a-ci', customer: { ...customer, phone: '0701020304' }, otp: '000000' }
    : { method: 'wallet-g-togo', customer: { ...customer, phone: '90112233' } };
  const asking = service.post(`/v1/invoices/${made.body.id}/softpay`, body);
  const asked = async (): Promise<number> => {
    const requests: Record<string, number> = (await service.books('summary')).requests;
    return Object.keys(requests).filter((name) => name.startsWith('softpay')).length;
  };
  await vi.waitFor(async () => expect(await asked()).toBe(1), { timeout: 10_000, interval: 20 });
  link.refuse();

  const { status, body: answer } = await asking;
  expect([status, answer.state, answer.retryable]).toEqual(told);
});
