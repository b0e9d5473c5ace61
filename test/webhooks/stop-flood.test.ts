/** The page behind a stop link: links changed by phones, invented links, and floods of either. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { Secret } from '../../src/lib/secret.ts';
import { stopLink } from '../../src/lib/stop-link.ts';
import { stopPages } from '../../src/webhooks/stop-page.ts';

const secrets = [new Secret('of the links')];

/** Recipients have the numbers of their links. */
async function stopPage({ isKnown = true } = {}) {
  const optedOut: string[] = [];
  const app = express().use(
    '/s',
    stopPages({
      secrets,
      links: {
        find: async ({ index }) =>
          isKnown ? { account: 'main', campaign: 'cmp_1', to: `+22177100000${index}` } : undefined,
      },
      optOuts: { add: async (_list, phones) => optedOut.push(...phones) },
      senderOf: () => 'BOUTIQUE',
      acting: () => ({ by: 'link', person: '', role: '', source: 'link', requestId: '' }),
      // Time stands still, so that no bucket is refilled.
      clock: { ...systemClock, monotonic: () => 0 },
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

test('invented links must wait, and do not block holders of real ones', async () => {
  const { base, press, link, optedOut, close } = await stopPage();
  const guesses = Array.from({ length: 600 }, (_, n) => `${base}/s/${String(n).padStart(18, 'Q')}`);
  const told: number[] = [];
  for (const guess of guesses) told.push(await press(guess));
  expect([told.at(0), told.at(-1)]).toEqual([404, 429]);
  expect(await press(link(3))).toBe(200);
  expect(optedOut).toEqual(['+221771000003']);
  await close();
});

test('one link that is pressed without end does not block others', async () => {
  const { press, link, optedOut, close } = await stopPage();
  const told = new Set<number>();
  for (let times = 0; times < 500; times += 1) told.add(await press(link(1)));
  expect(await press(link(2))).toBe(200);
  expect([...told]).toEqual([200]);
  expect(optedOut).toEqual(['+221771000001', '+221771000002']);
  await close();
});

test.for(['.', '/', '%20', ').', ',', '%E2%80%A6', '%', '…', '/?lang=fr', 'Merci', '0', ';'])(
  'a link with %s behind it, as a phone reads it out of a sentence, is the link itself',
  async (behind) => {
    const { link, optedOut, close } = await stopPage();
    const looked = await fetch(`${link(4)}${behind}`);
    expect([looked.status, await looked.text()]).toEqual([200, expect.stringContaining('<button')]);
    expect(optedOut).toEqual([]);
    const pressed = await fetch(`${link(4)}${behind}`, { method: 'POST' });
    expect([pressed.status, await pressed.text()]).toEqual([200, expect.stringContaining('C’est noté')]);
    expect(optedOut).toEqual(['+221771000004']);
    await close();
  },
);

test.for([
  ['cut short', (link: string) => link.slice(0, -1)],
  ['with another letter', (link: string) => `${link.slice(0, -1)}${link.endsWith('0') ? '1' : '0'}`],
  ['with a sign in it', (link: string) => `${link.slice(0, -4)}.${link.slice(-4)}`],
  ['without its letters', (link: string) => link.slice(0, -18)],
] as const)('a link %s thanks for nothing: it has no button, and nothing is stored', async ([, change]) => {
  const { link, optedOut, close } = await stopPage();
  for (const method of ['GET', 'POST']) {
    const answer = await fetch(change(link(5)), { method, headers: { 'accept-language': 'en' } });
    const page = await answer.text();
    expect([method, answer.status]).toEqual([method, 404]);
    expect(page).toContain('This link is not valid');
    expect(page).not.toContain('<button');
  }
  expect(optedOut).toEqual([]);
  await close();
});

test('a signed link whose recipient is no longer stored thanks for nothing', async () => {
  const { link, optedOut, close } = await stopPage({ isKnown: false });
  const [first, again] = [await fetch(link(6), { method: 'POST' }), await fetch(link(6), { method: 'POST' })];
  expect([first.status, again.status, optedOut]).toEqual([404, 404, []]);
  expect(await first.text()).not.toContain('C’est noté');
  await close();
});
