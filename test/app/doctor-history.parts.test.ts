/** What the doctor says of history: nothing where none is kept, and what waits where PostgreSQL is away. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { examineHistory } from '../../src/app/examine/history.ts';
import { type Role, roles } from '../../src/cli/io.ts';
import { Secret } from '../../src/lib/secret.ts';
import { keys } from '../../src/operations/keys.ts';
import { type FreshPostgres, freshPostgres } from '../support/fresh-postgres.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const HOUR_MS = 3_600_000;

const store = storeOfThisFile();
let database: FreshPostgres;
beforeEach(async () => {
  database = await freshPostgres();
});
afterEach(() => database?.close());

const found = (url?: string, asked: readonly Role[] = roles) =>
  examineHistory(
    store.redis,
    { HISTORY_URL: url === undefined ? undefined : new Secret(url) },
    { now: NOW, roles: asked },
  );

test('where no history is kept, nothing is said', async () => expect(await found()).toEqual([]));

test('PostgreSQL answers', async () => {
  expect(await found(database.url)).toMatchObject([
    { check: 'history', is: 'ok', says: 'PostgreSQL answers; nothing waits for it' },
  ]);
});

test('an older copy is told, with what it lacks and what to do', async () => {
  const missing = { count: { disbursement: 3, message: 2 }, from: NOW - HOUR_MS, to: NOW, since: NOW };
  await store.redis.hset(keys.history, 'missing', JSON.stringify(missing));
  const [says, next] = ['lacks up to 5 that left Redis', 'relais recover --without-missing'];
  expect(await found(database.url)).toMatchObject([
    { is: 'fault', says: expect.stringContaining(says), fix: expect.stringContaining(next) },
  ]);
});

test('what PostgreSQL did not take is named, with the reason and what to do', async () => {
  await store.redis.hset(keys.historyAside, 'dsb_a', JSON.stringify({ why: '23514: it is bad' }));
  expect(await found(database.url)).toMatchObject([
    {
      is: 'fault',
      says: 'PostgreSQL did not take 1, which stay in Redis: dsb_a (23514: it is bad)',
      fix: expect.stringContaining('#relaishistorysetaside'),
    },
  ]);
});

test('what waits is told, whether PostgreSQL is away, nobody copies or nobody knows where to', async () => {
  await store.redis.zadd(keys.historyWaiting, NOW - HOUR_MS, 'dsb_a');
  expect(await found('postgres://127.0.0.1:1/none')).toMatchObject([
    { is: 'fault', says: 'PostgreSQL is away (connect ECONNREFUSED 127.0.0.1:1); 1 wait for it, the first for 1h' },
  ]);
  const late = 'PostgreSQL answers; 1 wait for it, the first for 1h';
  expect(await found(database.url)).toMatchObject([{ is: 'fault', says: late }]);
  const nowhere = 'no HISTORY_URL here; 1 wait for it, the first for 1h';
  expect(await found()).toMatchObject([{ is: 'fault', says: nowhere }]);
  // It is not for a worker to know: the process that has the role does.
  expect(await found(undefined, ['worker'])).toEqual([]);
});

test('what left Redis and cannot be read is told where somebody may ask for it', async () => {
  await store.redis.hset(keys.trimmed, { store: 'one' });
  expect(await found(undefined, ['api'])).toEqual([]);
  await store.redis.hset(keys.trimmed, { message: NOW });
  for (const role of ['api', 'webhooks'] as const) {
    expect(await found(undefined, [role])).toMatchObject([
      {
        is: 'fault',
        says: 'what left Redis cannot be read here: no HISTORY_URL',
        fix: 'Set it where the roles api and webhooks are.',
      },
    ]);
  }
  expect(await found(database.url, ['api'])).toMatchObject([{ is: 'ok' }]);
  expect(await found(undefined, ['worker'])).toEqual([]);
});
