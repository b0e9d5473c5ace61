/** A real Redis Cluster under a whole relais: load, a slot that moves, failovers, and what is not to be found there. */
import { Queue } from 'bullmq';
import { Cluster } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { doctor } from '../../src/app/doctor.ts';
import { onEvent } from '../../src/events/library.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { createProducer } from '../../src/producer/producer.ts';
import { slotOf } from '../../src/redis/slot.ts';
import { ask, type Service, startService } from '../support/service.ts';
import { moveSlot, type Node, startCluster, type TestCluster } from './clusters.ts';
import { type Paid, payingThrough } from './paid.ts';

const PREFIX = '{relais}';
const WITHIN = { timeout: 45_000, interval: 50 };
const LIMIT = { timeout: 180_000 };
const PAYMENTS = 60;
const TEXTS = 60;
const LOST_AFTER = 15;

/** A line on stderr that is none of the log. */
const warnings: Error[] = [];
const note = (warning: Error): void => {
  // How many listen to the process is no matter of this file alone.
  if ((warning as { emitter?: unknown }).emitter !== process) warnings.push(warning);
};
beforeAll(() => void process.on('warning', note));
afterAll(() => {
  process.off('warning', note);
  expect(warnings).toEqual([]);
});

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function clustered(replicas: number): Promise<TestCluster> {
  const cluster = await startCluster({ prefix: PREFIX, replicas });
  closing.push(() => cluster.stop());
  return cluster;
}

async function serving(cluster: TestCluster, env: Readonly<Record<string, string>> = {}): Promise<Service> {
  const service = await startService({
    REDIS_URL: 'redis://ignored',
    REDIS_CLUSTER: cluster.addresses,
    UPSTREAM_TIMEOUT: '1s',
    UPSTREAM_CONNECT_TIMEOUT: '500ms',
    WORKER_CONCURRENCY: '8',
    ...env,
  });
  closing.push(() => service.stop());
  await service.control('POST', '/settings', { latencyMs: 100 });
  return service;
}

/** Payments and texts that are all accepted, and of which some have left and some have not. */
async function underLoad(service: Service, name: string) {
  const paid = payingThrough(service);
  const texts = Array.from({ length: TEXTS }, (_, at) => `+22177${String(2_000_000 + at)}`);
  const asked = texts.map((to, at) =>
    service.call('POST', '/v1/messages', { body: { to, text: name, reference: `${name}-text-${at}` } }),
  );
  expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([202]));
  const references = await paid.accepted(name, PAYMENTS);
  const done = async (): Promise<number> => (await paid.effects(references)).filter((times) => times > 0).length;
  await vi.waitFor(async () => expect(await done()).toBeGreaterThan(LOST_AFTER), WITHIN);
  const before = await done();
  return { paid, references, before };
}

/** By the books of the service: every payment and every text once, and relais does not think that it has lost any. */
async function eachOnce(service: Service, paid: Paid, references: readonly string[]): Promise<void> {
  await paid.once(references);
  const sent = async (): Promise<readonly string[]> =>
    ((await service.books('messages')) as readonly { to: string }[]).map(({ to }) => to).toSorted();
  await vi.waitFor(async () => expect(new Set(await sent()).size).toBe(TEXTS), WITHIN);
  expect(await sent()).toHaveLength(TEXTS);
  expect((await service.call('GET', '/v1/recovery')).body).toMatchObject({ state: 'none' });
}

/** What a monitor and a caller are told. */
async function refusedWith(service: Service, paid: Paid, reason: RegExp): Promise<void> {
  await vi.waitFor(async () => {
    const ready = await ask(`${service.metrics}/readyz`, 'GET', { key: null });
    expect([ready.status, JSON.stringify(ready.body)]).toEqual([503, expect.stringMatching(reason)]);
    expect((await paid.ask('meanwhile')).status).toBe(503);
  }, WITHIN);
}

async function readyAgain(service: Service, paid: Paid): Promise<void> {
  await vi.waitFor(async () => {
    expect((await ask(`${service.metrics}/readyz`, 'GET', { key: null })).status).toBe(200);
    expect((await paid.ask('meanwhile')).status).toBeLessThan(300);
  }, WITHIN);
}

test(
  'payments, texts, the library and jobs of BullMQ run on a cluster, and every key is in the one slot',
  LIMIT,
  async () => {
    const cluster = await clustered(0);
    const service = await serving(cluster);
    const { paid, references } = await underLoad(service, 'cluster');
    await eachOnce(service, paid, references);
    await byTheLibrary(service, cluster);
    await byItsOwnQueue(service, cluster);
    const found = await findings(cluster);
    for (const what of ['redis', 'durability', 'permissions', 'intake']) expect(found).toContain(`✓ ${what} `);

    const primary = await cluster.primary();
    // A key whose time is over is counted until Redis has taken it away, and keys come and go meanwhile.
    const elsewhere = async (): Promise<number> => {
      const all = await primary.redis.keys('*');
      expect(all.filter((key) => !key.startsWith(`${PREFIX}:`))).toEqual([]);
      return Number(await primary.redis.call('CLUSTER', 'COUNTKEYSINSLOT', slotOf(PREFIX))) - all.length;
    };
    await expect.poll(elsewhere).toBe(0);
    for (const { id, redis } of cluster.nodes) if (id !== primary.id) expect(await redis.dbsize()).toBe(0);
  },
);

/** A program that has the library: it asks, and hears what became of it. */
async function byTheLibrary(service: Service, cluster: TestCluster): Promise<void> {
  const redis = { url: 'redis://ignored', cluster: cluster.nodes.map(({ port }) => ({ host: '127.0.0.1', port })) };
  const producer = createProducer({ redis });
  const [message] = await producer.sendMessages([{ to: '+221775550001', text: 'library', reference: 'library' }]);
  await producer.close();
  const stop = new AbortController();
  const listening = onEvent({
    redis,
    group: 'cluster',
    handler: ({ type, data }) => {
      if (type === 'message.sent' && data.id === message?.id) stop.abort();
    },
    signal: AbortSignal.any([stop.signal, AbortSignal.timeout(WITHIN.timeout)]),
  });
  await listening;
  expect(stop.signal.aborted).toBe(true);
  await service.until('/v1/messages?reference=library', ({ items }) => items?.[0]?.state === 'sent');
}

/** A program that has nothing of ours: BullMQ over its own client of the cluster. */
async function byItsOwnQueue(service: Service, cluster: TestCluster): Promise<void> {
  const connection = new Cluster(cluster.nodes.map(({ port }) => ({ host: '127.0.0.1', port })));
  const queue = new Queue('intake', { connection, prefix: PREFIX });
  await queue.add('ask', { kind: 'message', to: '+221775550002', text: 'bullmq', reference: 'bullmq' });
  await queue.close();
  connection.disconnect();
  await service.until('/v1/messages?reference=bullmq', ({ items }) => items?.[0]?.state === 'sent');
}

async function findings(cluster: TestCluster): Promise<string> {
  const lines: string[] = [];
  const env = { REDIS_CLUSTER: cluster.addresses };
  const print = (line: string): void => void lines.push(line);
  const { signal } = new AbortController();
  await doctor({ env, clock: systemClock, random: systemRandom, signal, json: false, print });
  return lines.join('\n');
}

test(
  'the slot moves to another node under load: nothing is accepted meanwhile, nothing lost, nothing twice',
  LIMIT,
  async () => {
    const cluster = await clustered(0);
    const service = await serving(cluster);
    const { paid, references, before } = await underLoad(service, 'moved');
    const [from, startedMono] = [await cluster.primary(), systemClock.monotonic()];
    let seen = false;
    const keys = await moveSlot({
      cluster,
      prefix: PREFIX,
      onMoved: async (moved) => {
        if (seen || moved < 100) return;
        seen = true;
        await refusedWith(service, paid, /keys are on their way to another node/);
      },
    });
    expect(seen).toBe(true);
    const movedMono = systemClock.monotonic();
    expect((await cluster.primary()).id).not.toBe(from.id);
    await readyAgain(service, paid);
    const readyMs = Math.round(systemClock.monotonic() - movedMono);
    await eachOnce(service, paid, [...references, 'meanwhile']);
    process.stdout.write(
      `slot moved with ${before} of ${PAYMENTS} paid: ${keys} keys in ${Math.round(movedMono - startedMono)} ms, ` +
        `ready ${readyMs} ms after\n`,
    );
  },
);

interface Pair {
  readonly primary: Node;
  readonly replica: Node;
}

const handOver = async ({ replica }: Pair): Promise<unknown> => replica.redis.call('CLUSTER', 'FAILOVER');
const kill = async ({ primary }: Pair): Promise<unknown> => process.kill(primary.pid, 'SIGKILL');

test.for([
  ['handed over', handOver],
  ['killed', kill],
] as const)(
  'the primary is %s under load: its replica takes over, and everything is done once',
  LIMIT,
  async ([how, leave]) => {
    // Two: one takes over, and one is there for it.
    const cluster = await clustered(2);
    const service = await serving(cluster, { REDIS_WAIT_REPLICAS: '1' });
    const { paid, references, before } = await underLoad(service, how.replace(' ', '-'));
    const primary = await cluster.primary();
    const [replica = primary] = await cluster.replicasOf(primary);
    const lostMono = systemClock.monotonic();
    const tookMs = (): number => Math.round(systemClock.monotonic() - lostMono);
    await leave({ primary, replica });
    if (how === 'killed') await refusedWith(service, paid, /Redis/);
    await vi.waitFor(async () => expect((await cluster.primary()).id).not.toBe(primary.id), WITHIN);
    const promotedMs = tookMs();
    await readyAgain(service, paid);
    const readyMs = tookMs();
    await eachOnce(service, paid, [...references, 'meanwhile']);
    process.stdout.write(
      `primary ${how} with ${before} of ${PAYMENTS} paid: promoted after ${promotedMs} ms, ready after ${readyMs} ms\n`,
    );
  },
);

interface Pair {
  readonly primary: Node;
  readonly replica: Node;
}

test(
  'a replica that lagged and is promoted is older than Redis was: nothing leaves until somebody has looked',
  LIMIT,
  async () => {
    const cluster = await clustered(1);
    const service = await serving(cluster, { DURABILITY: 'asserted' });
    const paid = payingThrough(service);
    await paid.once(await paid.accepted('before', 5));
    const primary = await cluster.primary();
    const [replica = primary] = await cluster.replicasOf(primary);
    // From here on the replica hears nothing more, and may not ask for it.
    await primary.redis.call('ACL', 'SETUSER', 'default', '-psync', '-sync', '-replconf');
    await primary.redis.call('CLIENT', 'KILL', 'TYPE', 'replica');
    await paid.once(await paid.accepted('unheard', 5));
    await replica.redis.call('CLUSTER', 'FAILOVER', 'TAKEOVER');
    await refusedWith(service, paid, /recover/);
    expect((await service.call('GET', '/v1/recovery')).body).toMatchObject({ because: 'rolled_back' });
    expect(await service.books('disbursements')).toHaveLength(10);
  },
);
