/** Running workers, and their total slots. */
import { expect, test } from 'vitest';
import { Workers, workersHere } from '../../src/ledger/workers.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { ledgerOfThisFile } from '../support/ledger-of-file.ts';

const ledger = ledgerOfThisFile('presence');

interface Options {
  readonly slots: number;
  readonly place?: string;
  readonly now?: () => number;
}

const open = ({ now, ...options }: Options): Workers =>
  new Workers({
    ...options,
    database: ledger.database,
    random: systemRandom,
    ...(now && { now: () => new Date(now()) }),
  });

test('a worker knows how many slots all that are here have together', async () => {
  let now = 1_000_000;
  const worker = (slots: number) => open({ slots, now: () => now });
  const [one, other] = [worker(4), worker(12)];
  await one.say();
  expect(one.times).toBe(1);
  await other.say();
  await one.say();
  expect([one.times, other.times]).toEqual([4, 16 / 12]);
  await other.leave();
  await one.say();
  expect(one.times).toBe(1);
});

test('one that has been silent for a while is not here any more', async () => {
  let now = 1_000_000;
  const worker = () => open({ slots: 4, now: () => now });
  const [one, killed] = [worker(), worker()];
  await killed.say();
  await one.say();
  expect(one.times).toBe(2);
  now += 10_000;
  await one.say();
  expect([one.times, (await ledger.query('select from relais.presence')).length]).toEqual([1, 1]);
});

test('each is listed by its machine and process, while it is running', async () => {
  const worker = (place: string, slots: number) => open({ slots, place });
  const [one, other] = [worker('pay-1:12', 50), worker('pay-2:\u001b[31m7', 4)];
  expect(await workersHere(ledger.database)).toEqual([]);
  await one.say();
  await other.say();
  expect(await workersHere(ledger.database)).toEqual([
    { name: expect.stringMatching(/^pay-1:12 [0-9a-f]{8}$/), slots: 50 },
    { name: expect.stringMatching(/^pay-2:_\[31m7 [0-9a-f]{8}$/), slots: 4 },
  ]);
  await one.leave();
  expect(await workersHere(ledger.database)).toMatchObject([{ slots: 4 }]);
});
