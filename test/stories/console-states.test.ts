/**
 * Every page of the console for a key without access, and while PostgreSQL is away: docs/console.md, "States of every
 * page".
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entryAt } from '../../console/shell/entries.ts';
import { aDay, pagesOf, settingsOf } from '../support/console-day.ts';
import { type ConsoleWorld, goTo, leave, openConsole } from '../support/console-world.ts';

let world: ConsoleWorld;
let pages: readonly string[];
const folder = mkdtempSync(join(tmpdir(), 'relais-states-'));
beforeAll(async () => {
  world = await openConsole(settingsOf(folder));
  pages = Object.values(pagesOf(await aDay(world)));
});
afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true });
});

const ROUTER = readFileSync(new URL('../../console/shell/places.tsx', import.meta.url), 'utf8');

test('every address of the router is among the tested pages', () => {
  const patterns = [...ROUTER.matchAll(/<Route path="([^"]+)"/g)].map(([, path = '']) => path);
  expect(patterns.length).toBeGreaterThan(20);
  const formOf = (path: string): RegExp =>
    new RegExp(`^${path.replace(/\/:\w+\?/g, '(/[^/]+)?').replace(/:\w+/g, '[^/]+')}$`);
  const places = pages.map((page) => page.split('?')[0] ?? '');
  expect(patterns.filter((path) => !places.some((place) => formOf(path).test(place)))).toEqual([]);
});

/** The role that a page needs besides reading. */
const roleFor = (path: string): readonly string[] =>
  path.startsWith('/campaigns/new') || path.includes('/make/')
    ? ['enqueue', 'enqueue-sms']
    : (entryAt(path)?.roles ?? ['read']);

const BOTH = ['en', 'fr'] as const;
const SAYS = {
  en: {
    forbidden: /Your key does not allow this[\s\S]*This needs a key with the role:[\s\S]*Your key has:/,
    away: /Nothing is lost/,
  },
  fr: {
    forbidden: /Votre clé ne le permet pas[\s\S]*Il faut une clé avec le rôle[\s\S]*Votre clé permet de/,
    away: /Rien n’est perdu/,
  },
};

test.for(BOTH)(
  'for a key without access, the page names the missing role and the key’s rights: %s',
  async (language) => {
    for (const [person, roles] of [
      ['service', ['enqueue']],
      ['fatou', ['read', 'approve']],
    ] as const) {
      const page = await world.signedIn(person, '/', { language });
      const may = (role: string): boolean => (roles as readonly string[]).includes(role);
      for (const path of pages.filter((one) => !roleFor(one).some(may))) {
        await goTo(page, path);
        const content = page.locator('#content');
        await content.locator('[data-forbidden]').waitFor();
        expect(await content.locator('[data-forbidden]').getAttribute('data-forbidden'), path).not.toBe('');
        expect(await content.innerText(), path).toMatch(SAYS[language].forbidden);
      }
      for (const link of await page.locator('nav a').all()) {
        const to = (await link.getAttribute('href'))?.replace('/console', '') ?? '';
        expect(roleFor(to).some(may), `${person} is led to ${to}`).toBe(true);
      }
      await leave(page);
    }
  },
);

/** The pages are distributed over tabs: each waits for a missing answer, and no page waits for another. */
const TABS = 3;

interface Tab {
  readonly page: Page;
  readonly language: (typeof BOTH)[number];
  readonly paths: readonly string[];
  readonly figures: number;
}

const figuresOn = async (page: Page): Promise<number> =>
  (await page.locator('#content').innerText()).split('\n').filter((line) => /\d/.test(line)).length;

async function openTab(language: Tab['language'], nth: number): Promise<Tab> {
  const page = await world.signedIn('moussa', '/', { language });
  await page.locator('[data-fact], [data-figure], #content section').first().waitFor();
  return { page, language, paths: pages.filter((_, at) => at % TABS === nth), figures: await figuresOn(page) };
}

/** The pages without the message. */
async function saysItIsAway({ page, language, paths, figures }: Tab): Promise<readonly string[]> {
  const trouble = page.locator('[data-trouble]');
  await trouble.waitFor();
  expect(await figuresOn(page), 'what was read before stays').toBeGreaterThanOrEqual(figures);
  const silent: string[] = [];
  for (const path of paths) {
    await goTo(page, path);
    // A page without requests checks the session every fifteen seconds.
    const says = await trouble
      .first()
      .innerText({ timeout: 30_000 })
      .catch(() => '');
    if (!SAYS[language].away.test(says)) silent.push(`${path} (${language})`);
  }
  return silent;
}

test('during an outage of PostgreSQL every page says so, and shows its data afterwards: en, fr', async () => {
  const asked = BOTH.flatMap((language) => Array.from({ length: TABS }, (_, nth) => openTab(language, nth)));
  const tabs = await Promise.all(asked);
  expect(new Set(tabs.flatMap(({ paths }) => paths))).toEqual(new Set(pages));
  await world.postgres.crash();
  try {
    expect((await Promise.all(tabs.map(saysItIsAway))).flat()).toEqual([]);
  } finally {
    await world.postgres.start();
  }
  for (const { page } of tabs) {
    await page.locator('[data-trouble]').waitFor({ state: 'detached' });
    await goTo(page, '/queues');
    await page.locator('[data-row=disbursement]').waitFor();
    await leave(page);
  }
});
