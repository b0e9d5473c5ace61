import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FreshRedis, freshRedis } from '../support/fresh-redis.ts';
import { type Listener, json, listen, liveAccount, openUpstream } from './listener.ts';

let store: FreshRedis;
let listener: Listener;
let logins = 0;
beforeAll(async () => {
  store = await freshRedis();
  listener = await listen((heard, response) => {
    const login = heard.path.endsWith('/auth/login');
    if (login) logins += 1;
    const bearer = { access_token: `bearer-${logins}`, token_type: 'bearer', expires_in: 3_600 };
    return json(login ? bearer : { code: '00', message: 'success', data: { valid_number: [] } })(heard, response);
  });
});
afterAll(async () => {
  await listener.close();
  await store.close();
});

/** A process that is slow between its look at the bearer and its try for the lock. */
function slowAtTheLock(redis: Redis): { redis: Redis; reached: Promise<void>; goOn: () => void } {
  const { promise: gate, resolve: goOn } = withResolvers();
  const { promise: reached, resolve: arrive } = withResolvers();
  const slow = new Proxy(redis, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name !== 'set') return member.bind(target);
      return async (...args: unknown[]): Promise<unknown> => {
        arrive();
        await gate;
        return member.apply(target, args) as unknown;
      };
    },
  });
  return { redis: slow, reached, goOn };
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

test('a process that comes late to the lock uses the bearer that was stored meanwhile', async () => {
  const late = slowAtTheLock(store.redis);
  const [slow, quick] = [
    openUpstream(listener.url, { redis: late.redis }),
    openUpstream(listener.url, { redis: store.redis }),
  ];
  const ask = ({ upstream }: typeof quick) =>
    upstream.messaging.statistics(liveAccount(), { numbers: ['+221771234567'] });
  const waiting = ask(slow);
  await late.reached;
  expect((await ask(quick)).is).toBe('ok');
  late.goOn();
  expect((await waiting).is).toBe('ok');
  expect(logins).toBe(1);
  await Promise.all([slow.upstream.close(), quick.upstream.close()]);
});
