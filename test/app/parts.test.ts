import { expect, test } from 'vitest';
import { type Part, startAll } from '../../src/app/parts.ts';

function recorder() {
  const told: string[] = [];
  const part = (name: string, { failsToStart = false, failsToStop = false } = {}): Part => ({
    name,
    start: async () => {
      if (failsToStart) throw new Error('no such address');
      told.push(`start ${name}`);
      return async () => {
        told.push(`stop ${name}`);
        if (failsToStop) throw new Error('stuck');
      };
    },
  });
  return { told, part };
}

test('parts start in order and stop in the reverse of it', async () => {
  const { told, part } = recorder();
  const stop = await startAll([part('a'), part('b')]);
  await stop();
  expect(told).toEqual(['start a', 'start b', 'stop b', 'stop a']);
});

test('when a part does not start, those before it are stopped and the error names it', async () => {
  const { told, part } = recorder();
  const parts = [part('a'), part('b'), part('c', { failsToStart: true }), part('d')];
  await expect(startAll(parts)).rejects.toThrow('c did not start: no such address');
  expect(told).toEqual(['start a', 'start b', 'stop b', 'stop a']);
});

test('a part that does not stop keeps no other from stopping', async () => {
  const { told, part } = recorder();
  const stop = await startAll([part('a'), part('b', { failsToStop: true })]);
  await expect(stop()).rejects.toThrow('b did not stop');
  expect(told).toContain('stop a');
});
