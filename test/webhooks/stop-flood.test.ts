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

/** People are numbered as their links are. */
async function stopPage() {
  const optedOut: string[] = [];
  const app = express().use(
    '/s',
    stopPages({
      secrets,
      links: { find: async ({ index }) => ({ account: 'main', campaign: 'cmp_1', to: `+22177100000${index}` }) },
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
  const link = (index: number): string => stopLink(base, secrets, { upload: 'abcd', slice: 0, index });
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { base, press, link, optedOut, close };
}

test('made-up links are told to wait, and keep nobody with a right one from being heard', async () => {
  const { base, press, link, optedOut, close } = await stopPage();
  const guesses = Array.from({ length: 600 }, (_, n) => `${base}/s/${String(n).padStart(18, 'Q')}`);
  const told: number[] = [];
  for (const guess of guesses) told.push(await press(guess));
  expect([told.at(0), told.at(-1)]).toEqual([200, 429]);
  expect(await press(link(3))).toBe(200);
  expect(optedOut).toEqual(['+221771000003']);
  await close();
});

test('one link that is pressed without end keeps no other from being heard', async () => {
  const { press, link, optedOut, close } = await stopPage();
  const told = new Set<number>();
  for (let times = 0; times < 500; times += 1) told.add(await press(link(1)));
  expect(await press(link(2))).toBe(200);
  expect([...told]).toEqual([200]);
  expect(optedOut).toEqual(['+221771000001', '+221771000002']);
  await close();
});
