/** Another server answers at the address: connections that may lead to the former primary are never used again. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ClientBase } from 'pg';
import { Lane, Memory } from '../../src/ledger/lane.ts';
import { Database } from '../../src/ledger/pool.ts';
import { Server } from '../../src/ledger/server.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type FreshLedger, freshLedger } from '../support/fresh-ledger.ts';

let ledger: FreshLedger;
const closing: (() => Promise<unknown>)[] = [];
beforeAll(async () => (ledger = await freshLedger()));
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});
afterAll(() => ledger?.close());

const pids = async (): Promise<readonly number[]> => {
  const rows = await ledger.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'relais'`,
  );
  return rows.map(({ pid }) => pid);
};

/** Answers like a server with this identity. */
function connectionTo(system: string, timeline: string): ClientBase {
  const query = async (sql: string) => ({
    rows: sql.includes('pg_is_in_recovery')
      ? [{ standby: false }]
      : [{ found: sql.includes('wal') ? timeline : system }],
  });
  return { query } as unknown as ClientBase;
}

test.for([
  ['a later timeline', '7', '00000002'],
  ['another system', '8', '00000001'],
] as const)('%s makes the older connections unfit', async ([, system, timeline]) => {
  const server = new Server();
  const before = await server.check(connectionTo('7', '00000001'));
  expect(await server.check(connectionTo('7', '00000001'))).toBe(before);
  const after = await server.check(connectionTo(system, timeline));
  expect([after > before, server.generation]).toEqual([true, after]);
});

test('a pool closes the connections that it has to the former server', async () => {
  const server = new Server();
  const database = new Database({ url: ledger.url, schema: ledger.schema, server, size: 2 });
  closing.push(() => database.close());
  await Promise.all([database.run('marks'), database.run('marks')]);
  const before = await pids();
  server.generation += 1;
  await database.run('marks');
  await expect.poll(pids).toEqual([expect.not.toBeOneOf(before)]);
});

test('a lane leaves its connection to the former server before it writes again', async () => {
  const server = new Server();
  const database = { url: ledger.url, schema: ledger.schema, server };
  const lane = new Lane({ database, memory: new Memory(), clock: systemClock, name: 'moved/0' });
  closing.push(() => lane.close());
  await lane.read('marks');
  const before = await pids();
  await lane.read('marks');
  expect(await pids()).toEqual(before);
  server.generation += 1;
  await lane.read('marks');
  await expect.poll(pids).toEqual([expect.not.toBeOneOf(before)]);
});
