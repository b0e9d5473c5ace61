/** The pool on real PostgreSQL: one statement, a transaction, and connections that end or are all busy. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AnswerLost, DatabaseAway } from '../../src/ledger/errors.ts';
import { Database } from '../../src/ledger/pool.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';

interface Mark {
  readonly lane: string;
}

let ledger: FreshLedger;
beforeAll(async () => {
  ledger = await freshLedger();
});
afterAll(() => ledger?.close());

const open = (more: object = {}): Database => new Database({ url: ledger.url, schema: ledger.schema, ...more });
const lanes = async (database: Database): Promise<readonly string[]> =>
  (await database.run<Mark>('marks')).map(({ lane }) => lane).toSorted();

test('statements of a transaction are committed together or not at all', async () => {
  const database = open();
  await database.transaction(async (run) => {
    await run('open_lane', ['a/0', '0']);
    await run('open_lane', ['a/1', '0']);
  });
  const broken = database.transaction(async (run) => {
    await run('open_lane', ['b/0', '0']);
    throw new Error('the caller gives up');
  });
  await expect(broken).rejects.toThrow('the caller gives up');
  expect(await lanes(database)).toEqual(['a/0', 'a/1']);
  await database.close();
});

test('a transaction with a failed statement is not committed, even if its work continues', async () => {
  const database = open();
  const broken = database.transaction(async (run) => {
    await run('open_lane', ['d/0', '0']);
    await run('open_lane', ['d/1', 'no number']).catch(() => undefined);
  });
  await expect(broken).rejects.toThrow('rolled back');
  expect(await lanes(database)).not.toContain('d/0');
  await database.close();
});

test('a connection that ends during a transaction is a lost answer, and the next statement has a new one', async () => {
  const database = open({ size: 1 });
  const lost = database.transaction(async (run) => {
    await run('open_lane', ['c/0', '0']);
    await ledger.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'relais' and state like 'idle in%'`,
    );
    await run('open_lane', ['c/1', '0']);
  });
  await expect(lost).rejects.toBeInstanceOf(AnswerLost);
  expect(await lanes(database)).not.toContain('c/0');
  await database.close();
});

test('a pool without a free connection refuses after its patience, and sends nothing', async () => {
  const database = open({ size: 1, patience: 50 });
  await database.transaction(async () => {
    await expect(database.run('marks')).rejects.toBeInstanceOf(DatabaseAway);
  });
  await database.close();
});
