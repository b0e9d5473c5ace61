import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { keys } from '../../src/operations/keys.ts';
import { InvalidRequest, NotDurableError, Unconfirmed } from '../../src/producer/errors.ts';
import type { Producer } from '../../src/producer/producer.ts';
import { fakeProducer } from '../../src/producer/testing.ts';
import { aCampaign, aDisbursement, aMessage, numberOf } from './asking.ts';
import { clientOf, open, running, server } from './running.ts';
import { listedIn } from '../support/listed.ts';

test('a disbursement is durable, due and woken when the call resolves', async () => {
  const { producer, redis } = await running();
  const { id, outcome } = await producer.disburse(aDisbursement());
  expect(outcome).toBe('accepted');
  expect(await redis.hmget(keys.record(id), 'state', 'amount')).toEqual(['queued', '5000']);
  expect(await redis.zscore(keys.due('disbursement'), id)).not.toBeNull();
  await vi.waitFor(async () => expect(await redis.llen('disbursement:wait')).toBe(1));
});

test('messages that are asked for together share a request to the service', async () => {
  const { producer, redis } = await running();
  const verdicts = await producer.sendMessages(Array.from({ length: 60 }, (_, n) => aMessage({ to: numberOf(n) })));
  expect(new Set(verdicts.map(({ outcome }) => outcome))).toEqual(new Set(['accepted']));
  expect(new Set(verdicts.map(({ id }) => id)).size).toBe(60);
  expect(await redis.zcard(keys.due('sms-batch'))).toBe(2);
});

test('what is not valid is told before Redis is asked, even when there is none', async () => {
  const producer = open({ redis: `redis://127.0.0.1:${await closedPort()}`, patience: '10s' });
  await expect(producer.disburse(aDisbursement({ amount: -1 }))).rejects.toThrow(InvalidRequest);
  expect(await producer.sendMessages([aMessage({ to: 'nobody' })])).toMatchObject([{ outcome: 'invalid' }]);
});

test('a Redis that is not there at the start is told in time, with what to do', async () => {
  const producer = open({ redis: `redis://:hunter2@127.0.0.1:${await closedPort()}`, patience: '200ms' });
  const refusal = producer.disburse(aDisbursement());
  await expect(refusal).rejects.toThrow(Unconfirmed);
  await expect(refusal).rejects.toMatchObject({ accepted: 'no' });
  await expect(refusal).rejects.toThrow(/127\.0\.0\.1:\d+ is not available.*ask again when Redis is back/);
  await expect(refusal).rejects.not.toThrow(/hunter2/);
});

test('a Redis that comes up during the call answers it', async () => {
  const port = await closedPort();
  const producer = open({ redis: { port }, patience: '20s' });
  const asking = producer.disburse(aDisbursement());
  await server({ port });
  expect(await asking).toMatchObject({ outcome: 'accepted' });
});

test('nothing is lost or doubled when Redis is killed in the middle and comes back', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'relais-test-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const own = await server({ dir });
  const producer = open({ redis: own.url, patience: '30s' });
  const asked = Array.from({ length: 1_000 }, (_, n) => aDisbursement({ reference: `order-${n}` }));
  const ask = (from: number, to: number) => asked.slice(from, to).map((request) => producer.disburse(request));
  const first = ask(0, 500);
  const texts = producer.sendMessages(Array.from({ length: 300 }, (_, n) => aMessage({ to: numberOf(n) })));
  await Promise.any(first);
  // On its way together with the others, and nobody there any more.
  const asking = [...first, ...ask(500, 1_000)];
  process.kill(own.pid, 'SIGKILL');
  await own.stop();
  await server({ port: own.port, dir });
  const ids = (await Promise.all(asking)).map(({ id }) => id);
  const verdicts = await texts;

  const redis = await clientOf(own.port);
  expect(new Set(ids).size).toBe(1_000);
  expect(await listedIn(redis, 'disbursement')).toBe(1_000);
  expect(await redis.zcard(keys.due('disbursement'))).toBe(1_000);
  expect(verdicts.map(({ outcome }) => outcome)).toEqual(Array(300).fill('accepted'));
  expect(await redis.hget(keys.counts('message'), 'queued')).toBe('300');
  const again = await Promise.all(asked.map((request) => producer.disburse(request)));
  expect(again.map(({ id, outcome }) => [id, outcome])).toEqual(ids.map((id) => [id, 'duplicate']));
});

test('a Redis that hangs is told in time, and what it did after all is found by asking again', async () => {
  const { producer, redis } = await running({ patience: '300ms' });
  await producer.disburse(aDisbursement({ reference: 'before' }));
  process.kill(redis.server.pid, 'SIGSTOP');
  onTestFinished(() => void process.kill(redis.server.pid, 'SIGCONT'));
  const refusal = producer.disburse(aDisbursement());
  await expect(refusal).rejects.toMatchObject({ name: 'Unconfirmed', accepted: 'unknown' });
  await expect(refusal).rejects.toThrow(/ask again with the same reference/);

  process.kill(redis.server.pid, 'SIGCONT');
  await vi.waitFor(async () => expect(await listedIn(redis, 'disbursement')).toBe(2));
  expect(await producer.disburse(aDisbursement())).toMatchObject({ outcome: 'duplicate' });
  expect(await listedIn(redis, 'disbursement')).toBe(2);
});

test('a message without a reference is one message, although the first answer about it was lost', async () => {
  const { redis } = await running();
  const between = await lossyLine(redis.server.port);
  const producer = open({ redis: { port: between.port }, patience: '20s' });
  await producer.sendMessages([aMessage({ to: numberOf(0) })]);
  between.loseNextAnswer();
  const [verdict] = await producer.sendMessages([aMessage({ to: numberOf(1) })]);
  expect(between.lost()).toBe(1);
  expect(verdict).toMatchObject({ outcome: 'accepted' });
  expect(await redis.hget(keys.counts('message'), 'queued')).toBe('2');
});

test.each<[string, string, (redis: Redis) => Promise<unknown>]>([
  ['NotDurableError', 'would forget what it answers', (redis) => redis.config('SET', 'appendfsync', 'everysec')],
  ['Recovering', 'has lost something', (redis) => redis.hset(keys.heartbeat, 'recovering', 'restored')],
  ['OtherDeployment', 'is of others', (redis) => redis.set(keys.stamp, JSON.stringify({ environment: 'other' }))],
])('a first answer that was lost stays a doubt: %s, where Redis then %s', async (name, _is, then) => {
  const { redis } = await running();
  const between = await lossyLine(redis.server.port);
  // No slice is woken meanwhile: the next script is that of the call.
  const producer = open({ redis: { port: between.port }, patience: '20s', batchWindow: '10m' });
  await producer.sendMessages([aMessage({ to: numberOf(0) })]);
  between.loseNextAnswer(() => then(redis));
  const stopped = await producer.sendMessages([aMessage({ to: numberOf(1) })]).catch((error: unknown) => error);
  expect(between.lost()).toBe(1);
  expect(await redis.hget(keys.counts('message'), 'queued')).toBe('2');
  expect(stopped).toMatchObject({ name: 'Unconfirmed', accepted: 'unknown', cause: { name } });
  expect((stopped as Error).message).not.toContain('othing was accepted');
  // Of which no try was in doubt.
  await expect(producer.sendMessages([aMessage({ to: numberOf(2) })])).rejects.toMatchObject({ name });
});

test('a disbursement whose first answer was lost is in doubt, also where Redis then refuses it', async () => {
  const { producer: other, redis } = await running();
  const between = await lossyLine(redis.server.port);
  const producer = open({ redis: { port: between.port }, patience: '20s', batchWindow: '10m' });
  await producer.sendMessages([aMessage()]);
  // Redis knows the script from here on.
  await other.disburse(aDisbursement({ reference: 'before' }));
  between.loseNextAnswer(() => redis.config('SET', 'appendfsync', 'everysec'));
  const refusal = producer.disburse(aDisbursement());
  await expect(refusal).rejects.toMatchObject({ name: 'Unconfirmed', accepted: 'unknown' });
  expect(await listedIn(redis, 'disbursement')).toBe(2);
  await redis.config('SET', 'appendfsync', 'always');
  const again = await vi.waitFor(() => producer.disburse(aDisbursement()), { timeout: 10_000, interval: 200 });
  expect(again).toMatchObject({ outcome: 'duplicate' });
});

test('a list that Redis did not confirm says which of its messages are known', async () => {
  const { producer, redis } = await running({ patience: '1s' });
  await producer.sendMessages([aMessage()]);
  process.kill(redis.server.pid, 'SIGSTOP');
  onTestFinished(() => void process.kill(redis.server.pid, 'SIGCONT'));
  const refusal = producer.sendMessages([aMessage({ to: 'nobody' }), aMessage({ to: numberOf(1) })]);
  await expect(refusal).rejects.toMatchObject({
    accepted: 'unknown',
    verdicts: [
      { index: 0, outcome: 'invalid' },
      { index: 1, outcome: 'unconfirmed' },
    ],
  });
});

test('a Redis that would forget what it answers accepts nothing, unless somebody vouches for it', async () => {
  const { producer, redis, url } = await running();
  await redis.config('SET', 'appendfsync', 'everysec');
  const refusal = producer.disburse(aDisbursement());
  await expect(refusal).rejects.toThrow(NotDurableError);
  await expect(refusal).rejects.toThrow(/CONFIG SET appendfsync always/);
  const vouched = open({ redis: url, durability: 'asserted' });
  expect(await vouched.disburse(aDisbursement())).toMatchObject({ outcome: 'accepted' });
});

test('closing waits for calls in flight, also of a Redis that was never there, and then refuses', async () => {
  const { producer } = await running();
  const asking = producer.disburse(aDisbursement());
  await producer.close();
  expect(await asking).toMatchObject({ outcome: 'accepted' });
  await expect(producer.disburse(aDisbursement())).rejects.toThrow(/was closed/);
  const lonely = open({ redis: `redis://127.0.0.1:${await closedPort()}` });
  await expect(lonely.close()).resolves.toBeUndefined();
});

test('the fake answers what the real one answers', async () => {
  const { producer } = await running();
  const ask = async (one: Producer) => {
    const { reference: _, ...anonymous } = aDisbursement({ amount: 9_000 });
    const answers = [
      await one.disburse(aDisbursement()),
      await one.disburse(aDisbursement()),
      await one.disburse(aDisbursement({ amount: 6_000 })),
      await one.disburse(aDisbursement({ reference: 'order-2' }), { idempotencyKey: 'key-2' }),
      await one.disburse(aDisbursement({ reference: 'order-2' })),
      await one.disburse(aDisbursement({ reference: 'order-2' }), { idempotencyKey: 'key-2' }),
      await one.disburse(aDisbursement({ reference: 'order-3' }), { idempotencyKey: 'order-1' }),
      await one.disburse(anonymous, { idempotencyKey: 'key-3' }),
      await one.campaign(aCampaign()),
      await one.campaign(aCampaign()),
      await one.campaign(aCampaign({ name: 'December' })),
    ];
    const texts = [aMessage({ reference: 'm' }), aMessage({ reference: 'm', text: 'x' }), aMessage({ to: '1' })];
    return [...answers, ...(await one.sendMessages(texts)), ...(await one.sendMessages(texts))];
  };
  expect(await ask(fakeProducer())).toEqual(await ask(producer));
});

/**
 * A line to Redis on which the answer to a script can get lost: it was carried out, and the connection broke. It can be
 * made again once `then` is over.
 */
async function lossyLine(target: number) {
  let losing = false;
  let meanwhile = async (): Promise<unknown> => undefined;
  let losses = 0;
  const line = createServer((caller) => {
    const far = connect(target, '127.0.0.1');
    let doomed = false;
    caller.on('data', (words) => {
      doomed ||= losing && words.includes('evalsha');
      far.write(words);
    });
    far.on('data', (answer) => {
      if (!doomed) return void caller.write(answer);
      if (!losing) return;
      losing = false;
      losses += 1;
      void meanwhile().finally(() => caller.destroy());
    });
    for (const [end, other] of [
      [caller, far],
      [far, caller],
    ] as const) {
      end.on('error', () => undefined);
      end.on('close', () => other.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');
  onTestFinished(() => void line.close());
  const { port } = line.address() as { port: number };
  const loseNextAnswer = (then = meanwhile): void => {
    meanwhile = then;
    losing = true;
  };
  return { port, lost: () => losses, loseNextAnswer };
}

async function closedPort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as { port: number };
  listener.close();
  return port;
}
