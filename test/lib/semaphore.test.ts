import { describe, expect, test } from 'vitest';
import { Semaphore } from '../../src/lib/semaphore.ts';

/** Work that is over when it is told so. */
function work() {
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  return { over, end: () => end() };
}

/** Lets everybody go on who can. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('permits', () => {
  test('let so many work at a time, and the others in the order in which they came', async () => {
    const permits = new Semaphore(2);
    const works = [work(), work(), work(), work()];
    const begun: number[] = [];
    const all = works.map(({ over }, index) =>
      permits.within((waited) => {
        begun.push(index);
        return over.then(() => waited);
      }),
    );
    await settle();
    expect(begun).toEqual([0, 1]);
    works[1]?.end();
    await settle();
    expect(begun).toEqual([0, 1, 2]);
    for (const { end } of works) end();
    expect(await Promise.all(all)).toEqual([false, false, true, true]);
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  test('are given back by work that fails, and none is lost or made', async () => {
    const permits = new Semaphore(1);
    const broken = permits.within(() => Promise.reject(new Error('no')));
    const next = permits.within((waited) => Promise.resolve(waited));
    await expect(broken).rejects.toThrow('no');
    expect(await next).toBe(true);
    expect(await permits.within((waited) => Promise.resolve(waited))).toBe(false);
    const [first, second] = [work(), work()];
    const begun: string[] = [];
    const both = [first, second].map(({ over }, index) => permits.within(() => (begun.push(String(index)), over)));
    await settle();
    expect(begun).toEqual(['0']);
    first.end();
    second.end();
    await Promise.all(both);
  });
});
