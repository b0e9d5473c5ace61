/** Reports of jobs of the queue `intake` that relais refuses. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { Database } from '../../src/ledger/pool.ts';
import { Rejections } from '../../src/ledger/rejections.ts';
import { type IntakeQueue, openIntake } from '../support/intake-queue.ts';
import { type Service, startService } from '../support/service.ts';

const request = { kind: 'disbursement', accountAlias: '771234567', amount: 5_000, withdrawMode: 'wallet-a-senegal' };

let service: Service;
let intake: IntakeQueue;
beforeAll(async () => {
  service = await startService({ ACCOUNTS: 'main,other' });
  intake = await openIntake(service.redisUrl);
});
afterAll(async () => {
  await intake?.close();
  await service?.stop();
});

async function refused(data: object): Promise<string> {
  const job = await intake.queue.add('pay', data);
  await expect(job.waitUntilFinished(intake.ends)).rejects.toThrow('refused, nothing was recorded');
  return String(job.id);
}

const eventsOf = async (jobId: string) =>
  (await service.published('/v1/events?types=intake.rejected')).body.events.filter(
    (event: { data: { jobId: string } }) => event.data.jobId === jobId,
  );

test('a refused job is an event, a row of the list and a count, with every problem', async () => {
  const jobId = await refused({ ...request, amount: undefined, reference: 'order-1042', nonsense: 1 });
  const problems = [
    { pointer: '/amount', message: expect.any(String) },
    { pointer: '/nonsense', message: expect.any(String) },
  ];
  const about = { jobId, kind: 'disbursement', reference: 'order-1042', problems: expect.arrayContaining(problems) };
  expect(await eventsOf(jobId)).toMatchObject([{ type: 'intake.rejected', account: 'main', data: about }]);
  const { body } = await service.call('GET', '/v1/intake?state=rejected');
  expect(body.items[0]).toMatchObject({ ...about, state: 'rejected', account: 'main', existingId: null });
  const { body: metrics } = await service.call('GET', '/v1/intake?limit=1');
  expect(metrics.items).toHaveLength(1);
  const scrape = await fetch(`${service.metrics}/metrics`).then((answer) => answer.text());
  expect(scrape).toMatch(/relais_intake_rejected_total\{kind="disbursement"\} [1-9]/);
  expect((await intake.queue.getJob(jobId))?.data).toMatchObject({
    id: '',
    outcome: 'invalid',
    problems: about.problems,
  });
});

test('another request under the reference of the first is the problem `conflict`, with its id', async () => {
  const first = await intake.queue.add('pay', { ...request, reference: 'twice' });
  const { id } = await first.waitUntilFinished(intake.ends);
  const jobId = await refused({ ...request, amount: 6_000, reference: 'twice' });
  const problems = [{ pointer: '/reference', message: expect.stringMatching(/^conflict: .*\/amount/) }];
  expect(await eventsOf(jobId)).toMatchObject([{ data: { existingId: id, problems } }]);
});

test('a key that is bound to an account sees the refused jobs of that account only', async () => {
  const jobId = await refused({ ...request, amount: 0, account: 'other' });
  const seenBy = async (key: string) =>
    (await service.call('GET', '/v1/intake', { key })).body.items.map((item: { jobId: string }) => item.jobId);
  expect(await seenBy('stranger-secret')).toEqual([jobId]);
  expect(await seenBy('reader-secret')).toContain(jobId);
});

test('a list of refused jobs is read page by page', async () => {
  const jobIds = [await refused({ kind: 'gift' }), await refused({ kind: 'gift' })];
  const { body: first } = await service.call('GET', '/v1/intake?limit=1');
  const { body: second } = await service.call('GET', `/v1/intake?limit=1&after=${first.next}`);
  expect([second, first].map(({ items }) => items[0].jobId)).toEqual(jobIds);
});

test('a refusal that is reported twice is one event and one row', async () => {
  const database = new Database({ url: service.ledger.url, schema: service.ledger.schema });
  onTestFinished(() => database.close());
  const rejections = new Rejections({ database });
  const twice = { id: 'rej_twice', jobId: 'twice', kind: 'message', account: 'main', problems: [] };
  expect([await rejections.add(twice), await rejections.add(twice)]).toEqual([true, false]);
  expect(await eventsOf('twice')).toHaveLength(1);
});
