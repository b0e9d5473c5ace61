/** What was accepted in a lost time, and was not over at the loss, is not done once more because it is asked for again. */
import { expect, test } from 'vitest';
import { HistoryReader } from '../../src/history/reader.ts';
import { fingerprint } from '../../src/lib/ids.ts';
import { keys } from '../../src/operations/keys.ts';
import { Campaigns } from '../../src/operations/campaigns.ts';
import { LostIdentities } from '../../src/operations/lost-identities.ts';
import { HistoryAway } from '../../src/operations/past.ts';
import { Queries } from '../../src/operations/queries.ts';
import { campaignWorld } from '../processors/campaign-world.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { noticedCopyOf, historyOfThisFile } from './history-world.ts';

const DAY_MS = 86_400_000;
const NOON = Date.parse('2026-11-01T12:00:00Z');
const AWAY = 'postgres://127.0.0.1:1/none';

const store = storeOfThisFile();
const here = historyOfThisFile(store, NOON);
const { pass } = here;

const lost = { since: 7, from: NOON, at: NOON };
const always = (): boolean => true;
const said = { person: '', role: 'enqueue', door: 'api', requestId: 'r', target: '', by: 'shop' } as const;

function identitiesOf(url: string | undefined): LostIdentities {
  const past = url === undefined ? undefined : new HistoryReader(url, () => undefined);
  const campaigns = new Campaigns(store.redis, { now: here.now });
  return new LostIdentities({ redis: store.redis, past, campaigns, keepMs: 400 * DAY_MS, now: here.now });
}

const credit = (id: string) =>
  here.world.operations.accept({
    kind: 'direct_credit',
    id,
    account: 'main',
    state: 'queued',
    fingerprint: fingerprint(id),
    xof: 900,
    dueInMs: 0,
    reference: `of-${id}`,
    fields: { amount: 900, accountAlias: 'shop' },
    act: { ...said, act: 'direct-credit.create' },
  });

/** Everything that came since the copy is gone, and relais has noticed it. */
async function putBackTheCopy(): Promise<void> {
  await store.redis.flushdb();
  await store.redis.hset(keys.heartbeat, 'recovering', 'rolled_back');
}
const leave = () => store.redis.hdel(keys.heartbeat, 'recovering');

test('a credit of the lost time that was not over is refused when it is asked for again', async () => {
  await credit('dcr_a');
  await pass();
  await putBackTheCopy();
  const identities = identitiesOf(here.database.url);
  expect(await identities.turn(lost, always)).toBe(true);
  expect(await identities.taken()).toEqual(['dcr_a']);
  await leave();
  expect(await credit('dcr_a')).toEqual({ outcome: 'lost', id: 'dcr_a' });
  expect(await credit('dcr_b'), 'another is accepted').toMatchObject({ outcome: 'accepted' });
  const { count } = await new Queries(store.redis).counts('direct_credit');
  expect(count).toEqual({ queued: 1 });
});

test('a disbursement is asked for again under its own id, and the copy keeps what it has', async () => {
  await here.world.ask('dsb_a', { act: { ...said, act: 'disbursement.create' } });
  await credit('dcr_a');
  await pass();
  await putBackTheCopy();
  await leave();
  await credit('dcr_a');
  await store.redis.hset(keys.heartbeat, 'recovering', 'rolled_back');
  const identities = identitiesOf(here.database.url);
  await identities.turn(lost, always);
  expect(await identities.taken()).toEqual([]);
  await leave();
  expect(await here.world.ask('dsb_a')).toMatchObject({ outcome: 'accepted' });
  expect(await credit('dcr_a')).toMatchObject({ outcome: 'duplicate', state: 'queued' });
});

test('a page at a time, broken off between each, all are taken; and none once the recovery is over', async () => {
  const ids = Array.from({ length: 1_100 }, (_, nth) => `dcr_${nth}`);
  await Promise.all(ids.map(credit));
  await pass();
  await putBackTheCopy();
  const turns: boolean[] = [];
  while (turns.at(-1) !== true) {
    turns.push(await identitiesOf(here.database.url).turn(lost, () => false));
    await expect(identitiesOf(AWAY).turn(lost, always)).rejects.toThrow(HistoryAway);
  }
  expect(turns.length).toBeGreaterThan(2);
  expect(await identitiesOf(undefined).taken()).toEqual(ids.toSorted());
  await store.redis.flushdb();
  await identitiesOf(here.database.url).turn(lost, always);
  expect(await credit('dcr_1')).toMatchObject({ outcome: 'accepted' });
});

test('a draft that was filled and started in the lost time, and was not over at the loss, is given up and named', async () => {
  const { drafted, fill, campaigns, read } = campaignWorld(store.redis);
  const [id, other] = [await drafted(), await drafted()];
  const putBack = await noticedCopyOf(store.redis);
  await fill(id, 50);
  await campaigns.switch(id, 'start', { act: { ...said, act: 'campaign.start', target: id } });
  await pass();
  await putBack();
  const identities = identitiesOf(here.database.url);
  const early = { ...lost, from: 0 };
  expect([await identities.turn(early, always), await identities.turn(early, always)]).toEqual([true, true]);
  expect(await identities.taken()).toEqual([id]);
  expect([(await read(id)).state, (await read(other)).state]).toEqual(['cancelled', 'draft']);
  await expect(fill(id, 50)).resolves.toBe(false);
  const [[, told] = []] = await store.redis.xrange(keys.events, '-', '+');
  expect(told?.join(' '), 'under an id that nothing of the lost time had').toMatch(
    /^op cmp_1 seq 1001 .* type campaign\.cancelled .*restored/,
  );
});
