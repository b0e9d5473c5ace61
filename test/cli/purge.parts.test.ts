import { expect, test } from 'vitest';
import { apiThat } from './api-double.ts';
import { relais } from './terminal.ts';

const page = (more: object = {}) => ({
  phone: '+22177•••4567',
  looked: 10_000,
  found: { messages: 1, recipients: 2, intakeJobs: 0, events: 0, optOuts: 0 },
  open: 0,
  kept: 'Disbursements stay.',
  ...more,
});

test('continues page after page, and shows what it found and what stays', async () => {
  const { asked, env } = await apiThat(({ body }) => ({
    body: body.after ? page() : page({ next: '77', found: { messages: 1, recipients: 1, optOuts: 1 } }),
  }));
  const { code, stdout, stderr } = await relais(['purge', '--phone', '77 123 45 67', '--country', 'sn'], { env });
  expect([code, asked.map(({ body }) => body)]).toEqual([
    0,
    [
      { phone: '77 123 45 67', country: 'SN' },
      { phone: '77 123 45 67', country: 'SN', after: '77' },
    ],
  ]);
  expect(stdout).toMatch(/messages\s+2\nrecipients\s+3\n/);
  expect(stdout).toMatch(/opt-out\s+kept, as a hash/);
  expect(stderr).toContain('Disbursements stay.');
});

test('remaining data in flight is reported, and is no success', async () => {
  const { env } = await apiThat(() => ({ body: page({ open: 3 }) }));
  const { code, stderr } = await relais(['purge', '--phone', '+221771234567'], { env });
  expect([code, stderr]).toEqual([1, expect.stringContaining('3 are pending')]);
});

test('asks on a terminal before an irreversible act', async () => {
  const { asked, env } = await apiThat(() => ({ body: page() }));
  expect((await relais(['purge', '--phone', '+221771234567'], { env, isTerminal: true, types: 'n\n' })).code).toBe(1);
  expect(asked).toEqual([]);
});
