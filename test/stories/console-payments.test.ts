/** The console's payment pages: search and decisions, in a real browser, against real processes. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type ConsoleWorld, leave, needReview, openConsole, pay, people } from '../support/console-world.ts';

let world: ConsoleWorld;
let paid: string;
let rent: string;
beforeAll(async () => {
  world = await openConsole();
  paid = await pay(world, { accountAlias: '771234567', amount: 25_000, reference: 'salary-awa' });
  await pay(world, { accountAlias: '779999901', amount: 12_000, reference: 'salary-failed' });
  const metadata = { orderId: '1042' };
  rent = await pay(world, { accountAlias: '771234568', amount: 250_000, reference: 'rent-11', metadata });
  const isPaid = async (): Promise<void> => {
    expect((await world.api.get<{ state: string }>(`/v1/disbursements/${paid}`)).state).toBe('succeeded');
  };
  await vi.waitFor(isPaid, { timeout: 60_000, interval: 200 });
});
afterAll(() => world?.close());

const text = (page: Page, selector: string): Promise<string> => page.locator(selector).first().innerText();

test('a wrong key gets an error text, and a right one opens the requested page', async () => {
  const page = await world.visit();
  await page.goto(`${world.url}/operations/batch`);
  await page.getByLabel('Your key').fill('nobody knows this key');
  await page.keyboard.press('Enter');
  await expect.poll(() => text(page, '[role=alert]')).toMatch(/unknown, expired or revoked/);
  await page.getByLabel('Your key').fill(people.fatou.key);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Payment batches' }).waitFor();
  // The session is only in the browser's cookie, which no script can read.
  expect(await page.evaluate('document.cookie + JSON.stringify(localStorage)')).not.toContain(people.fatou.key);
  await leave(page);
});

test('a filter is in the address, and an empty result says so', async () => {
  const page = await world.signedIn('fatou', '/operations/disbursement?state=failed');
  await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
  expect(await text(page, 'tbody tr')).toMatch(/Not paid/);
  await page.getByRole('textbox', { name: 'Reference' }).fill('nothing-has-this');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByText('No operation matches these filters.').waitFor();
  expect(page.url()).toContain('reference=nothing-has-this');
  await page.getByRole('link', { name: 'Remove filters' }).click();
  await expect.poll(() => page.locator('tbody tr').count()).toBe(3);
  await leave(page);
});

test('payments are found by an entry of their metadata', async () => {
  const page = await world.signedIn('fatou', '/operations/disbursement');
  await page.getByText('Filter', { exact: true }).click();
  await page.getByRole('textbox', { name: 'Metadata (key=value)' }).fill('orderId = 1042');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
  expect(page.url()).toContain('metadata.orderId=1042');
  expect(await page.getByRole('textbox', { name: 'Metadata (key=value)' }).inputValue()).toBe('orderId=1042');
  expect(await page.locator('tbody tr a').first().getAttribute('href')).toContain(rent);
  await leave(page);
});

test('uncertain money is shown neither as paid nor as failed, and a user decides by keyboard', async () => {
  const [first] = await needReview(world, [
    { accountAlias: '771239991', amount: 33_000, reference: 'differs-1' },
    { accountAlias: '771239992', amount: 34_000, reference: 'differs-2' },
  ]);
  const page = await world.signedIn('fatou', '/review');
  const shown = page.locator(`[data-case="${first}"]`);
  await page.locator('[data-case]').waitFor();
  expect(await page.locator('[data-of]').getAttribute('data-of')).toBe('2');
  for (let at = 0; at < 2 && !(await shown.isVisible()); at += 1) await page.keyboard.press('j');
  expect(await shown.locator('[data-tone=done], [data-tone=bad]').count()).toBe(0);
  await page.keyboard.press('2');
  expect(await text(page, '[data-follows=failed]')).toMatch(/Final status/);
  await page.keyboard.type('The provider shows 32,999: told on the telephone that nothing left');
  await page.keyboard.press('Control+Enter');
  // The provider is asked first, and reports the payment: no decision overrides that.
  await expect.poll(() => page.locator('[data-end=refused], [data-of="1"]').count()).toBe(1);
  const decided = await world.api.get<{ state: string }>(`/v1/disbursements/${first}`);
  expect(['succeeded', 'needs_review']).toContain(decided.state);
  await leave(page);
});

test('a payment above the limit is approved by a different person, who types the amount; it disappears without a reload', async () => {
  const asker = await world.signedIn('awa', '/approvals');
  await asker.getByText('Your key can only read.').waitFor();
  const page = await world.signedIn('fatou', '/approvals');
  await page.getByRole('link', { name: '771234568' }).click();
  const approve = page.getByRole('button', { name: 'Approve 250,000 XOF' });
  await approve.waitFor();
  expect(await approve.isDisabled()).toBe(true);
  await page.getByLabel(/Type the total/).fill('25000');
  expect(await approve.isDisabled()).toBe(true);
  await page.getByLabel(/Type the total/).fill('250 000');
  await world.letConfirmationsEnd();
  await approve.click();
  // The key was entered too long ago: it is requested, and then the act continues automatically.
  await page.locator('dialog input').fill(people.fatou.key);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.locator('[data-decided]').waitFor();
  await expect.poll(() => asker.getByText('Nothing waits for an approval.').count()).toBe(1);
  await leave(asker);
  await leave(page);
});

test('a batch with an unpaid row shows it everywhere, and that row is paid again after a new approval', async () => {
  const file = [
    'Nom;reference;accountAlias;amount;withdrawMode',
    'Awa Diop;paie-1;771112233;200000;wallet-a-senegal',
    'Binta Fall;paie-2;769999901;64000;wallet-b-senegal',
  ].join('\n');
  const path = '/v1/disbursement-batches';
  const { id } = await world.api.post<{ id: string }>(`${path}?name=salaires.csv`, file, 'text/csv');
  const page = await world.signedIn('moussa', `/approvals/${id}`);
  await page.getByText('salaires.csv').first().waitFor();
  await page.getByText('Awa Diop').waitFor();
  await page.getByText('Wallet B, Senegal').first().waitFor();
  await page.locator('[data-funds=enough]').waitFor();
  await page.locator('[data-recent="0"]').waitFor();
  await page.getByLabel(/Type the total/).fill('264000');
  await page.getByRole('button', { name: 'Approve 264,000 XOF' }).click();
  const isFinished = async (): Promise<void> => {
    expect((await world.api.get<{ state: string }>(`${path}/${id}`)).state).toBe('finished');
  };
  await vi.waitFor(isFinished, { timeout: 60_000, interval: 200 });

  await page.goto(`${world.url}/`);
  await page.locator(`[data-batch="${id}"] [data-tone=uncertain]`).waitFor();
  await page.getByRole('link', { name: 'salaires.csv' }).click();
  const headline = page.locator('[data-outcome=missing]');
  await headline.waitFor();
  expect((await headline.innerText()).replaceAll(/\s+/g, ' ')).toBe('1 paid 200,000 XOF 1 not paid 64,000 XOF');
  // Unpaid rows come first.
  expect(await page.locator('[data-row]').first().innerText()).toMatch(/Binta Fall[\s\S]*Not paid/);
  expect(await page.locator('[data-row]').count()).toBe(2);
  await page.locator('[data-tab=notPaid]').click();
  await expect.poll(() => page.locator('[data-row]').count()).toBe(1);

  await page.locator('[data-act=retryBatch]').click();
  await page.getByRole('dialog').getByRole('button', { name: /again/ }).click();
  await page.getByText('paie-2~2').waitFor();
  expect(await page.locator('#content').innerText()).toMatch(
    /You made this request: a different person must approve it/,
  );
  await leave(page);
});

test('a key without the right to read learns so, and one of some accounts sees its own', async () => {
  const page = await world.signedIn('service');
  await expect
    .poll(() => text(page, '#content'))
    .toMatch(/Your key does not allow this[\s\S]*request payments and SMS/);
  const bound = await world.signedIn('ibou');
  await bound.getByText('This page shows the accounts of your key').waitFor();
  await leave(page);
  await leave(bound);
});
