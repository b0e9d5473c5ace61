/** What the book of the day, and the count of outcomes, have of texts whose campaign is cancelled. */
import { describe, expect, test } from 'vitest';
import { keys } from '../../../src/operations/keys.ts';
import { Retries } from '../../../src/operations/retries.ts';
import type { ProcessorContext } from '../../../src/processors/context.ts';
import { lookAtSlice } from '../../../src/processors/text/look.ts';
import { sendSlice } from '../../../src/processors/text/slice.ts';
import { Slots } from '../../../src/processors/text/slots.ts';
import { storeOfThisFile } from '../../support/fresh-redis.ts';
import { LEASE_MS } from '../../support/processor-world.ts';
import { SETTLE_DELAY_MS, ServiceDouble } from '../../support/texts-bench.ts';
import { campaignWorld, sentTo } from '../campaign-world.ts';

const store = storeOfThisFile();
const PRICE = 10;
/** Hundredths of XOF. */
const COST = PRICE * 100;

async function bench(recipients: number, fields: Readonly<Record<string, string | number>> = {}) {
  const world = campaignWorld(store.redis, { size: recipients });
  const service = new ServiceDouble(world.now);
  const { policy } = world.context;
  const context = sentTo(service, { ...world.context, policy: { ...policy, prices: { SN: PRICE } } });
  const id = await world.ready(recipients, { canary: 0, ...fields });
  await world.campaigns.switch(id, 'start');
  await world.feed(id);
  const slice = `${id}.ab-0`;
  const look = () => lookAtSlice(slice, context);
  /** Sums of the day. */
  const booked = async (...measures: readonly string[]) => {
    const book = await store.redis.hgetall(keys.book);
    return measures.map((measure) =>
      Object.entries(book)
        .filter(([name]) => name.startsWith('text|main|') && name.endsWith(`|${measure}`))
        .reduce((sum, [, value]) => sum + Number(value), 0),
    );
  };
  return {
    ...world,
    service,
    context,
    id,
    slice,
    booked,
    send: (how: Partial<ProcessorContext> = {}) => sendSlice(slice, { ...context, slots: new Slots(50), ...how }),
    look,
    lookTwice: async () => {
      for (const _ of [1, 2]) {
        world.advance(SETTLE_DELAY_MS);
        await look();
      }
    },
    cancel: () => world.campaigns.switch(id, 'cancel'),
    totals: async () => (await world.read(id)).totals,
    outcomes: () => store.redis.hgetall(keys.counts('outcome')),
  };
}

describe('a campaign that is cancelled after a worker died', () => {
  async function died(recipients: number) {
    const world = await bench(recipients);
    void world.send({ fence: () => new Promise(() => undefined) });
    await expect.poll(async () => (await world.totals()).sending).toBe(recipients);
    await world.cancel();
    world.advance(LEASE_MS + 1);
    expect(await world.send()).toMatchObject({ reason: 'campaign_cancelled' });
    return world;
  }

  test('has those who may have got it in the book, and among the outcomes', async () => {
    const world = await died(3);
    expect(await world.totals()).toMatchObject({ unknown: 3, sending: 0 });
    expect(await world.booked('unknown', 'unknownSegments', 'cost')).toEqual([3, 3, 3 * COST]);
    expect(await world.outcomes()).toMatchObject({ unknown: '3' });
  });

  test('has nobody fewer than none in doubt once it is known what became of them', async () => {
    const world = await died(2);
    const [to = ''] = (await world.slices.read(world.slice))?.items.split('\n') ?? [];
    world.service.book.push({ to: `+${to}`, text: `hello from ${world.id}`, code: '00', at: world.now() });
    await world.lookTwice();
    expect(await world.totals()).toMatchObject({ sent: 1, unknown: 1 });
    expect(await world.booked('sent', 'unknown', 'cost')).toEqual([1, 1, 2 * COST]);
  });
});

/** Their requests were lost, so they wait to be sent to once more. */
async function waitingForMore(recipients: number) {
  const world = await bench(recipients, { onUnknown: 'resend' });
  world.service.fate.push('lost');
  await world.send();
  expect(await world.booked('unknown', 'cost')).toEqual([recipients, recipients * COST]);
  await world.lookTwice();
  expect(await world.totals()).toMatchObject({ queued: recipients });
  return world;
}

test('a campaign that is cancelled before its people in doubt go out again has them in the book as they were', async () => {
  const world = await waitingForMore(3);
  await world.cancel();
  expect(await world.send()).toMatchObject({ reason: 'campaign_cancelled' });
  expect(await world.totals()).toMatchObject({ unknown: 3, cancelled: 0 });
  expect(await world.booked('unknown', 'cost')).toEqual([3, 3 * COST]);
  expect(await world.outcomes()).toMatchObject({ unknown: '3' });
});

/** A retry has opened the slice for those whom the first time left in doubt. */
async function retried(recipients: number, fields: Readonly<Record<string, string | number>> = {}) {
  const world = await bench(recipients, fields);
  world.service.fate.push('lost');
  await world.send();
  await world.lookTwice();
  const retries = new Retries(store.redis, { now: world.now });
  await retries.start(world.id, { includeUnknown: true });
  expect(await retries.gather(await world.read(world.id), 1, 1_000)).toEqual([world.slice]);
  return world;
}

test('what a retry opens again stays in the book, and is not counted once more where it is cancelled', async () => {
  const world = await retried(3);
  await world.cancel();
  await world.send();
  expect(await world.totals()).toMatchObject({ unknown: 3, cancelled: 0 });
  expect(await world.booked('unknown', 'cost')).toEqual([3, 3 * COST]);
});

test('what a retry opens again is not counted once more where its person opts out', async () => {
  const world = await retried(2);
  const numbers = (await world.slices.read(world.slice))?.items.split('\n').map((digits) => `+${digits}`) ?? [];
  await world.context.optOuts.add({ account: 'main', sender: '' }, numbers);
  await world.send();
  expect(await world.totals()).toMatchObject({ unknown: 2, queued: 0 });
  expect(await world.booked('unknown', 'cost')).toEqual([2, 2 * COST]);
});
