import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ DISBURSEMENT_RESUBMIT: 'strict', DISBURSEMENT_QUIET_PERIOD: '200ms' });
});
afterEach(async () => {
  await service.control('DELETE', '/faults');
  await service.call('POST', '/v1/accounts/main/release');
});
afterAll(() => service.stop());

let made = 0;
const disburse = async (more: object = {}): Promise<string> => {
  made += 1;
  const body = {
    accountAlias: '771234567',
    amount: 10_000,
    withdrawMode: 'wallet-a-senegal',
    reference: `o-${made}`,
  };
  return (await service.call('POST', '/v1/disbursements', { body: { ...body, ...more } })).body.id;
};
const explain = async (id: string) => (await service.call('GET', `/v1/explain/${id}`)).body;
const later = () => new Date(Date.now() + 3_600_000).toISOString();

describe('queues', () => {
  const pausedOf = (items: { name: string; paused: boolean }[], queue: string) =>
    items.find(({ name }) => name === queue)?.paused;

  test('are paused and resumed by name, and everything that is done in them waits', async () => {
    const paused = await service.call('POST', '/v1/queues/disbursement/pause');
    expect([paused.status, pausedOf(paused.body.items, 'disbursement')]).toEqual([200, true]);
    const id = await disburse();
    const told = await explain(id);
    expect(told.summary).toContain('It cannot continue now: its queue is paused.');
    const resumed = await service.call('POST', '/v1/queues/disbursement/resume');
    expect(pausedOf(resumed.body.items, 'disbursement')).toBe(false);
    await service.until(`/v1/disbursements/${id}`, ({ state }) => state === 'succeeded');
  });

  test('that are not there cannot be paused', async () => {
    expect((await service.call('POST', '/v1/queues/zut/pause')).status).toBe(404);
  });
});

describe('accounts', () => {
  test('show the reason and the start of a hold, whether listed, stopped or released', async () => {
    const held = [{ area: 'payments', reason: 'stopped', since: expect.stringMatching(/^\d{4}-.*Z$/) }];
    const stopped = await service.call('POST', '/v1/accounts/main/stop');
    expect(stopped.body).toEqual({ name: 'main', held });
    expect((await service.call('GET', '/v1/accounts')).body).toEqual({ items: [{ name: 'main', held }] });
    expect((await service.call('POST', '/v1/accounts/main/release')).body).toEqual({ name: 'main', held: [] });
  });
});

describe('review', () => {
  test('lists operations that need review, page by page, to authorised keys', async () => {
    await service.control('POST', '/faults', {
      fault: 'resets the connection before doing the work',
      operation: 'disbursement.submit',
    });
    const ids = [await disburse(), await disburse(), await disburse()];
    for (const id of ids) await service.until(`/v1/disbursements/${id}`, ({ state }) => state === 'needs_review');
    const first = (await service.call('GET', '/v1/review?limit=2')).body;
    const second = (await service.call('GET', `/v1/review?limit=2&after=${first.next}`)).body;
    const listed = [...first.items, ...second.items];
    expect(listed.map(({ id }: { id: string }) => id).toSorted()).toEqual(ids.toSorted());
    expect(listed[0]).toMatchObject({ state: 'needs_review', reason: 'never_executed' });
    expect((await service.call('GET', '/v1/review', { key: 'stranger-secret' })).body.items).toEqual([]);
    const told = await explain(ids[0] ?? '');
    expect(told.summary).toContain('the provider reported twice that the payment was never executed');
    expect(told.next).toContain('`resubmit` or `cancelled`');
    expect(Date.parse(told.nextLook)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  });
});

describe('explain', () => {
  test('explains a disbursement from acceptance to its final status', async () => {
    const id = await disburse();
    await service.until(`/v1/disbursements/${id}`, ({ state }) => state === 'succeeded');
    const { kind, state, summary, story, next } = await explain(id);
    expect({ kind, state, next }).toEqual({
      kind: 'disbursement',
      state: 'succeeded',
      next: 'There is nothing to do.',
    });
    expect(summary).toContain('was paid; the provider confirmed it');
    const told = story.map(({ what }: { what: string }) => what);
    expect(told).toEqual(
      expect.arrayContaining(['accepted', 'the provider gave a token', 'about to submit (send 1)']),
    );
    // A callback may arrive after the check.
    const asked = told.filter((what: string) => !what.startsWith('callback of the provider'));
    expect(asked.at(-1)).toBe('asked: the provider reports success');
  });

  test('names the hold of its account', async () => {
    await service.call('POST', '/v1/accounts/main/stop');
    const { summary, next } = await explain(await disburse({ notBefore: later() }));
    expect(summary).toContain('the account is held: an operator stopped the account');
    expect(next).toContain('relais account release');
  });

  test('explains a message by its result, without the whole number', async () => {
    const body = { to: '+221771234567', text: 'Bonjour' };
    const [{ id }] = (await service.call('POST', '/v1/messages', { body })).body.items;
    await service.until(`/v1/messages/${id}`, ({ state }) => state === 'sent');
    const { kind, summary, story } = await explain(id);
    expect(kind).toBe('message');
    expect(summary).toMatch(/^SMS to \+22177•••4567\. The provider accepted it; /);
    expect(story.map(({ what }: { what: string }) => what)).toEqual([
      'accepted',
      'about to send',
      expect.any(String),
    ]);
  });

  test('explains a campaign, the next step, and its recipients’ results', async () => {
    const campaign = { name: 'Rappel', text: 'Bonjour', country: 'SN', reference: 'c' };
    const { id } = (await service.call('POST', '/v1/campaigns', { body: campaign })).body;
    expect((await explain(id)).next).toContain('Upload recipients');
    const headers = { 'content-type': 'text/csv' };
    await service.call('POST', `/v1/campaigns/${id}/recipients`, { body: 'numero\n771000001\n771000002\n', headers });
    expect((await explain(id)).next).toBe(`Start it: relais campaign start ${id}`);
    await service.call('POST', `/v1/campaigns/${id}/start`);
    await service.until(`/v1/campaigns/${id}`, ({ state }) => state === 'finished');
    const told = await explain(id);
    expect(told.summary).toContain(
      'Campaign “Rappel” to 2 recipients, reference c. Every recipient has a final status.',
    );
    expect(told.summary).toContain('Rows: 2 sent.');
  });

  test('reveals nothing about an unknown id or another account’s, with the same text', async () => {
    const id = await disburse({ notBefore: later() });
    const stranger = await service.call('GET', `/v1/explain/${id}`, { key: 'stranger-secret' });
    const nobody = await service.call('GET', '/v1/explain/dsb_zut');
    expect([stranger.status, nobody.status]).toEqual([404, 404]);
    expect(stranger.body.detail).toBe(`The operation ${id} was not found.`);
    expect(nobody.body.detail).toBe('The operation dsb_zut was not found.');
  });

  test('a callback that confirmed a success is removed, and a request for it says so', async () => {
    const id = await disburse({});
    await service.until(`/v1/disbursements/${id}`, ({ state }) => state === 'succeeded');
    const kept = async (): Promise<number> => (await service.call('GET', `/v1/callbacks/${id}`)).status;
    await expect.poll(kept).toBe(404);
    const { detail } = (await service.call('GET', `/v1/callbacks/${id}`)).body;
    const { body: story } = await service.call('GET', `/v1/explain/${id}`);
    expect(JSON.stringify(story)).toMatch(/called back|callback/i);
    expect(detail).toMatch(/only if it contradicts a success.*GET \/v1\/explain\/dsb_/);
  });

  test('reveals nothing about stored data that is no operation', async () => {
    const endpoint = { url: 'https://shop.example/events', types: ['disbursement.succeeded'] };
    const { status, body } = await service.call('POST', '/v1/event-endpoints', { body: endpoint });
    expect([status, body.id]).toEqual([201, expect.stringMatching(/^ep_/)]);
    const told = await service.call('GET', `/v1/explain/${body.id}`);
    expect([told.status, told.body.detail]).toEqual([404, `The operation ${body.id} was not found.`]);
    expect((await service.call('GET', `/v1/callbacks/${body.id}`)).status).toBe(404);
  });
});
