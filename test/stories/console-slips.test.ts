/** Slips of a user, a slow network or a second user at the same desk. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Asking } from '../support/asking.ts';
import { anotherAccountIn } from '../support/another-account.ts';
import { type ConsoleWorld, leave, needReview, openConsole, people } from '../support/console-world.ts';

let world: ConsoleWorld;
const folder = mkdtempSync(join(tmpdir(), 'relais-slips-'));
beforeAll(async () => {
  const prices = join(folder, 'prices.json');
  writeFileSync(prices, JSON.stringify({ SN: 20 }));
  world = await openConsole({
    ACCOUNTS_FILE: anotherAccountIn(folder),
    CAMPAIGN_APPROVAL_ABOVE: '10recipients',
    SMS_PRICES_FILE: prices,
  });
});
afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true });
});

/** Holds a page's requests until released. */
function holding() {
  let letGo = (): void => undefined;
  const gone = new Promise<void>((resolve) => (letGo = resolve));
  return { gone, letGo };
}

const isRead = (route: Route): boolean => route.request().method() === 'GET';

test('a completed act is not offered again while the page reads its result', async () => {
  const page = await world.signedIn('moussa', '/keys');
  await page.locator('[data-act=createKey]').click();
  await page.getByLabel('Name', { exact: true }).fill('once-only');
  await page.getByLabel('Name of the person').fill('khady');
  const { gone, letGo } = holding();
  await page.route('**/v1/keys', async (route) => {
    if (isRead(route)) await gone;
    await route.continue();
  });
  await page.locator('dialog button').last().click();
  await page.locator('dialog [data-end=done]').waitFor();
  expect(await page.locator('dialog button').last().isDisabled()).toBe(true);
  letGo();
  await page.locator('[data-secret]').waitFor();
  await page.locator('[data-act=kept]').click();
  await leave(page);
});

test('a tab that another user signed in next to shows nothing of the first one', async () => {
  const { id } = await world.api.post<{ id: string }>('/v1/disbursements', {
    reference: 'of-the-other-account',
    account: 'other',
    accountAlias: '771239876',
    amount: 77_123,
    withdrawMode: 'wallet-a-senegal',
  });
  const tab = await world.signedIn('moussa', `/o/${id}`);
  await tab.getByText('77,123 XOF').first().waitFor();
  const beside = await tab.context().newPage();
  await beside.goto(`${world.url}/`);
  await beside.getByRole('button', { name: 'Sign out' }).first().click();
  await beside.locator('input[type=password]').fill(people.ibou.key);
  await beside.keyboard.press('Enter');
  await beside.getByText('Signed in as ibou').first().waitFor({ state: 'attached' });
  await tab.bringToFront();
  await tab.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
  await tab.getByText('Signed in as ibou').first().waitFor({ state: 'attached' });
  await tab.getByText('Not found').first().waitFor();
  expect(await tab.locator('#content').innerText()).not.toContain('77,123');
  await leave(tab);
});

test('signing out without an answer reports that the session continues', async () => {
  const page = await world.signedIn('awa', '/campaigns', { language: 'fr' });
  await page.context().setOffline(true);
  const out = page.getByRole('button', { name: 'Se déconnecter' }).first();
  await out.click();
  await page.getByText('vous êtes peut-être encore connecté').first().waitFor();
  await page.context().setOffline(false);
  await out.click();
  await page.locator('input[type=password]').waitFor();
  await leave(page);
});

test('a limit is shown as it is, to the minute', async () => {
  const page = await world.signedIn('moussa', '/limits');
  await page.locator('[data-act=setLimit-DUPLICATE_WINDOW]').click();
  await page.getByLabel('Minutes').fill('1530');
  await page.locator('dialog button').last().click();
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.locator('[data-limit=DUPLICATE_WINDOW]').waitFor();
  await expect.poll(() => page.locator('[data-limit=DUPLICATE_WINDOW]').innerText()).toBe('1 day 1 hour 30 minutes');
  await leave(page);
});

async function draft(text: string): Promise<string> {
  const { id } = await world.api.post<{ id: string }>('/v1/campaigns', {
    name: text,
    reference: `slip ${text}`,
    text,
    quietHours: false,
  });
  return id;
}

const textOf = async (id: string): Promise<string> =>
  (await world.api.get<{ text: string }>(`/v1/campaigns/${id}`)).text;

test('an invalid time, hours or pace is shown, and the next step is refused', async () => {
  const id = await draft('Bonjour le soir');
  const page = await world.signedIn('awa', `/campaigns/${id}/make/sending`);
  const onward = page.locator('[data-next=test]');
  await onward.waitFor();
  expect(await onward.isDisabled()).toBe(false);
  await page.getByLabel('At a time').check();
  expect(await onward.isDisabled()).toBe(true);
  await page.getByLabel('Day and time').fill('2031-05-04T08:30');
  expect(await onward.isDisabled()).toBe(false);
  await page.locator('input[type=number]').fill('2.5');
  expect(await onward.isDisabled()).toBe(true);
  await page.locator('input[type=number]').fill('2');
  await page.getByLabel('No SMS are sent between').check();
  await page.locator('input[type=time]').first().fill('');
  expect(await onward.isDisabled()).toBe(true);
  await page.locator('input[type=time]').first().fill('20:00');
  expect(await onward.isDisabled()).toBe(false);
  await onward.click();
  await page.locator('[data-step=test]').waitFor();
  const kept = await world.api.get<object>(`/v1/campaigns/${id}`);
  expect(kept).toMatchObject({ sendAt: '2031-05-04T08:30:00.000Z', perSecond: 2, quietHours: '20:00-08:00' });
  await leave(page);
});

test('of two texts in flight the newer one is stored, whichever answer is lost', async () => {
  const id = await draft('Bonjour 1');
  const page = await world.signedIn('awa', `/campaigns/${id}/make/text`);
  await page.clock.install();
  const { gone, letGo } = holding();
  let changes = 0;
  await page.route(`**/v1/campaigns/${id}`, async (route) => {
    if (isRead(route)) return route.continue();
    changes += 1;
    if (changes > 1) return route.continue();
    await gone;
    return route.abort();
  });
  await page.evaluate(`
    window.onTheirWay = 0;
    const { fetch } = window;
    window.fetch = async (path, init) => {
      const by = init?.method === 'PATCH' ? 1 : 0;
      window.onTheirWay += by;
      return fetch(path, init).finally(() => (window.onTheirWay -= by));
    };
  `);
  for (const text of ['Bonjour 2', 'Bonjour 3']) {
    await page.locator('textarea').fill(text);
    await page.clock.fastForward(1_000);
  }
  expect(await page.evaluate('onTheirWay')).toBe(1);
  letGo();
  await page.locator('[data-kept=kept]').waitFor();
  expect(await textOf(id)).toBe('Bonjour 3');
  await leave(page);
});

test('a total that was typed for one text approves no other', async () => {
  const id = await draft('Bonjour, venez lundi');
  const rows = Array.from({ length: 12 }, (_, at) => `77${String(3_000_000 + at)}`);
  await world.api.post(`/v1/campaigns/${id}/recipients`, ['phone', ...rows].join('\n'), 'text/csv');
  await world.api.post(`/v1/campaigns/${id}/start`);
  const page = await world.signedIn('fatou', `/approvals/${id}`);
  await page.getByText('240 XOF').waitFor();
  const approve = page.locator('#content form button[type=submit]');
  await page.locator('#content form input').fill('12');
  expect(await approve.isDisabled()).toBe(false);
  await world.api.ask(`/v1/campaigns/${id}`, { method: 'PATCH', body: { quietHours: '22:00-23:00' } });
  await page.getByText('22:00-23:00').waitFor();
  expect(await approve.isDisabled()).toBe(true);
  await page.locator('[data-changed]').waitFor();
  await leave(page);
});

const FILE = { mimeType: 'text/csv' };

test('of two files chosen one after the other the later is stored', async () => {
  const id = await draft('Bonjour à tous');
  const page = await world.signedIn('awa', `/campaigns/${id}/make/file`);
  const { gone, letGo } = holding();
  await page.route(`**/v1/campaigns/${id}/file?*`, async (route) => {
    if (route.request().url().includes('wrong.csv')) await gone;
    // The request of the abandoned file is gone by then, and cannot continue.
    await route.continue().catch(() => undefined);
  });
  const field = page.locator('input[type=file]');
  await field.setInputFiles({ ...FILE, name: 'wrong.csv', buffer: Buffer.from('tel\n771234567\n771234568\n') });
  await page.locator('[data-uploading]').waitFor();
  await field.setInputFiles({ ...FILE, name: 'right.csv', buffer: Buffer.from('tel\n771234567\n') });
  await page.locator('[data-found="1"]').waitFor();
  letGo();
  await page.reload();
  await page.locator('[data-found]').waitFor();
  expect(await page.locator('[data-found]').innerText()).toContain('right.csv');
  await leave(page);
});

/** The request arrives, and its answer is lost. */
async function losingAnswers(page: Page, to: string): Promise<() => Promise<void>> {
  const line = await page.context().newCDPSession(page);
  line.on('Fetch.requestPaused', ({ requestId, request: { method } }) => {
    const isLost = method === 'POST';
    void (isLost
      ? line.send('Fetch.failRequest', { requestId, errorReason: 'ConnectionReset' })
      : line.send('Fetch.continueRequest', { requestId }));
  });
  await line.send('Fetch.enable', { patterns: [{ urlPattern: `*${to}`, requestStage: 'Response' }] });
  return () => line.detach();
}

test('a campaign whose answer was lost may be called otherwise, and under its first name is made once', async () => {
  const page = await world.signedIn('awa', '/campaigns/new');
  const make = async (name: string): Promise<void> => {
    await page.locator('#content form input').fill(name);
    await page.locator('#content form button[type=submit]').click();
  };
  const isOver = await losingAnswers(page, '/v1/campaigns');
  await make('Tabaski');
  await page.locator('[data-end="not known"]').waitFor();
  await make('Tabaski');
  await page.locator('[data-end="not known"]').waitFor();
  await isOver();
  await make('Korité');
  await page.locator('[data-step=file]').waitFor();
  const { items } = await world.api.get<{ items: { name: string }[] }>('/v1/campaigns');
  expect(items.filter(({ name }) => name === 'Tabaski' || name === 'Korité').length).toBe(2);
  await leave(page);
});

test('a test whose answer was lost may go to another number, and to the first it goes once', async () => {
  const id = await draft('Bonjour, un essai');
  const file = { method: 'POST', body: 'tel\n771234567\n', contentType: 'text/csv' } as const;
  await world.api.ask(`/v1/campaigns/${id}/file?name=a.csv`, file);
  const page = await world.signedIn('awa', `/campaigns/${id}/make/test`);
  const send = async (number: string): Promise<void> => {
    await page.locator('input[type=tel]').fill(number);
    await page.locator('[data-test-send]').click();
  };
  const isOver = await losingAnswers(page, '/v1/messages');
  await send('+221771112233');
  await page.locator('[data-end="not known"]').waitFor();
  await isOver();
  for (const number of ['+221771112244', '+221771112233']) {
    await send(number);
    await page.getByText(number).waitFor();
    const phone = encodeURIComponent(number);
    const { items } = await world.api.get<{ items: object[] }>(`/v1/messages?phone=${phone}`);
    expect(items.length).toBe(1);
  }
  await leave(page);
});

test('warnings of a payment batch are in the page’s language', async () => {
  const file = 'accountAlias,amount,withdrawMode,reference\n0701020304,25000,wallet-a-senegal,u1';
  const { id } = await world.api.post<{ id: string }>('/v1/disbursement-batches', file, 'text/csv');
  const page = await world.signedIn('fatou', `/approvals/${id}`, { language: 'fr' });
  await page.getByText('a 10 chiffres, mais un numéro de ce pays').waitFor();
  await leave(page);
});

const scrolled = (page: Page) => page.evaluate<number>('scrollY');

test('another page begins at its top, with its name, for the eye and for the ear', async () => {
  const owner = new Asking(world.api.base, people.moussa.key);
  for (const at of Array.from({ length: 30 }).keys())
    await owner.post('/v1/campaigns', { name: `Long list ${at}`, reference: `long ${at}`, text: 'Bonjour' });
  const page = await world.signedIn('awa', '/campaigns', { width: 360 });
  const last = page.locator('#content a.link').nth(28);
  await last.scrollIntoViewIfNeeded();
  expect(await scrolled(page)).toBeGreaterThan(1_000);
  await last.click();
  await page.locator('[data-campaign]').waitFor();
  expect(await scrolled(page)).toBe(0);
  expect(await page.evaluate('document.activeElement?.tagName')).toBe('H1');
  await leave(page);
});

test('another step begins at its top too, with the keyboard focus in it', async () => {
  const id = await draft('Bonjour, pas à pas');
  const page = await world.signedIn('awa', `/campaigns/${id}/make/sending`, { width: 360 });
  await page.locator('[data-next=test]').scrollIntoViewIfNeeded();
  expect(await scrolled(page)).toBeGreaterThan(0);
  await page.locator('[data-next=test]').press('Enter');
  await page.locator('[data-step=test]').waitFor();
  expect(await scrolled(page)).toBe(0);
  expect(await page.evaluate('document.activeElement?.dataset.step')).toBe('test');
  await leave(page);
});

test('how many get it is read at a glance before it starts, and not counted by its noughts', async () => {
  const { id } = await world.api.post<{ id: string }>('/v1/campaigns', {
    name: 'Large',
    reference: 'large',
    text: 'Bonjour',
  });
  const rows = Array.from({ length: 1_234 }, (_, at) => `77${String(4_000_000 + at)}`);
  await world.api.post(`/v1/campaigns/${id}/recipients`, ['phone', ...rows].join('\n'), 'text/csv');
  const page = await world.signedIn('awa', `/campaigns/${id}`);
  await page.locator('[data-act=startCampaign]').click();
  await page.locator('dialog').getByText('1,234 recipients').waitFor();
  await leave(page);
});

test('a repeated key distinguishes: a wrong one, too many tries, and an ended session', async () => {
  const id = await draft('Bonjour encore');
  const rows = Array.from({ length: 11 }, (_, at) => `77${String(5_000_000 + at)}`);
  await world.api.post(`/v1/campaigns/${id}/recipients`, ['phone', ...rows].join('\n'), 'text/csv');
  await world.api.post(`/v1/campaigns/${id}/start`);
  const page = await world.signedIn('fatou', `/approvals/${id}`, { language: 'fr' });
  await page.locator('#content form input').fill('11');
  await world.letConfirmationsEnd();
  await page.locator('#content form button[type=submit]').click();
  const said = page.locator('dialog [role=alert]');
  const show = async (key: string): Promise<void> => {
    await page.locator('dialog input').fill(key);
    await page.locator('dialog button[type=submit]').click();
  };
  await show('not-the-key-of-this-session');
  await said.getByText('inconnue').waitFor();
  const refused = (status: number, word: string) =>
    page.route('**/v1/session/confirm', (route) =>
      route.fulfill({ status, json: { status, type: `/problems/${word}` } }),
    );
  await refused(429, 'too-many-requests');
  await show(people.fatou.key);
  await said.getByText('Attendez une minute').waitFor();
  await refused(401, 'unauthenticated');
  await show(people.fatou.key);
  await page.locator('main input[type=password]').waitFor();
  await leave(page);
});

test('after a decision the one behind it is open, and none that was passed over', async () => {
  const payments = [1, 2, 3].map((at) => ({
    accountAlias: `77140000${at}`,
    amount: 9_000 + at,
    reference: `passed ${at}`,
  }));
  await needReview(world, payments);
  const page = await world.signedIn('fatou', '/review');
  await page.locator('[data-of="3"]').waitFor();
  const shown = () => page.locator('[data-case]').getAttribute('data-case');
  const { items } = await world.api.get<{ items: { id: string }[] }>('/v1/review');
  const [passedOver, decided, behind] = items.map(({ id }) => id);
  expect(await shown()).toBe(passedOver);
  await page.keyboard.press('j');
  await page.locator(`[data-case="${decided}"]`).waitFor();
  await page.keyboard.press('1');
  await page.keyboard.type('seen in the dashboard');
  await page.keyboard.press('Control+Enter');
  await page.locator(`[data-case="${decided}"]`).waitFor({ state: 'detached' });
  expect(await shown()).toBe(behind);
  await leave(page);
});

test('a file that another person replaced is not started', async () => {
  const id = await draft('Bonjour à ceux-ci');
  const keep = (rows: string, name: string) =>
    world.api.ask(`/v1/campaigns/${id}/file?name=${name}`, {
      method: 'POST',
      body: `tel\n${rows}`,
      contentType: 'text/csv',
    });
  await keep('771234567\n771234568\n', 'these.csv');
  const page = await world.signedIn('awa', `/campaigns/${id}/make/start`);
  await page.locator('[data-leave]').waitFor();
  await keep('771234569\n', 'others.csv');
  await page.locator('[data-leave]').click();
  await page.locator('[data-end=refused]').waitFor();
  expect(await page.locator('[data-end=refused]').innerText()).toMatch(/changed since you read it/);
  expect(await world.api.get<object>(`/v1/campaigns/${id}`)).toMatchObject({ state: 'draft', totals: { total: 0 } });
  // The page shows what would leave now, and another press starts it.
  await page.getByText('others.csv').waitFor();
  await page.locator('[data-leave]').click();
  await page.locator('[data-campaign]').waitFor();
  await leave(page);
});
