/** What answers after a reconnect may be the Redis of another deployment: whoever beats there writes nothing. */
import { expect, test } from 'vitest';
import { systemRandom } from '../../src/lib/random.ts';
import { Heartbeat } from '../../src/operations/heartbeat.ts';
import { keys } from '../../src/operations/keys.ts';
import { type Deployment, KeysOfAnother, stampAs } from '../../src/operations/stamp.ts';
import { heldBy, storeOfThisFile } from '../support/fresh-redis.ts';

const store = storeOfThisFile();
const aProcess = (ours: Deployment) =>
  new Heartbeat({ redis: store.redis, random: systemRandom, silenceMs: 900_000, ours });

const LIVE: Deployment = { environment: 'live', addresses: { SERVICE_BASE_URL: 'a1' }, accounts: { main: 'live' } };
const others: readonly Deployment[] = [
  { ...LIVE, environment: 'staging' },
  { ...LIVE, addresses: { SERVICE_BASE_URL: 'b2' } },
  { ...LIVE, accounts: { main: 'test' } },
];
test.for(others)('the keys of another deployment are left as they are, with %o', async (theirs) => {
  const ours = aProcess(LIVE);
  await ours.begin(undefined);
  await store.redis.flushdb();
  await stampAs(store.redis, theirs);
  await aProcess(theirs).begin(undefined);
  const before = await heldBy(store.redis);
  await expect(ours.beat()).rejects.toThrow(KeysOfAnother);
  await expect(aProcess(LIVE).begin(undefined)).rejects.toThrow(KeysOfAnother);
  ours.lost('9999999999999-0');
  ours.refused();
  await expect(ours.end()).rejects.toThrow(KeysOfAnother);
  expect(await heldBy(store.redis)).toEqual(before);
});

test('a deployment that has lost its stamp, or has more accounts since, is no other one', async () => {
  const ours = aProcess(LIVE);
  await stampAs(store.redis, LIVE);
  await ours.begin(undefined);
  await stampAs(store.redis, { ...LIVE, accounts: { main: 'live', shop: 'test' } });
  await ours.beat();
  expect(ours.recovering()).toBeUndefined();
  await store.redis.del(keys.heartbeat);
  await ours.beat();
  expect(ours.recovering()?.because).toBe('rolled_back');
  await store.redis.flushdb();
  await ours.beat();
  expect(ours.recovering()?.because).toBe('rolled_back');
});
