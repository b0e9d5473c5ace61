import type { Redis } from 'ioredis';
import { seededRandom } from '../../src/lib/random.ts';
import { fieldsOf } from '../../src/operations/record.ts';
import { readEventData } from '../../src/operations/transition.ts';
import { keys } from '../../src/operations/keys.ts';
import { Names } from '../../src/operations/places.ts';
import { Operations } from '../../src/operations/operations.ts';
import type { StoredEvent } from '../support/memory-store.ts';
import { type OperationsUnderTest, START } from './under-test.ts';
import { keysLike } from '../support/fresh-redis.ts';

/** Empties the database first. */
export async function redisUnderTest(redis: Redis, seed = 1): Promise<OperationsUnderTest> {
  await redis.flushdb();
  const clock = { now: START };
  let repeat = false;
  const repeating = new Proxy(redis, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      const call = member.bind(target) as (...args: unknown[]) => Promise<unknown>;
      if (!['evalsha', 'eval', 'hmget'].includes(String(name))) return call;
      return async (...args: unknown[]) => {
        if (repeat) await call(...args);
        repeat = false;
        return call(...args);
      };
    },
  });
  // Once for a connection, and nothing to repeat.
  await Names.of({ redis: repeating }).placeOf('');
  return {
    operations: new Operations({ redis: repeating, random: seededRandom(seed), now: () => clock.now }),
    clock,
    fields: (key) => redis.hgetall(key),
    score: async (key, member) => {
      const score = await redis.zscore(key, member);
      return score === null ? undefined : Number(score);
    },
    events: () => eventsOf(redis),
    everything: () => everythingIn(redis),
    hold: async (account, reason) => void (await redis.hset(keys.account(account), `held:${reason}`, START)),
    pause: async (queue) => void (await redis.hset(keys.queue(queue), 'paused', 1)),
    repeatNext: () => {
      repeat = true;
    },
  };
}

async function eventsOf(redis: Redis): Promise<StoredEvent[]> {
  const entries = await redis.xrange(keys.events, '-', '+');
  return entries.map(([, flat]) => {
    const { op = '', seq, at, account = '', type = '', data = '' } = fieldsOf(flat);
    const told = JSON.stringify(readEventData({ op, type, data }));
    return { op, seq: Number(seq), at: Number(at), account, type, data: told };
  });
}

/** But for the index of names: who finds what is no business of a keeper. */
async function everythingIn(redis: Redis): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  const kept = (await keysLike(redis, '*')).filter((key) => key !== keys.nameKey && !key.startsWith(keys.names('')));
  for (const key of kept) {
    // The book of the day is counted by the scripts alone; test/operations/book.parts.test.ts is about it.
    if (key === keys.book || key === keys.closedDays) continue;
    const type = await redis.type(key);
    if (type === 'hash') all[key] = await redis.hgetall(key);
    if (type === 'string') all[key] = await redis.get(key);
    if (type === 'zset') all[key] = scoresOf(await redis.zrange(key, '0', '-1', 'WITHSCORES'));
  }
  return all;
}

function scoresOf(flat: readonly string[]): Record<string, number> {
  return Object.fromEntries(Object.entries(fieldsOf(flat)).map(([member, score]) => [member, Number(score)]));
}
