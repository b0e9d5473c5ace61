import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../src/lib/random.ts';
import { publishLimits } from '../../src/operations/limits.ts';
import { CollectAcceptance } from '../../src/producer/acceptance-collect.ts';
import { type FreshRedis, freshRedis } from '../support/fresh-redis.ts';

let fresh: FreshRedis;
beforeAll(async () => {
  fresh = await freshRedis();
});
afterAll(() => fresh.close());

test('a direct credit never waits for an approval, not even under a limit that is set while it is accepted', async () => {
  const { redis } = fresh;
  const limited = new Proxy(redis, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (name !== 'hget') return typeof value === 'function' ? value.bind(target) : value;
      return async (key: string, field: string) => {
        const before = await target.hget(key, field);
        await publishLimits(target, { APPROVAL_ABOVE: 10 });
        return before;
      };
    },
  });
  const collect = new CollectAcceptance({
    redis: limited,
    random: seededRandom(3),
    environment: 'test',
    directCredit: true,
    wake: () => undefined,
  });
  const body = { account: 'main', amount: 5_000, accountAlias: '771234567', reference: 'race' };
  expect(await collect.directCredit(body)).toMatchObject({ outcome: 'accepted', state: 'queued' });
  expect(await collect.directCredit({ ...body, reference: 'next' })).toMatchObject({ outcome: 'invalid' });
});
