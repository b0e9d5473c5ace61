/** How many scripts a connection asks for. */
import type { Redis } from 'ioredis';

export async function scriptsDuring<T>(
  redis: Redis,
  run: () => Promise<T>,
): Promise<{ readonly answer: T; readonly scripts: number }> {
  let scripts = 0;
  const evalsha = redis.evalsha.bind(redis) as (...words: unknown[]) => Promise<unknown>;
  const counted = (...words: unknown[]): Promise<unknown> => {
    scripts += 1;
    return evalsha(...words);
  };
  Object.assign(redis, { evalsha: counted });
  try {
    return { answer: await run(), scripts };
  } finally {
    Reflect.deleteProperty(redis, 'evalsha');
  }
}
