import express, { type ErrorRequestHandler } from 'express';
import { request } from 'undici';
import { expect, test } from 'vitest';
import type { Kind, StateOf } from '../../src/kinds/index.ts';
import type { BatchAdvisor } from '../../src/api/batch-advice.ts';
import { batchRoutes } from '../../src/api/batches.ts';
import { campaignRoutes } from '../../src/api/campaigns.ts';
import type { ApiContext, QueueSwitches } from '../../src/api/context.ts';
import { endpointRoutes } from '../../src/api/event-endpoints.ts';
import { directCreditRoutes } from '../../src/api/direct-credits.ts';
import { invoiceRoutes } from '../../src/api/invoices.ts';
import { paymentRequestRoutes } from '../../src/api/payment-requests.ts';
import { disbursementRoutes } from '../../src/api/disbursements.ts';
import { KeyRing, type ApiKey } from '../../src/api/keys.ts';
import type { Admission } from '../../src/api/admission.ts';
import { mount } from '../../src/api/mount.ts';
import { limitRoutes } from '../../src/api/limits.ts';
import { accountRoutes, queueRoutes, secretRoutes } from '../../src/api/operating.ts';
import { purgeRoutes } from '../../src/api/purge.ts';
import { ApiProblem, sendProblem } from '../../src/api/problem.ts';
import { RedisUnavailable } from '../../src/redis/connections.ts';
import { HeldBytes } from '../../src/lib/held-bytes.ts';
import { Secret } from '../../src/lib/secret.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Audit, AuditSeals } from '../../src/operations/audit.ts';
import { Batches } from '../../src/operations/batches.ts';
import { SharedLimits } from '../../src/operations/limits.ts';
import { Endpoints } from '../../src/operations/endpoints.ts';
import { switchQueue } from '../../src/operations/queue-switches.ts';
import { EndpointService } from '../../src/events/endpoint-service.ts';
import { EventStream } from '../../src/events/stream.ts';
import { DayBook } from '../../src/operations/book.ts';
import { Recovery } from '../../src/operations/heartbeat.ts';
import { KeptFiles } from '../../src/operations/kept-files.ts';
import { Names } from '../../src/operations/places.ts';
import { Purge } from '../../src/operations/purge.ts';
import type { NewOperation } from '../../src/operations/accepting.ts';
import { keys } from '../../src/operations/keys.ts';
import { Operations } from '../../src/operations/operations.ts';
import { BatchDoor } from '../../src/producer/batch/door.ts';
import { listen } from '../../src/app/listener.ts';
import { campaignWorld } from '../processors/campaign-world.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { onlyOf } from '../support/only.ts';
import { ok, processorWorld } from '../support/processor-world.ts';
import { collectOver } from '../support/acceptance.ts';

const store = storeOfThisFile();

function queuesOfThisFile(): QueueSwitches {
  const change = async (name: string, how: 'pause' | 'resume'): Promise<boolean> => {
    await switchQueue(store.redis, name, { how });
    return true;
  };
  return onlyOf<QueueSwitches>({
    pause: (name) => change(name, 'pause'),
    resume: (name) => change(name, 'resume'),
    list: async () => [],
  });
}

function endpointsOfThisFile(clock: Clock) {
  const endpoints = new Endpoints({ redis: store.redis, random: systemRandom });
  const endpointService = new EndpointService({
    endpoints,
    events: new EventStream({ redis: store.redis }),
    random: systemRandom,
    secrets: [new Secret('a-sealing-secret')],
    rules: { allowLoopback: false },
    wake: () => undefined,
    post: async () => ({ taken: true, answer: 'http_200' }),
    clock,
  });
  return { endpoints, endpointService };
}

/** A door whose replicas confirm nothing until `replicas.reached` says so. */
async function door() {
  const world = campaignWorld(store.redis);
  const replicas = { reached: false };
  const fence = async (): Promise<boolean> => replicas.reached;
  const batches = new Batches(store.redis, systemRandom);
  const keptFiles = new KeptFiles({ redis: store.redis, random: systemRandom });
  const limits = new SharedLimits(store.redis);
  const [environment, accounts, clock] = ['default', new Set(['main']), world.context.clock];
  const upstream = processorWorld(store.redis, { fence });
  const [redis, random, fingerprints] = [store.redis, systemRandom, new Map<string, string>()];
  const accepting = { redis, random, environment, accounts, fence, fingerprints, limits: {}, wake: () => undefined };
  const context = onlyOf<ApiContext>({
    onWrite: () => undefined,
    heldBytes: new HeldBytes({ ofCaller: 100_000_000, ofProcess: 100_000_000 }),
    batchDoor: new BatchDoor({ batches, limits, environment, accounts, now: () => clock.now() }),
    batchAdvisor: onlyOf<BatchAdvisor>({ adviceOn: async () => [] }),
    processing: upstream.context,
    collect: collectOver({ ...accepting, directCredit: false }),
    operations: new Operations({ redis: store.redis, random: systemRandom, fence }),
    batches,
    limits,
    environment,
    resolve: async () => ({ is: 'resolved' }),
    campaigns: world.campaigns,
    keptFiles,
    slices: world.slices,
    retries: world.context.retries,
    queries: world.queries,
    accounts: world.accounts,
    accountNames: ['main'],
    clock: world.context.clock,
    traces: undefined,
    signAct: undefined,
    random: systemRandom,
    refusal: () => undefined,
    keepingRefusal: () => undefined,
    recovery: new Recovery({ redis: store.redis, random: systemRandom }),
    senderOf: () => undefined,
    stop: () => undefined,
    optOuts: world.context.optOuts,
    wake: () => undefined,
    defaultCountry: undefined,
    smsPrices: undefined,
    keyRing: new KeyRing({ fixed: [], read: async () => [], clock: world.context.clock }),
    audit: new Audit(store.redis),
    auditSeals: new AuditSeals(store.redis, new Audit(store.redis), []),
    reports: { book: new DayBook(store.redis), timezone: 'Africa/Dakar', keepMs: 0 },
    queues: queuesOfThisFile(),
    purge: new Purge(store.redis, { files: keptFiles }),
    intakeJobs: onlyOf<ApiContext['intakeJobs']>({}),
    names: Names.of({ redis: store.redis }),
    redis: store.redis,
    ...endpointsOfThisFile(clock),
  });
  const app = express();
  const roles = new Set(['enqueue', 'operate', 'read', 'approve'] as const);
  const key: ApiKey = { name: 'maker', roles, digest: Buffer.alloc(0) };
  const routes = [
    ...disbursementRoutes,
    ...campaignRoutes,
    ...batchRoutes,
    ...directCreditRoutes,
    ...invoiceRoutes,
    ...paymentRequestRoutes,
    ...accountRoutes,
    ...limitRoutes,
    ...queueRoutes,
    ...secretRoutes,
    ...endpointRoutes,
    ...purgeRoutes,
  ];
  app.use(mount(routes, context, onlyOf<Admission>({ byRequest: () => key })));
  const told: ErrorRequestHandler = (error, _request, response, next) =>
    error instanceof ApiProblem
      ? sendProblem(response, error)
      : error instanceof RedisUnavailable
        ? response.status(503).end()
        : next(error);
  app.use(told);
  const { url, close } = await listen(app, {
    host: '127.0.0.1',
    port: 0,
    setting: 'API_PORT',
    headersMs: 10_000,
    requestMs: 10_000,
    silenceMs: 30_000,
    connections: 100,
    drainMs: 5_000,
  });
  const post = async (path: string, body?: string, method: 'POST' | 'DELETE' = 'POST'): Promise<number> => {
    const type = body?.startsWith('{') ? 'application/json' : 'text/csv';
    const headers = body === undefined ? {} : { 'content-type': type };
    const answer = await request(`${url}/v1${path}`, {
      method,
      headers,
      body: body ?? null,
    });
    await answer.body.dump();
    return answer.statusCode;
  };
  return { ...world, upstream, replicas, post, close };
}

test('what is stopped, or goes on, is not confirmed before the replicas have it, however often it is asked', async () => {
  const world = await door();
  world.answer(() => ({ outcome: 'failed' }));
  const ended = await world.started(1);
  await world.feed(ended);
  await world.work();
  expect(await world.standing(ended)).toBe('finished');
  const campaign = await world.started(1);
  const other = await world.ready(1);
  const asked: readonly (readonly [string, string?])[] = [
    [`/campaigns/${campaign}/pause`],
    [`/campaigns/${campaign}/pause`],
    [`/campaigns/${campaign}/cancel`],
    [`/campaigns/${ended}/retry`],
    [`/campaigns/${other}/recipients`, 'numero\n+221771112233\n'],
    ['/accounts/main/stop'],
    ['/limits/MAX_PER_DAY', '{"value":5000}'],
    ['/limits/MAX_PER_DAY', '{"value":5000}'],
  ];
  for (const [path, body] of asked) expect([path, await world.post(path, body)]).toEqual([path, 503]);
  world.replicas.reached = true;
  // The same again is harmless, and confirms what was done.
  for (const [path, body] of asked.slice(2)) expect([path, await world.post(path, body)]).toEqual([path, 200]);
  expect((await world.read(other)).totals).toMatchObject({ total: 2, queued: 2 });
  await world.close();
});

test('switches, endpoints and secrets are confirmed to nobody before the replicas have them', async () => {
  const world = await door();
  const url = '{"url":"https://shop.example/relais"}';
  world.replicas.reached = true;
  expect(await world.post('/event-endpoints', url)).toBe(201);
  const [id] = await store.redis.smembers(keys.endpoints);
  const asked: readonly (readonly [number, string, string?])[] = [
    [200, '/queues/disbursement/pause'],
    [200, '/queues/disbursement/resume'],
    [200, '/accounts/main/release'],
    [201, '/event-endpoints', url],
    [200, `/event-endpoints/${id}/rotate-secret`],
    [202, `/event-endpoints/${id}/replay`, '{"since":"2026-01-01T00:00:00Z"}'],
    [200, '/purge', '{"phone":"+221771234567"}'],
    [200, '/secrets/rotate'],
  ];
  world.replicas.reached = false;
  for (const [, ...one] of asked) expect([one, await world.post(...one)]).toEqual([one, 503]);
  world.replicas.reached = true;
  for (const [status, ...one] of asked) expect([one, await world.post(...one)]).toEqual([one, status]);
  world.replicas.reached = false;
  expect(await world.post(`/event-endpoints/${id}`, undefined, 'DELETE')).toBe(503);
  await world.close();
});

test('a disbursement that is cancelled or approved, now or before, is not confirmed before the replicas have it', async () => {
  const world = await door();
  const hash = 'a'.repeat(64);
  const made = <K extends Kind>(kind: K, id: string, state: StateOf<K>, fields: NewOperation['fields']) =>
    world.operations.accept<K>({ kind, id, state, account: 'main', fingerprint: id, fields });
  const money = { amount: 500, accountAlias: '771234567', withdrawMode: 'wallet-a-senegal', by: 'other' };
  const none = '{"count":0,"list":[]}';
  const file = { contentHash: hash, by: 'other', totals: '{"count":0,"amount":0}', problems: none, warnings: none };
  await made('disbursement', 'dsb_1', 'queued', { ...money, disburseId: 'd1' });
  await made('disbursement', 'dsb_2', 'awaiting_approval', { ...money, disburseId: 'd2' });
  await made('batch', 'bat_1', 'awaiting_approval', file);
  await made('batch', 'bat_2', 'awaiting_approval', file);
  await made('direct_credit', 'crd_1', 'needs_review', money);
  const resolved = ['/direct-credits/crd_1/resolve', '{"outcome":"failed","note":"seen there"}'] as const;
  expect(await world.post(...resolved)).toBe(503);
  const asked: readonly (readonly [string, string?])[] = [
    ['/disbursements/dsb_1/cancel'],
    ['/disbursements/dsb_2/approve'],
    ['/disbursements/dsb_2/resolve', '{"outcome":"failed","note":"seen there"}'],
    ['/disbursement-batches/bat_1/cancel'],
    ['/disbursement-batches/bat_2/approve', JSON.stringify({ contentHash: hash })],
  ];
  // The second time each of them is as asked already.
  for (const [path, body] of [...asked, ...asked]) {
    expect([path, await world.post(path, body)]).toEqual([path, 503]);
  }
  world.replicas.reached = true;
  for (const [path, body] of asked) expect([path, await world.post(path, body)]).toEqual([path, 200]);
  await world.close();
});

test('an address to pay at is handed out to nobody before the replicas have it', async () => {
  const world = await door();
  const asked: readonly (readonly [string, string])[] = [
    ['/invoices', '{"totalAmount":15000,"store":{"name":"x"},"reference":"kept"}'],
    ['/payment-requests', '{"amount":5000,"phone":"+221771234567","feesPaidBy":"customer","reference":"kept"}'],
  ];
  const made = (value: object) => async () => {
    world.replicas.reached = false;
    return ok(value);
  };
  world.upstream.answer('createInvoice', made({ token: 'tok-1', url: 'https://pay.example/tok-1' }));
  world.upstream.answer('createPaymentRequest', made({ referenceNumber: 'PR-1', url: 'https://pay.example/PR-1' }));
  for (const one of asked) {
    world.replicas.reached = true;
    expect([one, await world.post(...one)]).toEqual([one, 503]);
  }
  world.replicas.reached = true;
  // Nothing is created anew: what was published is handed out.
  for (const one of asked) expect([one, await world.post(...one)]).toEqual([one, 201]);
  expect(world.upstream.calls).toHaveLength(asked.length);
  await world.close();
});
