/**
 * Many requests in one round trip. What is asked of Redis within one turn of the event loop leaves as one pipeline, so
 * that hundreds of requests share a trip and, since Redis writes its file once per turn too, one synced write.
 *
 * A pipeline is no transaction: each script stands for itself, and each caller gets its own answer or error.
 */
import type { ChainableCommander, Redis } from 'ioredis';
import { batchPerTick } from '../redis/connections.ts';

/** The commands that accepting a request needs. */
const COMMANDS = ['evalsha', 'eval', 'hmget'] as const;

interface Call {
  readonly add: (pipeline: ChainableCommander) => void;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A Redis that has only these commands, and sends those of one turn together. */
export function pipelined(redis: Redis): Redis {
  const send = batchPerTick<Call>(redis, (calls) => exchange(redis, calls));
  const commands = COMMANDS.map((name) => {
    const command = (...words: (string | number)[]): Promise<unknown> =>
      new Promise((resolve, reject) => {
        send({ add: (pipeline) => void pipeline.call(name, ...words), resolve, reject });
      });
    return [name, command] as const;
  });
  return Object.fromEntries(commands) as unknown as Redis;
}

async function exchange(redis: Redis, calls: readonly Call[]): Promise<void> {
  const pipeline = redis.pipeline();
  for (const { add } of calls) add(pipeline);
  try {
    const answers = (await pipeline.exec()) ?? [];
    for (const [at, { resolve, reject }] of calls.entries()) {
      const [error, answer] = answers[at] ?? [new Error('Connection is closed.')];
      if (error) reject(error);
      else resolve(answer);
    }
  } catch (error) {
    for (const { reject } of calls) reject(error);
  }
}

type Fence = () => Promise<boolean>;

interface Waiting {
  readonly resolve: (reached: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One wait for the replicas for all writes of a turn: every caller has its write behind it, so a wait that begins
 * afterwards covers them all.
 */
export function sharedFence(fence: Fence): Fence {
  const ask = batchPerTick<Waiting>(undefined, async (waiting) => {
    try {
      const reached = await fence();
      for (const { resolve } of waiting) resolve(reached);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  });
  return () => new Promise((resolve, reject) => ask({ resolve, reject }));
}
