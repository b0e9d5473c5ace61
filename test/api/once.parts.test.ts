import { Queue, QueueEvents } from 'bullmq';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProducer } from '../../src/producer/producer.ts';
import { type Service, startService } from '../support/service.ts';
import { storedIn } from '../support/stored.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const TIMES = 100;
const aDisbursement = (reference?: string) => ({
  accountAlias: '771234567',
  amount: 25_000,
  withdrawMode: 'wallet-a-senegal' as const,
  ...(reference ? { reference } : {}),
});
const operations = (): Promise<number> => storedIn(service, 'disbursement');
const paid = async (): Promise<number> => (await service.books('disbursements')).length;

/** One of them was first; all get the same id. */
function expectOne(answers: readonly { id: string; outcome: string }[]): string {
  expect(answers).toHaveLength(TIMES);
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
  expect(answers.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(1);
  expect(answers.filter(({ outcome }) => outcome === 'duplicate')).toHaveLength(TIMES - 1);
  return answers[0]?.id ?? '';
}

describe('a hundred requests at the same time with one identity are one operation', () => {
  const all = <T>(ask: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: TIMES }, ask));

  test('over HTTP, each on a connection of its own', async () => {
    const before = [await operations(), await paid()];
    const agent = new Agent({ connections: TIMES });
    const answers = await all(async () => {
      const { statusCode, headers, body } = await request(`${service.api}/v1/disbursements`, {
        method: 'POST',
        dispatcher: agent,
        headers: {
          authorization: 'Bearer maker-secret',
          'content-type': 'application/json',
          'idempotency-key': 'once-http',
        },
        body: JSON.stringify(aDisbursement()),
      });
      expect(statusCode).toBe(202);
      const { id } = (await body.json()) as { id: string };
      return { id, outcome: headers['idempotency-replayed'] === 'true' ? 'duplicate' : 'accepted' };
    });
    await agent.close();
    const id = expectOne(answers);
    await service.until(`/v1/disbursements/${id}`, ({ state }) => state === 'succeeded');
    expect([await operations(), await paid()]).toEqual(before.map((count) => count + 1));
  });

  test('in the lines of one body', async () => {
    const before = await operations();
    const line = `${JSON.stringify(aDisbursement('once-bulk'))}\n`;
    const headers = { 'content-type': 'application/x-ndjson' };
    const { body } = await service.call('POST', '/v1/disbursements', { body: line.repeat(TIMES), headers });
    const verdicts = String(body).trim().split('\n');
    expectOne(verdicts.map((verdict) => JSON.parse(verdict) as { id: string; outcome: string }));
    expect(await operations()).toBe(before + 1);
  });

  test('from the library, of two producers', async () => {
    const before = await operations();
    const producers = [createProducer({ redis: service.redisUrl }), createProducer({ redis: service.redisUrl })];
    let turn = 0;
    const answers = await all(() => {
      turn += 1;
      return (
        producers[turn % 2]?.disburse({ ...aDisbursement(), reference: 'once-library' }) ??
        Promise.reject(new Error('nobody'))
      );
    });
    await Promise.all(producers.map((producer) => producer.close()));
    expectOne(answers);
    expect(await operations()).toBe(before + 1);
  });

  test('over the queue intake', async () => {
    const before = await operations();
    const options = { prefix: '{relais}', connection: { url: service.redisUrl } };
    const intake = new Queue('intake', options);
    const heard = new QueueEvents('intake', { ...options, lastEventId: '0' });
    const jobs = await all(() => intake.add('ask', { kind: 'disbursement', ...aDisbursement('once-intake') }));
    const answers = await Promise.all(jobs.map((job) => job.waitUntilFinished(heard, 20_000)));
    await heard.close();
    await intake.close();
    expectOne(answers as { id: string; outcome: string }[]);
    expect(await operations()).toBe(before + 1);
  });
});
