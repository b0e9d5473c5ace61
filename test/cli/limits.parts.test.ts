import { expect, test } from 'vitest';
import { apiThat } from './api-double.ts';
import { relais } from './terminal.ts';

const standing = { name: 'MAX_DISBURSEMENT', value: 2_000_000, since: null, by: null };
const asked = { value: 5_000_000, by: 'maker', at: '2026-11-21T08:00:00.000Z' };

test('relais limits shows the values, their authors, and pending changes', async () => {
  const window = { name: 'DUPLICATE_WINDOW', value: 600_000, since: '2026-11-20T08:00:00.000Z', by: 'maker', asked };
  const { env } = await apiThat(() => ({
    body: { items: [standing, { ...window, asked: { ...asked, value: null } }] },
  }));
  const { code, stdout } = await relais(['limits'], { env });
  expect(code).toBe(0);
  expect(stdout.replaceAll('\u00a0', ' ')).toMatch(/MAX_DISBURSEMENT +2 000 000 XOF +default/);
  expect(stdout).toMatch(/DUPLICATE_WINDOW +10m +2026-11-20T08:00:00.000Z +maker +off +maker +2026-11-21/);
});

test('a looser one waits for a different person, and that is no failure', async () => {
  const { asked: requests, env } = await apiThat(() => ({ status: 202, body: { ...standing, asked } }));
  const { code, stderr } = await relais(['limits', 'set', 'MAX_DISBURSEMENT', '5000000'], { env });
  expect([code, requests.map(({ path, body }) => [path, body])]).toEqual([
    0,
    [['/v1/limits/MAX_DISBURSEMENT', { value: 5_000_000 }]],
  ]);
  expect(stderr).toContain('For one day, a different person');
  expect(stderr).toContain('relais limits set MAX_DISBURSEMENT 5000000');
});

test('values are written as in the settings', async () => {
  const { asked: requests, env } = await apiThat(() => ({ body: standing }));
  for (const [name, value] of [
    ['DUPLICATE_WINDOW', '10m'],
    ['MAX_PER_DAY', 'off'],
  ] as const) {
    expect((await relais(['limits', 'set', name, value], { env })).code).toBe(0);
  }
  expect(requests.map(({ body }) => body)).toEqual([{ value: 600_000 }, { value: null }]);
  for (const wrong of [
    ['MAX_PER_DAY', '10m'],
    ['MAX_PER_DAY', '0'],
    ['DUPLICATE_WINDOW', '0s'],
    ['DUPLICATE_WINDOW', '5'],
    ['MAX_SPEED', '5'],
  ]) {
    expect((await relais(['limits', 'set', ...wrong], { env })).code).toBe(2);
  }
});

test('asks on a terminal', async () => {
  const { asked: requests, env } = await apiThat(() => ({ body: standing }));
  const argv = ['limits', 'set', 'MAX_PER_DAY', '5'];
  expect((await relais(argv, { env, isTerminal: true, types: 'n\n' })).code).toBe(1);
  expect(requests).toEqual([]);
});
