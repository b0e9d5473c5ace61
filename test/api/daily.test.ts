/** The daily report as a file. */
import { expect, test } from 'vitest';
import { dailyCsv, rowsOf } from '../../src/api/daily.ts';

test('each figure of the CSV is a whole number', () => {
  // The totals have hundredths. French Excel reads 12345.5 as a text, and omits it from sums.
  const sums = { sent: 3, sentSegments: 3, cost: 1_234_550 };
  const rows = rowsOf([{ account: 'main', kind: 'text', place: 'SN', sums }]);
  const csv = dailyCsv({ date: '2026-11-22', timezone: 'UTC', closed: true, rows });
  const [head = [], line = []] = csv.split('\r\n').map((one) => one.split(';'));
  expect(line[head.indexOf('costEstimatedXof')]).toBe('12346');
  expect(line.slice(3).filter((cell) => !/^\d+$/.test(cell))).toEqual([]);
});
