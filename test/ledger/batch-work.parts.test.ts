/** Approved batches on real PostgreSQL: attempts of two workers that die, and the result of each row. */
import { describe, expect, test } from 'vitest';
import type { BatchWorkOptions } from '../../src/ledger/batch-work.ts';
import { Batches } from '../../src/ledger/batches.ts';
import type { Database } from '../../src/ledger/pool.ts';
import { readBatchFile } from '../../src/producer/batch/read-file.ts';
import { reportPages } from '../../src/producer/batch/report.ts';
import { batchWorld } from './batch-world.ts';

const world = batchWorld();

describe('an approved batch', () => {
  test('accepts every row once, follows the payments, and reports its end once', async () => {
    const id = await world.approved(world.people(3));
    expect(await world.attempt(id)).toEqual({ outcome: 'advanced', reason: 'handed_out' });
    const rows = await world.batches.rows(id, 0, 3);
    expect(await world.payments(id)).toBe(3);
    await world.end(rows.slice(1, 2), 'needs_review');
    expect(await world.attempt(id)).toEqual({ outcome: 'waits', reason: 'rows_under_way' });
    expect(await world.batches.hasOpen(await world.read(id))).toBe(true);
    await world.end(rows.slice(0, 1), 'succeeded');
    await world.attempt(id);
    expect((await world.read(id)).mark).toBe(2);
    await world.end(rows.slice(2), 'failed');
    expect(await world.attempt(id)).toEqual({ outcome: 'ended', reason: 'finished' });
    expect(await world.attempt(id)).toMatchObject({ outcome: 'idle' });
    const states = {
      succeeded: { count: 1, xof: 1_000 },
      needs_review: { count: 1, xof: 1_001 },
      failed: { count: 1, xof: 1_002 },
    };
    const { contentHash, state, endedAs } = await world.read(id);
    expect({ state, endedAs }).toEqual({ state: 'finished', endedAs: states });
    expect((await world.events(id, 'batch.finished')).map(({ data }) => data)).toEqual([
      { id, state, contentHash, by: 'maker', approvedBy: 'checker', totals: { count: 3, xof: 3_003 }, states },
    ]);
    expect(await world.batches.states(id)).toEqual(states);
  });

  test('waits while this worker does not have the keys of its account, and refuses no row for it', async () => {
    const id = await world.approved(world.people(2));
    world.isKnown = false;
    expect(await world.attempt(id)).toEqual({ outcome: 'waits', reason: 'account_not_configured' });
    expect(await world.batches.refused(id)).toEqual({});
    world.isKnown = true;
    expect(await world.attempt(id)).toEqual({ outcome: 'advanced', reason: 'handed_out' });
    expect(await world.payments(id)).toBe(2);
  });

  test('waits while the ledger is recovering', async () => {
    const id = await world.approved(world.people(2));
    await world.ledger.query(`update relais.deployment set recovering_at = now()`);
    expect(await world.attempt(id)).toEqual({ outcome: 'waits', reason: 'recovering' });
    await world.ledger.query(`update relais.deployment set recovering_at = null`);
    expect(await world.attempt(id)).toEqual({ outcome: 'advanced', reason: 'handed_out' });
  });

  test('no more than five hundred rows wait for their first submit at a time', async () => {
    const id = await world.approved(world.people(1_200));
    for (let times = 0; times < 6; times += 1) await world.attempt(id);
    expect([await world.payments(id), (await world.read(id)).fed]).toEqual([500, 500]);
    await world.end(await world.batches.rows(id, 0, 1), 'unknown');
    await world.end(await world.batches.rows(id, 1, 499), 'pending');
    for (let times = 0; times < 6; times += 1) await world.attempt(id);
    expect(await world.payments(id)).toBe(1_000);
  });

  test('is due at once while there is room', async () => {
    const id = await world.approved(world.people(250));
    expect(await world.work().attempt(id)).toMatchObject({ outcome: 'advanced' });
    expect(await world.work().attempt(id)).toMatchObject({ outcome: 'advanced' });
    expect(await world.work().attempt(id)).toMatchObject({ outcome: 'idle' });
    expect(await world.payments(id)).toBe(250);
  });

  test('the report has each row with the names of its payment and its own cells', async () => {
    const tag = world.nextTag();
    const csv = `reference;accountAlias;amount;withdrawMode;Nom\n${tag};771234567;25000;wallet-a-senegal;Awa Diop\n`;
    const file = await readBatchFile(Buffer.from(csv), { format: 'csv' });
    const { id } = await world.door().accept(file, { account: 'main', by: 'maker' });
    await world.batches.approve(id, { by: 'checker', contentHash: file.contentHash });
    await world.attempt(id);
    const lines = [];
    for await (const page of reportPages(await world.read(id), world.batches)) lines.push(...page);
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
    const id = await world.approved(world.people(230));
    let taken = 0;
    const dying: BatchWorkOptions['accept'] = async (row, batch) => {
      if (taken >= survived) throw new Error('killed');
      taken += 1;
      return world.acceptRow(row, batch);
    };
    await expect(world.attempt(id, { accept: dying })).rejects.toThrow('killed');
    expect((await world.read(id)).fed).toBe(0);
    expect(await world.work().attempt(id)).toMatchObject({ outcome: 'idle' });
    world.outlive();
    for (let times = 0; times < 3; times += 1) await world.attempt(id);
    expect(await world.payments(id)).toBe(230);
    expect(await world.batches.states(id)).toEqual({ queued: { count: 230, xof: 230_000 + (229 * 230) / 2 } });
  });

  test('before or after the commit of its last statement reports the end once all the same', async () => {
    const id = await world.approved(world.people(2));
    await world.attempt(id);
    await world.end(await world.batches.rows(id, 0, 2), 'succeeded');
    const killed = (when: 'before' | 'after'): Database =>
      ({
        run: async (name: string, values: readonly unknown[]) => {
          if (name !== 'finish_batch') return world.database.run(name, values);
          if (when === 'after') await world.database.run(name, values);
          throw new Error('killed');
        },
      }) as unknown as Database;
    await expect(world.attempt(id, { database: killed('before') })).rejects.toThrow('killed');
    world.outlive();
    expect(await world.events(id, 'batch.finished')).toHaveLength(0);
    await expect(world.attempt(id, { database: killed('after') })).rejects.toThrow('killed');
    world.outlive();
    expect(await world.attempt(id)).toMatchObject({ outcome: 'idle' });
    expect(await world.events(id, 'batch.finished')).toHaveLength(1);
  });

  test('and whose lease was taken over finishes the batch once with its successor', async () => {
    const id = await world.approved(world.people(20));
    await world.attempt(id);
    await world.end(await world.batches.rows(id, 0, 20), 'succeeded');
    world.laterMs += 31_000;
    const slow = await world.work().take(100);
    world.outlive();
    const successor = await world.work().take(100);
    const both = [...slow, ...successor].filter((one) => one.id === id);
    expect(both).toHaveLength(2);
    await Promise.all(both.map((one) => world.work().attemptLeased(one)));
    expect(await world.events(id, 'batch.finished')).toHaveLength(1);
  });

  test('and PostgreSQL that ends connections again and again leave one end, with every row accepted once', async () => {
    const id = await world.approved(world.people(230));
    const work = new Batches({ database: world.database, now: world.now });
    const ended: object[] = [];
    const over = new AbortController();
    const ending = (async () => {
      while (!over.signal.aborted) {
        const which = ended.length === 0 ? 'true' : `state <> 'idle' and random() < 0.2`;
        const some = await world.ledger.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'relais' and ${which}`,
        );
        ended.push(...some);
      }
    })();
    const stateOf = async (of: string): Promise<string | undefined> =>
      (await world.ledger.query<{ state: string }>(`select state from relais.batch where id = '${of}'`))[0]?.state;
    const attempts = async (): Promise<void> => {
      while ((await stateOf(id)) !== 'finished') {
        world.outlive();
        await world.attempt(id, { batches: work }).catch(() => undefined);
        await world.ledger.query(`update relais.operation set state = 'succeeded' where batch = '${id}'`);
      }
    };
    await world.ledger.query(`alter table relais.operation disable trigger user`);
    await Promise.all([attempts(), attempts()]);
    over.abort();
    await ending;
    await world.ledger.query(`alter table relais.operation enable trigger user`);
    expect(ended).not.toHaveLength(0);
    expect(await world.payments(id)).toBe(230);
    expect(await world.batches.states(id)).toMatchObject({ succeeded: { count: 230 } });
    expect(await world.events(id, 'batch.finished')).toHaveLength(1);
  });

  test('two attempts at once are one', async () => {
    const id = await world.approved(world.people(50));
    world.laterMs += 1_000;
    const attempts = await Promise.all([1, 2, 3].map(() => world.work().attempt(id)));
    expect(attempts.filter(({ outcome }) => outcome === 'advanced')).toHaveLength(1);
  });
});

describe('a row that acceptance refuses', () => {
  test('ends as rejected with the reason, and the others continue', async () => {
    const rows = world.people(3);
    const id = await world.approved(rows);
    await world.acceptRow({ row: 0, id: '', ...rows[1]!, amount: 5 }, { id: 'bat_other', account: 'main' });
    await world.attempt(id);
    const [first, , third] = await world.batches.rows(id, 0, 3);
    await world.end([first!, third!], 'succeeded');
    await world.attempt(id);
    expect(await world.read(id)).toMatchObject({ state: 'finished' });
    expect(await world.batches.states(id)).toEqual({
      succeeded: { count: 2, xof: 2_002 },
      rejected: { count: 1, xof: 1_001 },
    });
    for await (const page of world.batches.rowsNow({ id }, { from: 1, to: 2 })) {
      expect(page).toMatchObject([
        { state: 'rejected', reason: expect.stringContaining('the reference stands for dsb_') },
      ]);
      expect(page[0]).not.toHaveProperty('fields');
    }
  });

  test('stays refused when the limit that refused it is gone', async () => {
    const id = await world.approved(world.people(2));
    world.limit = 1_000;
    const cut = new Batches({ database: world.database, now: world.now });
    cut.refuse = async (...refusal) => {
      await world.batches.refuse(...refusal);
      throw new Error('killed');
    };
    await expect(world.attempt(id, { batches: cut })).rejects.toThrow('killed');
    world.limit = Number.POSITIVE_INFINITY;
    world.outlive();
    await world.attempt(id);
    expect(await world.payments(id)).toBe(1);
    expect(await world.batches.refused(id)).toEqual({ 1: 'not_accepted: amount is above the limit' });
    expect(await world.batches.areRefused(id, [0, 1])).toEqual([false, true]);
  });

  test('and that a late attempt had in hand all the same counts as its payment is', async () => {
    const id = await world.approved(world.people(1));
    world.limit = 500;
    let other: Promise<unknown> | undefined;
    const late: BatchWorkOptions['accept'] = async (row, batch) => {
      world.outlive();
      await (other ??= world.attempt(id));
      world.limit = Number.POSITIVE_INFINITY;
      return world.acceptRow(row, batch);
    };
    expect(await world.attempt(id, { accept: late })).toMatchObject({ outcome: 'lost' });
    expect(Object.keys(await world.batches.refused(id))).toEqual(['0']);
    expect(await world.batches.states(id)).toEqual({ queued: { count: 1, xof: 1_000 } });
  });

  test('and one that was accepted before, by itself, is counted there', async () => {
    const rows = world.people(2);
    const id = await world.uploaded(rows);
    await world.acceptRow({ row: 0, id: '', ...rows[1]! }, { id: 'bat_before', account: 'main' });
    const { contentHash } = await world.read(id);
    expect((await world.door().recheck(await world.read(id))).count).toBe(0);
    await world.batches.approve(id, { by: 'checker', contentHash });
    await world.attempt(id);
    expect(await world.batches.states(id)).toMatchObject({ queued: { count: 1 }, elsewhere: { count: 1 } });
  });

  test('an approval is checked against payments accepted since the upload', async () => {
    const rows = world.people(2);
    const id = await world.uploaded(rows);
    await world.acceptRow({ row: 0, id: '', ...rows[1]!, amount: 9 }, { id: 'bat_before', account: 'main' });
    const { count, list } = await world.door().recheck(await world.read(id));
    expect(count).toBe(1);
    expect(list[0]?.reason).toMatchObject({ code: 'reference_used_differs', values: { differs: '/amount' } });
  });
});
