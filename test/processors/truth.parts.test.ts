/**
 * The weight of the provider's statuses: once, twice, without a name, about another payment, and after the result was
 * reported.
 */
import { describe, expect, test } from 'vitest';
import { lookAtDisbursement } from '../../src/processors/disbursement/look.ts';
import { resolveDisbursement } from '../../src/processors/disbursement/resolve.ts';
import { LEASE_MS, not, ok } from '../support/processor-world.ts';
import { DAY_MS, QUIET_MS, freshTruth } from './truth-world.ts';

const world = freshTruth();

describe('a disbursement that was cancelled', () => {
  test('is checked after a callback of its payment, and reported so one time and late', async () => {
    const at = world();
    await at.cancelled();
    expect(await at.hint('failed', ['failed', 'cancelled'])).toMatchObject({ is: 'final', state: 'cancelled' });
    expect(await at.hint('success', ['succeeded'])).toMatchObject({ is: 'look', state: 'cancelled' });
    expect(await at.look('success', { transactionId: 'TX-1' })).toMatchObject({
      outcome: 'ended',
      reason: 'paid_after_all',
    });
    expect(await at.queries.read('disbursement', 'dsb_1')).toMatchObject({ state: 'succeeded', late: true });
    expect(await at.told()).toEqual(['cancelled', 'succeeded late']);
  });

  test('stays so when its token was never submitted', async () => {
    const at = world();
    await at.cancelled();
    await at.hint('success', ['succeeded']);
    const unsent = { disburseId: undefined };
    expect(await at.look('created', unsent)).toMatchObject({ outcome: 'unknown', state: 'cancelled' });
    expect(await at.look('created', unsent)).toMatchObject({ outcome: 'idle', state: 'cancelled' });
    expect(await at.told()).toEqual(['cancelled']);
  });

  test('needs review when the provider continues it', async () => {
    const at = world();
    await at.cancelled();
    await at.hint('success', ['succeeded']);
    for (let look = 1; look < 8; look += 1) await at.look('pending', {}, { afterMs: 5 * QUIET_MS });
    expect(await at.now()).toMatchObject({ state: 'needs_review', reason: 'contradicted' });
    expect(await at.told()).toEqual(['cancelled', 'needs_review contradicted']);
  });

  test('is not checked without a token, or without a callback', async () => {
    const at = world();
    await at.cancelled('');
    expect(await at.hint('success', ['succeeded'])).toMatchObject({ is: 'look' });
    expect(await at.look('success')).toMatchObject({ outcome: 'idle', state: 'cancelled', reason: 'no_token' });
    expect(at.calls.map(({ name }) => name)).not.toContain('disbursementStatus');
    expect(await at.dueAt('status-poll', 'dsb_1')).toBeNull();
  });
});

describe('a disbursement that failed', () => {
  test('is reported as failed after two reports, half a settle delay apart', async () => {
    const at = world();
    await at.submitted();
    expect(await at.look('failed')).toMatchObject({ state: 'pending', reason: 'failed_once' });
    expect(await at.look('failed', {}, { afterMs: 1_000 })).toMatchObject({
      state: 'pending',
      reason: 'failed_once',
    });
    expect(await at.look('failed')).toMatchObject({ outcome: 'ended', state: 'failed' });
    expect(await at.told()).toEqual(['failed']);
  });

  test('is not reported as failed if another status came between', async () => {
    const at = world();
    await at.submitted();
    await at.look('failed');
    await at.look('pending');
    expect(await at.look('failed')).toMatchObject({ state: 'pending' });
    expect(await at.look('success')).toMatchObject({ state: 'succeeded' });
  });

  test('triggers a check after a contradicting callback, and is reported as succeeded one time and late', async () => {
    const at = world();
    await at.submitted();
    await at.look('failed');
    await at.look('failed');
    expect(await at.hint('failed', ['failed', 'reversed'])).toMatchObject({ is: 'final', state: 'failed' });
    expect(await at.hint('success', ['succeeded'])).toMatchObject({ is: 'look', state: 'failed' });
    expect(await at.look('success', { transactionId: 'TX-1' })).toMatchObject({
      outcome: 'ended',
      reason: 'paid_after_all',
    });
    expect(await at.queries.read('disbursement', 'dsb_1')).toMatchObject({
      state: 'succeeded',
      late: true,
      transactionId: 'TX-1',
    });
    expect(await at.told()).toEqual(['failed', 'succeeded late']);
    expect((await at.explained()).summary).toContain('This came late');
  });

  test('stays so if a callback contradicts it and two checks do not', async () => {
    const at = world();
    await at.submitted();
    await at.look('failed');
    await at.look('failed');
    await at.hint('success', ['succeeded']);
    expect(await at.look('failed')).toMatchObject({ outcome: 'unknown', state: 'failed' });
    expect(await at.look('failed')).toMatchObject({ outcome: 'idle', state: 'failed' });
    expect(await at.told()).toEqual(['failed']);
  });

  test('is checked for days after a contradicting callback, since its caller may pay again', async () => {
    const at = world();
    await at.submitted();
    await at.look('failed');
    await at.look('failed');
    expect(await at.dueAt('status-poll', 'dsb_1')).toBeNull();
    await at.hint('success', ['succeeded']);
    await at.look('failed', {}, { afterMs: 1 });
    await at.look('failed');
    const waits: number[] = [];
    for (let due = await at.due(); due > 0; due = await at.due()) {
      waits.push(due);
      await at.look('failed', {}, { afterMs: due });
      await at.look('failed', {}, { afterMs: await at.due() });
    }
    expect(waits).toEqual([1, 2, 4].map((days, nth) => days * DAY_MS - QUIET_MS / 2 - (nth === 0 ? 1 : 0)));
  });

  test('needs review when it is withdrawn without a valid new status', async () => {
    const at = world();
    await at.submitted();
    await at.look('failed');
    await at.look('failed');
    await at.hint('success', ['succeeded']);
    expect(await at.look('success', { disburseId: undefined })).toMatchObject({ state: 'failed' });
    expect(await at.look('success', { disburseId: undefined })).toMatchObject({
      state: 'needs_review',
      reason: 'contradicted',
    });
    expect(await at.told()).toEqual(['failed', 'needs_review contradicted']);
  });
});

test('a repeated submit that does not leave waits as after a first try, however often checks had failed before', async () => {
  const at = world();
  await at.answered(not('unknown', '5000', 'answered'));
  at.advance(QUIET_MS * 2);
  for (let look = 0; look < 9; look += 1) await at.lookInVain(not('transient', 'unreadable'));
  expect(await at.look('created', { disburseId: undefined })).toMatchObject({ reason: 'created_once' });
  at.answer('submitDisbursement', not('transient', 'send_deadline', 'never'));
  expect(await at.look('created', { disburseId: undefined })).toMatchObject({ reason: 'send_deadline' });
  expect(await at.due()).toBeLessThan(60_000);
});

test('a failure of a token whose disburse_id was paid by another, as an operator has seen, changes nothing', async () => {
  const at = world();
  await at.answered(not('unknown', '5000', 'answered'));
  await at.alter('dsb_1', { idUsed: 1 });
  expect(await at.look('failed')).toMatchObject({ state: 'needs_review', reason: 'disburse_id_used' });
  at.advance(QUIET_MS);
  at.answer('disbursementStatus', ok({ status: 'failed', token: 'tok-dsb_1', disburseId: 'd-dsb_1' }));
  const word = { outcome: 'succeeded', transactionId: 'TX-SEEN', note: 'In the dashboard.', by: 'awa' } as const;
  expect(await resolveDisbursement('dsb_1', word, at.context)).toEqual({ is: 'resolved' });
  expect((await at.queries.read('disbursement', 'dsb_1'))?.token).toBeUndefined();
  await at.hint('failed');
  for (let look = 0; look < 3; look += 1) await at.look('failed');
  expect(await at.now()).toMatchObject({ state: 'succeeded' });
  expect(await at.told()).toEqual(['needs_review disburse_id_used', 'succeeded']);
});

describe('a late word about a disbursement that failed', () => {
  test('is checked again if the provider could not be asked', async () => {
    const at = world();
    await at.submitted();
    await at.look('failed');
    await at.look('failed');
    await at.hint('success', ['succeeded']);
    expect(await at.lookInVain()).toMatchObject({ outcome: 'retries', reason: 'no_answer' });
    expect(await at.due()).toBe(2_000);
    await at.lookInVain(not('transient', 'server_error'));
    expect(await at.due()).toBe(2_000);
    expect(await at.look('success')).toMatchObject({ reason: 'paid_after_all' });
  });

  test('is checked if it arrives during the last check', async () => {
    const at = world();
    await at.submitted();
    await at.look('failed');
    const { upstream } = at.context;
    const heard = async () => {
      await at.hint('success', ['succeeded']);
      return { admitted: true } as const;
    };
    at.advance(QUIET_MS / 2);
    await lookAtDisbursement('dsb_1', { ...at.context, upstream: { ...upstream, admit: heard } });
    expect(await at.now()).toMatchObject({ state: 'failed' });
    expect(await at.due()).toBe(5_000);
    expect(await at.look('failed'), 'one word does not outweigh it').toMatchObject({ outcome: 'unknown' });
    expect(await at.look('failed')).toMatchObject({ outcome: 'idle' });
    expect(await at.due()).toBe(DAY_MS - QUIET_MS);
  });

  test('seen once is retained during an operator’s decision', async () => {
    const at = world();
    await at.submitted();
    await at.look('failed');
    await at.look('failed');
    await at.hint('success', ['succeeded']);
    await at.look('success', { disburseId: undefined });
    const word = { outcome: 'failed', note: 'seen', by: 'awa' } as const;
    expect(await resolveDisbursement('dsb_1', word, at.context)).toMatchObject({ is: 'not now' });
    expect(await at.look('success', { disburseId: undefined })).toMatchObject({ reason: 'contradicted' });
  });
});

describe('a word that does not name the payment', () => {
  test.for(['token', 'disburseId'])('ends nothing without %s, and needs review after three checks', async (name) => {
    const at = world();
    await at.submitted();
    for (let look = 1; look <= 2; look += 1) {
      expect(await at.look('success', { [name]: undefined })).toMatchObject({
        state: 'pending',
        reason: 'unnamed',
      });
    }
    expect(await at.look('success', { [name]: undefined })).toMatchObject({
      state: 'needs_review',
      reason: 'unidentified',
    });
    expect(await at.look('success')).toMatchObject({ state: 'succeeded' });
    expect(await at.told()).toEqual(['needs_review unidentified', 'succeeded late']);
  });

  test('that it names later ends it', async () => {
    const at = world();
    await at.submitted();
    await at.look('success', { disburseId: undefined });
    expect(await at.look('success')).toMatchObject({ state: 'succeeded' });
    expect(await at.queries.read('disbursement', 'dsb_1')).not.toHaveProperty('unnamedSeenAt');
  });
});

describe('a reference of the provider belongs to one disbursement', () => {
  test('a token of another disbursement needs review, before anything is sent', async () => {
    const at = world();
    await at.submitted('dsb_1', 'shared');
    expect(await at.submitted('dsb_2', 'shared')).toEqual({ outcome: 'needs_review', reason: 'token_collision' });
    expect(at.calls.filter(({ name }) => name === 'submitDisbursement')).toHaveLength(1);
    expect((await at.queries.read('disbursement', 'dsb_2'))?.token).toBeUndefined();
    expect(await at.said('dsb_2')).toContain('named token shared');
    expect(await at.told('dsb_2')).toEqual(['needs_review token_collision']);
  });

  test('so is one whose submit would have had to wait', async () => {
    const at = world();
    await at.submitted('dsb_1', 'shared');
    at.noTurnAt(2);
    expect(await at.submitted('dsb_2', 'shared')).toEqual({ outcome: 'needs_review', reason: 'token_collision' });
  });

  test('a transaction of another disbursement needs review', async () => {
    const at = world();
    await at.submitted('dsb_1', undefined, 'TX-1');
    expect(await at.submitted('dsb_2', undefined, 'TX-1')).toMatchObject({ reason: 'transaction_collision' });
    await at.submitted('dsb_3');
    const third = await at.look('success', { transactionId: 'TX-1' }, { id: 'dsb_3' });
    expect(third).toMatchObject({ state: 'needs_review', reason: 'transaction_collision' });
    await at.look('success', { transactionId: 'TX-1' }, { id: 'dsb_3', afterMs: DAY_MS });
    expect(await at.told('dsb_3')).toEqual(['needs_review transaction_collision']);
    expect(await at.look('success', { transactionId: 'TX-1' })).toMatchObject({ state: 'succeeded' });
  });
});

describe('a reference that differs from the request', () => {
  test.for([
    ['mismatch_amount', { amount: 99, amountRaw: '99.00' }, 'named amount 99.00'],
    ['unreadable_amount', { amount: undefined, amountRaw: '1 00,5' }, 'named amount 1 00,5'],
    ['mismatch_token', { token: 'tok-x' }, 'named token tok-x'],
    ['mismatch_disburse_id', { disburseId: 'd-x' }, 'named disburse_id d-x'],
  ] as const)('is in the evidence of %s, and reported', async ([reason, more, line]) => {
    const at = world();
    await at.submitted();
    await at.hint('success', ['succeeded']);
    expect(await at.look('success', more)).toMatchObject({ state: 'needs_review', reason });
    expect(await at.said()).toContain(line);
    const { summary } = await at.explained();
    expect(summary).toContain(`The provider reported: ${line.replace('named ', '')}`);
    expect(summary).toContain('A callback may differ: relais trusts only the answer to its own status check.');
  });

  test('an operator can decide that it failed if the only success is about another payment', async () => {
    const at = world();
    await at.submitted();
    await at.look('success', { token: 'tok-x' });
    at.advance(LEASE_MS);
    const word = { outcome: 'failed', note: 'asked the provider', by: 'awa' } as const;
    expect(await resolveDisbursement('dsb_1', word, at.context)).toEqual({ is: 'resolved' });
  });
});
