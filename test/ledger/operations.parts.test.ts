/** The statements of an operation's life, run by two processes at once if relevant. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { type NewOperation, Operations } from '../../src/ledger/operations.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';
import { limitOf } from '../support/ledger-limit.ts';
import { callback } from '../support/ledger-callback.ts';

let ledger: FreshLedger;
let one: Operations;
let other: Operations;
let made = 0;
beforeAll(async () => {
  ledger = await freshLedger();
  [one, other] = [processNamed('one'), processNamed('other')];
});
afterAll(async () => {
  await one?.close();
  await other?.close();
  await ledger?.close();
});

const processNamed = (process: string): Operations =>
  new Operations({
    database: { url: ledger.url, schema: ledger.schema },
    process,
    clock: systemClock,
    random: systemRandom,
  });

/** A payment as acceptance would record it. */
function payment(over: Partial<NewOperation> = {}): NewOperation {
  made += 1;
  const id = over.id ?? `dsb_${String(made).padStart(26, '0')}`;
  return {
    id,
    kind: 'disbursement',
    account: 'main',
    fingerprint: createHash('sha256').update(JSON.stringify(over)).digest(),
    state: 'queued',
    queue: 'disbursement',
    amount: 1_000,
    counted: true,
    request: { amount: 1_000 },
    createdBy: 'shop',
    dueMs: -1_000,
    ...over,
  };
}

const rows = <Row extends object>(sql: string) => ledger.query<Row>(sql);
const spentBy = async (account: string, beneficiary = ''): Promise<number> =>
  Number(
    (
      await rows<{ xof: string }>(
        `select xof from relais.spent where account = '${account}' and beneficiary = '${beneficiary}'`,
      )
    )[0]?.xof ?? 0,
  );
/** One due operation of this account, leased. */
async function leased(account: string, leaseMs = 60_000) {
  const asked = payment({ account });
  await one.accept(asked);
  const [claimed] = await one.claim('disbursement', [account], 1, leaseMs);
  if (claimed === undefined) throw new Error('nothing was due');
  return claimed;
}

describe('accept', () => {
  test('records a request with its event, its audit entry and the sum of the day', async () => {
    const asked = payment({
      account: 'whole',
      reference: 'order-1',
      metadata: { orderId: '1042' },
      payeeName: 'Awa Diop',
      purpose: 'Salary',
      event: { when: 'queued', type: 'disbursement.awaiting_approval', data: { id: 'x' } },
      act: { by: 'shop', source: 'http', act: 'disbursement.create', requestId: 'r-1' },
    });
    expect(await one.accept(asked)).toMatchObject({ outcome: 'accepted', id: asked.id, state: 'queued' });
    const [row] = await one.read([asked.id]);
    expect(row).toMatchObject({
      reference: 'order-1',
      metadata: { orderId: '1042' },
      payee_name: 'Awa Diop',
      purpose: 'Salary',
      version: 1,
    });
    expect(await rows(`select id, subject, type from relais.outbox where account = 'whole'`)).toEqual([
      { id: `${asked.id}.1`, subject: asked.id, type: 'disbursement.awaiting_approval' },
    ]);
    expect(
      await rows(`select by, source, act, request_id from relais.audit_line where target = '${asked.id}'`),
    ).toEqual([{ by: 'shop', source: 'http', act: 'disbursement.create', request_id: 'r-1' }]);
    expect(await spentBy('whole')).toBe(1_000);
  });

  test('answers a repeated request as a duplicate, and another one under its identity as a conflict', async () => {
    const asked = payment({ account: 'again', reference: 'order-1' });
    await one.accept(asked);
    expect(await other.accept(asked)).toEqual({ outcome: 'duplicate', id: asked.id, state: 'queued', buried: false });
    const changed = { ...asked, fingerprint: Buffer.from('another') };
    expect(await one.accept(changed)).toMatchObject({ outcome: 'conflict', id: asked.id });
    const elsewhere = payment({ account: 'again', reference: 'order-1' });
    expect(await one.accept(elsewhere)).toMatchObject({ outcome: 'conflict', id: asked.id });
    expect(await spentBy('again')).toBe(1_000);
  });

  test('of a hundred times the same request at two processes accepts one', async () => {
    const asked = payment({ account: 'herd' });
    const answers = await Promise.all(Array.from({ length: 100 }, (_, at) => (at % 2 ? one : other).accept(asked)));
    expect(answers.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(1);
    expect(answers.filter(({ outcome }) => outcome === 'duplicate')).toHaveLength(99);
    expect(await spentBy('herd')).toBe(1_000);
  });

  test('returns the tombstone of an operation that retention removed', async () => {
    const asked = payment({ account: 'buried' });
    await rows(`insert into relais.tombstone (id, kind, account, fingerprint, state, amount, finished_at)
      values ('${asked.id}', 'disbursement', 'buried', '\\x${asked.fingerprint.toString('hex')}', 'succeeded', 1000, now())`);
    expect(await one.accept(asked)).toEqual({ outcome: 'duplicate', id: asked.id, state: 'succeeded', buried: true });
    expect(await rows(`select from relais.operation where id = '${asked.id}'`)).toEqual([]);
  });

  test('admits exactly the limit of the day, also in one shared statement', async () => {
    const asked = Array.from({ length: 20 }, () => payment({ account: 'limited' }));
    await limitOf(ledger, 'limited', 'MAX_PER_DAY', 7_500);
    const answers = await Promise.all(asked.map((each, at) => (at % 2 ? one : other).accept(each)));
    expect(answers.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(7);
    expect(answers.filter((answer) => answer.outcome === 'refused' && answer.rule === 'MAX_PER_DAY')).toHaveLength(
      13,
    );
    expect(await spentBy('limited')).toBe(7_000);
    const small = payment({ account: 'limited', amount: 500 });
    expect(await one.accept(small)).toMatchObject({ outcome: 'accepted' });
  });

  test('holds the limit of a beneficiary apart from that of the account', async () => {
    const to = { account: 'persons', beneficiary: '+221771234567' };
    await limitOf(ledger, 'persons', 'MAX_PER_BENEFICIARY_DAY', 1_500);
    expect(await one.accept(payment(to))).toMatchObject({ outcome: 'accepted' });
    expect(await one.accept(payment(to))).toMatchObject({ outcome: 'refused', rule: 'MAX_PER_BENEFICIARY_DAY' });
    expect(await one.accept(payment({ ...to, beneficiary: '+221770000000' }))).toMatchObject({ outcome: 'accepted' });
    expect([await spentBy('persons'), await spentBy('persons', to.beneficiary)]).toEqual([2_000, 1_000]);
  });

  test('refuses the same amount to the same beneficiary within the window, for any concurrent callers', async () => {
    const to = { account: 'twins', beneficiary: '+221771234567' };
    await limitOf(ledger, 'twins', 'DUPLICATE_WINDOW', 3_600_000);
    const answers = await Promise.all([one, other, one, other].map((each) => each.accept(payment(to))));
    expect(answers.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(1);
    expect(
      answers.filter((answer) => answer.outcome === 'refused' && answer.rule === 'DUPLICATE_WINDOW'),
    ).toHaveLength(3);
    expect(await one.accept(payment({ ...to, amount: 2_000 }))).toMatchObject({ outcome: 'accepted' });
    await ledger.query("update relais.operation set since = since + interval '1 second' where account = 'twins'");
    expect(await one.accept(payment(to))).toMatchObject({ outcome: 'refused', rule: 'DUPLICATE_WINDOW' });
  });

  test('a request that is repeated while it is under way is one statement, and each repeat is a duplicate', async () => {
    const asked = payment({ account: 'repeats', reference: 'once' });
    const answers = await Promise.all(Array.from({ length: 100 }, () => one.accept({ ...asked })));
    expect(answers.map(({ outcome, id }) => [outcome, id])).toEqual([
      ['accepted', asked.id],
      ...Array.from({ length: 99 }, () => ['duplicate', asked.id]),
    ]);
    const changed = { ...asked, fingerprint: createHash('sha256').update('changed').digest() };
    expect(await one.accept(changed)).toMatchObject({ outcome: 'conflict', id: asked.id });
  });

  test('finds the one row that PostgreSQL refuses, and records the others', async () => {
    const good = Array.from({ length: 8 }, () => payment({ account: 'poison' }));
    const bad = payment({ account: 'poison', purpose: 'a\0b' });
    const answers = await Promise.allSettled(
      [...good.slice(0, 4), bad, ...good.slice(4)].map((each) => one.accept(each)),
    );
    expect(answers.map(({ status }) => status)).toEqual([
      ...Array(4).fill('fulfilled'),
      'rejected',
      ...Array(4).fill('fulfilled'),
    ]);
    expect((answers[4] as PromiseRejectedResult).reason).toMatchObject({ name: 'StatementRefused', code: '22021' });
  });
});

describe('claim', () => {
  test('gives each due operation to one of two workers', async () => {
    await Promise.all(Array.from({ length: 40 }, () => one.accept(payment({ account: 'two' }))));
    const claims = await Promise.all(
      [one, other, one, other].map((each) => each.claim('disbursement', ['two'], 15, 60_000)),
    );
    const ids = claims.flat().map(({ id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([40, 40]);
  });

  test('lets accounts take turns: a hundred thousand of one do not keep another waiting', async () => {
    await rows(`insert into relais.operation (id, kind, account, fingerprint, state, queue, request, created_by, schema_version, op, due_at)
      select 'big_' || n, 'disbursement', 'big', '', 'queued', 'disbursement', '{}', 'x', 1, gen_random_uuid(), now() - interval '1 hour'
      from generate_series(1, 100000) n`);
    const small = payment({ account: 'small' });
    await one.accept(small);
    const claimed = await one.claim('disbursement', ['big', 'small'], 10, 60_000);
    expect(claimed).toHaveLength(10);
    expect(claimed.map(({ id }) => id)).toContain(small.id);
  });

  test('takes nothing that is leased, not due yet, of a paused queue, or written by a newer version', async () => {
    const due = await leased('taken');
    await one.accept(payment({ account: 'taken', dueMs: 60_000 }));
    expect(await other.claim('disbursement', ['taken'], 10, 60_000)).toEqual([]);
    await rows(
      `update relais.operation set schema_version = 99, lease = null, lease_until = null where id = '${due.id}'`,
    );
    expect(await other.claim('disbursement', ['taken'], 10, 60_000)).toEqual([]);
    await rows(`update relais.operation set schema_version = 1 where id = '${due.id}'`);
    await rows(`insert into relais.switch values ('disbursement', 'operator')`);
    expect(await other.claim('disbursement', ['taken'], 10, 60_000)).toEqual([]);
    await rows('delete from relais.switch');
    expect(await other.claim('disbursement', ['taken'], 10, 60_000)).toMatchObject([{ id: due.id }]);
  });
});

describe('change', () => {
  test('writes state, token, evidence, event and due time, and gives the lease back', async () => {
    const { id, lease } = await leased('changed');
    const done = await one.change({
      id,
      lease,
      was: 'queued',
      state: 'created',
      queue: 'disbursement',
      dueMs: 0,
      token: 'tok-1',
      tries: 1,
      lines: ['create|00|200|created'],
      event: { type: 'disbursement.held', data: { id } },
    });
    expect(done).toMatchObject({ known: true, version: 2 });
    const [row] = await one.read<{ evidence: string[] }>([id]);
    expect(row).toMatchObject({ state: 'created', token: 'tok-1', tries: 1, version: 2, lease_until: null });
    expect(row?.evidence).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z create\|00\|200\|created$/)]);
    expect(await rows(`select id from relais.outbox where account = 'changed'`)).toEqual([{ id: `${id}.2` }]);
  });

  test('writes the totals of its arrow and its own with the event, and those without an event in one row', async () => {
    const [told, silent] = [await leased('totalled'), await leased('totalled')];
    const own = { totals: { 'text|totalled|SN|sent': 1 } };
    const event = { type: 'disbursement.rejected', data: { id: told.id } };
    await Promise.all([
      one.change({ id: told.id, lease: told.lease, was: 'queued', state: 'rejected', finished: true, event, ...own }),
      one.change({ id: silent.id, lease: silent.lease, was: 'queued', state: 'cancelled', finished: true }),
    ]);
    const ended = (state: string) => ({
      'disbursement|totalled||=open': -1,
      'disbursement|totalled||=openXof': -1_000,
      [`disbursement|totalled||${state}`]: 1,
      [`disbursement|totalled||${state}Xof`]: 1_000,
    });
    const stored = await rows<{ type: string | null; totals: object }>(
      `select type, totals from relais.outbox where totals::text ~ 'totalled..(rejected|cancelled)' order by type nulls last`,
    );
    expect(stored).toEqual([
      { type: 'disbursement.rejected', totals: { ...ended('rejected'), ...own.totals } },
      { type: null, totals: ended('cancelled') },
    ]);
  });

  test('writes nothing for an attempt whose lease another one has', async () => {
    const { id, lease } = await leased('robbed', 0);
    const [again] = await other.claim('disbursement', ['robbed'], 1, 60_000);
    expect(again?.id).toBe(id);
    expect(await one.change({ id, lease, was: 'queued', state: 'rejected', finished: true })).toBeUndefined();
    expect(
      await other.change({ id, lease: again?.lease ?? '', was: 'queued', state: 'rejected', finished: true }),
    ).toBeDefined();
  });

  test('refuses a change of state that no arrow draws, and writes the others of its statement', async () => {
    const [good, bad] = [await leased('arrows'), await leased('arrows')];
    const [first, second] = await Promise.allSettled([
      one.change({
        id: good.id,
        lease: good.lease,
        was: 'queued',
        state: 'held',
        queue: 'disbursement',
        dueMs: 60_000,
        reason: 'funds',
      }),
      one.change({ id: bad.id, lease: bad.lease, was: 'queued', state: 'succeeded', finished: true }),
    ]);
    expect(first).toMatchObject({ status: 'fulfilled', value: { known: true } });
    expect(second).toMatchObject({ status: 'rejected', reason: { name: 'StatementRefused', code: 'P0001' } });
  });

  test('gives the amount back to the day when nothing was paid', async () => {
    const before = await spentBy('back');
    const { id, lease } = await leased('back');
    expect(await spentBy('back')).toBe(before + 1_000);
    await one.change({ id, lease, was: 'queued', state: 'rejected', finished: true });
    expect(await spentBy('back')).toBe(before);
  });

  test('keeps the first and the newest lines of evidence, and the intents between them', async () => {
    const { id, lease } = await leased('lines');
    for (let n = 1; n <= 60; n += 1)
      await one.change({
        id,
        lease,
        was: 'queued',
        state: 'queued',
        queue: 'disbursement',
        keepMs: 60_000,
        lines: [n === 20 ? 'submit|intended||send 1' : `line|${n}`],
      });
    const [row] = await one.read<{ evidence: string[]; evidence_total: number }>([id]);
    const lines = row?.evidence.map((line) => line.slice(25)) ?? [];
    expect(row?.evidence_total).toBe(60);
    expect(lines.length).toBeLessThanOrEqual(50);
    expect(lines.slice(0, 13)).toEqual([
      ...Array.from({ length: 12 }, (_, n) => `line|${n + 1}`),
      'submit|intended||send 1',
    ]);
    expect(lines.slice(-26)).toEqual(Array.from({ length: 26 }, (_, n) => `line|${n + 35}`));
  });

  test('by two processes that name the same rows in opposite orders ends in no deadlock', async () => {
    const held: Awaited<ReturnType<typeof leased>>[] = [];
    for (let n = 0; n < 20; n += 1) held.push(await leased('crossed'));
    const step = (by: Operations, list: typeof held) =>
      list.map(({ id, lease }) =>
        by.change({ id, lease, was: 'queued', state: 'queued', queue: 'disbursement', keepMs: 60_000 }),
      );
    for (let round = 0; round < 10; round += 1)
      expect(await Promise.all([...step(one, held), ...step(other, held.toReversed())])).not.toContain(undefined);
  });
});

describe('signal', () => {
  test('makes the next check due now, at most once in five seconds, and decides nothing', async () => {
    const asked = payment({
      account: 'rung',
      state: 'pending',
      queue: 'status-poll',
      dueMs: 3_600_000,
    });
    await one.accept(asked);
    const ring = () => one.signal(callback(asked.id, 'completed'));
    expect(await ring()).toMatchObject({ looks: true });
    const [claimed] = await one.claim('status-poll', ['rung'], 1, 60_000);
    expect(claimed).toMatchObject({ id: asked.id, state: 'pending' });
    await one.change({
      id: asked.id,
      lease: claimed?.lease ?? '',
      was: 'pending',
      state: 'pending',
      queue: 'status-poll',
      dueMs: 3_600_000,
    });
    await ring();
    expect(await one.claim('status-poll', ['rung'], 1, 60_000)).toEqual([]);
    const [row] = await one.read<{ evidence: string[] }>([asked.id]);
    expect(row?.evidence.filter((line) => line.endsWith('callback|completed'))).toHaveLength(2);
  });

  test('that comes during an attempt makes another check due right after it', async () => {
    const asked = payment({ account: 'meanwhile', state: 'pending', queue: 'status-poll' });
    await one.accept(asked);
    const { id } = asked;
    const [claimed] = await one.claim('status-poll', ['meanwhile'], 1, 60_000);
    const { lease = '' } = claimed ?? {};
    await one.signal(callback(id, 'completed'));
    const again = { id, lease, was: 'pending', state: 'pending', queue: 'status-poll', dueMs: 3_600_000 };
    await one.change(again);
    expect(await one.claim('status-poll', ['meanwhile'], 1, 60_000)).toMatchObject([{ id }]);
  });

  test('makes a cancelled payment due when it has a token: it may have been paid', async () => {
    const asked = payment({ account: 'late' });
    await one.accept(asked);
    await rows(
      `update relais.operation set state = 'cancelled', token = 'tok-late', queue = null, due_at = null where id = '${asked.id}'`,
    );
    await one.signal(callback(asked.id, 'completed'));
    expect(await one.claim('status-poll', ['late'], 1, 60_000)).toMatchObject([{ id: asked.id, state: 'cancelled' }]);
  });
});
