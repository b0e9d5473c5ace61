/**
 * Used by script/console-pictures: images of every page of the console in the folder RELAIS_PICTURES; or of README,
 * if that is `readme`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, test, vi } from 'vitest';
import { type Day, aDay, pagesOf, settingsOf } from '../support/console-day.ts';
import { type ConsoleWorld, type Visit, leave, openConsole } from '../support/console-world.ts';

const { RELAIS_PICTURES: to = '', RELAIS_PICTURES_OF: only = '' } = process.env;

let world: ConsoleWorld;
let day: Day;
const folder = mkdtempSync(join(tmpdir(), 'relais-pictures-'));
beforeAll(async () => {
  if (to === '') return;
  world = await openConsole(settingsOf(folder));
  day = await aDay(world);
});
afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true });
});

const WAYS: readonly Required<Visit>[] = (['fr', 'en'] as const).flatMap((language) =>
  (['light', 'dark'] as const).flatMap((colours) => [1280, 390].map((width) => ({ language, colours, width }))),
);

async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.locator('.animate-pulse').first().waitFor({ state: 'detached' });
}

test.runIf(to !== '' && to !== 'readme').for(WAYS)(
  '$language, $colours, $width wide',
  { timeout: 600_000 },
  async (way) => {
    const named = `${way.language}-${way.colours}-${String(way.width)}`;
    const wanted = Object.entries(pagesOf(day)).filter(([name]) => new RegExp(only).test(`${named}/${name}`));
    if (wanted.length === 0) return;
    mkdirSync(join(to, named), { recursive: true });
    const page = await world.signedIn('moussa', '/', way);
    for (const [name, path] of wanted) {
      await page.goto(`${world.url}${path}`);
      await settled(page);
      await page.screenshot({ path: join(to, named, `${name}.png`), fullPage: true });
    }
    await leave(page);
  },
);

/** The images of README. */
const OF_README = ['today', 'review', 'make-people', 'approval-batch', 'campaign-running'];
const FOLDER = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));

test.runIf(to === 'readme').for(['fr', 'en'] as const)('pictures of README: %s', async (language) => {
  const page = await world.signedIn('moussa', '/', { language, width: 1100 });
  const session = await page.context().newCDPSession(page);
  await page.setViewportSize({ width: 1100, height: 760 });
  // SMS to a third of the recipients: the bar is partly filled.
  const isUnderWay = async (): Promise<boolean> => {
    const { totals } = await world.api.get<{ totals: { sent: number } }>(`/v1/campaigns/${day.running}`);
    return totals.sent > 400;
  };
  await vi.waitUntil(isUnderWay, { timeout: 170_000, interval: 1_000 });
  mkdirSync(FOLDER, { recursive: true });
  for (const name of OF_README) {
    await page.goto(`${world.url}${pagesOf(day)[name] ?? ''}`);
    await settled(page);
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
    writeFileSync(join(FOLDER, `${name}.${language}.webp`), Buffer.from(data, 'base64'));
  }
  await leave(page);
});
