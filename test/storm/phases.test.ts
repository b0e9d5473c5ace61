import { expect, test } from 'vitest';
import { Phases, WaitedInVain, within } from './phases.ts';

const never = new Promise<never>(() => undefined);

test('what does not come is named when patience ends', async () => {
  await expect(within(5, 'the door to end', never)).rejects.toThrow('waited 0 s in vain for the door to end');
  await expect(within(5, () => 'worker-2', never)).rejects.toBeInstanceOf(WaitedInVain);
});

test('what comes, or fails, is told as it is', async () => {
  await expect(within(1_000, 'it', Promise.resolve(7))).resolves.toBe(7);
  await expect(within(1_000, 'it', Promise.reject(new TypeError('no')))).rejects.toThrow('no');
});

test('each phase is told when it is over, also one that never came', async () => {
  const told: string[] = [];
  const phases = new Phases(({ name }) => told.push(name));
  await phases.run('starting', 1_000, Promise.resolve());
  await expect(phases.run('asking', 5, never)).rejects.toThrow('asking');
  expect(told).toEqual(['starting', 'asking']);
  expect(phases.over.every(({ ms }) => ms >= 0)).toBe(true);
});
