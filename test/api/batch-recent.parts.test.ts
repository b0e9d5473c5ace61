/** Recent payments that an approver sees: the amounts paid to the people of a batch in the last 30 days. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';
import { BATCHES, deskOf } from './batch-desk.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
const { send, get } = deskOf(() => service);

async function paid(reference: string, accountAlias: string, amount: number): Promise<string> {
  const body = { reference, accountAlias, amount, withdrawMode: 'wallet-a-senegal' };
  const { body: made } = await service.call('POST', '/v1/disbursements', { body });
  await service.until(`/v1/disbursements/${made.id}`, ({ state }) => ['succeeded', 'failed'].includes(state));
  return made.id;
}

test('payments of the last 30 days to the recipients of a batch are summed by row, for any wallet', async () => {
  await paid('advance-awa', '770000001', 5_000);
  const last = await paid('bonus-awa', '770000001', 7_000);
  await paid('refused-binta', '779999901', 64_000);
  const file = [
    'Nom;reference;accountAlias;amount;withdrawMode',
    'Awa;november-awa;+221770000001;1000;wallet-b-senegal',
    'Binta;november-binta;779999901;2000;wallet-a-senegal',
    'Cheikh;november-cheikh;770000003;3000;wallet-a-senegal',
  ].join('\n');
  const { body } = await send(file);
  const recent = await get(`${body.id}/recent-payments`);
  expect(recent).toEqual({
    from: expect.stringMatching(/Z$/),
    people: 1,
    count: 2,
    xof: 12_000,
    items: [
      {
        row: 2,
        count: 2,
        xof: 12_000,
        last: { id: last, amount: 7_000, state: 'succeeded', createdAt: expect.any(String) },
      },
    ],
  });
  const stranger = await service.call('GET', `${BATCHES}/${body.id}/recent-payments`, { key: 'stranger-secret' });
  expect(stranger.status).toBe(404);
});
