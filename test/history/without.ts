import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';

const scripts = readFileSync(new URL('../../src/operations/scripts/generated/scripts.ts', import.meta.url), 'utf8');

/** A Redis to which the one script that has `mark` in it is sent without a guard. */
export function without(redis: Redis, mark: string, guard: RegExp): Redis {
  // A script that nothing is taken out of would be told in every order there is, and seem to break nothing.
  if (!scripts.includes(mark)) throw new Error(`no script has ${mark}`);
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
