/** Identity of users of an identity provider while addresses change and are reassigned. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Browser, browserAt } from '../support/browser.ts';
import {
  type Account,
  type IdentityProviderHere,
  signInAt,
  startIdentityProvider,
} from '../support/identity-provider.ts';
import { type Service, startService } from '../support/service.ts';

const both = { groups: ['desk'] };
const accounts: Record<string, Account> = {};
let provider: IdentityProviderHere;
let service: Service;
beforeAll(async () => {
  provider = await startIdentityProvider(accounts);
  service = await startService({
    ...provider.settings,
    OIDC_GROUPS: 'desk:enqueue+read+approve',
    APPROVAL_ABOVE: '9999',
    SWEEP_INTERVAL: '10m',
  });
  provider.open(service.api);
});
afterAll(async () => {
  await service?.stop();
  await provider?.close();
});

/** A separate browser, signed in at the provider under that name and address. */
async function arrive(sub: string, email: string): Promise<Browser> {
  accounts[sub] = { ...both, email };
  const browser = browserAt(service.api);
  await signInAt(browser, service.api, sub);
  return browser;
}

const person = async (browser: Browser): Promise<unknown> => (await browser.fetch('GET', '/v1/session')).body.person;

async function askedBy(browser: Browser, reference: string): Promise<string> {
  const body = { accountAlias: '771234567', amount: 50_000, withdrawMode: 'wallet-a-senegal', reference };
  return (await browser.fetch('POST', '/v1/disbursements', { body })).body.id;
}

const approve = (browser: Browser, id: string) => browser.fetch('POST', `/v1/disbursements/${id}/approve`);

test('a person whose address changes at the provider is the same person, and cannot approve their own requests', async () => {
  const before = await arrive('sub-fatou', 'Fatou@example.sn');
  expect(await person(before)).toBe('fatou@example.sn');
  const id = await askedBy(before, 'before');
  const after = await arrive('sub-fatou', 'married@example.sn');
  expect(await person(after)).toBe('fatou@example.sn');
  expect((await approve(after, id)).body.rule).toBe('other-person');
  expect((await approve(await arrive('sub-ibra', 'ibra@example.sn'), id)).status).toBe(200);
});

test('an address that is given to another user does not become the same person, and cannot decide about its possible requests', async () => {
  const first = await arrive('sub-one', 'desk@example.sn');
  const id = await askedBy(first, 'reused');
  const second = await arrive('sub-two', 'desk@example.sn');
  expect(await person(second)).toBe('sub-two');
  expect((await approve(second, id)).body.rule).toBe('other-person');
  // The first user stays the same person after all changes.
  expect(await person(await arrive('sub-one', 'desk@example.sn'))).toBe('desk@example.sn');
});

test('a user with the address of a key is one person with its holder, whatever their names', async () => {
  await arrive('sub-awa', 'old@example.sn');
  const body = { name: 'awa-phone', roles: ['approve'], person: 'awa@example.sn' };
  const { secret: key } = (await service.call('POST', '/v1/keys', { body, key: 'maker-secret' })).body;
  const id = await askedBy(await arrive('sub-awa', 'Awa@example.sn'), 'awa');
  expect((await service.call('POST', `/v1/disbursements/${id}/approve`, { key })).body.rule).toBe('other-person');
});
