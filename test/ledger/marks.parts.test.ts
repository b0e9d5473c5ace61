/** A ledger that was restored from a backup, is recovering, or whose lane was taken over accepts nothing. */
import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { type NewOperation, Operations } from '../../src/ledger/operations.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';

let ledger: FreshLedger;
const closing: (() => Promise<unknown>)[] = [];
beforeAll(async () => (ledger = await freshLedger()));
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});
afterAll(() => ledger?.close());

let made = 0;
function payment(account: string): NewOperation {
  made += 1;
  const id = `dsb_m${String(made).padStart(25, '0')}`;
  const fingerprint = createHash('sha256').update(id).digest();
  const body = { state: 'queued', queue: 'disbursement', amount: 1_000, request: {}, createdBy: 'shop' };
  return { id, kind: 'disbursement', account, fingerprint, dueMs: -1_000, ...body };
}

function processNamed(process: string, at = ledger): Operations {
  const operations = new Operations({
    database: { url: at.url, schema: at.schema },
    process,
    clock: systemClock,
    random: systemRandom,
    lanes: 1,
  });
  closing.push(() => operations.close());
  return operations;
}

test('a ledger that has lost a commit of a process accepts nothing from it and records nothing', async () => {
  const one = processNamed('loses');
  for (let n = 0; n < 3; n += 1) await one.accept(payment('lost'));
  await ledger.query(`update relais.mark set counter = counter - 1 where lane = 'loses/accept0'`);
  const asked = payment('lost');
  await expect(one.accept(asked)).rejects.toMatchObject({ name: 'LedgerClosed', reason: 'restored' });
  expect(await one.read([asked.id])).toEqual([]);
});

test('a sum of counters hides no loss: one lane behind is enough, however far the others went', async () => {
  const [one, other] = [processNamed('sum-one'), processNamed('sum-other')];
  await one.accept(payment('sums'));
  await other.accept(payment('sums'));
  one.memory.remember('sum-other/accept0', 1n);
  await ledger.query(`update relais.mark set counter = counter + 20 where lane = 'sum-one/accept0'`);
  await ledger.query(`update relais.mark set counter = 0 where lane = 'sum-other/accept0'`);
  await expect(one.accept(payment('sums'))).rejects.toMatchObject({ reason: 'restored' });
});

test('a lane whose row is gone writes nothing: the ledger is older than the process', async () => {
  const one = processNamed('gone');
  await one.accept(payment('gone'));
  await ledger.query(`delete from relais.mark where lane = 'gone/accept0'`);
  await expect(one.accept(payment('gone'))).rejects.toMatchObject({ name: 'LedgerClosed', reason: 'fenced' });
});

test('a fenced lane writes nothing, and its operations go to the successor', async () => {
  const [old, successor] = [processNamed('old'), processNamed('successor')];
  await old.accept(payment('taken-over'));
  const [held] = await old.claim('disbursement', ['taken-over'], 1, 60_000);
  const intent = {
    id: held?.id ?? '',
    lease: held?.lease ?? '',
    was: 'queued',
    state: 'submitting',
    queue: 'status-poll',
  };
  await old.change({ ...intent, state: 'queued', keepMs: 60_000, intends: true });
  await ledger.query(`update relais.mark set fenced = true where lane like 'old/%'`);
  const keeps = { ...intent, keepMs: 60_000, sendMs: 60_000, intends: true };
  await expect(old.change(keeps)).rejects.toMatchObject({ reason: 'fenced' });
  await expect(old.accept(payment('taken-over'))).rejects.toMatchObject({ reason: 'fenced' });
  expect(await successor.accept(payment('taken-over'))).toMatchObject({ outcome: 'accepted' });
});

test('while it recovers, nothing is accepted and no intent is written; results still are', async () => {
  const one = processNamed('recovers');
  await one.accept(payment('recovering'));
  const [held] = await one.claim('disbursement', ['recovering'], 1, 60_000);
  await ledger.query(`update relais.deployment set recovering_at = now(), recovering_why = 'test'`);
  closing.push(() => ledger.query(`update relais.deployment set recovering_at = null`));
  await expect(one.accept(payment('recovering'))).rejects.toMatchObject({ reason: 'recovering' });
  const { id = '', lease = '' } = held ?? {};
  const intent = {
    id,
    lease,
    was: 'queued',
    state: 'submitting',
    queue: 'status-poll',
    keepMs: 60_000,
    sendMs: 1_000,
    intends: true,
  };
  await expect(one.change(intent)).rejects.toMatchObject({ reason: 'recovering' });
  const result = { id, lease, was: 'queued', state: 'held', queue: 'disbursement', dueMs: 60_000, reason: 'funds' };
  expect(await one.change(result)).toMatchObject({ known: true });
});

test('a process from before a recovery writes nothing after it', async () => {
  const one = processNamed('epochs');
  await one.accept(payment('epochs'));
  await ledger.query('update relais.deployment set epoch = epoch + 1');
  await expect(one.accept(payment('epochs'))).rejects.toMatchObject({ reason: 'epoch' });
  expect(await processNamed('epochs-new').accept(payment('epochs'))).toMatchObject({ outcome: 'accepted' });
});

test('a PostgreSQL that may lose commits is refused, with the setting to change', async () => {
  const url = `${ledger.url}?options=-c%20synchronous_commit%3Doff`;
  await expect(processNamed('unsafe', { ...ledger, url }).accept(payment('unsafe'))).rejects.toThrow(
    'PostgreSQL may lose what it has committed: set synchronous_commit = on',
  );
});
