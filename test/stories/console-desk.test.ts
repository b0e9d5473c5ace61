/** The operator pages: opt-outs, keys, limits, queues, endpoints, the audit log, bulk decisions. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Asking } from '../support/asking.ts';
import { type ConsoleWorld, leave, needReview, openConsole, pay, people } from '../support/console-world.ts';

let world: ConsoleWorld;
beforeAll(async () => {
  world = await openConsole({ ALLOW_LOOPBACK_ENDPOINTS: 'on', MAX_DISBURSEMENT: '900000' });
});
afterAll(() => world?.close());

/** Opens the confirmation, confirms, and waits for the result. */
async function act(page: Page, name: string): Promise<void> {
  await page.locator(`[data-act="${name}"]`).first().click();
  await page.locator('dialog button').last().click();
  await page.locator('dialog').waitFor({ state: 'detached' });
}

test('opt-outs are added, imported, found by number and removed, and unreadable rows are named', async () => {
  const page = await world.signedIn('moussa', '/opt-outs');
  await page.getByText('The list is empty.').waitFor();
  await page.locator('[data-act=addOptOuts]').click();
  await page.locator('dialog textarea').fill('77 000 00 01\n+221 77 000 00 02');
  await page.locator('dialog button').last().click();
  await page.locator('[data-added="2"]').waitFor();
  await page.locator('[data-act=importOptOuts]').click();
  const buffer = Buffer.from('to;prenom\n770000003;Awa\n770000001;Ibou\nnobody;Moussa\n');
  await page.locator('input[type=file]').setInputFiles({ name: 'stop.csv', mimeType: '', buffer });
  await page.locator('dialog button').last().click();
  await page.locator('[data-added="1"]').waitFor();
  expect(await page.locator('[data-refused="1"]').innerText()).toMatch(/1 could not be read/);
  await page.locator('[data-opt-outs="3"]').waitFor();
  await page.getByLabel('Phone number', { exact: true }).fill('770000002');
  await page.keyboard.press('Enter');
  await page.locator('[data-opted-out=true]').waitFor();
  await page.locator('[data-opted-out=true] [data-act=removeOptOuts]').click();
  await page.locator('dialog button').last().click();
  await page.locator('[data-opted-out=false]').waitFor();
  await page.locator('[data-opt-outs="2"]').waitFor();
  await leave(page);
});

test('personal data is erased after the number was typed twice; the effect is shown before', async () => {
  await world.api.post('/v1/messages', { to: '+221770000077', text: 'Bonjour' });
  const page = await world.signedIn('moussa', '/forget');
  const said = await page.locator('#content').innerText();
  expect(said).toMatch(/accounting records must be complete/);
  expect(said).toMatch(/cannot restore erased data/);
  const button = page.locator('[data-act=purgePerson]');
  await page.getByRole('textbox', { name: 'Phone number' }).fill('77 000 00 77');
  await page.getByRole('textbox', { name: /Repeat the number/ }).fill('770000078');
  expect(await button.isDisabled()).toBe(true);
  await page.getByRole('textbox', { name: /Repeat the number/ }).fill('770000077');
  await button.click();
  await page.locator('[data-purged=true]').waitFor();
  expect(await page.locator('#content').innerText()).not.toContain('+221770000077');
  await leave(page);
});

test('a key is created, shown once and stored nowhere, and revoked', async () => {
  const page = await world.signedIn('moussa', '/keys');
  await page.locator('[data-act=createKey]').click();
  await page.getByLabel('Name', { exact: true }).fill('khady-desk');
  await page.getByLabel('Name of the person').fill('khady');
  await page.locator('dialog button').last().click();
  const secret = await page.locator('[data-secret]').innerText();
  // It never closes by itself, nor by Escape: browsers close a dialog at the second Escape, whatever a page does at
  // the first.
  for (let times = 0; times < 3; times += 1) await page.keyboard.press('Escape');
  await page.locator('[data-secret]').waitFor();
  await page.locator('[data-act=kept]').click();
  await page.locator('[data-row=khady-desk]').waitFor();
  expect(await page.content()).not.toContain(secret);

  await page.locator('[data-row=khady-desk] [data-act=revokeKey]').click();
  await page.locator('dialog button').last().click();
  await page.locator('[data-row=khady-desk] [data-key=revoked]').first().waitFor({ state: 'attached' });
  await leave(page);
});

test('a stricter limit applies at once, and a looser one waits for a different person', async () => {
  const page = await world.signedIn('moussa', '/limits');
  const limit = page.locator('[data-limit=MAX_DISBURSEMENT]');
  const ask = async (value: string, isLooser: boolean): Promise<void> => {
    await page.locator('[data-act=setLimit-MAX_DISBURSEMENT]').click();
    await page.getByLabel('New limit').fill(value);
    await page.locator(`[data-looser=${isLooser}]`).waitFor();
    await page.locator('dialog button').last().click();
    await page.locator('dialog').waitFor({ state: 'detached' });
  };
  await ask('500000', false);
  await expect.poll(() => limit.getAttribute('data-value')).toBe('500000');
  await ask('800000', true);
  await page.locator('[data-asked=moussa]').waitFor();
  expect(await limit.getAttribute('data-value')).toBe('500000');
  expect(await page.locator('[data-asked=moussa] [data-act]').count()).toBe(0);
  const other = await world.signedIn('fatou', '/limits');
  await act(other, 'agreeLimit');
  await expect.poll(() => other.locator('[data-limit=MAX_DISBURSEMENT]').getAttribute('data-value')).toBe('800000');
  await leave(other);
  await leave(page);
});

test('a queue is paused and resumed, and the audit log shows it, verified', async () => {
  const page = await world.signedIn('moussa', '/queues');
  await page.locator('[data-workers="1"]').waitFor();
  expect(await page.locator('[data-worker]').textContent()).toMatch(/:\d+ [0-9a-f]{8}$/);
  const row = page.locator('[data-row=event-delivery]');
  await row.locator('[data-act=pauseQueue]').click();
  await page.locator('dialog button').last().click();
  await row.locator('[data-paused]').waitFor();
  await row.locator('[data-act=resumeQueue]').click();
  await page.locator('dialog button').last().click();
  await row.locator('[data-paused]').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Audit log' }).first().click();
  await page.getByText('resumed a queue').waitFor();
  expect(await page.locator('tbody tr').first().innerText()).toMatch(/moussa[\s\S]*console[\s\S]*event-delivery/);
  await page.locator('[data-act=verifyAudit]').click();
  await page.locator('[data-fits=true]').waitFor();
  await leave(page);
});

interface Heard {
  readonly url: string;
  readonly bodies: Record<string, unknown>[];
  answers: number;
  close(): Promise<void>;
}

/** A webhook receiver. */
async function listener(): Promise<Heard> {
  const heard = { bodies: [] as Record<string, unknown>[], answers: 200 };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      heard.bodies.push(JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>);
      response.writeHead(heard.answers).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return Object.assign(heard, { url: `http://127.0.0.1:${port}/relais`, close });
}

test('an endpoint is added, tested, delivered to, and delivered to again; its answer is shown with each attempt', async () => {
  const heard = await listener();
  const page = await world.signedIn('moussa', '/endpoints');
  await page.locator('[data-act=createEventEndpoint]').click();
  await page.getByLabel('Address').fill(heard.url);
  await page.locator('dialog button').last().click();
  const secret = await page.locator('[data-secret]').innerText();
  expect(secret).toMatch(/^whsec_/);
  await page.locator('[data-act=kept]').click();
  await page.getByRole('link', { name: heard.url }).click();
  await page.locator('[data-act=testEventEndpoint]').click();
  await page.locator('[data-tested=true]').waitFor();
  expect(heard.bodies.at(-1)).toMatchObject({ type: 'endpoint.tested' });
  heard.answers = 500;
  await page.locator('[data-act=testEventEndpoint]').click();
  expect(await page.locator('[data-tested=false]').innerText()).toMatch(/answered 500/);
  heard.answers = 200;
  await pay(world, { accountAlias: '771230055', amount: 1_000, reference: 'told' });
  const taken = page.locator('[data-outcome=delivered]');
  await taken.first().waitFor();
  expect(await taken.first().innerText()).toMatch(/answered 200/);
  const before = heard.bodies.length;
  await act(page, 'resendEvent');
  await expect.poll(() => heard.bodies.length).toBeGreaterThan(before);
  expect(heard.bodies.at(-1)?.['id']).toBe(heard.bodies[before - 1]?.['id']);
  await page.locator('[data-act=rotateEndpointSecret]').click();
  await page.locator('dialog button').last().click();
  expect(await page.locator('[data-secret]').innerText()).not.toBe(secret);
  await page.locator('[data-act=kept]').click();
  await act(page, 'deleteEventEndpoint');
  await page.getByText('There are no webhook endpoints yet.').waitFor();
  await leave(page);
  await heard.close();
});

test('balances are shown over time, with the lowest and the highest', async () => {
  const now = Date.now();
  const looks = [900_000, 400_000, 650_000].map((xof, at) => ({
    at: now - (3 - at) * 600_000,
    balances: { SN: xof },
  }));
  await world.noteBalances(looks);
  const page = await world.signedIn('fatou', '/balances');
  const course = page.getByRole('img', { name: /Senegal/ });
  await course.waitFor();
  expect(await course.getAttribute('aria-label')).toMatch(/between 400,000 XOF and 900,000 XOF/);
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: /CSV/ }).click();
  expect(await (await coming).failure()).toBeNull();
  await leave(page);
});

test('many payments are selected by filters, reviewed, and decided as exactly these', async () => {
  await needReview(
    world,
    Array.from({ length: 5 }, (_, at) => ({
      accountAlias: `77123990${at}`,
      amount: 10_000 + at,
      reference: `many-${at}`,
    })),
  );
  const page = await world.signedIn('fatou', '/review');
  await page.getByRole('link', { name: 'Decide many at once' }).click();
  const look = page.locator('[data-act=lookAtMany]');
  await page.getByLabel('How do you know?').fill('The provider shows all of them as paid');
  // Without a filter there is no selection.
  expect(await look.isDisabled()).toBe(true);
  await page.getByLabel('At most (XOF)').fill('10003');
  // Without an outcome there is no decision.
  expect(await look.isDisabled()).toBe(true);
  await page.getByLabel('Outcome of all these payments').selectOption('succeeded');
  const reasons = page.locator('#content select').first().locator('option[value]:not([value=""])');
  await expect.poll(() => reasons.first().innerText()).toMatch(/\w+ \w+ \w+/);
  await look.click();
  await page.locator('[data-chosen="4"]').waitFor();
  await act(page, 'resolveSelection');
  const done = page.locator('[data-resolved]');
  await done.waitFor();
  const of = async (name: string): Promise<number> => Number(await done.getAttribute(name));
  expect((await of('data-resolved')) + (await of('data-refused'))).toBe(4);
  await leave(page);
});

test('a key that may only make keys gets to them, and to nothing else', async () => {
  const { secret } = await new Asking(world.api.base, people.moussa.key).post<{ secret: string }>('/v1/keys', {
    name: 'keeper',
    roles: ['admin'],
    person: 'keeper',
  });
  const page = await world.visit();
  await page.goto(`${world.url}/keys`);
  await page.locator('input[type=password]').fill(secret);
  await page.keyboard.press('Enter');
  await page.locator('[data-row=moussa]').waitFor();
  expect(await page.locator('aside nav a').count()).toBe(3);
  await leave(page);
});

test('the doctor’s findings are on a page, with what to do; a key without the role has no access', async () => {
  await world.api.post('/v1/accounts/main/stop', {});
  const page = await world.signedIn('moussa', '/doctor', { language: 'fr' });
  await page.locator('[data-check=redis][data-is=ok]').waitFor();
  const held = page.locator('[data-check=state][data-is=fault]');
  expect(await held.locator('[data-fix]').innerText()).toMatch(/^À faire : \S/);
  await world.api.post('/v1/accounts/main/release', {});
  await leave(page);
  const other = await world.signedIn('fatou', '/doctor');
  expect(await other.locator('nav a[href="/console/doctor"]').count()).toBe(0);
  expect(await other.locator('[data-check]').count()).toBe(0);
  await leave(other);
});
