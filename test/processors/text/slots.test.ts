import { expect, test } from 'vitest';
import { Slots } from '../../../src/processors/text/slots.ts';

/** Slots of which campaigns have all they may, and messages too where it is asked, and a note of each place as somebody gets it. */
async function full(requests: number, { messages = false } = {}) {
  const slots = new Slots(requests);
  for (let taken = 0; taken < requests + slots.turn; taken += 1) await slots.intents.take();
  if (messages) for (let taken = 0; taken < slots.turn; taken += 1) await slots.intents.take({ single: true });
  const got: string[] = [];
  const ask = (name: string, asking?: Parameters<typeof slots.intents.take>[0]): void =>
    void slots.intents.take(asking).then(() => got.push(name));
  const free = async (places: number): Promise<string[]> => {
    for (let freed = 0; freed < places; freed += 1) slots.intents.giveBack();
    await new Promise((resolve) => setImmediate(resolve));
    return got;
  };
  return { slots, ask, free };
}

test('a turn is as many requests as may be written ahead: a quarter of the slots', () => {
  expect([1, 4, 10, 50].map((requests) => new Slots(requests).turn)).toEqual([1, 1, 3, 13]);
});

test('a worker with few slots sends one slice at a time, and passes on the next after half a second', async () => {
  const atOnce = async (requests: number): Promise<[slices: number, waitsMs: number]> => {
    const { slices, patienceMs } = new Slots(requests);
    const never = { after: (_ms: number, run: () => void) => (run(), () => undefined) };
    let began = 0;
    while (await slices.takeWithin(0, never)) began += 1;
    return [began, patienceMs];
  };
  expect(await Promise.all([1, 4, 10, 20, 50].map(atOnce))).toEqual([
    [1, 500],
    [1, 500],
    [2, 500],
    [3, Number.POSITIVE_INFINITY],
    [5, Number.POSITIVE_INFINITY],
  ]);
});

test('a slice that goes on with its turn gets the next place, and the others come in their order', async () => {
  const { ask, free } = await full(4);
  ask('second slice');
  ask('third slice');
  ask('first slice, once more', { first: true });
  expect(await free(3)).toEqual(['first slice, once more', 'second slice', 'third slice']);
});

test('a message is made ready while campaigns have every place that they may have', async () => {
  const { ask, free } = await full(4);
  for (const n of [1, 2]) ask(`campaign ${n}`);
  ask('message', { single: true });
  expect(await free(0)).toEqual(['message']);
  // What comes back first is kept for the next message.
  expect(await free(1)).toEqual(['message']);
  expect(await free(1)).toEqual(['message', 'campaign 1']);
});

test('a message has the next slot, whatever of campaigns was ready before it', async () => {
  const slots = new Slots(1);
  await slots.requests.take();
  const got: string[] = [];
  const campaign = slots.requests.take().then(() => got.push('campaign'));
  const message = slots.requests.take({ single: true }).then(() => got.push('message'));
  slots.requests.giveBack();
  await message;
  slots.requests.giveBack();
  await campaign;
  expect(got).toEqual(['message', 'campaign']);
});

test('single messages wait for no turn to be over, and leave every other place to the campaigns', async () => {
  const { ask, free } = await full(4, { messages: true });
  for (const n of [1, 2, 3]) ask(`campaign ${n}`, { first: true });
  for (const n of [1, 2]) ask(`message ${n}`, { single: true });
  expect(await free(6)).toEqual(['message 1', 'campaign 3', 'message 2', 'campaign 2', 'campaign 1']);
});

test('a place that nobody waits for is there for the next', async () => {
  const { ask, free } = await full(4, { messages: true });
  await free(1);
  ask('message', { single: true });
  expect(await free(0)).toEqual(['message']);
});
