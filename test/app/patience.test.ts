import { expect, test } from 'vitest';
import { waitForRedis } from '../../src/app/parts.ts';
import { RedisUnavailable } from '../../src/redis/connections.ts';

const away = new RedisUnavailable('Redis at db:6379 is not available: it did not answer within 5s.');

function world() {
  let nowMono = 0;
  const said: string[] = [];
  return {
    said,
    patience: {
      clock: {
        monotonic: () => nowMono,
        sleep: async (ms: number) => {
          nowMono += ms;
        },
      },
      logger: { warn: (_facts: object, message: string) => said.push(message) } as never,
    },
  };
}

const failing = (times: number, error: Error) => {
  let tries = 0;
  return {
    tries: () => tries,
    attempt: async () => {
      tries += 1;
      if (tries <= times) throw error;
      return 'answered';
    },
  };
};

test('a Redis that comes late is waited for, and that is told every five seconds', async () => {
  const { patience, said } = world();
  // A quarter of a second each.
  const { attempt } = failing(60, away);
  expect(await waitForRedis(attempt, patience)).toBe('answered');
  expect(said).toEqual(Array(3).fill(`${away.message} Trying again.`));
});

test('nobody who set no limit is told to wait no longer', async () => {
  const { patience, said } = world();
  expect(await waitForRedis(failing(4 * 60 * 60, away).attempt, patience)).toBe('answered');
  expect(said).toHaveLength(12 * 60);
});

test('patience that has a limit ends, and then the one message is what went wrong', async () => {
  const { patience, said } = world();
  const limited = { ...patience, limitMs: 60_000 };
  await expect(waitForRedis(failing(Infinity, away).attempt, limited)).rejects.toBe(away);
  expect(said).toHaveLength(12);
});

test.for([
  'LOADING Redis is loading the dataset in memory',
  "READONLY You can't write against a read only replica.",
  "OOM command not allowed when used memory > 'maxmemory'.",
  "Stream isn't writeable and enableOfflineQueue options is false",
  'Command timed out',
  'Reached the max retries per request limit (which is 0). Refer to "maxRetriesPerRequest" option for details.',
])('%s passes', async (message) => {
  expect(await waitForRedis(failing(1, new Error(message)).attempt, world().patience)).toBe('answered');
});

test.for([
  new Error('WRONGPASS invalid username-password pair or user is disabled.'),
  new RedisUnavailable('Redis at db:6379 is not available.', { cause: new Error('NOAUTH Authentication required.') }),
  new RedisUnavailable(
    'Redis at db:6379 is not available (last error: self-signed certificate in certificate chain).',
  ),
  new TypeError('a fault of ours'),
])('what waiting does not mend is told at once: %s', async (error) => {
  const { attempt, tries } = failing(1, error);
  await expect(waitForRedis(attempt, world().patience)).rejects.toBe(error);
  expect(tries()).toBe(1);
});

test('nobody waits on who is to stop', async () => {
  const stop = new AbortController();
  stop.abort();
  const { attempt, tries } = failing(9, away);
  await expect(waitForRedis(attempt, { ...world().patience, signal: stop.signal })).rejects.toBe(away);
  expect(tries()).toBe(1);
});
