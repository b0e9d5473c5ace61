import { afterEach, expect, test, vi } from 'vitest';
import { Redis } from 'ioredis';
import {
  type CompletionEvent,
  CursorTooOld,
  type OnEventOptions,
  deadLettersOf,
  onEvent,
} from '../../src/events/library.ts';
import { leave, tellForgotten } from '../../src/events/subscription.ts';
import { keys } from '../../src/operations/keys.ts';
import { openCommands, waitUntilReady } from '../../src/redis/connections.ts';
import { startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { freshRedis } from '../support/fresh-redis.ts';
import { onlyOf } from '../support/only.ts';
import { emit } from './stream-writer.ts';

const toClose: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
});

test('each event is handled once, in order, and then acknowledged', async () => {
  const { redis, listen } = await stream();
  await emitMany(redis, ['a', 'b', 'c']);
  const { heard } = listen();
  await vi.waitFor(() => expect(heard()).toEqual(['a', 'b', 'c']));
  await vi.waitFor(async () => expect(await pendingOf(redis)).toBe(0));
});

test('the consumers of a group share the events, and another group sees all of them', async () => {
  const { redis, listen } = await stream();
  const one = listen({ consumer: 'one' });
  const two = listen({ consumer: 'two' });
  const others = listen({ group: 'others' });
  const ops = Array.from({ length: 40 }, (_, n) => `op-${n}`);
  await emitMany(redis, ops);
  await vi.waitFor(() => expect([...one.heard(), ...two.heard()].toSorted()).toEqual(ops.toSorted()));
  await vi.waitFor(() => expect(others.heard()).toEqual(ops));
});

test('an event whose handler failed is handled again', async () => {
  const { redis, listen } = await stream();
  const tries: number[] = [];
  const { errors } = listen({
    handler: (_event, context) => {
      tries.push(context.tries);
      if (context.tries < 3) throw new Error('not yet');
    },
  });
  await emit(redis, 'a', 'message.sent');
  await vi.waitFor(() => expect(tries).toEqual([1, 2, 3]));
  await vi.waitFor(async () => expect(await pendingOf(redis)).toBe(0));
  expect(errors.map(([error, event]) => [String(error), event?.data.id])).toEqual(
    Array.from({ length: 2 }, () => ['Error: not yet', 'a']),
  );
});

test('an event that cannot be handled is put aside with the reason, and holds up no other', async () => {
  const { redis, listen, outside } = await stream();
  const { heard } = listen({
    retryAfter: ['30ms', '60ms'],
    handler: ({ data }) => {
      if (data.id === 'broken') throw new Error('no such customer');
    },
  });
  await emitMany(redis, ['broken', 'fine']);
  await vi.waitFor(async () => expect(await outside.xlen(deadLettersOf('ours'))).toBe(1));
  expect(heard().toSorted()).toEqual(['broken', 'broken', 'broken', 'fine']);
  expect(heard().indexOf('fine')).toBeLessThan(heard().lastIndexOf('broken'));
  const [[, fields] = ['', []]] = await outside.xrange(deadLettersOf('ours'), '-', '+');
  expect(fields).toEqual(expect.arrayContaining(['tries', '3', 'error', 'no such customer', 'op', 'broken']));
  expect(await pendingOf(redis)).toBe(0);
});

test('what was put aside tells a person in JSON what it carries, however the stream keeps it', async () => {
  const { redis, listen, outside } = await stream();
  await emit(redis, 'dsb_1', 'disbursement.succeeded', { reference: 'order-7', amount: 500 });
  const handler = (): never => {
    throw new Error('no such order');
  };
  const { heard } = listen({ retryAfter: ['20ms'], handler });
  await vi.waitFor(async () => expect(await outside.xlen(deadLettersOf('ours'))).toBe(1));
  expect(heard()).toEqual(['dsb_1', 'dsb_1']);
  const [[, fields] = ['', []]] = await outside.xrange(deadLettersOf('ours'), '-', '+');
  const carried = JSON.parse(fields[fields.indexOf('data') + 1] ?? '') as unknown;
  expect(carried).toEqual({ id: 'dsb_1', state: 'succeeded', reference: 'order-7', amount: 500 });
  expect(fields).toEqual(expect.arrayContaining(['op', 'dsb_1', 'type', 'disbursement.succeeded']));
});

test('an entry that is no event is put aside, and holds up no event', async () => {
  const { redis, listen, outside } = await stream();
  await redis.xadd(keys.events, '*', 'not', 'an event');
  await emit(redis, 'fine', 'message.sent');
  const { heard } = listen({ retryAfter: ['20ms'] });
  await vi.waitFor(async () => expect(await outside.xlen(deadLettersOf('ours'))).toBe(1));
  await vi.waitFor(() => expect(heard()).toEqual(['fine']));
});

test('an event whose consumer died is handled by another', async () => {
  const { redis, listen } = await stream();
  await emit(redis, 'a', 'message.sent');
  await redis.xgroup('CREATE', keys.events, 'ours', '0');
  await redis.xreadgroup('GROUP', 'ours', 'the dead', 'COUNT', 1, 'STREAMS', keys.events, '>');
  const { heard } = listen();
  await vi.waitFor(() => expect(heard()).toEqual(['a']));
});

test('an event whose handler takes long is not taken for abandoned', async () => {
  const { redis, listen } = await stream();
  let finish = (): void => undefined;
  const working = new Promise<void>((resolve) => (finish = resolve));
  // Last to be registered, first to run: the subscription waits for its handler.
  const release = async (): Promise<void> => finish();
  const slow = listen({ consumer: 'slow', handler: () => working });
  toClose.push(release);
  await emit(redis, 'a', 'message.sent');
  await vi.waitFor(() => expect(slow.heard()).toEqual(['a']));
  const other = listen({ consumer: 'other' });
  // Ten later events are ten rounds of the other consumer: each one looks for what is overdue.
  for (let n = 0; n < 10; n += 1) {
    await emit(redis, `later-${n}`, 'message.sent');
    await vi.waitFor(() => expect(other.heard()).toHaveLength(n + 1), { interval: 60 });
  }
  expect(other.heard()).not.toContain('a');
  finish();
  await vi.waitFor(async () => expect(await pendingOf(redis)).toBe(0));
});

test('stopping waits for the handler in progress and leaves no name behind', async () => {
  const { redis, listen } = await stream();
  let finish = (): void => undefined;
  const { heard, stop, ended } = listen({ handler: () => new Promise<void>((resolve) => (finish = resolve)) });
  await emit(redis, 'a', 'message.sent');
  await vi.waitFor(() => expect(heard()).toEqual(['a']));
  stop();
  finish();
  await ended;
  expect(await pendingOf(redis)).toBe(0);
  expect(await redis.xinfo('CONSUMERS', keys.events, 'ours')).toEqual([]);
});

test('an event that comes while a consumer of its name leaves is not lost with it', async () => {
  const { redis } = await stream();
  await redis.xgroup('CREATE', keys.events, 'ours', '0', 'MKSTREAM');
  await emit(redis, 'a', 'message.sent');
  // After each command another subscription of the same name reads.
  const shared = new Proxy(redis, {
    get: (of, name) => {
      const one: unknown = Reflect.get(of, name);
      if (typeof one !== 'function') return one;
      return async (...words: unknown[]): Promise<unknown> => {
        const answer: unknown = await one.apply(of, words);
        await redis.xreadgroup('GROUP', 'ours', 'one', 'COUNT', 1, 'STREAMS', keys.events, '>');
        return answer;
      };
    },
  });
  await leave({ redis: shared, group: 'ours', consumer: 'one' });
  expect(await pendingOf(redis)).toBe(1);
  await leave({ redis, group: 'ours', consumer: 'one' });
  expect(await pendingOf(redis)).toBe(1);
});

test('only the types that were asked for reach the handler', async () => {
  const { redis, listen } = await stream();
  const { heard } = listen({ types: ['campaign.finished'] });
  await emit(redis, 'a', 'message.sent');
  await emit(redis, 'b', 'campaign.finished');
  await vi.waitFor(() => expect(heard()).toEqual(['b']));
  await vi.waitFor(async () => expect(await pendingOf(redis)).toBe(0));
});

test('a group that begins now does not see what was before', async () => {
  const { redis, listen } = await stream();
  await emit(redis, 'before', 'message.sent');
  const { heard } = listen({ from: 'now' });
  await vi.waitFor(async () => expect(await redis.xinfo('GROUPS', keys.events)).toHaveLength(1));
  await emit(redis, 'after', 'message.sent');
  await vi.waitFor(() => expect(heard()).toEqual(['after']));
});

test('a group whose events were forgotten before it read them is told so once, and goes on with the oldest', async () => {
  const { redis, listen } = await stream();
  await readOne(redis, listen);
  await emitMany(redis, ['b', 'c', 'd']);
  await redis.xtrim(keys.events, 'MAXLEN', 1);
  const { heard, errors } = listen();
  await vi.waitFor(() => expect(heard()).toEqual(['d']));
  expect(errors).toEqual([[expect.any(CursorTooOld), undefined]]);
});

test('a group that had read all that was forgotten is told nothing', async () => {
  const { redis, listen } = await stream();
  await readOne(redis, listen);
  await emit(redis, 'b', 'message.sent');
  await redis.xtrim(keys.events, 'MAXLEN', 1);
  const { heard, errors } = listen();
  await vi.waitFor(() => expect(heard()).toEqual(['b']));
  expect(errors).toEqual([]);
});

test('a Redis that counts nothing of what was read (6.2) has it told to be safe, and holds nobody up', async () => {
  const group = ['name', 'ours', 'consumers', 1, 'pending', 0, 'last-delivered-id', '5-0'];
  const whole = ['length', 1, 'last-generated-id', '9-0', 'groups', 1];
  const info = async (what: string) => (what === 'GROUPS' ? [group] : whole);
  // What a 7.0 answers, without the two names that it has beside these.
  const redis = onlyOf<Pick<Redis, 'xinfo' | 'xrange'>>({ xinfo: info, xrange: async () => [['9-0', []]] });
  const errors: unknown[] = [];
  const asked = { redis, group: 'ours', onError: (error: unknown) => void errors.push(error) };
  const told = await tellForgotten(asked, '');
  expect(errors).toEqual([expect.any(CursorTooOld)]);
  expect(await tellForgotten(asked, told)).toBe(told);
  expect(errors).toHaveLength(1);
});

test('a Redis that goes away and comes back is waited for, and nothing is missed', async () => {
  const server = await startEmbeddedRedis();
  toClose.push(() => server.stop());
  const heard: string[] = [];
  const errors: unknown[] = [];
  const stop = new AbortController();
  const ended = onEvent({
    redis: server.url,
    group: 'ours',
    signal: stop.signal,
    retryAfter: ['50ms'],
    handler: ({ data }) => void heard.push(data.id),
    onError: (error) => errors.push(error),
  });
  toClose.push(async () => {
    stop.abort();
    await ended;
  });
  await server.stop();
  await vi.waitFor(() => expect(errors.length).toBeGreaterThan(0));
  const again = await startEmbeddedRedis({ port: server.port });
  toClose.push(() => again.stop());
  const redis = openCommands({ url: again.url }, { name: 'test', onError: () => undefined });
  toClose.push(async () => redis.disconnect());
  await waitUntilReady(redis, 10_000);
  await emit(redis, 'a', 'message.sent');
  await vi.waitFor(() => expect(heard).toEqual(['a']), { timeout: 10_000 });
});

test('wrong options are named', async () => {
  const signal = new AbortController().signal;
  const options = { redis: 'redis://127.0.0.1:1', group: 'ours', handler: () => undefined, signal };
  await expect(onEvent({ ...options, group: 'with space' })).rejects.toThrow(/group must be/);
  await expect(onEvent({ ...options, types: ['paid' as never] })).rejects.toThrow(/paid: no such event; they are/);
  await expect(onEvent({ ...options, retryAfter: [] })).rejects.toThrow(/at least one wait/);
  await expect(onEvent({ ...options, retryAfter: ['soon'] })).rejects.toThrow(/not a duration/);
});

async function stream() {
  const fresh = await freshRedis();
  toClose.push(() => fresh.close());
  const { url, redis } = fresh;
  const listen = (options: Partial<OnEventOptions> = {}) => {
    const heard: CompletionEvent[] = [];
    const errors: [unknown, CompletionEvent | undefined][] = [];
    const stop = new AbortController();
    const { handler = () => undefined } = options;
    const ended = onEvent({
      redis: url,
      group: 'ours',
      retryAfter: ['150ms', '150ms', '150ms'],
      onError: (error, event) => errors.push([error, event]),
      ...options,
      signal: stop.signal,
      handler: (event, context) => {
        heard.push(event);
        return handler(event, context);
      },
    });
    toClose.push(async () => {
      stop.abort();
      await ended;
    });
    return { heard: () => heard.map(({ data }) => data.id), errors, stop: () => stop.abort(), ended };
  };
  // As anybody looks who has not heard of our prefix.
  const outside = new Redis(url);
  toClose.push(async () => outside.disconnect());
  return { redis, listen, outside };
}

type Listen = Awaited<ReturnType<typeof stream>>['listen'];

/** A group that has read one event, and stopped. */
async function readOne(redis: Redis, listen: Listen): Promise<void> {
  await emit(redis, 'a', 'message.sent');
  const { heard, stop, ended } = listen();
  await vi.waitFor(() => expect(heard()).toEqual(['a']));
  stop();
  await ended;
}

async function emitMany(redis: Redis, ops: readonly string[]): Promise<void> {
  for (const op of ops) await emit(redis, op, 'message.sent');
}

async function pendingOf(redis: Redis): Promise<number> {
  const [count] = (await redis.xpending(keys.events, 'ours')) as [number];
  return count;
}
