import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { defaultCredentials } from '../../src/sandbox/sandbox.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ DEFAULT_COUNTRY: 'SN' });
});
afterEach(async () => {
  await service.ledger.query('delete from relais.opt_out');
});
afterAll(() => service.stop());

const add = (body: object) => service.call('POST', '/v1/opt-outs', { body });
const people = (...numbers: string[]): string => ['numero;prenom', ...numbers.map((n) => `${n};Awa`)].join('\n');

let made = 0;
async function ready(csv: string, more: object = {}): Promise<string> {
  made += 1;
  const body = { name: 'test', text: `Bonjour {{prenom}} (${made})`, reference: `c-${made}`, ...more };
  const { body: campaign } = await service.call('POST', '/v1/campaigns', { body });
  const headers = { 'content-type': 'text/csv' };
  const answer = await service.call('POST', `/v1/campaigns/${campaign.id}/recipients`, { body: csv, headers });
  expect(answer.status).toBe(200);
  return campaign.id;
}
async function sent(id: string): Promise<any> {
  await service.call('POST', `/v1/campaigns/${id}/start`);
  return service.until(`/v1/campaigns/${id}`, ({ state }) => state === 'finished');
}
async function textedIn(round: number): Promise<string[]> {
  const items: { to: string; text: string; times: number }[] = await service.books('messages');
  return items.filter(({ text, times }) => text.endsWith(`(${round})`) && times > 0).map(({ to }) => to);
}

test('a recipient who opts out between upload and send gets no SMS, and counts as skipped', async () => {
  const id = await ready(people('771000001', '771000002', '771000003'));
  const answer = await add({ phones: ['77 100 00 02'] });
  expect([answer.status, answer.body]).toEqual([
    200,
    { account: 'main', from: null, added: 1, already: 0, refused: 0, problems: [] },
  ]);
  expect((await sent(id)).totals).toMatchObject({ total: 3, sent: 2, skipped: 1, queued: 0, sending: 0 });
  expect((await textedIn(made)).toSorted()).toEqual(['+221771000001', '+221771000003']);
  const { body } = await service.call('GET', `/v1/campaigns/${id}/recipients?state=skipped`);
  expect(body.items).toMatchObject([{ to: '+221771000002', state: 'skipped', reason: 'opted_out' }]);
});

test('an opt-out from one sender ID does not affect another', async () => {
  const { smsSender: own } = defaultCredentials;
  await add({ phones: ['771000021'], from: own });
  await add({ phones: ['771000022'], from: 'OTHER' });
  expect((await sent(await ready(people('771000021', '771000022')))).totals).toMatchObject({ sent: 1, skipped: 1 });
  expect(await textedIn(made)).toEqual(['+221771000022']);
});

test('a single message to an opted-out number ends as skipped and is reported; a one-time password is sent', async () => {
  await add({ phones: ['771000031'] });
  const to = '+221771000031';
  const { body } = await service.call('POST', '/v1/messages', {
    body: [
      { to, text: 'promotion' },
      { to, text: 'your code is 4711', lane: 'otp' },
    ],
  });
  const [ad, code] = body.items.map(({ id }: { id: string }) => id);
  await service.until(`/v1/messages/${ad}`, ({ state }) => state === 'skipped');
  await service.until(`/v1/messages/${code}`, ({ state }) => state === 'sent');
  const { body: told } = await service.published('/v1/events?types=message.skipped');
  expect(told.events).toMatchObject([{ data: { id: ad, state: 'skipped', reason: 'opted_out' } }]);
});

test('a number is found as it was copied from an address book', async () => {
  await add({ phones: ['\u202d77 100 00 43\u202c', '+221 (0) 77 100 00 44', '+221 0 77 100 00 45'] });
  const asked = (phone: string) => service.call('GET', `/v1/opt-outs?phone=${encodeURIComponent(phone)}`);
  for (const phone of ['+221771000043', '\u2066+221\u00a077 100\u201100\u200b43\u2069', '+221 (0) 77 100 00 44'])
    expect((await asked(phone)).body).toMatchObject({ optedOut: true });
  expect((await asked('+221 0 77 100 00 45')).status).toBe(422);
});

test('an opt-out in the old numbering also covers the new number', async () => {
  expect((await add({ phones: ['+225 07 08 09 10'] })).body).toMatchObject({ added: 1, refused: 0 });
  const asked = await service.call('GET', '/v1/opt-outs?phone=%2B22507080910');
  expect(asked.body).toMatchObject({ phone: '+2250707080910', optedOut: true });
  const file = await add({ phones: ['07 08 09 11'], country: 'CI' });
  expect(file.body).toMatchObject({ added: 1, refused: 0 });
  const body = { name: 'old', text: 'Bonjour', reference: 'c-old' };
  const { body: campaign } = await service.call('POST', '/v1/campaigns', { body });
  const upload = await service.call('POST', `/v1/campaigns/${campaign.id}/recipients?repair=CI,BJ`, {
    body: people('+225 07 08 09 10', '+225 07 08 09 11', '+225 07 08 09 12'),
    headers: { 'content-type': 'text/csv' },
  });
  expect(upload.body).toMatchObject({ recipients: 1, skipped: 2, reasons: { opted_out: { count: 2 } } });
});

test('a spreadsheet of thousands is read row by row; unreadable rows are named by row, not by number', async () => {
  const rows = Array.from({ length: 3_000 }, (_, n) => `77${String(2_000_000 + n)}`);
  const { body } = await service.call('POST', '/v1/opt-outs?from=SHOP', {
    body: `telephone;nom\n${rows.join(';x\n')};x\n12;y`,
    headers: { 'content-type': 'text/csv' },
  });
  expect(body).toMatchObject({
    from: 'SHOP',
    added: 3_000,
    refused: 1,
    problems: [{ at: 3_002, reason: 'too_short' }],
  });
  const page = await service.call('GET', '/v1/opt-outs?from=SHOP&limit=500');
  expect(page.body).toMatchObject({ total: 3_000, next: expect.any(String) });
  const asked = await service.call('GET', '/v1/opt-outs?from=SHOP&phone=772000007');
  expect(asked.body).toMatchObject({ phone: '+221772000007', optedOut: true });
});

test('of a file in which much cannot be read the first are named, and all are counted', async () => {
  const body = `to\n221770000001\n${'nobody\n'.repeat(1_500)}`;
  const answer = await service.call('POST', '/v1/opt-outs', { body, headers: { 'content-type': 'text/csv' } });
  expect(answer.body).toMatchObject({ added: 1, already: 0, refused: 1_500 });
  expect(answer.body.problems).toHaveLength(20);
  expect(answer.body.problems[0]).toMatchObject({ at: 3 });
});

test('a body without one readable number is refused', async () => {
  const { status, body } = await add({ phones: ['12', 'x'] });
  expect([status, body.problems.length]).toEqual([422, 2]);
});
