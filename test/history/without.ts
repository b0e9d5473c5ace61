import type { Redis } from 'ioredis';

/** A Redis to which the one script that has `mark` in it is sent without a guard. */
export function without(redis: Redis, mark: string, guard: RegExp): Redis {
  return new Proxy(redis, {
    get(target, name) {
      if (name === 'evalsha') return () => Promise.reject(new Error('NOSCRIPT'));
      if (name === 'eval') {
        return (lua: string, ...words: [number, ...string[]]) => {
          const changed = lua.includes(mark) ? lua.replace(guard, '') : lua;
          if (lua.includes(mark) && changed === lua) throw new Error(`the script has no ${guard.source}`);
          return target.eval(changed, ...words);
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
