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

  test('sees no callback outside its accounts', async () => {
    await service.ledger.query("insert into relais.callback (id, body) values ('dsb_lost', 'state=completed')");
    expect((await service.call('GET', '/v1/callbacks/dsb_lost')).status).toBe(200);
    expect((await service.call('GET', '/v1/callbacks/dsb_lost', stranger)).status).toBe(404);
  });
});
