/** A reported success that the provider contradicts afterwards. */
import { describe, expect, test } from 'vitest';
import { lookAtDisbursement } from '../../src/processors/disbursement/look.ts';
import { resolveDisbursement } from '../../src/processors/disbursement/resolve.ts';
import { not, ok } from '../support/processor-world.ts';
import { DAY_MS, QUIET_MS, freshTruth } from './truth-world.ts';

const world = freshTruth();

describe('a disbursement that succeeded', () => {
  test('is checked as often as requested, and nothing more is stored', async () => {
    const at = world();
    await at.submitted();
    await at.look('success');
    const lines = async () => (await at.said()).length;
    const before = await lines();
    const waits: number[] = [];
    for (let due = await at.due(); due > 0; due = await at.due()) {
      waits.push(due);
      expect(await at.look('success', {}, { afterMs: due })).toMatchObject({ outcome: 'idle', state: 'succeeded' });
    }
    expect(waits).toEqual([DAY_MS, 2 * DAY_MS, 4 * DAY_MS]);
    expect(await lines()).toBe(before);
    expect(await at.told()).toEqual(['succeeded']);
  });

  test.for(['failed', 'reversed', 'refunded', 'cancelled'])('is reversed after two reports of %s', async (word) => {
    const at = world();
    await at.submitted();
    await at.look('success');
    expect(await at.look(word, {}, { afterMs: DAY_MS })).toMatchObject({
      state: 'succeeded',
      reason: 'undone_once',
    });
    expect(await at.due()).toBe(QUIET_MS / 2);
    expect(await at.look(word)).toMatchObject({ outcome: 'ended', reason: 'reversed', state: 'reversed' });
    expect(await at.told()).toEqual(['succeeded', 'reversed late']);
  });

  test('is reversed although the second check had no answer at first, or an unreadable one', async () => {
    const at = world();
    await at.submitted();
    await at.look('success');
    await at.look('reversed', {}, { afterMs: 8 * DAY_MS });
    for (const answer of [undefined, not('transient', 'unreadable'), not('refused', 'unlisted_code')]) {
      expect(await at.lookInVain(answer)).toMatchObject({ outcome: 'retries' });
      expect(await at.due()).toBe(2_000);
    }
    expect(await at.look('reversed')).toMatchObject({ state: 'reversed' });
  });

  test('is reversed although every check between was about another payment, or not final', async () => {
    const at = world();
    await at.submitted();
    await at.look('success');
    await at.look('reversed', {}, { afterMs: DAY_MS });
    const bent = [
      { disburseId: 'other' },
      { token: undefined },
      { amount: 7, amountRaw: '7.00' },
      { status: 'in_review' },
    ];
    for (const names of bent) {
      expect(await at.look('success', names)).toMatchObject({ outcome: 'unknown', state: 'succeeded' });
    }
    expect(await at.look('reversed')).toMatchObject({ outcome: 'ended', state: 'reversed' });
    expect(await at.told()).toEqual(['succeeded', 'reversed late']);
  });

  test('is reversed although one outdated answer between reports it as paid', async () => {
    const at = world();
    await at.submitted();
    await at.look('success');
    await at.look('reversed', {}, { afterMs: DAY_MS });
    expect(await at.look('success')).toMatchObject({ reason: 'agreed_once' });
    expect(await at.due()).toBe(QUIET_MS / 2);
    expect(await at.look('reversed')).toMatchObject({ reason: 'undone_once' });
    expect(await at.look('reversed')).toMatchObject({ state: 'reversed' });
  });

  test('that a callback contradicts is checked twice before it stays as reported', async () => {
    const at = world();
    await at.submitted();
    await at.look('success');
    await at.hint('failed', ['failed', 'reversed']);
    expect(await at.look('success')).toMatchObject({ reason: 'agreed_once' });
    expect(await at.look('success')).toMatchObject({ outcome: 'idle', reason: 'nothing_new' });
    expect(await at.told()).toEqual(['succeeded']);
  });

  test.for([
    ['a callback', 8 * DAY_MS],
    ['one look', 0],
  ] as const)(
    'that %s contradicts is checked again for days, since confirming answers may have been outdated',
    async ([, lateMs]) => {
      const at = world();
      await at.submitted();
      await at.look('success');
      if (lateMs > 0) {
        at.advance(lateMs);
        await at.hint('failed', ['failed', 'reversed']);
      } else await at.look('reversed', {}, { afterMs: 7 * DAY_MS });
      await at.look('success');
      expect(await at.look('success')).toMatchObject({ outcome: 'idle', reason: 'nothing_new' });
      expect(await at.due()).toBe(DAY_MS - QUIET_MS);
      expect(await at.look('reversed', {}, { afterMs: await at.due() })).toMatchObject({ reason: 'undone_once' });
      expect(await at.look('reversed')).toMatchObject({ state: 'reversed' });
      expect(await at.told()).toEqual(['succeeded', 'reversed late']);
    },
  );

  test('stays so only by statuses after the callback that name it', async () => {
    const at = world();
    await at.submitted();
    await at.look('success');
    await at.hint('', []);
    expect(await at.look('success')).toMatchObject({ reason: 'agreed_once' });
    await at.hint('failed', ['failed', 'reversed']);
    expect(await at.look('success')).toMatchObject({ reason: 'agreed_once' });
    expect(await at.look('in_review')).toMatchObject({ reason: 'status_in_review' });
    expect(await at.look('success')).toMatchObject({ reason: 'agreed_once' });
    expect(await at.look('failed')).toMatchObject({ reason: 'undone_once' });
    expect(await at.look('failed')).toMatchObject({ state: 'reversed' });
  });

  test('that a callback contradicts is checked twice even if a check was due already', async () => {
    const at = world();
    await at.submitted();
    await at.look('success');
    at.advance(DAY_MS + 1);
    expect(await at.hint('failed', ['failed', 'reversed'])).toMatchObject({ is: 'noted' });
    expect(await at.look('success')).toMatchObject({ reason: 'agreed_once' });
    expect(await at.look('failed')).toMatchObject({ reason: 'undone_once' });
    expect(await at.look('failed')).toMatchObject({ state: 'reversed' });
    expect(await at.told()).toEqual(['succeeded', 'reversed late']);
  });

  test('that a callback contradicts during the check that reported it is checked twice', async () => {
    const at = world();
    await at.submitted();
    const { upstream } = at.context;
    const heard = async () => {
      await at.hint('failed', ['failed', 'reversed']);
      return { admitted: true } as const;
    };
    const during = { ...at.context, upstream: { ...upstream, admit: heard } };
    at.advance(QUIET_MS / 2);
    at.answer(
      'disbursementStatus',
      ok({ status: 'success', token: 'tok-dsb_1', disburseId: 'd-dsb_1', amount: 100 }),
    );
    expect(await lookAtDisbursement('dsb_1', during)).toMatchObject({ outcome: 'ended', reason: 'succeeded' });
    expect(await at.look('success')).toMatchObject({ reason: 'agreed_once' });
    expect(await at.look('failed')).toMatchObject({ reason: 'undone_once' });
    expect(await at.look('failed')).toMatchObject({ state: 'reversed' });
  });

  test('is reversed by a transaction of its own, whosever that is, and keeps the name of its own', async () => {
    const at = world();
    await at.submitted('dsb_2', undefined, 'TX-2');
    await at.submitted('dsb_1', undefined, 'TX-1');
    await at.look('success');
    await at.look('reversed', { transactionId: 'TX-2' });
    expect(await at.look('reversed', { transactionId: 'TX-2' })).toMatchObject({ state: 'reversed' });
    expect(await at.queries.read('disbursement', 'dsb_1')).toMatchObject({ transactionId: 'TX-1' });
    expect(await at.said()).toContain('named transactionId TX-2');
  });

  test('is not reversed by one word, nor by one about another payment', async () => {
    const at = world();
    await at.submitted();
    await at.look('success');
    await at.look('failed');
    await at.look('success');
    expect(await at.look('failed')).toMatchObject({ state: 'succeeded' });
    for (let look = 0; look < 3; look += 1) {
      expect(await at.look('failed', { disburseId: undefined })).toMatchObject({ state: 'succeeded' });
    }
  });

  test('needs review if the provider reports its return for long, and never names it', async () => {
    const at = world();
    await at.submitted();
    await at.look('success');
    await at.hint('failed');
    const unnamed = { token: undefined, disburseId: undefined };
    for (let looks = 0; looks < 8; looks += 1) await at.look('failed', unnamed, { afterMs: 5 * QUIET_MS });
    expect(await at.now()).toEqual({ state: 'needs_review', reason: 'contradicted' });
    expect(await at.told()).toEqual(['succeeded', 'needs_review contradicted']);
  });

  test('with occasional unnamed answers needs no review while its success is named between', async () => {
    const at = world();
    await at.submitted();
    await at.look('success');
    await at.hint('failed');
    for (let looks = 0; looks < 9; looks += 1) {
      await at.look('success', { token: undefined, disburseId: undefined }, { afterMs: 5 * QUIET_MS });
      await at.look('success');
    }
    expect(await at.now()).toMatchObject({ state: 'succeeded' });
    expect(await at.told()).toEqual(['succeeded']);
  });

  test('and in review is reversed, not failed, once the provider names it, and settled by its success', async () => {
    const at = world();
    for (const [id, status] of [
      ['dsb_1', 'failed'],
      ['dsb_2', 'success'],
    ] as const) {
      await at.submitted(id);
      await at.look('success', {}, { id });
      for (let looks = 0; looks < 8; looks += 1)
        await at.look('reversed', { disburseId: undefined }, { id, afterMs: 5 * QUIET_MS });
      expect(await at.now(id)).toMatchObject({ state: 'needs_review' });
      await at.look(status, {}, { id });
      await at.look(status, {}, { id });
    }
    expect(await at.told('dsb_1')).toEqual(['succeeded', 'needs_review contradicted', 'reversed late']);
    expect(await at.told('dsb_2')).toEqual(['succeeded', 'needs_review contradicted', 'succeeded late']);
  });

  test('and in review is decided as paid or as reversed, and never sent again', async () => {
    const at = world();
    await at.submitted();
    await at.look('success');
    for (let looks = 0; looks < 8; looks += 1)
      await at.look('reversed', { disburseId: undefined }, { afterMs: 5 * QUIET_MS });
    const says = async (outcome: 'resubmit' | 'failed' | 'cancelled' | 'reversed', status: string) => {
      at.answer('disbursementStatus', ok({ status, token: 'tok-dsb_1' }));
      return resolveDisbursement('dsb_1', { outcome, note: 'Asked.', by: 'awa' }, at.context);
    };
    for (const [outcome, status] of [
      ['resubmit', 'created'],
      ['failed', 'failed'],
      ['cancelled', 'created'],
    ] as const) {
      expect(await says(outcome, status)).toEqual({ is: 'never', toldPaid: true });
    }
    expect(await says('reversed', 'success')).toEqual({ is: 'contradicted', upstream: 'success' });
    expect(await says('reversed', 'reversed')).toEqual({ is: 'resolved' });
    expect(await at.now()).toMatchObject({ state: 'reversed' });
  });

  test('and whose submit was once refused, since the id was used, is not called paid against the provider’s status', async () => {
    const at = world();
    await at.submitted();
    await at.alter('dsb_1', { idUsed: 1 });
    await at.look('success');
    for (let looks = 0; looks < 8; looks += 1)
      await at.look('failed', { disburseId: undefined }, { afterMs: 5 * QUIET_MS });
    expect(await at.now()).toMatchObject({ state: 'needs_review' });
    at.answer('disbursementStatus', ok({ status: 'failed', token: 'tok-dsb_1' }));
    const word = { outcome: 'succeeded', transactionId: 'TX-1', note: 'Asked.', by: 'awa' } as const;
    expect(await resolveDisbursement('dsb_1', word, at.context)).toEqual({
      is: 'contradicted',
      upstream: 'failed',
    });
    for (let looks = 0; looks < 2; looks += 1) await at.look('failed');
    expect(await at.now()).toMatchObject({ state: 'reversed' });
  });

  test('or was never reported as paid is no returned payment', async () => {
    const at = world();
    await at.submitted();
    await at.look('success', { amount: 7, amountRaw: '7.00' });
    expect(await at.now()).toMatchObject({ state: 'needs_review' });
    at.answer('disbursementStatus', ok({ status: 'failed', token: 'tok-dsb_1' }));
    const word = { outcome: 'reversed', note: 'Asked.', by: 'awa' } as const;
    expect(await resolveDisbursement('dsb_1', word, at.context)).toEqual({ is: 'never', toldPaid: false });
  });
});
