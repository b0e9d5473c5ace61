/** A campaign from the file to the last SMS, as new users create it; two people, two browsers. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleWorld, type Visit, leave, openConsole } from '../support/console-world.ts';
import { type MessyList, messyList } from '../support/messy-list.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

let world: ConsoleWorld;
const folder = mkdtempSync(join(tmpdir(), 'relais-making-'));
beforeAll(async () => {
  const prices = join(folder, 'prices.json');
  writeFileSync(prices, '{"SN": 20, "CI": 25}');
  world = await openConsole({
    SMS_PRICES_FILE: prices,
    SMS_BUDGET_DAY: '5000000',
    CAMPAIGN_APPROVAL_ABOVE: '1000recipients',
  });
});
afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true });
});

/** The time-out of waits after tens of thousands of rows. */
const LONG_MS = 180_000;

const idIn = (page: Page): string => /cmp_[^/]+/.exec(page.url())?.[0] ?? '';
const next = async (page: Page, step: string): Promise<void> => {
  await page.locator(`[data-next=${step}]`).click();
  await page.locator(`[data-step=${step}]`).waitFor();
};
const decide = async (page: Page, reason: string, how: string): Promise<void> => {
  await page.locator(`[data-question=${reason}] [data-decide=${how}]`).click();
  await page.locator(`[data-question=${reason}]`).waitFor({ state: 'detached', timeout: LONG_MS });
};
const kept = (page: Page) => page.locator('[data-kept=kept]').first().waitFor({ state: 'attached' });

async function named(page: Page, name: string): Promise<void> {
  await page.goto(`${world.url}/campaigns/new`);
  await page.locator('#content form input').fill(name);
  await page.locator('#content form button[type=submit]').click();
  await page.locator('[data-step=file]').waitFor();
}

async function choose(page: Page, { file, rows }: MessyList): Promise<void> {
  await page.locator('input[type=file]').setInputFiles({ name: 'clients.xlsx', mimeType: XLSX, buffer: file });
  await page.locator(`[data-found="${String(rows)}"]`).waitFor({ timeout: LONG_MS });
}

async function decideAll(page: Page): Promise<void> {
  await next(page, 'people');
  await decide(page, 'old_numbering', 'renew');
  await decide(page, 'hidden_row', 'leave-out');
  await page.locator('[data-decided]').first().waitFor();
  expect(await page.locator('[data-left-out=duplicate], [data-left-out=not_a_number]').count()).toBeGreaterThan(0);
  const button = page.locator('[data-file=left-out]');
  const [file] = await Promise.all([page.waitForEvent('download', { timeout: LONG_MS }), button.click()]);
  const rows = readFileSync(await file.path(), 'utf8').split('\n');
  expect(rows.filter((row) => /duplicate|not_a_number/.test(row)).length).toBeGreaterThan(1);
}

/** Typed, with a column inserted by its button; then the text of a chosen row. */
async function write(page: Page, last: number): Promise<void> {
  await next(page, 'text');
  await page.locator('textarea').fill('Bonjour ');
  await page.locator('[data-column="Prénom"]').click();
  await page.locator('textarea').press('End');
  // An equal earlier text to these recipients could not be distinguished after a lost answer.
  await page.locator('textarea').pressSequentially(`, votre agence ${String(last)} vous attend demain… À bientôt`);
  await expect.poll(() => page.locator('[data-preview]').innerText()).toMatch(/^Bonjour \p{L}+, votre agence/u);
  expect(await page.locator('[data-segments]').getAttribute('data-encoding')).toBe('UCS-2');
  await page.locator('[data-costly] input[type=checkbox]').check();
  await expect.poll(() => page.locator('[data-segments]').getAttribute('data-encoding')).toBe('GSM-7');
  await kept(page);
  await page.locator('[data-step=text] input[type=number]').fill(String(last));
  await page.locator('[data-show-row]').click();
  await page.locator(`[data-shown="${String(last)}"]`).waitFor({ timeout: LONG_MS });
  // Missing names need a decision now that the text uses them.
  await decide(page, 'empty_variable', 'leave-out');
}

async function costs(page: Page): Promise<void> {
  await next(page, 'cost');
  await page.locator('[data-cost]').waitFor({ timeout: LONG_MS });
  await page.locator('[data-budget=SMS_BUDGET_DAY] [data-fits=true]').waitFor();
  await page.locator('[data-approval=above]').waitFor();
}

async function sending(page: Page): Promise<void> {
  await next(page, 'sending');
  await page.locator('[data-step=sending] input[type=radio]').last().check();
  await page.locator('[data-step=sending] input[type=number]').fill('40');
  await kept(page);
}

async function tried(page: Page): Promise<void> {
  await next(page, 'test');
  await page.locator('input[type=tel]').fill('+221 77 123 45 67');
  await page.locator('[data-test-send]').click();
  await page.locator('[data-test=sent]').waitFor({ timeout: LONG_MS });
}

async function submitted(page: Page): Promise<string> {
  await next(page, 'start');
  await page.locator('[data-leave=submit]').click();
  await page.locator('[data-campaign=awaiting_approval]').waitFor({ timeout: LONG_MS });
  return idIn(page);
}

async function approve(page: Page, id: string): Promise<void> {
  await page.goto(`${world.url}/approvals/${id}`);
  const { recipients } = await world.api.get<{ recipients: number }>(`/v1/campaigns/${id}`);
  await page.locator('#content form input').fill(String(recipients));
  await page.locator('#content form button[type=submit]').click();
  await page.locator('[data-decided]').waitFor();
}

const confirm = async (page: Page, act: string): Promise<void> => {
  await page.locator(`[data-act=${act}]`).click();
  await page.locator('dialog button').last().click();
  await page.locator('dialog').waitFor({ state: 'detached' });
};

async function watched(page: Page): Promise<void> {
  await page.locator('[data-campaign=running]').waitFor({ timeout: LONG_MS });
  const sent = async (): Promise<number> =>
    Number((await page.locator('[data-bin=sent]').innerText()).replace(/\D/g, ''));
  await expect.poll(sent, { timeout: LONG_MS }).toBeGreaterThan(0);
  await confirm(page, 'pauseCampaign');
  await page.locator('[data-campaign=paused]').waitFor();
  await page.locator('[data-act=amendCampaign]').click();
  await page.locator('dialog input').fill('60');
  await page.locator('dialog button').last().click();
  await page.locator('dialog').waitFor({ state: 'detached' });
  await confirm(page, 'resumeCampaign');
  await page.locator('[data-campaign=running]').waitFor();
  await page.locator('[data-file=failed]').waitFor({ timeout: LONG_MS });
  const coming = page.waitForEvent('download');
  await page.locator('[data-file=failed]').click();
  const file = readFileSync(await (await coming).path(), 'utf8');
  expect(file).toContain('N° Client');
  expect(file).toMatch(/C-11\b/);
  expect(file).toContain('+221779999902');
}

const ROWS = 3_000;
const PHONE: Visit = { language: 'fr', width: 390 };

test('a messy workbook becomes a campaign: decided, written, tried, approved by another, watched', {
  timeout: 1_200_000,
}, async () => {
  const maker = await world.signedIn('awa', '/campaigns', PHONE);
  const checker = await world.signedIn('fatou', '/', {});
  await named(maker, 'Novembre');
  await choose(maker, messyList(ROWS));
  await decideAll(maker);
  await write(maker, ROWS - 40);
  await costs(maker);
  await sending(maker);
  await tried(maker);
  const id = await submitted(maker);
  // A different person must approve.
  await maker.goto(`${world.url}/approvals/${id}`);
  expect(await maker.locator('#content form').count()).toBe(0);
  await approve(checker, id);
  await maker.goto(`${world.url}/campaigns/${id}`);
  await watched(maker);
  await confirm(maker, 'cancelCampaign');
  await maker.locator('[data-campaign=cancelled]').waitFor();
  await leave(maker);
  await leave(checker);
});

test('a user who leaves in between finds everything again, in another browser too', {
  timeout: 300_000,
}, async () => {
  const page = await world.signedIn('awa', '/campaigns', {});
  await named(page, 'Left in between');
  await choose(page, messyList(300));
  await next(page, 'people');
  await decide(page, 'hidden_row', 'leave-out');
  await page.locator('[data-next=text]').waitFor();
  const id = idIn(page);
  await page.goto(`${world.url}/campaigns/${id}/make/text`);
  await page.locator('textarea').fill('Bonjour {{prénom}}, à demain');
  // Left at once: input is saved on leaving. That may take a moment, and closing the browser would lose it.
  await page.goto(`${world.url}/campaigns`);
  const isKept = async (): Promise<string> => (await world.api.get<{ text: string }>(`/v1/campaigns/${id}`)).text;
  await expect.poll(isKept).toBe('Bonjour {{prénom}}, à demain');
  await leave(page);
  const again = await world.signedIn('awa', `/campaigns/${id}`, { language: 'fr' });
  await again.locator('#content a.button-main').click();
  await again.locator('[data-step=cost]').waitFor();
  await again.goto(`${world.url}/campaigns/${id}/make/text`);
  await expect.poll(() => again.locator('textarea').inputValue()).toBe('Bonjour {{prénom}}, à demain');
  await again.goto(`${world.url}/campaigns/${id}/make/people`);
  await again.locator('[data-question=empty_variable], [data-question=old_numbering]').first().waitFor();
  expect(await again.locator('[data-question=hidden_row]').count()).toBe(0);
  await leave(again);
});

test('a change during another person’s review is shown, and is not approved', {
  timeout: 300_000,
}, async () => {
  const maker = await world.signedIn('awa', '/campaigns', {});
  const { id } = await world.api.post<{ id: string }>('/v1/campaigns', {
    name: 'Changed meanwhile',
    reference: 'changed-meanwhile',
    text: 'Bonjour',
    quietHours: false,
  });
  const people = Array.from({ length: 1_200 }, (_, at) => `77${String(2_000_000 + at)}`);
  await world.api.post(`/v1/campaigns/${id}/recipients`, ['phone', ...people].join('\n'), 'text/csv');
  await world.api.post(`/v1/campaigns/${id}/start`);
  const checker = await world.signedIn('fatou', `/approvals/${id}`, {});
  await checker.locator('#content form input').fill('1200');
  // The other person's page is frozen during the change.
  await checker.route('**/v1/campaigns/*', (route) =>
    route.request().method() === 'GET' ? route.abort() : route.continue(),
  );
  await world.api.ask(`/v1/campaigns/${id}`, { method: 'PATCH', body: { quietHours: '22:00-23:00' } });
  await checker.locator('#content form button[type=submit]').click();
  await checker.locator('[data-end=refused]').waitFor();
  expect(await checker.locator('[data-end=refused]').innerText()).toMatch(/changed since you read it/);
  expect((await world.api.get<{ state: string }>(`/v1/campaigns/${id}`)).state).toBe('awaiting_approval');
  await leave(maker);
  await leave(checker);
});

test('an unusable file shows the reason, and an interrupted one does not exist', { timeout: 300_000 }, async () => {
  const page = await world.signedIn('awa', '/campaigns', { language: 'fr' });
  await named(page, 'Fichier impossible');
  await page.locator('input[type=file]').setInputFiles({
    name: 'clients.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('nom;ville\nAwa;Dakar\n'),
  });
  await page.locator('[data-unusable=no_phone_column]').waitFor();
  expect(await page.locator('[data-unusable]').innerText()).toMatch(/colonne/);
  expect(await page.locator('[data-unusable]').innerText()).not.toMatch(/--/);
  await page.context().setOffline(true);
  await page.locator('input[type=file]').setInputFiles({
    name: 'clients.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('tel\n771234567\n'),
  });
  await page.locator('[data-end="not known"]').waitFor();
  await page.context().setOffline(false);
  await leave(page);
});
