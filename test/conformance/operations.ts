/** What everybody who keeps records must do, whether they are in Redis or in memory. */
import { beforeEach, describe, expect, test } from 'vitest';
import { recordAsWritten } from '../../src/operations/accepting.ts';
import { keys } from '../../src/operations/keys.ts';
import { settlingConformance } from './settling.ts';
import { WAITING, LEASE_MS, OperationA, type OperationsUnderTest, START, disbursementOf } from './under-test.ts';

export function operationsConformance(open: () => Promise<OperationsUnderTest>): void {
  let at: OperationsUnderTest;
  let a: OperationA;
  beforeEach(async () => {
    at = await open();
    a = new OperationA(at);
  });

  describe('accepting', () => {
    test('writes a record that is due, counted and listed', async () => {
      expect(await at.operations.accept(disbursementOf('a'))).toEqual({
        outcome: 'accepted',
        id: 'a',
        state: 'queued',
        at: START,
      });
      expect(await a.record()).toMatchObject({ state: 'queued', rev: '1', seq: '0', createdAt: String(START) });
      expect(await a.due()).toBe(START + 5_000);
      expect(await at.fields(keys.counts('disbursement'))).toEqual({ queued: '1', 'xof:queued': '500', ...WAITING });
      expect(await at.score(keys.state('disbursement', 'queued'), 'a')).toBe(START);
      expect(await at.score(keys.listed('disbursement', 'main', 'queued'), 'a.500')).toBe(START);
    });

    test('what was written can be told without reading it', async () => {
      const operation = disbursementOf('a', { reference: 'r' });
      const answer = await at.operations.accept(operation);
      if (answer.outcome !== 'accepted') throw new Error(answer.outcome);
      expect(recordAsWritten(operation, answer).fields).toEqual(await a.record());
    });

    test('the same request again is a duplicate, in the state it is in now', async () => {
      await at.operations.accept(disbursementOf('a'));
      await a.bring('created');
      expect(await at.operations.accept(disbursementOf('a'))).toMatchObject({
        outcome: 'duplicate',
        state: 'created',
      });
      expect(await at.fields(keys.counts('disbursement'))).toMatchObject({ created: '1', queued: '0' });
    });

    test('another request under the same identity is a conflict and changes nothing', async () => {
      await at.operations.accept(disbursementOf('a'));
      const before = await a.record();
      const answer = await at.operations.accept(disbursementOf('a', { fingerprint: 'another' }));
      expect(answer).toMatchObject({ outcome: 'conflict', id: 'a' });
      expect(await a.record()).toEqual(before);
    });

    test('a reference stands for one operation, whatever key it came under', async () => {
      await at.operations.accept(disbursementOf('a', { reference: 'r', idOfReference: 'ref' }));
      const second = disbursementOf('b', { reference: 'r', idOfReference: 'ref' });
      expect(await at.operations.accept(second)).toMatchObject({ outcome: 'conflict', id: 'a' });
      expect(await at.fields(keys.record('b'))).toEqual({});
    });

    test('a reference that is itself an identity is not taken by a key', async () => {
      await at.operations.accept(disbursementOf('ref', { reference: 'r', idOfReference: 'ref' }));
      const second = disbursementOf('b', { reference: 'r', idOfReference: 'ref' });
      expect(await at.operations.accept(second)).toMatchObject({ outcome: 'conflict', id: 'ref' });
    });

    test('a reference is no longer free as an identity once a key has it', async () => {
      await at.operations.accept(disbursementOf('a', { reference: 'r', idOfReference: 'ref' }));
      const second = disbursementOf('ref', { reference: 'r', idOfReference: 'ref' });
      expect(await at.operations.accept(second)).toMatchObject({ outcome: 'conflict', id: 'a' });
    });

    test('the same reference in another account is another operation', async () => {
      await at.operations.accept(disbursementOf('a', { reference: 'r', idOfReference: 'ref-main' }));
      const second = disbursementOf('b', { account: 'other', reference: 'r', idOfReference: 'ref-other' });
      expect(await at.operations.accept(second)).toMatchObject({ outcome: 'accepted', id: 'b' });
    });

    test('what may not be done yet is due then', async () => {
      await at.operations.accept(disbursementOf('a', { notBefore: START + 3_600_000 }));
      expect(await a.due()).toBe(START + 3_600_000);
    });
  });

  describe('taking the lease', () => {
    beforeEach(async () => {
      await at.operations.accept(disbursementOf('a'));
    });

    test('only one of two attempts gets it', async () => {
      const both = await Promise.all(
        [1, 2].map(() => at.operations.acquire('disbursement', 'a', 'disbursement', LEASE_MS)),
      );
      expect(both.map(({ is }) => is).sort()).toEqual(['acquired', 'leased']);
    });

    test('makes the operation due again when the lease ends', async () => {
      await a.held();
      expect(await a.due()).toBe(START + LEASE_MS);
      at.clock.now += LEASE_MS;
      expect((await a.held()).at).toBe(START + LEASE_MS);
    });

    test('two leases are never the same', async () => {
      const first = await a.held();
      at.clock.now += LEASE_MS;
      expect((await a.held()).lease).not.toBe(first.lease);
    });

    test('a command that was sent twice still has its lease', async () => {
      at.repeatNext();
      const { lease } = await a.held();
      expect(await a.record()).toMatchObject({ lease });
    });

    test('a record that is not there is not made', async () => {
      expect(await at.operations.acquire('disbursement', 'gone', 'disbursement', LEASE_MS)).toEqual({ is: 'none' });
      expect(await at.fields(keys.record('gone'))).toEqual({});
    });

    test('an operation of another queue is left to it', async () => {
      expect(await at.operations.acquire('disbursement', 'a', 'status-poll', LEASE_MS)).toEqual({ is: 'elsewhere' });
      expect(await a.record()).not.toHaveProperty('lease');
    });

    test('what is over is over, and no longer due', async () => {
      await a.bring('rejected');
      expect(await at.operations.acquire('disbursement', 'a', 'disbursement', LEASE_MS)).toEqual({ is: 'final' });
      expect(await a.due()).toBeUndefined();
    });

    test('a record of another version is left alone', async () => {
      await at.operations.accept(disbursementOf('b', { fields: { ...disbursementOf('b').fields, v: '99' } }));
      expect(await at.operations.acquire('disbursement', 'b', 'disbursement', LEASE_MS)).toEqual({
        is: 'other version',
      });
    });
  });

  describe('taking what is due', () => {
    beforeEach(async () => {
      for (const [index, id] of ['a', 'b', 'c'].entries()) {
        await at.operations.accept(disbursementOf(id, { dueInMs: 30 - index * 10 }));
      }
      at.clock.now += 25;
    });

    test('hands out each id once, the most overdue first, no more than asked for', async () => {
      expect(await at.operations.take('disbursement', 1)).toEqual(['c']);
      expect(await at.operations.take('disbursement', 9)).toEqual(['b']);
      expect(await at.operations.take('disbursement', 9)).toEqual([]);
    });

    test('what nobody begins with is due again soon, and what is begun when its lease ends', async () => {
      await at.operations.take('disbursement', 9);
      await at.operations.acquire('disbursement', 'b', 'disbursement', LEASE_MS);
      at.clock.now += 5_000;
      expect(await at.operations.take('disbursement', 9)).toEqual(['a', 'c']);
      at.clock.now += 5_000;
      expect(await at.operations.take('disbursement', 9)).toContain('b');
    });

    test('what is handed back is due at once, unless nobody has to look at it any more', async () => {
      await at.operations.take('disbursement', 9);
      await at.operations.handBack('disbursement', ['b', 'c', 'gone']);
      expect(await at.operations.take('disbursement', 9)).toEqual(['b', 'c']);
      await at.operations.handBack('disbursement', []);
    });

    test('of a queue that is paused nothing is handed out, and nothing changes', async () => {
      await at.pause('disbursement');
      expect(await at.operations.take('disbursement', 9)).toEqual([]);
      expect(await at.score(keys.due('disbursement'), 'c')).toBe(START + 10);
    });
  });

  describe('claiming what is due', () => {
    test('hands out each id once, the most overdue first, no more than asked for', async () => {
      for (const [index, id] of ['a', 'b', 'c'].entries()) {
        await at.operations.accept(disbursementOf(id, { dueInMs: 30 - index * 10 }));
      }
      at.clock.now += 25;
      expect(await at.operations.claim('disbursement', 1, 1_000)).toEqual([{ id: 'c', rev: '1' }]);
      expect(await at.operations.claim('disbursement', 9, 1_000)).toEqual([{ id: 'b', rev: '1' }]);
      expect(await at.operations.claim('disbursement', 9, 1_000)).toEqual([]);
      at.clock.now += 1_000;
      expect((await at.operations.claim('disbursement', 9, 1_000)).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    });
  });

  settlingConformance(open);
}
