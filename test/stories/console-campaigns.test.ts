/** The console while a campaign runs, and while relais does not answer. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleWorld, campaign, leave, openConsole } from '../support/console-world.ts';

let world: ConsoleWorld;
beforeAll(async () => {
  world = await openConsole({ CAMPAIGN_APPROVAL_ABOVE: '5000recipients' });
});
afterAll(() => world?.close());

async function binsOf(page: Page): Promise<Readonly<Record<string, number>>> {
  const read = await page
    .locator('[data-bin]')
    .evaluateAll((all) =>
      all.map((one: any) => [one.dataset.bin, Number(one.lastElementChild.textContent.replace(/\D/g, ''))]),
    );
  return Object.fromEntries(read);
}

const sumOf = ({ total: _total, ...bins }: Readonly<Record<string, number>>): number =>
  Object.values(bins).reduce((sum, one) => sum + one, 0);

test('a campaign is started, watched, paused, paced and resumed; failed recipients are returned in their file’s format', async () => {
  const id = await campaign(world, { name: 'November', people: 200, perSecond: 10 });
  const page = await world.signedIn('awa', `/campaigns/${id}`);
  const act = async (name: string): Promise<void> => {
    await page.locator(`[data-act=${name}]`).click();
    await page.locator('dialog button').last().click();
    await page.locator('dialog').waitFor({ state: 'detached' });
  };
  await act('startCampaign');
  await page.locator('[data-campaign=running]').waitFor();
  await expect.poll(async () => (await binsOf(page))['sent'] ?? 0).toBeGreaterThan(0);
  // At any moment the parts add up to all recipients.
  for (let look = 0; look < 5; look += 1) {
    const bins = await binsOf(page);
    expect(sumOf(bins), JSON.stringify(bins)).toBe(202);
    expect(bins['total']).toBe(202);
  }
  await act('pauseCampaign');
  await page.locator('[data-campaign=paused]').waitFor();
  await page.locator('[data-act=amendCampaign]').click();
  await page.getByLabel(/recipients per second/).fill('');
  await page.getByRole('button', { name: 'Set the pace' }).click();
  await page.getByText('as fast as the account allows', { exact: true }).waitFor();
  await page.locator('[data-act=resumeCampaign]').click();
  expect(await page.locator('dialog').innerText()).toMatch(/does not get it again/);
  await page.locator('dialog button').last().click();
  await page.locator('[data-campaign=finished]').waitFor({ timeout: 120_000 });
  const bins = await binsOf(page);
  expect(bins).toMatchObject({ sent: 200, failed: 1, unknown: 1, total: 202 });
  const coming = page.waitForEvent('download');
  await page.locator('[data-file=failed]').click();
  const file = readFileSync(await (await coming).path(), 'utf8');
  expect(file.trim().split('\r\n')).toHaveLength(2);
  expect(file).toContain('Thiès');
  await act('retryCampaign');
  await page.locator('[data-campaign=finished]').waitFor();
  await page.locator('[data-act=copyCampaign]').click();
  await page.locator('dialog button').last().click();
  await page.locator('[data-step=file]').waitFor();
  const [, copy = ''] = /\/campaigns\/(cmp_\w+)\/make/.exec(page.url()) ?? [];
  expect(await world.api.get(`/v1/campaigns/${copy}`)).toMatchObject({
    state: 'draft',
    name: 'Copy of November',
    text: 'Bonjour {{prenom}}, votre facture est prête.',
  });
  await leave(page);
});

test('cancelling a campaign warns that it is irreversible, and Escape does nothing', async () => {
  const id = await campaign(world, { name: 'December', people: 20 });
  const page = await world.signedIn('awa', `/campaigns/${id}`);
  await page.locator('[data-act=cancelCampaign]').click();
  expect(await page.locator('dialog').innerText()).toMatch(/22 recipients will get no SMS. This cannot be undone./);
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  expect((await world.api.get<{ state: string }>(`/v1/campaigns/${id}`)).state).toBe('ready');
  await leave(page);
});

test('while relais does not answer the page reports it, keeps its data, and an act is shown as unknown', async () => {
  const id = await campaign(world, { name: 'January', people: 20 });
  const page = await world.signedIn('awa', `/campaigns/${id}`);
  await page.locator('[data-campaign=ready]').waitFor();
  await page.context().setOffline(true);
  await page.locator('[data-trouble=no-answer]').waitFor();
  expect(await page.locator('[data-campaign=ready]').count()).toBe(1);
  await page.locator('[data-act=startCampaign]').click();
  await page.locator('dialog button').last().click();
  await page.locator('[data-end="not known"]').waitFor();
  // Nothing is offered that could repeat the act.
  expect(await page.locator('dialog button').count()).toBe(1);
  await page.context().setOffline(false);
  await page.locator('[data-trouble]').waitFor({ state: 'detached' });
  await leave(page);
});

test('an act that a proxy answers is shown as unknown, whatever its result', async () => {
  const id = await campaign(world, { name: 'March', people: 20 });
  const page = await world.signedIn('awa', `/campaigns/${id}`);
  await page.locator('[data-campaign=ready]').waitFor();
  const answer = { status: 503, contentType: 'text/html', body: '<h1>No server is available</h1>' };
  await page.route('**/start', (asked) => asked.fulfill(answer));
  await page.locator('[data-act=startCampaign]').click();
  await page.locator('dialog button').last().click();
  await page.locator('[data-end]').waitFor();
  expect(await page.locator('[data-end]').getAttribute('data-end')).toBe('not known');
  expect(await page.locator('dialog button').count()).toBe(1);
  await leave(page);
});

test('a refused file is shown as refused, with advice, and not as silence', async () => {
  const id = await campaign(world, { name: 'May', people: 3 });
  const page = await world.signedIn('awa', `/campaigns/${id}`, { language: 'fr' });
  await page.route('**/recipients*', (route) =>
    route.fulfill({ status: 429, json: { status: 429, type: '/problems/too-many-requests' } }),
  );
  await page.locator('[data-file=all]').click();
  await page.getByText('Attendez un instant, puis réessayez').waitFor();
  await leave(page);
});

test('while PostgreSQL is away the page says that nothing is lost, keeps its data, and continues automatically', async () => {
  const id = await campaign(world, { name: 'February', people: 20 });
  const page = await world.signedIn('awa', `/campaigns/${id}`);
  await page.locator('[data-campaign=ready]').waitFor();
  await world.postgres.crash();
  try {
    await page.locator('[data-trouble=unavailable]').waitFor();
    expect(await page.locator('[data-trouble]').innerText()).toContain('Nothing is lost');
    expect(await page.locator('[data-campaign=ready]').count()).toBe(1);
  } finally {
    await world.postgres.start();
  }
  await page.locator('[data-trouble]').waitFor({ state: 'detached' });
  expect(await page.locator('[data-campaign=ready]').count()).toBe(1);
  await leave(page);
});
