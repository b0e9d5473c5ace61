/** Users' acts in the data-loss window: a restored ledger does not undo them. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Campaigns } from '../../src/ledger/campaigns.ts';
import { Messages } from '../../src/ledger/messages.ts';
import { OperationStore } from '../../src/ledger/operation-store.ts';
import { OptOuts } from '../../src/ledger/opt-outs.ts';
import { Purge } from '../../src/ledger/purge.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { LedgerWorker } from '../support/ledger-worker.ts';
import { RestoredLedger, goneOn, message, payment } from '../support/restored-ledger.ts';

let world: RestoredLedger;
beforeEach(async () => {
  world = new RestoredLedger();
  await world.open();
});
afterEach(() => world.close());

const onCommittedOf =
  ({ journal }: LedgerWorker) =>
  (kind: string, facts: Readonly<Record<string, unknown>>) =>
    journal.act(kind, facts);

const ACT = {
  by: 'binta',
  person: 'binta',
  role: 'approve',
  source: 'api',
  act: 'campaign.reject',
  target: '',
  requestId: 'r',
} as const;

async function campaign(id: string, state: string): Promise<void> {
  const started = state === 'running' ? 'now()' : 'null';
  await world.query(`insert into relais.campaign
    (id, account, fingerprint, name, body, state, recipients, requests, open, created_by, started_at)
    values ('${id}', 'main', '', '${id}', 'x', '${state}', 60, 2, 2, 'shop', ${started})`);
  await world.query(`insert into relais.sms_request (campaign, n, size)
    select number, g.n, g.size from relais.campaign, (values (0, 50), (1, 10)) as g(n, size) where id = '${id}'`);
}

test('acts from before the newest one, although relais was restarted on the backup', async () => {
  const ago = Date.now() - 600_000;
  world.age = 20;
  const three = await world.putBack(
    async ({ operations }) => {
      await operations.accept(payment('dsb_1'));
      await world.query(`insert into relais.api_key (id, name, hash, roles, created_by)
        values ('key_1', 'k', 'x', '{enqueue}', 'awa')`);
    },
    async (two) => {
      const key = await world.deploymentId();
      const act = (n: number, kind: string, facts: object) =>
        world.redis.redis.xadd(
          `journal:${key}`,
          `${ago + n}-0`,
          'entry',
          JSON.stringify({ is: 'acted', process: two.life.name, n, kind, facts }),
        );
      await act(1, 'operation.cancelled', { id: 'dsb_1' });
      await act(2, 'key.revoked', { id: 'key_1', at: new Date(ago).toISOString() });
      await goneOn(two);
    },
  );
  await world.appliedBy(three);
  expect(await world.states()).toEqual({ dsb_1: 'cancelled' });
  expect(await world.query('select revoked_at is not null as revoked from relais.api_key')).toEqual([
    { revoked: true },
  ]);
});

test('campaigns that were cancelled, paused or rejected send nothing more', async () => {
  const three = await world.putBack(
    async () => {
      for (const id of ['cmp_cancelled', 'cmp_paused', 'cmp_going_on']) await campaign(id, 'running');
      await campaign('cmp_rejected', 'awaiting_approval');
    },
    async (two) => {
      const campaigns = new Campaigns({ database: two.database, onCommitted: onCommittedOf(two) });
      await campaigns.switch('cmp_cancelled', 'cancel', { by: 'awa' });
      await campaigns.switch('cmp_paused', 'pause', { by: 'awa' });
      await campaigns.reject('cmp_rejected', { by: 'binta', note: 'no', act: ACT });
      await goneOn(two);
    },
  );
  const applied = await world.appliedBy(three);
  expect(applied.is === 'over' && applied.report.broken).toBeUndefined();
  expect(await world.query('select id, state from relais.campaign order by number')).toEqual([
    { id: 'cmp_cancelled', state: 'cancelled' },
    { id: 'cmp_paused', state: 'paused' },
    { id: 'cmp_going_on', state: 'running' },
    { id: 'cmp_rejected', state: 'cancelled' },
  ]);
});

test('messages that were cancelled are not sent, and payments that were are not accepted again', async () => {
  const three = await world.putBack(
    ({ operations }) => operations.accept(message('msg_1')),
    async (two) => {
      await new Messages({ database: two.database, onCommitted: onCommittedOf(two) }).cancel('msg_1');
      await two.operations.accept(payment('dsb_new'));
      await cancelledBy(two, 'dsb_new');
      await goneOn(two);
    },
  );
  const applied = await world.appliedBy(three);
  expect(applied.is === 'over' && applied.report.broken).toBeUndefined();
  expect(await world.states()).toEqual({ msg_1: 'cancelled' });
  // A row of a batch, or an SQL client, requests it again.
  const four = await world.worker();
  expect(await four.operations.accept(payment('dsb_new'))).toMatchObject({
    outcome: 'duplicate',
    state: 'cancelled',
  });
});

test('a payment that was cancelled is reported, and gives its limit back', async () => {
  const three = await world.putBack(
    ({ operations }) => operations.accept(payment('dsb_1')),
    async (two) => {
      await cancelledBy(two, 'dsb_1');
      await goneOn(two);
    },
  );
  await world.appliedBy(three);
  expect(await world.query(`select type from relais.outbox where subject = 'dsb_1' and type is not null`)).toEqual([
    { type: 'disbursement.cancelled' },
  ]);
  expect(await world.query('select xof from relais.spent')).toEqual([{ xof: '0' }]);
});

async function cancelledBy(two: LedgerWorker, id: string): Promise<void> {
  const leaseMs = 60_000;
  const store = new OperationStore({
    operations: two.operations,
    clock: systemClock,
    accounts: ['main'],
    leaseMs,
    onCommitted: onCommittedOf(two),
  });
  const record = { kind: 'disbursement', id, account: 'main', state: 'queued', rev: 1 };
  const change = { to: 'cancelled', act: { ...ACT, act: 'disbursement.cancel' } } as const;
  expect(await store.transition(record as never, undefined, change as never)).toMatchObject({ is: 'applied' });
}

test('opt-outs stay, and erasures are repeated', async () => {
  const [phone, other] = ['+221771234567', '+221770000001'];
  const three = await world.putBack(
    async ({ database }) => {
      await new OptOuts({ database }).add({ account: 'main', sender: 'SHOP' }, [other]);
    },
    async (two) => {
      const over = { database: two.database, onCommitted: onCommittedOf(two) };
      await new OptOuts(over).add({ account: 'main', sender: 'SHOP' }, [phone]);
      await new Purge(over).page({ phone: other, beneficiary: 'SN 770000001', reads: () => false });
      await goneOn(two);
    },
  );
  const erased: unknown[] = [];
  const applied = await world.appliedBy(three, {
    erase: async ({ phone: number }, after) => {
      erased.push([number, after]);
      return after === '' ? { open: 1, next: 'recipients-' } : { open: 0 };
    },
  });
  expect(erased).toEqual([
    [other, ''],
    [other, 'recipients-'],
  ]);
  // An operation in flight needs review.
  expect(applied).toMatchObject({ is: 'over', report: { lostActions: [{ act: 'person.erased' }] } });
  expect(await world.query('select phone from relais.opt_out order by phone')).toEqual([
    { phone: '221770000001' },
    { phone: '221771234567' },
  ]);
});
