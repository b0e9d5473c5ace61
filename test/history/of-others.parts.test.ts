/** An API without HISTORY_URL, beside a process that has it: what that one took out of Redis is not denied. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemRandom } from '../../src/lib/random.ts';
import { keys } from '../../src/operations/keys.ts';
import { Operations } from '../../src/operations/operations.ts';
import { type FreshPostgres, freshPostgres } from '../support/fresh-postgres.ts';
import { type Service, startService } from '../support/service.ts';
import { trimmerOf, writerOf } from './history-world.ts';

const WEEK_MS = 7 * 86_400_000;
const LATER_MS = WEEK_MS + 86_400_000;

let database: FreshPostgres;
let service: Service;

beforeAll(async () => {
  database = await freshPostgres();
  service = await startService();
});
afterAll(async () => {
  await service?.stop();
  await database?.close();
});

const ask = (path: string) => service.call('GET', path);

async function paid(reference: string, accountAlias: string): Promise<string> {
  const body = { accountAlias, amount: 500, withdrawMode: 'wallet-a-senegal', reference };
  const { body: made } = await service.call('POST', '/v1/disbursements', { body });
  await service.until(`/v1/disbursements/${made.id}`, ({ state }) => state === 'succeeded');
  return made.id as string;
}

/** As another process does it, once a week has gone by. */
async function leave(kind: 'disbursement' | 'message' = 'disbursement'): Promise<void> {
  const { redis } = service;
  await redis.del(keys.due('status-poll'));
  const now = () => Date.now() + LATER_MS;
  const operations = new Operations({ redis, random: systemRandom, now });
  const trimmer = trimmerOf(redis, operations, { now, after: { [kind]: WEEK_MS } });
  const writer = writerOf(redis, () => database.url, { trimmer });
  await writer.pass();
  await writer.pass();
  await writer.close();
}

test('a text that left makes no list of payments incomplete', async () => {
  const near = await paid('r-whole', '771000003');
  const text = { to: '+221771000004', text: 'Bonjour', reference: 't-left' };
  const { body } = await service.call('POST', '/v1/messages', { body: [text] });
  const left = body.items[0].id as string;
  await service.until(`/v1/messages/${left}`, ({ state }) => state === 'sent');
  await leave('message');
  expect(await service.redis.exists(keys.record(left))).toBe(0);

  const payments = (await ask('/v1/disbursements')).body;
  expect(payments.items).toMatchObject([{ id: near }]);
  expect(payments).not.toHaveProperty('incomplete');
  expect((await ask('/v1/messages')).body).toMatchObject({ items: [], incomplete: true });
  // It may be of any kind.
  expect((await ask('/v1/search?q=t-left')).body).toMatchObject({ items: [], incomplete: true });
});

test('a paid disbursement that left is not said never to have been, and lists say that they lack it', async () => {
  const left = await paid('r-left', '771000001');
  expect((await ask('/v1/disbursements')).body).not.toHaveProperty('incomplete');
  await leave();
  expect(await service.redis.exists(keys.record(left))).toBe(0);
  const near = await paid('r-near', '771000002');

  const one = await ask(`/v1/disbursements/${left}`);
  expect([one.status, one.body.detail]).toEqual([503, expect.stringContaining('give it HISTORY_URL')]);
  expect((await ask(`/v1/explain/${left}`)).status).toBe(503);
  expect((await ask('/v1/disbursements/dsb_never')).status).toBe(404);
  for (const [path, ids] of [
    ['/v1/disbursements', [near]],
    ['/v1/disbursements?reference=r-left', []],
    ['/v1/search?q=r-left', []],
  ] as const) {
    const { status, headers, body } = await ask(path);
    expect([path, status, body.items.map(({ id }: { id: string }) => id)]).toEqual([path, 200, ids]);
    expect([body.incomplete, headers['warning']]).toEqual([true, expect.stringContaining('199 relais')]);
  }
  // Nothing of what is asked for ever leaves.
  expect((await ask('/v1/disbursements?state=held')).body).toEqual({ items: [], next: null });
});

test('the texts of a person are incomplete once a campaign left', async () => {
  const texted = () => ask('/v1/recipients?phone=771000001');
  expect((await texted()).body).toEqual({ items: [], next: null });
  // As the step notes it that takes one out.
  await service.redis.hset(keys.trimmed, 'campaign', Date.now());
  const { headers, body } = await texted();
  expect(body).toEqual({ items: [], next: null, incomplete: true });
  expect(headers['warning']).toContain('199 relais');
});
