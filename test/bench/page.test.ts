import { expect, test } from 'vitest';
import { median } from './measure.ts';
import { readOptions } from './options.ts';
import { chartOf } from './report/chart.ts';
import { isReached, tableOf } from './report/page.ts';
import type { Row } from './rows.ts';

const row: Row = {
  title: 'work <of> some kind',
  figures: [{ label: 'relais', values: [300, 100, 200], unit: 'things/s' }],
  aims: [
    { text: 'of the bare loop', value: 0.25, least: 0.5 },
    { text: 'bytes', value: 50, most: 100 },
  ],
};

test('the median of an even number of runs lies between the two in the middle', () => {
  expect(median([4, 1, 3])).toBe(3);
  expect(median([4, 1, 3, 2])).toBe(2.5);
});

test('a row shows its median, its least and its most, and whether each aim was reached', () => {
  const table = tableOf([row]);
  expect(table).toContain('| relais | **200** (100 – 300) | things/s |');
  expect(table).toContain('- ✗ **0.25** of the bare loop (aim: ≥ 0.5)');
  expect(table).toContain('- ✓ **50** bytes (aim: ≤ 100)');
});

test('an aim may be a least, a most, or nothing to reach', () => {
  expect(isReached({ text: '', value: 1, least: 1 })).toBe(true);
  expect(isReached({ text: '', value: 1.1, most: 1 })).toBe(false);
  expect(isReached({ text: '', value: 1 })).toBeUndefined();
});

test('the chart has a bar for each aim, longer than the aim where it was reached', () => {
  const chart = chartOf([row]);
  expect(chart.match(/<rect x=/g)).toHaveLength(2);
  expect(chart).toContain('work &lt;of&gt; some kind: of the bare loop');
  expect(chart).toContain('>0.50</text>');
  expect(chart).toContain('>2.00</text>');
});

test('what is not asked for takes the size of a full run, or of a quick one', () => {
  expect(readOptions([])).toMatchObject({ rounds: 5, recipients: 100_000, largeCampaign: 1_000_000, share: 1 });
  expect(readOptions(['--quick', '--rounds', '7', 'otp'])).toMatchObject({
    rounds: 7,
    largeCampaign: 0,
    rows: ['otp'],
  });
});

test.for([[['--rounds', 'many']], [['teatime']]])('%j is refused', ([args]) => {
  expect(() => readOptions(args ?? [])).toThrow(RangeError);
});
