/** The guards of `accept`, `change` and `signal` when two transactions collide. */
import { createHash, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { loadStatements } from '../../src/ledger/statements.ts';
import { type NewOperation, Operations } from '../../src/ledger/operations.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { limitOf } from '../support/ledger-limit.ts';
import { callback } from '../support/ledger-callback.ts';

let ledger: FreshLedger;
let one: Operations;
const closing: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  ledger = await freshLedger();
  const database = { url: ledger.url, schema: ledger.schema };
  one = new Operations({ database, process: 'one', clock: systemClock, random: systemRandom });
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});
afterAll(async () => {
  await one?.close();
  await ledger?.close();
});

let made = 0;
function payment(over: Partial<NewOperation> = {}): NewOperation {
  made += 1;
  const id = over.id ?? `dsb_g${String(made).padStart(25, '0')}`;
  const fingerprint = createHash('sha256').update(id).digest();
  const body = {
    state: 'queued',
    queue: 'disbursement',
    amount: 1_000,
    counted: true,
    request: {},
    createdBy: 'shop',
  };
  return {
    id,
    kind: 'disbursement',
    account: 'main',
    fingerprint,
    dueMs: -1_000,
    ...body,
    ...over,
  };
}

async function session(): Promise<Client> {
  const client = new Client({ connectionString: ledger.url });
  await client.connect();
  closing.push(() => client.end());
  return client;
}

const minute = 60_000;
const isWaiting = async (times = 1): Promise<boolean> => {
  const rows = await ledger.query(`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`);
  return rows.length >= times;
};
const waiting = () => vi.waitUntil(() => isWaiting(), { interval: 5, timeout: 10_000 });

test('a reference that retention removed is not accepted under another idempotency key', async () => {
  await ledger.query(`insert into relais.tombstone (id, kind, account, reference, idempotency_key, fingerprint, state, amount, finished_at)
    values ('dsb_removed', 'disbursement', 'removed', 'order-1', 'key-1', '', 'succeeded', 1000, now())`);
  const known = { outcome: 'conflict', id: 'dsb_removed', state: 'succeeded', buried: true };
  expect(await one.accept(payment({ account: 'removed', reference: 'order-1' }))).toEqual(known);
  expect(await one.accept(payment({ account: 'removed', idempotencyKey: 'key-1' }))).toEqual(known);
});

test('an operation is due when it was accepted, or at its not-before time', async () => {
  const asked = payment({ account: 'due' });
  await one.accept(asked);
  const later = payment({ account: 'due', notBefore: new Date(Date.now() + 60 * minute) });
  await one.accept(later);
  expect(await one.claim('disbursement', ['due'], 5, minute)).toMatchObject([{ id: asked.id }]);
  const [row] = await one.read<{ due_at: Date }>([later.id]);
  expect(row?.due_at).toEqual(later.notBefore);
});

interface AcceptAt {
  readonly at: Date;
  readonly limits: Readonly<Record<string, number>>;
  /** Changes the statement. */
  readonly text?: (text: string) => string;
}

/** Runs `accept` for one payment at this time, in a separate session. */
function acceptAt(
  client: Client,
  asked: NewOperation,
  { at, limits, text = (same) => same }: AcceptAt,
): Promise<unknown> {
  const statement = loadStatements(ledger.schema).get('accept');
  const given: Record<string, unknown> = {
    lane: `at-${asked.id}`,
    epoch: 1,
    op: randomUUID(),
    schema_version: 1,
    now: at,
    id: [asked.id],
    kind: [asked.kind],
    account: [asked.account],
    fingerprint: [asked.fingerprint],
    state: [asked.state],
    queue: [asked.queue],
    amount: [asked.amount],
    beneficiary: [asked.beneficiary],
    request: ['{}'],
    created_by: [asked.createdBy],
    limits: { own: limits, fallback: {} },
    dry: false,
    counted: [true],
    meant_again: [false],
    facts: ['{}'],
    due_ms: [0],
  };
  given['lanes'] = [given['lane']];
  given['counters'] = [0];
  const values = statement?.params.map(({ name, type }) => given[name] ?? (type.endsWith('[]') ? [null] : null));
  return client.query(text(statement?.text ?? ''), values);
}

/** Accepts the second payment while the transaction of the first is open. Resolves with the outcome of the second. */
async function acceptBoth(
  [first, second]: readonly [NewOperation, NewOperation],
  [atFirst, atSecond]: readonly [AcceptAt, AcceptAt],
): Promise<unknown> {
  const [before, after] = [await session(), await session()];
  await ledger.query(`insert into relais.mark (lane) values ('at-${first.id}'), ('at-${second.id}')`);
  await before.query('begin');
  await acceptAt(before, first, atFirst);
  const answered = acceptAt(after, second, atSecond).then(
    () => 'accepted',
    (error: unknown) => error,
  );
  await vi.waitUntil(async () => (await isWaiting()) || (await one.read([second.id])).length > 0, { interval: 5 });
  await before.query('commit');
  return answered;
}

test('the duplicate window holds across midnight: two transactions that do not see each other yet', async () => {
  const to = { account: 'midnight', beneficiary: '+221771234567' };
  const asked = [payment(to), payment(to)] as const;
  const limits = { DUPLICATE_WINDOW: 60 * minute };
  const second = await acceptBoth(asked, [
    { at: new Date('2026-03-01T23:59:59.900Z'), limits },
    { at: new Date('2026-03-02T00:00:00.100Z'), limits },
  ]);
  expect(second).toMatchObject({ code: 'RL100', message: `DUPLICATE_WINDOW ${asked[0].id}` });
});

const SUM_OF_THE_TRANSACTION = 'from own join new n using (account) where own.xof > n.most_day';
/** Reads the sum before the transactions of other payments that are still open. */
const SUM_READ_BEFORE = `from new n where n.most_day < n.amount + coalesce((select s.xof from relais.spent s
  where s.day = (n.at at time zone 'UTC')::date and s.account = n.account and s.beneficiary = ''), 0)`;

test.for([
  ['is read in the transaction, so no two payments exceed it', SUM_OF_THE_TRANSACTION, { code: 'RL100' }, 1_000],
  ['would be exceeded if it were read before the transaction', SUM_READ_BEFORE, 'accepted', 2_000],
] as const)('the limit of a day %s', async ([, sum, second, spent]) => {
  const account = `limited-${spent}`;
  const text = (accept: string): string => {
    expect(accept).toContain(SUM_OF_THE_TRANSACTION);
    return accept.replace(SUM_OF_THE_TRANSACTION, sum);
  };
  const at = { at: new Date('2026-03-01T12:00:00Z'), limits: { MAX_PER_DAY: 1_500 }, text };
  const answer = await acceptBoth([payment({ account }), payment({ account })], [at, at]);
  if (typeof second === 'string') expect(answer).toBe(second);
  else expect(answer).toMatchObject({ ...second, message: 'MAX_PER_DAY 1500' });
  expect(await spentOn(account)).toEqual([{ beneficiary: '', xof: spent }]);
});

test('change locks the sums of the day in the order of their keys', async () => {
  const accounts = Array.from({ length: 12 }, (_, at) => `sum-${String((at * 7919) % 100).padStart(2, '0')}`);
  await Promise.all(accounts.map((account) => one.accept(payment({ account }))));
  const claimed = await one.claim('disbursement', accounts, 50, minute);
  expect(claimed).toHaveLength(12);
  const [first = ''] = accounts.toSorted();
  const holder = await session();
  await holder.query('begin');
  await holder.query(`select from relais.spent where account = '${first}' for no key update`);
  const changes = claimed.map(({ id, lease }) =>
    one.change({ id, lease, was: 'queued', state: 'rejected', finished: true }),
  );
  await waiting();
  const others = await holder.query(`select from relais.spent where account like 'sum-%' for no key update nowait`);
  expect(others.rowCount).toBe(12);
  await holder.query('commit');
  expect(await Promise.all(changes)).not.toContain(undefined);
});

test('accept locks the sum of an account before those of its beneficiaries, as change does', async () => {
  const to = (beneficiary: string) => payment({ account: 'order', beneficiary });
  await limitOf(ledger, 'order', 'MAX_PER_BENEFICIARY_DAY', 9_000);
  const beneficiaries = ['+221770000001', '+221770000002', '+221770000003'];
  await Promise.all(beneficiaries.map((each) => one.accept(to(each))));
  const holder = await session();
  await holder.query('begin');
  await holder.query(`select from relais.spent where account = 'order' and beneficiary = '' for no key update`);
  const accepted = beneficiaries.map((each) => one.accept(to(each)));
  await waiting();
  const others = await holder.query(`select from relais.spent where account = 'order' for no key update nowait`);
  expect(others.rowCount).toBe(4);
  await holder.query('commit');
  expect(new Set((await Promise.all(accepted)).map(({ outcome }) => outcome))).toEqual(new Set(['accepted']));
});

test('a statement that waits for a locked row stops no other statement of its kind', async () => {
  // Longer than the lock time-out, which would end the wait during the test.
  await ledger.query(`create function public.waits() returns trigger language plpgsql as $$ begin
    perform set_config('lock_timeout', '0', true); perform pg_advisory_xact_lock(7); return new; end $$`);
  await ledger.query(`create trigger waits before insert or update on relais.operation for each row
    when (new.account = 'locked') execute function public.waits()`);
  closing.push(() => ledger.query('drop function public.waits() cascade'));
  const holder = await session();
  await holder.query('begin');
  await holder.query('select pg_advisory_xact_lock(7)');
  const locked = one.accept(payment({ account: 'locked' }));
  await waiting();
  expect(await one.accept(payment({ account: 'unlocked' }))).toMatchObject({ outcome: 'accepted' });
  expect(await isWaiting()).toBe(true);
  await holder.query('commit');
  expect(await locked).toMatchObject({ outcome: 'accepted' });
});

test('a signal does not make a scheduled payment due before its not-before time', async () => {
  const notBefore = new Date(Date.now() + 60 * minute);
  const asked = payment({ account: 'scheduled', notBefore });
  await one.accept(asked);
  await one.signal(callback(asked.id, 'completed'));
  expect(await one.claim('disbursement', ['scheduled'], 1, minute)).toEqual([]);
});

test('a signal soon after another one makes a check due five seconds after that one', async () => {
  const asked = payment({ account: 'soon', state: 'pending', queue: 'status-poll' });
  await one.accept(asked);
  const ring = () => one.signal(callback(asked.id, 'completed'));
  await ring();
  const [claimed] = await one.claim('status-poll', ['soon'], 1, minute);
  const { lease = '' } = claimed ?? {};
  await one.change({
    id: asked.id,
    lease,
    was: 'pending',
    state: 'pending',
    queue: 'status-poll',
    dueMs: 60 * minute,
  });
  await ring();
  const [row] = await ledger.query(
    `select from relais.operation where id = '${asked.id}' and due_at > now() and due_at <= now() + interval '5 s'`,
  );
  expect(row).toBeDefined();
});

test('two signals for one payment at the same moment both stay as evidence, and a bad line fails alone', async () => {
  const asked = [payment({ account: 'rung' }), payment({ account: 'rung' })] as const;
  await Promise.all(asked.map((each) => one.accept(each)));
  const ring = (id: string, line: string) => one.signal(callback(id, line));
  const answers = await Promise.allSettled([
    ring(asked[0].id, 'first'),
    ring(asked[0].id, 'second'),
    ring(asked[1].id, 'a\0b'),
    ring('dsb_unknown', 'third'),
  ]);
  expect(answers).toMatchObject([
    { value: { state: 'queued' } },
    { value: { state: 'queued' } },
    { status: 'rejected' },
    { value: undefined },
  ]);
  const [row] = await one.read<{ evidence: string[] }>([asked[0].id]);
  expect(row?.evidence).toHaveLength(2);
});

test('a line of evidence is bounded', async () => {
  const asked = payment({ account: 'long' });
  await one.accept(asked);
  await one.signal(callback(asked.id, 'x'.repeat(100_000)));
  const [claimed] = await one.claim('disbursement', ['long'], 1, minute);
  const { lease = '' } = claimed ?? {};
  const line = 'y'.repeat(100_000);
  await one.change({
    id: asked.id,
    lease,
    was: 'queued',
    state: 'queued',
    queue: 'disbursement',
    keepMs: minute,
    lines: [line],
  });
  const [row] = await one.read<{ evidence: string[] }>([asked.id]);
  expect(row?.evidence.map((each) => each.length < 12_000)).toEqual([true, true]);
});

test('an event of a later epoch has an id of its own, though its version was used before', async () => {
  const asked = payment({ account: 'epochs', event: { when: 'queued', type: 'disbursement.held', data: {} } });
  await ledger.query('update relais.deployment set epoch = 2');
  closing.push(() => ledger.query('update relais.deployment set epoch = 1'));
  const database = { url: ledger.url, schema: ledger.schema };
  const later = new Operations({ database, process: 'later', clock: systemClock, random: systemRandom });
  closing.push(() => later.close());
  await later.accept(asked);
  expect(await ledger.query(`select id from relais.outbox where account = 'epochs'`)).toEqual([
    { id: `${asked.id}.1.2` },
  ]);
});

test('a claim takes the next due operations while another session holds the oldest', async () => {
  const asked = [0, 1, 2, 3].map((n) => payment({ account: 'held-back', dueMs: -(10 - n) * minute }));
  await Promise.all(asked.map((each) => one.accept(each)));
  const holder = await session();
  await holder.query('begin');
  const oldest = asked.slice(0, 2).map(({ id }) => id);
  await holder.query('select from relais.operation where id = any($1) for update', [oldest]);
  const claimed = await one.claim('disbursement', ['held-back'], 2, minute);
  expect(new Set(claimed.map(({ id }) => id))).toEqual(new Set(asked.slice(2).map(({ id }) => id)));
});

test('a flood of callbacks leaves the evidence of the attempts', async () => {
  const asked = payment({ account: 'flooded' });
  await one.accept(asked);
  const [claimed] = await one.claim('disbursement', ['flooded'], 1, minute);
  const { id = '', lease = '' } = claimed ?? {};
  const steps = { id, lease, was: 'queued', state: 'queued', queue: 'disbursement', keepMs: minute };
  await one.change({ ...steps, lines: ['create|00|200|created'] });
  for (let n = 0; n < 60; n += 1) await one.signal(callback(id, `word ${n}`));
  const [row] = await one.read<{ evidence: string[] }>([id]);
  expect(row?.evidence).toHaveLength(21);
  expect(row?.evidence[0]).toMatch(/ create\|00\|200\|created$/);
});

test('an intent whose request may leave after its lease is refused', async () => {
  await one.accept(payment({ account: 'outlives' }));
  const [claimed] = await one.claim('disbursement', ['outlives'], 1, minute);
  const { id = '', lease = '' } = claimed ?? {};
  const intent = { id, lease, was: 'queued', state: 'submitting', queue: 'status-poll', intends: true };
  await expect(one.change({ ...intent, keepMs: minute, sendMs: minute + 1 })).rejects.toThrow(
    'leaves after its lease',
  );
  await expect(one.change({ ...intent, sendMs: minute })).rejects.toThrow('leaves after its lease');
});

test('a request that cannot be written as JSON fails alone', async () => {
  const circular: Record<string, unknown> = {};
  circular['itself'] = circular;
  const asked = [
    payment({ account: 'json' }),
    payment({ account: 'json', request: circular }),
    payment({ account: 'json' }),
  ];
  const answers = await Promise.allSettled(asked.map((each) => one.accept(each)));
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

const spentOn = (account: string) =>
  ledger.query(
    `select beneficiary, xof::int from relais.spent where account = '${account}' order by beneficiary collate "C"`,
  );

test('payments to one beneficiary share a statement, and their sum is exact', async () => {
  const to = { account: 'crowd', beneficiary: '+221771234567' };
  await limitOf(ledger, 'crowd', 'MAX_PER_BENEFICIARY_DAY', 1_000_000);
  const answers = await Promise.all(Array.from({ length: 200 }, () => one.accept(payment(to))));
  expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set(['accepted']));
  const [row] = await ledger.query(
    `select count(distinct op)::int as n from relais.operation where account = 'crowd'`,
  );
  expect(row).toEqual({ n: 1 });
  expect(await spentOn('crowd')).toEqual([
    { beneficiary: '', xof: 200_000 },
    { beneficiary: to.beneficiary, xof: 200_000 },
  ]);
});

test('payments to one beneficiary that share a statement stop at the limit of the beneficiary', async () => {
  const to = { account: 'crowded', beneficiary: '+221771234567' };
  await limitOf(ledger, 'crowded', 'MAX_PER_BENEFICIARY_DAY', 7_500);
  const answers = await Promise.all(Array.from({ length: 20 }, () => one.accept(payment(to))));
  expect(answers.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(7);
  expect(await spentOn('crowded')).toEqual([
    { beneficiary: '', xof: 7_000 },
    { beneficiary: to.beneficiary, xof: 7_000 },
  ]);
});
