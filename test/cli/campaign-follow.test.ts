import { expect, test } from 'vitest';
import { readCampaign } from '../../src/cli/campaign-follow.ts';
import { wordsIn } from '../../src/words/languages.ts';

const words = wordsIn('en');
const campaign = { id: 'cmp_1', state: 'running' };

test('bins that an API does not count are counted as nobody', () => {
  expect(readCampaign({ ...campaign, totals: { total: 5, sent: 3, queued: 'many' } }, words).totals).toMatchObject({
    total: 5,
    sent: 3,
    queued: 0,
    skipped: 0,
  });
  expect(readCampaign(campaign, words).totals).toMatchObject({ total: 0, sent: 0 });
});

test('what is no campaign is said to be none', () => {
  expect(() => readCampaign({ id: 7, state: 'running' }, words)).toThrow('no campaign');
});
