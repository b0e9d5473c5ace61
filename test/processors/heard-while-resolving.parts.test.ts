/** A callback during an operator's decision is handled, whatever the decision. */
import { expect, test } from 'vitest';
import { resolveDisbursement } from '../../src/processors/disbursement/resolve.ts';
import { not, ok } from '../support/processor-world.ts';
import { DAY_MS, QUIET_MS, freshTruth } from './truth-world.ts';

const world = freshTruth();

/** The provider reports another amount, so a person must review it. */
async function waitingForAPerson() {
  const at = world();
  await at.submitted();
  await at.look('success', { amount: 7, amountRaw: '7.00' });
  expect(await at.now()).toMatchObject({ state: 'needs_review' });
  at.advance(QUIET_MS);
  const says = (outcome: 'failed' | 'succeeded') =>
    resolveDisbursement('dsb_1', { outcome, note: 'Asked.', by: 'awa' }, at.context);
  return { at, says };
}

test('a success in a callback during a “failed” decision is checked, and reported as late', async () => {
  const { at, says } = await waitingForAPerson();
  at.answer('disbursementStatus', async () => {
    await at.hint('success', ['succeeded']);
    return ok({ status: 'created', token: 'tok-dsb_1' });
  });
  expect(await says('failed')).toEqual({ is: 'resolved' });
  expect(await at.now()).toMatchObject({ state: 'failed' });
  expect(await at.dueAt('status-poll', 'dsb_1'), 'somebody looks').not.toBeNull();
  expect(await at.due()).toBeLessThanOrEqual(QUIET_MS);
  await at.look('success');
  await at.look('success');
  expect(await at.told()).toEqual(['needs_review mismatch_amount', 'failed', 'succeeded late']);
});

test('a due check is not postponed to tomorrow by a decision without an answer', async () => {
  const { at, says } = await waitingForAPerson();
  await at.hint('success', ['succeeded']);
  expect(await at.due()).toBeLessThanOrEqual(0);
  at.answer('disbursementStatus', not('transient', 'no_answer', 'maybe'));
  expect(await says('failed')).toMatchObject({ is: 'no answer' });
  expect(await at.due()).toBeLessThanOrEqual(2_000);
});

test('nor by one that the provider does not confirm', async () => {
  const { at, says } = await waitingForAPerson();
  await at.hint('success', ['succeeded']);
  at.answer('disbursementStatus', ok({ status: 'created', token: 'tok-dsb_1' }));
  expect(await says('succeeded')).toMatchObject({ is: 'contradicted' });
  expect(await at.due()).toBeLessThanOrEqual(2_000);
});

test('for any number of refused decisions', async () => {
  const { at, says } = await waitingForAPerson();
  await at.hint('success', ['succeeded']);
  const created = ok({ status: 'created', token: 'tok-dsb_1' });
  for (const answer of [created, not('transient', 'no_answer', 'maybe'), created]) {
    at.advance(300);
    at.answer('disbursementStatus', answer);
    await says('succeeded');
    expect(await at.due()).toBeLessThanOrEqual(2_000);
  }
  await at.look('success', { amount: 7, amountRaw: '7.00' });
  at.answer('disbursementStatus', created);
  await says('succeeded');
  expect(await at.due(), 'once somebody has looked').toBe(DAY_MS);
});

test('where nothing was posted it is asked about tomorrow', async () => {
  const { at, says } = await waitingForAPerson();
  at.answer('disbursementStatus', ok({ status: 'created', token: 'tok-dsb_1' }));
  expect(await says('succeeded')).toMatchObject({ is: 'contradicted' });
  expect(await at.due()).toBe(DAY_MS);
});
