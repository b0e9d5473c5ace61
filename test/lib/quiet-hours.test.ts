import { expect, test } from 'vitest';
import { quietUntil, readQuietHours, readTimeZone } from '../../src/lib/quiet-hours.ts';
import { MessageError } from '../../src/messages/texts.ts';

const night = readQuietHours('21:00-08:00');
const at = (text: string): number => Date.parse(text);
const until = (zone: string, text: string, hours = night): string | undefined => {
  const ends = quietUntil(hours, zone, at(text));
  return ends === undefined ? undefined : new Date(ends).toISOString();
};

test('a night goes over midnight, on the clock of the zone', () => {
  expect(until('Africa/Dakar', '2026-11-21T20:59:59.999Z')).toBeUndefined();
  expect(until('Africa/Dakar', '2026-11-21T21:00:00Z')).toBe('2026-11-22T08:00:00.000Z');
  expect(until('Africa/Dakar', '2026-11-22T07:59:59.999Z')).toBe('2026-11-22T08:00:00.000Z');
  expect(until('Africa/Dakar', '2026-11-22T08:00:00Z')).toBeUndefined();
  // Cotonou is an hour ahead.
  expect(until('Africa/Porto-Novo', '2026-11-21T20:00:00Z')).toBe('2026-11-22T07:00:00.000Z');
});

test('hours within a day are quiet within that day', () => {
  const noon = readQuietHours('12:30-14:00');
  expect(until('Africa/Dakar', '2026-11-21T12:29:00Z', noon)).toBeUndefined();
  expect(until('Africa/Dakar', '2026-11-21T13:00:00Z', noon)).toBe('2026-11-21T14:00:00.000Z');
});

test('the night in which the clocks go forward ends at the same hour, an hour earlier', () => {
  expect(until('Europe/Paris', '2026-03-27T21:00:00Z')).toBe('2026-03-28T07:00:00.000Z');
  expect(until('Europe/Paris', '2026-03-28T21:00:00Z')).toBe('2026-03-29T06:00:00.000Z');
});

test('the night in which the clocks go back ends at the same hour, an hour later', () => {
  expect(until('Europe/Paris', '2026-10-24T21:00:00Z')).toBe('2026-10-25T07:00:00.000Z');
});

test('an end that the clock leaps over is the leap', () => {
  // 02:30 does not exist on that day: 01:59 is followed by 03:00.
  expect(until('Europe/Paris', '2026-03-28T23:00:00Z', readQuietHours('22:00-02:30'))).toBe(
    '2026-03-29T01:00:00.000Z',
  );
});

test.for(['9-17', '21:00', '24:00-08:00', '21:60-08:00', '08:00-08:00', ''])('"%s" is not hours of a day', (text) => {
  expect(() => readQuietHours(text)).toThrow(MessageError);
});

test('an unknown zone is refused by name', () => {
  expect(() => readTimeZone('Africa/Atlantis')).toThrow('Africa/Atlantis');
  expect(readTimeZone('Africa/Dakar')).toBe('Africa/Dakar');
});
