/** The same copy of Redis is put back a second time, after it was worked on. */
import { expect, test } from 'vitest';
import { keys } from '../../src/operations/keys.ts';
import { Restored } from '../../src/operations/restored.ts';
import type { ProcessorContext } from '../../src/processors/context.ts';
import { restoreAll } from '../../src/processors/recovery/desk.ts';
import { copyOf, storeOfThisFile } from '../support/fresh-redis.ts';
import { processorWorld } from '../support/processor-world.ts';
import { campaignWorld } from './campaign-world.ts';

const HOUR = 3_600_000;
const SECOND = 1_000;
/** Time enough for a recovery to come to its end. */
const LONG = 60_000;

const store = storeOfThisFile();

/** `since`: when it began. */
async function recover(context: ProcessorContext, since: number): Promise<void> {
  await store.redis.hset(keys.heartbeat, 'recovering', 'rolled_back');
  const turn = { lost: { since, from: since - HOUR, at: since }, untilMono: context.clock.monotonic() + LONG };
  expect(await restoreAll({ restored: new Restored(store.redis), context }, turn)).toBe(true);
}

const BEGAN = Date.UTC(2026, 10, 27, 10);

test('what is told and decided after it has numbers that neither time before it gave', async () => {
  const world = processorWorld(store.redis);
  const { context } = world;
  const fields = { amount: 5_000, accountAlias: '771234567', withdrawMode: 'wallet-a-senegal', disburseId: 'd1' };
  const asked = { kind: 'disbursement', id: 'dsb_a', account: 'main', fingerprint: 'a', dueInMs: 0, fields } as const;
  await world.operations.accept({ ...asked, state: 'queued' });
  const putBack = await copyOf(store.redis);
  const numbersAfter = async (since: number) => {
    await recover(context, since);
    const { rev = 0, fields: { seq = '' } = {} } = (await world.queries.read('disbursement', 'dsb_a')) ?? {};
    return { rev, seq: Number(seq) };
  };
  const first = await numbersAfter(BEGAN);
  await putBack();
  const second = await numbersAfter(BEGAN + 5 * SECOND);
  expect(second.rev - first.rev).toBe(5 * SECOND);
  expect(second.seq - first.seq).toBe(5);
});

test('a campaign that the copy shows as an earlier recovery left it goes on beyond that one too, and once', async () => {
  const world = campaignWorld(store.redis);
  const id = await world.started(3);
  const numbersAfter = async (since: number) => {
    await recover(world.context, since);
    const [rev, seq] = await store.redis.hmget(keys.record(id), 'rev', 'seq');
    return { rev: Number(rev), seq: Number(seq) };
  };
  await numbersAfter(BEGAN - HOUR);
  const putBack = await copyOf(store.redis);
  const first = await numbersAfter(BEGAN);
  await putBack();
  const second = await numbersAfter(BEGAN + 5 * SECOND);
  expect(second.rev - first.rev).toBe(5 * SECOND);
  expect(second.seq - first.seq).toBe(5);
});
