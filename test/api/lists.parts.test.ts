/** A list answers what was asked, or says why it cannot. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const ask = (query: string, key?: string) =>
  service.call('GET', `/v1/disbursements${query}`, key === undefined ? {} : { key });

async function paid(reference: string): Promise<string> {
  const body = { accountAlias: '771234567', amount: 500, withdrawMode: 'wallet-a-senegal', reference };
  const { body: made } = await service.call('POST', '/v1/disbursements', {
    body: { ...body, allowDuplicate: true },
  });
  await service.until(`/v1/disbursements/${made.id}`, ({ state }) => state === 'succeeded');
  return made.id as string;
}

test('filters are all meant, and the newest comes first', async () => {
  const [one, two] = [await paid('r1'), await paid('r2')];
  const ids = async (query: string) => (await ask(query)).body.items.map(({ id }: { id: string }) => id);
  expect(await ids('')).toEqual([two, one]);
  expect(await ids('?state=succeeded&limit=1')).toEqual([two]);
  expect(await ids('?state=failed&reference=r1')).toEqual([]);
  expect(await ids('?state=succeeded&reference=r1&account=main')).toEqual([one]);
  const { body: first } = await ask('?limit=1');
  expect((await ask(`?limit=1&after=${first.next}`)).body).toMatchObject({ items: [{ id: one }], next: null });
});

test.for([
  ['/v1/disbursements?sate=failed', '/sate'],
  ['/v1/disbursements?account=nosuch', '/account'],
  ['/v1/disbursements?after=zzz', '/after'],
  ['/v1/review?account=nosuch', '/account'],
  ['/v1/review?after=zzz', '/after'],
  ['/v1/opt-outs?account=nosuch', '/account'],
  ['/v1/opt-outs?after=zzz', '/after'],
  ['/v1/events?after=zzz', '/after'],
  ['/v1/events?type=disbursement.succeeded', '/type'],
  ['/v1/accounts?name=main', '/name'],
] as const)('%s is refused by name', async ([path, pointer]) => {
  const { status, body } = await service.call('GET', path);
  expect([status, body.problems[0].pointer]).toEqual([422, pointer]);
});

test('another account is not looked into', async () => {
  expect((await ask('?account=main', 'stranger-secret')).status).toBe(403);
  expect((await ask('', 'stranger-secret')).body).toEqual({ items: [], next: null });
});

test('what a refusal is called can be opened, without a key', async () => {
  const { body } = await ask('?sate=failed');
  expect(body.type).toBe(`${service.api}/problems/invalid`);
  const opened = await service.call('GET', new URL(body.type as string).pathname, { key: null });
  expect([opened.status, opened.body.title]).toEqual([200, body.title]);
});
