/** Operations for acceptance, processors and callbacks, over PostgreSQL. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OperationStore } from '../../src/ledger/operation-store.ts';
import { Operations } from '../../src/ledger/operations.ts';
import { NOT_STORABLE } from '../../src/ledger/refused-changes.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import type { NewOperation } from '../../src/operations/accepting.ts';
import type { Act } from '../../src/ledger/acts.ts';
import { readEvidence } from '../../src/operations/transition.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { limitOf } from '../support/ledger-limit.ts';

const LEASE_MS = 60_000;
const ACT: Act = {
  by: 'shop',
  person: 'awa',
  role: 'send',
  source: 'api',
  requestId: 'r-1',
  act: 'disbursement.create',
  target: '',
};

let ledger: FreshLedger;
let operations: Operations;
let store: OperationStore;
let laterMs = 0;
beforeAll(async () => {
  ledger = await freshLedger();
  const database = { url: ledger.url, schema: ledger.schema };
  const now = (): Date => new Date(Date.now() + laterMs);
  operations = new Operations({ database, process: 'one', clock: systemClock, random: systemRandom, lanes: 1, now });
  store = storeOf();
});
afterAll(async () => {
  await operations?.close();
  await ledger?.close();
});
beforeEach(async () => {
  laterMs = 0;
  await ledger.query('truncate relais.operation, relais.outbox, relais.spent, relais.limit_value, relais.tombstone');
});

const storeOf = (more: { readonly dryRun?: boolean } = {}): OperationStore =>
  new OperationStore({ operations, clock: systemClock, accounts: ['main'], leaseMs: LEASE_MS, ...more });

function payment(id: string, more: Partial<NewOperation<'disbursement'>> = {}): NewOperation<'disbursement'> {
  const fields = { by: 'shop', amount: 500, accountAlias: '77', withdrawMode: 'wave-senegal', disburseId: `d-${id}` };
  const of = { kind: 'disbursement', account: 'main', state: 'queued' } as const;
  return { ...of, id, fingerprint: `print of ${id}`, xof: 500, beneficiary: 'SN 77', dueInMs: 0, fields, ...more };
}

async function held(id: string) {
  const acquired = await store.acquire('disbursement', id, 'disbursement', LEASE_MS);
  if (acquired.is !== 'acquired') throw new Error(acquired.is);
  return acquired;
}

async function rowOf(id: string) {
  const [row] = await operations.read<{
    state: string;
    token: string | null;
    reason: string | null;
    lease: string | null;
    evidence: string[];
    evidence_total: number;
    due_at: Date | null;
  }>([id]);
  if (row === undefined) throw new Error(`no ${id}`);
  return row;
}

describe('acceptance', () => {
  test('records a payment above the approval limit as waiting, with its event and its audit entry', async () => {
    await limitOf(ledger, '', 'APPROVAL_ABOVE', 100);
    const answer = await store.accept(payment('a', { reference: 'order-1', act: { ...ACT, target: 'a' } }));
    expect(answer).toMatchObject({ outcome: 'accepted', state: 'awaiting_approval' });
    expect(await rowOf('a')).toMatchObject({ state: 'awaiting_approval', due_at: null });
    const data = { id: 'a', state: 'awaiting_approval', reference: 'order-1', amount: 500, disburseId: 'd-a' };
    expect(await ledger.query('select type, data from relais.outbox where type is not null')).toMatchObject([
      { type: 'disbursement.awaiting_approval', data: { ...data, withdrawMode: 'wave-senegal' } },
    ]);
    expect(await ledger.query(`select by, person, act, facts from relais.audit where target = 'a'`)).toMatchObject([
      { by: 'shop', person: 'awa', facts: { account: 'main', amount: 500, state: 'awaiting_approval' } },
    ]);
    expect(await store.accept(payment('b', { approval: 'given' }))).toMatchObject({ state: 'queued' });
  });

  test('refuses a request that would need an approval that its kind does not have, with the limit', async () => {
    await limitOf(ledger, '', 'APPROVAL_ABOVE', 100);
    const limited = { outcome: 'limited', limit: 'APPROVAL_ABOVE', detail: '100' };
    expect(await store.accept(payment('a', { approval: 'impossible' }))).toEqual(limited);
    expect(await ledger.query('select from relais.operation')).toEqual([]);
  });

  test('names the limit and its value, and the earlier payment of the duplicate window', async () => {
    await limitOf(ledger, '', 'MAX_DISBURSEMENT', 400);
    expect(await store.accept(payment('a'))).toEqual({
      outcome: 'limited',
      limit: 'MAX_DISBURSEMENT',
      detail: '400',
    });
    await limitOf(ledger, '', 'MAX_DISBURSEMENT', null);
    await limitOf(ledger, '', 'DUPLICATE_WINDOW', 60_000);
    await store.accept(payment('b'));
    expect(await store.accept(payment('c'))).toEqual({ outcome: 'limited', limit: 'DUPLICATE_WINDOW', detail: 'b' });
    expect(await store.accept(payment('d', { meantAgain: true }))).toMatchObject({ outcome: 'accepted' });
  });

  test('has a default for one payment, which a shared limit replaces', async () => {
    expect(await store.accept(payment('a', { xof: 2_000_001 }))).toMatchObject({ detail: '2000000' });
    await limitOf(ledger, '', 'MAX_DISBURSEMENT', 3_000_000);
    expect(await store.accept(payment('a', { xof: 2_000_001 }))).toMatchObject({ outcome: 'accepted' });
  });

  test('reports the differences from the request with its identity, and answers a tombstone', async () => {
    await store.accept(payment('a', { reference: 'order-1' }));
    const other = payment('a', { reference: 'order-1', fingerprint: 'other' });
    const fields = { ...other.fields, accountAlias: '78' };
    expect(await store.accept({ ...other, fields })).toEqual({
      outcome: 'conflict',
      id: 'a',
      differs: ['/accountAlias'],
    });
    await ledger.query(`insert into relais.tombstone (id, kind, account, fingerprint, state, finished_at)
      values ('gone', 'disbursement', 'main', '\\x${Buffer.from('print of gone').toString('hex')}', 'failed', now())`);
    expect(await store.accept(payment('gone'))).toEqual({ outcome: 'duplicate', id: 'gone', state: 'failed' });
  });

  test('judges a dry run by every rule, and records nothing', async () => {
    const dry = storeOf({ dryRun: true });
    await limitOf(ledger, '', 'MAX_PER_DAY', 600);
    expect(await dry.accept(payment('a'))).toMatchObject({ outcome: 'accepted', state: 'queued' });
    expect(await ledger.query('select from relais.operation')).toEqual([]);
    await store.accept(payment('a'));
    expect(await dry.accept(payment('a'))).toMatchObject({ outcome: 'duplicate' });
    expect(await dry.accept(payment('b'))).toMatchObject({ outcome: 'limited', limit: 'MAX_PER_DAY' });
    expect(await ledger.query('select xof from relais.spent')).toEqual([{ xof: '500' }]);
  });

  test('refuses a state that the kind does not have', async () => {
    const asked = payment('a', { state: 'sending' as 'queued' });
    await expect(store.accept(asked)).rejects.toThrow('no state "sending"');
  });

  test('of an account at a limit shares no statement with others for a second', async () => {
    await limitOf(ledger, 'main', 'MAX_PER_DAY', 100);
    await store.accept(payment('a'));
    // Unlike the counter of a mark it also counts statements that PostgreSQL aborts.
    await ledger.query(`create sequence public.shared; create function public.counts() returns trigger language plpgsql as
      $$ begin perform nextval('public.shared'); return new; end $$;
      create trigger counts before update on relais.mark for each row when (new.lane = 'one/accept0')
      execute function public.counts()`);
    const answers = await Promise.all([
      store.accept(payment('b')),
      store.accept(payment('c', { account: 'other' })),
      store.accept(payment('d', { account: 'other' })),
    ]);
    expect(answers).toMatchObject([{ outcome: 'limited' }, { outcome: 'accepted' }, { outcome: 'accepted' }]);
    expect(await ledger.query('select last_value from public.shared')).toEqual([{ last_value: '1' }]);
    await ledger.query('drop function public.counts() cascade; drop sequence public.shared');
  });
});

describe('a lease', () => {
  test('comes with the bulk claim, and is released if it does not begin', async () => {
    await Promise.all(['a', 'b'].map((id) => store.accept(payment(id))));
    expect(new Set(await store.take('disbursement', 10))).toEqual(new Set(['a', 'b']));
    expect(await storeOf().acquire('disbursement', 'a', 'disbursement', LEASE_MS)).toEqual({ is: 'leased' });
    const { lease, record, leasedSince } = await held('a');
    expect([record.id, leasedSince === undefined]).toEqual(['a', false]);
    expect((await rowOf('a')).lease).toBe(lease);
    await store.handBack('disbursement', ['b', 'gone']);
    expect(await storeOf().take('disbursement', 10)).toEqual(['b']);
  });

  test('that was taken long before the attempt begins is taken again', async () => {
    await store.accept(payment('a'));
    const late = { ...systemClock, monotonic: () => systemClock.monotonic() + laterMs };
    const slow = new OperationStore({ operations, clock: late, accounts: ['main'], leaseMs: LEASE_MS });
    await slow.take('disbursement', 1);
    const { lease: before } = await rowOf('a');
    laterMs = LEASE_MS / 2;
    const acquired = await slow.acquire('disbursement', 'a', 'disbursement', LEASE_MS);
    expect(acquired).toMatchObject({ is: 'acquired' });
    expect((await rowOf('a')).lease).not.toBe(before);
  });

  test('of a process whose lane is fenced is not given', async () => {
    await store.accept(payment('a'));
    await operations.claim('disbursement', ['other'], 1, 1);
    await ledger.query(`update relais.mark set fenced = true where lane = 'one/read'`);
    expect(await store.take('disbursement', 1)).toEqual([]);
    await ledger.query(`update relais.mark set fenced = false where lane = 'one/read'`);
    expect(await store.take('disbursement', 1)).toEqual(['a']);
  });

  test('is answered with the reason when it is not given', async () => {
    await store.accept(payment('a'));
    expect(await store.acquire('disbursement', 'gone', 'disbursement', 1)).toEqual({ is: 'none' });
    expect(await store.acquire('disbursement', 'a', 'status-poll', 1)).toEqual({ is: 'elsewhere' });
    const { record, lease } = await held('a');
    await store.transition(record, lease, { to: 'rejected' });
    expect(await store.acquire('disbursement', 'a', 'disbursement', 1)).toEqual({ is: 'final' });
    await ledger.query(`update relais.operation set schema_version = 99`);
    expect(await store.acquire('disbursement', 'a', 'disbursement', 1)).toEqual({ is: 'other version' });
  });

  test('of an id for a job moves its due time on', async () => {
    await store.accept(payment('a'));
    expect(await store.claim('disbursement', 9, 1_000)).toEqual([{ id: 'a', rev: '1' }]);
    expect(await store.claim('disbursement', 9, 1_000)).toEqual([]);
    laterMs = 1_001;
    expect(await store.claim('disbursement', 9, 1_000)).toEqual([{ id: 'a', rev: '1' }]);
  });
});

describe('a change', () => {
  beforeEach(async () => {
    await Promise.all(['a', 'b'].map((id) => store.accept(payment(id))));
  });

  test('is refused while the account is held so', async () => {
    const { record, lease } = await held('a');
    await ledger.query(
      `insert into relais.hold (account, area, reason, trial_at) values ('main', 'payments', 'stopped', now())`,
    );
    const change = { to: 'created', keepMs: 1_000, unlessHeld: 'payments.stopped' } as const;
    expect(await store.transition(record, lease, change)).toEqual({ is: 'held' });
    await ledger.query('truncate relais.hold');
    expect(await store.transition(record, lease, change)).toMatchObject({ is: 'applied', rev: 2 });
  });

  test('by a user ends the lease of the attempt, and is one audit line', async () => {
    const { record, lease } = await held('a');
    const act = { ...ACT, act: 'disbursement.cancel', target: 'a' };
    expect(await store.transition(record, undefined, { to: 'cancelled', act })).toMatchObject({ is: 'applied' });
    expect(await store.transition(record, lease, { to: 'held' })).toEqual({ is: 'not yours', state: 'cancelled' });
    const lines = await ledger.query(`select before, facts from relais.audit where act = 'disbursement.cancel'`);
    expect(lines).toEqual([{ before: { state: 'queued' }, facts: { state: 'cancelled' } }]);
  });

  test('that ends an attempt is known again when it is asked for twice', async () => {
    const { record, lease } = await held('a');
    const end = { to: 'rejected', op: lease, event: { type: 'disbursement.rejected', data: {} } } as const;
    expect(await store.transition(record, lease, end)).toMatchObject({ is: 'applied' });
    expect(await store.transition(record, lease, end)).toMatchObject({ is: 'mine', rev: 2 });
    expect(await ledger.query('select from relais.outbox where type is not null')).toHaveLength(1);
  });

  test('with a name that the provider gave to another operation is claimed by that one', async () => {
    const [one, two] = [await held('a'), await held('b')];
    const created = { to: 'created', set: { token: 't' }, claims: 'token=t', dueInMs: 1 } as const;
    expect(await store.transition(one.record, one.lease, created)).toMatchObject({ is: 'applied' });
    expect(await store.transition(two.record, two.lease, created)).toEqual({ is: 'claimed', by: 'a' });
  });

  test('that lets a request leave is refused while the ledger is recovering, and a result is not', async () => {
    const { record, lease } = await held('a');
    await ledger.query('update relais.deployment set recovering_at = now()');
    const change = { to: 'created', hasEffect: true, keepMs: 1_000, dueInMs: 1_000 } as const;
    expect(await store.transition(record, lease, change)).toEqual({ is: 'recovering' });
    expect(await store.transition(record, lease, { to: 'held', dueInMs: 1 })).toMatchObject({ is: 'applied' });
    const { record: now } = await held('a');
    const review = { to: 'rejected', inRecovery: 1 } as const;
    expect(await store.transition(now, undefined, review)).toMatchObject({ is: 'applied' });
    await ledger.query('update relais.deployment set recovering_at = null');
    const { record: other } = await held('b');
    expect(await store.transition(other, undefined, review)).toEqual({ is: 'recovered' });
  });
});

describe('a result that PostgreSQL refuses', () => {
  beforeEach(async () => {
    await Promise.all(['a', 'b', 'c'].map((id) => store.accept(payment(id))));
  });

  test('leaves the operation for review with the storable part, and the others of its statement as they ended', async () => {
    const [bad, good] = [await held('a'), await held('b')];
    const ended = await Promise.all([
      store.transition(bad.record, bad.lease, { to: 'created', dueInMs: 1, set: { token: 'tok\0en' } }),
      store.transition(good.record, good.lease, { to: 'created', dueInMs: 1, set: { token: 'token' } }),
    ]);
    expect(ended).toMatchObject([{ is: 'not yours', state: 'needs_review' }, { is: 'applied' }]);
    expect(await rowOf('a')).toMatchObject({ state: 'needs_review', reason: NOT_STORABLE, token: null });
    const { evidence, evidence_total: total } = await rowOf('a');
    expect(readEvidence({ evidence: { lines: evidence, total } }).lines).toMatchObject([
      { operation: 'named', code: 'token', detail: 'token' },
      { operation: 'named', code: 'state', detail: 'created' },
      { operation: 'ledger', code: '22021' },
    ]);
    expect(await ledger.query(`select type from relais.outbox where type is not null`)).toEqual([
      { type: 'disbursement.needs_review' },
    ]);
  });

  test('because another operation has its transaction is not lost', async () => {
    const [one, two] = [await held('a'), await held('b')];
    const to = { to: 'created', dueInMs: 1, set: { transactionId: 'x' } } as const;
    expect(await store.transition(one.record, one.lease, to)).toMatchObject({ is: 'applied' });
    expect(await store.transition(two.record, two.lease, to)).toEqual({ is: 'not yours', state: 'needs_review' });
    expect((await rowOf('b')).evidence.join()).toContain('named|transactionId||x');
  });

  test('fails for the user whose act it is', async () => {
    const { record } = await held('c');
    const act = { ...ACT, target: 'c' };
    await expect(
      store.transition(record, undefined, { to: 'cancelled', act, set: { note: 'a\0b' } }),
    ).rejects.toThrow();
    expect(await rowOf('c')).toMatchObject({ state: 'queued' });
  });
});
