/** Campaigns with an SMS to a number: found by their recipients, newest first. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function campaignTo(name: string, numbers: readonly string[]): Promise<string> {
  const body = { name, text: 'Bonjour', country: 'SN', reference: name };
  const { body: made } = await service.call('POST', '/v1/campaigns', { body });
  const headers = { 'content-type': 'text/csv' };
  const file = `to\n${numbers.join('\n')}\n`;
  await service.call('POST', `/v1/campaigns/${made.id}/recipients`, { body: file, headers });
  return made.id;
}

const texted = (search: string) => service.call('GET', `/v1/recipients?${search}`);

test('a number is found in each campaign that has it, in any notation, with its result', async () => {
  const first = await campaignTo('first', ['+221771234567', '+221771234568']);
  await campaignTo('of others', ['+221771234569']);
  const last = await campaignTo('last', ['+221770000001', '+221771234567']);
  await service.call('POST', `/v1/campaigns/${first}/start`);
  await service.until(`/v1/campaigns/${first}`, ({ state }) => state === 'finished');
  const { status, body } = await texted('phone=77 123 45 67');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    items: [
      { campaign: last, name: 'last', state: 'queued', row: 3, sentAt: null },
      { campaign: first, name: 'first', state: 'sent', row: 2, sentAt: expect.any(String) },
    ],
    next: null,
  });
  expect((await texted('phone=%2B221771234569')).body.items).toMatchObject([{ name: 'of others' }]);
  expect((await texted('phone=770000009')).body).toEqual({ items: [], next: null });
});

test('pages lead to older campaigns, and each is listed one time', async () => {
  const made: string[] = [];
  for (let nth = 0; nth < 7; nth += 1) made.push(await campaignTo(`paged ${nth}`, ['+221775555555']));
  const found: string[] = [];
  for (let after = ''; ; ) {
    const { body } = await texted(`phone=775555555&limit=2${after}`);
    found.push(...body.items.map(({ campaign }: { campaign: string }) => campaign));
    if (body.next === null) break;
    after = `&after=${body.next}`;
  }
  expect(found).toEqual(made.toReversed());
});

test('an invalid number is refused', async () => {
  expect((await texted('phone=nobody')).status).toBe(422);
  expect((await texted('phone=771234567&after=x')).status).toBe(422);
});

test('an invented cursor gives a key no campaign of another account', async () => {
  const id = await campaignTo('of another', ['+221771234510', '+221771234511']);
  const search = `phone=771234510&after=9999999999999.${id}.0`;
  expect((await texted(search)).body.items).toMatchObject([{ campaign: id }]);
  const { status, body } = await service.call('GET', `/v1/recipients?${search}`, { key: 'stranger-secret' });
  expect([status, body]).toEqual([200, { items: [], next: null }]);
});
