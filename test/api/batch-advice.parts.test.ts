import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';
import { HEADER, deskOf, people } from './batch-desk.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const { send, approve, get } = deskOf(() => service);
const requests = async (): Promise<number> => (await service.books('summary')).requests['balance.all'] ?? 0;

test('a batch above the balances warns its approver, and is not refused', async () => {
  await service.control('POST', '/settings', { balances: { SN: 5_000, CI: 900 } });
  await service.call('POST', '/v1/accounts/main/stop');
  const body = {
    accountAlias: '771234567',
    amount: 3_000,
    withdrawMode: 'wallet-a-senegal',
    reference: 'on its way',
  };
  await service.call('POST', '/v1/disbursements', { body });

  const { body: batch } = await send(`${people('short')}ivory;0701020304;900;wallet-a-ci\r\n`);
  // 3 003 are requested, and 5 000 less the 3 000 in flight are left; the 900 of Côte d'Ivoire are just sufficient.
  expect(batch.warningCount).toBe(1);
  expect(batch.warnings[0]).toMatchObject({ row: null, column: null });
  expect(batch.warnings[0].reason.replaceAll('\u00a0', ' ')).toMatch(
    /^SN: the batch is 3 003 XOF, and about 2 000 XOF/,
  );
  expect((await get(batch.id)).warnings).toEqual(batch.warnings);
  expect(await requests()).toBe(1);

  const approved = await approve(batch.id, batch.contentHash);
  expect([approved.status, approved.body.state, approved.body.warnings]).toEqual([200, 'running', []]);
});

test('without balances from the provider, there is no warning', async () => {
  const other = await startService();
  await other.control('POST', '/faults', { fault: 'hangs before doing the work', operation: 'balance' });
  const { body } = await deskOf(() => other).send(`${HEADER}huge;771234567;2000000;wallet-a-senegal\r\n`);
  expect([body.state, body.warnings]).toEqual(['awaiting_approval', []]);
  await other.stop();
});
