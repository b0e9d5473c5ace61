import { expect, test } from 'vitest';
import { defineScript, runScript } from '../../src/redis/scripts.ts';
import { redisAlone, storeOfThisFile } from '../support/fresh-redis.ts';
import { type EchoArgs, echo, echoScript } from './scripts/generated/scripts.ts';

const store = storeOfThisFile(redisAlone);

const args: EchoArgs = {
  record: 'a',
  lists: [],
  sure: false,
  person: { name: 'Awa' },
  mood: 'sad',
  numbers: [],
  fields: {},
  rows: [],
};

test('what is not there arrives as nothing', async () => {
  const answer = await echo(store.redis, args);
  expect(answer).toMatchObject({
    is: 'echo',
    sure: false,
    greeting: 'Awa',
    mood: 'sad',
    sum: 0,
    fields: {},
    rows: [],
  });
  expect(answer).toMatchObject({ said: undefined, wait: undefined });
});

test('every type of an argument arrives, and every type of an answer comes back', async () => {
  const rows = [
    { row: 'r1', id: '1', marks: ['x', 'y'] },
    { row: 'r2', id: '2', marks: [] },
    { row: 'r3', twin: 't3', id: '3', marks: ['z'] },
  ];
  const person = { name: 'Awa', age: 7 };
  const given = { other: 'b', lists: ['c', 'd'], said: 'hm', wait: 0, sure: true, person, numbers: [2, 3] };
  const answer = await echo(store.redis, { ...args, ...given, mood: 'glad', fields: { one: 1, two: '2' }, rows });
  const { keyPrefix = '' } = store.redis.options;
  expect(answer).toEqual({
    is: 'echo',
    keys: ['a', 'b', 'c', 'd'].map((key) => `${keyPrefix}${key}`),
    said: 'hm',
    wait: 0,
    sure: true,
    greeting: 'Awa 7',
    mood: 'glad',
    sum: 5,
    fields: { one: '1', two: '2' },
    rows: [
      { is: 'row', row: `${keyPrefix}r1`, twin: undefined, id: '1', marks: ['x', 'y'] },
      { is: 'lone' },
      { is: 'row', row: `${keyPrefix}r3`, twin: `${keyPrefix}t3`, id: '3', marks: ['z'] },
    ],
  });
});

test('an answer without members is its name alone', async () => {
  expect(await echo(store.redis, { ...args, said: 'nothing' })).toEqual({ is: 'silent' });
});

test('a script that this Redis has not met goes over the wire once, also for many calls of one moment', async () => {
  await store.redis.script('FLUSH');
  expect(await Promise.all([echo(store.redis, args), echo(store.redis, args)])).toHaveLength(2);
  expect(await store.redis.script('EXISTS', echoScript.sha)).toEqual([1]);
});

test('a refusal of Redis is told with the name of the script', async () => {
  const broken = defineScript('broken', 'return redis.call("HGET", KEYS[1])');
  await expect(runScript(store.redis, broken, ['a'], [])).rejects.toThrow(/\(script broken\)$/);
});

test('an answer that the head does not promise is refused', async () => {
  const other = { evalsha: async () => ['aloud'], eval: async () => null };
  await expect(echo(other, args)).rejects.toThrow('a script answered what its head does not say: ["aloud"]');
});
