/** Permits of one process: their order, and the queries of PostgreSQL. */
import { expect, test } from 'vitest';
import { Permits, type TakenPermits } from '../../src/ledger/permits.ts';

interface Asked {
  readonly demand: number;
  readonly wanted: number;
  readonly answer: (taken: number, everyMs?: number) => void;
  readonly fail: (error: Error) => void;
}

function world() {
  let mono = 0;
  const asked: Asked[] = [];
  const take = (demand: number, wanted: number): Promise<TakenPermits> =>
    new Promise((resolve, reject) => {
      const answer = (taken: number, everyMs = 10): void => resolve({ taken, waitMs: (nth) => nth * everyMs });
      asked.push({ demand, wanted, answer, fail: reject });
    });
  const clock = { monotonic: () => mono };
  const permits = new Permits({ clock, goodForMs: 200, longestWaitMs: 1_000, most: 8, take });
  const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
  return { permits, asked, turn, pass: (ms: number): void => void (mono += ms) };
}

test('requests of one moment share a statement, the first gets the first permit', async () => {
  const { permits, asked, turn } = world();
  const three = [1, 2, 3].map(() => permits.take());
  await turn();
  expect(asked).toMatchObject([{ demand: 3, wanted: 3 }]);
  asked[0]?.answer(2);
  expect(await Promise.all(three)).toEqual([{ freeAtMono: 10 }, { freeAtMono: 20 }, { retryAfterMs: 30 }]);
});

test('a request that comes meanwhile gets a permit that is left, and the next ones no statement', async () => {
  const { permits, asked, turn } = world();
  const first = permits.take();
  await turn();
  const late = permits.take();
  asked[0]?.answer(3);
  expect(await Promise.all([first, late, permits.take()])).toEqual([
    { freeAtMono: 10 },
    { freeAtMono: 20 },
    { freeAtMono: 30 },
  ]);
  expect(asked).toHaveLength(1);
});

test('permits taken in advance follow demand, and an unused one expires', async () => {
  const { permits, asked, turn, pass } = world();
  for (const wanted of [1, 2, 4, 8, 8]) {
    const one = permits.take();
    await turn();
    expect(asked.at(-1)).toMatchObject({ demand: 1, wanted });
    asked.at(-1)?.answer(1);
    await one;
  }
  const more = permits.take();
  await turn();
  asked.at(-1)?.answer(8);
  await more;
  pass(281);
  const afterwards = permits.take();
  await turn();
  expect(asked.at(-1)).toMatchObject({ demand: 1, wanted: 1 });
  asked.at(-1)?.answer(1);
  await afterwards;
});

test('while the next permit is too distant, PostgreSQL is not queried', async () => {
  const { permits, asked, turn, pass } = world();
  const none = permits.take();
  await turn();
  asked[0]?.answer(0, 5_000);
  expect(await none).toEqual({ retryAfterMs: 5_000 });
  pass(3_000);
  expect(await permits.take()).toEqual({ retryAfterMs: 2_000 });
  expect(asked).toHaveLength(1);
  pass(1_000);
  void permits.take();
  await turn();
  expect(asked).toHaveLength(2);
});

test('requests whose statement fails get the error, and the next one asks again', async () => {
  const { permits, asked, turn } = world();
  const one = permits.take();
  await turn();
  asked[0]?.fail(new Error('away'));
  await expect(one).rejects.toThrow('away');
  const other = permits.take();
  await turn();
  asked[1]?.answer(1);
  expect(await other).toEqual({ freeAtMono: 10 });
});
