import { expect, test } from 'vitest';
import { checkFile } from './read-file.ts';

const FILE = 'to\n+221770000001\nnobody\n77 000 00 02\n+221770000002\n+221770000003\n';

test('opt-outs are listed, and read in bulk', async () => {
  const asked: (readonly string[])[] = [];
  const { rows, summary } = await checkFile(FILE, {
    country: 'SN',
    optedOut: async (numbers) => {
      asked.push(numbers);
      return numbers.map((number) => number === '+221770000002');
    },
  });
  expect(asked.flat()).toEqual(['+221770000001', '+221770000002', '+221770000002', '+221770000003']);
  // The last row has no line end, so it arrives in its own piece.
  expect(asked.length).toBeLessThanOrEqual(2);
  expect(rows.map((row) => (row.is === 'recipient' ? row.to : row.reason))).toEqual([
    '+221770000001',
    'not_a_number',
    'opted_out',
    'opted_out',
    '+221770000003',
  ]);
  expect(summary.reasons.opted_out?.examples).toEqual([
    { row: 4, to: '77 000 00 02' },
    { row: 5, to: '+221770000002' },
  ]);
});

test('an unreachable store stops the check: no SMS is sent on a guess', async () => {
  const check = checkFile(FILE, { optedOut: () => Promise.reject(new Error('Redis is away')) });
  await expect(check).rejects.toThrow('Redis is away');
});
