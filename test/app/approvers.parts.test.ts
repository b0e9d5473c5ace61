/** `NOTIFY_APPROVERS`: an SMS to each approver when something of another person awaits approval, at most one for each. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BATCHES, deskOf, people } from '../api/batch-desk.ts';
import { type Service, startService } from '../support/service.ts';

const [MAKER, CHECKER, THIRD] = ['+221770000091', '+221770000092', '+221770000093'];
let service: Service;
beforeAll(async () => {
  service = await startService({
    NOTIFY_APPROVERS: `maker=${MAKER}, Checker=${CHECKER},third=${THIRD}`,
    APPROVAL_ABOVE: '10000',
    CAMPAIGN_APPROVAL_ABOVE: '1recipients',
  });
});
afterAll(() => service.stop());
const { send } = deskOf(() => service);

/** SMS of the provider that name an item, by number. */
async function smsAbout(id: string): Promise<readonly (readonly [string, string])[]> {
  const books = await service.books('messages');
  const items: { to: string; text: string; times: number }[] = Array.isArray(books) ? books : books.items;
  return items
    .filter(({ text }) => text.includes(id))
    .flatMap(({ to, text, times }) => Array.from({ length: times }, () => [to, text] as const))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

const told = async (count: number) =>
  service.until('/v1/messages?state=sent&limit=100', ({ items }) => items.length >= count);

test('of a payment, a batch and a campaign that await approval the others are told, and the maker is not', async () => {
  const payment = { reference: 'big', accountAlias: '770000001', amount: 25_000, withdrawMode: 'wallet-a-senegal' };
  const { body: paid } = await service.call('POST', '/v1/disbursements', { body: { ...payment, payeeName: 'Awa' } });
  expect(paid.state).toBe('awaiting_approval');
  await told(2);
  const text = `Approbation attendue : 25 000 F, Awa (${paid.id})\nAwaiting your approval: 25 000 F, Awa (${paid.id})`;
  expect(await smsAbout(paid.id)).toEqual([
    [CHECKER, text],
    [THIRD, text],
  ]);

  const { body: batch } = await send(people('appr'), { query: '?name=salaires.csv', key: 'checker-secret' });
  await told(4);
  expect(await smsAbout(batch.id)).toMatchObject([
    [MAKER, expect.stringContaining('3 003 F, salaires.csv')],
    [THIRD, expect.anything()],
  ]);

  const body = { name: 'Soldes', text: 'Bonjour', reference: 'c1' };
  const { body: campaign } = await service.call('POST', '/v1/campaigns', { body });
  const csv = { body: 'to\n+221770000001\n+221770000002', headers: { 'content-type': 'text/csv' } };
  await service.call('POST', `/v1/campaigns/${campaign.id}/recipients`, csv);
  await service.call('POST', `/v1/campaigns/${campaign.id}/start`);
  await told(6);
  expect(await smsAbout(campaign.id)).toMatchObject([
    [CHECKER, expect.stringContaining('campagne Soldes, 2 SMS')],
    [THIRD, expect.anything()],
  ]);
});

test('an event that is handled again sends nothing more', async () => {
  const [before] = await service.ledger.query<{ n: string }>(
    `select count(*) as n from relais.operation where kind = 'message'`,
  );
  await service.ledger.query(`update relais.event_group set position = 0 where name = 'relais-approvers'`);
  const { items } = (await service.call('GET', `${BATCHES}?state=awaiting_approval`)).body;
  expect(items).toHaveLength(1);
  await service.call('POST', `${BATCHES}/${items[0].id}/cancel`);
  const { body } = await send(people('again'), { key: 'checker-secret' });
  await told(Number(before?.n) + 2);
  expect(await smsAbout(body.id)).toHaveLength(2);
  const all = await service.call('GET', '/v1/messages?limit=100');
  expect(all.body.items).toHaveLength(Number(before?.n) + 2);
});
