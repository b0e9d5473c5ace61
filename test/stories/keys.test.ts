/** Keys that are made and revoked while relais runs, as several processes know them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Asking } from '../../script/demonstration/asking.ts';
import type { RunningProcess } from '../../script/demonstration/processes.ts';
import { Deployment } from '../support/deployment.ts';

const ADMIN = 'admin-secret-of-24-characters';
/** Two keys of one person, in the settings, and one of another. */
const AWA = 'awa-desk-secret-of-24-characters';
const AWAS_TELEPHONE = 'awa-telephone-secret-of-24-characters';
const BINTA = 'binta-secret-of-24-characters';

let deployment: Deployment;
let others: RunningProcess[];
beforeAll(async () => {
  deployment = await Deployment.open({
    API_KEYS: [
      `admin:admin+read:${ADMIN}`,
      `awa-desk/awa@shop.example:enqueue+read:${AWA}`,
      `awa-telephone/awa@shop.example:read+approve:${AWAS_TELEPHONE}`,
      `binta:read+approve:${BINTA}`,
    ].join(),
    APPROVAL_ABOVE: '1000',
  });
  await deployment.start();
  const free = { ...deployment.settings, API_PORT: '0', METRICS_PORT: '0' };
  const api = (name: string) => deployment.processes.start(name, ['run', '--roles', 'api'], free);
  others = [await api('second'), await api('third')];
});
afterAll(() => deployment?.close());

test('a key that is revoked in one process is refused by each of three', async () => {
  const admin = new Asking(deployment.maker.base, ADMIN);
  const key = { name: 'guest', roles: ['read'], person: 'guest' };
  const { id, secret } = await admin.post<{ id: string; secret: string }>('/v1/keys', key);
  const doors = [deployment.maker.base, ...others.map(({ urls }) => urls['api'] ?? '')];
  const statusAt = async (base: string): Promise<number> =>
    (await new Asking(base, secret).ask('/v1/accounts')).status;
  // Another process knows it once it has read the keys again.
  for (const door of doors) while ((await statusAt(door)) !== 200);

  expect((await admin.ask(`/v1/keys/${id}`, { method: 'DELETE' })).status).toBe(204);
  // Another process refuses the key once it has read the keys again.
  for (const door of doors) while ((await statusAt(door)) === 200);
});

test('two keys of one person in the settings are one person: only somebody else approves', async () => {
  const asked = {
    accountAlias: '771234567',
    amount: 5_000,
    withdrawMode: 'wallet-a-senegal',
    reference: 'four-eyes',
  };
  const { id } = await new Asking(deployment.maker.base, AWA).post<{ id: string }>('/v1/disbursements', asked);
  const approve = (secret: string) =>
    new Asking(deployment.maker.base, secret).ask(`/v1/disbursements/${id}/approve`, { method: 'POST' });
  expect(await approve(AWAS_TELEPHONE)).toMatchObject({ status: 403, body: { rule: 'other-person' } });
  expect(await approve(BINTA)).toMatchObject({ status: 200 });
});
