/** Searches with partial knowledge of an operation: through the API, and in a shell. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anotherAccountIn } from '../support/another-account.ts';
import { relais } from '../cli/terminal.ts';
import { type Service, startService } from '../support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'relais-accounts-'));
let service: Service;
beforeAll(async () => {
  service = await startService({ DEFAULT_COUNTRY: 'SN', ACCOUNTS_FILE: anotherAccountIn(folder) });
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

const get = async (path: string, key?: string) =>
  (await service.call('GET', path, key === undefined ? {} : { key })).body;
const idsOf = (body: { items: { id: string }[] }): string[] => body.items.map(({ id }) => id);
const search = async (q: string, key?: string) => idsOf(await get(`/v1/search?q=${encodeURIComponent(q)}`, key));
const post = async (path: string, body: object, key = 'maker-secret') =>
  (await service.call('POST', path, { body, key })).body;

let made = 0;
async function pays(accountAlias: string, more: object = {}, key?: string) {
  made += 1;
  const body = {
    accountAlias,
    amount: 500 + made,
    withdrawMode: 'wallet-a-senegal',
    reference: `find-${made}`,
    ...more,
  };
  const { id } = await post('/v1/disbursements', body, key);
  return service.until(`/v1/disbursements/${id}`, ({ state }) => state === 'succeeded');
}

/** Runs a shell command. */
const shell = (...argv: string[]) =>
  relais(argv, { env: { RELAIS_URL: service.api, RELAIS_API_KEY: 'maker-secret' }, columns: 200 });

describe('a manager without the id of a campaign', () => {
  test('finds it at the top of the list, and by the name that was given to it', async () => {
    await post('/v1/campaigns', { name: 'Octobre', text: 'Bonjour', reference: 'octobre-2026' });
    const { id } = await post('/v1/campaigns', { name: 'Novembre', text: 'Bonjour', reference: 'novembre-2026' });
    const { stdout } = await shell('campaign', 'list', '--limit', '1');
    expect(stdout).toContain(id);
    expect(stdout).toContain('Novembre');
    expect(
      JSON.parse((await shell('campaign', 'list', '--reference', 'novembre-2026', '--json')).stdout).items,
    ).toEqual([expect.objectContaining({ id, name: 'Novembre' })]);
    expect((await shell('search', 'novembre-2026')).stdout).toMatch(new RegExp(`campaign +${id} +draft`));
  });
});

describe('a clerk with only a phone number', () => {
  test('finds its payments and SMS, in any notation', async () => {
    const paid = await pays('771110001');
    const { items } = await post('/v1/messages', { to: '+221771110001', text: 'Votre paiement est fait' });
    await pays('771110002');
    for (const spelt of [
      '+221771110001',
      '+221 77 111 00 01',
      '00221771110001',
      '221771110001',
      '77 111 00 01',
      '+221 (0) 77 111 00 01',
      '\u202d77\u2011111\u00a000\u200b01\u202c',
    ]) {
      expect([spelt, new Set(await search(spelt))]).toEqual([spelt, new Set([paid.id, items[0].id])]);
      const query = `phone=${encodeURIComponent(spelt)}`;
      expect([spelt, idsOf(await get(`/v1/disbursements?${query}`))]).toEqual([spelt, [paid.id]]);
      expect([spelt, idsOf(await get(`/v1/messages?${query}`))]).toEqual([spelt, [items[0].id]]);
    }
    const { stdout } = await shell('search', '77 111 00 01');
    expect(stdout).toMatch(new RegExp(`disbursement +${paid.id} +succeeded`));
    expect((await shell('messages', 'list', '--phone', '77 111 00 01')).stdout).toContain(items[0].id);
    expect(
      (await shell('disburse', 'list', '--phone', '77 111 00 01', '--state', 'failed,held')).stdout,
    ).not.toContain(paid.id);
  });

  test('finds its results in campaigns, and where it was left out', async () => {
    const { id } = await post('/v1/campaigns', {
      name: 'n',
      text: 'Bonjour',
      reference: 'one-of-them',
      country: 'SN',
    });
    const csv = { body: 'to\n771110021\n771110022\n+221771110021\n', headers: { 'content-type': 'text/csv' } };
    await service.call('POST', `/v1/campaigns/${id}/recipients`, csv);
    const { items } = await get(`/v1/campaigns/${id}/recipients?phone=77%20111%2000%2021`);
    expect(items.map(({ row, state }: { row: number; state: string }) => [row, state])).toEqual([
      [2, 'queued'],
      [4, 'skipped'],
    ]);
    expect((await shell('campaign', 'report', id, '--phone', '77 111 00 22', '--csv')).stdout).toContain(
      ';3;queued;',
    );
  });

  test('gets an error for an invalid number, and a list for several possible countries', async () => {
    const { status, body } = await service.call('GET', '/v1/disbursements?phone=Awa');
    expect([status, body.problems[0].pointer]).toEqual([422, '/phone']);
    const several = await service.call('GET', '/v1/disbursements?phone=70123456');
    expect(several.body.problems[0].message).toContain('country code');
    expect(await search('70123456')).toEqual([]);
  });
});

test('every name of an operation finds it, and nothing else', async () => {
  const paid = await pays('771110004');
  const { id, reference, disburseId, token, transactionId } = paid;
  const names = [id, reference, disburseId, token, transactionId];
  for (const name of names) expect([name, await search(name)]).toEqual([name, [id]]);
  for (const name of names) expect(await search(name.slice(0, -1))).toEqual([]);
  const [found] = (await get(`/v1/search?q=${token}`)).items;
  const { state, account, createdAt } = paid;
  expect(found).toEqual({ kind: 'disbursement', id, state, reference, account, createdAt });
  for (const [name, value] of Object.entries({ token, transactionId, reference })) {
    expect(idsOf(await get(`/v1/disbursements?${name}=${value}`))).toEqual([id]);
    expect(idsOf(await get(`/v1/disbursements?${name}=${value}&amountMax=1`))).toEqual([]);
    expect(idsOf(await get(`/v1/disbursements?${name}=${value}&phone=771110004&state=succeeded,failed`))).toEqual([
      id,
    ]);
    expect(idsOf(await get(`/v1/disbursements?${name}=${value}&phone=771110001`))).toEqual([]);
  }
  expect((await service.call('GET', '/v1/search')).status).toBe(422);
});

test('the rows of a batch are listed by it', async () => {
  const csv =
    'reference;accountAlias;amount;withdrawMode\nb-1;771110005;1000;wallet-a-senegal\nb-2;771110006;1000;wallet-a-senegal\n';
  const file = { body: csv, headers: { 'content-type': 'text/csv' } };
  const { id, contentHash } = (await service.call('POST', '/v1/disbursement-batches', file)).body;
  await service.call('POST', `/v1/disbursement-batches/${id}/approve`, {
    body: { contentHash },
    key: 'checker-secret',
  });
  await service.until(`/v1/disbursement-batches/${id}`, ({ state }) => state === 'finished');
  const { items } = await get(`/v1/disbursements?batch=${id}&state=succeeded`);
  expect(new Set(items.map(({ reference }: { reference: string }) => reference))).toEqual(new Set(['b-1', 'b-2']));
});

test('a key that is bound to an account finds, lists and turns pages of nothing else', async () => {
  const own = await pays('771110007', { account: 'other' }, 'stranger-secret');
  const foreign = await pays('771110007');
  const stranger = 'stranger-secret';
  expect(new Set(await search('771110007'))).toEqual(new Set([own.id, foreign.id]));
  expect(await search('771110007', stranger)).toEqual([own.id]);
  for (const name of [foreign.id, foreign.reference, foreign.token, foreign.disburseId, foreign.transactionId]) {
    expect([name, await search(name, stranger)]).toEqual([name, []]);
  }
  expect(idsOf(await get('/v1/disbursements?phone=771110007', stranger))).toEqual([own.id]);
  expect(idsOf(await get(`/v1/disbursements?token=${foreign.token}`, stranger))).toEqual([]);
  expect(idsOf(await get(`/v1/disbursements?reference=${foreign.reference}`, stranger))).toEqual([]);
  // A cursor of another key's list returns only one's own operations.
  const { next } = await get('/v1/disbursements?limit=1');
  const after = await get(`/v1/disbursements?after=${next}`, stranger);
  expect(after.items.every(({ account }: { account: string }) => account === 'other')).toBe(true);
  expect((await service.call('GET', '/v1/disbursements?account=main', { key: stranger })).status).toBe(403);
});

test.for([
  ['/v1/disbursements?state=succeeded,lost', '/state'],
  ['/v1/messages?state=pending', '/state'],
  ['/v1/messages?after=zzz', '/after'],
  ['/v1/messages?amountMin=1', '/amountMin'],
  ['/v1/campaigns?phone=771110001', '/phone'],
  ['/v1/search?q=x&kind=message', '/kind'],
] as const)('%s is refused by name', async ([path, pointer]) => {
  const { status, body } = await service.call('GET', path);
  expect([status, body.problems[0].pointer]).toEqual([422, pointer]);
});

test('messages are listed as everything is, as CSV too', async () => {
  const { items } = await post('/v1/messages', { to: '+221771110008', text: 'Bonjour', reference: 'm-8' });
  await service.until(`/v1/messages/${items[0].id}`, ({ state }) => state === 'sent');
  const { items: listed } = await get('/v1/messages?state=sent,failed&limit=1');
  expect(listed).toEqual([expect.objectContaining({ id: items[0].id, reference: 'm-8', state: 'sent' })]);
  expect(idsOf(await get('/v1/messages?state=queued'))).toEqual([]);
  const { body } = await service.call('GET', '/v1/messages?reference=m-8', { headers: { accept: 'text/csv' } });
  expect(String(body).split('\r\n')[1]).toMatch(/^msg_\w+;sent;'?\+221771110008;normal;/);
});

test('recipients can be asked for in every bin', async () => {
  const { id } = await post('/v1/campaigns', { name: 'n', text: 'Bonjour', reference: 'bins' });
  const csv = { body: 'to\n771110009\nnobody\n', headers: { 'content-type': 'text/csv' } };
  await service.call('POST', `/v1/campaigns/${id}/recipients`, csv);
  const bins = (await get(`/v1/campaigns/${id}`)).totals;
  for (const [bin, count] of Object.entries(bins).filter(([name]) => name !== 'total')) {
    const { items, next } = await get(`/v1/campaigns/${id}/recipients?state=${bin}`);
    expect([bin, items.length, next]).toEqual([bin, count, null]);
  }
});
