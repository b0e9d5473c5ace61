/**
 * Each script is run again from where it was called, with each field that it can see damaged in turn: it changes
 * everything that it wanted to, or nothing at all.
 */
import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { systemRandom } from '../../src/lib/random.ts';
import { KeptFiles } from '../../src/operations/kept-files.ts';
import { Purge } from '../../src/operations/purge.ts';
import { Retries } from '../../src/operations/retries.ts';
import { campaignWorld } from '../processors/campaign-world.ts';
import { keysLike, storeOfThisFile } from '../support/fresh-redis.ts';

const store = storeOfThisFile();

type State = ReadonlyMap<string, string>;
interface Call {
  readonly sha: string;
  readonly keys: readonly string[];
  readonly args: readonly string[];
  readonly before: State;
}

async function stateOf(redis: Redis): Promise<State> {
  const names = await keysLike(redis, '*');
  const dumps = await Promise.all(names.map((name) => redis.dumpBuffer(name)));
  return new Map(names.map((name, at) => [name, dumps[at]?.toString('base64') ?? '']));
}

/** A dump of a hash has its fields in no order of their own. */
async function contentsOf(redis: Redis): Promise<State> {
  const contents = new Map(await stateOf(redis));
  for (const name of contents.keys()) {
    if ((await redis.type(name)) !== 'hash') continue;
    const fields = Object.entries(await redis.hgetall(name));
    contents.set(name, JSON.stringify(fields.sort(([one], [other]) => one.localeCompare(other))));
  }
  return contents;
}

async function restore(redis: Redis, state: State): Promise<void> {
  await redis.flushdb();
  const all = [...state].map(([name, dump]) => redis.restore(name, 0, Buffer.from(dump, 'base64')));
  await Promise.all(all);
}

/** Notes every call of a script, and how Redis was before it. */
function noting(redis: Redis): { readonly calls: Call[]; readonly stop: () => void } {
  const calls: Call[] = [];
  const evalsha = redis.evalsha.bind(redis) as (...words: unknown[]) => Promise<unknown>;
  const noted = async (sha: string, count: number, ...words: unknown[]): Promise<unknown> => {
    const texts = words.map(String);
    const before = await stateOf(redis);
    calls.push({ sha, keys: texts.slice(0, count), args: texts.slice(count), before });
    return evalsha(sha, count, ...words);
  };
  Object.assign(redis, { evalsha: noted });
  return { calls, stop: () => void Object.assign(redis, { evalsha }) };
}

/** A life of money and one of texts, with what people do in between. */
async function live(redis: Redis): Promise<void> {
  const world = campaignWorld(redis);
  const { operations, campaigns, queries } = world;
  const money = { amount: 500, accountAlias: '771234567', withdrawMode: 'wallet-a-senegal', by: 'a' };
  const fields = { ...money, disburseId: 'd1' };
  const names = { kind: 'disbursement', account: 'main', state: 'queued', fingerprint: 'f', dueInMs: 0 } as const;
  await operations.accept({ ...names, id: 'dsb_1', xof: 500, fields });
  const heard = { operation: 'callback', code: 'completed' } as const;
  await operations.nudge('disbursement', 'dsb_1', heard, 0);
  await operations.appendEvidence('dsb_1', heard);
  const record = await queries.read('disbursement', 'dsb_1');
  if (!record) throw new Error('it was accepted');
  const event = { type: 'disbursement.cancelled', data: { id: 'dsb_1', state: 'cancelled' } };
  await operations.transition(record, undefined, { to: 'cancelled', event, evidence: heard });
  await world.accounts.hold('main', 'payments', 'funds');
  await world.accounts.release('main', 'payments', 'funds');

  world.answer((_message, index) => ({ outcome: index === 0 ? 'failed' : 'sent' }));
  const id = await world.started(2);
  await campaigns.amend(id, { perSecond: 50 });
  await campaigns.switch(id, 'pause');
  await campaigns.switch(id, 'resume');
  await world.looks(3);
  await new Retries(redis, { now: world.now }).start(id, { includeUnknown: false, key: 'again' });
  await world.looks(3);
  await new Purge(redis, { files: new KeptFiles({ redis: redis, random: systemRandom }) }).page({
    phone: '+221711000000',
    reads: () => false,
  });
  await campaigns.switch(await world.started(1), 'cancel');
}

const DAMAGES = ['x', undefined] as const;

interface Damage {
  readonly key: string;
  readonly field: string;
  /** Undefined: the field is gone. */
  readonly value: string | undefined;
}

/** Every field of every hash that the script was given. */
async function damagesOf(redis: Redis, call: Call): Promise<Damage[]> {
  await restore(redis, call.before);
  const damages: Damage[] = [];
  for (const key of new Set(call.keys)) {
    const fields = (await redis.type(key)) === 'hash' ? await redis.hkeys(key) : [];
    damages.push(...fields.flatMap((field) => DAMAGES.map((value) => ({ key, field, value }))));
  }
  return damages;
}

/** What a script that failed has changed all the same; undefined: it did not fail. */
async function changedBy(redis: Redis, call: Call, { key, field, value }: Damage): Promise<string[] | undefined> {
  await restore(redis, call.before);
  await (value === undefined ? redis.hdel(key, field) : redis.hset(key, field, value));
  const before = await contentsOf(redis);
  const failed = await redis.evalsha(call.sha, call.keys.length, ...call.keys, ...call.args).then(
    // Of those who share a script, each is told for itself.
    (answer) => /"(?:error|failed)"/.test(JSON.stringify(answer)),
    () => true,
  );
  if (!failed) return undefined;
  const after = await contentsOf(redis);
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
}

test('a script that meets a damaged field changes nothing, or all that it wanted to', async () => {
  const { redis } = store;
  const { calls, stop } = noting(redis);
  await live(redis);
  stop();
  const each = new Map(calls.map((call) => [`${call.sha} ${call.keys.length}`, call] as const));
  expect(new Set(calls.map(({ sha }) => sha)).size).toBeGreaterThan(12);
  const halves: string[] = [];
  let refused = 0;
  for (const call of each.values()) {
    for (const damage of await damagesOf(redis, call)) {
      const changed = await changedBy(redis, call, damage);
      if (changed !== undefined) refused += 1;
      if (changed?.length) halves.push(`${call.sha} ${JSON.stringify(damage)}: ${changed.join(' ')}`);
    }
  }
  expect(halves).toEqual([]);
  expect(refused).toBeGreaterThan(20);
}, 240_000);
