/** A deployment: four workers are replaced one by one while they work; then everything dies at once. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { freePort } from '../../src/lib/listening.ts';
import { Asking } from '../../script/demonstration/asking.ts';
import { compare } from '../../script/demonstration/compare.ts';
import { bookedLine, disbursementsAsked } from '../../script/demonstration/comparison.ts';
import type { Processes, RunningProcess } from '../../script/demonstration/processes.ts';
import type {
  BookedDisbursement,
  BookedMessage,
  CampaignView,
  DisbursementView,
  RecipientView,
} from '../../script/demonstration/views.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { type OwnPostgres, startPostgres } from '../support/postgres.ts';
import { relaisSettings } from '../support/relais-settings.ts';
import { openProcesses } from '../support/world.ts';

const DEEP = process.env['RELAIS_DEEP'] === '1';
const DISBURSEMENTS = DEEP ? 5_000 : 500;
const PEOPLE = DEEP ? 100_000 : 5_000;
const LIMIT_MS = DEEP ? 1_500_000 : 600_000;
const WORKERS = 4;
const ASK_EVERY_MS = DEEP ? 2_000 : 300;
const ASKED_AT_A_TIME = 20;
const NEWER = 99;
const FINAL = new Set(['succeeded', 'failed', 'rejected', 'cancelled', 'needs_review']);

type Settings = Readonly<Record<string, string>>;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

interface Deployment {
  readonly api: Asking;
  readonly control: Asking;
  readonly postgres: OwnPostgres;
  readonly workers: RunningProcess[];
  startWorker(): Promise<RunningProcess>;
  /** Every process of ours, PostgreSQL and Redis, at the same moment; and all of it again. */
  killAndRestart(): Promise<void>;
}

async function deployed(): Promise<Deployment> {
  const dir = mkdtempSync(join(tmpdir(), 'relais-rolling-'));
  closing.push(() => rmSync(dir, { recursive: true, force: true }));
  let redis: EmbeddedRedis = await startEmbeddedRedis({ dir });
  closing.push(() => redis.stop());
  const postgres = await startPostgres();
  closing.push(() => postgres.stop());
  const opened = openProcesses();
  closing.push(() => opened.close());
  const { processes } = opened;
  const free = { SANDBOX_PORT: '0', SANDBOX_CRM_PORT: '0', SANDBOX_CONTROL_PORT: '0' };
  const { urls } = await processes.start('sandbox', ['sandbox'], free);
  const settings = settingsFor({ redisUrl: redis.url, databaseUrl: postgres.url }, urls, {
    api: await freePort(),
    webhooks: await freePort(),
  });
  let front = await startFront(processes, settings, 1);
  let started = 0;
  const startWorker = async (): Promise<RunningProcess> => {
    started += 1;
    return processes.start(`worker-${started}`, ['run', '--roles', 'worker'], settings);
  };
  const workers = await Promise.all(Array.from({ length: WORKERS }, startWorker));
  return {
    api: new Asking(`http://127.0.0.1:${settings['API_PORT']}`, 'maker-secret'),
    control: new Asking(urls['control'] ?? ''),
    postgres,
    workers,
    startWorker,
    killAndRestart: async () => {
      process.kill(redis.pid, 'SIGKILL');
      const ours = [front, ...workers.splice(0)];
      for (const one of ours) one.signal('SIGKILL');
      await Promise.all([postgres.crash(), ...ours.map(({ ended }) => ended)]);
      await redis.stop();
      await postgres.start();
      redis = await startEmbeddedRedis({ dir, port: redis.port });
      front = await startFront(processes, settings, 2);
      workers.push(...(await Promise.all(Array.from({ length: WORKERS }, startWorker))));
    },
  };
}

function startFront(processes: Processes, settings: Settings, nth: number): Promise<RunningProcess> {
  return processes.start(`doors-${nth}`, ['run', '--roles', 'api,webhooks'], settings);
}

function settingsFor(
  stores: { readonly redisUrl: string; readonly databaseUrl: string },
  urls: Settings,
  ports: { readonly api: number; readonly webhooks: number },
): Settings {
  return {
    ...relaisSettings({ ...stores, base: urls['base'] ?? '', crm: urls['crm'] ?? '' }),
    CALLBACK_SECRET: 'callback-secret',
    API_KEYS: 'maker:enqueue+read+approve+operate:maker-secret',
    API_PORT: String(ports.api),
    WEBHOOKS_PORT: String(ports.webhooks),
    PUBLIC_URL: `http://127.0.0.1:${ports.webhooks}`,
    UPSTREAM_RATE: DEEP ? '100' : '60',
    // Every request is answered here, so a slow machine alone must not leave one without an answer.
    UPSTREAM_TIMEOUT: '10s',
    UPSTREAM_CONNECT_TIMEOUT: '2s',
    DISBURSEMENT_QUIET_PERIOD: '2s',
    DISBURSEMENT_POLL: '1s,2s,2s,3s',
    SMS_SETTLE_DELAY: '2s',
    WORKER_CONCURRENCY: '10',
  };
}

const orders = Array.from({ length: DISBURSEMENTS }, (_, index) => ({
  reference: `rolling-${index}`,
  accountAlias: `77${1_000_000 + index}`,
  amount: 1_000 + (index % 500),
  withdrawMode: 'wallet-a-senegal',
}));
const TEXT = 'Bonjour {{prenom}}';

async function askForTexts(api: Asking): Promise<string> {
  const made = { name: 'rolling', text: TEXT, country: 'SN', reference: 'rolling', canary: false };
  const pace = { perSecond: DEEP ? 1_000 : 250 };
  const { id } = await api.post<CampaignView>('/v1/campaigns', { ...made, ...pace });
  const rows = Array.from({ length: PEOPLE }, (_, index) => `78${1_000_000 + index};N${index}`);
  await api.post(`/v1/campaigns/${id}/recipients`, `numero;prenom\n${rows.join('\n')}\n`, 'text/csv');
  await api.post(`/v1/campaigns/${id}/start`);
  return id;
}

async function askToPay(api: Asking, some: typeof orders): Promise<void> {
  for (let from = 0; from < some.length; from += ASKED_AT_A_TIME) {
    await Promise.all(some.slice(from, from + ASKED_AT_A_TIME).map((order) => api.post('/v1/disbursements', order)));
  }
}

/** Ends one worker as a rollout does, and starts its successor. */
async function replace(deployment: Deployment): Promise<void> {
  const old = deployment.workers.shift();
  old?.signal('SIGTERM');
  expect(await old?.ended, readFileSync(old?.log ?? '', 'utf8').slice(-2_000)).toEqual({ code: 0, signal: null });
  expect(readFileSync(old?.log ?? '', 'utf8'), 'what was in hand was finished').not.toContain('still in progress');
  deployment.workers.push(await deployment.startWorker());
}

/** A payment of the next release: our workers must neither carry it out nor change it. */
async function writtenByANewerOne({ api, postgres }: Deployment) {
  const order = { reference: 'newer', accountAlias: '771999999', amount: 5_000, withdrawMode: 'wallet-a-senegal' };
  const notBefore = new Date(systemClock.now() + 3_000).toISOString();
  const { id } = await api.post<{ id: string }>('/v1/disbursements', { ...order, notBefore });
  const query = async (sql: string): Promise<unknown> => {
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    try {
      return (await client.query(sql, [id])).rows;
    } finally {
      await client.end();
    }
  };
  const record = () => query('select * from relais.operation where id = $1');
  const [{ schema_version: ours }] = (await record()) as [{ schema_version: number }];
  await query(`update relais.operation set schema_version = ${NEWER} where id = $1`);
  return {
    order,
    record,
    before: await record(),
    release: () => query(`update relais.operation set schema_version = ${ours} where id = $1`),
  };
}

async function recordsOf(api: Asking): Promise<readonly DisbursementView[]> {
  return api.all<DisbursementView>('/v1/disbursements', 500);
}

test(
  `${WORKERS} workers are replaced under load, and everything is killed at once: the books are equal`,
  async () => {
    const deployment = await deployed();
    const { api, control } = deployment;
    // Every request is under way for a while, so that each worker has some in hand whenever it is told to end.
    await control.post('/settings', { latencyMs: 150 });
    const newer = await writtenByANewerOne(deployment);
    const campaign = await askForTexts(api);
    await askToPay(api, orders.slice(0, DISBURSEMENTS / 2));
    const view = (): Promise<CampaignView> => api.get<CampaignView>(`/v1/campaigns/${campaign}`);
    const paid = async (): Promise<number> => (await booksOf(control)).length;
    const moving = async (share: number): Promise<void> => {
      await vi.waitUntil(async () => (await paid()) > DISBURSEMENTS * share, {
        timeout: LIMIT_MS,
        interval: ASK_EVERY_MS,
      });
    };

    await moving(0.05);
    for (let nth = 0; nth < WORKERS; nth += 1) await replace(deployment);
    const paidWhenRolled = await paid();
    const sentWhenRolled = (await view()).totals.sent;
    expect(await newer.record(), 'nobody touched what a newer release wrote').toEqual(newer.before);

    // However long the rollout took, there is work in hand when everything is killed.
    await askToPay(api, orders.slice(DISBURSEMENTS / 2));
    await moving(0.55);
    const paidWhenKilled = await paid();
    expect(paidWhenKilled, 'there was work left').toBeLessThan(DISBURSEMENTS);
    await deployment.killAndRestart();
    await newer.release();

    await vi.waitUntil(async () => (await view()).state === 'finished', {
      timeout: LIMIT_MS,
      interval: ASK_EVERY_MS,
    });
    await vi.waitUntil(async () => (await recordsOf(api)).every(({ state }) => FINAL.has(state)), {
      timeout: LIMIT_MS,
      interval: ASK_EVERY_MS,
    });
    const asked = disbursementsAsked([...orders, newer.order], await recordsOf(api));
    const money = compare(asked, (await booksOf(control)).map(bookedLine));
    const texts = compare(
      (await api.all<RecipientView>(`/v1/campaigns/${campaign}/recipients`, 1_000)).map(({ to, row, state }) => ({
        who: to.replace('+', ''),
        what: TEXT.replace('{{prenom}}', `N${row - 2}`),
        reported: state,
      })),
      (await control.get<readonly BookedMessage[]>('/books/messages')).map(({ to, text, times }) => ({
        who: to.replace('+', ''),
        what: text,
        times,
      })),
    );
    process.stdout.write(
      `rolled with ${paidWhenRolled} of ${DISBURSEMENTS} paid and ${sentWhenRolled} of ` +
        `${PEOPLE} sent, killed with ${paidWhenKilled} paid; disbursements ${told(money)}; texts ${told(texts)}\n`,
    );
    expect(money.problems).toEqual([]);
    expect(texts.problems).toEqual([]);
    expect([money.asked, texts.asked]).toEqual([DISBURSEMENTS + 1, PEOPLE]);
    expect([money.twice, texts.twice]).toEqual([0, 0]);
  },
  LIMIT_MS,
);

async function booksOf(control: Asking): Promise<readonly BookedDisbursement[]> {
  const booked = await control.get<readonly BookedDisbursement[]>('/books/disbursements');
  return booked.filter(({ effects }) => effects > 0);
}

const told = ({ asked, once, twice, never, reported }: ReturnType<typeof compare>): string =>
  JSON.stringify({ asked, once, twice, never, reported });
