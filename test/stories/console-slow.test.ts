/**
 * The console over a slow network: 1.6 Mbit/s down, 0.75 up, 150 ms per request, which measuring tools call 3G.
 * Sequential requests are counted; the duration is reported next to that of an empty page from the same server.
 */
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleWorld, leave, openConsole } from '../support/console-world.ts';

const KBIT = 1_000 / 8;
const SLOW = { offline: false, latency: 150, downloadThroughput: 1_600 * KBIT, uploadThroughput: 750 * KBIT };

let world: ConsoleWorld;
beforeAll(async () => {
  world = await openConsole();
});
afterAll(() => world?.close());

async function slowed(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', SLOW);
  return session;
}

interface Fetched {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
}

const FETCHED = `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map((one) => ({
  name: new URL(one.name).pathname, from: one.startTime, to: one.responseEnd, bytes: one.transferSize,
}))`;

/** Sequential requests: each started after the previous one ended. Of concurrent ones, the last. */
function inARow(all: readonly Fetched[], last: string): readonly string[] {
  const way: string[] = [];
  let at = all.find(({ name }) => name === last);
  while (at !== undefined) {
    way.unshift(at.name);
    const { from } = at;
    // The request that ended last before its start is the one it waited for.
    at = all.filter((one) => one.from < from && one.to <= from).toSorted((one, other) => other.to - one.to)[0];
  }
  return way;
}

async function timed(page: Page, path: string, shown: string): Promise<number> {
  const begin = performance.now();
  await page.goto(`${world.url}${path}`, { waitUntil: 'commit' });
  await page.locator(shown).first().waitFor();
  return performance.now() - begin;
}

/** A separate browser with an empty cache, signed in already. */
async function visited(): Promise<Page> {
  const first = await world.signedIn('fatou');
  const cookies = await first.context().cookies();
  await leave(first);
  const page = await world.visit();
  await page.context().addCookies(cookies);
  await slowed(page);
  return page;
}

test('over a slow network the first page waits for no more than it must: three answers in a row, and 150 kB', async () => {
  const page = await visited();
  const empty = await timed(page, '/assets/none.txt', 'body');
  const today = await timed(page, '/', '[data-as-of]');
  const all = await page.evaluate<readonly Fetched[]>(FETCHED);
  expect(inARow(all, '/v1/status')).toEqual(['/console/', expect.stringMatching(/index-/), '/v1/status']);
  expect(all.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(150_000);
  await leave(page);

  const stranger = await world.visit();
  await slowed(stranger);
  const signIn = await timed(stranger, '/', 'input[type=password]');
  await leave(stranger);
  const ms = [empty, today, signIn].map((one) => one.toFixed(0));
  process.stdout.write(`nothing at all ${ms[0]} ms, today ${ms[1]} ms, signing in ${ms[2]} ms\n`);
});
