/** Every page of the console, in both languages and both colours, against the accessibility rules (axe). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { englishLines } from '../support/english-words.ts';
import { aDay, pagesOf, settingsOf } from '../support/console-day.ts';
import { type ConsoleWorld, type Visit, goTo, leave, openConsole } from '../support/console-world.ts';

let world: ConsoleWorld;
let pages: readonly string[];
/** The part of an identity provider that the sign-in page shows. */
const NOBODY_THERE = {
  OIDC_ISSUER: 'http://127.0.0.1:9',
  OIDC_CLIENT_ID: 'relais',
  OIDC_CLIENT_SECRET: 'a-secret-of-the-client-of-32-chars',
  OIDC_GROUPS: 'staff:read',
};
const folder = mkdtempSync(join(tmpdir(), 'relais-looks-'));
beforeAll(async () => {
  world = await openConsole({ ...settingsOf(folder), ...NOBODY_THERE });
  pages = Object.values(pagesOf(await aDay(world)));
});
afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true });
});

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly any: readonly { readonly message: string }[] }[];
}

/** Serious and critical findings. The rules run from outside the page, whose policy allows no script. */
async function findings(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  // Only one time for all pages shown in the same place.
  const known = await session.send('Runtime.evaluate', { expression: 'typeof axe' });
  if (known.result.value === 'undefined') await session.send('Runtime.evaluate', { expression: axe.source });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => JSON.stringify(violations))`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  const all = JSON.parse(String(result.value)) as readonly Finding[];
  return all
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, any }) => `${id}: ${html.slice(0, 160)} ${any[0]?.message ?? ''}`),
    );
}

test('the rules find an obstacle', async () => {
  const page = await world.visit();
  await page.goto(`${world.url}/`);
  await settled(page);
  await page.evaluate("document.querySelector('main').append(document.createElement('img'))");
  expect(await findings(page)).toEqual([expect.stringMatching(/^image-alt: /)]);
  await leave(page);
});

test('the keyboard finds an unreachable element', async () => {
  const page = await world.signedIn('moussa');
  await settled(page);
  // The frame of every page, so that no refresh replaces it.
  await page.evaluate("document.querySelector('nav a[href]').tabIndex = -1");
  expect(await unreachedOn(page)).toHaveLength(1);
  await leave(page);
});

async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.locator('.animate-pulse').first().waitFor({ state: 'detached' });
}

/** Names of this world's users, and of the languages. */
const TYPED = /English|no-such-page/g;

/**
 * Unreadable content: cut off at an edge, or so close to other text that two figures look like one. `18   885 000 F
 * CFA` is not `18 885 000 F CFA`.
 */
const UNREADABLE = `(() => {
  const told = [];
  const shown = (one) => one.checkVisibility() && one.innerText.trim() !== '';
  for (const box of document.querySelectorAll('.overflow-x-auto'))
    if (!box.closest('nav') && box.scrollWidth > box.clientWidth) told.push('cut off: ' + box.innerText.slice(0, 80));
  const here = document.querySelector('[aria-current=step]')?.getBoundingClientRect();
  if (here && (here.left < 0 || here.right > innerWidth)) told.push('the step that one is at is not seen');
  const placeOf = (cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    const { left, right } = range.getBoundingClientRect();
    // Text shortened with an ellipsis ends at its cell.
    return { left, right: Math.min(right, cell.getBoundingClientRect().right - parseFloat(getComputedStyle(cell).paddingRight)) };
  };
  for (const row of document.querySelectorAll('tr')) {
    const cells = [...row.cells].filter(shown);
    for (const [at, cell] of cells.entries())
      if (at > 0 && placeOf(cell).left - placeOf(cells[at - 1]).right < 14) told.push('too close: ' + row.innerText);
  }
  for (const field of document.querySelectorAll('input[placeholder]')) {
    const pen = document.createElement('canvas').getContext('2d');
    pen.font = getComputedStyle(field).font;
    const room = field.clientWidth - 2 * parseFloat(getComputedStyle(field).paddingLeft);
    if (pen.measureText(field.placeholder).width > room) told.push('cut off: ' + field.placeholder);
  }
  return told;
})()`;

const WAYS: readonly Visit[] = [
  { language: 'fr', colours: 'light' },
  { language: 'fr', colours: 'dark', width: 390 },
  { language: 'en', colours: 'light', width: 390 },
  { language: 'en', colours: 'dark' },
];

test.concurrent.for(WAYS)('no serious accessibility problem: $language, $colours', async (how) => {
  const before = await world.visit(how);
  await before.goto(`${world.url}/?not-signed-in=no-group`);
  await settled(before);
  await before.locator('[data-provider]').waitFor();
  expect(await findings(before)).toEqual([]);
  await leave(before);
  const page = await world.signedIn('moussa', '/', how);
  // By links; the keyboard test opens each page by its address.
  for (const path of pages) {
    await goTo(page, path);
    expect(await page.getAttribute('html', 'lang')).toBe(how.language);
    expect(await page.getAttribute('html', 'data-colours')).toBe(how.colours);
    expect(await findings(page), path).toEqual([]);
    // The name of the other language is in that language.
    if (how.language === 'fr') expect(englishLines(await page.locator('body').innerText(), TYPED), path).toEqual([]);
    expect(await page.evaluate(UNREADABLE), path).toEqual([]);
    // Nothing is wider than the phone.
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), path).toBeLessThanOrEqual(0);
  }
  await leave(page);
});

/**
 * Everything that can be pressed, filled or opened; of a radio group one is reached, and arrows reach the others. The
 * page marks them.
 */
const MARK = `(() => {
  const all = document.querySelectorAll('a[href], button:not([disabled]), input:not([disabled]), select, textarea, summary');
  const shown = [...all].filter((one) => one.checkVisibility({ visibilityProperty: true }));
  const names = new Set();
  for (const one of shown) {
    const name = one.type === 'radio' ? 'radio ' + one.name : String(names.size);
    one.dataset.reach = name;
    names.add(name);
  }
  window.reached = new Set();
  document.addEventListener('focusin', ({ target }) => reached.add(target.dataset.reach));
  return [...names].join('|');
})()`;

const REACHED = "[...reached].join('|')";
/** Key presses between two reads of the marks. */
const PRESSES = 10;

async function unreachedOn(page: Page): Promise<readonly string[]> {
  const left = new Set(String(await page.evaluate(MARK)).split('|'));
  // At most two rounds: later content is not included.
  for (let press = left.size * 2 + 20; press > 0 && left.size > 0; press -= PRESSES) {
    for (let nth = 0; nth < PRESSES; nth += 1) await page.keyboard.press('Tab');
    for (const name of String(await page.evaluate(REACHED)).split('|')) left.delete(name);
  }
  const unreached = await Promise.all(
    [...left].map((name) =>
      page
        .locator(`[data-reach="${name}"]`)
        .first()
        .evaluate((one: any) => String(one.outerHTML).slice(0, 120), undefined, { timeout: 2_000 })
        .catch(() => 'gone since'),
    ),
  );
  return unreached.filter((one) => one !== 'gone since');
}

test.concurrent('the keyboard alone reaches everything, on every page', async () => {
  const byTwo = [0, 1].map(async (nth) => {
    const page = await world.signedIn('moussa');
    for (const path of pages.filter((_, at) => at % 2 === nth)) {
      await page.goto(`${world.url}${path}`);
      await settled(page);
      expect(await unreachedOn(page), path).toEqual([]);
    }
    await leave(page);
  });
  await Promise.all(byTwo);
});
