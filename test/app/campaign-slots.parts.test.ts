/** The number of concurrent requests of a campaign, measured at the provider. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { request } from 'undici';
import { type Service, startService } from '../support/service.ts';

const SLOTS = 6;
const PER_REQUEST = 50;

let service: Service;
let most = 0;
const waiting: (() => void)[] = [];

/** A proxy before the simulator: it holds every send until as many are in progress as there are slots. */
const front = createServer((asked, answer) => void forward(asked, answer));

async function forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of asked) chunks.push(chunk as Buffer);
  if (asked.url?.endsWith('/sms/send')) {
    const together = new Promise<void>((resolve) => waiting.push(resolve));
    most = Math.max(most, waiting.length);
    if (waiting.length === SLOTS) for (const go of waiting.splice(0)) go();
    await together;
  }
  const { host: _, connection: __, 'content-length': ___, ...headers } = asked.headers;
  const body = Buffer.concat(chunks);
  const got = await request(`${service.sandbox.crm}${asked.url}`, { method: asked.method ?? 'GET', headers, body });
  answer.writeHead(got.statusCode, { 'content-type': String(got.headers['content-type']) });
  answer.end(Buffer.from(await got.body.arrayBuffer()));
}

beforeAll(async () => {
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  service = await startService({
    SERVICE_CRM_URL: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    WORKER_CONCURRENCY: String(SLOTS),
    UPSTREAM_TIMEOUT: '60s',
  });
});
afterAll(async () => {
  await service?.stop();
  front.close();
});

test('a worker has WORKER_CONCURRENCY requests of a campaign in progress at a time', async () => {
  const { body } = await service.call('POST', '/v1/campaigns', {
    body: { name: 'c', text: 'Bonjour', country: 'SN', reference: 'slots' },
  });
  const recipients = Array.from(
    { length: 2 * SLOTS * PER_REQUEST },
    (_, at) => `+2217712${String(at).padStart(5, '0')}`,
  );
  await service.call('POST', `/v1/campaigns/${body.id}/recipients`, {
    body: ['telephone', ...recipients].join('\n'),
    headers: { 'content-type': 'text/csv' },
  });
  await service.call('POST', `/v1/campaigns/${body.id}/start`, { body: {} });
  const { totals } = await service.until(`/v1/campaigns/${body.id}`, ({ state }) => state === 'finished');
  expect(totals).toMatchObject({ sent: recipients.length });
  expect(most).toBe(SLOTS);
});
