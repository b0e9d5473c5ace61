/** Uploads of payment batches on real PostgreSQL, and users' decisions about them. */
import type { BatchNotify } from '../../src/kinds/batch.ts';
import { describe, expect, test } from 'vitest';
import { readBatchFile } from '../../src/producer/batch/read-file.ts';
import { progressOf } from '../../src/producer/batch/report.ts';
import { batchWorld } from './batch-world.ts';

const DAY_MS = 86_400_000;
const world = batchWorld();

describe('an upload', () => {
  test('is recorded with its rows, its own columns, its event and its audit line', async () => {
    const tag = world.nextTag();
    const csv = `reference;accountAlias;amount;withdrawMode;Nom\n${tag};771234567;25000;wallet-a-senegal;Awa Diop\n`;
    const file = await readBatchFile(Buffer.from(csv), { format: 'csv' });
    const act = {
      by: 'k',
      person: 'p',
      role: 'enqueue',
      source: 'api',
      requestId: 'r',
      act: 'batch.create',
      target: '',
    } as const;
    const given = await world.door().accept(file, { account: 'main', by: 'maker', act, fileName: 'salaries.csv' });
    expect(given).toMatchObject({ outcome: 'accepted', state: 'awaiting_approval' });
    const batch = await world.read(given.id);
    expect(batch).toMatchObject({
      contentHash: file.contentHash,
      by: 'maker',
      fileName: 'salaries.csv',
      columns: ['Nom'],
      totals: { count: 1, xof: 25_000 },
      warnings: { count: 1 },
      rev: 1,
    });
    expect(await world.batches.rows(given.id, 0, 10)).toMatchObject([
      { row: 2, reference: tag, amount: 25_000, own: ['Awa Diop'] },
    ]);
    expect(await world.events(given.id, 'batch.awaiting_approval')).toMatchObject([
      { id: `${given.id}.1`, data: { id: given.id, state: 'awaiting_approval', by: 'maker', totals: { count: 1 } } },
    ]);
    const lines = `select by, source, act, facts from relais.audit_line where target = '${given.id}'`;
    expect(await world.ledger.query(lines)).toEqual([
      { by: 'k', source: 'api', act: 'batch.create', facts: { account: 'main', rows: 1 } },
    ]);
  });

  test('of the same bytes is the same batch, and under another name only one of them is pending', async () => {
    const rows = world.people(3);
    const first = await world.upload(rows);
    expect(await world.upload(rows)).toMatchObject({
      outcome: 'duplicate',
      id: first.id,
      state: 'awaiting_approval',
    });
    expect(await world.upload(rows, { idempotencyKey: 'again' })).toMatchObject({ outcome: 'open', id: first.id });
    await world.batches.cancel(first.id, {});
    expect(await world.upload(rows, { idempotencyKey: 'again' })).toMatchObject({ outcome: 'accepted' });
  });

  test('of other bytes under the same key is a conflict that names the rows', async () => {
    const [tag, key] = [world.nextTag(), world.nextTag()];
    const first = await world.upload(world.people(3, tag), { idempotencyKey: key });
    const other = world.people(3, tag).with(1, { ...world.people(3, tag)[1]!, amount: 7 });
    expect(await world.upload(other, { idempotencyKey: key })).toEqual({
      outcome: 'conflict',
      id: first.id,
      differs: ['/2/amount'],
    });
  });

  test('stores the descriptions of its payments, and approves them with the options of the upload', async () => {
    const tag = world.nextTag();
    const csv = (name: string): Buffer =>
      Buffer.from(
        `reference;accountAlias;amount;withdrawMode;payeeName;metadata.team\n${tag};771234567;5;wallet-a-senegal;${name};ops\n`,
      );
    const file = await readBatchFile(csv('Awa Diop'), { format: 'csv' });
    const options = { account: 'main', by: 'maker', idempotencyKey: tag } as const;
    const notify: BatchNotify = { text: 'Bonjour {{payeeName}}', on: ['succeeded'] };
    const later = { ...options, notBefore: '2036-01-01T08:00:00Z', notify };
    const { id } = await world.door().accept(file, later);
    const batch = await world.read(id);
    expect(batch.options).toEqual({ notBefore: later.notBefore, notify: later.notify });
    expect(batch.contentHash).not.toBe(file.contentHash);
    const [row] = await world.batches.rows(id, 0, 1);
    expect(row?.notify).toEqual({ text: 'Bonjour Awa Diop', on: ['succeeded'] });
    expect(row).toMatchObject({ payeeName: 'Awa Diop', metadata: { team: 'ops' }, own: ['Awa Diop', 'ops'] });
    // Another option, or another name, is another request.
    expect(await world.door().accept(file, options)).toMatchObject({ outcome: 'conflict', id });
    const other = await readBatchFile(csv('Awa Fall'), { format: 'csv' });
    expect(await world.door().accept(other, later)).toMatchObject({
      outcome: 'conflict',
      differs: ['/2/payeeName', '/2/notify'],
    });
    expect((await world.door().recheck(batch)).count).toBe(0);
  });

  test('whose description is too long is invalid, with its column', async () => {
    const rows = [{ ...world.people(1)[0], payeeName: 'x'.repeat(121), metadata: { 'a b': '1' } }];
    const file = await readBatchFile(Buffer.from(JSON.stringify(rows)), { format: 'json' });
    const { id } = await world.door().accept(file, { account: 'main', by: 'maker' });
    const { state, problems } = await world.read(id);
    expect([state, problems.list.map(({ column }) => column)]).toEqual(['invalid', ['payeeName', 'metadata.a b']]);
  });

  test('of ten at once records one', async () => {
    const rows = world.people(40);
    const given = await Promise.all(
      Array.from({ length: 10 }, (_, at) => world.upload(rows, at % 2 ? {} : { idempotencyKey: `k${at}` })),
    );
    expect(given.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(1);
    const ids = new Set(given.map(({ id }) => id));
    expect(ids.size).toBe(1);
    expect(await world.batches.rows([...ids][0]!, 0, 100)).toHaveLength(40);
  });

  test('that was invalid is judged again when the same bytes come again', async () => {
    const rows = world.people(2);
    const file = await readBatchFile(Buffer.from(JSON.stringify(rows)), { format: 'json' });
    const strict = world.door({ MAX_DISBURSEMENT: 10 });
    const first = await strict.accept(file, { account: 'main', by: 'maker' });
    expect(first).toMatchObject({ outcome: 'accepted', state: 'invalid' });
    expect(await world.batches.rows(first.id, 0, 10)).toEqual([]);
    expect(await world.upload(rows)).toMatchObject({ outcome: 'accepted', id: first.id, state: 'awaiting_approval' });
    expect(await world.batches.rows(first.id, 0, 10)).toHaveLength(2);
  });

  test('is refused while the ledger is recovering, and leaves nothing', async () => {
    await world.ledger.query(`update relais.deployment set recovering_at = now()`);
    const refused = world.upload(world.people(1), { idempotencyKey: 'recovering' });
    await expect(refused).rejects.toMatchObject({ reason: 'recovering' });
    await world.ledger.query(`update relais.deployment set recovering_at = null`);
    expect(await world.upload(world.people(1), { idempotencyKey: 'recovering' })).toMatchObject({
      outcome: 'accepted',
    });
  });
});

describe('before the approval', () => {
  test('no row of a batch is a payment, and no event is sent', async () => {
    const id = await world.uploaded(world.people(3));
    world.laterMs = DAY_MS - 10_000;
    expect(await world.work().attempt(id)).toEqual({ outcome: 'idle', reason: 'not due, or leased' });
    expect(await world.payments(id)).toBe(0);
    expect(await progressOf(await world.read(id), world.batches)).toEqual({});
  });

  test('it expires after a day, and cannot be approved any more', async () => {
    const id = await world.uploaded(world.people(3));
    world.laterMs = DAY_MS + 1_000;
    const { contentHash } = await world.read(id);
    expect(await world.batches.approve(id, { by: 'checker', contentHash })).toMatchObject({ is: 'not yours' });
    expect(await world.work().attempt(id)).toEqual({ outcome: 'ended', reason: 'expired' });
    expect(await world.batches.approve(id, { by: 'checker', contentHash })).toEqual({
      is: 'not yours',
      state: 'expired',
    });
  });

  test('neither the maker nor another hash approves it', async () => {
    const id = await world.uploaded(world.people(1));
    const { contentHash } = await world.read(id);
    expect(await world.batches.approve(id, { by: 'maker', contentHash })).toMatchObject({ is: 'not yours' });
    expect(await world.batches.approve(id, { by: 'checker', contentHash: 'other' })).toMatchObject({
      is: 'not yours',
    });
    expect((await world.read(id)).state).toBe('awaiting_approval');
    expect(await world.batches.approve('bat_none', { by: 'checker', contentHash })).toEqual({ is: 'none' });
  });

  test('of ten decisions at once one counts', async () => {
    const id = await world.uploaded(world.people(1));
    const { contentHash } = await world.read(id);
    const decided = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        at % 2
          ? world.batches.approve(id, { by: `checker${at}`, contentHash })
          : world.batches.reject(id, { by: `checker${at}`, note: 'no' }),
      ),
    );
    expect(decided.filter(({ is }) => is === 'applied')).toHaveLength(1);
  });

  test('a person rejects it with a reason, which the event has', async () => {
    const id = await world.uploaded(world.people(1));
    expect(await world.batches.reject(id, { by: 'checker', note: 'wrong month' })).toMatchObject({
      is: 'applied',
      rev: 2,
    });
    expect(await world.read(id)).toMatchObject({
      state: 'cancelled',
      reason: 'not_approved',
      note: 'wrong month',
      rejectedBy: 'checker',
    });
    expect(await world.events(id, 'batch.cancelled')).toMatchObject([
      {
        id: `${id}.2`,
        data: { state: 'cancelled', reason: 'not_approved', note: 'wrong month', rejectedBy: 'checker' },
      },
    ]);
    expect(await world.batches.cancel(id, {})).toEqual({ is: 'not yours', state: 'cancelled' });
  });
});
