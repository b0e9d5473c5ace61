/** Quiet hours apply to every campaign by default, and are shown by name. */
import { expect, test } from 'vitest';
import { campaignRequest } from '../../src/kinds/campaign-request.ts';
import { readQuietHours } from '../../src/lib/quiet-hours.ts';
import { hoursOf, quietNow, quietView } from '../../src/kinds/campaign-hours.ts';
import { wholePaceToRecord } from '../../src/kinds/campaign-switches.ts';
import { loadConfig } from '../../src/config.ts';

const USUAL = { quietHours: readQuietHours('21:00-08:00'), timezone: 'Africa/Dakar' };
const OFF = { ...USUAL, quietHours: undefined };
const NIGHT = Date.parse('2026-11-28T02:43:00Z');
const DAY = Date.parse('2026-11-28T14:05:00Z');

test.for([
  [undefined, 'on'],
  [true, 'on'],
  [false, ''],
  ['off', ''],
  ['22:00-06:00', '22:00-06:00'],
] as const)('a campaign made with quietHours %j is stored with %j', ([quietHours, stored]) => {
  const request = campaignRequest.parse({ name: 'n', text: 'x', ...(quietHours !== undefined && { quietHours }) });
  expect(wholePaceToRecord(request)).toMatchObject({ quietHours: stored });
});

test('QUIET_HOURS are on unless they are off', () => {
  const settings = { REDIS_URL: 'redis://127.0.0.1' };
  expect(loadConfig(settings).QUIET_HOURS).toEqual(USUAL.quietHours);
  expect(loadConfig({ ...settings, QUIET_HOURS: 'off' }).QUIET_HOURS).toBeUndefined();
  expect(hoursOf({ quietHours: 'on' }, OFF)).toBeUndefined();
  expect(quietNow({ campaign: { quietHours: 'on' }, at: NIGHT }, OFF)).toBeUndefined();
});

test.for([
  ['at night with the usual hours', { quietHours: 'on' }, NIGHT, '21:00-08:00', '08:00'],
  ['at night with hours of its own', { quietHours: '22:00-06:30' }, NIGHT, '22:00-06:30', '06:30'],
  ['at night without quiet hours', {}, NIGHT, null, '08:00'],
  ['by day', { quietHours: 'on' }, DAY, '21:00-08:00', undefined],
  ['at night, before its time', { quietHours: 'on', sendAt: DAY }, NIGHT, '21:00-08:00', undefined],
] as const)('%s the hours are named, and the night is shown', ([, campaign, at, hours, ends]) => {
  expect(quietView(campaign, USUAL, at)).toEqual({
    hours,
    usual: '21:00-08:00',
    timezone: 'Africa/Dakar',
    clock: at === NIGHT ? '02:43' : '14:05',
    night: ends === undefined ? null : { until: `2026-11-28T${ends}:00.000Z`, clock: ends },
  });
});

test('without quiet hours in the settings no night is shown', () => {
  expect(quietView({ quietHours: 'on' }, OFF, NIGHT)).toMatchObject({ hours: null, usual: null, night: null });
});
