/** Payment batches on real PostgreSQL: upload, approval, the work of two workers that die, and what the report says. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BatchRow } from '../../src/operations/batch-rows.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { type BatchAttempt, type BatchWorkOptions, BatchWork, type RowAnswer } from '../../src/ledger/batch-work.ts';
import { fingerprintBytes } from '../../src/ledger/batch-record.ts';
import { Batches } from '../../src/ledger/batches.ts';
import { Operations } from '../../src/ledger/operations.ts';
import { Database } from '../../src/ledger/pool.ts';
import { askedFields, judgeDisbursement } from '../../src/producer/acceptance.ts';
import { BatchDoor } from '../../src/producer/batch/door.ts';
import { readBatchFile } from '../../src/producer/batch/read-file.ts';
import { progressOf, reportPages } from '../../src/producer/batch/report.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';

const DAY_MS = 86_400_000;
const LEASE_MS = 60_000;

let ledger: FreshLedger;
let database: Database;
let operations: Operations;
let batches: Batches;
let laterMs: number;
let isKnown: boolean;
/** XOF above which acceptance refuses a row. */
let limit: number;
let made = 0;

beforeAll(async () => {
  ledger = await freshLedger();
  const place = { url: ledger.url, schema: ledger.schema };
  database = new Database({ ...place, size: 8 });
  operations = new Operations({ database: place, process: 'one', clock: systemClock, random: systemRandom });
});
afterAll(async () => {
  await operations?.close();
  await database?.close();
  await ledger?.close();
});
beforeEach(() => {
  laterMs = 0;
  isKnown = true;
  limit = Number.POSITIVE_INFINITY;
  batches = new Batches({ database, now });
});

const now = (): Date => new Date(Date.now() + laterMs);
/** The lease of an attempt that died ends. */
const outlive = (): void => void (laterMs += LEASE_MS + 1_000);

/** As acceptance would, with one limit of its own. */
async function acceptRow(
  { row: _row, id: _id, own: _own, ...request }: BatchRow,
  batch: { readonly id: string; readonly account: string },
): Promise<RowAnswer> {
  const judged = judgeDisbursement(
    { ...request, account: batch.account },
    { environment: 'test', unusual: 'warned' },
  );
  if (judged.is === 'invalid') return { outcome: 'invalid', problems: judged.problems };
  const { amount, reference } = judged.request;
  if (amount > limit)
    return { outcome: 'invalid', problems: [{ pointer: '/amount', message: 'is above the limit' }] };
  const answer = await operations.accept({
    id: judged.names.id,
    kind: 'disbursement',
    account: batch.account,
    ...(reference === undefined ? {} : { reference }),
    fingerprint: fingerprintBytes(judged.names.fingerprint),
    state: 'queued',
    queue: 'disbursement',
    amount,
    counted: true,
    request: { ...askedFields(judged.request), reference },
    providerId: createHash('md5').update(judged.names.id).digest('hex'),
    batch: batch.id,
    createdBy: 'maker',
  });
  if (answer.outcome === 'conflict') return { outcome: 'conflict', existingId: answer.id, differs: [] };
  if (answer.outcome === 'refused')
    return { outcome: 'invalid', problems: [{ pointer: '/amount', message: answer.rule }] };
  return { outcome: answer.outcome };
}

const work = (more: Partial<BatchWorkOptions> = {}): BatchWork =>
  new BatchWork({
    database,
    batches,
    accept: acceptRow,
    hasAccount: () => isKnown,
    clock: systemClock,
    leaseMs: LEASE_MS,
    recheckMs: 5_000,
    now,
    ...more,
  });
/** One attempt, once the batch is due. */
function attempt(id: string, more: Partial<BatchWorkOptions> = {}): Promise<BatchAttempt> {
  laterMs += 31_000;
  return work(more).attempt(id);
}

const people = (count: number, tag: string) =>
  Array.from({ length: count }, (_, at) => ({
    reference: `${tag}-${at}`,
    accountAlias: String(770_000_000 + at),
    amount: 1_000 + at,
    withdrawMode: 'wallet-a-senegal',
  }));
const nextTag = (): string => `sal${(made += 1)}`;

const door = (): BatchDoor =>
  new BatchDoor({
    batches,
    limits: { inForce: async () => ({}) },
    environment: 'test',
    now: () => now().getTime(),
  });
async function upload(rows: readonly object[], more: object = {}) {
  const file = await readBatchFile(Buffer.from(JSON.stringify(rows)), { format: 'json' });
  return door().accept(file, { account: 'main', by: 'maker', ...more });
}
async function uploaded(rows: readonly object[], more: object = {}): Promise<string> {
  return (await upload(rows, more)).id;
}
async function approved(rows: readonly object[]): Promise<string> {
  const id = await uploaded(rows);
  const { contentHash } = await read(id);
  expect(await batches.approve(id, { by: 'checker', contentHash })).toMatchObject({ is: 'applied' });
  return id;
}
async function read(id: string) {
  const found = await batches.read(id);
  if (!found) throw new Error(`no batch ${id}`);
  return found;
}

/** Whatever state they are in: arrows are not what is tested here. */
async function end(rows: readonly BatchRow[], state: string): Promise<void> {
  const ids = rows.map(({ id }) => `'${id}'`).join(', ');
  await ledger.query(`alter table relais.operation disable trigger user`);
  await ledger.query(`update relais.operation set state = '${state}' where id in (${ids})`);
  await ledger.query(`alter table relais.operation enable trigger user`);
}
const payments = async (id: string): Promise<number> =>
  (await ledger.query(`select from relais.operation where batch = '${id}'`)).length;
const events = (id: string, type: string) =>
  ledger.query<{ id: string; data: object }>(
    `select id, data from relais.outbox where subject = '${id}' and type = '${type}'`,
  );

describe('an upload', () => {
  test('is recorded with its rows, its own columns, its event and its audit line', async () => {
    const tag = nextTag();
    const csv = `reference;accountAlias;amount;withdrawMode;Nom\n${tag};771234567;25000;wallet-a-senegal;Awa Diop\n`;
    const file = await readBatchFile(Buffer.from(csv), { format: 'csv' });
    const act = {
      by: 'k',
      person: 'p',
      role: 'enqueue',
      door: 'api',
      requestId: 'r',
      act: 'batch.create',
      target: '',
    } as const;
    const given = await door().accept(file, { account: 'main', by: 'maker', act, fileName: 'salaries.csv' });
    expect(given).toMatchObject({ outcome: 'accepted', state: 'awaiting_approval' });
    const batch = await read(given.id);
    expect(batch).toMatchObject({
      contentHash: file.contentHash,
      by: 'maker',
      fileName: 'salaries.csv',
      columns: ['Nom'],
      totals: { count: 1, xof: 25_000 },
      warnings: { count: 1 },
      rev: 1,
    });
    expect(await batches.rows(given.id, 0, 10)).toMatchObject([
      { row: 2, reference: tag, amount: 25_000, own: ['Awa Diop'] },
    ]);
    expect(await events(given.id, 'batch.awaiting_approval')).toMatchObject([
      { id: `${given.id}.1`, data: { id: given.id, state: 'awaiting_approval', by: 'maker', totals: { count: 1 } } },
    ]);
    const lines = `select by, source, act, facts from relais.audit where target = '${given.id}'`;
    expect(await ledger.query(lines)).toEqual([
      { by: 'k', source: 'api', act: 'batch.create', facts: { account: 'main', rows: 1 } },
    ]);
  });

  test('of the same bytes is the same batch, and under another name only one of them is pending', async () => {
    const rows = people(3, nextTag());
    const first = await upload(rows);
    expect(await upload(rows)).toMatchObject({ outcome: 'duplicate', id: first.id, state: 'awaiting_approval' });
    expect(await upload(rows, { idempotencyKey: 'again' })).toMatchObject({ outcome: 'open', id: first.id });
    await batches.cancel(first.id, {});
    expect(await upload(rows, { idempotencyKey: 'again' })).toMatchObject({ outcome: 'accepted' });
  });

  test('of other bytes under the same key is a conflict that names the rows', async () => {
    const [tag, key] = [nextTag(), nextTag()];
    const first = await upload(people(3, tag), { idempotencyKey: key });
    const other = people(3, tag).with(1, { ...people(3, tag)[1]!, amount: 7 });
    expect(await upload(other, { idempotencyKey: key })).toEqual({
      outcome: 'conflict',
      id: first.id,
      differs: ['/2/amount'],
    });
  });

  test('of ten at once records one', async () => {
    const rows = people(40, nextTag());
    const given = await Promise.all(
      Array.from({ length: 10 }, (_, at) => upload(rows, at % 2 ? {} : { idempotencyKey: `k${at}` })),
    );
    expect(given.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(1);
    const ids = new Set(given.map(({ id }) => id));
    expect(ids.size).toBe(1);
    expect(await batches.rows([...ids][0]!, 0, 100)).toHaveLength(40);
  });

  test('that was invalid is judged again when the same bytes come again', async () => {
    const rows = people(2, nextTag());
    const file = await readBatchFile(Buffer.from(JSON.stringify(rows)), { format: 'json' });
    const strict = new BatchDoor({
      batches,
      limits: { inForce: async () => ({ MAX_DISBURSEMENT: 10 }) },
      environment: 'test',
      now: Date.now,
    });
    const first = await strict.accept(file, { account: 'main', by: 'maker' });
    expect(first).toMatchObject({ outcome: 'accepted', state: 'invalid' });
    expect(await batches.rows(first.id, 0, 10)).toEqual([]);
    expect(await upload(rows)).toMatchObject({ outcome: 'accepted', id: first.id, state: 'awaiting_approval' });
    expect(await batches.rows(first.id, 0, 10)).toHaveLength(2);
  });

  test('is refused while the ledger is recovering, and leaves nothing', async () => {
    await ledger.query(`update relais.deployment set recovering_at = now()`);
    const refused = upload(people(1, nextTag()), { idempotencyKey: 'recovering' });
    await expect(refused).rejects.toMatchObject({ reason: 'recovering' });
    await ledger.query(`update relais.deployment set recovering_at = null`);
    expect(await upload(people(1, nextTag()), { idempotencyKey: 'recovering' })).toMatchObject({
      outcome: 'accepted',
    });
  });
});

describe('before the approval', () => {
  test('nothing of a batch is a payment, and nobody is notified', async () => {
    const id = await uploaded(people(3, nextTag()));
    laterMs = DAY_MS - 10_000;
    expect(await work().attempt(id)).toEqual({ outcome: 'idle', reason: 'not due, or leased' });
    expect(await payments(id)).toBe(0);
    expect(await progressOf(await read(id), batches)).toEqual({});
  });

  test('it expires after a day, and cannot be approved any more', async () => {
    const id = await uploaded(people(3, nextTag()));
    laterMs = DAY_MS + 1_000;
    const { contentHash } = await read(id);
    expect(await batches.approve(id, { by: 'checker', contentHash })).toMatchObject({ is: 'not yours' });
    expect(await work().attempt(id)).toEqual({ outcome: 'ended', reason: 'expired' });
    expect(await batches.approve(id, { by: 'checker', contentHash })).toEqual({ is: 'not yours', state: 'expired' });
  });

  test('neither the maker nor another hash approves it', async () => {
    const id = await uploaded(people(1, nextTag()));
    const { contentHash } = await read(id);
    expect(await batches.approve(id, { by: 'maker', contentHash })).toMatchObject({ is: 'not yours' });
    expect(await batches.approve(id, { by: 'checker', contentHash: 'other' })).toMatchObject({ is: 'not yours' });
    expect((await read(id)).state).toBe('awaiting_approval');
    expect(await batches.approve('bat_none', { by: 'checker', contentHash })).toEqual({ is: 'none' });
  });

  test('of ten decisions at once one counts', async () => {
    const id = await uploaded(people(1, nextTag()));
    const { contentHash } = await read(id);
    const decided = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        at % 2
          ? batches.approve(id, { by: `checker${at}`, contentHash })
          : batches.reject(id, { by: `checker${at}`, note: 'no' }),
      ),
    );
    expect(decided.filter(({ is }) => is === 'applied')).toHaveLength(1);
  });

  test('a person rejects it with a reason, which the event carries', async () => {
    const id = await uploaded(people(1, nextTag()));
    expect(await batches.reject(id, { by: 'checker', note: 'wrong month' })).toMatchObject({ is: 'applied', rev: 2 });
    expect(await read(id)).toMatchObject({
      state: 'cancelled',
      reason: 'not_approved',
      note: 'wrong month',
      rejectedBy: 'checker',
    });
    expect(await events(id, 'batch.cancelled')).toMatchObject([
      {
        id: `${id}.2`,
        data: { state: 'cancelled', reason: 'not_approved', note: 'wrong month', rejectedBy: 'checker' },
      },
    ]);
    expect(await batches.cancel(id, {})).toEqual({ is: 'not yours', state: 'cancelled' });
  });
});

describe('an approved batch', () => {
  test('accepts every row once, follows the payments, and reports its end once', async () => {
    const id = await approved(people(3, nextTag()));
    expect(await attempt(id)).toEqual({ outcome: 'advanced', reason: 'handed_out' });
    const rows = await batches.rows(id, 0, 3);
    expect(await payments(id)).toBe(3);
    await end(rows.slice(1, 2), 'needs_review');
    expect(await attempt(id)).toEqual({ outcome: 'waits', reason: 'rows_under_way' });
    expect(await batches.hasOpen(await read(id))).toBe(true);
    await end(rows.slice(0, 1), 'succeeded');
    await attempt(id);
    expect((await read(id)).mark).toBe(2);
    await end(rows.slice(2), 'failed');
    expect(await attempt(id)).toEqual({ outcome: 'ended', reason: 'finished' });
    expect(await attempt(id)).toMatchObject({ outcome: 'idle' });
    const states = {
      succeeded: { count: 1, xof: 1_000 },
      needs_review: { count: 1, xof: 1_001 },
      failed: { count: 1, xof: 1_002 },
    };
    const { contentHash, state, endedAs } = await read(id);
    expect({ state, endedAs }).toEqual({ state: 'finished', endedAs: states });
    expect((await events(id, 'batch.finished')).map(({ data }) => data)).toEqual([
      { id, state, contentHash, by: 'maker', approvedBy: 'checker', totals: { count: 3, xof: 3_003 }, states },
    ]);
    expect(await batches.states(id)).toEqual(states);
  });

  test('waits while this worker does not have the keys of its account, and refuses no row for it', async () => {
    const id = await approved(people(2, nextTag()));
    isKnown = false;
    expect(await attempt(id)).toEqual({ outcome: 'waits', reason: 'account_not_configured' });
    expect(await batches.refused(id)).toEqual({});
    isKnown = true;
    expect(await attempt(id)).toEqual({ outcome: 'advanced', reason: 'handed_out' });
    expect(await payments(id)).toBe(2);
  });

  test('waits while the ledger is recovering', async () => {
    const id = await approved(people(2, nextTag()));
    await ledger.query(`update relais.deployment set recovering_at = now()`);
    expect(await attempt(id)).toEqual({ outcome: 'waits', reason: 'recovering' });
    await ledger.query(`update relais.deployment set recovering_at = null`);
    expect(await attempt(id)).toEqual({ outcome: 'advanced', reason: 'handed_out' });
  });

  test('no more than five hundred rows wait for their first submit at a time', async () => {
    const id = await approved(people(1_200, nextTag()));
    for (let times = 0; times < 6; times += 1) await attempt(id);
    expect([await payments(id), (await read(id)).fed]).toEqual([500, 500]);
    await end(await batches.rows(id, 0, 1), 'unknown');
    await end(await batches.rows(id, 1, 499), 'pending');
    for (let times = 0; times < 6; times += 1) await attempt(id);
    expect(await payments(id)).toBe(1_000);
  });

  test('is due at once while there is room', async () => {
    const id = await approved(people(250, nextTag()));
    expect(await work().attempt(id)).toMatchObject({ outcome: 'advanced' });
    expect(await work().attempt(id)).toMatchObject({ outcome: 'advanced' });
    expect(await work().attempt(id)).toMatchObject({ outcome: 'idle' });
    expect(await payments(id)).toBe(250);
  });

  test('the report has each row with the names of its payment and its own cells', async () => {
    const tag = nextTag();
    const csv = `reference;accountAlias;amount;withdrawMode;Nom\n${tag};771234567;25000;wallet-a-senegal;Awa Diop\n`;
    const file = await readBatchFile(Buffer.from(csv), { format: 'csv' });
    const { id } = await door().accept(file, { account: 'main', by: 'maker' });
    await batches.approve(id, { by: 'checker', contentHash: file.contentHash });
    await attempt(id);
    const lines = [];
    for await (const page of reportPages(await read(id), batches)) lines.push(...page);
    expect(lines).toMatchObject([
      {
        row: 2,
        reference: tag,
        state: 'queued',
        disburseId: expect.stringMatching(/^[0-9a-f]{32}$/),
        own: { Nom: 'Awa Diop' },
      },
    ]);
  });
});

describe('a worker that dies', () => {
  test.for([0, 1, 137, 199])('after %i rows leaves nothing lost and nothing twice', async (survived) => {
    const id = await approved(people(230, nextTag()));
    let taken = 0;
    const dying: BatchWorkOptions['accept'] = async (row, batch) => {
      if (taken >= survived) throw new Error('killed');
      taken += 1;
      return acceptRow(row, batch);
    };
    await expect(attempt(id, { accept: dying })).rejects.toThrow('killed');
    expect((await read(id)).fed).toBe(0);
    expect(await work().attempt(id)).toMatchObject({ outcome: 'idle' });
    outlive();
    for (let times = 0; times < 3; times += 1) await attempt(id);
    expect(await payments(id)).toBe(230);
    expect(await batches.states(id)).toEqual({ queued: { count: 230, xof: 230_000 + (229 * 230) / 2 } });
  });

  test('before or after the commit of its last statement reports the end once all the same', async () => {
    const id = await approved(people(2, nextTag()));
    await attempt(id);
    await end(await batches.rows(id, 0, 2), 'succeeded');
    const killed = (when: 'before' | 'after'): Database =>
      ({
        run: async (name: string, values: readonly unknown[]) => {
          if (name !== 'finish_batch') return database.run(name, values);
          if (when === 'after') await database.run(name, values);
          throw new Error('killed');
        },
      }) as unknown as Database;
    await expect(attempt(id, { database: killed('before') })).rejects.toThrow('killed');
    outlive();
    expect(await events(id, 'batch.finished')).toHaveLength(0);
    await expect(attempt(id, { database: killed('after') })).rejects.toThrow('killed');
    outlive();
    expect(await attempt(id)).toMatchObject({ outcome: 'idle' });
    expect(await events(id, 'batch.finished')).toHaveLength(1);
  });

  test('and whose lease was taken over finishes the batch once with its successor', async () => {
    const id = await approved(people(20, nextTag()));
    await attempt(id);
    await end(await batches.rows(id, 0, 20), 'succeeded');
    laterMs += 31_000;
    const slow = await work().take(100);
    outlive();
    const successor = await work().take(100);
    const both = [...slow, ...successor].filter((one) => one.id === id);
    expect(both).toHaveLength(2);
    await Promise.all(both.map((one) => work().attemptLeased(one)));
    expect(await events(id, 'batch.finished')).toHaveLength(1);
  });

  test('two attempts at once are one', async () => {
    const id = await approved(people(50, nextTag()));
    laterMs += 1_000;
    const attempts = await Promise.all([1, 2, 3].map(() => work().attempt(id)));
    expect(attempts.filter(({ outcome }) => outcome === 'advanced')).toHaveLength(1);
  });
});

describe('a row that acceptance refuses', () => {
  test('ends as rejected with the reason, and the others continue', async () => {
    const rows = people(3, nextTag());
    const id = await approved(rows);
    await acceptRow({ row: 0, id: '', ...rows[1]!, amount: 5 }, { id: 'bat_other', account: 'main' });
    await attempt(id);
    const [first, , third] = await batches.rows(id, 0, 3);
    await end([first!, third!], 'succeeded');
    await attempt(id);
    expect(await read(id)).toMatchObject({ state: 'finished' });
    expect(await batches.states(id)).toEqual({
      succeeded: { count: 2, xof: 2_002 },
      rejected: { count: 1, xof: 1_001 },
    });
    for await (const page of batches.rowsNow({ id }, { from: 1, to: 2 })) {
      expect(page).toMatchObject([
        { state: 'rejected', reason: expect.stringContaining('the reference stands for dsb_') },
      ]);
      expect(page[0]).not.toHaveProperty('fields');
    }
  });

  test('stays refused when the limit that refused it is gone', async () => {
    const id = await approved(people(2, nextTag()));
    limit = 1_000;
    const cut = new Batches({ database, now });
    cut.refuse = async (...refusal) => {
      await batches.refuse(...refusal);
      throw new Error('killed');
    };
    await expect(attempt(id, { batches: cut })).rejects.toThrow('killed');
    limit = Number.POSITIVE_INFINITY;
    outlive();
    await attempt(id);
    expect(await payments(id)).toBe(1);
    expect(await batches.refused(id)).toEqual({ 1: 'not_accepted: amount is above the limit' });
    expect(await batches.areRefused(id, [0, 1])).toEqual([false, true]);
  });

  test('and that a late attempt had in hand all the same counts as its payment is', async () => {
    const id = await approved(people(1, nextTag()));
    limit = 500;
    let other: Promise<unknown> | undefined;
    const late: BatchWorkOptions['accept'] = async (row, batch) => {
      outlive();
      await (other ??= attempt(id));
      limit = Number.POSITIVE_INFINITY;
      return acceptRow(row, batch);
    };
    expect(await attempt(id, { accept: late })).toMatchObject({ outcome: 'lost' });
    expect(Object.keys(await batches.refused(id))).toEqual(['0']);
    expect(await batches.states(id)).toEqual({ queued: { count: 1, xof: 1_000 } });
  });

  test('and one that was accepted before, by itself, is counted there', async () => {
    const rows = people(2, nextTag());
    const id = await uploaded(rows);
    await acceptRow({ row: 0, id: '', ...rows[1]! }, { id: 'bat_before', account: 'main' });
    const { contentHash } = await read(id);
    expect((await door().recheck(await read(id))).count).toBe(0);
    await batches.approve(id, { by: 'checker', contentHash });
    await attempt(id);
    expect(await batches.states(id)).toMatchObject({ queued: { count: 1 }, elsewhere: { count: 1 } });
  });

  test('an approval is checked against what was accepted since the upload', async () => {
    const rows = people(2, nextTag());
    const id = await uploaded(rows);
    await acceptRow({ row: 0, id: '', ...rows[1]!, amount: 9 }, { id: 'bat_before', account: 'main' });
    const { count, list } = await door().recheck(await read(id));
    expect(count).toBe(1);
    expect(list[0]?.reason).toContain('not the same: /amount');
  });
});
