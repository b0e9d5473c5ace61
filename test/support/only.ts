/**
 * As much of something large as a test needs. The one place where a part passes for the whole: whoever reaches for the
 * rest is told so by name, instead of going on with `undefined`.
 */
export function onlyOf<T extends object>(part: Partial<T>): T {
  const whole = new Proxy(part, {
    get(target, name, receiver): unknown {
      if (typeof name === 'string' && !(name in target)) throw new Error(`this test has no ${name}`);
      return Reflect.get(target, name, receiver);
    },
  });
  return whole as T;
}
