import { createServer } from 'node:net';
import { once } from 'node:events';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { sandboxKeys } from '../../src/app/sandbox.ts';
import { startRelais } from '../support/relais-process.ts';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

test('a process that starts before its Redis waits for it, says so, and then works', async () => {
  const port = await freePort();
  let redis: Promise<EmbeddedRedis> | undefined;
  const relais = await startRelais(
    {
      REDIS_URL: `redis://127.0.0.1:${port}`,
      SERVICE_BASE_URL: 'http://127.0.0.1:9',
      SERVICE_CRM_URL: 'http://127.0.0.1:9',
      ...sandboxKeys,
      CALLBACK_SECRET: 'callback-secret',
      API_KEYS: 'maker:enqueue+read:maker-secret',
      API_PORT: '0',
      WEBHOOKS_PORT: '0',
      METRICS_PORT: '0',
    },
    'api,worker,webhooks',
    // The first wait is five seconds long: so much later does the Redis come.
    (written) => {
      if (/did not answer within 5s.*Trying again/.test(written)) redis ??= startEmbeddedRedis({ port });
    },
  );
  try {
    expect(relais.written()).toMatch(/"level":"?(40|warn)/);
    const answer = await request(`${relais.urls['api']}/v1/queues`, {
      headers: { authorization: 'Bearer maker-secret' },
    });
    expect(answer.statusCode).toBe(200);
    await answer.body.dump();
  } finally {
    await relais.stop();
    await (await redis)?.stop();
  }
});
