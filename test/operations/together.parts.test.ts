import { beforeEach, describe, expect, test, vi } from 'vitest';
import { startEmbeddedRedis } from '../../src/redis/embedded.ts';
import { openCommands, waitUntilReady } from '../../src/redis/connections.ts';
import { defineScript } from '../../src/operations/scripts/script.ts';
import { type Ask, TOGETHER, together } from '../../src/operations/scripts/together.ts';
import { storeOfThisFile } from '../support/fresh-redis.ts';

/** Adds to each record, and fails for what is no number. */
const addScript = defineScript(
  'add (test)',
  `${TOGETHER}
local calls = redis.call('INCR', KEYS[1])
local answers, refused = each(function(record, first, words)
  return {redis.call('INCRBY', record, ARGV[first]), ARGV[4], words, #KEYS - shared_keys - records}
end)
if refused then return {err = refused} end
return {calls, answers}`,
);

/** Writes only in its steps, as ours do. */
const setScript = defineScript(
  'set (test)',
  `${TOGETHER}
local answers, refused = each(function(record, first) return redis.call('SET', record, ARGV[first]) end)
if refused then return {err = refused} end
return {'', answers}`,
);

const store = storeOfThisFile();
let add: ReturnType<typeof together>;
beforeEach(() => {
  add = together(store.redis, addScript);
});

const ask = (key: string, by: number, more: Partial<Ask> = {}): Ask => ({
  shared: { keys: ['calls'], words: ['all'] },
  key,
  words: [by],
  ...more,
});

describe('those who ask the same in one turn', () => {
  test('share a script, and each has its own answer', async () => {
    const answers = await Promise.all([add(ask('a', 1)), add(ask('b', 2)), add(ask('a', 10))]);
    expect(answers).toEqual([
      [1, [1, 'all', 1, 0]],
      [1, [2, 'all', 1, 0]],
      [1, [11, 'all', 1, 0]],
    ]);
    expect(await add(ask('a', 1))).toEqual([2, [12, 'all', 1, 0]]);
  });

  test('are as many as take Redis a few ms, and then there is a second script', async () => {
    await Promise.all(Array.from({ length: 33 }, (_, n) => add(ask(`record-${n}`, 1))));
    expect(await store.redis.get('calls')).toBe('2');
  });

  test('and differ in a word or a key of all have a script of their own, as has who brings more keys', async () => {
    const answers = await Promise.all([
      add(ask('a', 1)),
      add(ask('b', 1, { shared: { keys: ['calls'], words: ['others'] } })),
      add(ask('c', 1, { moreKeys: ['more', 'and more'] })),
      add(ask('d', 1, { moreKeys: ['more'] })),
    ]);
    expect(answers.map(([, own]) => own)).toEqual([
      [1, 'all', 1, 0],
      [1, 'others', 1, 0],
      [1, 'all', 1, 2],
      [1, 'all', 1, 1],
    ]);
    expect(await store.redis.get('calls')).toBe('4');
  });

  test('are not failed by what is wrong with the record of one of them', async () => {
    await store.redis.set('broken', 'no number');
    const [bad, good, other] = await Promise.allSettled([add(ask('broken', 1)), add(ask('a', 1)), add(ask('b', 1))]);
    expect([bad.status, good.status, other.status]).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(bad).toMatchObject({ reason: { message: expect.stringContaining('not an integer') } });
    expect(await store.redis.mget('a', 'b', 'calls')).toEqual(['1', '1', '1']);
  });

  test('are refused in the words of Redis when it refuses them all, and the connection goes by them', async () => {
    const server = await startEmbeddedRedis();
    const redis = openCommands({ url: server.url }, { name: 'demoted', onError: () => undefined });
    try {
      await waitUntilReady(redis, 5_000);
      const closed = vi.fn();
      redis.on('close', closed);
      const ours = together(redis, setScript);
      await ours(ask('a', 1));
      await redis.replicaof('127.0.0.1', '1');
      const answers = await Promise.allSettled([ours(ask('a', 1)), ours(ask('b', 1))]);
      for (const answer of answers) expect(answer).toMatchObject({ reason: { message: /^READONLY / } });
      await vi.waitFor(() => expect(closed).toHaveBeenCalledTimes(1));
    } finally {
      redis.disconnect();
      await server.stop();
    }
  });

  test('are all told when their connection is gone, and none of them is asked again', async () => {
    const { host, port, db } = store.redis.options;
    const redis = openCommands({ url: `redis://${host}:${port}/${db}` }, { name: 'gone', onError: () => undefined });
    await waitUntilReady(redis, 5_000);
    redis.disconnect();
    const lost = together(redis, addScript);
    const answers = await Promise.allSettled([lost(ask('a', 1)), lost(ask('b', 1))]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await store.redis.exists('a', 'b')).toBe(0);
  });
});
