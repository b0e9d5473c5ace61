import { expect, test } from 'vitest';
import { type Part, together } from '../../src/app/parts.ts';

/** A part that records its calls, and stops when the test allows it. */
function part(name: string, told: string[], goes: Promise<void> = Promise.resolve()): Part {
  return {
    name,
    start: async () => {
      told.push(`${name} starts`);
      return async () => {
        told.push(`${name} stops`);
        await goes;
        told.push(`${name} has stopped`);
      };
    },
  };
}

test('all are stopped at once, and the whole has stopped with the last one', async () => {
  const told: string[] = [];
  let letGo: () => void = () => undefined;
  const slow = new Promise<void>((resolve) => (letGo = resolve));
  const stop = await together('both', [part('a', told), part('b', told, slow)]).start();
  const stopped = stop().then(() => told.push('all have stopped'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(told).toEqual(['a starts', 'b starts', 'a stops', 'b stops', 'a has stopped']);
  letGo();
  await stopped;
  expect(told.slice(-2)).toEqual(['b has stopped', 'all have stopped']);
});

test('one that does not start stops those that had, and is named', async () => {
  const told: string[] = [];
  const broken: Part = { name: 'b', start: () => Promise.reject(new Error('no such queue')) };
  await expect(together('both', [part('a', told), broken]).start()).rejects.toThrow('b did not start: no such queue');
  expect(told).toEqual(['a starts', 'a stops', 'a has stopped']);
});

test('one that does not stop is named, and does not prevent the others from stopping', async () => {
  const told: string[] = [];
  const stop = await together('both', [part('a', told, Promise.reject(new Error('stuck'))), part('b', told)]).start();
  await expect(stop()).rejects.toThrow(/a did not stop/);
  expect(told).toContain('b has stopped');
});
