import { Queue, QueueEvents } from 'bullmq';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BooksSummary, DisbursementView } from '../../script/demonstration/views.ts';
import { announced, openWorld, type World } from '../support/world.ts';

const ANSWER_LIMIT_MS = 120_000;
const request = { accountAlias: '771234567', amount: 25_000, withdrawMode: 'wallet-a-senegal' };

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world?.close());

async function askOverBullMq(data: object): Promise<unknown> {
  const options = { prefix: '{relais}', connection: { url: world.redisUrl } };
  const intake = new Queue('intake', options);
  const announcements = new QueueEvents('intake', options);
  try {
    await announcements.waitUntilReady();
    const job = await intake.add('ask', data);
    return await job.waitUntilFinished(announcements, ANSWER_LIMIT_MS);
  } finally {
    await announcements.close();
    await intake.close();
  }
}

describe('a job in intake', () => {
  test('with a bad payload fails with every problem named and nothing is sent', async () => {
    const bad = { kind: 'disbursement', reference: 'bad-1', amount: '25000', accountAlias: ' ', note: 'please' };
    const failure = await askOverBullMq(bad).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    const { message } = failure as Error;
    for (const named of ['/amount', '/accountAlias', '/withdrawMode', 'note']) expect(message).toContain(named);

    expect(await world.api.all('/v1/disbursements', 100)).toEqual([]);
    const { requests } = await world.control.get<BooksSummary>('/books/summary');
    expect(requests).toEqual({});
  });

  test('of an unknown kind fails and names the kinds there are', async () => {
    await expect(askOverBullMq({ kind: 'gift' })).rejects.toThrow(/disbursement.*message.*campaign/);
  });

  test('is answered with the id, and carried out', async () => {
    const answer = await askOverBullMq({ kind: 'disbursement', reference: 'good-1', ...request });
    expect(answer).toMatchObject({ outcome: 'accepted', id: expect.stringMatching(/^dsb_/) as string });
    const { id } = answer as { id: string };
    const events = await announced(world, (all) => all.some(({ data }) => data.id === id));
    expect(events.filter(({ data }) => data.id === id)).toMatchObject([{ type: 'disbursement.succeeded' }]);
  });
});

describe('a reused reference', () => {
  test('with another body is a conflict that names the id', async () => {
    const first = await world.api.post<DisbursementView>('/v1/disbursements', { ...request, reference: 'order-7' });
    const other = { method: 'POST', body: { ...request, amount: 26_000, reference: 'order-7' } } as const;
    const { status, body } = await world.api.ask('/v1/disbursements', other);
    expect(status).toBe(409);
    expect(body).toMatchObject({ existingId: first.id });
  });

  test('with the same body is the same disbursement', async () => {
    const same = { method: 'POST', body: { ...request, reference: 'order-8' } } as const;
    const [first, again] = [
      await world.api.ask('/v1/disbursements', same),
      await world.api.ask('/v1/disbursements', same),
    ];
    expect(again.status).toBe(first.status);
    expect(again.body['id']).toBe(first.body['id']);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });
});
