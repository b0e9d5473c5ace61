import type { Redis } from 'ioredis';
import type { Turn } from '../support/every-order.ts';

/** The commands of a process to Redis, each made when it is its turn; a pipeline is one. `which`: only these. */
export function inTurn(redis: Redis, turn: Turn, which = /./): Redis {
  return new Proxy(redis, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (typeof name !== 'string' || name === 'on' || !which.test(name)) return value.bind(target);
      if (name !== 'pipeline') return (...words: unknown[]) => turn(() => value.apply(target, words));
      return () => {
        const pipeline = target.pipeline();
        const exec = pipeline.exec.bind(pipeline);
        pipeline.exec = (...words) => turn(() => exec(...words));
        return pipeline;
      };
    },
  });
}
