/** The HTTP API alone, without working dependencies. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createApi } from '../../../src/api/app.ts';
import type { ApiContext } from '../../../src/api/context.ts';
import { KeyRing, readApiKeys } from '../../../src/api/keys.ts';
import { HeldBytes } from '../../../src/lib/held-bytes.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { systemRandom } from '../../../src/lib/random.ts';

export interface BrokenService {
  readonly url: string;
  close(): Promise<void>;
}

/** Every call of Redis or of the provider fails with this error. */
export async function startBroken(failure: Error, more: Partial<ApiContext> = {}): Promise<BrokenService> {
  const failing: unknown = new Proxy(() => undefined, {
    get: (_target, name) => (name === 'then' ? undefined : failing),
    apply: () => {
      const failed = Promise.reject(failure);
      // Some calls are not awaited.
      failed.catch(() => undefined);
      return failed;
    },
  });
  /** `actingAs` returns another object. */
  const accepting = Object.assign(Object.create(failing as object), { actingAs: () => failing });
  const fixed = readApiKeys('maker:enqueue+read+approve+operate+admin:maker-secret');
  const keyRing = new KeyRing({ fixed, read: () => Promise.reject(failure), clock: systemClock });
  const known: Partial<ApiContext> = {
    acceptance: accepting,
    collect: accepting,
    keyRing,
    ratePerSecond: 0,
    heldBytes: new HeldBytes({ ofCaller: Infinity, ofProcess: Infinity }),
    environment: 'test',
    accountNames: ['main'],
    defaultCountry: undefined,
    clock: systemClock,
    random: systemRandom,
    endpointService: Object.assign(Object.create(failing as object), { problemOf: () => undefined }),
    processing: Object.assign(Object.create(failing as object), {
      account: () => ({ upstream: { mode: 'live' } }),
      clock: systemClock,
      policy: { leaseMs: 1_000 },
    }),
    reports: Object.assign(Object.create(failing as object), { timezone: 'Africa/Dakar', keepMs: 0 }),
    console: { find: async () => undefined },
    traces: undefined,
    refusal: () => undefined,
    onError: () => undefined,
    onWrite: () => undefined,
    ...more,
  };
  const context = new Proxy(known, {
    get: (given, name) => (name in given ? given[name as keyof ApiContext] : failing),
  }) as ApiContext;
  const server = createServer(createApi(context)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
