/** Three sentinels, a primary and its replica, all of them real, and the primary is lost while money moves. */
import { afterEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { type Service, startService } from '../support/service.ts';
import { payingThrough } from './paid.ts';
import { type Server, startSentinel, startServer, untilAcquainted } from './servers.ts';

const DISBURSEMENTS = 60;
const LOST_AFTER = 15;
const IN_SYNC = { timeout: 20_000, interval: 50 };
/** A second until the primary counts as gone, the election, and a second between two tries to connect. */
const BACK_LIMIT_MS = 30_000;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function opened(server: Promise<Server>): Promise<Server> {
  const one = await server;
  closing.push(() => one.stop());
  return one;
}

async function replicated() {
  const primary = await opened(startServer());
  const replica = await opened(startServer({ replicaof: `127.0.0.1 ${primary.port}` }));
  await vi.waitFor(async () => {
    expect(await primary.redis.info('replication')).toMatch(/connected_slaves:1\r\nslave0:.*state=online/);
  }, IN_SYNC);
  return { primary, replica };
}

async function serving(env: Readonly<Record<string, string>>): Promise<Service> {
  const service = await startService({
    REDIS_WAIT_REPLICAS: '1',
    UPSTREAM_TIMEOUT: '1s',
    UPSTREAM_CONNECT_TIMEOUT: '500ms',
    WORKER_CONCURRENCY: '8',
    ...env,
  });
  closing.push(() => service.stop());
  await service.control('POST', '/settings', { latencyMs: 100 });
  return service;
}

test.for([
  ['killed', 'SIGKILL'],
  // A machine that is gone says no goodbye: nobody is told that the connection is dead.
  ['frozen', 'SIGSTOP'],
] as const)(
  'the primary is %s under load: the replica takes over, every write that was fenced is there, nobody is paid twice',
  { timeout: 120_000 },
  async ([how, signal]) => {
    const { primary, replica } = await replicated();
    const sentinels = await Promise.all([1, 2, 3].map(() => opened(startSentinel(primary.port))));
    await untilAcquainted(sentinels);
    const service = await serving({
      REDIS_URL: 'redis://ignored',
      REDIS_SENTINELS: sentinels.map(({ port }) => `127.0.0.1:${port}`).join(','),
    });
    const paid = payingThrough(service);
    const references = await paid.accepted(how, DISBURSEMENTS);
    const done = async (): Promise<number> => (await paid.effects(references)).filter((times) => times > 0).length;
    await vi.waitFor(async () => expect(await done()).toBeGreaterThan(LOST_AFTER), IN_SYNC);

    const lostMono = systemClock.monotonic();
    const before = await done();
    expect(before).toBeLessThan(DISBURSEMENTS);
    process.kill(primary.pid, signal);
    if (signal === 'SIGSTOP') closing.push(async () => process.kill(primary.pid, 'SIGCONT'));
    const tookMs = (): number => Math.round(systemClock.monotonic() - lostMono);
    await vi.waitFor(async () => {
      expect(await replica.redis.info('replication')).toContain('role:master');
    }, IN_SYNC);
    const promotedMs = tookMs();
    // The new primary has no replica yet, so money waits; callers are told so.
    await vi.waitFor(
      async () => {
        const { status, body } = await paid.ask(`${how}-early`);
        expect([status, body.type]).toEqual([503, expect.stringContaining('not-durable')]);
      },
      { timeout: BACK_LIMIT_MS, interval: 100 },
    );
    const reachedMs = tookMs();

    const second = await opened(startServer({ replicaof: `127.0.0.1 ${replica.port}` }));
    await vi.waitFor(async () => expect((await paid.ask(`${how}-again`)).status).toBe(202), {
      timeout: BACK_LIMIT_MS,
      interval: 100,
    });
    expect(await second.redis.info('replication')).toContain('master_link_status:up');
    const resumedMs = tookMs();
    await paid.once([...references, `${how}-again`]);
    process.stdout.write(
      `primary ${how} with ${before} of ${DISBURSEMENTS} paid: promoted after ${promotedMs} ms, ` +
        `reached after ${reachedMs} ms, money moved again after ${resumedMs} ms (a replica was there again)\n`,
    );
  },
);

test('a replica that is away or frozen: money waits, reading goes on, nothing is lost', async () => {
  const { primary, replica } = await replicated();
  const service = await serving({ REDIS_URL: `redis://127.0.0.1:${primary.port}` });
  const paid = payingThrough(service);
  const references = await paid.accepted('waiting', 20);
  process.kill(replica.pid, 'SIGSTOP');
  closing.push(async () => process.kill(replica.pid, 'SIGCONT'));
  // Redis still counts it as connected; the first write that does not arrive there tells.
  await vi.waitFor(async () => {
    const { status, body } = await paid.ask('into-the-void');
    expect([status, body.type]).toEqual([503, expect.stringContaining('not-durable')]);
  }, IN_SYNC);
  const answers = await Promise.all(
    references.map((one) => service.call('GET', `/v1/disbursements?reference=${one}`)),
  );
  expect(answers.every(({ status }) => status === 200)).toBe(true);

  process.kill(replica.pid, 'SIGCONT');
  await paid.once(references);
  await vi.waitFor(async () => expect((await paid.ask('into-the-void')).status).toBeLessThan(300), IN_SYNC);
  await paid.once(['into-the-void']);
});
