/** What upstream's word is worth: once, twice, without a name, about another payment, and after the end was told. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Explanation } from '../../src/operations/explanation.ts';
import { readEvidence, readEventData } from '../../src/operations/transition.ts';
import { explainDisbursement } from '../../src/operations/explain.ts';
import { payDisbursement } from '../../src/processors/disbursement/pay.ts';
import { lookAtDisbursement } from '../../src/processors/disbursement/look.ts';
import { resolveDisbursement } from '../../src/processors/disbursement/resolve.ts';
import { LEASE_MS, processorWorld, not, ok } from '../support/processor-world.ts';
import { type FreshRedis, freshRedis } from '../support/fresh-redis.ts';

let store: FreshRedis;
beforeAll(async () => {
  store = await freshRedis();
});
afterAll(() => store.close());
beforeEach(() => store.redis.flushdb());

const QUIET_MS = 60_000;
const DAY_MS = 86_400_000;

function world() {
  const policy = { quietMs: QUIET_MS, pollMs: [2_000], resubmit: true, recheckMs: [DAY_MS, 3 * DAY_MS, 7 * DAY_MS] };
  const made = processorWorld(store.redis, { policy });
  return {
    ...made,
    /** A disbursement that was submitted with a token of its own. */
    async submitted(id = 'dsb_1', token = `tok-${id}`, transactionId?: string) {
      const fields = { amount: 100, accountAlias: '77', withdrawMode: 'wallet-a-senegal', disburseId: `d-${id}` };
      const of = { kind: 'disbursement', state: 'queued', account: 'main', fingerprint: 'fp', xof: 100 } as const;
      await made.operations.accept({ ...of, id, dueInMs: 0, fields });
      made.answer('createDisbursement', ok({ token }));
      made.answer('submitDisbursement', ok({ status: 'pending', ...(transactionId ? { transactionId } : {}) }));
      return payDisbursement(id, made.context);
    },
    /** A look at which upstream says this, after so long. */
    async look(status: string, more: Record<string, unknown> = {}, { afterMs = QUIET_MS / 2, id = 'dsb_1' } = {}) {
      made.advance(afterMs);
      const named = { token: `tok-${id}`, disburseId: `d-${id}`, amount: 100, amountRaw: '100.00' };
      made.answer('disbursementStatus', ok({ status, ...named, ...more }));
      const settlement = await lookAtDisbursement(id, made.context);
      return { ...(await this.now(id)), ...settlement };
    },
    /** A look that nobody answers. */
    async lookInVain(verdict = not('transient', 'no_answer', 'maybe')) {
      made.advance(QUIET_MS / 2);
      made.answer('disbursementStatus', verdict);
      return lookAtDisbursement('dsb_1', made.context);
    },
    async now(id = 'dsb_1') {
      const record = await made.queries.read('disbursement', id);
      return { state: record?.state, reason: record?.reason };
    },
    async said(id = 'dsb_1') {
      const record = await made.queries.read('disbursement', id);
      return readEvidence(record?.fields ?? {}).lines.map(
        ({ operation, code, detail }) => `${operation} ${code} ${detail ?? ''}`,
      );
    },
    async told(id = 'dsb_1'): Promise<string[]> {
      const entries = await store.redis.xrange('events', '-', '+');
      return entries.flatMap(([, flat]) => {
        const entry = Object.fromEntries(
          flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? '']] : [])),
        );
        const { late, reason = '' } = readEventData(entry) as { late?: boolean; reason?: string };
        if (entry['op'] !== id) return [];
        return [`${entry['type']?.split('.')[1] ?? ''}${late ? ' late' : ''}${reason && ` ${reason}`}`];
      });
    },
    hint: (code: string, agreesWith: readonly string[] = []) =>
      made.operations.nudge('disbursement', 'dsb_1', { operation: 'callback', code }, 0, {
        redacted: '',
        agreesWith,
      }),
    due: async (id = 'dsb_1') => Number(await store.redis.zscore('due:status-poll', id)) - made.context.clock.now(),
    async explained(): Promise<Explanation> {
      const record = await made.queries.read('disbursement', 'dsb_1');
      if (record === undefined) throw new Error('no record');
      const around = {
        now: 0,
        holds: [],
        accountKnown: true,
        durable: true,
        pausedQueues: [],
        failureOf: () => undefined,
      };
      return explainDisbursement(record, around);
    },
  };
}

describe('a disbursement that failed', () => {
  test('is told to have failed when it is said twice, half a quiet period apart', async () => {
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

  test('is not told to have failed where another word came between', async () => {
    const at = world();
    await at.submitted();
    await at.look('failed');
    await at.look('pending');
    expect(await at.look('failed')).toMatchObject({ state: 'pending' });
    expect(await at.look('success')).toMatchObject({ state: 'succeeded' });
  });

  test('wakes a look when a callback says otherwise, and is told to have succeeded, once and late', async () => {
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

  test('stays so when a callback says otherwise and two looks do not', async () => {
    const at = world();
    await at.submitted();
    await at.look('failed');
    await at.look('failed');
    await at.hint('success', ['succeeded']);
    expect(await at.look('failed')).toMatchObject({ outcome: 'unknown', state: 'failed' });
    expect(await at.look('failed')).toMatchObject({ outcome: 'idle', state: 'failed' });
    expect(await at.told()).toEqual(['failed']);
  });

  test('is for a person when it is taken back for no word that counts', async () => {
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

describe('a late word about a disbursement that failed', () => {
  test('is looked into again when upstream could not be asked', async () => {
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

  test('is looked into when it comes while upstream is asked for the last time', async () => {
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
    expect(await at.look('failed')).toMatchObject({ outcome: 'idle' });
    expect(await store.redis.zscore('due:status-poll', 'dsb_1')).toBeNull();
  });

  test('that was said once is not forgotten when a person asks about it', async () => {
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
  test.for(['token', 'disburseId'])(
    'ends nothing without %s, and is for a person after three looks',
    async (name) => {
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
    },
  );

  test('that it names later ends it', async () => {
    const at = world();
    await at.submitted();
    await at.look('success', { disburseId: undefined });
    expect(await at.look('success')).toMatchObject({ state: 'succeeded' });
    expect((await at.queries.read('disbursement', 'dsb_1'))?.fields).not.toHaveProperty('unnamedSeenAt');
  });
});

describe('what upstream named belongs to one disbursement', () => {
  test('a token that another was given is for a person, before anything is sent', async () => {
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

  test('a transaction that another was told is for a person', async () => {
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

describe('what upstream named otherwise than was asked', () => {
  test.for([
    ['mismatch_amount', { amount: 99, amountRaw: '99.00' }, 'named amount 99.00'],
    ['unreadable_amount', { amount: undefined, amountRaw: '1 00,5' }, 'named amount 1 00,5'],
    ['mismatch_token', { token: 'tok-x' }, 'named token tok-x'],
    ['mismatch_disburse_id', { disburseId: 'd-x' }, 'named disburse_id d-x'],
  ] as const)('is in the evidence of %s, and told', async ([reason, more, line]) => {
    const at = world();
    await at.submitted();
    await at.hint('success', ['succeeded']);
    expect(await at.look('success', more)).toMatchObject({ state: 'needs_review', reason });
    expect(await at.said()).toContain(line);
    const { summary } = await at.explained();
    expect(summary).toContain(`When it was asked, upstream named: ${line.replace('named ', '')}`);
    expect(summary).toContain('What it posted to us may read otherwise: only what it says when it is asked counts.');
  });

  test('a person may say that it failed where the only success is about another payment', async () => {
    const at = world();
    await at.submitted();
    await at.look('success', { token: 'tok-x' });
    at.advance(LEASE_MS);
    const word = { outcome: 'failed', note: 'asked the service', by: 'awa' } as const;
    expect(await resolveDisbursement('dsb_1', word, at.context)).toEqual({ is: 'resolved' });
  });
});

describe('a disbursement that succeeded', () => {
  test('is looked at again as often as it is asked for, and costs nothing but the time that is kept for it', async () => {
    const at = world();
    await at.submitted();
    await at.look('success');
    const size = () => store.redis.memory('USAGE', 'op:dsb_1');
    const before = await size();
    const waits: number[] = [];
    for (let due = await at.due(); due > 0; due = await at.due()) {
      waits.push(due);
      expect(await at.look('success', {}, { afterMs: due })).toMatchObject({ outcome: 'idle', state: 'succeeded' });
    }
    expect(waits).toEqual([DAY_MS, 2 * DAY_MS, 4 * DAY_MS]);
    expect(Number(await size()) - Number(before)).toBeLessThan(32);
    expect(await at.told()).toEqual(['succeeded']);
  });

  test.for(['failed', 'reversed', 'refunded', 'cancelled'])('is reversed when %s is said twice', async (word) => {
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
    expect(await at.queries.counts('disbursement')).toMatchObject({ count: { reversed: 1, succeeded: 0 } });
  });

  test('is reversed though the second look was not answered at first, or unreadably', async () => {
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

  test('is reversed though every look between was answered about another payment, or by no last word', async () => {
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

  test('is reversed though one old answer between said that it is paid', async () => {
    const at = world();
    await at.submitted();
    await at.look('success');
    await at.look('reversed', {}, { afterMs: DAY_MS });
    expect(await at.look('success')).toMatchObject({ reason: 'contradicted_once' });
    expect(await at.due()).toBe(QUIET_MS / 2);
    expect(await at.look('reversed')).toMatchObject({ reason: 'undone_once' });
    expect(await at.look('reversed')).toMatchObject({ state: 'reversed' });
  });

  test('that a callback contradicts is looked at twice before it stays as it was told', async () => {
    const at = world();
    await at.submitted();
    await at.look('success');
    await at.hint('failed', ['failed', 'reversed']);
    expect(await at.look('success')).toMatchObject({ reason: 'contradicted_once' });
    expect(await at.look('success')).toMatchObject({ outcome: 'idle', reason: 'nothing_new' });
    expect(await at.told()).toEqual(['succeeded']);
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
});
