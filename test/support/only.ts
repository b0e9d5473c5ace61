/**
 * The part of a large object that a test needs. Any access to the rest throws with its name, instead of returning
 * `undefined`.
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
