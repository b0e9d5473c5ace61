/** A batch from the library: the same rows, rules and second approver as over HTTP. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OtherDeployment } from '../../../src/producer/errors.ts';
import { createProducer, type Producer } from '../../../src/producer/producer.ts';
import { fakeProducer } from '../../../src/producer/testing.ts';
import { type Service, startService } from '../../support/service.ts';

let service: Service;
let producer: Producer;
beforeAll(async () => {
  service = await startService({ MAX_DISBURSEMENT: '50000' });
  producer = createProducer({ redis: service.redisUrl });
});
afterAll(async () => {
  await producer.close();
  await service.stop();
});

const row = (reference: string, amount = 5_000) =>
  ({ reference, amount, accountAlias: '771234567', withdrawMode: 'wallet-a-senegal' }) as const;
const path = '/v1/disbursement-batches';

test('waits for the approval of a key, and is then paid row by row', async () => {
  const answer = await producer.batch([row('a-1'), row('a-2', 7_000)]);
  expect(answer).toMatchObject({
    outcome: 'accepted',
    state: 'awaiting_approval',
    totals: { count: 2, xof: 12_000 },
  });
  const { id } = answer;
  const { contentHash } = (await service.call('GET', `${path}/${id}`)).body;
  expect(answer).toHaveProperty('contentHash', contentHash);
  expect((await service.call('POST', `${path}/${id}/approve`, { body: { contentHash } })).status).toBe(200);
  const done = await service.until(`${path}/${id}`, ({ state }) => state === 'finished');
  expect(done.states).toEqual({ succeeded: { count: 2, xof: 12_000 } });
});

test('the same rows are the same batch through both entry points', async () => {
  const rows = [row('b-1')];
  const { id } = await producer.batch(rows);
  expect(await producer.batch(rows)).toMatchObject({ id, outcome: 'duplicate' });
  const posted = await service.call('POST', path, { body: rows });
  expect([posted.body.id, posted.headers['idempotency-replayed']]).toEqual([id, 'true']);
});

test('a row that breaks a rule or a limit makes all of it invalid, and every fault is named', async () => {
  const wrong = { ...row('c-2'), withdrawMode: 'wallet-z' } as unknown as ReturnType<typeof row>;
  const answer = await producer.batch([row('c-1', 60_000), wrong, row('c-1')]);
  expect(answer).toMatchObject({ outcome: 'accepted', state: 'invalid', problemCount: 3 });
  const places = 'problems' in answer ? answer.problems.map((one) => [one.row, one.column]) : [];
  expect(places).toEqual([
    [2, 'withdrawMode'],
    [1, 'amount'],
    [3, 'reference'],
  ]);
});

test('other rows with the same name are a conflict, with the differences', async () => {
  const named = { idempotencyKey: 'november' };
  const { id } = await producer.batch([row('d-1')], named);
  const again = await producer.batch([row('d-1', 6_000)], named);
  expect(again).toEqual({ id, outcome: 'conflict', differs: ['/1/amount'] });
});

test('the named author cannot approve', async () => {
  const answer = await producer.batch([row('e-1')], { by: 'checker' });
  const { contentHash } = (await service.call('GET', `${path}/${answer.id}`)).body;
  const approve = (key: string) =>
    service.call('POST', `${path}/${answer.id}/approve`, { body: { contentHash }, key });
  expect((await approve('checker-secret')).body).toMatchObject({ status: 403, rule: 'other-person' });
  expect((await approve('maker-secret')).status).toBe(200);
});

test('keys of another deployment take none', async () => {
  await using elsewhere = createProducer({ redis: service.redisUrl, environment: 'elsewhere' });
  await expect(elsewhere.batch([row('f-1')])).rejects.toThrow(OtherDeployment);
});

test('the fake gives the real answers', async () => {
  const ask = async (of: Producer) => [
    await of.batch([row('g-1')]),
    await of.batch([row('g-1')]),
    await of.batch([row('g-1')], { idempotencyKey: 'other' }),
    await of.batch([row('g-2')], { idempotencyKey: 'mine' }),
    await of.batch([row('g-3')], { idempotencyKey: 'mine' }),
    await of.batch([row('g-4'), row('g-4')]),
  ];
  expect(await ask(fakeProducer())).toEqual(await ask(producer));
});
