/**
 * A ledger restored from a backup, with and without the journal: sent requests never leave again, cancelled ones
 * never leave.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { RecoveryDesk } from '../../src/ledger/recovery.ts';
import { smsRequestItem } from '../../src/ledger/replay.ts';
import { FileWitness, RedisWitness } from '../../src/ledger/witness.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { type FreshRedis, freshRedis } from '../support/fresh-redis.ts';
import { type LedgerWorker, ledgerWorker } from '../support/ledger-worker.ts';
import { payment, sent } from '../support/restored-ledger.ts';

let ledger: FreshLedger;
let redis: FreshRedis;
let folder: string;
const closing: (() => unknown)[] = [];
beforeEach(async () => {
  [ledger, redis] = await Promise.all([freshLedger(), freshRedis()]);
  folder = mkdtempSync(join(tmpdir(), 'relais-recovery-'));
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  rmSync(folder, { recursive: true });
  await redis.close();
  await ledger.close();
});

let made = 0;
const witnesses = () => {
  made += 1;
  return [new RedisWitness(redis.redis), new FileWitness({ path: join(folder, 'witness'), process: `p${made}` })];
};

async function worker(): Promise<LedgerWorker> {
  const one = await ledgerWorker({ url: ledger.url, schema: ledger.schema, redis: redis.redis }, witnesses());
  closing.push(() => one.kill().catch(() => undefined));
  return one;
}

function deskOf({ database }: LedgerWorker): RecoveryDesk<never[]> {
  return new RecoveryDesk({
    database,
    redis: redis.redis,
    witnesses: witnesses(),
    clock: systemClock,
    quietMs: 60_000,
    settleMs: 60_000,
    quietly: () => undefined,
    says: async () => [],
  });
}

const deploymentId = async (): Promise<string> =>
  (await ledger.query<{ id: string }>('select id from relais.deployment'))[0]?.id ?? '';

const states = async (): Promise<Readonly<Record<string, string>>> => {
  const rows = await ledger.query<{ id: string; state: string; token: string | null }>(
    'select id, state, token from relais.operation order by id',
  );
  return Object.fromEntries(rows.map(({ id, state, token }) => [id, token === null ? state : `${state} ${token}`]));
};

const [kept, paid, dropped, later] = ['kept', 'paid', 'dropped', 'later'].map((name) => payment(`dsb_${name}`));
const credit = payment('dcr_open', { kind: 'direct_credit', queue: 'direct-credit' });

/** A backup is made, work continues, and the backup replaces the ledger. */
async function restored(lost: (one: LedgerWorker) => Promise<void>, how: 'ended' | 'killed'): Promise<LedgerWorker> {
  if (!kept || !paid || !dropped || !later) throw new Error('no payments');
  const one = await worker();
  for (const each of [kept, paid, dropped, credit]) await one.operations.accept(each);
  await one.end();
  const original = ledger;
  const copy = await ledger.copy();
  const two = await worker();
  await lost(two);
  await (how === 'ended' ? two.end() : two.kill());
  ledger = { ...ledger, ...copy };
  closing.unshift(() => original.close());
  return worker();
}

async function lostTime(two: LedgerWorker): Promise<void> {
  if (!paid || !dropped || !later) throw new Error('no payments');
  await two.life.beat();
  await sent(two, paid);
  await two.operations.accept(later);
  await sent(two, later);
  await ledger.query(
    `update relais.operation set state = 'cancelled', queue = null, due_at = null where id = '${dropped.id}'`,
  );
  await two.journal.act('operation.cancelled', { id: dropped.id });
  await two.life.beat();
}

async function appliedBy(one: LedgerWorker) {
  const desk = deskOf(one);
  let applied: Awaited<ReturnType<typeof desk.apply>> = await desk.apply({ by: 'awa' });
  while (applied.is === 'under way') applied = await desk.apply({ by: 'awa' });
  return applied;
}

test('a journal without gaps lets queued payments continue, and raises or records again the sent ones', async () => {
  const three = await restored(lostTime, 'ended');
  expect(three.life.recovering()).toMatchObject({ because: 'witness' });
  expect(await deskOf(three).mayHaveLeft({ id: paid?.id ?? '' })).toBe(true);
  expect(await deskOf(three).mayHaveLeft({ id: kept?.id ?? '' })).toBe(false);
  const applied = await appliedBy(three);
  expect(applied).toMatchObject({
    is: 'over',
    report: { by: 'awa', because: 'witness', restored: { disbursement: 1 } },
  });
  expect(applied.is === 'over' && applied.report.broken).toBeUndefined();
  expect(await states()).toEqual({
    dsb_kept: 'queued',
    dsb_paid: 'submitting tok-dsb_paid',
    dsb_dropped: 'cancelled',
    dsb_later: 'submitting tok-dsb_later',
    dcr_open: 'needs_review',
  });
  const sends = await ledger.query(
    `select id, sends, evidence[cardinality(evidence)] like '% submit|intended||send 1' as told from relais.operation where id in ('dsb_paid', 'dsb_later') order by id`,
  );
  expect(sends).toEqual([
    { id: 'dsb_later', sends: 1, told: true },
    { id: 'dsb_paid', sends: 1, told: true },
  ]);
  const four = await worker();
  expect(four.life.recovering()).toBeUndefined();
  expect((await four.operations.claim('disbursement', ['main'], 9, 60_000)).map(({ id }) => id)).toEqual([
    'dsb_kept',
  ]);
  const checks = await four.operations.claim('status-poll', ['main'], 9, 60_000);
  expect(checks.map(({ id }) => id).toSorted()).toEqual(['dsb_later', 'dsb_paid']);
  const repeated = await four.operations.accept(later ?? payment('none'));
  expect(repeated).toMatchObject({ outcome: 'duplicate', id: 'dsb_later', state: 'submitting' });
  const spent = await ledger.query(`select xof from relais.spent where account = 'main' and beneficiary = ''`);
  // The cancelled one no longer counts.
  expect(spent).toEqual([{ xof: '4000' }]);
});

test('a payment that left and was cancelled on the restored ledger, before the loss was detected, needs review', async () => {
  if (!kept || !paid) throw new Error('no payments');
  const one = await worker();
  for (const each of [kept, paid]) await one.operations.accept(each);
  await one.end();
  const original = ledger;
  const copy = await ledger.copy();
  const two = await worker();
  await sent(two, paid);
  await two.end();
  ledger = { ...ledger, ...copy };
  closing.unshift(() => original.close());
  await ledger.query(`update relais.operation set state = 'cancelled', queue = null, due_at = null`);
  const three = await worker();
  expect(await appliedBy(three)).toMatchObject({ is: 'over' });
  expect(await states()).toEqual({ dsb_kept: 'cancelled', dsb_paid: 'needs_review tok-dsb_paid' });
  const checks = await three.operations.claim('status-poll', ['main'], 9, 60_000);
  expect(checks.map(({ id }) => id)).toEqual(['dsb_paid']);
  const events = await ledger.query(`select subject, type from relais.outbox where subject like 'dsb%'`);
  expect(events).toEqual([{ subject: 'dsb_paid', type: 'disbursement.needs_review' }]);
});

test.for([
  ['a worker was killed', (): Promise<unknown> => Promise.resolve(), 'killed'],
  [
    'Redis lost the journal',
    async (): Promise<unknown> => redis.redis.del(`journal:${await deploymentId()}`),
    'ended',
  ],
  ['Redis lost everything', (): Promise<unknown> => redis.redis.flushdb(), 'ended'],
] as const)('when %s, no request that the backup shows as unsent leaves', async ([, lose, how]) => {
  const three = await restored(async (two) => {
    await lostTime(two);
    await lose();
  }, how);
  expect(three.life.recovering()).toBeDefined();
  const applied = await appliedBy(three);
  expect(applied).toMatchObject({ is: 'over', report: { broken: expect.any(String) } });
  const now = await states();
  expect([now['dsb_kept'], now['dcr_open']]).toEqual(['needs_review', 'needs_review']);
  expect(['needs_review', 'submitting tok-dsb_paid']).toContain(now['dsb_paid']);
  expect(['needs_review', 'cancelled']).toContain(now['dsb_dropped']);
  const four = await worker();
  expect(await four.operations.claim('disbursement', ['main'], 9, 60_000)).toEqual([]);
  const events = await ledger.query<{ id: string }>(
    `select id from relais.outbox where type = 'disbursement.needs_review'`,
  );
  expect(events.map(({ id }) => id)).toContain('dsb_kept.2.2');
});

test('the end of a process that the backup shows alive does not prove that it sent nothing more', async () => {
  if (!kept) throw new Error('no payment');
  const one = await worker();
  await one.operations.accept(kept);
  await one.life.beat();
  await one.kill();
  const copy = await ledger.copy();
  const original = ledger;
  const [deployment, at] = [await deploymentId(), Date.now()];
  const lane = { counter: '9', sent: '9', epoch: 1, ended: false, at };
  const [witness] = witnesses();
  await witness?.note({ deployment, epoch: 1, lanes: { [`${one.life.name}/accept0`]: lane } }, at);
  ledger = { ...ledger, ...copy };
  closing.unshift(() => original.close());
  // Another process writes its end into the restored ledger before the loss is detected.
  await ledger.query(`with gone as (delete from relais.mark returning lane, counter)
    insert into relais.retired_lane (lane, counter) select lane, counter from gone`);
  await ledger.query('delete from relais.worker');
  const applied = await appliedBy(await worker());
  const broken = `${one.life.name}/accept0 did not end in good order`;
  expect(applied).toMatchObject({ is: 'over', report: { broken } });
  expect(await states()).toEqual({ dsb_kept: 'needs_review' });
});

test('acts of the data-loss window are repeated, although the restored ledger was in use before the loss was detected', async () => {
  if (!kept || !paid) throw new Error('no payments');
  const one = await worker();
  await one.operations.accept(kept);
  await one.end();
  await ledger.query(`update relais.deployment set witnessed_at = now() - interval '2 hours'`);
  const original = ledger;
  const copy = await ledger.copy();
  const facts = { account: 'main', area: 'payments', reason: 'funds' };
  const act = JSON.stringify({ is: 'acted', process: 'gone', n: 1, kind: 'account.held', facts });
  await redis.redis.xadd(`journal:${await deploymentId()}`, `${Date.now() - 3_600_000}-0`, 'entry', act);
  const two = await worker();
  await two.operations.accept(paid);
  await two.end();
  ledger = { ...ledger, ...copy };
  closing.unshift(() => original.close());
  expect(await appliedBy(await worker())).toMatchObject({ is: 'over' });
  expect(await ledger.query('select account, area, reason from relais.hold')).toEqual([facts]);
});

test('a campaign that had started sends nothing more: its open requests are in doubt', async () => {
  await ledger.query(`insert into relais.campaign (id, account, fingerprint, name, body, state, recipients, requests, open, created_by, started_at)
    values ('cmp_started', 'main', '', 'n', 'x', 'running', 60, 2, 2, 'shop', now())`);
  await ledger.query(`insert into relais.campaign (id, account, fingerprint, name, body, state, recipients, requests, open, created_by)
    values ('cmp_ready', 'main', '', 'n', 'x', 'ready', 10, 1, 1, 'shop')`);
  await ledger.query(`insert into relais.sms_request (campaign, n, size) values (1, 0, 50), (1, 1, 10), (2, 0, 10)`);
  const three = await restored(async () => undefined, 'ended');
  await three.life.enterRecovery('rolled_back', { lanes: [{ lane: 'gone/change0', known: '7' }] });
  expect(await appliedBy(three)).toMatchObject({ is: 'over', report: { heldCampaigns: [{ id: 'cmp_ready' }] } });
  expect(
    await ledger.query('select campaign, n, state, outcome from relais.sms_request order by 1, 2'),
  ).toMatchObject([
    { n: 0, state: 'unknown', outcome: 'u'.repeat(50) },
    { n: 1, state: 'unknown', outcome: 'u'.repeat(10) },
    { n: 0, state: 'queued' },
  ]);
  expect(await ledger.query('select id, state, unknown from relais.campaign order by number')).toEqual([
    { id: 'cmp_started', state: 'running', unknown: 60 },
    { id: 'cmp_ready', state: 'held', unknown: 0 },
  ]);
});

test('with an unbroken journal only the requests that it names are in doubt', async () => {
  await ledger.query(`insert into relais.campaign (id, account, fingerprint, name, body, state, recipients, requests, open, created_by, started_at)
    values ('cmp_started', 'main', '', 'n', 'x', 'running', 60, 2, 2, 'shop', now())`);
  await ledger.query('insert into relais.sms_request (campaign, n, size) values (1, 0, 50), (1, 1, 10)');
  const three = await restored(async (two) => {
    if (!later) throw new Error('no payment');
    await two.operations.accept(later);
    const [held] = await two.operations.claim('disbursement', ['main'], 1, 60_000);
    const own = {
      id: held?.id ?? '',
      lease: held?.lease ?? '',
      was: 'queued',
      state: 'queued',
      queue: 'disbursement',
    };
    await two.operations.change({
      ...own,
      keepMs: 60_000,
      intends: true,
      journalItem: smsRequestItem('1', 0, { id: 'cmp_started', account: 'main' }),
    });
    await two.life.beat();
  }, 'ended');
  expect(await appliedBy(three)).toMatchObject({ is: 'over' });
  expect(await ledger.query('select n, state from relais.sms_request order by n')).toEqual([
    { n: 0, state: 'unknown' },
    { n: 1, state: 'queued' },
  ]);
});

test('an item and an act that cannot be replayed are left to an operator, and block nothing else', async () => {
  const three = await restored(async (two) => {
    await lostTime(two);
    const at = { lane: `${two.life.name}/intend0`, epoch: 1, counter: '9000' };
    await two.journal.intended(at, [{ id: 'dsb_bad', kind: 'disbursement', createdAt: 'never' }]);
    await two.journal.act('account.held', { account: 'main', area: 'nowhere', reason: 'funds' });
    await two.journal.act('person.bound', { name: 'awa' });
  }, 'ended');
  const applied = await appliedBy(three);
  expect(applied).toMatchObject({
    is: 'over',
    report: {
      restored: { disbursement: 1 },
      unreadable: { ids: ['dsb_bad'] },
      lostActions: [{ act: 'account.held' }, { act: 'person.bound' }],
    },
  });
});

test('two persons confirm that nothing was lost, unless it is proven', async () => {
  const one = await worker();
  await one.life.enterRecovery('copy');
  const desk = deskOf(one);
  expect(await desk.confirm('awa')).toBe('first');
  expect(await desk.confirm('awa')).toBe('first');
  await ledger.query(`update relais.recovery set confirmed_at = now() - interval '25 hours'`);
  expect(await desk.confirm('binta')).toBe('first');
  expect(await desk.confirm('awa')).toBe('left');
  expect(await desk.confirm('awa')).toBe('none');
  await one.life.enterRecovery('rolled_back');
  expect(await desk.confirm('awa')).toBe('lost');
});
