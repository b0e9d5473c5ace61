/** Losses that are hard to detect: one statement, one act, a dead predecessor, a process unknown to the witness. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { journaledIn } from '../../src/ledger/committed.ts';
import { OptOuts } from '../../src/ledger/opt-outs.ts';
import type { LedgerWorker } from '../support/ledger-worker.ts';
import { RestoredLedger, intended, message, payment, sent } from '../support/restored-ledger.ts';

let world: RestoredLedger;
beforeEach(async () => {
  world = new RestoredLedger();
  await world.open();
});
afterEach(() => world.close());

const TABLES = ['mark', 'retired_lane', 'worker', 'operation'];

/** The current tables, restored later in the same database, like a base backup of running processes. */
async function backup(): Promise<() => Promise<void>> {
  for (const name of TABLES) await world.query(`create table public.b_${name} as select * from relais.${name}`);
  return async () => {
    await world.query('alter table relais.operation disable trigger user');
    for (const name of TABLES) {
      await world.query(`delete from relais.${name}`);
      await world.query(`insert into relais.${name} select * from public.b_${name}`);
    }
    await world.query('alter table relais.operation enable trigger user');
  };
}

async function pending({ operations }: LedgerWorker, id: string): Promise<void> {
  const [row] = await world.query<{ lease: string }>(`select lease from relais.operation where id = '${id}'`);
  const change = { state: 'pending', queue: 'status-poll', dueMs: 3_600_000 };
  await operations.change({ id, lease: row?.lease ?? '', was: 'submitting', ...change });
}

test('one lost statement of each lane', async () => {
  const one = await world.worker();
  await one.operations.accept(message('msg_1'));
  await one.operations.accept(payment('dsb_0'));
  await sent(one, payment('dsb_0'));
  await pending(one, 'dsb_0');
  await one.life.beat();
  const putItBack = await backup();
  const lease = await intended(one, { id: 'msg_1', queue: 'sms-batch', state: 'sending' });
  await one.operations.change({ id: 'msg_1', lease, was: 'sending', state: 'sent', finished: true, sentMs: 0 });
  await one.end();
  await putItBack();
  expect((await world.worker()).life.recovering()).toBeDefined();
});

/** As after another start of PostgreSQL: no process has compared what it remembers with this server yet. */
const restarted = () => world.query(`update relais.worker set compared = 'another start'`);

async function claimedBy({ operations }: LedgerWorker, id: string): Promise<string> {
  const claimed = await operations.claim('disbursement', ['main'], 50, 60_000);
  await operations.release(claimed.filter((row) => row.id !== id));
  return claimed.find((row) => row.id === id)?.lease ?? '';
}

const intentOf = (id: string, lease: string) => ({
  id,
  lease,
  was: 'queued',
  state: 'submitting',
  queue: 'status-poll',
  token: `tok-${id}`,
  keepMs: 60_000,
  sendMs: 10_000,
  intends: true,
});

test('a process that remembers less claims and sends nothing before the others have compared', async () => {
  const [one, two] = [await world.worker(), await world.worker()];
  for (const id of ['dsb_0', 'dsb_1']) await one.operations.accept(payment(id));
  for (const { life } of [one, two]) await life.beat();
  const lease = await claimedBy(two, 'dsb_1');
  const putItBack = await backup();
  await sent(one, payment('dsb_0'));
  await putItBack();
  await restarted();
  await two.life.beat();
  expect(await claimedBy(two, 'dsb_0')).toBe('');
  const intent = two.operations.change(intentOf('dsb_1', lease)).catch((error: unknown) => error);
  await one.life.beat();
  expect(await intent).toMatchObject({ name: 'LedgerClosed', reason: 'epoch' });
  expect(await world.states()).toEqual({ dsb_0: 'queued', dsb_1: 'queued' });
});

test('after a restart of PostgreSQL work goes on once every process has compared', async () => {
  const [one, two] = [await world.worker(), await world.worker()];
  await one.operations.accept(payment('dsb_0'));
  const lease = await claimedBy(one, 'dsb_0');
  await restarted();
  await one.life.beat();
  const intent = one.operations.change(intentOf('dsb_0', lease));
  expect(await claimedBy(one, 'dsb_0')).toBe('');
  await two.life.beat();
  expect(await intent).toMatchObject({ known: true });
});

test('one act of a user, and nothing else', async () => {
  const three = await world.putBack(
    async () => undefined,
    async (two) => {
      const onCommitted = journaledIn(two.journal, two.life, (said) => two.faults.push(said));
      const optOuts = new OptOuts({ database: two.database, onCommitted });
      await optOuts.add({ account: 'main', sender: '' }, ['+221771234567']);
      expect(two.faults).toEqual([]);
    },
  );
  expect(three.life.recovering()).toMatchObject({ because: 'witness' });
  await world.appliedBy(three);
  expect(await world.query('select phone from relais.opt_out')).toEqual([{ phone: '221771234567' }]);
});

test('the hole in the journal of a predecessor that is gone in the same boot', async () => {
  const one = await world.worker();
  await one.operations.accept(payment('dsb_0'));
  await sent(one, payment('dsb_0'));
  await pending(one, 'dsb_0');
  await one.operations.accept(payment('dsb_1'));
  await one.life.beat();
  const putItBack = await backup();
  const { redis } = world.redis;
  const xadd = redis.xadd.bind(redis);
  (redis as { xadd: unknown }).xadd = () => Promise.reject(new Error('away'));
  await sent(one, payment('dsb_1'));
  (redis as { xadd: unknown }).xadd = xadd;
  await one.life.beat();
  await one.kill();
  await putItBack();
  await world.query(`update relais.worker set pid_started = '1', slot = 'gone'`);
  const applied = await world.appliedBy(await world.worker());
  expect(applied).toMatchObject({ is: 'over', report: { broken: expect.any(String) } });
});

test('a process’s sends that never reached the witness, although another process’s did', async () => {
  const three = await world.putBack(
    ({ operations }) => operations.accept(payment('dsb_1')),
    async (two) => {
      const unheard = await world.worker({ witnesses: [], journals: false });
      await sent(unheard, payment('dsb_1'));
      await two.operations.accept(payment('dsb_2'));
      await two.life.beat();
      await unheard.kill();
    },
  );
  expect(three.life.recovering()).toBeDefined();
  const applied = await world.appliedBy(three);
  expect(applied).toMatchObject({ is: 'over', report: { broken: expect.stringContaining('did not end') } });
  expect(await world.states()).toEqual({ dsb_1: 'needs_review' });
});

test('a process that survived the restore continues afterwards, also on a lane that the backup lacks', async () => {
  const one = await world.worker();
  await one.operations.accept(payment('dsb_0'));
  await one.life.beat();
  const putItBack = await backup();
  expect(await one.life.raise()).toBe(true);
  await one.life.beat();
  await putItBack();
  for (let times = 0; times < 2; times += 1) await one.life.beat();
  expect(one.life.recovering()).toMatchObject({ because: 'rolled_back' });
  expect(await one.life.raise()).toBe(false);
  await world.appliedBy(one);
  await one.life.beat();
  expect(one.life.recovering()).toBeUndefined();
  expect(await one.life.raise()).toBe(true);
  expect(one.fenced).toEqual([]);
});
