import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { keys } from '../../src/operations/keys.ts';
import { Recovering } from '../../src/operations/heartbeat.ts';
import { InvalidRequest, type Unconfirmed } from '../../src/producer/errors.ts';
import { fakeProducer } from '../../src/producer/testing.ts';
import { aDisbursement, aMessage, numberOf } from './asking.ts';
import { clientOf, open, running, server } from './running.ts';
import { listedIn } from '../support/listed.ts';

const orders = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => aDisbursement({ reference: `order-${from + n}` }));

describe('many disbursements', () => {
  test('have a verdict each, and one that is wrong stops no other', async () => {
    const { producer } = await running();
    await producer.disburse(aDisbursement({ reference: 'order-3' }));
    const asked = [...orders(700), aDisbursement({ amount: -1 }), aDisbursement({ reference: 'order-3', amount: 7 })];
    const verdicts = await producer.disburseEach(asked);
    expect(verdicts.map(({ index }) => index)).toEqual(asked.map((_, index) => index));
    expect(verdicts.slice(0, 5).map(({ outcome }) => outcome)).toEqual([
      ...Array(3).fill('accepted'),
      'duplicate',
      'accepted',
    ]);
    expect(verdicts.slice(-2)).toEqual([
      { index: 700, id: null, outcome: 'invalid', problems: [{ pointer: '/amount', message: expect.any(String) }] },
      { index: 701, id: verdicts[3]?.id, outcome: 'conflict', differs: ['/amount'] },
    ]);
    expect(await fakeProducer().disburseEach(orders(2))).toEqual(verdicts.slice(0, 2));
  });

  test('may use a mode that the service has added since, where it is named', async () => {
    const { producer, url } = await running({ extraWithdrawModes: ['wallet-q-togo'] });
    const request = { ...aDisbursement({ accountAlias: '90112233' }), withdrawMode: 'wallet-q-togo' as const };
    expect(await producer.disburse(request)).toMatchObject({ outcome: 'accepted' });
    // @ts-expect-error -- a mode that this one does not know
    await expect(open({ redis: url }).disburse(request)).rejects.toThrow(InvalidRequest);
    const fake = fakeProducer({ extraWithdrawModes: ['wallet-q-togo'] });
    expect(await fake.disburse(request)).toMatchObject({ outcome: 'accepted' });
  });
});

describe('what stops a list in the middle takes nothing back of what was accepted, so it is told what was', () => {
  const texts = (count: number) => Array.from({ length: count }, (_, n) => aMessage({ to: numberOf(n) }));
  const acceptedIn = (verdicts: readonly { outcome: string }[]) =>
    verdicts.filter(({ outcome }) => outcome === 'accepted').length;

  test('a recovery', async () => {
    const { producer, redis } = await running();
    const asking = producer.sendMessages(texts(5_000)).catch((error: unknown) => error);
    const queued = async () => Number(await redis.hget(keys.counts('message'), 'queued'));
    await vi.waitFor(async () => expect(await queued()).toBeGreaterThan(0), { timeout: 20_000, interval: 1 });
    await redis.hset(keys.heartbeat, 'recovering', 'restored');
    const stopped = (await asking) as Unconfirmed;
    expect([stopped.name, (stopped.cause as Error).name, stopped.accepted]).toEqual([
      'Unconfirmed',
      'Recovering',
      'no',
    ]);
    expect(stopped.verdicts).toHaveLength(5_000);
    expect(acceptedIn(stopped.verdicts)).toBe(await queued());
    expect(stopped.message).not.toContain('othing was accepted');
    // Of which nothing was accepted.
    await expect(producer.sendMessages(texts(3))).rejects.toThrow(Recovering);
  });

  test('a record among them that cannot be read', async () => {
    const { producer, redis } = await running();
    const known = aMessage({ to: numberOf(1), reference: 'damaged' });
    const [verdict] = await producer.sendMessages([known]);
    await redis.hdel(keys.record(verdict?.id ?? ''), 'state');
    const stopped = await producer.sendMessages([aMessage(), known]).catch((error: unknown) => error);
    expect(stopped).toMatchObject({
      name: 'Unconfirmed',
      accepted: 'unknown',
      verdicts: [
        { index: 0, outcome: 'accepted' },
        { index: 1, id: null, outcome: 'unconfirmed' },
      ],
    });
    await expect(producer.sendMessages([known])).rejects.toThrow('UNREADABLE');
  });
});

describe('a Redis that', () => {
  test('is not there at the start is told to every call in time, and found when it comes', async () => {
    const port = await closedPort();
    const producer = open({ redis: { port }, patience: '300ms' });
    const refused = await Promise.allSettled(orders(50).map((request) => producer.disburse(request)));
    expect(refused.map(({ status }) => status)).toEqual(Array(50).fill('rejected'));
    await expect(producer.disburseEach(orders(3))).rejects.toMatchObject({
      accepted: 'no',
      verdicts: Array.from({ length: 3 }, (_, index) => ({ index, id: null, outcome: 'unconfirmed' })),
    });
    await server({ port });
    await vi.waitFor(() => producer.disburseEach(orders(50)), { timeout: 10_000 });
    expect(await listedIn(await clientOf(port), 'disbursement')).toBe(50);
  });

  test('hangs for a while is waited for, and what was asked is there once', async () => {
    const { producer, redis } = await running({ patience: '30s' });
    await producer.disburse(aDisbursement({ reference: 'before' }));
    process.kill(redis.server.pid, 'SIGSTOP');
    const asking = producer.disburseEach(orders(600));
    const texts = producer.sendMessages(Array.from({ length: 60 }, (_, n) => aMessage({ to: numberOf(n) })));
    // Longer than a command may take, so that the same is asked a second time.
    await elapsed(6_000);
    process.kill(redis.server.pid, 'SIGCONT');
    expect(new Set((await asking).map(({ id }) => id)).size).toBe(600);
    expect((await texts).map(({ outcome }) => outcome)).toEqual(Array(60).fill('accepted'));
    expect(await listedIn(redis, 'disbursement')).toBe(601);
    expect(await redis.hget(keys.counts('message'), 'queued')).toBe('60');
  });

  test('is killed and stays away ends the call in time; asking again later completes it', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'relais-test-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const own = await server({ dir });
    const producer = open({ redis: own.url, patience: '3s' });
    const asking = producer.disburseEach(orders(5_000)).catch((error: unknown) => error);
    const looking = await clientOf(own.port);
    await vi.waitFor(async () => expect(await listedIn(looking, 'disbursement')).toBeGreaterThan(0), {
      timeout: 20_000,
    });
    process.kill(own.pid, 'SIGKILL');
    const ended = (await asking) as { name: string; verdicts: { outcome: string; id: string | null }[] };
    expect(ended.name).toBe('Unconfirmed');
    expect(ended.verdicts).toHaveLength(5_000);
    await own.stop();

    await server({ port: own.port, dir });
    const again = await vi.waitFor(() => producer.disburseEach(orders(5_000)), { timeout: 20_000 });
    for (const [index, { id, outcome }] of ended.verdicts.entries()) {
      if (outcome === 'accepted') expect(again[index]).toEqual({ index, id, outcome: 'duplicate' });
    }
    expect(await listedIn(await clientOf(own.port), 'disbursement')).toBe(5_000);
  });

  test('hangs does not keep a producer from closing', async () => {
    const { producer, redis } = await running({ patience: '300ms' });
    await producer.disburse(aDisbursement());
    process.kill(redis.server.pid, 'SIGSTOP');
    onTestFinished(() => void process.kill(redis.server.pid, 'SIGCONT'));
    const refusal = expect(producer.disburse(aDisbursement({ reference: 'late' }))).rejects.toThrow();
    await producer.close();
    await refusal;
  });

  test('has replicas confirms only what they have too', async () => {
    const { url, replica, other } = await withReplica();
    const producer = open({ redis: url, replicas: 1, patience: '5s' });
    const { id } = await producer.disburse(aDisbursement());
    expect(await other.exists(keys.record(id))).toBe(1);

    process.kill(replica.pid, 'SIGSTOP');
    onTestFinished(() => void process.kill(replica.pid, 'SIGCONT'));
    const refusal = producer.disburse(aDisbursement({ reference: 'alone' }));
    await expect(refusal).rejects.toMatchObject({ name: 'Unconfirmed', accepted: 'unknown' });
    process.kill(replica.pid, 'SIGCONT');
    expect(await producer.disburse(aDisbursement({ reference: 'alone' }))).toMatchObject({ outcome: 'duplicate' });
  });

  test('has lost its replicas since a batch was written does not say that nothing was accepted', async () => {
    const { redis, url, replica } = await withReplica();
    const producer = open({ redis: url, replicas: 1, patience: '30s' });
    await producer.disburse(aDisbursement());
    await replica.stop();
    const asking = producer.batch([aDisbursement({ reference: 'alone' })]).catch((error: unknown) => error);
    await vi.waitFor(async () => expect(await redis.zcard(keys.index('batch'))).toBe(1), 20_000);
    // Whoever comes back asks again how Redis keeps its writes.
    await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    const stopped = await asking;
    expect(stopped).toMatchObject({ name: 'Unconfirmed', accepted: 'unknown', cause: { name: 'NotDurableError' } });
  });
});

async function withReplica() {
  const { redis, url } = await running();
  const replica = await server();
  const other = await clientOf(replica.port);
  await other.replicaof('127.0.0.1', redis.server.port);
  await vi.waitFor(async () => expect(await redis.info('replication')).toContain('state=online'), 20_000);
  return { redis, url, replica, other };
}

/** A story waits for a world outside that has no way to say that it is ready. */
function elapsed(ms: number): Promise<void> {
  const endsAt = performance.now() + ms;
  return vi.waitFor(() => expect(performance.now()).toBeGreaterThan(endsAt), { timeout: ms + 5_000, interval: 100 });
}

async function closedPort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as { port: number };
  listener.close();
  return port;
}
