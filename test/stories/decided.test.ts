/** A campaign is money too: what it may cost and who let it leave hold across two doors and two workers of their own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Asking } from '../../script/demonstration/asking.ts';
import { Deployment, type Shell } from '../support/deployment.ts';

const PRICE = 20;
const ABOVE = 500;
const secretOf = (name: string): string => `${name}-secret-of-24-characters`;

let dir: string;
let deployment: Deployment;
let secondDoor: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'relais-decided-'));
  const prices = join(dir, 'prices.json');
  writeFileSync(prices, JSON.stringify({ SN: PRICE }));
  deployment = await Deployment.open({
    // Awa has two: one asks, the other approves.
    API_KEYS: [
      `awa-desk/awa@shop.example:enqueue+read+operate:${secretOf('awa-desk')}`,
      `awa-telephone/awa@shop.example:read+approve:${secretOf('awa-telephone')}`,
      `binta/binta@shop.example:read+approve+operate:${secretOf('binta')}`,
    ].join(),
    CAMPAIGN_APPROVAL_ABOVE: `${ABOVE}recipients`,
    SMS_PRICES_FILE: prices,
    WORKER_CONCURRENCY: '4',
  });
  await deployment.start();
  const { processes, settings } = deployment;
  const free = { ...settings, API_PORT: '0', METRICS_PORT: '0' };
  secondDoor = (await processes.start('second-door', ['run', '--roles', 'api'], free)).urls['api'] ?? '';
  await processes.start('second-worker', ['run', '--roles', 'worker'], settings);
});
afterAll(async () => {
  await deployment?.close();
  rmSync(dir, { recursive: true, force: true });
});

interface Campaign {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly contentHash: string;
  readonly totals: Readonly<Record<string, number>>;
}

const shell = (name: string): Shell => deployment.shellOf(secretOf(name));
const read = (id: string) =>
  new Asking(deployment.maker.base, secretOf('binta')).get<Campaign>(`/v1/campaigns/${id}`);
const until = (id: string, wanted: (campaign: Campaign) => boolean): Promise<Campaign> =>
  vi.waitUntil(async () => [await read(id)].find(wanted), { interval: 50 });

/** How many texts each of these people got, by the books of the service. */
async function textsTo(people: readonly string[]): Promise<number[]> {
  const books = await deployment.control.get<readonly { to: string; times: number }[]>('/books/messages');
  const times = new Map(books.map((one) => [one.to, one.times]));
  return people.map((number) => times.get(`+221${number}`) ?? 0);
}
const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

let made = 0;
/** By awa, at the first door: nothing of it has been started. */
async function campaignOf(count: number): Promise<{ readonly id: string; readonly people: readonly string[] }> {
  made += 1;
  const people = Array.from({ length: count }, (_, at) => `77${made}${String(100_000 + at)}`);
  const file = join(dir, `people-${made}.csv`);
  writeFileSync(file, ['numero', ...people].join('\n'));
  const said = ['--name', `of ${count}`, '--text', 'Bonjour', '--country', 'SN', '--no-canary', '--yes', '--json'];
  const { id } = JSON.parse(await shell('awa-desk')('campaign', 'create', ...said, file)) as Campaign;
  return { id, people };
}

test('a budget stops a campaign of two workers to the text, and two people let it go on', async () => {
  const room = 263;
  await shell('binta')('limits', 'set', 'SMS_BUDGET_DAY', String(room * PRICE + 7), '--yes');
  const { id, people } = await campaignOf(ABOVE);
  await shell('awa-desk')('campaign', 'start', id, '--yes');
  const held = await until(id, ({ state, totals }) => state === 'held' && totals['sending'] === 0);
  expect([held.reason, held.totals['sent'], held.totals['queued']]).toEqual(['budget', room, ABOVE - room]);
  expect(sum(await textsTo(people))).toBe(room);
  expect(await shell('binta')('status')).toMatch(/budget/);

  // Going on without a higher budget is held again, and no text has left.
  await shell('awa-desk')('campaign', 'resume', id);
  await until(id, ({ state, totals }) => state === 'held' && totals['sending'] === 0);
  expect(sum(await textsTo(people))).toBe(room);

  // One person alone does not raise it.
  const raised = String(10 * ABOVE * PRICE);
  await shell('awa-telephone')('limits', 'set', 'SMS_BUDGET_DAY', raised, '--yes');
  expect((await read(id)).state).toBe('held');
  expect(sum(await textsTo(people))).toBe(room);
  await shell('binta')('limits', 'set', 'SMS_BUDGET_DAY', raised, '--yes');
  await until(id, ({ state }) => state === 'finished');
  expect(new Set(await textsTo(people))).toEqual(new Set([1]));
});

test('a campaign above the limit leaves only once another person has approved exactly it, at whichever door', async () => {
  const { id, people } = await campaignOf(ABOVE + 1);
  const waits = JSON.parse(await shell('awa-desk')('campaign', 'start', id, '--yes', '--json')) as Campaign;
  expect(waits.state).toBe('awaiting_approval');

  const [telephone, binta] = ['awa-telephone', 'binta'].map((name) => new Asking(secondDoor, secretOf(name)));
  const approve = (door: Asking | undefined, contentHash = waits.contentHash) =>
    door?.ask(`/v1/campaigns/${id}/approve`, { method: 'POST', body: { contentHash } });
  expect(await approve(telephone)).toMatchObject({ status: 403, body: { rule: 'other-person' } });
  expect(await approve(binta, 'f'.repeat(64))).toMatchObject({ status: 409, body: { rule: 'content-changed' } });
  for (const action of ['start', 'resume', 'pause']) {
    await deployment.processes.run(['campaign', action, id, ...(action === 'start' ? ['--yes'] : [])], {
      RELAIS_URL: secondDoor,
      RELAIS_API_KEY: secretOf('awa-desk'),
    });
  }
  expect(await read(id)).toMatchObject({ state: 'awaiting_approval', totals: { queued: ABOVE + 1, sent: 0 } });
  expect(sum(await textsTo(people))).toBe(0);
  const told = await shell('binta')('events', '--types', 'campaign.awaiting_approval');
  expect(JSON.parse(told)).toMatchObject({ data: { id, recipients: ABOVE + 1 } });

  expect(await approve(binta)).toMatchObject({ status: 200 });
  await until(id, ({ state }) => state === 'finished');
  expect(new Set(await textsTo(people))).toEqual(new Set([1]));
  const audit = await shell('binta')('audit', 'list', '--json');
  const { items } = JSON.parse(audit) as { items: { act: string; target: string; by: string; person: string }[] };
  expect(items.filter(({ target }) => target === id).map(({ act, person }) => `${act} ${person}`)).toEqual(
    ['approve binta', 'start awa', 'upload awa', 'create awa'].map((line) => `campaign.${line}@shop.example`),
  );
});
