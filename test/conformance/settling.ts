/** Changing a record: compare, then set; and hints, which change nothing but when it is looked at. */
import { beforeEach, describe, expect, test } from 'vitest';
import { goneAtTheEnd } from '../../src/kinds/disbursement-fields.ts';
import { readRecord } from '../../src/operations/record.ts';
import { readEvidence, eventOf } from '../../src/operations/transition.ts';
import { DOUBT_SLOT_MS, keys } from '../../src/operations/keys.ts';
import { WAITING, LEASE_MS, OperationA, type OperationsUnderTest, START, disbursementOf } from './under-test.ts';

export function settlingConformance(open: () => Promise<OperationsUnderTest>): void {
  let at: OperationsUnderTest;
  let a: OperationA;
  beforeEach(async () => {
    at = await open();
    a = new OperationA(at);
  });

  describe('settling', () => {
    beforeEach(async () => {
      await at.operations.accept(disbursementOf('a'));
    });

    test('changes the state, its lists and its counts in one step', async () => {
      const { record: read, lease } = await a.held();
      at.clock.now += 100;
      const settled = await at.operations.transition(read, lease, {
        to: 'created',
        dueInMs: 3_000,
        set: { token: 't' },
      });
      expect(settled).toMatchObject({ is: 'applied', rev: 2, at: START + 100 });
      expect(await a.record()).toMatchObject({ state: 'created', token: 't', since: String(START + 100) });
      expect(await a.record()).not.toHaveProperty('lease');
      expect(await a.due()).toBe(START + 3_100);
      expect(await at.score(keys.state('disbursement', 'queued'), 'a')).toBeUndefined();
      expect(await at.score(keys.state('disbursement', 'created'), 'a')).toBe(START + 100);
      const counts = { queued: '0', 'xof:queued': '0', created: '1', 'xof:created': '500', ...WAITING };
      expect(await at.fields(keys.counts('disbursement'))).toEqual(counts);
    });

    test('what has left, or never will, is in flight no longer', async () => {
      const flying = async () => (await at.fields(keys.counts('disbursement')))['flight:main:wave-senegal'];
      await a.bring('created', 'submitting', 'pending');
      expect(await flying()).toBe('500');
      await a.bring('succeeded');
      expect(await flying()).toBe('0');
    });

    test('what may wait for its account counts with it, and what is in doubt by when the doubt began', async () => {
      const beside = async () => {
        const counts = Object.entries(await at.fields(keys.counts('disbursement')));
        return Object.fromEntries(counts.filter(([name]) => /^(unsent|doubt)/.test(name)));
      };
      const slot = (ms: number) => `doubt:${Math.floor(ms / DOUBT_SLOT_MS)}`;
      const nothing = { 'unsent:main': '0', 'unsent-xof:main': '0' };
      await a.bring('created');
      expect(await beside()).toEqual({ 'unsent:main': '1', 'unsent-xof:main': '500' });
      await a.bring('submitting');
      expect(await beside()).toEqual({ ...nothing, [slot(START)]: '500' });
      at.clock.now += DOUBT_SLOT_MS;
      const { record } = await a.held('status-poll');
      await at.operations.transition(record, undefined, { to: 'submitting', dueInMs: 60_000 });
      expect(await beside(), 'the same doubt').toEqual({ ...nothing, [slot(START)]: '500' });
      await a.bring('pending');
      expect(await beside()).toEqual({ ...nothing, [slot(at.clock.now)]: '500' });
      await a.bring('succeeded');
      expect(await beside()).toEqual(nothing);
    });

    test('a lost lease changes nothing', async () => {
      const first = await a.held();
      at.clock.now += LEASE_MS;
      await a.held();
      const before = await at.everything();
      const settled = await at.operations.transition(first.record, first.lease, {
        to: 'created',
        set: { token: 't' },
      });
      expect(settled).toEqual({ is: 'not yours', state: 'queued' });
      expect(await at.everything()).toEqual(before);
    });

    test('a record that went on meanwhile is not changed from where it was', async () => {
      const { record: read } = await a.held();
      await at.operations.transition(read, undefined, { to: 'created' });
      const late = await at.operations.transition(read, undefined, { to: 'cancelled' });
      expect(late).toEqual({ is: 'not yours', state: 'created' });
    });

    test('a command that was sent twice is done once and answers that it was ours', async () => {
      const { record: read, lease } = await a.held();
      at.repeatNext();
      const event = { type: 'disbursement.held', data: { id: 'a' } };
      const settled = await at.operations.transition(read, lease, { to: 'held', dueInMs: 1_000, event });
      expect(settled.is).toBe('mine');
      expect(await a.record()).toMatchObject({ state: 'held', rev: '2' });
      expect(await at.events()).toHaveLength(1);
    });

    test('an account that is held so changes nothing, and an earlier run of the same change still answers', async () => {
      const { record: read, lease } = await a.held();
      const change = { to: 'created', unlessHeld: 'payments.stopped' } as const;
      await at.hold('main', 'payments.stopped');
      const before = await at.everything();
      expect(await at.operations.transition(read, lease, change)).toEqual({ is: 'held' });
      expect(await at.everything()).toEqual(before);
      await at.hold('other', 'payments.stopped');
      const free = { ...change, unlessHeld: 'payments.maintenance' };
      expect(await at.operations.transition(read, lease, free)).toMatchObject({ is: 'applied' });
    });

    test('what was posted is forgotten with the change that says as much', async () => {
      await at.operations.nudge('disbursement', 'a', { operation: 'callback', code: 'x' }, 0, {
        redacted: 'a word',
        agreesWith: [],
      });
      const { record: read, lease } = await a.held();
      await at.operations.transition(read, 'a lost lease', { to: 'created', forgetsCallback: true });
      expect(await at.everything()).toHaveProperty([keys.callback('a')], 'a word');
      await at.operations.transition(read, lease, { to: 'created', forgetsCallback: true });
      expect(await at.everything()).not.toHaveProperty([keys.callback('a')]);
    });

    test('what is posted after the record was read is kept all the same', async () => {
      const { record: read, lease } = await a.held();
      await at.operations.nudge('disbursement', 'a', { operation: 'callback', code: 'x' }, 0, {
        redacted: 'another word',
        agreesWith: [],
      });
      await at.operations.transition(read, lease, { to: 'created', forgetsCallback: true });
      expect(await at.everything()).toHaveProperty([keys.callback('a')], 'another word');
    });

    test('what is posted after the record was read is forgotten too where it says what the change says', async () => {
      const { record: read, lease } = await a.held();
      const said = { operation: 'callback', code: 'x' } as const;
      await at.operations.nudge('disbursement', 'a', said, 0, { redacted: 'the same', agreesWith: ['created'] });
      await at.operations.transition(read, lease, { to: 'created', forgetsCallback: true });
      expect(await at.everything()).not.toHaveProperty([keys.callback('a')]);
    });

    test('what nobody may keep says nothing about what was posted before it', async () => {
      const { record: read, lease } = await a.held();
      const said = { operation: 'callback', code: 'x' } as const;
      await at.operations.nudge('disbursement', 'a', said, 0, { redacted: 'something else', agreesWith: [] });
      await at.operations.nudge('disbursement', 'a', said, 0, { redacted: '', agreesWith: ['created'] });
      await at.operations.transition(read, lease, { to: 'created', forgetsCallback: true });
      expect(await at.everything()).toHaveProperty([keys.callback('a')], 'something else');
    });

    test('a record that is gone is not made again', async () => {
      const { record: read, lease } = await a.held();
      const ghost = { ...read, id: 'ghost' };
      expect(await at.operations.transition(ghost, lease, { to: 'created' })).toEqual({ is: 'none' });
      expect(await at.fields(keys.record('ghost'))).toEqual({});
    });

    test('an arrow that the table does not have is refused before anything is asked', async () => {
      const { record: read, lease } = await a.held();
      await expect(at.operations.transition(read, lease, { to: 'succeeded' })).rejects.toThrow('no arrow');
    });

    test('an event is announced once for each transition, in growing sequence', async () => {
      for (const to of ['held', 'created', 'rejected'] as const) {
        const { record: read, lease } = await a.held();
        const event = { type: `disbursement.${to}`, data: { state: to } };
        await at.operations.transition(read, lease, { to, dueInMs: 1_000, event });
      }
      const told = (await at.events()).map(({ op, seq, type, account }) => ({ op, seq, type, account }));
      expect(told).toEqual([
        { op: 'a', seq: 1, type: 'disbursement.held', account: 'main' },
        { op: 'a', seq: 2, type: 'disbursement.created', account: 'main' },
        { op: 'a', seq: 3, type: 'disbursement.rejected', account: 'main' },
      ]);
    });

    test('a time is counted by the clock of the keeper, and an empty value removes a field', async () => {
      const { record: read, lease } = await a.held();
      await at.operations.transition(read, lease, { to: 'created', keepMs: 1, set: { '@tokenAt': -5, reason: 'x' } });
      expect(await a.record()).toMatchObject({ tokenAt: String(START - 5), reason: 'x', until: String(START + 1) });
      await at.operations.transition({ ...read, state: 'created' }, lease, { to: 'created', set: { reason: '' } });
      expect(await a.record()).not.toHaveProperty('reason');
    });

    test('tries are counted in a state and forgotten when it is left', async () => {
      const first = await a.held();
      await at.operations.transition(first.record, first.lease, { to: 'queued', dueInMs: 1, set: { tries: 7 } });
      const second = await a.held();
      expect(second.record.tries).toBe(7);
      await at.operations.transition(second.record, second.lease, { to: 'created', dueInMs: 1 });
      expect((await a.held()).record.tries).toBe(0);
    });

    test('leaving for another queue is due there and not here', async () => {
      await a.bring('created', 'submitting');
      expect(await a.due()).toBeUndefined();
      expect(await a.due('status-poll')).toBe(START + 60_000);
    });

    test('the end, sent twice, is made once, and tells the whole story with what is heard after it', async () => {
      await a.bring('created');
      at.clock.now += 2_000;
      const submit = { operation: 'submit', code: 'intended', detail: 'send 1', send: 1 };
      const sending = {
        to: 'submitting',
        set: { token: 't', sends: 1, '@sentAt': 0, '@quietUntil': 9_000 },
      } as const;
      await at.operations.transition((await a.held()).record, undefined, { ...sending, evidence: submit });
      at.clock.now += 3_000;
      const { record: read, lease } = await a.held('status-poll');
      const status = { operation: 'status', code: 'ok', httpStatus: 200, detail: 'success' };
      const event = eventOf(read, 'succeeded');
      at.repeatNext();
      const end = { to: 'succeeded', set: { transactionId: 'x' }, evidence: status, event } as const;
      expect((await at.operations.transition(read, lease, end)).is).toBe('mine');
      at.clock.now += 1_000;
      const callback = { operation: 'callback', code: 'completed' };
      const posted = { redacted: '', agreesWith: ['succeeded'] };
      const heard = await at.operations.nudge('disbursement', 'a', callback, 0, posted);
      expect(heard).toMatchObject({ is: 'final', state: 'succeeded' });

      const { fields, evidence, ...over } = readRecord('disbursement', await a.record());
      const changedAt = { createdAt: START, updatedAt: START + 5_000, since: START + 5_000 };
      const money = { amount: 500, accountAlias: '771111111', withdrawMode: 'wave-senegal', disburseId: 'd-a' };
      const seen = { unnamedLooks: 0, contraryLooks: 0, late: false, toldPaid: false, strangeAnswers: 0 };
      const known = { token: 't', transactionId: 'x', sends: 1, idUsed: false, ...seen };
      const named = { kind: 'disbursement', id: 'a', state: 'succeeded', account: 'main' };
      expect(over).toEqual({ ...named, ...changedAt, ...money, ...known, rev: 4, tries: 0 });
      expect(readEvidence({ evidence }).lines).toEqual([
        { at: START + 2_000, operation: 'submit', code: 'intended', detail: 'send 1' },
        { at: START + 5_000, ...status },
        { at: START + 6_000, ...callback },
      ]);
      expect(goneAtTheEnd.filter((name) => name in fields)).toEqual([]);
      expect((await at.events()).map(({ data }) => data)).toEqual([JSON.stringify(event.data)]);
      expect(await at.operations.accept(disbursementOf('a'))).toMatchObject({
        outcome: 'duplicate',
        state: 'succeeded',
      });
    });

    test('what has ended is looked at once more, and is as it was afterwards', async () => {
      await a.bring('created');
      await at.operations.transition((await a.held()).record, undefined, { to: 'submitting', set: { token: 't' } });
      const ended = { to: 'succeeded', dueInMs: 60_000, set: { transactionId: 'x' } } as const;
      const { record: read, lease } = await a.held('status-poll');
      await at.operations.transition(read, lease, { ...ended, evidence: { operation: 'status', code: 'ok' } });
      const before = await a.record();
      expect(await a.due('status-poll')).toBe(at.clock.now + 60_000);
      at.clock.now += 60_000;
      const again = await a.held('status-poll');
      const { fields: _, rev: __, ...whole } = readRecord('disbursement', before);
      expect(again.record).toMatchObject(whole);
      await at.operations.transition(again.record, again.lease, { to: 'succeeded' });
      const { op: ___, updatedAt, ...after } = await a.record();
      const { op: ____, updatedAt: endedAt, ...was } = before;
      expect({ ...after, rev: '' }).toEqual({ ...was, rev: '' });
      expect(Number(updatedAt) - Number(endedAt)).toBe(60_000);
      expect(await a.due('status-poll')).toBeUndefined();
    });

    test('what upstream named belongs to one operation of an account', async () => {
      await at.operations.accept(disbursementOf('a'));
      await at.operations.accept(disbursementOf('b'));
      const [first, second] = [await a.held(), await at.operations.acquire('disbursement', 'b', 'disbursement', 1)];
      if (second.is !== 'acquired') throw new Error(second.is);
      const created = { to: 'created', set: { token: 't' }, claims: 'token=t', dueInMs: 1, keepMs: 1_000 } as const;
      expect((await at.operations.transition(first.record, first.lease, created)).is).toBe('applied');
      const refused = await at.operations.transition(second.record, second.lease, created);
      expect(refused).toEqual({ is: 'claimed', by: 'a' });
      const { is } = await at.operations.transition(second.record, second.lease, { to: 'queued', claims: 'token=u' });
      expect(is).toBe('applied');
    });

    test('evidence keeps its first and its last lines, however much is said', async () => {
      for (let index = 1; index <= 60; index += 1) {
        const { record: read, lease } = await a.held();
        const evidence = { operation: 'status', code: `c${index}`, detail: 'x'.repeat(200) };
        await at.operations.transition(read, lease, { to: 'queued', dueInMs: 1, evidence });
        at.clock.now += 1;
      }
      const { lines, dropped } = readEvidence({ evidence: await a.record() });
      expect(lines.map(({ code }) => code)).toEqual([
        ...Array.from({ length: 12 }, (_, index) => `c${index + 1}`),
        ...Array.from({ length: 12 }, (_, index) => `c${index + 49}`),
      ]);
      expect(dropped).toBe(36);
      expect(Math.max(...Object.values(await a.record()).map((value) => value.length))).toBeLessThanOrEqual(64);
    });
  });

  describe('reading again after the fence', () => {
    test('is true only while everything is as it was written', async () => {
      await at.operations.accept(disbursementOf('a'));
      const { record: read, lease } = await a.held();
      const settled = await at.operations.transition(read, lease, { to: 'created', keepMs: LEASE_MS });
      if (settled.is !== 'applied') throw new Error(settled.is);
      const mine = { state: 'created', lease, op: settled.op };
      expect(await at.operations.stillMine('a', mine)).toBe(true);
      expect(await at.operations.stillMine('a', { ...mine, lease: 'other' })).toBe(false);
      expect(await at.operations.stillMine('a', { ...mine, token: 't' })).toBe(false);
      expect(await at.operations.stillMine('gone', mine)).toBe(false);
    });
  });

  describe('a hint', () => {
    const said = { operation: 'callback', code: 'completed' };
    const hint = (intervalMs = 5_000) => at.operations.nudge('disbursement', 'a', said, intervalMs);

    test('about nothing we know makes nothing', async () => {
      expect(await hint()).toMatchObject({ is: 'none' });
      expect(await at.everything()).toEqual({});
    });

    test('makes a look due now; the one after it only when the interval is over', async () => {
      await at.operations.accept(disbursementOf('a'));
      await a.bring('created', 'submitting', 'pending');
      expect((await hint()).is).toBe('look');
      expect(await a.due('status-poll')).toBe(START);
      expect(await at.operations.take('status-poll', 9)).toEqual(['a']);
      const { record: read } = await a.held('status-poll');
      await at.operations.transition(read, undefined, { to: 'pending', dueInMs: 60_000 });
      at.clock.now += 1_000;
      expect(await hint()).toMatchObject({ is: 'noted' });
      expect(await a.due('status-poll')).toBe(START + 5_000);
    });

    test('keeps what was posted, also about nothing we know, unless the state says as much', async () => {
      const post = (redacted: string) =>
        at.operations.nudge('disbursement', 'a', said, 0, { redacted, agreesWith: ['succeeded'] });
      const kept = async () => (await at.everything())[keys.callback('a')];
      await post('about nothing');
      expect(await kept()).toBe('about nothing');
      await at.operations.accept(disbursementOf('a'));
      await a.bring('created', 'submitting', 'pending');
      await post('a word');
      expect(await kept()).toBe('a word');
      await a.bring('succeeded');
      await post('the same word');
      expect(await kept()).toBe('a word');
    });

    test('about what is final changes nothing, and says so', async () => {
      await at.operations.accept(disbursementOf('a'));
      await a.bring('cancelled');
      expect(await hint(0)).toMatchObject({ is: 'final', state: 'cancelled' });
      expect((await a.record())['state']).toBe('cancelled');
    });

    test('in the middle of an attempt makes the look after it come sooner', async () => {
      await at.operations.accept(disbursementOf('a'));
      await a.bring('created', 'submitting', 'pending');
      const { record: read, lease } = await a.held('status-poll');
      expect(await hint()).toMatchObject({ is: 'noted' });
      await at.operations.transition(read, lease, { to: 'pending', dueInMs: 60_000, nudgeAfterMs: 2_000 });
      expect(await a.due('status-poll')).toBe(START + 2_000);
    });

    test.for([
      ['that says otherwise has the end looked at again', 'failed', START + 2_000],
      ['that says the same leaves it as it is', 'succeeded', undefined],
    ] as const)('in the middle of the last attempt %s', async ([, agrees, due]) => {
      await at.operations.accept(disbursementOf('a'));
      await a.bring('created', 'submitting', 'pending');
      const { record: read, lease } = await a.held('status-poll');
      await at.operations.nudge('disbursement', 'a', said, 0, { redacted: 'posted', agreesWith: [agrees] });
      await at.operations.transition(read, lease, { to: 'succeeded', nudgeAfterMs: 2_000 });
      expect(await a.due('status-poll')).toBe(due);
    });

    test.for([
      ['after', ['failed', 'succeeded']],
      ['before', ['succeeded', 'failed']],
    ] as const)(
      'in the middle of the last attempt that says otherwise is heard, whatever agrees %s it',
      async ([, both]) => {
        await at.operations.accept(disbursementOf('a'));
        await a.bring('created', 'submitting', 'pending');
        const { record: read, lease } = await a.held('status-poll');
        for (const agrees of both)
          await at.operations.nudge('disbursement', 'a', said, 0, { redacted: 'posted', agreesWith: [agrees] });
        await at.operations.transition(read, lease, { to: 'succeeded', nudgeAfterMs: 2_000, forgetsCallback: true });
        expect(await a.due('status-poll')).toBe(START + 2_000);
        expect(await at.everything()).toHaveProperty([keys.callback('a')]);
      },
    );

    test('before the submit changes neither state nor due time, and is kept as evidence', async () => {
      await at.operations.accept(disbursementOf('a'));
      expect(await hint()).toMatchObject({ is: 'noted' });
      expect(await a.due()).toBe(START + 5_000);
      expect(await a.due('status-poll')).toBeUndefined();
      expect(readEvidence({ evidence: await a.record() }).lines).toEqual([{ at: START, ...said }]);
    });
  });
}
