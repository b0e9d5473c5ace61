import { expect, test } from 'vitest';
import { apiThat, type Reply } from './api-double.ts';
import { relais } from './terminal.ts';

const ID = 'cmp_4n7q0c1w2e3r4t5y6z7a8b9c0d';
const totals = { total: 110, queued: 0, held: 0, sending: 0, sent: 90, failed: 13, unknown: 7, skipped: 0 };
const campaign = (state: string, more: object = {}) => ({ id: ID, name: 'Rappel', state, totals, rate: 0, ...more });

const takesIt = () =>
  apiThat(({ method }): Reply => ({ body: method === 'GET' ? campaign('finished') : campaign('running') }));

test('retry requests the failed recipients, and shows their number', async () => {
  const { asked, env } = await takesIt();
  const { code, stdout, stderr } = await relais(['campaign', 'retry', ID], { env });
  expect([code, asked[1]?.path, asked[1]?.body]).toEqual([0, `/v1/campaigns/${ID}/retry`, { includeUnknown: false }]);
  expect(stdout).toMatch(/again +13/);
  expect(stderr).not.toContain('twice');
});

test('recipients who may have got it are sent to only on request, and with a warning', async () => {
  const { asked, env } = await takesIt();
  const { stdout, stderr } = await relais(['campaign', 'retry', ID, '--include-unknown'], { env });
  expect(asked[1]?.body).toEqual({ includeUnknown: true });
  expect([stdout, stderr]).toEqual([
    expect.stringMatching(/again +20/),
    expect.stringContaining('7 of them may have got'),
  ]);
});

test('a campaign that cannot be retried is refused with the reason', async () => {
  const { env } = await apiThat(
    ({ method }): Reply =>
      method === 'GET'
        ? { body: campaign('running') }
        : {
            status: 409,
            body: {
              title: 'Wrong state',
              detail: 'The campaign is paused. Only a finished campaign can be retried.',
            },
          },
  );
  const { code, stderr } = await relais(['campaign', 'retry', ID], { env });
  expect([code, stderr]).toEqual([1, expect.stringContaining('Only a finished campaign can be retried')]);
});

test('show has the counts of each country', async () => {
  const countries = { SN: { recipients: 100, sent: 80, failed: 13, unknown: 7 } };
  const { env } = await apiThat(() => ({ body: campaign('finished', { countries }) }));
  const { stdout } = await relais(['campaign', 'show', ID], { env });
  expect(stdout).toMatch(/SN +100, of which 80 sent and 13 failed/);
});

test('create passes on the treatment of unknown recipients, and refuses other words', async () => {
  const { asked, env } = await apiThat((): Reply => ({ status: 201, body: campaign('draft') }));
  const creating = ['campaign', 'create', '--name', 'Rappel', '--text', 'Bonjour', '--on-unknown'];
  await relais([...creating, 'resend'], { env });
  expect(asked[0]?.body).toMatchObject({ onUnknown: 'resend' });
  expect((await relais([...creating, 'again'], { env })).code).toBe(2);
});
