/** Details of an invoice that the provider names besides its state: the payer, the custom data, the amount without fees. */
import { expect, test } from 'vitest';
import { advanceInvoice } from '../../src/processors/collect/invoice.ts';
import { openBench } from '../support/benches.ts';
import { ok } from '../support/processor-world.ts';

const bench = openBench();
const customer = { name: 'Awa Diop', phone: '771234567' };

/** The invoice and its events, once the provider has answered so. */
async function after(status: string, named: object) {
  const world = bench.world();
  const fields = { totalAmount: 15_000, request: '{}' };
  await world.operations.accept({
    kind: 'invoice',
    id: 'inv_1',
    account: 'main',
    state: 'creating',
    fingerprint: 'fp',
    dueInMs: 0,
    fields,
  });
  world.answer('createInvoice', ok({ token: 'tok-1', url: 'https://pay.example/tok-1' }));
  await advanceInvoice('inv_1', world.context);
  world.advance(10_000);
  world.answer('confirmInvoice', ok({ status, totalAmount: 15_000, token: 'tok-1', mode: 'live', ...named }));
  await advanceInvoice('inv_1', world.context);
  return { record: await world.queries.read('invoice', 'inv_1'), events: await world.events() };
}

test('are stored with the result, and reported', async () => {
  const details = { customData: { order: 7 }, totalWithoutFees: 15_000 };
  const { record, events } = await after('completed', { customer, ...details });
  expect(record).toMatchObject({ state: 'completed', customer, ...details });
  expect(events).toMatchObject([{ data: { customer: { name: 'Awa Diop' }, ...details } }]);
  expect(JSON.stringify(events)).not.toContain('771234567');
});

test('are stored for a person who reviews a payment of less', async () => {
  const { record } = await after('completed', { totalAmount: 14_000, customer });
  expect(record).toMatchObject({ state: 'needs_review', customer });
});

test('are not taken from an answer about another invoice', async () => {
  const { record } = await after('completed', { token: 'tok-9', customer, customData: { order: 9 } });
  expect([record?.state, record?.customer, record?.customData]).toEqual(['needs_review', undefined, undefined]);
});

test.for([
  ['a character that PostgreSQL does not store', { name: 'Awa\0 \ud800', text: 'a\0' }, 'Awa \ufffd'],
  ['more text than anybody has', { name: 'A'.repeat(9_000), text: 'a'.repeat(9_000) }, 'A'.repeat(254)],
] as const)('never stop a payment: %s', async ([, { name, text }, stored]) => {
  const { record } = await after('completed', { customer: { name }, customData: { text } });
  expect([record?.state, record?.customer, record?.customData]).toEqual(['completed', { name: stored }, undefined]);
});
