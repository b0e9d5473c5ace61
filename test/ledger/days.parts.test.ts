/** Days of the publisher: when one ends, the position that closes it, and the retention of totals. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DayBook } from '../../src/ledger/day-book.ts';
import { type EventLedger, eventLedger, publisherOf } from '../support/published.ts';

let world: EventLedger;
let now: number;
beforeAll(async () => {
  world = await eventLedger();
});
afterAll(() => world?.close());
beforeEach(() =>
  world.ledger.query(`truncate relais.day_total, relais.closed_day, relais.event, relais.outbox;
    update relais.stream set position = 0, trimmed = 0, day = null; update relais.leader set process = null, lease_until = null`),
);

const at = (time: string): void => {
  now = Date.parse(time);
};
const publisher = (more: object = {}) => publisherOf(world.database, { now: () => new Date(now), ...more });
const count = (name: string): Promise<unknown> =>
  world.ledger.query(`insert into relais.outbox (id, account, subject, type, data, totals)
    values ('a.1', 'main', 'a', 'message.sent', '{"id": "a"}', '{"text|main|SN|${name}": 1}')`);
const days = async (): Promise<readonly string[]> =>
  (await world.ledger.query<{ day: string }>('select day::text from relais.day_total order by day')).map(
    ({ day }) => day,
  );

test('a day is that of the zone, also where its clock is changed', async () => {
  const one = publisher({ timezone: 'Europe/Paris' });
  for (const time of ['2027-03-26T22:30Z', '2027-03-26T23:30Z', '2027-03-28T21:30Z', '2027-03-28T22:30Z']) {
    at(time);
    await count('sent');
    await one.step();
  }
  expect(await days()).toEqual(['2027-03-26', '2027-03-27', '2027-03-28', '2027-03-29']);
});

test('midnight closes a day without any event, at its position', async () => {
  const [one, book] = [publisher(), new DayBook({ database: world.database })];
  at('2026-11-22T23:59:59Z');
  await count('sent');
  await one.step();
  expect(await book.day('2026-11-22', '2026-11-22')).toMatchObject({ closed: false, lines: [{ sums: { sent: 1 } }] });
  at('2026-11-24T00:00:00Z');
  expect(await book.day('2026-11-22', '2026-11-24'), 'the publisher is late').toMatchObject({ closed: false });
  await one.step();
  await count('sent');
  await one.step();
  expect(await world.ledger.query('select day::text, position from relais.closed_day order by day')).toEqual([
    { day: '2026-11-22', position: '1' },
    { day: '2026-11-23', position: '1' },
  ]);
  expect(await book.day('2026-11-22', '2026-11-24')).toEqual({
    closed: true,
    lines: [{ kind: 'text', account: 'main', place: 'SN', sums: { sent: 1 } }],
  });
  expect(await book.day('2026-11-23', '2026-11-24')).toEqual({ closed: true, lines: [] });
});

test('a clock that goes back opens no closed day again', async () => {
  at('2026-11-23T00:00:01Z');
  await count('sent');
  await publisher().step();
  at('2026-11-22T23:59:00Z');
  await count('failed');
  await publisher().step();
  expect(await days()).toEqual(['2026-11-23', '2026-11-23']);
});

test('totals are stored for the configured time', async () => {
  const one = publisher({ keepDays: 2 });
  for (const day of ['20', '21', '22', '23', '24']) {
    at(`2026-11-${day}T10:00:00Z`);
    await count('sent');
    await one.step();
  }
  expect(await days()).toEqual(['2026-11-22', '2026-11-23', '2026-11-24']);
});
