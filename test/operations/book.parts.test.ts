/** The daily totals on both stores: what changes of state add to them, when they are asked twice, and when a day ends. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { disbursement } from '../../src/kinds/disbursement.ts';
import { DayBook as LedgerDayBook } from '../../src/ledger/day-book.ts';
import { OperationStore } from '../../src/ledger/operation-store.ts';
import { Operations as LedgerOperations } from '../../src/ledger/operations.ts';
import { Queries as LedgerQueries } from '../../src/ledger/queries.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Public } from '../../src/lib/public.ts';
import { seededRandom, systemRandom } from '../../src/lib/random.ts';
import { type BookOfDay, DayBook, type Line, postsOf } from '../../src/operations/book.ts';
import { keys } from '../../src/operations/keys.ts';
import { Operations } from '../../src/operations/operations.ts';
import { Queries } from '../../src/operations/queries.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { eventLedger } from '../support/published.ts';

type State = keyof typeof disbursement.states;

const HOUR_MS = 3_600_000;
const EVENING = Date.parse('2026-11-22T20:00:00Z');

const store = storeOfThisFile();
let now = EVENING;
const operations = () => new Operations({ redis: store.redis, random: systemRandom, now: () => now });
const book = () => new DayBook(store.redis);

beforeEach(() => {
  now = EVENING;
});

/** A store, as these tests use it. */
interface Days {
  accept(id: string, amount?: number): Promise<void>;
  go(id: string, ...states: State[]): Promise<void>;
  day(date: string, today: string): Promise<BookOfDay>;
  close(): Promise<unknown>;
}

function asked(id: string, amount: number) {
  const fields = { amount, accountAlias: '771000000', disburseId: id, withdrawMode: 'wallet-a-senegal' };
  const one = { kind: 'disbursement', id, account: 'main', state: 'queued', xof: amount, fields } as const;
  return { ...one, fingerprint: id, dueInMs: 0 };
}

async function accept(id: string, amount = 500): Promise<void> {
  await operations().accept(asked(id, amount));
}

async function go(id: string, ...states: State[]): Promise<void> {
  for (const to of states) {
    const record = await new Queries(store.redis).read('disbursement', id);
    if (!record) throw new Error(`no ${id}`);
    expect((await operations().transition(record, undefined, { to })).is).toBe('applied');
  }
}

const onRedis = async (): Promise<Days> => ({
  accept,
  go,
  day: (date, today) => book().day(date, today),
  close: async () => undefined,
});

const takesThePlace = (one: LedgerDayBook): Omit<Public<DayBook>, 'keepIn'> => one;

/** The publisher's clock decides the day. */
const onLedger = async (): Promise<Days> => {
  const world = await eventLedger({ now: () => new Date(now) });
  const { database, ledger } = world;
  const at = { url: ledger.url, schema: ledger.schema };
  const own = new LedgerOperations({
    database: at,
    process: 'books',
    clock: systemClock,
    random: systemRandom,
    lanes: 1,
  });
  const records = new OperationStore({ operations: own, clock: systemClock, accounts: ['main'], leaseMs: 30_000 });
  const queries = new LedgerQueries({ database });
  return {
    accept: async (id, amount = 500) => {
      await records.accept(asked(id, amount));
      await world.publish();
    },
    go: async (id, ...states) => {
      for (const to of states) {
        const record = await queries.read('disbursement', id);
        if (!record) throw new Error(`no ${id}`);
        expect((await records.transition(record, undefined, { to })).is).toBe('applied');
        await world.publish();
      }
    },
    day: (date, today) => takesThePlace(new LedgerDayBook({ database })).day(date, today),
    close: async () => {
      await own.close();
      await world.close();
    },
  };
};

const PAID: State[] = ['created', 'submitting', 'pending', 'succeeded'];

async function on(days: Pick<Days, 'day'>, date: string, today = date): Promise<Line['sums']> {
  const { lines } = await days.day(date, today);
  return lines[0]?.sums ?? {};
}

const without = (sums: Line['sums']) => Object.fromEntries(Object.entries(sums).filter(([, value]) => value !== 0));

const stores = [
  ['Redis', onRedis],
  ['the ledger', onLedger],
] as const;

describe.each(stores)('on %s', (_name, open) => {
  let days: Days;
  beforeEach(async () => {
    days = await open();
    return () => days.close();
  });

  test('what is accepted and ends on one day is told in counts and XOF, and nothing stands', async () => {
    await days.accept('dsb_a');
    await days.accept('dsb_b', 300);
    await days.go('dsb_a', ...PAID);
    await days.go('dsb_b', 'created', 'submitting', 'failed');
    expect(without(await on(days, '2026-11-22'))).toEqual({
      accepted: 2,
      acceptedXof: 800,
      succeeded: 1,
      succeededXof: 500,
      failed: 1,
      failedXof: 300,
    });
  });

  test('what stands at midnight opens the next day, also the one after a day on which nothing happened', async () => {
    await days.accept('dsb_a');
    await days.accept('dsb_b', 300);
    await days.go('dsb_b', 'created', 'submitting');
    now += 48 * HOUR_MS;
    await days.go('dsb_b', 'pending', 'succeeded');
    const stood = { '=open': 2, '=openXof': 800, '=doubt': 1, '=doubtXof': 300 };
    const opened = { '<open': 2, '<openXof': 800, '<doubt': 1, '<doubtXof': 300 };
    expect(await on(days, '2026-11-22', '2026-11-24')).toMatchObject({ accepted: 2, ...stood });
    expect(await on(days, '2026-11-23', '2026-11-24')).toEqual({ ...stood, ...opened });
    expect(without(await on(days, '2026-11-24'))).toEqual({
      ...opened,
      '=open': 1,
      '=openXof': 500,
      succeeded: 1,
      succeededXof: 300,
    });
  });

  test('a day that is over never changes: what comes later is in the day in which it came', async () => {
    await days.accept('dsb_a');
    await days.go('dsb_a', 'created', 'submitting', 'failed');
    now += 24 * HOUR_MS;
    await days.accept('dsb_b', 300);
    const closed = await days.day('2026-11-22', '2026-11-23');
    expect(closed.closed).toBe(true);
    // The service took its word back.
    await days.go('dsb_a', 'succeeded');
    expect(await days.day('2026-11-22', '2026-11-23')).toEqual(closed);
    expect(without(await on(days, '2026-11-23'))).toMatchObject({
      accepted: 1,
      failed: -1,
      failedXof: -500,
      succeeded: 1,
    });
  });

  test('what came back after it was paid is reversed on that day, and was paid on its own', async () => {
    await days.accept('dsb_a');
    await days.go('dsb_a', ...PAID);
    now += 24 * HOUR_MS;
    await days.go('dsb_a', 'reversed');
    expect(without(await on(days, '2026-11-23'))).toEqual({ reversed: 1, reversedXof: 500 });
  });

  test('what was reviewed after it was paid, and came back, was paid all the same', async () => {
    await days.accept('dsb_a');
    await days.go('dsb_a', ...PAID);
    now += 24 * HOUR_MS;
    await days.go('dsb_a', 'needs_review');
    now += 24 * HOUR_MS;
    await days.go('dsb_a', 'reversed');
    const dates = ['2026-11-22', '2026-11-23', '2026-11-24'];
    const all = await Promise.all(dates.map((date) => on(days, date, '2026-11-24')));
    const sum = (name: string): number => all.reduce((total, sums) => total + (sums[name] ?? 0), 0);
    expect([sum('succeeded'), sum('succeededXof'), sum('reversed'), sum('reversedXof')]).toEqual([1, 500, 1, 500]);
    // What was open and what was accepted is what ended and what stays open, on each day.
    for (const { '<open': opening = 0, accepted = 0, succeeded = 0, '=open': closing = 0 } of all)
      expect(opening + accepted - succeeded).toBe(closing);
  });
});

test('a request that is repeated, and a change that is not applied, count once', async () => {
  await accept('dsb_a');
  await accept('dsb_a');
  const before = await new Queries(store.redis).read('disbursement', 'dsb_a');
  if (!before) throw new Error('no record');
  await go('dsb_a', 'cancelled');
  expect((await operations().transition(before, undefined, { to: 'cancelled' })).is).toBe('not yours');
  expect(without(await on(book(), '2026-11-22'))).toMatchObject({ accepted: 1, cancelled: 1, cancelledXof: 500 });
});

test('a script that is sent again after a lost reply counts once', async () => {
  await accept('dsb_a');
  const record = await new Queries(store.redis).read('disbursement', 'dsb_a');
  if (!record) throw new Error('no record');
  const same = () => new Operations({ redis: store.redis, random: seededRandom(7), now: () => now });
  expect((await same().transition(record, undefined, { to: 'cancelled' })).is).toBe('applied');
  expect((await same().transition(record, undefined, { to: 'cancelled' })).is).toBe('mine');
  expect(await on(book(), '2026-11-22')).toMatchObject({ accepted: 1, cancelled: 1, '=open': 0 });
});

test('a zone that moves west makes one day longer, and none after it', async () => {
  await book().keepIn('Africa/Porto-Novo', 400, now);
  now = Date.parse('2026-11-22T20:00:00Z');
  await accept('dsb_a');
  await book().keepIn('Africa/Dakar', 400, now);
  const days: string[] = [];
  for (const [nth, at] of ['22T23:30:00', '23T12:00:00', '24T00:30:00', '24T12:00:00', '25T12:00:00'].entries()) {
    now = Date.parse(`2026-11-${at}Z`);
    await accept(`dsb_${nth}`);
    days.push(new Date(Number(await store.redis.hget(keys.book, 'day')) * 24 * HOUR_MS).toISOString().slice(0, 10));
  }
  expect(days).toEqual(['2026-11-23', '2026-11-23', '2026-11-24', '2026-11-24', '2026-11-25']);
});

test('the day is that of the zone, also where its clock is changed', async () => {
  await book().keepIn('Europe/Paris', 400, Date.parse('2027-03-01T00:00:00Z'));
  const days: string[] = [];
  for (const at of ['2027-03-26T22:30Z', '2027-03-26T23:30Z', '2027-03-28T21:30Z', '2027-03-28T22:30Z']) {
    now = Date.parse(at);
    await accept(`dsb_${at}`);
    days.push(new Date(Number(await store.redis.hget(keys.book, 'day')) * 24 * HOUR_MS).toISOString().slice(0, 10));
  }
  expect(days).toEqual(['2027-03-26', '2027-03-27', '2027-03-28', '2027-03-29']);
});

test('a clock that goes back after a failover opens no day again', async () => {
  now = Date.parse('2026-11-23T00:00:01Z');
  await accept('dsb_a');
  now -= 60_000;
  await accept('dsb_b');
  expect(await on(book(), '2026-11-23')).toMatchObject({ accepted: 2 });
  expect(await on(book(), '2026-11-22', '2026-11-23')).toEqual({});
});

test('days are kept as long as is said', async () => {
  await book().keepIn('Africa/Dakar', 2, now);
  for (let day = 0; day < 5; day += 1) {
    await accept(`dsb_${day}`);
    now += 24 * HOUR_MS;
  }
  expect(await store.redis.hlen(keys.closedDays)).toBe(2);
});

test('a sum that is damaged stops nothing', async () => {
  await accept('dsb_a');
  await store.redis.hset(keys.book, 'disbursement|main|wallet-a-senegal|accepted', 'many');
  await accept('dsb_b');
  await store.redis.set(keys.book, 'none');
  await go('dsb_a', 'cancelled');
  expect((await new Queries(store.redis).read('disbursement', 'dsb_a'))?.state).toBe('cancelled');
});

test('an invoice of which the service names nothing as paid, and which a person accepts, counts as nothing', () => {
  const invoice = {
    kind: 'invoice',
    account: 'main',
    state: 'needs_review',
    fields: { totalAmount: '15000' },
  } as const;
  const paid = (set: object): unknown[] => Object.values(postsOf(invoice, 'completed', { ...set }));
  expect(paid({})).toEqual([1, 15_000]);
  expect(paid({ amountPaid: 14_999 })).toEqual([1, 14_999]);
  expect(paid({ amountPaid: 0 })).toEqual([1, 0]);
});
