/** Requests in the journal have left: a restored ledger does not send them again, whatever its rows show. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { changeOf } from '../../src/ledger/changes.ts';
import {
  RestoredLedger,
  goneOn,
  intended,
  message,
  payment,
  requestsSent,
  sent,
} from '../support/restored-ledger.ts';

let world: RestoredLedger;
beforeEach(async () => {
  world = new RestoredLedger();
  await world.open();
});
afterEach(() => world.close());

const request = payment('prq_1', {
  kind: 'payment_request',
  state: 'creating',
  queue: 'status-poll',
  request: { feesPaidBy: 'customer' },
});

test('messages and payment requests that the backup has as unsent', async () => {
  const refused = message('msg_2', { state: 'unknown', queue: 'status-poll', facts: { refused: '12', looks: 1 } });
  const three = await world.putBack(
    async ({ operations }) => {
      for (const one of [message('msg_1'), refused, message('msg_kept'), request]) await operations.accept(one);
    },
    async (two) => {
      const lease = await intended(two, { id: 'msg_1', queue: 'sms-batch', state: 'sending' });
      const ended = { id: 'msg_1', lease, was: 'sending', state: 'sent', finished: true, sentMs: 0 };
      await two.operations.change(ended);
      await intended(two, { id: 'msg_2', queue: 'status-poll', state: 'unknown' });
      await intended(two, { id: 'prq_1', queue: 'status-poll', state: 'creating' });
    },
  );
  const applied = await world.appliedBy(three);
  expect(applied.is === 'over' && applied.report.broken).toBeUndefined();
  expect(await world.states()).toEqual({
    msg_1: 'unknown',
    msg_2: 'unknown',
    msg_kept: 'queued',
    prq_1: 'needs_review',
  });
  // Its check would resend it alone if the statistics did not show it yet.
  expect(await world.query(`select facts from relais.operation where id = 'msg_2'`)).toEqual([{ facts: {} }]);
  const told = await world.query<{ type: string }>(`select type from relais.outbox where subject = 'prq_1'`);
  expect(told.map(({ type }) => type)).toEqual(['payment_request.needs_review']);
});

test('an invoice whose creation no journal names is not created again', async () => {
  const invoice = payment('inv_1', { kind: 'invoice', state: 'creating', queue: 'invoice-confirm' });
  const three = await world.putBack(
    ({ operations }) => operations.accept(invoice),
    async (two) => {
      const [held] = await two.operations.claim('invoice-confirm', ['main'], 9, 60_000);
      await two.life.raise();
      const created = { state: 'pending', queue: 'invoice-confirm', dueMs: 3_600_000, token: 'INV-1' };
      await two.operations.change({ id: 'inv_1', lease: held?.lease ?? '', was: 'creating', ...created });
    },
  );
  const applied = await world.appliedBy(three);
  expect(applied.is === 'over' && applied.report.broken).toBeUndefined();
  expect(await world.states()).toEqual({ inv_1: 'needs_review' });
});

test('an intent whose answer was lost, under the counter of its lane', async () => {
  const three = await world.putBack(
    ({ operations }) => operations.accept(payment('dsb_1')),
    async (two) => {
      const warn = `create function warn() returns trigger language plpgsql as $$ begin raise warning 'x'; return new; end $$`;
      await world.query(warn);
      await world.query(`create trigger warns before update on relais.operation for each row
        when (new.state = 'submitting') execute function warn()`);
      await expect(sent(two, payment('dsb_1'))).rejects.toThrow('known: false');
      await goneOn(two);
    },
  );
  await world.appliedBy(three);
  expect(await world.states()).toEqual({ dsb_1: 'submitting tok-dsb_1' });
});

test('the evidence of a payment that the journal raises keeps its early intents, however long it is', async () => {
  const stamp = '2026-11-28T10:00:00.000Z';
  const three = await world.putBack(
    async ({ operations }) => {
      await operations.accept(payment('dsb_1'));
      await world.query(`update relais.operation set evidence_total = 50,
        evidence = '{${stamp} submit|intended||send 1}'::text[] || array(select '${stamp} look|' || n from generate_series(2, 50) n)`);
    },
    (two) => sent(two, payment('dsb_1')),
  );
  await world.appliedBy(three);
  const [row] = await world.query<{ evidence: string[]; total: number }>(
    'select evidence, evidence_total as total from relais.operation',
  );
  const [first, last] = [row?.evidence[0], row?.evidence.at(-1)];
  expect([first?.slice(25), last?.slice(25)]).toEqual(['submit|intended||send 1', 'submit|intended||send 1']);
  expect(last).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /);
  expect(row?.evidence.length).toBeLessThanOrEqual(50);
  expect(row?.total).toBe(51);
});

test('a payment of the data-loss window, with its batch and the limit of its beneficiary', async () => {
  const record = {
    kind: 'disbursement',
    id: 'dsb_1',
    account: 'main',
    state: 'created',
    rev: 2,
    batch: 'bat_1',
    amount: 1_000,
    accountAlias: '771234567',
    withdrawMode: 'wallet-a-senegal',
    disburseId: 'p-1',
    by: 'shop',
    token: 'tok',
    createdAt: Date.now(),
  };
  const { journalItem } = changeOf(record as never, '1', {
    to: 'submitting',
    hasEffect: true,
    keepMs: 60_000,
  } as never);
  const three = await world.putBack(
    async () => undefined,
    async (two) => {
      await requestsSent(two, [journalItem ?? { id: 'none', kind: 'none' }]);
      await goneOn(two);
    },
  );
  await world.appliedBy(three, {
    beneficiaryOf: ({ accountAlias, withdrawMode }) => `${accountAlias} ${withdrawMode}`,
  });
  expect(await world.states()).toEqual({ dsb_1: 'submitting tok' });
  const beneficiary = '771234567 wallet-a-senegal';
  expect(await world.query('select batch, beneficiary from relais.operation')).toEqual([
    { batch: 'bat_1', beneficiary },
  ]);
  expect(await world.query('select beneficiary, xof from relais.spent order by beneficiary')).toEqual([
    { beneficiary: '', xof: '1000' },
    { beneficiary, xof: '1000' },
  ]);
});
