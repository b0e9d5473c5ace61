/** A disbursement and the provider's answers, check by check. */
import { type Explanation } from '../../src/operations/explanation.ts';
import { NO_EVIDENCE } from '../../src/operations/record.ts';
import { eventOf, readEvidence } from '../../src/operations/transition.ts';
import { explainDisbursement } from '../../src/operations/explain.ts';
import { payDisbursement } from '../../src/processors/disbursement/pay.ts';
import { lookAtDisbursement } from '../../src/processors/disbursement/look.ts';
import { not, ok } from '../support/processor-world.ts';
import { openBench, type Bench } from '../support/benches.ts';

export const QUIET_MS = 60_000;
export const DAY_MS = 86_400_000;

/** A store for the tests of a `describe` block, empty at each start. */
export function freshTruth() {
  const bench = openBench();
  return () => truthWorld(bench);
}

function truthWorld(bench: Bench) {
  const policy = { quietMs: QUIET_MS, pollMs: [2_000], resubmit: true, recheckMs: [DAY_MS, 3 * DAY_MS, 7 * DAY_MS] };
  const made = bench.world({ policy });
  return {
    ...made,
    /** A submitted disbursement with its own token. */
    async submitted(id = 'dsb_1', token = `tok-${id}`, transactionId?: string) {
      const told = { status: 'pending', ...(transactionId ? { transactionId } : {}) };
      return this.answered(ok(told), id, token);
    },
    /** A submitted disbursement whose submit got this answer. */
    async answered(verdict: ReturnType<typeof not> | ReturnType<typeof ok>, id = 'dsb_1', token = `tok-${id}`) {
      const fields = { amount: 100, accountAlias: '77', withdrawMode: 'wallet-a-senegal', disburseId: `d-${id}` };
      const of = { kind: 'disbursement', state: 'queued', account: 'main', fingerprint: 'fp', xof: 100 } as const;
      await made.operations.accept({ ...of, id, dueInMs: 0, fields });
      made.answer('createDisbursement', ok({ token }));
      made.answer('submitDisbursement', verdict);
      return payDisbursement(id, made.context);
    },
    /** With a token (unless ''), and cancelled before its submit. */
    async cancelled(token = 'tok-dsb_1') {
      const fields = { amount: 100, accountAlias: '77', withdrawMode: 'wallet-a-senegal', disburseId: 'd-dsb_1' };
      const of = { kind: 'disbursement', account: 'main', fingerprint: 'fp', xof: 100, state: 'queued' } as const;
      await made.operations.accept({ ...of, id: 'dsb_1', dueInMs: 0, fields });
      const record = await made.queries.read('disbursement', 'dsb_1');
      if (record === undefined) throw new Error('no record');
      const set = { reason: 'cancelled_by_caller', ...(token ? { token } : {}) };
      const event = eventOf(record, 'cancelled');
      await made.operations.transition(record, undefined, { to: 'cancelled', set, event });
    },
    /** A check with this answer, after this time. */
    async look(status: string, more: Record<string, unknown> = {}, { afterMs = QUIET_MS / 2, id = 'dsb_1' } = {}) {
      made.advance(afterMs);
      const named = { token: `tok-${id}`, disburseId: `d-${id}`, amount: 100, amountRaw: '100.00' };
      made.answer('disbursementStatus', ok({ status, ...named, ...more }));
      const settlement = await lookAtDisbursement(id, made.context);
      return { ...(await this.now(id)), ...settlement };
    },
    /** A check without an answer. */
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
      return readEvidence({ evidence: record?.evidence ?? NO_EVIDENCE }).lines.map(
        ({ operation, code, detail }) => `${operation} ${code} ${detail ?? ''}`,
      );
    },
    async told(id = 'dsb_1'): Promise<string[]> {
      return (await made.events()).flatMap(({ type, subject, data }) => {
        const { late, reason = '' } = data as { late?: boolean; reason?: string };
        if (subject !== id) return [];
        return [`${type.split('.')[1] ?? ''}${late ? ' late' : ''}${reason && ` ${reason}`}`];
      });
    },
    hint: (code: string, agreesWith: readonly string[] = []) =>
      made.operations.nudge('disbursement', 'dsb_1', { operation: 'callback', code }, 0, {
        redacted: '',
        agreesWith,
      }),
    due: async (id = 'dsb_1') => Number(await made.dueAt('status-poll', id)) - made.context.clock.now(),
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
