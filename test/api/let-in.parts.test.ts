/** Four-eyes rules, revoked keys during a request, and isolation of accounts. */
import { createConnection, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { apiOn, type Running } from '../support/api-process.ts';
import { type Answer, ask, type Service, startService } from '../support/service.ts';
import { actsOn, leaveForReview } from '../support/stored.ts';

const API_KEYS = [
  'root:admin:root-secret',
  'awa:read+approve+operate+admin+enqueue:awa-secret',
  'awa2/Awa@Example.sn:read+approve+enqueue:awa2-secret',
  'awa3/awa@example.sn:read+approve+enqueue+admin:awa3-secret',
  'maker:enqueue+read+approve+operate:maker-secret',
  'stranger:enqueue+read+approve+operate@other:stranger-secret',
].join(',');

let service: Service;
let other: Running;
beforeAll(async () => {
  service = await startService({ API_KEYS, APPROVAL_ABOVE: '40000', SWEEP_INTERVAL: '10m' });
  const { base, crm } = service.sandbox;
  other = await apiOn(service, { API_KEYS, SERVICE_BASE_URL: base, SERVICE_CRM_URL: crm });
});
afterAll(async () => {
  await other?.stop();
  await service?.stop();
});

const make = (body: object, key = 'root-secret'): Promise<Answer> => service.call('POST', '/v1/keys', { body, key });
const payment = { accountAlias: '771234567', amount: 50_000, withdrawMode: 'wallet-a-senegal' };
async function asked(reference: string, key: string): Promise<string> {
  const body = { ...payment, reference, allowDuplicate: true };
  const { body: made } = await service.call('POST', '/v1/disbursements', { body, key });
  expect(made.state).toBe('awaiting_approval');
  return made.id;
}

describe('a looser limit', () => {
  const set = (key: string, value: number) =>
    service.call('POST', '/v1/limits/MAX_DISBURSEMENT', { body: { value }, key });
  test('is refused for one person whose address is written in two ways', async () => {
    expect((await set('awa2-secret', 3_000_001)).status).toBe(202);
    expect((await set('awa3-secret', 3_000_001)).status).toBe(202);
  });
  test('is refused with a key that the person created for another one', async () => {
    const { body } = await make({ name: 'straw-limit', roles: ['approve'], person: 'straw-limit' }, 'awa-secret');
    expect((await set('awa-secret', 4_000_002)).status).toBe(202);
    expect((await set(body.secret, 4_000_002)).status).toBe(202);
  });
});

test('self-approval with a key created a moment ago in another process is refused', async () => {
  const answers: number[] = [];
  for (let turn = 0; turn < 8; turn += 1) {
    const { body } = await make({ name: `soon-${turn}`, roles: ['enqueue'], person: `soon-${turn}` }, 'awa-secret');
    const id = await asked(`soon-${turn}`, body.secret);
    answers.push((await ask(`${other.url}/v1/disbursements/${id}/approve`, 'POST', { key: 'awa-secret' })).status);
  }
  expect(answers).toEqual(answers.map(() => 403));
});

test('nor with one that they made under the same address, written otherwise', async () => {
  const { body } = await make({ name: 'straw-case', roles: ['enqueue'], person: 'straw-case' }, 'awa3-secret');
  const id = await asked('straw-case', body.secret);
  const approved = await service.call('POST', `/v1/disbursements/${id}/approve`, { key: 'awa2-secret' });
  expect([approved.status, approved.body.rule]).toEqual([403, 'other-person']);
});

/** A request whose body is sent in parts, and the answer so far. */
async function begun(path: string, secret: string, headers: string, method = 'POST') {
  const { hostname, port } = new URL(service.api);
  const socket: Socket = createConnection({ host: hostname, port: Number(port) });
  let heard = '';
  socket.setEncoding('utf8').on('data', (text: string) => (heard += text));
  const hears = async (pattern: RegExp): Promise<void> => {
    await vi.waitUntil(() => pattern.test(heard), { timeout: 20_000 });
  };
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nExpect: 100-continue\r\n${headers}\r\n\r\n`,
  );
  // The head was read.
  await hears(/100 Continue/);
  return { send: (text: string) => void socket.write(text), hears, heard: () => heard, end: () => socket.destroy() };
}

async function revoked({ id, secret }: { readonly id: string; readonly secret: string }): Promise<void> {
  expect((await service.call('DELETE', `/v1/keys/${id}`, { key: 'root-secret' })).status).toBe(204);
  const asks = async (): Promise<boolean> =>
    (await service.call('GET', '/v1/limits', { key: secret })).status === 401;
  await vi.waitUntil(asks, { timeout: 20_000 });
}

test('a body of many lines takes nothing more once its key was revoked', async () => {
  const { body: key } = await make({ name: 'leaver', roles: ['enqueue'], service: 'leaver' });
  const types = 'Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked';
  const bulk = await begun('/v1/disbursements', key.secret, types);
  const send = (reference: string): void => {
    const line = `${JSON.stringify({ ...payment, amount: 100, reference, allowDuplicate: true })}\n`;
    bulk.send(`${Buffer.byteLength(line).toString(16)}\r\n${line}\r\n`);
  };
  send('before');
  await bulk.hears(/"accepted"/);
  await revoked(key);
  send('after');
  bulk.send('0\r\n\r\n');
  await bulk.hears(/\r\n0\r\n\r\n$/);
  bulk.end();
  expect(bulk.heard().match(/"accepted"/g)).toHaveLength(1);
});

test('a body that comes slowly is not taken once its key was revoked', async () => {
  const { body: key } = await make({ name: 'slow', roles: ['enqueue'], service: 'slow' });
  const body = JSON.stringify({ ...payment, amount: 100, reference: 'slow', allowDuplicate: true });
  const types = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
  const slow = await begun('/v1/disbursements', key.secret, types);
  slow.send(body.slice(0, 10));
  await revoked(key);
  slow.send(body.slice(10));
  await slow.hears(/HTTP\/1\.1 [24]/);
  slow.end();
  expect(slow.heard()).toMatch(/HTTP\/1\.1 401 /);
});

/** A draft whose file upload loses its key before the end. */
async function draftCutOff(part: 'recipients' | 'file'): Promise<string> {
  const { body: key } = await make({ name: part, roles: ['enqueue'], service: part });
  const campaign = { name: 'x', text: 'Bonjour', reference: part };
  const { body: made } = await service.call('POST', '/v1/campaigns', { body: campaign, key: 'maker-secret' });
  const types = 'Content-Type: text/csv\r\nContent-Length: 30';
  const file = await begun(`/v1/campaigns/${made.id}/${part}`, key.secret, types);
  file.send('to\n+221771000001\n');
  await revoked(key);
  file.send('+22177100002\n');
  await file.hears(/HTTP\/1\.1 [24]/);
  file.end();
  expect(file.heard()).toMatch(/HTTP\/1\.1 401 /);
  return `/v1/campaigns/${made.id}`;
}

test('nothing of a file counts whose key was revoked while it came', async () => {
  const draft = await draftCutOff('recipients');
  expect((await service.call('GET', draft, { key: 'maker-secret' })).body.state).toBe('draft');
});

test('a file is not stored whose key was revoked during the upload', async () => {
  const draft = await draftCutOff('file');
  expect((await service.call('GET', `${draft}/file`, { key: 'maker-secret' })).body.name).toBe(null);
});

describe('a file of opt-outs', () => {
  const optedOut = async (phone: string): Promise<boolean> => {
    const { body } = await service.call('GET', `/v1/opt-outs?phone=${encodeURIComponent(phone)}`, {
      key: 'maker-secret',
    });
    return body.optedOut;
  };
  const people = (from: number, count: number): string =>
    Array.from({ length: count }, (_, at) => `+22177${String(from + at).padStart(7, '0')}\n`).join('');

  test.for([
    ['adds nobody more', 'POST', false],
    ['takes nobody more off the list', 'DELETE', true],
  ] as const)('%s once its key was revoked', async ([, method, before]) => {
    const listed = { phones: [1, 2_000].map((last) => people(last, 1).trim()) };
    if (before) await service.call('POST', '/v1/opt-outs', { body: listed, key: 'maker-secret' });
    const name = `clerk-${method}`;
    const { body: key } = await make({ name, roles: ['enqueue', 'operate'], service: name });
    const [first, second] = [`to\n${people(1, 1_200)}`, people(1_500, 1_000)];
    const types = `Content-Type: text/csv\r\nContent-Length: ${first.length + second.length}`;
    const file = await begun('/v1/opt-outs', key.secret, types, method);
    file.send(first);
    // Processed in groups of a thousand.
    await vi.waitUntil(async () => (await optedOut('+221770000001')) !== before, { timeout: 20_000 });
    await revoked(key);
    file.send(second);
    await file.hears(/HTTP\/1\.1 [24]/);
    file.end();
    expect(file.heard()).toMatch(/HTTP\/1\.1 401 /);
    expect(await optedOut('+221770002000')).toBe(before);
  });
});

test('resolving one’s own invoice is refused', async () => {
  const body = { totalAmount: 15_000, store: { name: 'La Boutique' }, reference: 'own-invoice' };
  const { id } = (await service.call('POST', '/v1/invoices', { body, key: 'awa-secret' })).body;
  await leaveForReview(service, id);
  const resolved = await service.call('POST', `/v1/invoices/${id}/resolve`, {
    body: { outcome: 'failed', note: 'I say so' },
    key: 'awa-secret',
  });
  expect([resolved.status, resolved.body.rule]).toEqual([403, 'other-person']);
});

test('approving a campaign with one’s own file is refused', async () => {
  expect(
    (
      await service.call('POST', '/v1/limits/CAMPAIGN_APPROVAL_ABOVE_RECIPIENTS', {
        body: { value: 1 },
        key: 'maker-secret',
      })
    ).status,
  ).toBe(200);
  const made = await service.call('POST', '/v1/campaigns', {
    body: { name: 'x', text: 'Bonjour', reference: 'file' },
    key: 'maker-secret',
  });
  const at = `/v1/campaigns/${made.body.id}`;
  const file = 'to\n+221771000001\n+221771000002\n';
  await service.call('POST', `${at}/file`, {
    body: file,
    key: 'awa-secret',
    headers: { 'content-type': 'text/csv' },
  });
  expect((await service.call('POST', `${at}/file/recipients`, { key: 'maker-secret' })).status).toBe(200);
  expect(await actsOn(service, made.body.id)).toEqual(['campaign.create', 'kept-file.upload']);
  const started = await service.call('POST', `${at}/start`, { key: 'maker-secret' });
  expect([started.status, started.body.state]).toEqual([202, 'awaiting_approval']);
  const approved = await service.call('POST', `${at}/approve`, {
    body: { contentHash: started.body.contentHash },
    key: 'awa-secret',
  });
  expect([approved.status, approved.body.rule]).toEqual([403, 'other-person']);
});
