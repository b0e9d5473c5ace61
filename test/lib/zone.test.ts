import { expect, test } from 'vitest';
import { dateIn, offsetsOf, onClockOf } from '../../src/lib/zone.ts';

test('a time is shown in the time zone, with its offset', () => {
  const at = '2026-07-01T22:30:00.123Z';
  expect(onClockOf('Africa/Dakar', at)).toBe('2026-07-01T22:30:00.123+00:00');
  expect(onClockOf('Africa/Porto-Novo', at)).toBe('2026-07-01T23:30:00.123+01:00');
  expect(onClockOf('America/St_Johns', at)).toBe('2026-07-01T20:00:00.123-02:30');
  expect([onClockOf('Europe/Paris', 'order-1'), onClockOf('Europe/Paris', 7)]).toEqual(['order-1', 7]);
});

test('a day begins at the midnight of its zone', () => {
  const at = Date.parse('2026-07-01T23:30:00Z');
  expect([dateIn('Africa/Dakar', at), dateIn('Africa/Porto-Novo', at)]).toEqual(['2026-07-01', '2026-07-02']);
});

test('a change of the clock is known to the minute, years ahead', () => {
  expect(offsetsOf('Africa/Dakar', Date.parse('2026-11-22'))).toBe('0:0');
  expect(offsetsOf('Europe/Paris', Date.parse('2026-11-22'))).toMatch(/^0:3600000,1806195600000:7200000,/);
});
