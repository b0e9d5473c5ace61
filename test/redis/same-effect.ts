/**
 * Whether two ways of doing the same do the same: random commands to both, each with a database of its own, and after
 * each of them the answers and all that Redis holds are compared.
 */
import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import { keysLike } from '../support/fresh-redis.ts';

/** Numbers below `n`, the same again for the same seed. */
export type Dice = (n: number) => number;

export function dice(seed: number): Dice {
  let state = seed >>> 0 || 1;
  return (n) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % n;
  };
}

export const oneOf = <T>(roll: Dice, list: readonly T[]): T => list[roll(list.length)]!;

export interface SameEffect<W> {
  readonly seed: number;
  readonly steps: number;
  readonly one: { readonly redis: Redis; readonly way: W };
  readonly other: { readonly redis: Redis; readonly way: W };
  /** What need not be the same: times by the clock of Redis itself. */
  readonly blur?: RegExp;
  /** Rolls the next command; what it returns is run on both. */
  readonly next: (roll: Dice) => (way: W, redis: Redis) => Promise<unknown>;
}

/** Throws at the first step after which they differ. Answers how often each answer came, so that none is missed. */
export async function expectSameEffect<W>(run: SameEffect<W>): Promise<ReadonlyMap<string, number>> {
  const { seed, steps, one, other, next, blur = /$^/g } = run;
  const roll = dice(seed);
  const seen = new Map<string, number>();
  for (let step = 1; step <= steps; step += 1) {
    const command = next(roll);
    const answers: string[] = [];
    const held: string[] = [];
    for (const { way, redis } of [one, other]) {
      answers.push(shown(await outcomeOf(command(way, redis)), blur));
      held.push(shown(await contentsOf(redis), blur));
    }
    expect(answers[1], `answer of step ${step}, seed ${seed}`).toBe(answers[0]);
    expect(held[1], `Redis after step ${step}, seed ${seed}`).toBe(held[0]);
    const name = String(answers[0]).replaceAll(/\s+/g, ' ').slice(0, 24);
    seen.set(name, (seen.get(name) ?? 0) + 1);
  }
  return seen;
}

const shown = (value: unknown, blur: RegExp): string =>
  (JSON.stringify(value, null, 1) ?? 'nothing').replaceAll(blur, 'blurred');

/** A refusal is compared by its words; which line of which script it was, is not. */
async function outcomeOf(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    return {
      refused: message.replace(/ ?(?:\(script [\w -]+\)|script: \w+,|on @user_script:\d+\.|user_script:\d+:)/g, ''),
    };
  }
}

async function contentsOf(redis: Redis): Promise<Readonly<Record<string, unknown>>> {
  const names = (await keysLike(redis, '*')).toSorted();
  const found = names.map(
    async (name) => [name, await contentOf(redis, name), (await redis.pttl(name)) > 0] as const,
  );
  return Object.fromEntries(
    (await Promise.all(found)).map(([name, content, expires]) => [name, { content, expires }]),
  );
}

async function contentOf(redis: Redis, name: string): Promise<unknown> {
  switch (await redis.type(name)) {
    case 'hash':
      return inOrder(await redis.hgetall(name));
    case 'zset':
      return redis.zrange(name, '0', '-1', 'WITHSCORES');
    case 'set':
      return (await redis.smembers(name)).toSorted();
    case 'list':
      return redis.lrange(name, 0, -1);
    case 'stream':
      return (await redis.xrange(name, '-', '+')).map(([, fields]) => fields.map(readIfJson));
    default:
      return redis.get(name);
  }
}

/** Lua writes the members of an object in an order of its own. */
function readIfJson(value: string): unknown {
  if (!value.startsWith('{')) return value;
  const read: unknown = JSON.parse(value);
  return inOrder(read ?? {});
}

/** Neither a hash nor an object has its members in an order of its own. */
const inOrder = (members: object) => Object.entries(members).toSorted(([one], [other]) => one.localeCompare(other));
