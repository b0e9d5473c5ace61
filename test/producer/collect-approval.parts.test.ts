import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../src/lib/random.ts';
import { SharedLimits } from '../../src/operations/limits.ts';
import { type FreshRedis, freshRedis } from '../support/fresh-redis.ts';
import { collectOver } from '../support/acceptance.ts';

let fresh: FreshRedis;
beforeAll(async () => {
  fresh = await freshRedis();
});
afterAll(() => fresh.close());

test('a direct credit never waits for an approval: what would need one is refused, and what was accepted is found', async () => {
  const { redis } = fresh;
  const collect = collectOver({
    redis,
    random: seededRandom(3),
    environment: 'test',
    directCredit: true,
    wake: () => undefined,
  });
  const body = { account: 'main', amount: 5_000, accountAlias: '771234567', reference: 'before' };
  expect(await collect.directCredit(body)).toMatchObject({ outcome: 'accepted', state: 'queued' });
  await new SharedLimits(redis).set('APPROVAL_ABOVE', 10, 'maker');
  expect(await collect.directCredit(body)).toMatchObject({ outcome: 'duplicate', state: 'queued' });
  expect(await collect.directCredit({ ...body, reference: 'next' })).toMatchObject({
    outcome: 'invalid',
    problems: [{ pointer: '/amount', message: expect.stringContaining('APPROVAL_ABOVE') }],
  });
});

test('what is asked for is woken in the queue of its state, unless a caller waits for it', async () => {
  const wokenBy = async (nobodyWaits: boolean): Promise<readonly string[]> => {
    const woken: string[] = [];
    const collect = collectOver({
      redis: fresh.redis,
      random: seededRandom(3),
      environment: `waits ${nobodyWaits}`,
      directCredit: true,
      nobodyWaits,
      wake: (queue) => woken.push(queue),
    });
    const named = { account: 'wakes', reference: `once ${nobodyWaits}` };
    await collect.invoice({ ...named, totalAmount: 1_000, store: { name: 'Boutique' } });
    await collect.paymentRequest({ ...named, amount: 1_000, phone: '+221771234567', feesPaidBy: 'customer' });
    await collect.directCredit({ ...named, amount: 5, accountAlias: 'shop' });
    return woken;
  };
  expect(await wokenBy(true)).toEqual(['invoice-confirm', 'status-poll', 'direct-credit']);
  expect(await wokenBy(false)).toEqual(['direct-credit']);
});
