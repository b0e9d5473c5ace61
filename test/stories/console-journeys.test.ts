/** The main tasks of the console, each a single time: in English on a desktop, or in French on a phone. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Asking } from '../support/asking.ts';
import {
  type ConsoleWorld,
  type Visit,
  leave,
  needReview,
  openConsole,
  pay,
  people,
} from '../support/console-world.ts';

let world: ConsoleWorld;
let paid: string;
beforeAll(async () => {
  world = await openConsole();
  paid = await pay(world, { accountAlias: '771234567', amount: 25_000, reference: 'salary-awa' });
  const failed = await pay(world, { accountAlias: '779999901', amount: 12_000, reference: 'salary-failed' });
  const stateOf = async (id: string): Promise<string> =>
    (await world.api.get<{ state: string }>(`/v1/disbursements/${id}`)).state;
  // Both are finished before the provider names other amounts: only the intended payment needs review.
  const areOver = async (): Promise<void> => {
    expect([await stateOf(paid), await stateOf(failed)]).toEqual(['succeeded', 'failed']);
  };
  await vi.waitFor(areOver, { timeout: 60_000, interval: 200 });
});
afterAll(() => world?.close());

const DESK: Visit = { language: 'en' };
const PHONE: Visit = { language: 'fr', width: 390 };

const text = (page: Page, selector: string): Promise<string> => page.locator(selector).first().innerText();

async function yes(page: Page, act: string): Promise<void> {
  await page.locator(`[data-act="${act}"]`).first().click();
  await page.locator('dialog button').last().click();
  await page.locator('dialog').waitFor({ state: 'detached' });
}

test.for([PHONE])(
  'a caller’s payment is found by the number as spoken, and its timeline is read: $language',
  async (how) => {
    const page = await world.signedIn('fatou', '/', how);
    await page.keyboard.press('/');
    await page.keyboard.type('+221 77 123 45 67');
    await page.keyboard.press('Enter');
    const row = page.locator(`tr[data-id="${paid}"]`);
    await row.waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
    await row.getByRole('link').focus();
    await page.keyboard.press('Enter');
    await expect
      .poll(() => text(page, '[data-operation]'))
      .toMatch(how.language === 'fr' ? /25\s000 F CFA/ : /25,000 XOF/);
    expect(await text(page, '[data-operation]')).toContain(
      how.language === 'fr' ? 'Le bénéficiaire est payé' : 'The beneficiary was paid.',
    );
    await expect.poll(() => page.locator('#content ol li').count()).toBeGreaterThan(2);
    // Callbacks of the provider are for operators.
    expect(await page.getByText('Show the last callback').count()).toBe(0);
    await leave(page);
  },
);

const CASES = 12;

test.for([DESK])('payments that need review are decided by the keyboard alone: $language', async (how) => {
  const cases = Array.from({ length: CASES }, (_, at) => ({
    accountAlias: `7744000${String(at).padStart(2, '0')}`,
    amount: 10_000 + at,
    reference: `${how.language}-${at}`,
  }));
  await needReview(world, cases);
  const page = await world.signedIn('fatou', '/review', how);
  const standing = page.locator('[data-of]');
  await standing.waitFor();
  for (let left = CASES; left > 0; left -= 1) {
    await expect.poll(() => standing.getAttribute('data-of')).toBe(String(left));
    const shown = await page.locator('[data-case]').getAttribute('data-case');
    await page.keyboard.press('1');
    await page.locator('[data-follows=succeeded]').waitFor();
    await page.keyboard.type('seen in the dashboard');
    await page.keyboard.press('Control+Enter');
    await page.locator(`[data-case="${shown}"]`).waitFor({ state: 'detached' });
    // The next payment opens automatically, without leaving a field.
    if (left > 1) await page.locator('[data-case]').waitFor();
  }
  await page.getByText(how.language === 'fr' ? 'Rien à vérifier' : 'Nothing needs review').waitFor();
  await leave(page);
});

test.for([DESK])(
  'an account is stopped and released by two presses each, and a reader sees it: $language',
  async (how) => {
    const other = await world.signedIn('fatou', '/accounts', how);
    await other.locator('[data-account=main][data-holds="0"]').waitFor();
    const page = await world.signedIn('awa', '/accounts', how);
    await page.locator('[data-act=stopAccount]').click();
    expect(await page.locator('dialog').innerText()).toContain(
      how.language === 'fr' ? 'déjà envoyés ne peuvent pas être rappelés' : 'already sent cannot be recalled',
    );
    await page.locator('dialog button').last().click();
    await other.locator('[data-account=main][data-holds="1"]').waitFor();
    // Read-only users see no switch.
    expect(await other.locator('[data-act]').count()).toBe(0);
    await yes(page, 'releaseAccount');
    await other.locator('[data-account=main][data-holds="0"]').waitFor();
    await leave(page);
    await leave(other);
  },
);

test.for([PHONE])('a day closes on its page: opening plus in, less out, equals closing: $language', async (how) => {
  const page = await world.signedIn('fatou', `/reports?date=${new Date().toISOString().slice(0, 10)}`, how);
  await page.locator('[data-figure=closing]').first().waitFor();
  // In the format of users, by the deployment's calendar.
  expect(await text(page, '[data-closed]')).toMatch(/^\s*\d{1,2} \p{L}+ \d{4} \(Africa\/Dakar\)/u);
  const of = async (figure: string): Promise<number> =>
    Number(await page.locator(`[data-figure=${figure}] [data-xof]`).first().getAttribute('data-xof'));
  const [opening, accepted, closing] = [await of('opening'), await of('accepted'), await of('closing')];
  const gone = (await of('succeeded')) + (await of('failed')) + (await of('rejected')) + (await of('cancelled'));
  expect(accepted).toBeGreaterThan(0);
  expect(opening + accepted - gone).toBe(closing);
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: /CSV/ }).click();
  expect(await (await coming).failure()).toBeNull();
  await leave(page);
});

test.for([DESK])(
  'a key is revoked in one window, and its session in another is signed out: $language',
  async (how) => {
    const name = `khady-${how.language}`;
    const made = await new Asking(world.api.base, people.moussa.key).post<{ secret: string }>('/v1/keys', {
      name,
      roles: ['read'],
      person: 'khady',
    });
    const other = await world.visit(how);
    await other.goto(`${world.url}/accounts`);
    await other.locator('input[type=password]').fill(made.secret);
    await other.keyboard.press('Enter');
    await other.locator('[data-account=main]').waitFor();
    const page = await world.signedIn('moussa', '/keys', how);
    await page.locator(`[data-row=${name}] [data-act=revokeKey]`).click();
    await page.locator('dialog button').last().click();
    await page.locator(`[data-row=${name}] [data-key=revoked]`).first().waitFor({ state: 'attached' });
    // The other window gets no input: its automatic refresh finds out. Its data is gone then.
    await other.locator('input[type=password]').waitFor();
    expect(await other.locator('[data-account]').count()).toBe(0);
    const cookies = await other.context().cookies();
    const cookie = cookies.map((one) => `${one.name}=${one.value}`).join('; ');
    const stale = await fetch(`${world.api.base}/v1/accounts`, {
      headers: { cookie, 'sec-fetch-site': 'same-origin', 'x-relais-console': '1' },
    });
    expect(stale.status).toBe(401);
    await leave(other);
    await leave(page);
  },
);
