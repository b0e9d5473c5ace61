/** In a file of its own, so that nothing else has loaded anything. */
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { keys } from '../../src/operations/keys.ts';
import { startService } from '../support/service.ts';

test('traces that nobody asked for cost nothing: no library, and no byte of a record or an event', async () => {
  const service = await startService();
  try {
    const order = {
      accountAlias: '771234567',
      amount: 5_000,
      withdrawMode: 'wallet-a-senegal',
      reference: 'untraced',
    };
    const headers = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };
    const { body } = await service.call('POST', '/v1/disbursements', { body: order, headers });
    await service.until(`/v1/disbursements/${body.id}`, ({ state }) => state === 'succeeded');
    expect(await service.redis.hexists(keys.record(body.id), 'trace')).toBe(0);
    const [[, entry] = []] = await service.redis.xrange(keys.events, '-', '+');
    expect(entry).not.toContain('trace');
    // `api` comes with prom-client.
    const loaded = Object.keys(createRequire(import.meta.url).cache);
    expect(loaded.filter((path) => /@opentelemetry.(?!api.)/.test(path))).toEqual([]);
    expect(loaded.filter((path) => path.includes('bullmq')).length).toBeGreaterThan(0);
  } finally {
    await service.stop();
  }
});
