import { expect, test } from 'vitest';
import { sharedFence } from '../../src/producer/connection.ts';

test('one wait for the replicas covers all that was written before it', async () => {
  let waits = 0;
  const fence = sharedFence(async () => {
    waits += 1;
    if (waits === 2) throw new Error('gone');
    return true;
  });
  expect(await Promise.all([fence(), fence(), fence()])).toEqual([true, true, true]);
  expect(waits).toBe(1);
  expect((await Promise.allSettled([fence(), fence()])).map(({ status }) => status)).toEqual([
    'rejected',
    'rejected',
  ]);
});
