/** Daily totals: the effect of state changes, and the end of a day. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BookOfDay, Line } from '../../src/kinds/day-totals.ts';
import type { disbursement } from '../../src/kinds/disbursement.ts';
import { DayBook } from '../../src/ledger/day-book.ts';
import { OperationStore } from '../../src/ledger/operation-store.ts';
import { Operations } from '../../src/ledger/operations.ts';
import { Queries } from '../../src/ledger/queries.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { eventLedger } from '../support/published.ts';

type State = keyof typeof disbursement.states;
type Days = Awaited<ReturnType<typeof openDays>>;

const HOUR_MS = 3_600_000;
const EVENING = Date.parse('2026-11-22T20:00:00Z');

let now: number;
let days: Days;
beforeEach(async () => {
  now = EVENING;
  days = await openDays();
});
afterEach(() => days.close());

function asked(id: string, amount: number) {
  const fields = { amount, accountAlias: '771000000', disburseId: id, withdrawMode: 'wallet-a-senegal' };
  const one = { kind: 'disbursement', id, account: 'main', state: 'queued', xof: amount, fields } as const;
  return { ...one, fingerprint: id, dueInMs: 0 };
}

/** The publisher's clock decides the day. */
async function openDays() {
  const world = await eventLedger({ now: () => new Date(now) });
  const { database, ledger } = world;
  const own = new Operations({
    database: { url: ledger.url, schema: ledger.schema },
    process: 'books',
    clock: systemClock,
    random: systemRandom,
    lanes: 1,
  });
  const records = new OperationStore({ operations: own, clock: systemClock, accounts: ['main'], leaseMs: 30_000 });
  const book = new DayBook({ database });
  const read = async (id: string) => {
    const record = await new Queries({ database }).read('disbursement', id);
    if (!record) throw new Error(`no ${id}`);
    return record;
  };
  return {
    records,
    read,
    publish: () => world.publish(),
    accept: async (id: string, amount = 500): Promise<void> => {
      await records.accept(asked(id, amount));
      await world.publish();
    },
    go: async (id: string, ...states: readonly State[]): Promise<void> => {
      for (const to of states) {
        expect((await records.transition(await read(id), undefined, { to })).is).toBe('applied');
        await world.publish();
      }
    },
    day: (date: string, today: string): Promise<BookOfDay> => book.day(date, today),
    close: async () => {
      await own.close();
      await world.close();
    },
  };
}

const PAID: State[] = ['created', 'submitting', 'pending', 'succeeded'];

async function on(date: string, today = date): Promise<Line['sums']> {
  const { lines } = await days.day(date, today);
  return lines[0]?.sums ?? {};
}

const without = (sums: Line['sums']) => Object.fromEntries(Object.entries(sums).filter(([, value]) => value !== 0));

test('payments accepted and finished on one day appear as counts and XOF, and none stays open', async () => {
  await days.accept('dsb_a');
  await days.accept('dsb_b', 300);
  await days.go('dsb_a', ...PAID);
  await days.go('dsb_b', 'created', 'submitting', 'failed');
  expect(without(await on('2026-11-22'))).toEqual({
    accepted: 2,
    acceptedXof: 800,
    succeeded: 1,
    succeededXof: 500,
    failed: 1,
    failedXof: 300,
  });
});

test('open payments at midnight open the next day, also after a day without activity', async () => {
  await days.accept('dsb_a');
  await days.accept('dsb_b', 300);
  await days.go('dsb_b', 'created', 'submitting');
  now += 48 * HOUR_MS;
  await days.go('dsb_b', 'pending', 'succeeded');
  const stood = { '=open': 2, '=openXof': 800, '=doubt': 1, '=doubtXof': 300 };
  const opened = { '<open': 2, '<openXof': 800, '<doubt': 1, '<doubtXof': 300 };
  expect(await on('2026-11-22', '2026-11-24')).toMatchObject({ accepted: 2, ...stood });
  expect(await on('2026-11-23', '2026-11-24')).toEqual({ ...stood, ...opened });
  expect(without(await on('2026-11-24'))).toEqual({
    ...opened,
    '=open': 1,
    '=openXof': 500,
    succeeded: 1,
    succeededXof: 300,
  });
});

test('a past day never changes: later changes count on their own day', async () => {
  await days.accept('dsb_a');
  await days.go('dsb_a', 'created', 'submitting', 'failed');
  now += 24 * HOUR_MS;
  await days.accept('dsb_b', 300);
  const closed = await days.day('2026-11-22', '2026-11-23');
  expect(closed.closed).toBe(true);
  // The provider corrected its status.
  await days.go('dsb_a', 'succeeded');
  expect(await days.day('2026-11-22', '2026-11-23')).toEqual(closed);
  expect(without(await on('2026-11-23'))).toMatchObject({
    accepted: 1,
    failed: -1,
    failedXof: -500,
    succeeded: 1,
  });
});

test('a payment returned later counts as reversed on that day, and as paid on its own', async () => {
  await days.accept('dsb_a');
  await days.go('dsb_a', ...PAID);
  now += 24 * HOUR_MS;
  await days.go('dsb_a', 'reversed');
  expect(without(await on('2026-11-23'))).toEqual({ reversed: 1, reversedXof: 500 });
});

test('a payment reviewed after its success, and returned, was paid all the same', async () => {
  await days.accept('dsb_a');
  await days.go('dsb_a', ...PAID);
  now += 24 * HOUR_MS;
  await days.go('dsb_a', 'needs_review');
  now += 24 * HOUR_MS;
  await days.go('dsb_a', 'reversed');
  const dates = ['2026-11-22', '2026-11-23', '2026-11-24'];
  const all = await Promise.all(dates.map((date) => on(date, '2026-11-24')));
  const sum = (name: string): number => all.reduce((total, sums) => total + (sums[name] ?? 0), 0);
  expect([sum('succeeded'), sum('succeededXof'), sum('reversed'), sum('reversedXof')]).toEqual([1, 500, 1, 500]);
  // Opening balance and accepted equal ended and still open, on each day.
  for (const { '<open': opening = 0, accepted = 0, succeeded = 0, '=open': closing = 0 } of all)
    expect(opening + accepted - succeeded).toBe(closing);
});

test('a request that is repeated, and a change that is not applied, count once', async () => {
  await days.accept('dsb_a');
  await days.accept('dsb_a');
  const before = await days.read('dsb_a');
  await days.go('dsb_a', 'cancelled');
  expect((await days.records.transition(before, undefined, { to: 'cancelled' })).is).toBe('not yours');
  await days.publish();
  expect(without(await on('2026-11-22'))).toMatchObject({ accepted: 1, cancelled: 1, cancelledXof: 500 });
});
