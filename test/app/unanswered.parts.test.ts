/** Clients that send faster than they read: on each listener, at each public path. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../../src/api/routes.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const WITHOUT_A_KEY = routes
  .filter(({ method, role, session }) => method === 'get' && role === undefined && session === undefined)
  .map(({ path }) => path.replace('{kind}', 'invalid'));

const addressOf = {
  api: ({ api }: Service) => api,
  webhooks: ({ webhooks }: Service) => webhooks,
  metrics: ({ metrics }: Service) => metrics,
  base: ({ sandbox }: Service) => sandbox.base,
  crm: ({ sandbox }: Service) => sandbox.crm,
  control: ({ sandbox }: Service) => sandbox.control,
} as const;

const PATHS = {
  api: [...WITHOUT_A_KEY, '/console', '/v1/accounts', '/nothing'],
  webhooks: ['/s/forged', '/cb/d/forged', '/nothing'],
  metrics: ['/metrics', '/healthz', '/readyz', '/nothing'],
  base: ['/', '/nothing'],
  crm: ['/', '/nothing'],
  control: ['/books', '/nothing'],
} as const satisfies Record<keyof typeof addressOf, readonly string[]>;

const names = ['api', 'webhooks', 'metrics', 'base', 'crm', 'control'] as const;
const CASES = names.flatMap((name) => PATHS[name].map((path) => [name, path] as const));

const SENT = 100;
const MOST = 8;

test.for(CASES)('the listener %s closes a connection with a hundred requests of %s at once', async ([name, path]) => {
  const { hostname, port } = new URL(addressOf[name](service));
  const socket = connect(Number(port), hostname);
  let heard = '';
  socket.on('data', (bytes: Buffer) => (heard += bytes.toString('latin1')));
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: relais\r\n\r\n`.repeat(SENT));
  await closed;
  expect(heard.split('HTTP/1.1 ').length - 1).toBeLessThanOrEqual(MOST);
});

test('the routes without a key are among them', () => {
  expect(WITHOUT_A_KEY).toEqual(expect.arrayContaining(['/openapi.json', '/docs', '/v1/schemas/intake']));
});
