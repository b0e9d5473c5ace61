import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';

const OUTAGE = 60;
const CONCURRENCY = 4;
const RECHECK_MS = 500;
/** From the declaration of the outage. */
const IN_A_ROW = 5;

let service: Service;
beforeAll(async () => {
  service = await startService({ HOLD_RECHECK: `${RECHECK_MS}ms`, WORKER_CONCURRENCY: String(CONCURRENCY) });
});
afterEach(() => service.control('DELETE', '/faults'));
afterAll(() => service.stop());

async function payMany(prefix: string, count: number): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      service.call('POST', '/v1/disbursements', {
        body: {
          accountAlias: '771234567',
          amount: 1_000 + index,
          withdrawMode: 'wallet-a-senegal',
          reference: `${prefix}-${index}`,
        },
      }),
    ),
  );
  return answers.map(({ body }) => body.id);
}

const creations = async (): Promise<number> => (await service.books('summary')).requests['disbursement.create'] ?? 0;
const held = async () => (await service.call('GET', '/v1/accounts')).body.items[0].held;

async function announced(): Promise<{ type: string; reason?: string }[]> {
  const { events } = (await service.published('/v1/events?limit=1000')).body;
  return events.map(({ type, data }: { type: string; data: { reason?: string } }) => ({ type, reason: data.reason }));
}

describe.each(['says it is under maintenance', 'answers 5xx before doing the work'])(
  'while the provider %s',
  (fault) => {
    const name = fault.replaceAll(/\W/g, '');

    test('many disbursements hold the account once, ask little, and are all paid afterwards', async () => {
      const before = { creations: await creations(), events: (await announced()).length };
      await service.control('POST', '/faults', { fault, operation: 'disbursement.create' });
      const ids = await payMany(name, OUTAGE);
      await service.until('/v1/accounts', ({ items }) => items[0].held.length > 0);
      expect(await held()).toMatchObject([{ area: 'payments', reason: 'maintenance' }]);

      // Held: one disbursement per interval runs as a trial, however many wait.
      const heldAt = Date.parse((await held())[0].since);
      const intervals = (): number => (Date.now() - heldAt) / RECHECK_MS;
      const asked = (await creations()) - before.creations;
      expect(asked).toBeLessThanOrEqual(IN_A_ROW + CONCURRENCY + Math.ceil(intervals()));
      await expect.poll(creations).toBeGreaterThan(before.creations + asked + 2);
      const probes = (await creations()) - before.creations - asked;
      expect(probes).toBeLessThanOrEqual(intervals());

      await service.control('DELETE', '/faults');
      await service.until('/v1/accounts', ({ items }) => items[0].held.length === 0);
      for (const id of ids) await service.until(`/v1/disbursements/${id}`, ({ state }) => state === 'succeeded');

      const events = (await announced()).slice(before.events);
      const ofAccount = events.filter(({ type }) => type.startsWith('account.'));
      expect(ofAccount).toEqual([
        { type: 'account.held', reason: 'maintenance' },
        { type: 'account.released', reason: 'maintenance' },
      ]);
      expect(events.filter(({ type }) => type === 'disbursement.succeeded')).toHaveLength(OUTAGE);
      expect(events).toHaveLength(OUTAGE + 2);
    });
  },
);
