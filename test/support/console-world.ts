/** The console as deployed: real processes, the sandbox, a browser, and a signed-in user. */
import { Client } from 'pg';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { openBrowser } from './chromium.ts';
import { type World, openWorld } from './world.ts';

const MAKER = 'maker-secret-of-24-characters';
const CHECKER = 'checker-secret-of-24-characters';
const BOUND = 'bound-secret-of-24-characters';
const SENDER = 'sender-secret-of-24-characters';

const OWNER = 'owner-secret-of-24-characters';

/** Users: operator, approver, a reader of one account, a key that may only enqueue, and one with all rights. */
export const people = {
  awa: { key: MAKER, name: 'awa', roles: ['enqueue', 'read', 'operate'] },
  fatou: { key: CHECKER, name: 'fatou', roles: ['read', 'approve'] },
  ibou: { key: BOUND, name: 'ibou', roles: ['read', 'enqueue'], accounts: ['main'] },
  service: { key: SENDER, name: 'service', roles: ['enqueue'] },
  moussa: { key: OWNER, name: 'moussa', roles: ['enqueue', 'read', 'approve', 'operate', 'admin'] },
} as const;
export type Person = keyof typeof people;

function keysFor(): string {
  return Object.values(people)
    .map(
      (one) =>
        `${one.name}:${one.roles.join('+')}${'accounts' in one ? `@${one.accounts.join('+')}` : ''}:${one.key}`,
    )
    .concat('demo:enqueue+read+operate:demo')
    .join(',');
}

export interface Visit {
  readonly language?: 'fr' | 'en';
  readonly colours?: 'light' | 'dark';
  readonly width?: number;
}

interface Seen {
  readonly at: number;
  readonly balances: Readonly<Record<string, number>>;
}

export interface ConsoleWorld extends World {
  readonly url: string;
  /** A new empty browser; its complaints fail the test. */
  visit(how?: Visit): Promise<Page>;
  signedIn(person: Person, path?: string, how?: Visit): Promise<Page>;
  /** As if every key had been entered ten minutes ago. */
  letConfirmationsEnd(): Promise<void>;
  /** Records balances of the account `main`, like a worker. */
  noteBalances(seen: readonly Seen[]): Promise<void>;
  close(): Promise<void>;
}

/** Refusals appear in the browser's own log, too. */
const EXPECTED = /status of (401|403|404|409|422|429|503)|ERR_CONNECTION|net::ERR/;

export async function openConsole(settings: Readonly<Record<string, string>> = {}): Promise<ConsoleWorld> {
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const one of closing.toReversed()) await one();
  };
  try {
    const world = await openWorld({
      settings: {
        API_KEYS: keysFor(),
        DEFAULT_COUNTRY: 'SN',
        UPSTREAM_RATE: '0',
        APPROVAL_ABOVE: '100000',
        ...settings,
      },
    });
    closing.push(() => world.close());
    const browser = await openBrowser();
    closing.push(() => browser.close());
    const url = `${world.api.base}/console`;
    const visit = (how: Visit = {}) => openPage(browser, how);
    return {
      ...world,
      url,
      visit,
      signedIn: async (person, path = '/', how = {}) => {
        const page = await visit(how);
        await page.goto(`${url}${path}`);
        const field = page.locator('input[type=password]');
        await field.fill(people[person].key);
        await field.press('Enter');
        await page.locator('#content h1').waitFor();
        return page;
      },
      letConfirmationsEnd: () => query(world.databaseUrl, CONFIRMED_LONG_AGO),
      noteBalances: async (seen) => {
        for (const { at, balances } of seen) {
          const values = ['main', new Date(at), Object.keys(balances), Object.values(balances)];
          await query(world.databaseUrl, SEEN, values);
        }
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const CONFIRMED_LONG_AGO = "update relais.session set confirmed_at = confirmed_at - interval '10 minutes'";
const SEEN = `insert into relais.balance (account, at, country, xof)
  select $1, $2, country, xof from unnest($3::text[], $4::int8[]) as seen(country, xof)`;

/** Runs one statement, like an operator in a shell. */
export async function query(connectionString: string, sql: string, values: readonly unknown[] = []): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query(sql, [...values]);
  } finally {
    await client.end();
  }
}

async function openPage(
  browser: Browser,
  { language = 'en', colours = 'light', width = 1280 }: Visit,
): Promise<Page> {
  const options: BrowserContextOptions = {
    locale: language === 'fr' ? 'fr-FR' : 'en-GB',
    colorScheme: colours,
    viewport: { width, height: width < 600 ? 844 : 860 },
    acceptDownloads: true,
    timezoneId: 'Africa/Dakar',
    reducedMotion: 'reduce',
  };
  const page = await (await browser.newContext(options)).newPage();
  page.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (line) => {
    if (line.type() === 'error' && !EXPECTED.test(line.text())) complaints.push(line.text());
  });
  page.on('close', () => expect(complaints).toEqual([]));
  return page;
}

/** Another page of the console, as by a link: loaded code stays. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console${path}`)})`);
  await page.locator('#content h1').first().waitFor();
  await page.locator('#content .animate-pulse').first().waitFor({ state: 'detached' });
}

/** Fails if the browser complained about a page. */
export async function leave(page: Page): Promise<void> {
  await page.close();
  await page.context().close();
}

interface Payment {
  readonly account?: string;
  readonly accountAlias: string;
  readonly amount: number;
  readonly reference: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

export async function pay({ api }: World, payment: Payment): Promise<string> {
  const { id } = await api.post<{ id: string }>('/v1/disbursements', {
    withdrawMode: 'wallet-a-senegal',
    ...payment,
  });
  return id;
}

interface Reviewed {
  readonly items: readonly { readonly id: string }[];
}

/** The provider names another amount than requested, so that the payment needs review. */
export async function needReview(world: World, payments: readonly Payment[]): Promise<readonly string[]> {
  await world.control.post('/faults', { fault: 'reports another amount', operation: 'disbursement.status' });
  const ids = await Promise.all(payments.map((one) => pay(world, one)));
  const all = async (): Promise<void> => {
    const { items } = await world.api.get<Reviewed>('/v1/review?limit=500');
    expect(items.map(({ id }) => id)).toEqual(expect.arrayContaining([...ids]));
  };
  await vi.waitFor(all, { timeout: 60_000, interval: 200 });
  await world.control.ask('/faults', { method: 'DELETE' });
  return ids;
}

interface Sending {
  readonly name: string;
  readonly people: number;
  readonly perSecond?: number;
}

/** Created and filled, and not started. The provider refuses one recipient, and one is unknown. */
export async function campaign({ api }: World, { name, people: count, perSecond }: Sending): Promise<string> {
  const { id } = await api.post<{ id: string }>('/v1/campaigns', {
    name,
    reference: name,
    text: 'Bonjour {{prenom}}, votre facture est prête.',
    quietHours: false,
    ...(perSecond === undefined ? {} : { perSecond }),
  });
  const rows = Array.from({ length: count }, (_, at) => `77${1_000_000 + at * 7},A${at},Agence ${at}`);
  const lines = ['phone,prenom,agence', ...rows, '779999902,Refusé,Thiès', '779999906,Perdu,Mbour'];
  await api.post(`/v1/campaigns/${id}/recipients`, lines.join('\n'), 'text/csv');
  return id;
}
