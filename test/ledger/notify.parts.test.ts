/** The SMS to the payee of a payment is recorded in the transaction of the state that it tells, at most once for each state. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { notificationId } from '../../src/ledger/messages.ts';
import { type NewOperation, Operations } from '../../src/ledger/operations.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { payment as paymentOf } from '../support/restored-ledger.ts';

let ledger: FreshLedger;
let operations: Operations;
let made = 0;
beforeAll(async () => {
  ledger = await freshLedger();
  const database = { url: ledger.url, schema: ledger.schema };
  operations = new Operations({ database, process: 'one', clock: systemClock, random: systemRandom });
});
afterAll(async () => {
  await operations?.close();
  await ledger?.close();
});

const texts = { succeeded: 'Vous avez recu 1000 F', failed: 'Paiement non effectue' };
const NOTIFY = { phone: '+221771234567', payee: 'SN 771234567', texts };

/** A payment that was sent. */
async function pending(notify: object | undefined = NOTIFY, over: Partial<NewOperation> = {}): Promise<string> {
  made += 1;
  const id = `dsb_notify_${made}`;
  const { request } = paymentOf(id);
  await operations.accept(paymentOf(id, { request: { ...request, ...(notify && { notify }) }, ...over }));
  for (const [was, state] of [
    ['queued', 'submitting'],
    ['submitting', 'pending'],
  ] as const)
    await operations.change({ id, was, state, queue: 'status-poll', dueMs: 0 });
  return id;
}

const becomes = (id: string, was: string, state: string) =>
  operations.change({ id, was, state, queue: 'status-poll', finished: state !== 'needs_review' });

interface Sms {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly request: Readonly<Record<string, string>>;
}

const smsOf = (id: string) =>
  ledger.query<Sms>(
    `select id, state, reason, request from relais.operation where request ->> 'disbursement' = '${id}' order by created_at`,
  );

test('a success is told once, under an id that follows from payment and state', async () => {
  const id = await pending();
  expect(await smsOf(id)).toEqual([]);
  await becomes(id, 'pending', 'succeeded');
  await operations.change({ id, was: 'succeeded', state: 'succeeded', queue: 'status-poll', finished: true });
  const own = notificationId('default', id, 'succeeded');
  const request = { to: NOTIFY.phone, text: texts.succeeded, lane: 'normal', disbursement: id, tells: 'succeeded' };
  expect(await smsOf(id)).toEqual([{ id: own, state: 'queued', reason: null, request }]);
  const [claimed] = await operations.claim('sms-batch', ['main'], 1, 60_000);
  expect(claimed).toMatchObject({ id: own, kind: 'message', created_by: 'shop', account: 'main' });
  const [row] = await ledger.query<object>(`select beneficiary, reference from relais.operation where id = '${own}'`);
  expect(row).toEqual({ beneficiary: 'SN 771234567', reference: null });
});

test('a payment that failed and was paid after all tells each once, and a success that returns is not told again', async () => {
  const id = await pending();
  await becomes(id, 'pending', 'failed');
  await becomes(id, 'failed', 'succeeded');
  await becomes(id, 'succeeded', 'needs_review');
  await becomes(id, 'needs_review', 'succeeded');
  expect((await smsOf(id)).map(({ request }) => request['text'])).toEqual([texts.failed, texts.succeeded]);
});

test('states without a text tell nobody, and neither does a payment without `notify`', async () => {
  const quiet = await pending({ ...NOTIFY, texts: { succeeded: texts.succeeded } });
  await becomes(quiet, 'pending', 'needs_review');
  await becomes(quiet, 'needs_review', 'failed');
  const plain = await pending();
  await ledger.query(`update relais.operation set request = request - 'notify' where id = '${plain}'`);
  await becomes(plain, 'pending', 'succeeded');
  expect([...(await smsOf(quiet)), ...(await smsOf(plain))]).toEqual([]);
});

test('a change that does not commit leaves no SMS, and a tombstone stands for one that retention removed', async () => {
  const [id, other] = [await pending(), await pending()];
  await operations.change({ id: other, was: 'pending', state: 'pending', queue: 'status-poll', token: 'taken' });
  const refused = operations.change({ id, was: 'pending', state: 'succeeded', token: 'taken' });
  await expect(refused).rejects.toThrow();
  expect(await smsOf(id)).toEqual([]);
  await ledger.query(
    `insert into relais.tombstone (id, kind, account, fingerprint, state, finished_at)
     values ('${notificationId('default', id, 'succeeded')}', 'message', 'main', '', 'sent', now())`,
  );
  await becomes(id, 'pending', 'succeeded');
  expect(await smsOf(id)).toEqual([]);
});

test('after a recovery without proof the SMS of an older payment is in doubt, and that of a newer one is sent', async () => {
  const [older, newer] = [await pending(), await pending()];
  await ledger.query(
    `insert into relais.recovery (because, since, epoch, last_beat, marks, report, ended_at)
     select 'test', created_at + interval '1 ms', 1, now(), '{}', '{"broken": "no witness"}', now()
     from relais.operation where id = '${older}'`,
  );
  await ledger.query(`update relais.operation set created_at = now() + interval '1 s' where id = '${newer}'`);
  await becomes(older, 'pending', 'succeeded');
  await becomes(newer, 'pending', 'succeeded');
  expect(await smsOf(older)).toMatchObject([{ state: 'unknown', reason: 'restored' }]);
  expect(await smsOf(newer)).toMatchObject([{ state: 'queued' }]);
});

test('while no witness has confirmed the ledger, the SMS is as old as its payment', async () => {
  const id = await pending();
  await ledger.query(`update relais.deployment set unwitnessed_at = now()`);
  await becomes(id, 'pending', 'succeeded');
  await ledger.query(`update relais.deployment set unwitnessed_at = null`);
  const [row] = await ledger.query<{ same: boolean }>(
    `select m.created_at = p.created_at as same from relais.operation p join relais.operation m
     on m.request ->> 'disbursement' = p.id where p.id = '${id}'`,
  );
  expect(row?.same).toBe(true);
});
