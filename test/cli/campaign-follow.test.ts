import { expect, test } from 'vitest';
import { readCampaign } from '../../src/cli/campaign-follow.ts';
import { nightOf } from '../../src/cli/campaign-night.ts';
import { wordsIn } from '../../src/messages/languages.ts';

const words = wordsIn('en');
const campaign = { id: 'cmp_1', state: 'running' };

test('statuses that an API does not count are 0', () => {
  expect(readCampaign({ ...campaign, totals: { total: 5, sent: 3, queued: 'many' } }, words).totals).toMatchObject({
    total: 5,
    sent: 3,
    queued: 0,
    skipped: 0,
  });
  expect(readCampaign(campaign, words).totals).toMatchObject({ total: 0, sent: 0 });
});

test('an id of another kind is refused as no campaign', () => {
  expect(() => readCampaign({ id: 7, state: 'running' }, words)).toThrow('not a campaign');
});

test.for([
  [
    'en',
    '21:00-08:00',
    'It is 02:43 in Dakar. Quiet hours are 21:00-08:00: the SMS wait until 08:00. To send at night: relais campaign pace cmp_1 --no-quiet-hours',
  ],
  [
    'en',
    null,
    'It is 02:43 in Dakar. The SMS leave at once, at night. To wait until 08:00: relais campaign pace cmp_1 --quiet-hours',
  ],
  [
    'fr',
    '21:00-08:00',
    'Il est 02:43 à Dakar. Plage sans envoi 21:00-08:00 : les SMS attendent 08:00. Pour envoyer de nuit : relais campaign pace cmp_1 --no-quiet-hours',
  ],
] as const)('at night a start warns, with the choice (%s, hours %s)', ([language, hours, said]) => {
  const quiet = { hours, timezone: 'Africa/Dakar', clock: '02:43', night: { until: 'x', clock: '08:00' } };
  expect(nightOf({ ...campaign, quiet }, wordsIn(language))).toBe(said);
  expect(nightOf({ ...campaign, quiet: { ...quiet, night: null } }, wordsIn(language))).toBeUndefined();
  expect(nightOf(campaign, wordsIn(language))).toBeUndefined();
});

test('the canary of an answer is read, and no canary of an older API', () => {
  const canaryWait = { recipients: 50, restAt: null };
  expect(readCampaign({ ...campaign, canaryWait }, words)).toMatchObject({ canary: canaryWait });
  expect(readCampaign({ ...campaign, canaryWait: null }, words).canary).toBeUndefined();
});
