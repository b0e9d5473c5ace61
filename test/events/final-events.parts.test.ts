import { expect, onTestFinished, test, vi } from 'vitest';
import { schemaOf } from '../../src/events/catalogue.ts';
import { EventStream } from '../../src/ledger/event-stream.ts';
import { Database } from '../../src/ledger/pool.ts';
import { createProducer } from '../../src/producer/producer.ts';
import { startService } from '../support/service.ts';

const OPERATIONS = 2_000;
const FINAL = ['succeeded', 'failed'];

const faults = [
  { fault: 'never calls back', probability: 0.25 },
  { fault: 'calls back twice', probability: 0.4 },
  { fault: 'calls back late', probability: 0.2, delayMs: 1_500 },
  { fault: 'calls back early', probability: 0.3 },
  { fault: 'hangs after doing the work', operation: 'disbursement.submit', probability: 0.01 },
  { fault: 'answers 5xx after doing the work', operation: 'disbursement.submit', probability: 0.05 },
];

test('2,000 disbursements whose callbacks are lost, doubled, late and early each have exactly one last word', {
  timeout: 360_000,
}, async () => {
  const service = await startService({ UPSTREAM_TIMEOUT: '3s' });
  onTestFinished(() => service.stop());
  await service.control('POST', '/settings', { settleDelayMs: 400 });
  for (const [seed, order] of faults.entries()) {
    expect(await service.control('POST', '/faults', { ...order, seed })).toMatchObject({ id: expect.anything() });
  }
  const { host = '', port, db } = service.redis.options;
  const producer = createProducer({ redis: { host, port: port ?? 0, db: db ?? 0 }, patience: '30s' });
  onTestFinished(() => producer.close());

  const asked = await Promise.all(
    Array.from({ length: OPERATIONS }, (_, n) =>
      producer.disburse({
        accountAlias: '771234567',
        amount: 1_000 + n,
        withdrawMode: 'wallet-a-senegal',
        reference: `order-${n}`,
      }),
    ),
  );
  const database = new Database({ url: service.ledger.url, schema: service.ledger.schema });
  onTestFinished(() => database.close());
  const stream = new EventStream({ database });
  await vi.waitFor(
    async () => {
      const [ended] = await service.ledger.query<{ count: number }>(
        `select count(*)::int from relais.event where type in ('disbursement.succeeded', 'disbursement.failed')`,
      );
      expect(ended?.count).toBeGreaterThanOrEqual(OPERATIONS);
    },
    { timeout: 300_000, interval: 250 },
  );
  const { events } = await stream.read(undefined, 3 * OPERATIONS);
  const last = new Map<string, string[]>();
  for (const { data } of events) {
    if (FINAL.includes(data.state ?? '')) last.set(data.id, [...(last.get(data.id) ?? []), data.state ?? '']);
  }
  const wordsOf = asked.map(({ id }) => last.get(id)?.join('+'));
  expect(wordsOf.filter((word) => word !== 'succeeded')).toEqual([]);
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  for (const event of events) schemaOf(event.type).parse(event);

  const booked = (await service.books('disbursements')) as { effects: number; callbacks: number }[];
  expect(booked.reduce((sum, { effects }) => sum + effects, 0)).toBe(OPERATIONS);
  expect(booked.filter(({ effects }) => effects > 1)).toEqual([]);
  // The faults did strike: some were never called back about, some more than once.
  expect(booked.filter(({ callbacks }) => callbacks === 0).length).toBeGreaterThan(200);
  expect(booked.filter(({ callbacks }) => callbacks > 1).length).toBeGreaterThan(200);
});
