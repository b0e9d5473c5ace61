import { expect, test } from 'vitest';
import { apiThat } from './api-double.ts';
import { relais } from './terminal.ts';

const csv = { 'content-type': 'text/csv' };
const argv = ['report', 'daily', '--csv'];

test('a file waits out a 429 as any answer does', async () => {
  const { asked, env } = await apiThat((_asked, at) =>
    at === 1
      ? { status: 429, headers: { 'retry-after': '2' }, body: { title: 'Too many requests' } }
      : { headers: csv, body: 'day,xof\n' },
  );
  const { code, stdout, slept } = await relais(argv, { env });
  expect([code, stdout, slept, asked.length]).toEqual([0, 'day,xof\n', [2_000], 2]);
});

test('one that is too large is not called lost, nor is it asked for again', async () => {
  const { asked, env } = await apiThat(() => ({ headers: csv, body: 'x'.repeat(65 * 1_024 * 1_024) }));
  const { code, stderr } = await relais(argv, { env });
  expect([code, asked.length]).toEqual([1, 1]);
  expect(stderr).toContain('larger than a command takes');
  expect(stderr).not.toMatch(/lost|again/);
});
