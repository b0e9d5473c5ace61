/** The same wrong request through each way in: what is refused later is reported, what is refused at once is answered. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type IntakeQueue, openIntake } from '../support/intake-queue.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let intake: IntakeQueue;
beforeAll(async () => {
  service = await startService();
  await service.ledger.query(`select relais.enqueue_grant(session_user::text, 'main', '{disbursement}')`);
  intake = await openIntake(service.redisUrl);
});
afterAll(async () => {
  await intake?.close();
  await service?.stop();
});

const wrong = (reference: string) => ({
  reference,
  accountAlias: '771234567',
  amount: 5_000,
  withdrawMode: 'wallet-z',
});
const problems = [{ pointer: '/withdrawMode', message: expect.any(String) }];

const ways = {
  BullMQ: async (reference: string): Promise<void> => {
    const job = await intake.queue.add('pay', { kind: 'disbursement', ...wrong(reference) });
    await expect(job.waitUntilFinished(intake.ends)).rejects.toThrow('/withdrawMode');
  },
  SQL: async (reference: string): Promise<void> => {
    await service.ledger.query(`select relais.enqueue('disbursement', '${JSON.stringify(wrong(reference))}')`);
    await service.until('/v1/intake', ({ items }) =>
      items.some((item: { reference: string }) => item.reference === reference),
    );
  },
};

const counted = async (): Promise<number> => {
  const text = await (await fetch(`${service.metrics}/metrics`)).text();
  return Number(/relais_intake_rejected_total\{kind="disbursement"\} (\d+)/.exec(text)?.[1] ?? 0);
};
const reported = async (reference: string) =>
  (await service.published('/v1/events?types=intake.rejected&limit=1000')).body.events.filter(
    ({ data }: { data: { reference?: string } }) => data.reference === reference,
  );
const listed = async (reference: string) =>
  (await service.call('GET', '/v1/intake?limit=1000')).body.items.filter(
    (item: { reference?: string }) => item.reference === reference,
  );

test.for(Object.entries(ways))(
  'a request that came by %s is an event, a row of the list and a count',
  async ([, ask]) => {
    const reference = `later-${ask.name}`;
    const before = await counted();
    await ask(reference);
    expect(await reported(reference)).toMatchObject([
      { type: 'intake.rejected', account: 'main', data: { kind: 'disbursement', problems } },
    ]);
    expect(await listed(reference)).toMatchObject([{ state: 'rejected', kind: 'disbursement', problems }]);
    await expect.poll(counted).toBe(before + 1);
  },
);

test('a request that came by HTTP is answered with the same problems, and reported to nobody else', async () => {
  const before = await counted();
  const { status, body } = await service.call('POST', '/v1/disbursements', { body: wrong('at-once') });
  expect([status, body.problems]).toEqual([422, problems]);
  expect([await reported('at-once'), await listed('at-once'), await counted()]).toEqual([[], [], before]);
});
