import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { request } from 'undici';
import { type Running, apiOn, freshStores } from '../support/api-process.ts';

let fresh: Awaited<ReturnType<typeof freshStores>>;
beforeAll(async () => {
  fresh = await freshStores();
});
afterAll(() => fresh.close());

const OLD = 'shop:enqueue+read:old-secret';
const NEW = 'shop:enqueue+read:new-secret';

test('a key is rotated over two processes, one after the other, without a failed request', async () => {
  const door = (keys: string): Promise<Running> => apiOn(fresh, { API_KEYS: keys });
  const behind: Running[] = [await door(OLD), await door(OLD)];
  const caller = callerOf(() => behind.map(({ url }) => url));

  await caller.asked(20);
  // First every process gets the new secret, then the caller uses it, then every process drops the old one.
  await replaceAll(behind, () => door(`${OLD},${NEW}`), caller);
  caller.use('new-secret');
  await caller.asked(20);
  await replaceAll(behind, () => door(NEW), caller);
  await caller.asked(20);
  const { asked, failed } = await caller.rest();
  expect(asked).toBeGreaterThan(100);
  expect(failed).toEqual([]);

  expect(await caller.once('old-secret')).toBe(401);
  for (const one of behind) await one.stop();
});

/** Like a careful rollout: the next process starts before the last one stops. */
async function replaceAll(behind: Running[], start: () => Promise<Running>, caller: Caller): Promise<void> {
  for (const at of behind.keys()) {
    const next = await start();
    const [last] = behind.splice(at, 1, next);
    await caller.asked(20);
    await last?.stop();
  }
}

type Caller = ReturnType<typeof callerOf>;

/** Sends requests continuously, in turns, to the current processes. */
function callerOf(urls: () => readonly string[]) {
  let secret = 'old-secret';
  let asked = 0;
  const rested = new AbortController();
  const failed: unknown[] = [];
  const once = async (using: string): Promise<number> => {
    const open = urls();
    const { statusCode, body } = await request(`${open[asked % open.length]}/v1/accounts`, {
      headers: { authorization: `Bearer ${using}` },
    });
    await body.dump();
    return statusCode;
  };
  const loop = async (): Promise<void> => {
    while (!rested.signal.aborted) {
      const status = await once(secret).catch((error: unknown) => error);
      if (status !== 200) failed.push(status);
      asked += 1;
    }
  };
  const loops = [loop(), loop(), loop()];
  return {
    once,
    use: (next: string) => void (secret = next),
    /** Resolves when this many more were answered. */
    asked: async (more: number) => {
      const target = asked + more;
      await vi.waitFor(() => expect(asked).toBeGreaterThanOrEqual(target), { timeout: 20_000, interval: 5 });
    },
    rest: async () => {
      rested.abort();
      await Promise.all(loops);
      return { asked, failed };
    },
  };
}
