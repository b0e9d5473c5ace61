/** Sign-in to the console with an identity provider: a real one, in a real browser. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Asking } from '../support/asking.ts';
import { browserAt } from '../support/browser.ts';
import { type ConsoleWorld, leave, openConsole, pay, people } from '../support/console-world.ts';
import { type IdentityProviderHere, startIdentityProvider } from '../support/identity-provider.ts';

let provider: IdentityProviderHere;
let world: ConsoleWorld;
beforeAll(async () => {
  provider = await startIdentityProvider({
    adja: { email: 'Adja@example.sn', groups: ['staff', 'relais-approvers'] },
    ibra: { email: 'ibra@example.sn', groups: ['relais-money'] },
    nobody: { email: 'nobody@example.sn', groups: ['staff'] },
    unverified: { email: 'adja@example.sn', verified: false, groups: ['relais-approvers'] },
  });
  world = await openConsole({
    ...provider.settings,
    OIDC_GROUPS: 'relais-approvers:read+approve,relais-money:enqueue+read@main',
  });
  provider.open(world.api.base);
});
afterAll(async () => {
  await world?.close();
  await provider?.close();
});

async function showWho(page: Page, name: string): Promise<void> {
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('any');
  await page.keyboard.press('Enter');
}

/** The first sign-in at the provider: the form, and the consent. */
async function pass(page: Page, name: string): Promise<void> {
  await showWho(page, name);
  await page.getByRole('button', { name: 'Continue' }).click();
}

async function arrive(page: Page, name: string, path = '/'): Promise<void> {
  await page.goto(`${world.url}${path}`);
  await page.locator('[data-provider]').click();
  await pass(page, name);
}

async function signedInBy(name: string, path?: string, language: 'en' | 'fr' = 'en'): Promise<Page> {
  const page = await world.visit({ language });
  await arrive(page, name, path);
  await page.locator('#content h1').waitFor();
  return page;
}

const sessionIn = (page: Page) =>
  page.evaluate(`fetch('/v1/session', { headers: { 'x-relais-console': '1' } }).then((answer) => answer.json())`);

test('a user signs in by the provider, with the rights of their group, and gets the requested page', async () => {
  const page = await signedInBy('adja', '/approvals?x=1');
  expect(page.url()).toBe(`${world.url}/approvals?x=1`);
  expect(await sessionIn(page)).toMatchObject({
    name: 'oidc:adja@example.sn',
    person: 'adja@example.sn',
    roles: ['read', 'approve'],
    accounts: null,
    signedInBy: 'provider',
  });
  await leave(page);
});

const refusedAs = (why: string): string => `[data-not-signed-in=${why}]`;

test.for([
  ['en', /none of your groups/],
  ['fr', /aucun de vos groupes/],
] as const)('a user without a group with rights learns so, and gets no session: %s', async ([language, says]) => {
  const page = await world.visit({ language });
  await arrive(page, 'nobody');
  const told = page.locator(refusedAs('no-group'));
  await told.waitFor();
  expect(await told.innerText()).toMatch(says);
  expect(await sessionIn(page)).toMatchObject({ status: 401 });
  // A key still works.
  await page.locator('input[type=password]').fill(people.fatou.key);
  await page.keyboard.press('Enter');
  await page.locator('#content h1').waitFor();
  await leave(page);
});

test('an unverified address names no user', async () => {
  const page = await signedInBy('unverified');
  expect(await sessionIn(page)).toMatchObject({ name: 'oidc:unverified', person: 'unverified' });
  await leave(page);
});

test.for([
  ['a state that was not sent', 'not-begun', ({ searchParams }: URL) => searchParams.set('state', 'x'.repeat(43))],
  ['no state', 'not-begun', ({ searchParams }: URL) => searchParams.delete('state')],
  ['another issuer', 'failed', ({ searchParams }: URL) => searchParams.set('iss', 'https://other.example')],
  ['no issuer', 'failed', ({ searchParams }: URL) => searchParams.delete('iss')],
  ['a code that was never given', 'failed', ({ searchParams }: URL) => searchParams.set('code', 'made-up')],
  [
    'a refusal',
    'refused',
    ({ searchParams }: URL) => {
      searchParams.delete('code');
      searchParams.set('error', 'access_denied');
    },
  ],
] as const)('a return with %s is not signed in', async ([_what, why, change]) => {
  const page = await world.visit();
  provider.meddle(change);
  await arrive(page, 'adja');
  await page.locator(refusedAs(why)).waitFor();
  expect(await sessionIn(page)).toMatchObject({ status: 401 });
  await leave(page);
});

test('a late answer without a session keeps the link to the provider', async () => {
  const page = await world.visit();
  const asked = page.waitForRequest('**/v1/session/provider');
  const refused = page.waitForResponse('**/v1/status');
  await page.route('**/v1/status', async (route) => {
    await asked;
    await route.continue();
  });
  await page.route('**/v1/session/provider', async (route) => {
    await (await refused).finished();
    await route.continue();
  });
  await page.goto(world.url);
  await page.locator('[data-provider]').waitFor();
  await leave(page);
});

test('a return address works only once, here and elsewhere', async () => {
  const page = await world.visit();
  const came = page.waitForRequest('**/v1/session/callback*');
  await arrive(page, 'adja');
  const address = (await came).url();
  const [, value = ''] = /relais-sign-in=([^;]*)/.exec((await (await came).allHeaders())['cookie'] ?? '') ?? [];
  await page.locator('#content h1').waitFor();
  await page.goto(address);
  await page.locator(refusedAs('not-begun')).waitFor();

  // Sent to another user, who would work under the attacker's name.
  const other = await world.visit();
  await other.goto(address);
  await other.locator(refusedAs('not-begun')).waitFor();
  expect(await sessionIn(other)).toMatchObject({ status: 401 });

  // Even with all cookies of the first browser: the provider accepts a code only once.
  await other.context().addCookies([{ name: 'relais-sign-in', value, url: world.api.base }]);
  await other.goto(address);
  await other.locator(refusedAs('failed')).waitFor();
  expect(await sessionIn(other)).toMatchObject({ status: 401 });
  await leave(other);
  await leave(page);
});

test('a sign-in is a new session in any browser, and ends the earlier one', async () => {
  const page = await world.signedIn('fatou');
  const [had] = await page.context().cookies();
  await page.evaluate(`fetch('/v1/session/provider', {
    method: 'POST', headers: { 'x-relais-console': '1', 'content-type': 'application/json' }, body: '{}',
  }).then((answer) => answer.json()).then(({ url }) => void location.assign(url))`);
  await pass(page, 'ibra');
  await page.locator('#content h1').waitFor();
  expect(await sessionIn(page)).toMatchObject({ person: 'ibra@example.sn', accounts: ['main'] });
  const { value: has = '' } = (await page.context().cookies()).find(({ name }) => name === 'relais') ?? {};
  expect(has).toMatch(/^[0-9a-f]{64}$/);
  expect(has).not.toBe(had?.value);
  const before = browserAt(world.api.base);
  before.cookie = `relais=${had?.value}`;
  expect((await before.fetch('GET', '/v1/session')).status).toBe(401);
  await page.getByRole('button', { name: 'Sign out' }).first().click();
  await page.locator('[data-provider]').waitFor();
  expect(await page.locator('#content').count()).toBe(0);
  before.cookie = `relais=${has}`;
  expect((await before.fetch('GET', '/v1/session')).status).toBe(401);
  await leave(page);
});

interface AuditPage {
  readonly items: readonly object[];
}

async function opened(page: Page, amount: string): Promise<Locator> {
  const approve = page.getByRole('button', { name: `Approve ${amount} XOF` });
  await page.getByLabel(/Type the total/).fill(amount);
  await world.letConfirmationsEnd();
  return approve;
}

test('approving requires a new authentication at the provider, even for a known user; then it is done on the same page', async () => {
  const id = await pay(world, { accountAlias: '771234568', amount: 250_000, reference: 'rent-11' });
  const page = await signedInBy('adja', `/approvals/${id}`);
  await (await opened(page, '250,000')).click();
  await page.locator('dialog [data-provider]').click();
  await showWho(page, 'adja');
  expect(await page.waitForURL(`${world.url}/approvals/${id}`)).toBeUndefined();
  await page.getByLabel(/Type the total/).fill('250000');
  await page.getByRole('button', { name: 'Approve 250,000 XOF' }).click();
  await page.locator('[data-decided]').waitFor();
  const { items } = await new Asking(world.api.base, people.moussa.key).get<AuditPage>('/v1/audit?limit=50');
  expect(items).toContainEqual(
    expect.objectContaining({ act: 'disbursement.approve', person: 'adja@example.sn', source: 'console' }),
  );
  expect(items).toContainEqual(expect.objectContaining({ act: 'session.sign-in', person: 'adja@example.sn' }));
  await leave(page);
});

test('one person is one, with a key and by the provider: self-approval is refused', async () => {
  const owner = new Asking(world.api.base, people.moussa.key);
  const made = await owner.post<{ secret: string }>('/v1/keys', {
    name: 'adja-script',
    roles: ['enqueue'],
    person: 'ADJA@example.sn',
  });
  const payment = {
    withdrawMode: 'wallet-a-senegal',
    accountAlias: '771234569',
    amount: 260_000,
    reference: 'own-1',
  };
  const { id } = await new Asking(world.api.base, made.secret).post<{ id: string }>('/v1/disbursements', payment);
  const page = await signedInBy('adja', `/approvals/${id}`);
  await page.getByLabel(/Type the total/).fill('260000');
  await page.getByRole('button', { name: 'Approve 260,000 XOF' }).click();
  await page.locator('[data-end=refused]').waitFor();
  expect(await page.locator('[data-end=refused]').innerText()).toMatch(/a different person/i);
  await leave(page);
});

test.for([
  [45, undefined],
  [120, 'not-again'],
] as const)('a provider whose clock is %d s behind', async ([seconds, why]) => {
  const page = await signedInBy('adja');
  const clock = vi
    .spyOn(Date, 'now')
    .mockImplementation(() => performance.timeOrigin + performance.now() - seconds * 1_000);
  try {
    await page.evaluate(`fetch('/v1/session/provider', {
      method: 'POST',
      headers: { 'x-relais-console': '1', 'content-type': 'application/json' },
      body: JSON.stringify({ again: true, at: '/health' }),
    }).then((answer) => answer.json()).then(({ url }) => void location.assign(url))`);
    await showWho(page, 'adja');
    if (why) await page.locator(refusedAs(why)).waitFor();
    else await page.waitForURL(`${world.url}/health`);
  } finally {
    clock.mockRestore();
  }
  await leave(page);
});

test('while the provider is away the page says so, and a key signs in', async () => {
  const page = await world.visit();
  await page.goto(world.url);
  await provider.setAway(true);
  try {
    // Its metadata is cached briefly: until then the browser is redirected to an address that is down.
    await vi.waitFor(
      async () => {
        await page.goto(world.url);
        await page.locator('[data-provider]').click();
        await page.getByRole('alert').waitFor({ timeout: 2_000 });
      },
      { timeout: 30_000 },
    );
    expect(await page.getByRole('alert').innerText()).toMatch(/does not answer.*sign in with a key/);
    await page.locator('input[type=password]').fill(people.fatou.key);
    await page.keyboard.press('Enter');
    await page.locator('#content h1').waitFor();
  } finally {
    await provider.setAway(false);
  }
  await leave(page);
});
