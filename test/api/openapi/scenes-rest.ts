/** Texts, events and the switches, until every answer was given once. */
import { expect } from 'vitest';
import { hears, recovers } from '../../support/recovery.ts';
import { setLimit } from '../../support/stored.ts';
import type { Stage } from './stage.ts';

export async function messageScenes({ ask, service }: Stage): Promise<void> {
  const asked = (text: string) => ({ body: { to: '+221771234567', text, reference: 'hello' } });
  const { body } = await ask('POST', '/v1/messages', asked('Bonjour'));
  await ask('POST', '/v1/messages?dryRun=true', asked('Bonjour'));
  await ask('POST', '/v1/messages', asked('Bonsoir'));
  await ask('GET', `/v1/messages/${body.items[0].id}`);
  await ask('GET', '/v1/messages?state=queued,sent');
  await ask('GET', '/v1/search?q=hello');
  await ask('GET', '/v1/search');
  await ask('GET', '/v1/recipients?phone=771234567');
  await ask('GET', '/v1/recipients');
  await ask('POST', '/v1/messages', { body: [asked('Bonjour').body, asked('Bonsoir').body, {}] });
  const line = '{"to":"+221771234567","text":"Bonjour Awa"}\n';
  await ask('POST', '/v1/messages', { body: line, headers: { 'content-type': 'application/x-ndjson' } });

  await ask('POST', '/v1/purge', { body: { phone: '+221770000009' } });
  await ask('GET', '/v1/recovery');
  await ask('GET', '/v1/recovery?ask=0');
  await ask('POST', '/v1/recovery', { body: { nothingWasLost: true } });
  await recovers(service, 'rolled_back');
  await ask('POST', '/v1/recovery', { body: { nothingWasLost: true } });
  // So that the others find the doors open again.
  await ask('POST', '/v1/recovery', { body: { apply: true } });
  await ask('GET', '/v1/recovery');
  await hears(service);

  const phones = { body: { phones: ['+221770000001', 'nobody'] } };
  await ask('POST', '/v1/opt-outs', phones);
  await ask('GET', '/v1/opt-outs');
  await ask('GET', '/v1/opt-outs?phone=%2B221770000001');
  await ask('DELETE', '/v1/opt-outs', phones);
  for (const method of ['POST', 'DELETE']) await ask(method, '/v1/opt-outs', { body: {} });
}

export async function campaignScenes({ ask, service, becomes }: Stage): Promise<void> {
  const path = '/v1/campaigns';
  const create = (reference?: string, name = 'November') =>
    ask('POST', path, { body: { name, text: 'Bonjour {{prenom}}', reference } });
  const csv = (body: string) => ({ body, headers: { 'content-type': 'text/csv' } });
  await ask('POST', `${path}?dryRun=true`, { body: { name: 'November', text: 'Bonjour', reference: 'one' } });
  const { body: made } = await create('one');
  const one = `${path}/${made.id}`;
  await create('one', 'December');
  await ask('GET', path);
  await create();
  for (const name of ['start', 'pause', 'resume']) expect((await ask('POST', `${one}/${name}`)).status).toBe(409);
  const file = csv('to;prenom\n+221771234567;Awa\nnobody;Moussa\n');
  const asCsv = { ...file, headers: { ...file.headers, accept: 'text/csv' } };
  await ask('POST', `${one}/recipients?dryRun=true`, asCsv);
  await ask('POST', `${one}/recipients`, file);
  await ask('POST', `${one}/recipients`, csv(''));
  const other = { body: '<a/>', headers: { 'content-type': 'application/xml' } };
  expect((await ask('POST', `${one}/recipients`, other)).status).toBe(415);
  await ask('GET', one);
  await ask('PATCH', one, { body: { perSecond: 100 } });
  await ask('POST', `${one}/start`);
  await becomes(one, 'finished');
  await ask('POST', `${one}/recipients`, csv('to;prenom\n+221771234568;Awa\n'));
  await ask('PATCH', one, { body: { perSecond: 100 } });
  await ask('POST', `${one}/cancel`);
  await ask('GET', `${one}/recipients`);
  await ask('GET', `${one}/recipients?limit=0`);
  await ask('PATCH', one, { body: {} });
  await ask('GET', `${one}/recipients`, { headers: { accept: 'text/csv' } });

  await ask('POST', `${one}/retry`, { body: {} });
  await ask('POST', `${one}/retry`, { body: { nonsense: true } });
  const four = `${path}/${(await create('four')).body.id}`;
  await ask('POST', `${four}/recipients`, csv('to;prenom\n+221771234570;Awa\n'));
  const refusal = { fault: 'answers a given code', code: 'ERROR_110', operation: 'sms.send', count: 1 };
  await service.control('POST', '/faults', refusal);
  await ask('POST', `${four}/start`);
  await becomes(four, 'finished');
  expect((await ask('POST', `${four}/retry`, { body: {} })).status).toBe(200);

  const limit = '/v1/limits/CAMPAIGN_APPROVAL_ABOVE_RECIPIENTS';
  expect((await ask('POST', limit, { body: { value: 1 } })).status).toBe(200);
  const five = `${path}/${(await create('five')).body.id}`;
  const hash = async () => ({ body: { contentHash: (await ask('GET', five)).body.contentHash } });
  await ask('POST', `${five}/recipients`, csv('to;prenom\n+221771234571;Awa\n+221771234572;Awa\n'));
  expect((await ask('POST', `${five}/approve`, { ...(await hash()), key: 'checker-secret' })).status).toBe(409);
  expect((await ask('POST', `${five}/start`)).status).toBe(202);
  expect((await ask('POST', `${five}/approve`, await hash())).status).toBe(403);
  expect((await ask('POST', `${five}/approve`, { body: {}, key: 'checker-secret' })).status).toBe(422);
  expect((await ask('POST', `${five}/approve`, { ...(await hash()), key: 'checker-secret' })).status).toBe(200);
  const six = `${path}/${(await create('six')).body.id}`;
  await ask('POST', `${six}/recipients`, csv('to;prenom\n+221771234571;Awa\n+221771234572;Awa\n'));
  await setLimit(service, 'CAMPAIGN_APPROVAL_ABOVE_RECIPIENTS', undefined);
  await ask('PATCH', six, { body: { quietHours: '00:00-23:59' } });
  await ask('POST', `${six}/start`);
  await ask('POST', `${six}/pause`);
  await ask('POST', limit.replace('RECIPIENTS', 'XOF'), { body: { value: 1 } });
  expect((await ask('POST', `${six}/resume`)).status).toBe(202);
  await setLimit(service, 'CAMPAIGN_APPROVAL_ABOVE_XOF', undefined);

  const two = `${path}/${(await create('two')).body.id}`;
  await ask('POST', `${two}/recipients`, csv('to;prenom\n+221771234569;Awa\n'));
  await ask('PATCH', two, { body: { quietHours: '00:00-23:59' } });
  await ask('POST', `${two}/start`);
  await ask('POST', `${two}/pause`);
  await ask('PATCH', two, { body: { quietHours: false } });
  await ask('POST', `${two}/resume`);
  const { body: drafted } = await ask('POST', path, { body: { name: 'Draft', reference: 'draft' } });
  const seven = `${path}/${drafted.id}`;
  await ask('GET', `${seven}/file`);
  expect((await ask('POST', `${seven}/file/recipients`)).status).toBe(409);
  expect((await ask('POST', `${seven}/file`, other)).status).toBe(415);
  await ask('POST', `${seven}/file?name=people.csv`, csv('to;prenom\n+221771234573;Awa\n'));
  await ask('POST', `${seven}/file?nonsense=1`, csv('to;prenom\n+221771234573;Awa\n'));
  expect((await ask('POST', `${seven}/file/recipients`)).status).toBe(422);
  await ask('PATCH', seven, { body: { text: 'Bonjour {{prenom}}' } });
  await ask('POST', `${seven}/file/recipients?dryRun=true`);
  await ask('POST', `${seven}/file/recipients?dryRun=true`, { headers: { accept: 'text/csv' } });
  await ask('GET', `${seven}/file`);
  expect((await ask('POST', `${seven}/file/recipients`)).status).toBe(200);
  expect((await ask('POST', `${seven}/file`, csv('to\n+221771234573\n'))).status).toBe(409);

  const { body: third } = await create('three');
  await ask('POST', `${path}/${third.id}/cancel`);
}

export async function eventScenes({ ask, service, sealed }: Stage): Promise<void> {
  await ask('GET', '/v1/events');
  await ask('GET', '/v1/stream', { until: 'retry:' });
  const { next } = (await service.published('/v1/events?limit=1')).body;
  await service.ledger.query('update relais.stream set trimmed = position');
  expect((await ask('GET', `/v1/events?after=${next}`)).body.type).toMatch(/gone$/);
  expect((await ask('GET', '/v1/events?after=9999-7')).body.type).toMatch(/ahead-of-the-stream$/);
  const since = (cursor: string) => ({ headers: { 'last-event-id': cursor } });
  expect((await ask('GET', '/v1/stream', since(next))).body.type).toMatch(/gone$/);
  expect((await ask('GET', '/v1/stream', since('9999-7'))).body.type).toMatch(/ahead-of-the-stream$/);

  const path = '/v1/event-endpoints';
  const registration = { body: { url: 'https://shop.example/relais' } };
  const { body: made } = await ask('POST', path, registration);
  await ask('GET', path);
  await ask('GET', `${path}/${made.id}`);
  await ask('POST', `${path}/${made.id}/replay`, { body: { since: '2026-01-01T00:00:00Z' } });
  await ask('POST', `${path}/${made.id}/replay`, { body: {} });
  await ask('POST', `${path}/${made.id}/test`);
  await ask('POST', `${path}/${made.id}/rotate-secret`);
  await ask('POST', '/v1/secrets/rotate');
  expect((await sealed('POST', '/v1/secrets/rotate')).status).toBe(409);
  // A process without SEALING_SECRET cannot seal the secrets of endpoints.
  expect((await sealed('POST', path, registration)).status).toBe(409);
  expect((await sealed('POST', `${path}/${made.id}/rotate-secret`)).status).toBe(409);
  await ask('DELETE', `${path}/${made.id}`);
}

export async function operatingScenes({ ask, service, becomes }: Stage): Promise<void> {
  for (const path of [
    '/v1/review',
    '/v1/status',
    '/v1/doctor',
    '/v1/queues',
    '/v1/intake',
    '/v1/accounts',
    '/v1/explain/funds',
  ])
    await ask('GET', path);
  for (const name of ['pause', 'resume']) await ask('POST', `/v1/queues/campaign/${name}`);
  for (const path of ['explain/dsb_0', 'callbacks/dsb_0']) await ask('GET', `/v1/${path}`);
  for (const path of [
    'queues/nothing/pause',
    'queues/nothing/resume',
    'accounts/nothing/stop',
    'accounts/nothing/release',
  ]) {
    await ask('POST', `/v1/${path}`);
  }
  for (const name of ['stop', 'release']) await ask('POST', `/v1/accounts/main/${name}`);
  for (const path of ['/v1/audit', '/v1/audit/verification']) await ask('GET', path);
  const { body: key } = await ask('POST', '/v1/keys', { body: { name: 'awa', roles: ['read'], person: 'awa' } });
  await ask('GET', '/v1/keys');
  const taken = { name: 'checker', roles: ['read'], person: 'awa' };
  expect((await ask('POST', '/v1/keys', { body: taken })).status).toBe(409);
  expect((await ask('DELETE', `/v1/keys/${key.id}`)).status).toBe(204);
  expect((await ask('DELETE', '/v1/keys/nothing')).status).toBe(404);
  const limit = '/v1/limits/MAX_PER_DAY';
  expect((await ask('POST', limit, { body: { value: 500_000_000 } })).status).toBe(200);
  expect((await ask('POST', limit, { body: { value: null } })).status).toBe(202);
  expect((await ask('POST', limit, { body: { value: 0 } })).status).toBe(422);
  expect((await ask('POST', '/v1/limits/MAX_SPEED', { body: { value: 1 } })).status).toBe(404);
  await ask('GET', '/v1/limits');
  await ask('GET', '/v1/budgets');
  const { body } = await ask('POST', '/v1/disbursements', {
    body: { accountAlias: '779999902', amount: 700, withdrawMode: 'wallet-a-senegal', reference: 'called-back' },
  });
  await becomes(`/v1/disbursements/${body.id}`, 'pending');
  // What agrees with the end is forgotten, so it is asked for before the end.
  const { body: pending } = await service.call('GET', `/v1/disbursements/${body.id}`);
  await service.control('POST', `/callbacks/${String(pending.token)}`, {});
  await service.until(`/v1/callbacks/${body.id}`, (found) => found.known === true);
  await ask('GET', `/v1/callbacks/${body.id}`);
  await ask('GET', `/v1/explain/${body.id}`);
  for (const path of ['/openapi.json', '/docs', '/v1/schemas/intake']) await ask('GET', path, { key: null });
  // What is not heard is refused here as everywhere.
  for (const path of ['/openapi.json', '/docs', '/v1/schemas/intake', '/problems/invalid']) {
    expect((await ask('GET', `${path}?lang=fr`, { key: null })).status).toBe(422);
  }
  expect((await ask('GET', '/problems/invalid', { key: null })).body).toMatchObject({ status: 422 });
  expect((await ask('GET', '/problems/none', { key: null })).status).toBe(404);
}
