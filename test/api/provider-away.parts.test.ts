/** A failing identity provider is not called again for every sign-in attempt of unknown clients. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Running, apiOn, freshStores } from '../support/api-process.ts';
import { browserAt } from '../support/browser.ts';

let asked = 0;
const provider = createServer((_, response) => {
  asked += 1;
  response.writeHead(503).end();
});
let fresh: Awaited<ReturnType<typeof freshStores>>;
let api: Running;
beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  fresh = await freshStores();
  api = await apiOn(fresh, {
    API_KEYS: 'root:admin:root-secret',
    OIDC_ISSUER: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
    OIDC_CLIENT_ID: 'relais',
    OIDC_CLIENT_SECRET: 'a-secret-of-the-client-of-32-chars',
    OIDC_GROUPS: 'desk:read',
  });
});
afterAll(async () => {
  await api?.stop();
  await fresh?.close();
  provider.closeAllConnections();
  await new Promise((resolve) => provider.close(resolve));
});

test('many sign-ins during its outage cost it one request a second', async () => {
  const began = performance.now();
  const browser = browserAt(api.url);
  for (let turn = 0; turn < 60; turn += 1) {
    const { status } = await browser.fetch('POST', '/v1/session/provider', { body: {} });
    expect(status).toBe(503);
  }
  const seconds = (performance.now() - began) / 1_000;
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThanOrEqual(1 + Math.ceil(seconds));
});
