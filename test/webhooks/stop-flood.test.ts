/** Who makes up links by the thousand, while somebody presses the one that they were sent. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { Secret } from '../../src/lib/secret.ts';
import { stopLink } from '../../src/lib/stop-link.ts';
import { stopPages } from '../../src/webhooks/stop-page.ts';

const secrets = [new Secret('of the links')];

test('made-up links are told to wait, and keep nobody with a right one from being heard', async () => {
  const optedOut: string[] = [];
  const app = express().use(
    '/s',
    stopPages({
      secrets,
      links: { find: async () => ({ account: 'main', campaign: 'cmp_1', to: '+221771000001' }) },
      optOuts: { add: async (_list, phones) => optedOut.push(...phones) },
      senderOf: () => 'BOUTIQUE',
      acting: () => ({ by: 'link', person: '', role: '', door: 'link', requestId: '' }),
      // Time stands still: nothing is filled up again meanwhile.
      clock: { ...systemClock, monotonic: () => 0 },
      refusal: () => undefined,
      fence: async () => true,
      onStop: () => undefined,
      onError: () => undefined,
    }),
  );
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;
  const press = async (url: string): Promise<number> => (await fetch(url, { method: 'POST' })).status;
  const guesses = Array.from({ length: 600 }, (_, n) => `${base}/s/${String(n).padStart(18, 'Q')}`);
  const told: number[] = [];
  for (const guess of guesses) told.push(await press(guess));
  expect([told.at(0), told.at(-1)]).toEqual([200, 429]);
  const place = { upload: 'abcd', slice: 0, index: 3 };
  expect(await press(stopLink(base, secrets, place))).toBe(200);
  expect(optedOut).toEqual(['+221771000001']);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
