/** Money limits set by processes and users: how they become stricter, and who can make them looser. */
import { expect, test } from 'vitest';
import { MoneyLimits } from '../../src/ledger/limits.ts';
import { type Opinions, moneyLimits, ASKED_FOR_MS } from '../../src/kinds/limits.ts';
import { seededRandom, systemRandom } from '../../src/lib/random.ts';
import { ledgerOfThisFile } from '../support/ledger-of-file.ts';

const ledger = ledgerOfThisFile('limit_value', 'limit_proposal', 'audit_line');
let now = 1_800_000_000_000;

const limitsOf = (own: Opinions = {}): MoneyLimits =>
  new MoneyLimits({ database: ledger.database, own, now: () => now });
const empty = (): Promise<unknown> => ledger.query('truncate relais.limit_value, relais.limit_proposal');
const started = (own: Opinions) => limitsOf(own).publish('settings of worker', systemRandom.hex(8));

test('a starting process learns which limits it made stricter, and where its settings are looser', async () => {
  expect(await started({ APPROVAL_ABOVE: 50_000, MAX_DISBURSEMENT: 900_000, MAX_PER_DAY: null })).toEqual({
    lowered: [
      { name: 'MAX_DISBURSEMENT', from: 2_000_000, to: 900_000 },
      { name: 'MAX_PER_DAY', from: null, to: null },
      { name: 'APPROVAL_ABOVE', from: null, to: 50_000 },
    ],
    looser: [],
  });
  expect(await started({ APPROVAL_ABOVE: 50_000, MAX_DISBURSEMENT: 900_000 })).toEqual({ lowered: [], looser: [] });
  expect(await started({ APPROVAL_ABOVE: null, MAX_DISBURSEMENT: 900_001, MAX_PER_DAY: 5 })).toEqual({
    lowered: [{ name: 'MAX_PER_DAY', from: null, to: 5 }],
    looser: ['MAX_DISBURSEMENT', 'APPROVAL_ABOVE'],
  });
  expect(await limitsOf().inForce()).toEqual({ MAX_DISBURSEMENT: 900_000, MAX_PER_DAY: 5, APPROVAL_ABOVE: 50_000 });
});

test('a process that retries after a lost answer gets the first result', async () => {
  const shared = limitsOf({ MAX_DISBURSEMENT: 900_000 });
  const first = await shared.publish('settings of worker', 'op-1');
  expect(first.lowered).toHaveLength(1);
  expect(await shared.publish('settings of worker', 'op-1')).toEqual(first);
  expect((await shared.publish('settings of worker', 'op-2')).lowered).toEqual([]);
});

test('a running process publishes its settings again only where users have set nothing', async () => {
  const shared = limitsOf({ MAX_DISBURSEMENT: 10_000 });
  const again = async () => (await shared.publish('settings of api', systemRandom.hex(8), 'again')).lowered;
  await shared.publish('settings of api', 'op-1');
  expect(await again()).toEqual([]);
  await empty();
  await started({ MAX_DISBURSEMENT: 900_000 });
  expect(await again()).toEqual([{ name: 'MAX_DISBURSEMENT', from: 900_000, to: 10_000 }]);
  for (const by of ['maker', 'checker']) await shared.set('MAX_DISBURSEMENT', 20_000, by);
  expect(await again()).toEqual([]);
  await started({ MAX_DISBURSEMENT: 15_000 });
  expect(await again()).toEqual([]);
  expect(await limitsOf().inForce()).toEqual({ MAX_DISBURSEMENT: 15_000 });
});

test('a process with looser settings at a repeated publication stays ready', async () => {
  const shared = limitsOf({ MAX_DISBURSEMENT: 10_000 });
  await shared.publish('settings of api', 'op-1');
  await started({ MAX_DISBURSEMENT: 5_000 });
  expect(await shared.publish('settings of api', 'op-2', 'again')).toEqual({ lowered: [], looser: [] });
  expect(await shared.reasons(now)).toEqual([]);
});

test('a longer window is stricter, a shorter one is looser', async () => {
  await started({ DUPLICATE_WINDOW: 60_000 });
  expect((await started({ DUPLICATE_WINDOW: 30_000 })).looser).toEqual(['DUPLICATE_WINDOW']);
  expect((await started({ DUPLICATE_WINDOW: 90_000 })).lowered).toMatchObject([{ from: 60_000, to: 90_000 }]);
  expect(await limitsOf({ DUPLICATE_WINDOW: 120_000 }).inForce()).toMatchObject({ DUPLICATE_WINDOW: 120_000 });
});

test('a request waits for a different person for a day', async () => {
  const shared = limitsOf();
  await shared.set('MAX_PER_DAY', 100, 'maker');
  const ask = async (by: string) => (await shared.set('MAX_PER_DAY', 200, by)).is;
  expect(await ask('maker')).toBe('waits');
  now += ASKED_FOR_MS + 1;
  expect((await shared.list(now)).find(({ name }) => name === 'MAX_PER_DAY')).not.toHaveProperty('asked');
  expect(await ask('checker')).toBe('waits');
  now += ASKED_FOR_MS;
  expect(await ask('maker')).toBe('in force');
  expect(await ask('checker')).toBe('unchanged');
  expect((await shared.list(now)).find(({ name }) => name === 'MAX_PER_DAY')).toEqual({
    name: 'MAX_PER_DAY',
    value: 200,
    by: 'checker and maker',
    since: now,
  });
});

test('a repeated request of a limit returns its first result, for a day, and while no other user has changed it', async () => {
  const shared = limitsOf();
  const set = (value: number, by: string) => shared.set('MAX_PER_DAY', value, by);
  const done = { is: 'in force', from: null };
  expect(await set(100, 'maker')).toEqual(done);
  await set(200, 'checker');
  expect(await set(100, 'maker')).toEqual({ ...done, again: true });
  expect((await shared.list(now)).find(({ name }) => name === 'MAX_PER_DAY')).not.toHaveProperty('asked');
  expect((await set(100, 'checker')).is).toBe('unchanged');
  await set(50, 'checker');
  expect((await set(100, 'maker')).is).toBe('waits');
  expect((await set(50, 'checker')).is).toBe('in force');
  now += ASKED_FOR_MS + 1;
  expect(await set(50, 'checker')).toEqual({ is: 'unchanged', from: 50 });
});

test('a stricter limit removes an earlier looser proposal', async () => {
  const shared = limitsOf();
  await shared.set('MAX_PER_DAY', 100, 'maker');
  await shared.set('MAX_PER_DAY', 200, 'maker');
  await started({ MAX_PER_DAY: 50 });
  expect((await shared.set('MAX_PER_DAY', 200, 'checker')).is).toBe('waits');
});

test.for([11, 12, 13])('no single starting process or user ever makes a limit looser (seed %i)', async (seed) => {
  const random = seededRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random.fraction() * from.length)] as T;
  const shared = limitsOf();
  for (let step = 0; step < 200; step += 1) {
    const before = await shared.inForce();
    const name = pick(moneyLimits);
    const value = pick([null, 10, 20, 30]);
    const first = (await shared.list(now)).some((one) => one.name === name && one.since === undefined);
    if (random.fraction() < 0.5) await started({ [name]: value });
    else await shared.set(name, value, 'always the same');
    const after = await shared.inForce();
    const looser = moneyLimits.filter((one) => {
      const [was = Number.POSITIVE_INFINITY, is = Number.POSITIVE_INFINITY] = [before[one], after[one]];
      return one === 'DUPLICATE_WINDOW' ? (before[one] ?? 0) > (after[one] ?? 0) : is > was;
    });
    // The first value of a limit replaces its default.
    expect(
      looser.filter((one) => !(one === 'MAX_DISBURSEMENT' && first)),
      `step ${step}`,
    ).toEqual([]);
  }
});
