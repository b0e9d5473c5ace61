/** The audit log through the API. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ APPROVAL_ABOVE: '40000', SWEEP_INTERVAL: '10m' });
});
afterAll(() => service.stop());

const disbursement = (reference: string, amount: number) => ({
  accountAlias: '771234567',
  amount,
  withdrawMode: 'wallet-a-senegal',
  reference,
});

/** All lines, newest first, after all of them are signed. */
async function lines(): Promise<Record<string, any>[]> {
  await service.until('/v1/audit?limit=1', ({ items }) => items.every(({ hash }: { hash: string }) => hash !== ''));
  const all: Record<string, any>[] = [];
  for (let after = ''; ; ) {
    const { body } = await service.call('GET', `/v1/audit?limit=5${after === '' ? '' : `&after=${after}`}`);
    all.push(...body.items);
    if (body.next === null) return all;
    after = body.next;
  }
}

/** New lines, oldest first. */
async function toldBy(act: () => Promise<unknown>): Promise<Record<string, any>[]> {
  const before = (await lines()).length;
  await act();
  return (await lines()).toReversed().slice(before);
}

test('an act is one line: user, role, request, act, state before and after', async () => {
  const { body: asked, headers } = await service.call('POST', '/v1/disbursements', {
    body: disbursement('big', 50_000),
  });
  await service.call('POST', `/v1/disbursements/${asked.id}/approve`, { key: 'checker-secret' });
  const [created, approved] = (await lines()).toReversed().slice(-2);
  const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
  expect(created).toEqual({
    id: expect.stringMatching(/^\d+-\d+$/),
    at: expect.stringMatching(/Z$/),
    by: 'maker',
    person: null,
    role: 'enqueue',
    source: 'api',
    requestId: headers['x-request-id'],
    act: 'disbursement.create',
    target: asked.id,
    before: null,
    after: { state: 'awaiting_approval', account: 'main', amount: 50_000 },
    hash,
  });
  expect(approved).toMatchObject({
    by: 'checker',
    role: 'approve',
    act: 'disbursement.approve',
    target: asked.id,
    before: { state: 'awaiting_approval' },
    after: { state: 'queued', amount: 50_000 },
  });
});

test('refusals, dry runs and repeated requests add no act', async () => {
  const one = disbursement('twice', 700);
  expect(await toldBy(() => service.call('POST', '/v1/disbursements', { body: one }))).toHaveLength(1);
  const none = await toldBy(async () => {
    const statuses = await Promise.all([
      service.call('POST', '/v1/disbursements', { body: one }),
      service.call('POST', '/v1/disbursements', { body: { ...one, amount: 701 } }),
      service.call('POST', '/v1/disbursements?dryRun=true', { body: disbursement('judged', 700) }),
      service.call('POST', '/v1/disbursements', { body: disbursement('none', 0) }),
      service.call('POST', '/v1/accounts/main/stop', { key: 'reader-secret' }),
      service.call('POST', '/v1/accounts/main/release'),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([202, 409, 200, 422, 403, 200]);
  });
  expect(none).toEqual([]);
});

test('a switch to the current state is not logged again', async () => {
  const stop = () => service.call('POST', '/v1/accounts/main/stop');
  const pause = () => service.call('POST', '/v1/queues/campaign/pause');
  const told = await toldBy(async () => {
    for (const act of [stop, stop, pause, pause]) await act();
    await service.call('POST', '/v1/accounts/main/release');
    await service.call('POST', '/v1/queues/campaign/resume');
  });
  expect(told.map(({ act, target, before, after }) => [act, target, before, after])).toEqual([
    ['account.stop', 'main', null, { held: 'payments.stopped' }],
    ['queue.pause', 'campaign', null, null],
    ['account.release', 'main', { held: 'payments.stopped' }, null],
    ['queue.resume', 'campaign', null, null],
  ]);
});

test('each step of an erasure adds a line, from the first request to the last', async () => {
  const message = { to: '+221771230001', text: 'x', reference: 'forgotten' };
  const { id } = (await service.call('POST', '/v1/messages', { body: message })).body.items[0];
  await service.until(`/v1/messages/${id}`, ({ state }) => state === 'sent');
  const { body: campaign } = await service.call('POST', '/v1/campaigns', {
    body: { name: 'n', text: 'Salut', reference: 'forgotten' },
  });
  await service.call('POST', `/v1/campaigns/${campaign.id}/recipients`, {
    body: 'to\n+221771230001\n+221771230009\n',
    headers: { 'content-type': 'text/csv' },
  });
  await service.call('POST', '/v1/opt-outs', { body: { phones: ['+221771230001'] } });
  const told = await toldBy(async () => {
    for (let after: string | null | undefined; after !== null; ) {
      const { body } = await service.call('POST', '/v1/purge', {
        body: { phone: '+221771230001', ...(after && { after }) },
      });
      after = body.next ?? null;
    }
  });
  expect(new Set(told.map(({ act, target }) => `${act} ${target}`))).toEqual(
    new Set([`person.purge ${told[0]?.['target']}`]),
  );
  const facts = told.map(({ after }) => after);
  expect(facts[0]).toEqual({ begun: true, optOuts: 1 });
  expect(facts.at(-1)).toEqual({ over: true });
  expect(facts).toContainEqual({ of: 'operations', messages: 1 });
  expect(facts).toContainEqual({ of: 'recipients', recipients: 1 });
  expect(JSON.stringify(told)).not.toContain('77123');
});

test('only the host of an endpoint is logged: path and query may be a password', async () => {
  const url = 'https://shop.example/in/s3cr3t?key=hidden';
  const told = await toldBy(() => service.call('POST', '/v1/event-endpoints', { body: { url } }));
  expect(told).toMatchObject([{ act: 'endpoint.create', after: { url: 'https://shop.example' } }]);
  await service.call('DELETE', `/v1/event-endpoints/${told[0]?.['target']}`);
  expect(JSON.stringify(await service.ledger.query('select * from relais.audit_line'))).not.toMatch(/s3cr3t|hidden/);
});

test('re-encryption adds one line for each secret, and one for the whole', async () => {
  const { body } = await service.call('POST', '/v1/event-endpoints', {
    body: { url: 'https://shop.example/relais' },
  });
  const told = await toldBy(() => service.call('POST', '/v1/secrets/rotate'));
  expect(told.map(({ act, target, after }) => [act, target, after])).toEqual([
    ['secrets.rotate', body.id, null],
    ['secrets.rotate', null, { resealed: 1, unreadable: [] }],
  ]);
});

test('SMS of one request share a line, without their numbers and texts', async () => {
  const texts = Array.from({ length: 120 }, (_, n) => ({ to: `+22177${1_000_000 + n}`, text: `Bonjour ${n}` }));
  const told = await toldBy(() => service.call('POST', '/v1/messages', { body: texts }));
  const sent = told.map(({ act, after }) => [act, after.messages]);
  expect(sent.every(([act]) => act === 'message.send')).toBe(true);
  expect(sent.length).toBeLessThanOrEqual(3);
  expect(sent.reduce((sum, [, messages]) => sum + messages, 0)).toBe(120);
  await service.call('POST', '/v1/opt-outs', { body: { phones: texts.map(({ to }) => to) } });
  await service.call('POST', '/v1/purge', { body: { phone: '+221771000001' } });
  const all = JSON.stringify(await service.ledger.query('select * from relais.audit_line'));
  expect(all).not.toMatch(/771000\d{3}|Bonjour|771234567/);
});

test('a campaign is logged from its creation to its end', async () => {
  const told = await toldBy(async () => {
    const { body } = await service.call('POST', '/v1/campaigns', {
      body: { name: 'n', text: 'Salut', reference: 'c' },
    });
    const path = `/v1/campaigns/${body.id}`;
    const headers = { 'content-type': 'text/csv' };
    await service.call('POST', `${path}/recipients`, { body: 'to\n+221771234567\n', headers });
    await service.call('PATCH', path, { body: { perSecond: 5 } });
    await service.call('PATCH', path, { body: { perSecond: 5 } });
    await service.call('POST', `${path}/start`);
    await service.call('POST', `${path}/pause`);
    await service.call('POST', `${path}/cancel`);
  });
  expect(told.map(({ act, before, after }) => [act, before, after])).toEqual([
    ['campaign.create', null, { state: 'draft', account: 'main' }],
    ['campaign.upload', { recipients: 0 }, { recipients: 1 }],
    ['campaign.amend', { perSecond: '' }, { perSecond: 5 }],
    ['campaign.start', { state: 'ready' }, { state: 'running' }],
    ['campaign.pause', { state: expect.stringMatching(/running|held/) }, { state: 'paused' }],
    ['campaign.cancel', { state: 'paused' }, { state: 'cancelled' }],
  ]);
});

test('a line that was changed by hand is named', async () => {
  expect((await service.call('GET', '/v1/audit/verification')).body).toMatchObject({ fits: true, fault: null });
  const first = (await lines()).at(-1)?.['id'];
  await service.ledger.query(`delete from relais.audit_line where sequence = ${String(first).split('-')[1]}`);
  const second = (await lines()).at(-1)?.['id'];
  const { body } = await service.call('GET', '/v1/audit/verification');
  expect(body).toMatchObject({ fits: false, fault: { id: second } });
});
