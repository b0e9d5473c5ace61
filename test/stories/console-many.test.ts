/** The console with more reviews than a page has, most of them of another account, and while relais is busy. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Asking } from '../support/asking.ts';
import { anotherAccountIn } from '../support/another-account.ts';
import {
  type ConsoleWorld,
  campaign,
  goTo,
  leave,
  needReview,
  openConsole,
  pay,
  people,
} from '../support/console-world.ts';

/** One more than a page has. */
const MANY = 101;

let world: ConsoleWorld;
/** In review after all the others, and of the account of a limited key. */
let newest: string;
const folder = mkdtempSync(join(tmpdir(), 'relais-many-'));
beforeAll(async () => {
  world = await openConsole({ ACCOUNTS_FILE: anotherAccountIn(folder) });
  const of = (at: number) => ({ accountAlias: `77${2_000_000 + at}`, amount: 1_000 + at, reference: `many-${at}` });
  await needReview(
    world,
    Array.from({ length: MANY }, (_, at) => ({ ...of(at), account: 'other' })),
  );
  newest = (await needReview(world, [of(MANY)]))[0] ?? '';
});
afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true });
});

test('a link to one in review opens that one, also where a hundred have waited longer', async () => {
  const page = await world.signedIn('fatou', `/review?id=${newest}`);
  const shown = page.locator('[data-case]');
  await shown.waitFor();
  expect(await shown.getAttribute('data-case')).toBe(newest);
  expect(await page.locator('[data-of]').getAttribute('data-of')).toBe('100');
  await page.keyboard.press('j');
  await expect.poll(() => shown.getAttribute('data-case')).not.toBe(newest);
  await leave(page);
});

test('one that another person decides meanwhile is shown as decided, and no other replaces it', async () => {
  const page = await world.signedIn('fatou', '/review');
  const shown = page.locator('[data-case]');
  await shown.waitFor();
  const id = (await shown.getAttribute('data-case')) ?? '';
  await page.keyboard.press('1');
  const body = { outcome: 'succeeded', note: 'The provider shows it as paid' };
  await new Asking(world.api.base, people.moussa.key).post(`/v1/disbursements/${id}/resolve`, body);
  await page
    .locator('[data-decided], [data-case]')
    .and(page.locator(`:not([data-case="${id}"])`))
    .waitFor();
  expect(await shown.count()).toBe(0);
  await page.keyboard.press('1');
  expect(await page.locator('[data-follows]').count()).toBe(0);
  await page.keyboard.press('j');
  await shown.waitFor();
  await leave(page);
});

test('a user with a key of one account sees its reviews, though all older ones are of another', async () => {
  const page = await world.signedIn('ibou', '/');
  await page.locator(`[data-id="${newest}"] a`).click();
  await page.locator(`[data-case="${newest}"]`).waitFor();
  await leave(page);
});

test('if not all reviews could be read, the page does not claim that there are none', async () => {
  const page = await world.signedIn('ibou', '/campaigns');
  await page.route('**/v1/review?*', (route) => route.fulfill({ json: { items: [], next: newest } }));
  for (const path of ['/', '/review']) {
    await goTo(page, path);
    await page.getByText('the search is not complete').waitFor();
    expect(await page.getByText('Nothing needs review').count(), path).toBe(0);
  }
  await leave(page);
});

/** Before all campaigns, and in none of them. */
const AHEAD = '9999999999999.cmp_none.0';
const empty = { items: [], next: AHEAD };

test('the page does not claim that a number had no SMS before all campaigns were searched', async () => {
  await campaign(world, { name: 'october', people: 1 });
  const page = await world.signedIn('awa', '/campaigns');
  let isFar = true;
  const ofFirst = (url: URL) => url.pathname === '/v1/recipients' && (isFar || !url.searchParams.has('after'));
  await page.route(ofFirst, (route) => route.fulfill({ json: empty }));
  const section = page.locator('section', { has: page.getByRole('heading', { name: 'Campaign SMS' }) });
  await goTo(page, '/search?q=771000000');
  await section.getByText('Older campaigns are not searched yet').waitFor();
  expect(await section.innerText()).not.toContain('No campaign was');
  isFar = false;
  await section.locator('[data-more=texted]').click();
  await section.getByRole('link', { name: 'october' }).waitFor();
  // Reading continues automatically if the first page is empty.
  await goTo(page, '/search?q=779999906');
  await section.getByRole('link', { name: 'october' }).waitFor();
  await leave(page);
});

test('SMS that the provider lists for a number are asked for by a button, and never by opening the page', async () => {
  await world.api.post('/v1/messages', { to: '+221771000009', text: 'Bonjour Awa', reference: 'listed' });
  const sent = async () =>
    (await world.api.get<{ items: { state: string }[] }>('/v1/messages?reference=listed')).items[0]?.state;
  await expect.poll(sent, { timeout: 60_000 }).toBe('sent');
  const page = await world.signedIn('awa', '/campaigns');
  const asked: string[] = [];
  page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
  await goTo(page, '/search?q=%2B221771000009');
  const button = page.getByRole('button', { name: 'Ask the provider' });
  await button.waitFor();
  expect(asked).not.toContain('/v1/sms-statistics');
  await button.click();
  await page.locator('[data-listed]').getByText('Bonjour Awa').waitFor();
  await leave(page);
});

test('an empty page of campaigns or recipients with a next one is not called complete', async () => {
  const id = await campaign(world, { name: 'november', people: 1 });
  const page = await world.signedIn('awa', '/health');
  await page.route('**/v1/campaigns?*', (route) => route.fulfill({ json: empty }));
  await page.route('**/v1/campaigns/*/recipients?*', (route) => route.fulfill({ json: empty }));
  await goTo(page, '/campaigns');
  await page.getByText('the search is not complete').waitFor();
  expect(await page.getByText('There are no campaigns').count()).toBe(0);
  await goTo(page, `/campaigns/${id}`);
  await page.locator('[data-bin=failed]').click();
  await page.getByText('the search is not complete').waitFor();
  expect(await page.getByText('No recipient is in this state').count()).toBe(0);
  await leave(page);
});

test('while the approvals are unknown, the page does not claim that there are none', async () => {
  const page = await world.signedIn('ibou', '/campaigns');
  await page.route('**/v1/disbursement-batches?*', (route) => route.fulfill({ status: 503, json: {} }));
  await goTo(page, '/');
  const section = page.locator('section', { has: page.getByRole('heading', { name: 'Approvals' }) });
  await section.getByText(/Cannot load the data|Nothing needs attention/).waitFor();
  expect(await section.innerText()).not.toContain('Nothing needs attention');
  await leave(page);
});

test('of a hundred and more that wait for an approval the one that has waited longest is the first', async () => {
  const of = (at: number) => ({
    accountAlias: `76${3_000_000 + at}`,
    amount: 200_000 + at,
    reference: `rent-${at}`,
  });
  const first = await pay(world, of(0));
  await Promise.all(Array.from({ length: MANY }, (_, at) => pay(world, of(at + 1))));
  const page = await world.signedIn('fatou', '/approvals');
  const rows = page.locator('tbody [data-id]');
  await rows.first().waitFor();
  expect(await rows.first().getAttribute('data-id')).toBe(first);
  expect(await rows.count()).toBe(MANY + 1);
  await leave(page);
});

test('if more approvals wait than are read, the page says so', async () => {
  const page = await world.signedIn('fatou', '/campaigns');
  await page.route('**/v1/campaigns?*', (route) => route.fulfill({ json: { items: [], next: 'further-on' } }));
  await goTo(page, '/approvals');
  await page.getByText('have waited longer').waitFor();
  await leave(page);
});

test('a stream that was refused, as while relais starts behind a proxy, is asked for again', async () => {
  const page = await world.visit();
  await page.clock.install();
  let asked = 0;
  await page.route('**/v1/stream', (route) => {
    asked += 1;
    return asked === 1 ? route.fulfill({ status: 503, body: 'starting' }) : route.continue();
  });
  await page.goto(`${world.url}/campaigns`);
  await page.locator('input[type=password]').fill(people.awa.key);
  await page.keyboard.press('Enter');
  await page.locator('#content h1').waitFor();
  await expect.poll(() => asked).toBe(1);
  await page.clock.fastForward(60_000);
  await expect.poll(() => asked).toBe(2);
  await leave(page);
});

/** One event; the browser reconnects a moment later. */
const happened = (route: Route): Promise<void> =>
  route.fulfill({ contentType: 'text/event-stream', body: 'retry: 300\ndata: {}\n\n' });

/** By an approver who does not use the page. */
const approve = (id: string) => new Asking(world.api.base, people.moussa.key).post(`/v1/disbursements/${id}/approve`);

/** A hidden page does not refresh by time: only the stream triggers requests. */
const turnAway = (page: Page): Promise<void> =>
  page.evaluate(`Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
    document.dispatchEvent(new Event('visibilitychange'))`);

test('a list that is slower than its events is refreshed all the same', async () => {
  const id = await pay(world, { accountAlias: '778800001', amount: 300_000, reference: 'slow' });
  const page = await world.signedIn('fatou', '/campaigns');
  let told = 0;
  await page.route('**/v1/stream', (route) => {
    told += 1;
    return happened(route);
  });
  await page.route('**/v1/disbursements?*', async (route) => {
    const from = told;
    await vi.waitFor(() => expect(told).toBeGreaterThan(from + 5), { timeout: 30_000 });
    await route.continue();
  });
  await page.goto(`${world.url}/approvals`);
  const row = page.locator(`tbody [data-id="${id}"]`);
  await row.waitFor();
  await approve(id);
  await row.waitFor({ state: 'detached', timeout: 40_000 });
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await leave(page);
});

test('events during the read of a list are not missed', async () => {
  const id = await pay(world, { accountAlias: '778800002', amount: 300_000, reference: 'meanwhile' });
  const page = await world.signedIn('fatou', '/campaigns');
  const streams: Route[] = [];
  await page.route('**/v1/stream', (route) => void streams.push(route));
  const tell = async (): Promise<void> => {
    await expect.poll(() => streams.length).toBe(1);
    for (const stream of streams.splice(0)) await happened(stream);
  };
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  let [read, others] = [0, 0];
  await page.goto(`${world.url}/approvals`);
  const row = page.locator(`tbody [data-id="${id}"]`);
  await row.waitFor();
  await turnAway(page);
  await page.route('**/v1/disbursement-batches?*', (route) => {
    others += 1;
    return route.continue();
  });
  const before = await world.api.get('/v1/disbursements?state=awaiting_approval&limit=100');
  await page.route('**/v1/disbursements?*', async (route) => {
    read += 1;
    if (read > 1) return route.continue();
    await gate;
    return route.fulfill({ json: before });
  });
  await tell();
  await expect.poll(() => read).toBeGreaterThan(0);
  await expect.poll(() => others).toBeGreaterThan(0);
  await approve(id);
  const first = others;
  await tell();
  await expect.poll(() => others).toBeGreaterThan(first);
  open();
  await row.waitFor({ state: 'detached', timeout: 30_000 });
  expect(await page.locator('#content h1').innerText()).toBe('Approvals');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await leave(page);
});
