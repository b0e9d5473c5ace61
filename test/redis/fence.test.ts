import { expect, test } from 'vitest';
import type { Clock } from '../../src/lib/clock.ts';
import { type Fence, createFence } from '../../src/redis/durability.ts';

test('a write that reached its replicas passes', async () => {
  const { fence, answer } = fenced();
  const passed = fence.pass();
  await answer(1);
  expect(await passed).toBe(true);
  expect(fence.closed()).toBeUndefined();
});

test('who asks while a wait is on its way shares the next one: it began before their write', async () => {
  const { fence, answer, waits } = fenced();
  const first = fence.pass();
  await Promise.resolve();
  const later = [fence.pass(), fence.pass(), fence.pass()];
  await answer(1);
  expect(await first).toBe(true);
  await answer(1);
  expect(await Promise.all(later)).toEqual([true, true, true]);
  expect(waits()).toBe(2);
});

test('after a wait in vain nobody passes, and nobody waits, for five seconds', async () => {
  const { fence, answer, waits, pass } = fenced();
  const passed = fence.pass();
  await answer(0);
  expect(await passed).toBe(false);
  expect(fence.closed()).toContain('did not reach 1 replica(s)');
  expect(await fence.pass()).toBe(false);
  expect(waits()).toBe(1);

  pass(5_000);
  expect(fence.closed()).toBeUndefined();
  const again = fence.pass();
  await answer(1);
  expect(await again).toBe(true);
});

test('a wait that breaks off is told to who waited, and the next one begins', async () => {
  const { fence, answer } = fenced();
  const broken = expect(fence.pass()).rejects.toThrow('Command timed out');
  await answer(new Error('Command timed out'));
  await broken;
  const next = fence.pass();
  await answer(2);
  expect(await next).toBe(true);
});

function fenced(): {
  readonly fence: Fence;
  readonly answer: (reached: number | Error) => Promise<void>;
  readonly waits: () => number;
  readonly pass: (ms: number) => void;
} {
  let nowMs = 0;
  let asked = 0;
  const open: ((reached: number | Error) => void)[] = [];
  const clock = { monotonic: () => nowMs } as Clock;
  const wait = (): Promise<number> => {
    asked += 1;
    return new Promise((resolve, reject) =>
      open.push((reached) => (reached instanceof Error ? reject(reached) : resolve(reached))),
    );
  };
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  return {
    fence: createFence({ wait, replicas: 1, clock }),
    answer: async (reached) => {
      await turns();
      open.shift()?.(reached);
      await turns();
    },
    waits: () => asked,
    pass: (ms) => {
      nowMs += ms;
    },
  };
}
