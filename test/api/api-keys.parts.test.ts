/** Keys that are created and revoked at run time, in several processes on one Redis. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Link } from '../support/link.ts';
import { apiOn, type Running } from '../support/api-process.ts';
import { type Answer, ask, type Service, startService } from '../support/service.ts';

const API_KEYS = [
  'root:admin:root-secret',
  'awa:read+approve+operate+admin:awa-secret',
  'shop:enqueue+read:shop-secret',
  'maker:enqueue+read+approve+operate:maker-secret',
].join(',');

let service: Service;
/** A second process, and one whose connection to PostgreSQL can be cut. */
let other: Running;
let wired: { readonly url: string; readonly link: Link; stop(): Promise<void> };
beforeAll(async () => {
  service = await startService({ API_KEYS, APPROVAL_ABOVE: '40000', SWEEP_INTERVAL: '10m' });
  other = await apiOn(service, settings());
  wired = await behindWire();
});
afterAll(async () => {
  await wired?.stop();
  await other?.stop();
  await service?.stop();
});

const settings = () => {
  const { base, crm } = service.sandbox;
  return { API_KEYS, SERVICE_BASE_URL: base, SERVICE_CRM_URL: crm };
};

async function behindWire() {
  const database = new URL(service.databaseUrl);
  const link = await Link.to(Number(database.port));
  database.port = String(link.port);
  const running = await apiOn({ redisUrl: service.redisUrl, databaseUrl: database.href }, settings());
  const stop = async (): Promise<void> => {
    await running.stop();
    await link.close();
  };
  return { url: running.url, link, stop };
}

const make = (body: object, key = 'root-secret'): Promise<Answer> => service.call('POST', '/v1/keys', { body, key });
const as = (secret: string, url = service.api): Promise<Answer> => ask(`${url}/v1/queues`, 'GET', { key: secret });
const revoke = (id: string) => service.call('DELETE', `/v1/keys/${id}`, { key: 'root-secret' });

/** Every process gives this status within three seconds. Frequent wrong keys are rate-limited (429). */
async function everywhere(secret: string, status: number): Promise<void> {
  const asked = () => Promise.all([service.api, other.url, wired.url].map((url) => as(secret, url)));
  const all = async () =>
    expect((await asked()).map((one) => (one.status === 429 ? 401 : one.status))).toEqual([status, status, status]);
  await vi.waitFor(all, { interval: 100 });
}

test('a key is made, works in every process, is listed without its secret, and ends in every process', async () => {
  const { status, body } = await make({ name: 'moussa-phone', roles: ['read'], person: 'moussa' });
  expect([status, body.secret]).toEqual([201, expect.stringMatching(/^rk_[0-9a-f]{64}$/)]);
  await everywhere(body.secret, 200);
  const listed = await service.call('GET', '/v1/keys', { key: 'root-secret' });
  expect(listed.body.items).toContainEqual(
    expect.objectContaining({ id: body.id, person: 'moussa', createdBy: 'root' }),
  );
  const kept = JSON.stringify([listed.body, await service.ledger.query('select * from relais.api_key')]);
  expect(kept).not.toContain(body.secret);

  expect((await revoke(body.id)).status).toBe(204);
  await everywhere(body.secret, 401);
  const told = await service.call('GET', '/v1/audit?limit=2', { key: 'root-secret' });
  expect(told.body.items).toMatchObject([
    { act: 'key.revoke', by: 'root', target: body.id },
    {
      act: 'key.create',
      by: 'root',
      target: body.id,
      after: { name: 'moussa-phone', roles: ['read'], person: 'moussa' },
    },
  ]);
  expect(JSON.stringify(told.body)).not.toContain(body.secret);
});

test('a process that was cut off from PostgreSQL does not trust a cached key that was revoked meanwhile', async () => {
  const { body } = await make({ name: 'cut-off', roles: ['read'], service: 'cut-off' });
  await everywhere(body.secret, 200);
  wired.link.refuse();
  expect((await revoke(body.id)).status).toBe(204);
  await vi.waitFor(async () => expect((await as(body.secret, wired.url)).status).toBe(503));
  wired.link.heal();
  await everywhere(body.secret, 401);
});

test('a stream of events that is under way ends with its key', async () => {
  const { body } = await make({ name: 'listener', roles: ['read'], service: 'listener' });
  const headers = { authorization: `Bearer ${body.secret}` };
  const stream = await fetch(`${service.api}/v1/stream`, { headers });
  expect(stream.status).toBe(200);
  const ended = stream.text();
  await revoke(body.id);
  await ended;
});

test('a key that has expired is none', async () => {
  const soon = new Date(Date.now() + 1_500).toISOString();
  const { body } = await make({ name: 'short', roles: ['read'], service: 'short', expiresAt: soon });
  expect((await as(body.secret)).status).toBe(200);
  await everywhere(body.secret, 401);
});

describe('a user who creates keys', () => {
  test('gives themselves no role that they have not', async () => {
    const refused = await make({ name: 'root-too', roles: ['approve'], person: 'root' });
    expect([refused.status, refused.body.rule]).toEqual([403, 'own-roles']);
    const otherLetters = await make({ name: 'root-too', roles: ['approve'], person: 'Root' });
    expect([otherLetters.status, otherLetters.body.rule]).toEqual([403, 'own-roles']);
    expect((await make({ name: 'root-too', roles: ['admin'], person: 'root' })).status).toBe(201);
  });

  test('names the holder, with a name that belongs to no other person', async () => {
    expect((await make({ name: 'x', roles: ['read'] })).status).toBe(422);
    expect((await make({ name: 'x', roles: ['read'], person: 'a', service: 'b' })).status).toBe(422);
    expect((await make({ name: 'x', roles: ['read'], person: 'a', accounts: ['nosuch'] })).status).toBe(422);
    const taken = await make({ name: 'shop', roles: ['read'], person: 'mallory' });
    expect([taken.status, taken.body.rule]).toEqual([409, 'identity']);
    expect((await make({ name: 'shop', roles: ['enqueue'], service: 'shop' })).status).toBe(201);
  });
});

describe('self-approval is refused', () => {
  const payment = { accountAlias: '771234567', amount: 50_000, withdrawMode: 'wallet-a-senegal' };
  const asked = async (reference: string, key: string): Promise<string> =>
    (await service.call('POST', '/v1/disbursements', { body: { ...payment, reference }, key })).body.id;
  const approve = (id: string, key: string) => service.call('POST', `/v1/disbursements/${id}/approve`, { key });
  const keyOf = async (name: string, person: string, role: string, by = 'root-secret'): Promise<string> =>
    (await make({ name, roles: [role], person }, by)).body.secret;

  test('with two keys of the same person', async () => {
    const [one, two] = [await keyOf('f-1', 'fatou', 'enqueue'), await keyOf('f-2', 'fatou', 'approve')];
    const refused = await approve(await asked('fatou', one), two);
    expect([refused.status, refused.body.rule]).toEqual([403, 'other-person']);
    expect((await approve(await asked('shop', 'shop-secret'), two)).status).toBe(200);
  });

  test('with a key that they created for another person, also after its revocation', async () => {
    const { body } = await make({ name: 'straw', roles: ['enqueue'], person: 'straw' }, 'awa-secret');
    const id = await asked('straw', body.secret);
    expect((await approve(id, 'awa-secret')).body.rule).toBe('other-person');
    await revoke(body.id);
    expect((await approve(id, 'awa-secret')).body.rule).toBe('other-person');
    expect((await approve(id, 'maker-secret')).status).toBe(200);
  });

  test('with a key created through another key: the creator of a key knew its secret', async () => {
    const between = (await make({ name: 'between', roles: ['admin'], person: 'between' }, 'awa-secret')).body.secret;
    const straw = await keyOf('far-straw', 'far-straw', 'enqueue', between);
    const id = await asked('far-straw', straw);
    expect((await approve(id, 'awa-secret')).body.rule).toBe('other-person');
    // The reverse: a request of the first key's creator cannot be approved with the last key.
    const owner = (await make({ name: 'owner', roles: ['admin', 'enqueue'], person: 'owner' })).body.secret;
    const second = (await make({ name: 'second', roles: ['admin'], person: 'second' }, owner)).body.secret;
    const last = await keyOf('last', 'last', 'approve', second);
    const own = await asked('owner', owner);
    expect((await approve(own, last)).body.rule).toBe('other-person');
    // Two people whose keys a third one created stay two people: most deployments have one creator of keys.
    const [asks, decides] = [await keyOf('asks', 'asks', 'enqueue'), await keyOf('decides', 'decides', 'approve')];
    expect((await approve(await asked('siblings', asks), decides)).status).toBe(200);
  });
});
