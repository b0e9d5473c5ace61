/** One reference for two requests: every entry point reports the fields that differ. */
import { Queue } from 'bullmq';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createProducer, type Producer } from '../../src/producer/producer.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let producer: Producer;
beforeAll(async () => {
  service = await startService();
  producer = createProducer({ redis: service.redisUrl });
});
afterAll(async () => {
  await producer.close();
  await service.stop();
});

const payment = { accountAlias: '771234567', amount: 5_000, withdrawMode: 'wallet-a-senegal' } as const;
const text = { to: '+221771234567', text: 'Bonjour' } as const;
const ndjson = { 'content-type': 'application/x-ndjson' };

async function paid(reference: string): Promise<string> {
  return (await producer.disburse({ ...payment, reference })).id;
}

test('of a single request', async () => {
  const existingId = await paid('one');
  const body = { ...payment, amount: 6_000, withdrawMode: 'wallet-b-senegal', reference: 'one' };
  expect((await service.call('POST', '/v1/disbursements', { body })).body).toMatchObject({
    existingId,
    differs: ['/amount', '/withdrawMode'],
  });
});

test('of a line among many', async () => {
  const id = await paid('line');
  const body = `${JSON.stringify({ ...payment, amount: 6_000, reference: 'line' })}\n`;
  const answer = await service.call('POST', '/v1/disbursements', { body, headers: ndjson });
  expect(JSON.parse(answer.body)).toEqual({ index: 0, id, outcome: 'conflict', differs: ['/amount'] });
});

test('for one message of many', async () => {
  const [first] = await producer.sendMessages([{ ...text, reference: 'text' }]);
  const body = [{ ...text, text: 'Bonsoir', reference: 'text' }];
  const { items } = (await service.call('POST', '/v1/messages', { body })).body;
  expect(items).toEqual([{ index: 0, id: first?.id, outcome: 'conflict', differs: ['/text'] }]);
});

test('in the library', async () => {
  const id = await paid('library');
  const other = { ...payment, amount: 6_000, reference: 'library' };
  expect(await producer.disburse(other)).toEqual({ id, outcome: 'conflict', differs: ['/amount'] });
  expect(await producer.disburseEach([other])).toEqual([{ index: 0, id, outcome: 'conflict', differs: ['/amount'] }]);
  await producer.sendMessages([{ ...text, reference: 'library' }]);
  expect(await producer.sendMessages([{ ...text, to: '+221771234568', reference: 'library' }])).toMatchObject([
    { outcome: 'conflict', differs: ['/to'] },
  ]);
});

test('of a job in the queue intake', async () => {
  const id = await paid('job');
  const { host, port, db } = service.redis.options;
  const intake = new Queue('intake', {
    connection: { host: String(host), port: Number(port), db: db ?? 0 },
    prefix: '{relais}',
  });
  try {
    const job = await intake.add('intake', { kind: 'disbursement', ...payment, amount: 6_000, reference: 'job' });
    await vi.waitUntil(async () => (await job.getState()) === 'failed', { timeout: 20_000 });
    const { failedReason } = (await intake.getJob(String(job.id))) ?? {};
    expect(failedReason).toBe(
      `refused, nothing was recorded: /reference conflict: already used by another request, ${id}; not the same: /amount`,
    );
  } finally {
    await intake.close();
  }
});

test('of a campaign, whichever key asks', async () => {
  const body = { name: 'November', text: 'Bonjour', reference: 'campaign' };
  await service.call('POST', '/v1/campaigns', { body });
  const again = { body: { ...body, text: 'Bonsoir' }, key: 'checker-secret' };
  expect((await service.call('POST', '/v1/campaigns', again)).body.differs).toEqual(['/text']);
});

test('of a row of a file', async () => {
  const id = await paid('row');
  const body = [{ ...payment, amount: 6_000, reference: 'row' }];
  const { problems } = (await service.call('POST', '/v1/disbursement-batches', { body })).body;
  const reason = `is already used by ${id}, another disbursement; not the same: /amount`;
  expect(problems).toEqual([{ row: 1, column: 'reference', reason }]);
});

test('of a file: the rows, by their numbers', async () => {
  const rows = [1, 2, 3].map((n) => ({ ...payment, amount: n * 1_000, reference: `file-${n}` }));
  const headers = { 'idempotency-key': 'file' };
  const ask = (body: unknown) => service.call('POST', '/v1/disbursement-batches', { body, headers });
  const { id } = (await ask(rows)).body;
  const [first, second] = rows;
  const { body } = await ask([first, { ...second, amount: 9_000 }, { ...payment, reference: 'file-4' }]);
  // The second has another amount, the third has another recipient.
  expect(body).toMatchObject({ existingId: id, differs: ['/2/amount', '/3/amount', '/3/reference'] });
});
