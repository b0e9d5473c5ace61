import { expect, test } from 'vitest';
import { readCampaign } from '../../src/cli/campaign-follow.ts';

const campaign = { id: 'cmp_1', state: 'running' };

test('bins that an API does not count are counted as nobody', () => {
  expect(readCampaign({ ...campaign, totals: { total: 5, sent: 3, queued: 'many' } }).totals).toMatchObject({
    total: 5,
    sent: 3,
    queued: 0,
    skipped: 0,
  });
  expect(readCampaign(campaign).totals).toMatchObject({ total: 0, sent: 0 });
});

test('what is no campaign is said to be none', () => {
  expect(() => readCampaign({ id: 7, state: 'running' })).toThrow('no campaign');
});
