/** Every page of the console, in both languages and both colours, before the rules of accessibility (axe). */
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entries } from '../../console/shell/entries.ts';
import { englishLines } from '../support/english-words.ts';
import {
  type ConsoleWorld,
  type Visit,
  campaign,
  leave,
  needReview,
  openConsole,
  pay,
} from '../support/console-world.ts';

let world: ConsoleWorld;
let pages: readonly string[];
beforeAll(async () => {
  world = await openConsole();
  const paid = await pay(world, { accountAlias: '771234567', amount: 25_000, reference: 'salary-awa' });
  await pay(world, { accountAlias: '779999901', amount: 12_000, reference: 'salary-failed' });
  const waiting = await pay(world, { accountAlias: '771234568', amount: 250_000, reference: 'rent-11' });
  await needReview(world, [{ accountAlias: '771239991', amount: 33_000, reference: 'differs-1' }]);
  const header = 'reference;accountAlias;amount;withdrawMode';
  const lines = [header, 'b-1;771230001;10000;wallet-a-senegal', 'b-2;771230002;15000;wallet-a-senegal'].join('\n');
  const batch = await world.api.post<{ id: string }>('/v1/disbursement-batches', lines, 'text/csv');
  const sent = await campaign(world, { name: 'November', people: 30 });
  await world.api.post(`/v1/campaigns/${sent}/start`);
  await world.api.post('/v1/opt-outs', { phones: ['+221770000001'] });
  const endpoint = await world.api.post<{ id: string }>('/v1/event-endpoints', {
    url: 'https://shop.example/relais',
  });
  const { id: draft } = await world.api.post<{ id: string }>('/v1/campaigns', {
    name: 'December',
    reference: 'december',
    text: 'Bonjour {{prenom}}, c’est prêt…',
  });
  const people = 'phone;prenom\n771230001;Awa\n+2250700 0001;Koffi\n771230002;\nabc;Moussa';
  await world.api.post(`/v1/campaigns/${draft}/file?name=people.csv`, people, 'text/csv');
  const steps = ['file', 'people', 'text', 'cost', 'sending', 'test', 'start'];
  const making = ['/campaigns/new', ...steps.map((step) => `/campaigns/${draft}/make/${step}`)];
  pages = [
    // A page that the navigation names is looked at without being named here.
    ...[...entries.daily, ...entries.running].map(({ to }) => to),
    ...making,
    '/operations/disbursement?state=cancelled',
    '/operations/message',
    `/o/${paid}`,
    '/search?q=771234567',
    `/approvals/${waiting}`,
    `/approvals/${batch.id}`,
    `/campaigns/${sent}`,
    '/review/many',
    `/endpoints/${endpoint.id}`,
    '/no-such-page',
  ];
});
afterAll(() => world?.close());

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly any: readonly { readonly message: string }[] }[];
}

/** Serious and critical ones. The rules are run from outside the page, which lets nothing in. */
async function findings(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axe.source });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => JSON.stringify(violations))`,
    awaitPromise: true,
    returnByValue: true,
  });
  const all = JSON.parse(String(result.value)) as readonly Finding[];
  return all
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, any }) => `${id}: ${html.slice(0, 160)} ${any[0]?.message ?? ''}`),
    );
}

test('the rules find what stands in the way', async () => {
  const page = await world.visit();
  await page.goto(`${world.url}/`);
  await settled(page);
  await page.evaluate("document.querySelector('main').append(document.createElement('img'))");
  expect(await findings(page)).toEqual([expect.stringMatching(/^image-alt: /)]);
  await leave(page);
});

async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.locator('.animate-pulse').first().waitFor({ state: 'detached' });
}

/** By the people of this world, and the languages of the choice. */
const TYPED = /salary-\w+|rent-11|differs-1|November|English|no-such-page/g;

const WAYS: readonly Visit[] = [
  { language: 'fr', colours: 'light' },
  { language: 'fr', colours: 'dark', width: 390 },
  { language: 'en', colours: 'light', width: 390 },
  { language: 'en', colours: 'dark' },
];

test.for(WAYS)('nothing serious stands in anybody’s way: $language, $colours', async (how) => {
  const before = await world.visit(how);
  await before.goto(`${world.url}/`);
  await settled(before);
  expect(await findings(before)).toEqual([]);
  await leave(before);
  const page = await world.signedIn('moussa', '/', how);
  for (const path of pages) {
    await page.goto(`${world.url}${path}`);
    await settled(page);
    expect(await page.getAttribute('html', 'lang')).toBe(how.language);
    expect(await page.getAttribute('html', 'data-colours')).toBe(how.colours);
    expect(await findings(page), path).toEqual([]);
    // The name of the other language is in that language.
    if (how.language === 'fr') expect(englishLines(await page.locator('body').innerText(), TYPED), path).toEqual([]);
    // Nothing is wider than the telephone.
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), path).toBeLessThanOrEqual(0);
  }
  await leave(page);
});

/** Whatever can be pressed, filled or opened; of a group of radios one is reached, and arrows lead on. */
const MARK = `(() => {
  const all = document.querySelectorAll('a[href], button:not([disabled]), input:not([disabled]), select, textarea, summary');
  const shown = [...all].filter((one) => one.checkVisibility({ visibilityProperty: true }));
  const names = new Set();
  for (const one of shown) {
    const name = one.type === 'radio' ? 'radio ' + one.name : String(names.size);
    one.dataset.reach = name;
    names.add(name);
  }
  return [...names].join('|');
})()`;

const REACHED = "document.activeElement?.dataset.reach ?? ''";

test('the keyboard alone reaches everything, on every page', async () => {
  const page = await world.signedIn('moussa');
  for (const path of pages) {
    await page.goto(`${world.url}${path}`);
    await settled(page);
    const left = new Set(String(await page.evaluate(MARK)).split('|'));
    // Twice around at most: what comes while it is looked at is no part of it.
    for (let press = left.size * 2 + 20; press > 0 && left.size > 0; press -= 1) {
      await page.keyboard.press('Tab');
      left.delete(String(await page.evaluate(REACHED)));
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
    expect(
      unreached.filter((one) => one !== 'gone since'),
      path,
    ).toEqual([]);
  }
  await leave(page);
});
