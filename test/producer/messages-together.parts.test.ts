import type { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import type { InputOf } from '../../src/kinds/index.ts';
import { seededRandom } from '../../src/lib/random.ts';
import { type MessageItem, messageIn, unpackItems } from '../../src/operations/slice-form.ts';
import { keys } from '../../src/operations/keys.ts';
import { acceptMessages } from '../../src/operations/messages.ts';
import { acceptMessagesScript, nameKeyScript } from '../../src/operations/scripts/generated/scripts.ts';
import { type Answer } from '../../src/producer/acceptance.ts';
import { MOST_FILLING } from '../../src/producer/message-filler.ts';
import { keysLike, redisAlone, storeOfThisFile } from '../support/fresh-redis.ts';
import { aMessage, numberOf } from './asking.ts';
import { running } from './running.ts';
import { acceptanceOver } from '../support/acceptance.ts';

const store = storeOfThisFile(redisAlone);
let seed = 0;

/** The Redis of this file, to which scripts go by this way. */
function redisWhere(evalsha: (sha: string, ...words: string[]) => Promise<unknown>): Redis {
  return new Proxy(store.redis, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (name === 'evalsha') return evalsha;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** One process that accepts, with its window in the test's hand. */
function door() {
  const scripts: string[] = [];
  const woken: string[] = [];
  const windows: (() => void)[] = [];
  const redis = redisWhere((sha, ...words) => {
    // Asked once for a connection.
    if (sha !== nameKeyScript.sha) scripts.push(sha);
    return store.redis.call('evalsha', sha, ...words);
  });
  seed += 1;
  const acceptance = acceptanceOver({
    redis,
    random: seededRandom(seed),
    environment: 'test',
    batchWindowMs: 50,
    after: (_ms, run) => {
      windows.push(run);
      return () => undefined;
    },
    wake: (_queue, id) => woken.push(id),
  });
  const ask = (requests: readonly unknown[], by = acceptance) =>
    Promise.all(requests.map((request) => by.message(request)));
  return { acceptance, ask, scripts, woken, passWindow: () => windows.splice(0).forEach((run) => run()) };
}

const texts = (count: number, more: (n: number) => Partial<InputOf<'message'>> = () => ({})) =>
  Array.from({ length: count }, (_, n) => aMessage({ to: numberOf(n), text: `n ${n}`, ...more(n) }));
const named = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => aMessage({ to: numberOf(from + n), reference: `r-${from + n}` }));

async function slices(redis: Redis = store.redis): Promise<Record<string, MessageItem[]>> {
  const ids = await redis.zrange(keys.due('sms-batch'), '0', '-1');
  const all = ids.map(async (id) => {
    const [count, items] = await redis.hmget(keys.record(id), 'count', 'items');
    const unpacked = unpackItems({ items: items ?? '', rows: '' }).map(messageIn);
    expect(unpacked).toHaveLength(Number(count));
    return [id, unpacked] as const;
  });
  return Object.fromEntries(await Promise.all(all));
}

const everyone = async (redis?: Redis): Promise<MessageItem[]> => Object.values(await slices(redis)).flat();
/** The one it is, or contradicts. */
const idIn = (answer: Answer | undefined): string | undefined =>
  answer && 'id' in answer ? answer.id : answer?.outcome === 'conflict' ? answer.existingId : undefined;
const outcomes = (answers: readonly { outcome: string }[]): string[] => answers.map(({ outcome }) => outcome);

/** How often Redis carried out each of these while `work` ran. */
async function callsOf(names: readonly string[], work: () => Promise<unknown>) {
  const soFar = async (): Promise<number[]> => {
    const stats = await store.redis.info('commandstats');
    return names.map((name) => Number(new RegExp(`^cmdstat_${name}:calls=(\\d+)`, 'm').exec(stats)?.[1] ?? 0));
  };
  const before = await soFar();
  await work();
  const after = await soFar();
  return Object.fromEntries(names.map((name, at) => [name, (after[at] ?? 0) - (before[at] ?? 0)]));
}

describe('messages that are asked for in one turn', () => {
  test('of several requests are told in a line each, and the end of the audit is read and written once', async () => {
    const { acceptance, ask } = door();
    await ask(texts(1));
    const act = {
      by: 'shop',
      person: '',
      role: 'enqueue',
      door: 'api',
      act: 'message.accepted',
      target: '',
    } as const;
    const asked = texts(10, (n) => ({ to: numberOf(n + 1) }));
    const calls = await callsOf(['xadd', 'get', 'set'], () =>
      Promise.all(asked.map((one, n) => acceptance.actingAs({ ...act, requestId: `r-${n}` }).message(one))),
    );
    expect(calls).toEqual({ xadd: 10, get: 1, set: 1 });
    const lines = await store.redis.xrange(keys.audit, '-', '+');
    expect(lines.map(([, words]) => words[words.indexOf('requestId') + 1])).toEqual(asked.map((_, n) => `r-${n}`));
  });

  test('cost one script for each slice they fill, and keep their order in it', async () => {
    const { ask, scripts, woken, passWindow } = door();
    await ask(texts(1));
    passWindow();
    scripts.length = 0;
    woken.length = 0;
    const answers = await ask(texts(120));
    expect(scripts).toEqual(Array(3).fill(acceptMessagesScript.sha));
    const filled = await slices();
    const places = answers.map(idIn);
    const [, ...rest] = Object.values(filled).toSorted(
      (a, b) => places.indexOf(a[0]?.id ?? '') - places.indexOf(b[0]?.id ?? ''),
    );
    expect(rest.map((items) => items.map(({ id }) => id))).toEqual([
      places.slice(0, 50),
      places.slice(50, 100),
      places.slice(100),
    ]);
    expect(woken).toHaveLength(2);
    passWindow();
    expect(new Set(woken)).toHaveLength(3);
    expect(await store.redis.hget(keys.counts('message'), 'queued')).toBe('121');
    expect(await store.redis.hget(keys.counts('slice'), 'queued')).toBe('4');
  });

  test('join the slice that is open until it has fifty, and go on into the next', async () => {
    const { ask, scripts } = door();
    await ask(named(30));
    await ask(named(30, 30));
    const sizes = Object.values(await slices()).map(({ length }) => length);
    expect(new Set(sizes)).toEqual(new Set([50, 10]));
    expect(scripts).toHaveLength(3);
  });

  test('are sent at once where they are one-time passwords and none has left lately', async () => {
    const { ask, woken, passWindow } = door();
    const codes = (from: number) => [0, 1].map((n) => aMessage({ to: numberOf(from + n), lane: 'otp' }));
    await ask(codes(0));
    expect(woken).toHaveLength(1);
    // Where many come they are collected.
    await ask(codes(2));
    await ask(codes(4));
    expect(woken).toHaveLength(1);
    passWindow();
    expect(woken).toHaveLength(2);
    passWindow();
    await ask(codes(6));
    expect(woken).toHaveLength(3);
    const sizes = await Promise.all(woken.map((id) => store.redis.hget(keys.record(id), 'count')));
    expect(sizes).toEqual(['2', '4', '2']);
  });

  test('are never more than fifty in a slice, whoever asks for how many', async () => {
    const messages = Array.from({ length: 60 }, (_, n) => ({
      id: `m${n}`,
      fingerprint: 'fp',
      to: numberOf(n),
      text: 'x',
    }));
    const slice = { id: 'chk_1', account: 'main', lane: 'normal', dueInMs: 0 } as const;
    const { count, verdicts } = await acceptMessages(store.redis, slice, messages);
    expect(count).toBe(50);
    expect(outcomes(verdicts)).toEqual([...Array(50).fill('accepted'), ...Array(10).fill('full')]);
    const again = await acceptMessages(store.redis, slice, messages);
    expect(outcomes(again.verdicts)).toEqual([...Array(50).fill('duplicate'), ...Array(10).fill('full')]);
    expect(await store.redis.exists(keys.record('m50'))).toBe(0);
    expect(await everyone()).toHaveLength(50);
  });

  test('are in the slice as they were asked for, whatever they are written with', async () => {
    const text = 'a/b "c" \\ \n\t ’é 🙂 {"x":[1]} %s';
    const expiresAt = '2030-01-01T00:00:00.000Z';
    const { ask } = door();
    await ask([
      aMessage({ to: numberOf(0), text, from: 'L\'É/"X"', expiresAt }),
      aMessage({ to: numberOf(1), text: '1' }),
    ]);
    const [first, second] = await everyone();
    const id = expect.stringMatching(/^msg_/);
    expect(first).toEqual({ id, to: numberOf(0), from: 'L\'É/"X"', text, expiresAt: Date.parse(expiresAt) });
    expect(second).toEqual({ id, to: numberOf(1), from: '', text: '1', expiresAt: 0 });
    expect(await store.redis.hmget(keys.record(first?.id ?? ''), 'text', 'from', 'expiresAt', 'reference')).toEqual([
      text,
      'L\'É/"X"',
      String(Date.parse(expiresAt)),
      null,
    ]);
  });

  test('of which one cannot be read are accepted all the same, and none is left without a slice', async () => {
    const [, torn, half] = (await door().ask(named(3))).map((answer) => keys.record(idIn(answer) ?? ''));
    await store.redis.flushdb();
    await store.redis.set(torn ?? '', 'no record at all');
    await store.redis.hset(half ?? '', 'fp', 'of no state');
    const { acceptance } = door();
    const answers = await Promise.allSettled(named(4).map((one) => acceptance.message(one)));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect((await everyone()).map(({ to }) => to)).toEqual([numberOf(0), numberOf(3)]);
    expect(await store.redis.hget(keys.counts('message'), 'queued')).toBe('2');
  });

  test('are in their slice also where the place in which one is found cannot take it', async () => {
    await door().ask(named(1));
    const others = (await keysLike(store.redis, '*')).filter((name) => name !== keys.nameKey);
    await store.redis.del(...others);
    const bucket = others.find((name) => name.includes('names:')) ?? '';
    await store.redis.set(bucket, 'no place at all');
    const { acceptance } = door();
    const asked = () => Promise.allSettled(named(3).map((one) => acceptance.message(one)));
    await asked();
    const answers = await asked();
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    expect((await everyone()).map(({ to }) => to)).toEqual([numberOf(0), numberOf(1), numberOf(2)]);
  });

  test('have a verdict each, where some are new, some repeated and some contradict', async () => {
    const { ask, scripts } = door();
    const before = await ask(named(10));
    scripts.length = 0;
    const changed = { ...named(1, 3)[0], text: 'another' };
    const answers = await ask([...named(3), changed, ...named(3, 9), { to: 'nobody' }, ...named(1, 10)]);
    expect(scripts).toHaveLength(1);
    expect(outcomes(answers)).toEqual([
      ...Array(3).fill('duplicate'),
      'conflict',
      'duplicate',
      'accepted',
      'accepted',
      'invalid',
      'duplicate',
    ]);
    const idAt = (at: number) => idIn(before[at]);
    expect(answers.slice(0, 4)).toMatchObject([
      { id: idAt(0) },
      { id: idAt(1) },
      { id: idAt(2) },
      { existingId: idAt(3) },
    ]);
    expect(answers[8]).toMatchObject({ id: idIn(answers[5]) });
    expect(new Set((await everyone()).map(({ id }) => id))).toHaveLength(12);
  });

  test('and share a reference under two identities are one message, and the second is told which', async () => {
    const { acceptance, scripts } = door();
    const message = aMessage({ reference: 'shared' });
    const [first, second, third] = await Promise.all([
      acceptance.message(message, 'key-1'),
      acceptance.message(message),
      acceptance.message({ ...message, to: numberOf(9) }, 'key-2'),
    ]);
    expect(first).toMatchObject({ outcome: 'accepted' });
    const existingId = idIn(first);
    expect([second, third]).toEqual([
      { outcome: 'conflict', existingId, differs: [] },
      { outcome: 'conflict', existingId, differs: ['/to'] },
    ]);
    expect(await everyone()).toHaveLength(1);
    expect(scripts).toHaveLength(2);
  });

  test('and find their slice begun by somebody go into the next, in their order', async () => {
    const { ask, woken, passWindow } = door();
    await ask(named(10));
    const [begun = ''] = Object.keys(await slices());
    await store.redis.hset(keys.record(begun), 'lease', 'somebody');
    const answers = await ask([...named(5), ...named(20, 10)]);
    expect(outcomes(answers)).toEqual([...Array(5).fill('duplicate'), ...Array(20).fill('accepted')]);
    const { [begun]: untouched, ...others } = await slices();
    expect(untouched).toHaveLength(10);
    const next = Object.values(others).flat();
    expect(next.map(({ to }) => to)).toEqual(Array.from({ length: 20 }, (_, n) => numberOf(10 + n)));
    passWindow();
    expect(woken.toSorted()).toEqual([begun, ...Object.keys(others)].toSorted());
  });

  test('of two lanes and of the same number twice are in slices of their own', async () => {
    const { ask } = door();
    await ask([...texts(2), ...texts(2, () => ({ lane: 'otp' })), ...texts(2)]);
    expect(Object.values(await slices()).map(({ length }) => length)).toEqual([2, 2]);
    expect(await store.redis.zcard(keys.due('sms-otp'))).toBe(1);
  });

  test('fill their slices although everybody stands several times in a row, and keep the order of each', async () => {
    const { ask, woken } = door();
    const times = 3;
    const asked = Array.from({ length: 100 * times }, (_, n) =>
      aMessage({ to: numberOf(Math.floor(n / times)), text: String(n % times) }),
    );
    await ask(asked);
    const filled = await slices();
    expect(Object.values(filled).map(({ length }) => length)).toEqual(Array(2 * times).fill(50));
    for (const items of Object.values(filled)) expect(new Set(items.map(({ to }) => to))).toHaveLength(50);
    const inOrder = woken.flatMap((id) => filled[id] ?? []).filter(({ to }) => to === numberOf(7));
    expect(inOrder.map(({ text }) => text)).toEqual(['0', '1', '2']);
  });

  test('and are all to one number wait in few slices at a time, the oldest of which goes first', async () => {
    const { ask, woken, passWindow } = door();
    const answers = await ask(Array.from({ length: MOST_FILLING + 2 }, (_, n) => aMessage({ text: String(n) })));
    expect(woken).toHaveLength(2);
    passWindow();
    const filled = await slices();
    expect(woken.flatMap((id) => filled[id] ?? []).map(({ id }) => id)).toEqual(answers.map(idIn));
  });

  test('and are asked for again find their slices, and send none of them off before its time', async () => {
    const { ask, woken } = door();
    const several = Array.from({ length: MOST_FILLING }, (_, n) => aMessage({ reference: `r-${n}` }));
    await ask(several);
    expect(outcomes(await ask(several.toReversed()))).toEqual(Array(MOST_FILLING).fill('duplicate'));
    expect([woken, Object.keys(await slices()).length]).toEqual([[], MOST_FILLING]);
  });

  test('and are lost with their connection are all told so, and nobody is woken for them', async () => {
    const woken: string[] = [];
    const broken = acceptanceOver({
      redis: redisWhere(() => Promise.reject(new Error('Connection is closed.'))),
      random: seededRandom(1),
      environment: 'test',
      batchWindowMs: 0,
      after: () => () => undefined,
      wake: (_queue, id) => woken.push(id),
    });
    const settled = await Promise.allSettled(named(60).map((request) => broken.message(request)));
    broken.flush();
    expect(new Set(settled.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(woken).toEqual([]);
  });
});

test('a hundred references through every door of two processes at once are a hundred messages', async () => {
  const { redis, producer } = await running();
  const own = { environment: 'default', batchWindowMs: 50, wake: () => undefined };
  const process = () => acceptanceOver({ ...own, redis, random: seededRandom(seed++), after: () => () => undefined });
  const [other, bulk] = [process(), process()];
  const asked = named(100);
  const [listed, ...many] = await Promise.all([
    producer.sendMessages(asked),
    ...[other, bulk, bulk].map((door_) => Promise.all(asked.toReversed().map((request) => door_.message(request)))),
  ]);
  const all = [listed, ...many.map((answers) => answers.toReversed())];
  for (const [at] of asked.entries()) {
    const verdicts = all.map((answers) => answers[at]);
    expect(new Set(verdicts.map((verdict) => verdict && 'id' in verdict && verdict.id))).toHaveLength(1);
    expect(verdicts.filter((verdict) => verdict?.outcome === 'accepted')).toHaveLength(1);
    expect(verdicts.filter((verdict) => verdict?.outcome === 'duplicate')).toHaveLength(3);
  }
  const items = await everyone(redis);
  expect(new Set(items.map(({ id }) => id))).toHaveLength(100);
  expect(items).toHaveLength(100);
});
