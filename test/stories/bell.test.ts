/** Redis only shortens waits: without it the API answers, payments and SMS complete, and afterwards everything continues. */
import { Queue, QueueEvents } from 'bullmq';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { BookedDisbursement, BookedMessage, DisbursementView } from '../support/views.ts';
import { type RedisFault, redisFaults } from '../support/faulty-redis.ts';
import { Deployment } from '../support/deployment.ts';

const PAYMENTS = 12;
const MESSAGES = 6;

let deployment: Deployment;
beforeAll(async () => {
  deployment = await Deployment.open();
  await deployment.start();
});
afterAll(() => deployment?.close());

const order = (how: RedisFault, nth: number, kind: 'http' | 'job') => ({
  reference: `${how}-${kind}-${nth}`,
  accountAlias: `77${redisFaults.indexOf(how)}${kind === 'http' ? 0 : 1}${String(nth).padStart(5, '0')}`,
  amount: 5_000,
  withdrawMode: 'wallet-a-senegal',
});

/** Every answer of the API is one of a healthy process. */
async function payOver(how: RedisFault): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let nth = 0; nth < PAYMENTS; nth += 1) {
    const { status, body } = await deployment.maker.ask('/v1/disbursements', {
      method: 'POST',
      body: order(how, nth, 'http'),
    });
    expect([status, body['state']], JSON.stringify(body)).toEqual([202, expect.any(String)]);
    ids.push(String(body['id']));
    const read = await Promise.all(
      ['/v1/disbursements?limit=5', '/v1/status', '/v1/events?limit=1', `/v1/disbursements/${ids.at(-1)}`].map(
        (path) => deployment.maker.ask(path),
      ),
    );
    expect(read.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
  }
  return ids;
}

const phoneOf = (how: RedisFault, nth: number): string =>
  `+22177${redisFaults.indexOf(how)}${String(nth).padStart(6, '0')}`;

async function textOver(how: RedisFault): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let nth = 0; nth < MESSAGES; nth += 1) {
    const { status, body } = await deployment.maker.ask('/v1/messages', {
      method: 'POST',
      body: { to: phoneOf(how, nth), text: `after ${how}` },
    });
    expect(status, JSON.stringify(body)).toBe(202);
    const { items } = body as unknown as { readonly items: readonly { readonly id: string }[] };
    ids.push(...items.map(({ id }) => id));
  }
  return ids;
}

const untilSent = (ids: readonly string[]): Promise<void> =>
  vi.waitFor(async () => {
    const states = await Promise.all(
      ids.map(async (id) => (await deployment.maker.get<{ readonly state: string }>(`/v1/messages/${id}`)).state),
    );
    expect(new Set(states)).toEqual(new Set(['sent']));
  });

const untilPaid = (ids: readonly string[]): Promise<void> =>
  vi.waitFor(async () => {
    const states = await Promise.all(
      ids.map(async (id) => (await deployment.maker.get<DisbursementView>(`/v1/disbursements/${id}`)).state),
    );
    expect(new Set(states)).toEqual(new Set(['succeeded']));
  });

/** Like a program that only knows BullMQ. */
async function payByJob(how: RedisFault): Promise<string> {
  const options = { prefix: '{relais}', connection: { url: deployment.bell.url } };
  const intake = new Queue('intake', options);
  const announcements = new QueueEvents('intake', options);
  try {
    await announcements.waitUntilReady();
    const job = await intake.add('ask', { kind: 'disbursement', ...order(how, 0, 'job') });
    const { id, outcome } = (await job.waitUntilFinished(announcements)) as { id: string; outcome: string };
    expect(outcome).toBe('accepted');
    return id;
  } finally {
    await announcements.close();
    await intake.close();
  }
}

async function paidOnce(how: RedisFault): Promise<void> {
  const books = await deployment.control.get<readonly BookedDisbursement[]>('/books/disbursements');
  const mine = books.filter(({ accountAlias }) => accountAlias.startsWith(`77${redisFaults.indexOf(how)}`));
  expect(mine.map(({ effects }) => effects)).toEqual(Array.from({ length: PAYMENTS + 1 }, () => 1));
}

async function textedOnce(how: RedisFault): Promise<void> {
  const books = await deployment.control.get<readonly BookedMessage[]>('/books/messages');
  const mine = books.filter(({ text }) => text === `after ${how}`);
  expect(mine.map(({ times }) => times)).toEqual(Array.from({ length: MESSAGES }, () => 1));
}

test.for(redisFaults)('after the fault “%s” of Redis the API answers, and payments and SMS complete', async (how) => {
  const mend = await deployment.bell.begin(how);
  try {
    await untilPaid(await payOver(how));
    await untilSent(await textOver(how));
    expect((await deployment.metrics.ask('/readyz')).status).toBe(200);
  } finally {
    await mend();
  }
  await untilPaid([await payByJob(how)]);
  await paidOnce(how);
  await textedOnce(how);
});
