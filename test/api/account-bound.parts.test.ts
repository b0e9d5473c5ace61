import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const stranger = { key: 'stranger-secret' };

describe('a key that is bound to an account', () => {
  test('cannot switch a queue, which is for all accounts', async () => {
    for (const action of ['pause', 'resume']) {
      const { status, body } = await service.call('POST', `/v1/queues/disbursement/${action}`, stranger);
      expect([status, body.detail]).toEqual([403, expect.stringContaining('is limited to other')]);
    }
    const { items } = (await service.call('GET', '/v1/queues', stranger)).body;
    expect(items.find(({ name }: { name: string }) => name === 'disbursement').paused).toBe(false);
  });

  test('has events of its account alone posted to it, and sees no other endpoint', async () => {
    const body = { url: 'https://shop.example/events' };
    const own = await service.call('POST', '/v1/event-endpoints', { ...stranger, body });
    expect(own.body.accounts).toEqual(['other']);
    const foreign = await service.call('POST', '/v1/event-endpoints', { body });
    expect(foreign.body.accounts).toBeNull();
    const { items } = (await service.call('GET', '/v1/event-endpoints', stranger)).body;
    expect(items.map(({ id }: { id: string }) => id)).toEqual([own.body.id]);
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/replay'],
      ['POST', '/rotate-secret'],
    ] as const) {
      const { status } = await service.call(method, `/v1/event-endpoints/${foreign.body.id}${path}`, {
        ...stranger,
        ...(path === '/replay' ? { body: { since: '2026-11-21T08:00:00Z' } } : {}),
      });
      expect([method, path, status]).toEqual([method, path, 404]);
    }
  });

  test('sees no callback that belongs to nobody it knows', async () => {
    await service.ledger.query("insert into relais.callback (id, body) values ('dsb_lost', 'state=completed')");
    expect((await service.call('GET', '/v1/callbacks/dsb_lost')).status).toBe(200);
    expect((await service.call('GET', '/v1/callbacks/dsb_lost', stranger)).status).toBe(404);
  });
});
