/**
 * Secrets and telephone numbers go in through every door, with everything failing that can; then everything that came
 * out is searched for them. Phone numbers may stand in PostgreSQL, in Redis and in the answers to whoever may read the operation;
 * in no log line, metric, trace, event or refusal. Secrets and what a payer types in may stand nowhere.
 */
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { freePort } from '../../src/lib/listening.ts';
import type { RunningProcess } from '../../script/demonstration/processes.ts';
import { Secret } from '../../src/lib/secret.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { callbackPath } from '../../src/webhooks/receiver.ts';
import { PAYER, Search } from '../storm/canaries.ts';
import { ask, mustAsk } from '../storm/http.ts';
import { API_SECRET, CALLBACK_SECRET, settingsOf } from '../storm/plan.ts';
import { Tap } from '../storm/tap.ts';
import { type OwnPostgres, startPostgres } from '../support/postgres.ts';
import { type TraceReceiver, startTraceReceiver } from '../support/trace-receiver.ts';
import { openProcesses } from '../support/world.ts';

const WITHIN = { timeout: 60_000, interval: 100 };
const WRONG_KEY = 'wrong-key-canary-of-somebody';
const COUNTRIES = ['', '221', '225', '33'];

/** Each ends in what makes the double of the service do something: fail, refuse, stay silent, answer rubbish. */
const magic = Array.from({ length: 12 }, (_, index) => `77${String(9_999_901 + index)}`);
const plain = Array.from({ length: 6 }, (_, index) => `7640000${10 + index}`);
const texted = ['779999901', '779999902', '779999904', '779999906', '779999907', '771300001', '771300002'];
const payerPhone = '0701020304';
const phones = new Set(
  [...magic, ...plain, ...texted, payerPhone].flatMap((one) => COUNTRIES.map((code) => code + one)),
);

let dir: string;
let redis: EmbeddedRedis;
let postgres: OwnPostgres;
let opened: ReturnType<typeof openProcesses>;
let relais: RunningProcess;
let control: string;
let taps: { base: Tap; crm: Tap };
let api: string;
let traces: TraceReceiver;
/** Every refusal of the API, as it was written. */
const refusals: string[] = [];
const ids: string[] = [];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'relais-canaries-'));
  redis = await startEmbeddedRedis({ dir });
  postgres = await startPostgres();
  opened = openProcesses();
  const free = { SANDBOX_PORT: '0', SANDBOX_CRM_PORT: '0', SANDBOX_CONTROL_PORT: '0' };
  const { urls } = await opened.processes.start('sandbox', ['sandbox'], free);
  control = urls['control'] ?? '';
  taps = { base: await tapTo(urls['base']), crm: await tapTo(urls['crm']) };
  const to = { redisUrl: redis.url, databaseUrl: postgres.url, base: taps.base.url, crm: taps.crm.url };
  const ports = { apiPort: await freePort(), webhooksPort: await freePort() };
  traces = await startTraceReceiver();
  const settings = {
    ...settingsOf({ ...to, ...ports }, 'resubmit'),
    DIRECT_CREDIT: 'on',
    OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
  };
  relais = await opened.processes.start('relais', ['run'], settings);
  api = `${relais.urls['api']}/v1`;
  await goThroughEveryDoor();
});

afterAll(async () => {
  await opened?.close();
  for (const tap of Object.values(taps ?? {})) await tap.refuse();
  await traces?.close();
  await redis?.stop();
  await postgres?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const tapTo = (url = '') => Tap.to({ target: Number(new URL(url).port), before: () => undefined });

/** Keeps what is refused, and the ids of what is not. */
async function post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<any> {
  const reply = await ask(`${api}${path}`, { method: 'POST', body, headers });
  if (reply && reply.status >= 400) refusals.push(JSON.stringify(reply.body));
  const { id } = (reply?.body ?? {}) as { id?: string };
  if (id) ids.push(id);
  return reply?.body;
}

async function goThroughEveryDoor(): Promise<void> {
  const faults = ['cuts its JSON', 'answers 5xx after doing the work', 'resets the connection after doing the work'];
  for (const [at, fault] of faults.entries()) {
    await ask(`${control}/faults`, { method: 'POST', body: { fault, probability: 0.06, seed: at + 1 } });
  }
  await askForMoney();
  await askForTexts();
  await collect();
  await askForNonsense();
  // Errors of Redis carry the command that failed, and that carries everything.
  process.kill(redis.pid, 'SIGKILL');
  await redis.stop();
  await post('/disbursements', order('while-redis-is-away', plain[5] ?? ''));
  redis = await startEmbeddedRedis({ dir, port: redis.port });
  await ask(`${control}/faults`, { method: 'DELETE' });
  // Some wait, because the service says that there are no funds: tried is enough.
  const tried = (id: string): boolean => log().includes(`"id":"${id}"`);
  await vi.waitFor(() => expect(ids.filter((id) => id.startsWith('dsb_') && !tried(id))).toEqual([]), WITHIN);
  await vi.waitFor(() => mustAsk(`${api}/review`), WITHIN);
}

const order = (reference: string, accountAlias: string) => ({
  reference,
  accountAlias,
  amount: 5_000,
  withdrawMode: 'wallet-a-senegal',
});

async function askForMoney(): Promise<void> {
  for (const [at, alias] of [...plain.slice(0, 5), ...magic].entries()) {
    await post('/disbursements', order(`money-${at}`, alias));
  }
  await post('/disbursements', order('money-0', magic[0] ?? ''));
  await post('/direct-credits', { accountAlias: plain[0], amount: 1_000, reference: 'credit' });
  // What a stranger posts to a good address, with everything in it.
  const path = callbackPath([new Secret(CALLBACK_SECRET)], {
    account: 'main',
    kind: 'disbursement',
    id: ids[0] ?? '',
  });
  const lie = {
    status: 'success',
    token: 'made up',
    otp: PAYER.otp,
    account_alias: magic[0],
    card: PAYER.card.number,
  };
  for (const to of [path, `${path}x`]) await ask(`${relais.urls['webhooks']}${to}`, { method: 'POST', body: lie });
}

async function askForTexts(): Promise<void> {
  await post(
    '/messages',
    texted.map((to, at) => ({ to: `+221${to}`, text: 'Bonjour', reference: `text-${at}` })),
  );
  const { id } = await post('/campaigns', { name: 'c', text: 'Bonsoir {{prenom}}', country: 'SN', reference: 'c' });
  const rows = ['numero;prenom', ...texted.map((to) => `${to};Awa`), `${texted[0]};Awa`, '12;Awa'].join('\n');
  await post(`/campaigns/${id}/recipients`, rows, { 'content-type': 'text/csv' });
  await post(`/campaigns/${id}/start`, {});
  await post('/opt-outs', { phones: [`+221${texted[5]}`, 'nobody'] });
  await post('/purge', { phone: `+221${texted[6]}` });
}

async function collect(): Promise<void> {
  await post('/payment-requests', {
    amount: 5_000,
    phone: `+221${plain[1]}`,
    feesPaidBy: 'customer',
    reference: 'ask',
  });
  const customer = { name: 'Awa Diop', email: 'awa@mail.example' };
  const payments = [
    { method: 'wallet-a-ci', customer: { ...customer, phone: payerPhone }, otp: PAYER.otp },
    { method: 'service', customer: { ...customer, phone: plain[2] }, password: PAYER.password },
    { method: 'card', customer, card: PAYER.card },
    // Of the wrong shape, with the right things in it.
    {
      method: 'wallet-a-ci',
      customer: { ...customer, phone: payerPhone },
      otp: [PAYER.otp],
      card: PAYER.card.number,
    },
  ];
  // On a busy machine an invoice may not be there yet when it is to be paid, and then nothing of the payer leaves.
  for (let round = 1; round <= 3 || (round <= 20 && !allOfPayerLeft()); round += 1) {
    for (const [at, payment] of payments.entries()) {
      const body = { totalAmount: 15_000, store: { name: 'La Boutique' }, reference: `invoice-${round}-${at}` };
      const { id } = (await post('/invoices', body)) ?? {};
      if (id) await post(`/invoices/${id}/softpay`, payment);
    }
  }
}

function allOfPayerLeft(): boolean {
  const wire = taps.base.exchanges.map(({ body }) => body).join('\n');
  return [PAYER.otp, PAYER.password, PAYER.card.number].every((canary) => wire.includes(canary));
}

/** What is wrong is told; what it was is not repeated. */
async function askForNonsense(): Promise<void> {
  const all = { [`+221${magic[0]}`]: magic[1], card: PAYER.card.number, otp: PAYER.otp, key: API_SECRET };
  for (const path of ['/disbursements', '/messages', '/campaigns', '/invoices', '/payment-requests', '/purge']) {
    await post(path, { ...all, reference: 'nonsense', to: magic[2], accountAlias: [magic[3]], phone: magic[4] });
    await post(path, `{"accountAlias":"${magic[5]}","otp":"${PAYER.otp}`);
  }
  await post('/disbursements', order('card', PAYER.card.number));
  await post('/invoices', { totalAmount: 1_000, store: { name: PAYER.card.number }, reference: 'card' });
  await post('/disbursements', order('wrong-key', magic[6] ?? ''), { authorization: `Bearer ${WRONG_KEY}` });
  await ask(`${api}/disbursements?state=${magic[7]}`).then((reply) => refusals.push(JSON.stringify(reply?.body)));
}

function searched(): Search {
  const bearers = taps.crm.exchanges.flatMap(
    ({ answer }) => /"access_token" *: *"([^"]{8,})"/.exec(answer)?.[1] ?? [],
  );
  return new Search(bearers, phones, []);
}

const leaksOf = (search: Search) => search.findings().leaks;
const log = (): string => readFileSync(relais.log, 'utf8');

describe('nothing is found', () => {
  test('in any log line, though everything is logged', async () => {
    const search = searched();
    search.text('logs', log());
    expect(leaksOf(search)).toEqual([]);
    expect(log()).not.toContain(WRONG_KEY);
    // That much is left now that an outage is one line.
    expect(log().length).toBeGreaterThan(5_000);
    await vi.waitFor(() => expect(log()).toMatch(/"why":.+"msg":"Redis is away/), WITHIN);
  });

  test('in metrics', async () => {
    const search = searched();
    search.text('metrics', await mustAsk<string>(`${relais.urls['metrics']}/metrics`));
    expect(leaksOf(search)).toEqual([]);
    expect(search.findings().searched.metrics).toBeGreaterThan(1_000);
  });

  test('in traces, in which everything is told', async () => {
    const queues = ['disbursement', 'status-poll', 'sms-batch'];
    // They come in turns: what failed may be among those of the next.
    const spans = await traces.seen(
      (all) =>
        queues.every((queue) => all.some(({ name }) => name === `process ${queue}`)) &&
        all.filter(({ isRed }) => isRed).length > 10,
    );
    const search = searched();
    // Held to what log lines are held to.
    search.text('logs', traces.bodies.join('\n'));
    expect(leaksOf(search)).toEqual([]);
    expect(spans.length).toBeGreaterThan(100);
  });

  test('in events', async () => {
    const search = searched();
    const events = await vi.waitFor(async () => {
      const page = await mustAsk<{ events: { type: string }[] }>(`${api}/events?limit=1000`);
      const about = page.events.map(({ type }) => type.split('.')[0]);
      expect(about).toEqual(expect.arrayContaining(['account', 'disbursement', 'message', 'campaign', 'invoice']));
      return page.events;
    }, WITHIN);
    search.text('events', JSON.stringify(events));
    expect(leaksOf(search)).toEqual([]);
  });

  test('in a refusal: no secret, and no telephone number either', () => {
    const search = searched();
    // Held to what log lines are held to, since that is where callers write them.
    search.text('logs', refusals.join('\n'));
    const telling = refusals.filter((refusal) =>
      [...phones].some((phone) => phone.length > 8 && refusal.includes(phone)),
    );
    expect(telling).toEqual([]);
    expect(leaksOf(search)).toEqual([]);
    expect(refusals.length).toBeGreaterThan(15);
    expect(refusals.join('\n')).not.toContain(WRONG_KEY);
  });

  test('that is a secret, in what explains an operation or shows it to a person', async () => {
    const search = searched();
    for (const path of ['review', 'accounts', 'queues', 'disbursements?limit=500']) {
      search.text('answers', JSON.stringify(await mustAsk(`${api}/${path}`)));
    }
    for (const id of ids) search.text('answers', JSON.stringify((await ask(`${api}/explain/${id}`))?.body));
    expect(leaksOf(search)).toEqual([]);
    expect(search.findings().searched.answers).toBeGreaterThan(10_000);
  });

  test('that is a secret, in anything that was ever written to Redis', () => {
    const search = searched();
    const folder = join(dir, 'appendonlydir');
    for (const name of readdirSync(folder)) search.file('Redis', join(folder, name));
    expect(leaksOf(search)).toEqual([]);
    expect(search.findings().searched.Redis).toBeGreaterThan(10_000);
  });
});

test('the canaries were all in use, and one line with one of them would be found', () => {
  const wire = [...taps.base.exchanges, ...taps.crm.exchanges].map(({ body }) => body).join('\n');
  for (const canary of [PAYER.otp, PAYER.password, PAYER.card.number, magic[0] ?? '', texted[0] ?? '']) {
    expect(wire).toContain(canary);
  }
  const folder = join(dir, 'appendonlydir');
  const kept = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  expect(kept.join(''), 'telephone numbers are allowed in records, so the search there sees something').toContain(
    magic[0],
  );
  for (const leak of [API_SECRET, PAYER.otp, `paid to 221${magic[0]}`, `beneficiary ${magic[0]} refused`]) {
    const search = searched();
    search.text('logs', `${log()}{"level":"info","msg":"${leak}"}\n`);
    expect(leaksOf(search)).toHaveLength(1);
  }
});

test('each attempt is told in one line, with ids, queue, outcome and how long it took', () => {
  const attempts = log()
    .split('\n')
    .filter((line) => line.includes('"attempt finished"'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(attempts.length).toBeGreaterThan(30);
  for (const { account, trace_id: trace, span_id: span, ...line } of attempts) {
    expect(line).toEqual({
      level: expect.stringMatching(/^(debug|info|warn)$/),
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      queue: expect.stringMatching(/^[a-z-]+$/),
      id: expect.any(String),
      did: expect.stringMatching(/^[a-z_]+$/),
      because: expect.any(String),
      durationMs: expect.any(Number),
      msg: 'attempt finished',
    });
    if (line['queue'] !== 'disbursement' || line['did'] === 'idle') continue;
    expect(account).toBe('main');
    expect([trace, span]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.stringMatching(/^[0-9a-f]{16}$/)]);
  }
  const seen = new Set(attempts.map(({ queue }) => queue));
  const queues = ['disbursement', 'status-poll', 'sms-batch', 'direct-credit'];
  expect(queues.filter((queue) => !seen.has(queue))).toEqual([]);
});
