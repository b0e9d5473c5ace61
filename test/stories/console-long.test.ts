/** A list of a million, read further and further: the page's data and refreshes do not grow with the position. */
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleWorld, leave, openConsole, query } from '../support/console-world.ts';

const MANY = 1_000_000;
const PRESSES = 60;
const MEGABYTE = 1_048_576;

let world: ConsoleWorld;
beforeAll(async () => {
  world = await openConsole();
  await world.api.post('/v1/opt-outs', { phones: ['+221700000000'] });
  await query(
    world.databaseUrl,
    `insert into relais.opt_out (account, sender, subscriber, phone)
     select 'main', '', phone, phone from generate_series(221700000001, 221700000000 + $1::int8 - 1) as phone`,
    [MANY],
  );
});
afterAll(() => world?.close());

const ROWS = '[data-opt-outs] [data-row]';
const LONG = `new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) (globalThis.long ??= []).push(Math.round(duration));
}).observe({ type: 'longtask', buffered: true })`;

async function heldBy(session: CDPSession): Promise<{ readonly megabytes: number; readonly nodes: number }> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes } = await session.send('Memory.getDOMCounters');
  return { megabytes: usedSize / MEGABYTE, nodes };
}

const lastRow = (page: Page): Promise<string | null> => page.locator(ROWS).last().getAttribute('data-row');
const firstRow = (page: Page): Promise<string | null> => page.locator(ROWS).first().getAttribute('data-row');

async function onward(page: Page): Promise<void> {
  const before = await lastRow(page);
  await page.locator('[data-more=next]').click();
  await expect.poll(() => lastRow(page)).not.toBe(before);
}

test('a list of a million is read on, back and by number, and the page holds no more after sixty pages than after ten', async () => {
  const page = await world.signedIn('moussa', '/opt-outs');
  await page.locator(`[data-opt-outs="${String(MANY)}"]`).waitFor();
  await page.evaluate(LONG);
  const session = await page.context().newCDPSession(page);
  for (let press = 0; press < 10; press += 1) await onward(page);
  const [rows, early] = [await page.locator(ROWS).count(), await heldBy(session)];
  for (let press = 10; press < PRESSES; press += 1) await onward(page);
  const late = await heldBy(session);
  // The number of pages is about as requested.
  expect(await page.locator(ROWS).count()).toBeLessThan(rows * 1.5);
  expect(late.nodes).toBeLessThan(early.nodes * 1.5);
  expect(late.megabytes).toBeLessThan(early.megabytes * 1.5);

  const before = await firstRow(page);
  await page.locator('[data-more=previous]').click();
  await expect.poll(() => firstRow(page)).not.toBe(before);
  expect(await page.locator(ROWS).count()).toBeLessThan(rows * 1.5);

  // After an act all displayed data is refreshed, and no more.
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.locator('[data-act=removeOptOuts]').first().click();
  await page.locator('dialog button').last().click();
  await page.locator(`[data-opt-outs="${String(MANY - 1)}"]`).waitFor();
  expect(asked.filter((path) => path === '/v1/opt-outs').length).toBeLessThan(12);

  await page.getByLabel('Phone number', { exact: true }).fill('+221700999999');
  await page.keyboard.press('Enter');
  await page.locator('[data-opted-out=true]').waitFor();
  const long = await page.evaluate<readonly number[]>('globalThis.long ?? []');
  process.stdout.write(
    `after 10: ${rows} rows, ${early.nodes} nodes, ${early.megabytes.toFixed(1)} MB; after ${PRESSES}: ` +
      `${late.nodes} nodes, ${late.megabytes.toFixed(1)} MB; the longest task ${Math.max(0, ...long)} ms\n`,
  );
  await leave(page);
});
