/**
 * Workers are replaced one by one under load; then every process, PostgreSQL and Redis are killed at the same moment.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { bookedLine, reportedLines } from '../support/orders.ts';
import type { RunningProcess } from '../support/processes.ts';
import type {
  BookedDisbursement,
  BookedMessage,
  CampaignView,
  DisbursementView,
  RecipientView,
} from '../support/views.ts';
import { Deployment } from '../support/deployment.ts';
import { untrue } from '../support/untrue.ts';

const PAYMENTS = 160;
const PEOPLE = 2_000;
const WORKERS = 3;
const TEXT = 'Bonjour {{prenom}}';
const PATIENCE = { timeout: 300_000, interval: 200 };
const FINAL = new Set(['succeeded', 'failed', 'rejected', 'cancelled', 'needs_review']);

const folder = mkdtempSync(join(tmpdir(), 'relais-rolling-'));
let deployment: Deployment;
const workers: RunningProcess[] = [];
let started = 0;
beforeAll(async () => {
  // The witness in Redis is lost with it: the file confirms that PostgreSQL has all data.
  const more = { UPSTREAM_RATE: '60', WORKER_CONCURRENCY: '10', WITNESS_FILE: join(folder, 'witness') };
  deployment = await Deployment.open(more);
  await startAll();
  // Each request takes a while, so that a worker always has some in progress.
  await deployment.control.post('/settings', { latencyMs: 150 });
});
afterAll(async () => {
  await deployment?.close();
  rmSync(folder, { recursive: true, force: true });
});

let front: RunningProcess;
async function startAll(): Promise<void> {
  started += 1;
  const { processes, settings } = deployment;
  front = await processes.start(`front-${started}`, ['run', '--roles', 'api,webhooks'], settings);
  for (let nth = 0; nth < WORKERS; nth += 1) await startWorker();
}

async function startWorker(): Promise<void> {
  started += 1;
  const { processes, settings } = deployment;
  workers.push(await processes.start(`worker-${started}`, ['run', '--roles', 'worker'], settings));
}

/** Like a rollout: the old worker stops cleanly, with nothing in progress. */
async function replaceWorker(): Promise<void> {
  const old = workers.shift();
  old?.signal('SIGTERM');
  const ended = await old?.ended;
  const log = readFileSync(old?.log ?? '', 'utf8');
  expect(ended, log.slice(-2_000)).toEqual({ code: 0, signal: null });
  expect(log).not.toContain('still in progress');
  await startWorker();
}

async function killEverything(): Promise<void> {
  const { bell, postgres } = deployment;
  const startRedis = await bell.begin('crash');
  const ours = [front, ...workers.splice(0)];
  for (const one of ours) one.signal('SIGKILL');
  await Promise.all([postgres.crash(), ...ours.map(({ ended }) => ended)]);
  await postgres.start();
  await startRedis();
  await startAll();
}

const orders = Array.from({ length: PAYMENTS }, (_, nth) => ({
  reference: `rolling-${nth}`,
  accountAlias: `77${1_000_000 + nth}`,
  amount: 1_000 + nth,
  withdrawMode: 'wallet-a-senegal',
}));

const pay = (some: typeof orders): Promise<unknown> =>
  Promise.all(some.map((order) => deployment.maker.post('/v1/disbursements', order)));

async function startCampaign(): Promise<string> {
  const { maker } = deployment;
  const made = { name: 'rolling', text: TEXT, country: 'SN', reference: 'rolling', canary: false, perSecond: 200 };
  const { id } = await maker.post<CampaignView>('/v1/campaigns', made);
  const rows = Array.from({ length: PEOPLE }, (_, nth) => `78${1_000_000 + nth};N${nth}`);
  await maker.post(`/v1/campaigns/${id}/recipients`, `numero;prenom\n${rows.join('\n')}\n`, 'text/csv');
  await maker.post(`/v1/campaigns/${id}/start`);
  return id;
}

async function booked(): Promise<readonly BookedDisbursement[]> {
  const all = await deployment.control.get<readonly BookedDisbursement[]>('/books/disbursements');
  return all.filter(({ effects }) => effects > 0);
}

const untilPaid = (count: number): Promise<unknown> =>
  vi.waitUntil(async () => (await booked()).length > count, PATIENCE);

const payments = (): Promise<readonly DisbursementView[]> =>
  deployment.maker.all<DisbursementView>('/v1/disbursements', 500);

test('a rollout and a crash of everything lose and repeat no payment and no SMS', async () => {
  const { maker, control } = deployment;
  const campaign = await startCampaign();
  await pay(orders.slice(0, PAYMENTS / 2));
  await untilPaid(PAYMENTS * 0.05);
  for (let nth = 0; nth < WORKERS; nth += 1) await replaceWorker();

  // Whatever the rollout took, there is work in progress at the crash.
  await pay(orders.slice(PAYMENTS / 2));
  await untilPaid(PAYMENTS * 0.55);
  expect((await booked()).length).toBeLessThan(PAYMENTS);
  await killEverything();

  const isFinished = async (): Promise<boolean> =>
    (await maker.get<CampaignView>(`/v1/campaigns/${campaign}`)).state === 'finished';
  await vi.waitUntil(isFinished, PATIENCE);
  await vi.waitUntil(async () => (await payments()).every(({ state }) => FINAL.has(state)), PATIENCE);

  const asked = reportedLines(orders, await payments());
  const recipients = await maker.all<RecipientView>(`/v1/campaigns/${campaign}/recipients`, 1_000);
  const texts = recipients.map(({ to, row, state }) => ({
    who: to.replace('+', ''),
    what: TEXT.replace('{{prenom}}', `N${row - 2}`),
    state,
  }));
  const messages = await control.get<readonly BookedMessage[]>('/books/messages');
  const sent = messages.map(({ to, text, times }) => ({ who: to.replace('+', ''), what: text, times }));
  expect(untrue(asked, (await booked()).map(bookedLine))).toEqual([]);
  expect(untrue(texts, sent)).toEqual([]);
  expect([asked.length, texts.length]).toEqual([PAYMENTS, PEOPLE]);
});
