/** A batch that is over leaves Redis with its rows, reads as before, and pays nobody again. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { keys } from '../../src/operations/keys.ts';
import { Operations } from '../../src/operations/operations.ts';
import { setAsideFromHistory } from '../../src/operations/set-aside.ts';
import { Queries } from '../../src/operations/queries.ts';
import { BATCHES, deskOf } from '../api/batch-desk.ts';
import { type FreshPostgres, freshPostgres } from '../support/fresh-postgres.ts';
import { keysLike } from '../support/fresh-redis.ts';
import { type Service, startService } from '../support/service.ts';
import { trimmerOf, writerOf } from './history-world.ts';

const DAY_MS = 86_400_000;

let database: FreshPostgres;
let service: Service;
beforeAll(async () => {
  database = await freshPostgres();
  service = await startService({ HISTORY_URL: database.url, RECHECK_SUCCEEDED: 'off' });
});
afterAll(async () => {
  await service?.stop();
  await database?.close();
});

const { send, approve } = deskOf(() => service);

const WITH_PAYMENTS = { disbursement: 7 * DAY_MS, batch: 7 * DAY_MS };

/** Copies what waits, and takes out what is over, as if eight days had gone by. */
async function pass({
  after = WITH_PAYMENTS,
  at,
}: {
  after?: Partial<typeof WITH_PAYMENTS>;
  at?: (step: string) => Promise<void>;
} = {}): Promise<void> {
  const { redis } = service;
  const now = (): number => systemClock.now() + 8 * DAY_MS;
  // Looks at what failed, which nobody waits for here.
  await redis.del(keys.due('status-poll'));
  const trimmer = trimmerOf(redis, new Operations({ redis, random: systemRandom, now }), {
    now,
    after,
    ...(at && { at }),
  });
  const writer = writerOf(redis, () => database.url, { trimmer });
  await writer.pass();
  await writer.close();
}

const isThere = async (id: string): Promise<boolean> => (await service.redis.exists(keys.record(id))) === 1;

/** Two who are paid and one whose payment fails, with a column of their own. */
const fileOf = (tag: string): string =>
  `reference;accountAlias;amount;withdrawMode;Nom
${tag}-1;770000001;1000;wallet-a-senegal;Awa\tﬁ
${tag}-2;770000002;2000;wallet-a-senegal;
${tag}-3;779999901;5;wallet-a-senegal;"Moussa; ""M"""
`;

async function finished(tag: string, headers?: Readonly<Record<string, string>>): Promise<string> {
  const { body } = await send(fileOf(tag), headers ? { headers } : {});
  await approve(body.id, body.contentHash);
  await service.until(`${BATCHES}/${body.id}`, ({ state }) => state === 'finished');
  return body.id;
}

const get = (path: string, how: object = {}) => service.call('GET', path, how);
const paid = async (): Promise<number> => {
  const books = await service.books('disbursements');
  return (books.items ?? books).filter(({ effects }: { effects: number }) => effects > 0).length;
};

async function readings(id: string, tag: string) {
  return {
    itself: (await get(`${BATCHES}/${id}`)).body,
    report: (await get(`${BATCHES}/${id}/report`)).body,
    csv: (await get(`${BATCHES}/${id}/report`, { headers: { accept: 'text/csv' } })).body,
    listed: (await get(BATCHES)).body,
    ofState: (await get(`${BATCHES}?state=finished`)).body,
    asCsv: (await get(BATCHES, { headers: { accept: 'text/csv' } })).body,
    searched: (await get(`/v1/search?q=${id}`)).body,
    byReference: (await get(`/v1/search?q=${tag}-1`)).body,
    byNumber: (await get('/v1/search?q=770000002')).body,
    payments: (await get(`/v1/disbursements?batch=${id}`)).body,
    story: (await get(`/v1/explain/${id}`)).body,
  };
}

test.for([
  ['alone', 'own', { batch: 7 * DAY_MS }],
  ['with its payments', 'whole', WITH_PAYMENTS],
] as const)('a batch that left %s reads as before, row by row', async ([, tag, after]) => {
  const id = await finished(tag);
  const before = await readings(id, tag);
  expect(before.report.items).toMatchObject([{}, {}, { state: 'failed' }]);
  await pass({ after });
  await pass({ after });
  expect(await keysLike(service.redis, `*${id}*`)).toEqual([]);
  expect(await keysLike(service.redis, 'batch-of:*')).toEqual([]);
  expect(await service.redis.zscore(keys.index('batch'), id)).toBeNull();
  expect(await readings(id, tag)).toEqual(before);
});

test('a row that PostgreSQL refuses keeps its batch in Redis, and no other row from history', async () => {
  await pass();
  await database.query("alter table relais.batch_rows add constraint refused check (reference <> 'odd-2')");
  const id = await finished('odd');
  const rows = () => database.query(`select place::int from relais.batch_rows where batch = '${id}' order by 1`);
  await pass();
  await pass();
  expect(await rows()).toEqual([{ place: 0 }, { place: 2 }]);
  expect(await isThere(id)).toBe(true);
  expect(await setAsideFromHistory(service.redis, 10)).toMatchObject({ count: 1, some: [{ id }] });
  await database.query('alter table relais.batch_rows drop constraint refused');
  await pass();
  await pass();
  expect([await rows(), await isThere(id)]).toMatchObject([{ length: 3 }, false]);
});

test('a row that is damaged keeps its batch in Redis, and nothing else from history or from leaving', async () => {
  const [torn, sound] = [await finished('torn'), await finished('sound')];
  const row = (await service.redis.lindex(keys.batchRows(torn), 1)) ?? '';
  await service.redis.lset(keys.batchRows(torn), 1, row.slice(0, -9));
  await pass();
  await pass();
  expect([await isThere(torn), await isThere(sound)]).toEqual([true, false]);
  const why = 'what has to be JSON in it is none';
  expect(await setAsideFromHistory(service.redis, 10)).toMatchObject({ count: 1, some: [{ id: torn, why }] });
  await service.redis.lset(keys.batchRows(torn), 1, row);
  await pass();
  await pass();
  expect([await isThere(torn), (await setAsideFromHistory(service.redis, 1)).count]).toEqual([false, 0]);
});

test('the same bytes again are the same batch, other bytes under its key are a conflict, and nobody is paid', async () => {
  const headers = { 'idempotency-key': 'payroll-11' };
  const id = await finished('again', headers);
  await pass();
  expect(await isThere(id)).toBe(false);
  const before = await paid();
  const again = await send(fileOf('again'), { headers });
  expect([again.status, again.headers['idempotency-replayed'], again.body.id, again.body.state]).toEqual([
    201,
    'true',
    id,
    'finished',
  ]);
  const other = await send(fileOf('other'), { headers });
  expect([other.status, other.body.existingId]).toEqual([409, id]);
  const approved = await approve(id, again.body.contentHash);
  expect([approved.status, approved.body.state]).toEqual([200, 'finished']);
  const cancelled = await service.call('POST', `${BATCHES}/${id}/cancel`);
  expect([cancelled.status, cancelled.body.state]).toEqual([409, 'finished']);
  expect([await isThere(id), await paid()]).toEqual([false, before]);
});

test('the same bytes under another key find each row paid already, though all of it left', async () => {
  await finished('another');
  await pass();
  const before = await paid();
  const { body } = await send(fileOf('another'), { headers: { 'idempotency-key': 'another' } });
  const { body: report } = await approve(body.id, body.contentHash);
  if (report.state === 'running') {
    const { states } = await service.until(`${BATCHES}/${body.id}`, ({ state }) => state === 'finished');
    expect(Object.keys(states)).not.toContain('waiting');
  }
  expect(await paid()).toBe(before);
});

test.for<[string, string]>([
  ['is gone', 'delete from relais.batch_rows'],
  ['says something else', 'update relais.batch_rows set amount = amount + 1'],
])('a batch of which a row in history %s stays whole, and leaves once it was copied anew', async ([word, how]) => {
  // Where another leaves beside it, it is looked at again in the same pass.
  await pass();
  const id = await finished(word.replaceAll(' ', '-'));
  const before = (await get(`${BATCHES}/${id}/report`)).body;
  let once = true;
  const spoils = async (step: string): Promise<void> => {
    if (step !== 'compared' || !once) return;
    once = false;
    await database.query(`${how} where batch = '${id}' and place = 1`);
  };
  await pass({ after: { batch: 7 * DAY_MS }, at: spoils });
  expect([await isThere(id), await service.redis.llen(keys.batchRows(id))]).toEqual([true, 3]);
  await pass();
  expect(await isThere(id)).toBe(false);
  expect((await get(`${BATCHES}/${id}/report`)).body).toEqual(before);
});

test('a batch that was finished before history had its rows leaves with them', async () => {
  const id = await finished('before');
  await pass({ after: {} });
  await database.query(`delete from relais.batch_rows where batch = '${id}'`);
  await pass();
  expect(await isThere(id)).toBe(true);
  await pass();
  expect(await isThere(id)).toBe(false);
  expect((await get(`${BATCHES}/${id}/report`)).body.items).toHaveLength(3);
});

test('a batch stays while a payment of it waits for a person, and leaves once that is settled', async () => {
  const id = await finished('review');
  const { items } = (await get(`${BATCHES}/${id}/report`)).body;
  const last = items[2].id;
  const operations = new Operations({ redis: service.redis, random: systemRandom });
  const goes = async (to: 'needs_review' | 'failed'): Promise<void> => {
    const record = await new Queries(service.redis).read('disbursement', last);
    if (!record) throw new Error('it is not there');
    expect(await operations.transition(record, undefined, { to })).toMatchObject({ is: 'applied' });
  };
  await goes('needs_review');
  await pass();
  await pass();
  expect([await isThere(id), await isThere(items[0].id)]).toEqual([true, false]);
  await goes('failed');
  await pass();
  await pass();
  expect([await isThere(id), await isThere(last)]).toEqual([false, false]);
  expect((await get(`${BATCHES}/${id}`)).body.states).toEqual({
    succeeded: { count: 2, xof: 3_000 },
    failed: { count: 1, xof: 5 },
  });
});

test('one that was called off leaves too, with rows or without', async () => {
  const { body: dropped } = await send(fileOf('dropped'));
  const { body: invalid } = await send(`${fileOf('invalid')}invalid-4;770000004;-5;wallet-a-senegal;\n`);
  expect(invalid.state).toBe('invalid');
  for (const { id } of [dropped, invalid]) await service.call('POST', `${BATCHES}/${id}/cancel`);
  const of = async ({ id }: { id: string }) => [
    (await get(`${BATCHES}/${id}`)).body,
    (await get(`${BATCHES}/${id}/report`)).body,
  ];
  const before = [await of(dropped), await of(invalid)];
  await pass();
  expect([await isThere(dropped.id), await isThere(invalid.id)]).toEqual([false, false]);
  for (const { id } of [dropped, invalid]) expect(await keysLike(service.redis, `*${id}*`)).toEqual([]);
  expect([await of(dropped), await of(invalid)]).toEqual(before);
  expect((await send(fileOf('dropped'))).body).toMatchObject({ id: dropped.id, state: 'cancelled' });
});

test('a batch of which a row is missing in history is not told without it', async () => {
  const id = await finished('gap');
  await pass();
  await database.query(`delete from relais.batch_rows where batch = '${id}' and place = 2`);
  for (const path of ['', '/report']) {
    const { status, body } = await get(`${BATCHES}/${id}${path}`);
    expect([path, status, body.detail]).toEqual([path, 503, expect.stringContaining('not have all rows')]);
  }
});
