import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler } from 'express';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { campaignRoutes } from '../../src/api/campaigns.ts';
import type { ApiContext } from '../../src/api/context.ts';
import { operatingRoutes } from '../../src/api/operating.ts';
import { ApiProblem, sendProblem } from '../../src/api/problem.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { campaignWorld } from '../processors/campaign-world.ts';
import { type FreshRedis, freshRedis } from '../support/fresh-redis.ts';

let store: FreshRedis;
beforeAll(async () => {
  store = await freshRedis();
});
afterAll(() => store.close());
beforeEach(() => store.redis.flushdb());

/** A door whose replicas confirm nothing until `replicas.reached` says so. */
async function door() {
  const world = campaignWorld(store.redis);
  const replicas = { reached: false };
  const context = {
    bench: { fence: async () => replicas.reached },
    campaigns: world.campaigns,
    retries: world.bench.retries,
    queries: world.queries,
    accounts: world.accounts,
    accountNames: ['main'],
    clock: world.bench.clock,
    random: systemRandom,
    refusal: () => undefined,
    senderOf: () => undefined,
    optOuts: world.bench.optOuts,
    wake: () => undefined,
    queues: {},
  } as unknown as ApiContext;
  const app = express();
  app.use(express.json());
  app.use((_request, response, next) => {
    response.locals['key'] = { name: 'maker', roles: new Set(['enqueue', 'operate', 'read']) };
    next();
  });
  app.use('/v1/campaigns', campaignRoutes(context));
  app.use('/v1', operatingRoutes(context));
  const told: ErrorRequestHandler = (error, _request, response, next) =>
    error instanceof ApiProblem ? sendProblem(response, error) : next(error);
  app.use(told);
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const post = async (path: string, body?: string): Promise<number> => {
    const headers = body === undefined ? {} : { 'content-type': 'text/csv' };
    const answer = await request(`http://127.0.0.1:${port}/v1${path}`, {
      method: 'POST',
      headers,
      body: body ?? null,
    });
    await answer.body.dump();
    return answer.statusCode;
  };
  return { ...world, replicas, post, close: () => server.close() };
}

test('what is stopped, or goes on, is not confirmed before the replicas have it, however often it is asked', async () => {
  const world = await door();
  const ended = await world.ready(1);
  world.answer(() => ({ outcome: 'failed' }));
  await world.campaigns.switch(ended, 'start');
  await world.feed(ended);
  await world.work();
  expect(await world.standing(ended)).toBe('finished');
  const campaign = await world.ready(1);
  await world.campaigns.switch(campaign, 'start');
  const other = await world.ready(1);
  const asked: readonly (readonly [string, string?])[] = [
    [`/campaigns/${campaign}/pause`],
    [`/campaigns/${campaign}/pause`],
    [`/campaigns/${campaign}/cancel`],
    [`/campaigns/${ended}/retry`],
    [`/campaigns/${other}/recipients`, 'numero\n+221771112233\n'],
    ['/accounts/main/stop'],
  ];
  for (const [path, body] of asked) expect([path, await world.post(path, body)]).toEqual([path, 503]);
  world.replicas.reached = true;
  // The same again is harmless, and confirms what was done.
  for (const [path, body] of asked.slice(2)) expect([path, await world.post(path, body)]).toEqual([path, 200]);
  expect((await world.read(other)).totals).toMatchObject({ total: 2, queued: 2 });
  world.close();
});
