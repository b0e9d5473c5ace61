import express, { type ErrorRequestHandler } from 'express';
import { request } from 'undici';
import { expect, test } from 'vitest';
import type { Kind, StateOf } from '../../src/kinds/index.ts';
import type { BatchAdvisor } from '../../src/api/batch-advice.ts';
import { batchRoutes } from '../../src/api/batches.ts';
import { campaignRoutes } from '../../src/api/campaigns.ts';
import type { ApiContext, QueueSwitches } from '../../src/api/context.ts';
import { directCreditRoutes } from '../../src/api/direct-credits.ts';
import { disbursementRoutes } from '../../src/api/disbursements.ts';
import { KeyRing, type ApiKey } from '../../src/api/keys.ts';
import type { Admission } from '../../src/api/admission.ts';
import { mount } from '../../src/api/mount.ts';
import { limitRoutes } from '../../src/api/limits.ts';
import { accountRoutes } from '../../src/api/operating.ts';
import { ApiProblem, sendProblem } from '../../src/api/problem.ts';
import { RedisUnavailable } from '../../src/redis/connections.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Audit, AuditSeals } from '../../src/operations/audit.ts';
import { Batches } from '../../src/operations/batches.ts';
import { SharedLimits } from '../../src/operations/limits.ts';
import { DayBook } from '../../src/operations/book.ts';
import { Recovery } from '../../src/operations/heartbeat.ts';
import { KeptFiles } from '../../src/operations/kept-files.ts';
import type { NewOperation } from '../../src/operations/accepting.ts';
import { Operations } from '../../src/operations/operations.ts';
import { BatchDoor } from '../../src/producer/batch/door.ts';
import { listen } from '../../src/app/listener.ts';
import type { ProcessorContext } from '../../src/processors/context.ts';
import { campaignWorld } from '../processors/campaign-world.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';
import { onlyOf } from '../support/only.ts';

const store = storeOfThisFile();

/** A door whose replicas confirm nothing until `replicas.reached` says so. */
async function door() {
  const world = campaignWorld(store.redis);
  const replicas = { reached: false };
  const fence = async (): Promise<boolean> => replicas.reached;
  const batches = new Batches(store.redis, systemRandom);
  const limits = new SharedLimits(store.redis);
  const [environment, accounts, clock] = ['default', new Set(['main']), world.context.clock];
  const context = onlyOf<ApiContext>({
    batchDoor: new BatchDoor({ batches, limits, environment, accounts, now: () => clock.now() }),
    batchAdvisor: onlyOf<BatchAdvisor>({ adviceOn: async () => [] }),
    processing: onlyOf<ProcessorContext>({ fence }),
    operations: new Operations({ redis: store.redis, random: systemRandom, fence }),
    batches,
    limits,
    environment,
    resolve: async () => ({ is: 'resolved' }),
    campaigns: world.campaigns,
    keptFiles: new KeptFiles({ redis: store.redis, random: systemRandom }),
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
    queues: onlyOf<QueueSwitches>({}),
  });
  const app = express();
  const roles = new Set(['enqueue', 'operate', 'read', 'approve'] as const);
  const key: ApiKey = { name: 'maker', roles, digest: Buffer.alloc(0) };
  const routes = [
    ...disbursementRoutes,
    ...campaignRoutes,
    ...batchRoutes,
    ...directCreditRoutes,
    ...accountRoutes,
    ...limitRoutes,
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
    maxConnections: 100,
  });
  const post = async (path: string, body?: string): Promise<number> => {
    const type = body?.startsWith('{') ? 'application/json' : 'text/csv';
    const headers = body === undefined ? {} : { 'content-type': type };
    const answer = await request(`${url}/v1${path}`, {
      method: 'POST',
      headers,
      body: body ?? null,
    });
    await answer.body.dump();
    return answer.statusCode;
  };
  return { ...world, replicas, post, close };
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
