/** While the canary is sent alone, a campaign shows when the rest follows, but no end. */
import { expect, test } from 'vitest';
import { campaignView } from '../../src/api/views.ts';
import type { CampaignRecord } from '../../src/operations/record.ts';

const AT = Date.parse('2026-11-28T02:46:00Z');
const policy = { timezone: 'Africa/Dakar', settleDelayMs: 60_000 };
const totals = { total: 2_005, queued: 1_950, held: 0, sending: 0, sent: 50, failed: 0, unknown: 0, skipped: 5 };
const upload = { tag: 'a', hash: 'b', slices: 3, recipients: 2_000, skipped: 5 };

const running = {
  kind: 'campaign',
  id: 'cmp_1',
  state: 'running',
  account: 'main',
  name: 'November',
  text: 'x',
  createdAt: AT - 20_000,
  updatedAt: AT,
  since: AT - 10_000,
  startedAt: AT - 10_000,
  uploads: [upload],
  totals,
  fields: {},
} as unknown as CampaignRecord;

test('the first recipients are named, and when the rest follows; there is no end time', () => {
  expect(campaignView(running, AT, { policy })).toMatchObject({
    canaryWait: { recipients: 50, restAt: '2026-11-28T02:46:50.000Z' },
    eta: null,
  });
  expect(campaignView(running, AT + 120_000, { policy })).toMatchObject({
    canaryWait: { recipients: 50, restAt: null },
  });
});

test.for([
  ['its canary has arrived', { canaryOver: true }],
  ['it has no canary', { canary: 0 }],
  ['it is small', { uploads: [{ ...upload, recipients: 500 }] }],
  ['it is held', { state: 'held' }],
] as const)('no canary is shown when %s', ([, more]) => {
  const view = campaignView({ ...running, ...more }, AT, { policy });
  expect(view).toMatchObject({ canaryWait: null });
});

test('an end time is shown after the canary has arrived', () => {
  const over = { ...running, canaryOver: true };
  expect(campaignView(over, AT, { policy })).toMatchObject({ eta: expect.any(String) });
});
