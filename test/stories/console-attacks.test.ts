/** Attacks through a real browser: pages of other origins, frames, planted cookies, and script in user input. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleWorld, leave, openConsole, pay, people } from '../support/console-world.ts';

let world: ConsoleWorld;
let evil: { readonly port: number; close(): void };
/** The current page of the attacker. */
let page = '';
beforeAll(async () => {
  world = await openConsole({ ALLOW_LOOPBACK_ENDPOINTS: 'on' });
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>evil</title><body>${page}`);
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  evil = { port: (server.address() as AddressInfo).port, close: () => server.close() };
});
afterAll(async () => {
  evil?.close();
  await world?.close();
});

/** Another port is the same site, so the cookie is sent; another name is another site. */
const ORIGINS = ['127.0.0.1', 'localhost'] as const;

const held = async (): Promise<number> => {
  const { items } = await world.api.get<{ items: { held: unknown[] }[] }>('/v1/accounts');
  return items.reduce((sum, one) => sum + one.held.length, 0);
};

/** A second tab of a signed-in user's browser, at a page of the attacker. */
async function stranger(visitor: Page, host: string, body: string): Promise<Page> {
  const tab = await visitor.context().newPage();
  page = body;
  await tab.goto(`http://${host}:${evil.port}/`);
  return tab;
}

test.for(ORIGINS)('a page at %s:port changes nothing for a signed-in user, and reads nothing', async (host) => {
  const visitor = await world.signedIn('awa');
  const stop = `${world.api.base}/v1/accounts/main/stop`;
  // A form submitted by a page: without our header, and without a preflight.
  const form = `<form method=post enctype=text/plain action="${stop}"><input name=x></form>`;
  const tab = await stranger(visitor, host, form);
  const refused = tab.waitForResponse(stop);
  await tab.evaluate('document.forms[0].submit()');
  expect([401, 403]).toContain((await refused).status());
  await tab.waitForURL(stop);
  await tab.goto(`http://${host}:${evil.port}/`);
  const tried = await tab.evaluate(
    `(async () => {
      const ask = (path, init) =>
        fetch(${JSON.stringify(world.api.base)} + path, { credentials: 'include', ...init }).then(
          (answer) => answer.text(),
          () => 'kept from it',
        );
      return [
        await ask('/v1/accounts', {}),
        await ask('/v1/accounts', { mode: 'no-cors' }),
        await ask('/v1/accounts/main/stop', { method: 'POST', mode: 'no-cors' }),
        await ask('/v1/accounts/main/stop', { method: 'POST', headers: { 'x-relais-console': '1' } }),
        await ask('/v1/session', { method: 'DELETE' }),
      ].join();
    })()`,
  );
  expect(tried).toBe(Array.from({ length: 5 }, () => 'kept from it').join());
  expect(await held()).toBe(0);
  // The user is still signed in.
  await visitor.goto(`${world.url}/accounts`);
  await visitor.locator('[data-account=main]').waitFor();
  await tab.close();
  await leave(visitor);
});

test.for(ORIGINS)('a page at %s:port cannot show the console in a frame for clickjacking', async (host) => {
  const visitor = await world.signedIn('awa');
  const tab = await stranger(visitor, host, `<iframe id=inside src="${world.url}/accounts"></iframe>`);
  const frames = tab.frames().filter((frame) => frame !== tab.mainFrame());
  expect(frames).toHaveLength(1);
  await expect.poll(() => frames[0]?.url()).toMatch(/^chrome-error:/);
  expect(await frames[0]?.locator('#console').count()).toBe(0);
  await tab.close();
  await leave(visitor);
});

const SCRIPT = '<script>globalThis.stolen = 1</script>';
const PICTURE = '<img src=x onerror="globalThis.stolen = 2">';
const LINK = 'javascript:globalThis.stolen=3';

/** Every input field, and the place that shows it. */
async function written(): Promise<readonly string[]> {
  const { api } = world;
  const made = await api.post<{ id: string }>('/v1/campaigns', {
    name: `${SCRIPT}${PICTURE}`,
    reference: 'script-1',
    text: `Bonjour {{prenom}} ${PICTURE} ${LINK}`,
    quietHours: false,
  });
  const rows = `phone,prenom,agence\n771000001,"${SCRIPT}","${PICTURE.replaceAll('"', '""')}"\n`;
  await api.post(`/v1/campaigns/${made.id}/recipients`, rows, 'text/csv');
  const reference = '<b onmouseover=globalThis.stolen=4>x</b>';
  const payment = await api.ask('/v1/disbursements', {
    method: 'POST',
    body: { withdrawMode: 'wallet-a-senegal', accountAlias: '771230071', amount: 200_000, reference },
  });
  // If a reference with such characters is refused, the ordinary one is paid.
  const id =
    payment.status < 300
      ? String(payment.body['id'])
      : await pay(world, { accountAlias: '771230071', amount: 200_000, reference: 'plain' });
  const cells = 'reference;accountAlias;amount;withdrawMode;motif\nb-1;771230001;10000;wallet-a-senegal;' + SCRIPT;
  const batch = await api.post<{ id: string }>('/v1/disbursement-batches', cells, 'text/csv');
  return [
    '/',
    '/campaigns',
    `/campaigns/${made.id}`,
    '/operations/disbursement',
    `/o/${id}`,
    '/approvals',
    `/approvals/${batch.id}`,
    `/search?q=${encodeURIComponent(SCRIPT)}`,
    `/operations/disbursement?reference=${encodeURIComponent(PICTURE)}`,
    // Without a dot: an address with one is that of a file.
    `/o/${encodeURIComponent('<script>stolen=1<')}`,
    '/audit',
  ];
}

test('script in names, SMS, references and cells of files is shown, and never runs', async () => {
  const places = await written();
  const visitor = await world.signedIn('moussa');
  const reports: string[] = [];
  visitor.on('request', (request) => {
    if (request.url().includes('/v1/console-reports')) reports.push(request.postData() ?? '');
  });
  const dialogs: string[] = [];
  visitor.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  for (const place of places) {
    await visitor.goto(`${world.url}${place}`);
    await visitor
      .locator('#content h1')
      .waitFor({ timeout: 20_000 })
      .catch(() => expect.fail(`no page at ${place}`));
    await visitor.locator('.animate-pulse').first().waitFor({ state: 'detached' });
    expect(await visitor.evaluate('globalThis.stolen'), place).toBeUndefined();
    expect(await visitor.locator('#console script, #console img, #console [onerror]').count(), place).toBe(0);
    expect(await visitor.locator('#console a[href^="javascript:"]').count(), place).toBe(0);
  }
  await visitor.goto(`${world.url}/campaigns`);
  // It is shown literally.
  await visitor.getByText(SCRIPT, { exact: false }).first().waitFor();
  expect(reports).toEqual([]);
  expect(dialogs).toEqual([]);
  await leave(visitor);
});

test('a page without input refreshes in the background, and so keeps no session alive', async () => {
  const visitor = await world.visit();
  await visitor.clock.install();
  await visitor.goto(`${world.url}/accounts`);
  await visitor.locator('input[type=password]').fill(people.awa.key);
  await visitor.keyboard.press('Enter');
  await visitor.locator('[data-account=main]').waitFor();
  const asked = (): Promise<string | undefined> =>
    visitor
      .waitForRequest((request) => request.url().endsWith('/v1/accounts'))
      .then((request) => request.headers()['x-relais-console']);
  const byHand = asked();
  await visitor.clock.runFor(10_000);
  expect(await byHand).toBe('1');
  await visitor.clock.runFor(60_000);
  const byItself = asked();
  await visitor.clock.runFor(10_000);
  expect(await byItself).toBe('background');
  await visitor.keyboard.press('Shift');
  const again = asked();
  await visitor.clock.runFor(10_000);
  expect(await again).toBe('1');
  await leave(visitor);
});
