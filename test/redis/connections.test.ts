import { expect, test } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { prefixOf, queueConnection, workerConnection } from '../../src/redis/connections.ts';
import { slotOf } from '../../src/redis/slot.ts';
import { MessageError } from '../../src/messages/texts.ts';

test('a bare URL means the usual port, the first database and no TLS', () => {
  expect(workerConnection({ url: 'redis://redis.example' })).toMatchObject({
    host: 'redis.example',
    port: 6379,
    db: 0,
  });
  expect(workerConnection({ url: 'redis://redis.example' })).not.toHaveProperty('tls');
});

test('user, password, port and database are read from the URL', () => {
  expect(workerConnection({ url: 'redis://app:p%40ss@127.0.0.1:6380/3' })).toMatchObject({
    host: '127.0.0.1',
    port: 6380,
    username: 'app',
    password: 'p@ss',
    db: 3,
  });
});

test('rediss:// turns TLS on and names the server it expects', () => {
  expect(workerConnection({ url: 'rediss://redis.example' }).tls).toEqual({ servername: 'redis.example' });
  expect(workerConnection({ url: 'rediss://10.0.0.7' }).tls).toEqual({});
});

test('a private signer is given to Redis and, with sentinels, to these too', () => {
  const ca = 'pem';
  expect(workerConnection({ url: 'rediss://redis.example', ca }).tls).toEqual({ servername: 'redis.example', ca });
  expect(workerConnection({ url: 'redis://redis.example', ca })).not.toHaveProperty('tls');
  const sentinels = [{ host: 's1', port: 26379 }];
  expect(workerConnection({ url: 'rediss://x', sentinels, ca })).toMatchObject({
    tls: { ca },
    sentinelTLS: { ca },
    // Without it the connection to the primary would not be encrypted, whatever the URL says.
    enableTLSForSentinelMode: true,
  });
});

test('every connection gives up a socket on which nothing comes, and leaves a server that takes no writes', () => {
  for (const options of [workerConnection({ url: 'redis://x' }), queueConnection({ url: 'redis://x' })]) {
    // Longer than a worker's blocking read (ten seconds), and than the wait for replicas (two).
    expect(options.socketTimeout).toBe(options.commandTimeout ? 10_000 : 20_000);
    expect(options.reconnectOnError?.(new Error("READONLY You can't write against a read only replica."))).toBe(true);
    expect(options.reconnectOnError?.(new Error('NOSCRIPT No matching script.'))).toBe(false);
  }
});

test('the sentinels get their password, and Redis the one in the URL', () => {
  const sentinels = [{ host: 's1', port: 26379 }];
  const theirs = { sentinelUser: 'watcher', sentinelPassword: new Secret('theirs') };
  expect(workerConnection({ url: 'redis://:ours@x', sentinels, ...theirs })).toMatchObject({
    password: 'ours',
    sentinelUsername: 'watcher',
    sentinelPassword: 'theirs',
  });
  expect(workerConnection({ url: 'redis://:ours@x', sentinels, sentinelPassword: 'theirs' })).toMatchObject({
    sentinelPassword: 'theirs',
  });
  expect(workerConnection({ url: 'redis://:ours@x', sentinels })).not.toHaveProperty('sentinelPassword');
});

test('an IPv6 address loses its brackets', () => {
  expect(workerConnection({ url: 'redis://[::1]:6379' }).host).toBe('::1');
});

test('with sentinels the URL gives only the password and the database', () => {
  const sentinels = [{ host: 's1', port: 26379 }];
  const options = workerConnection({ url: 'redis://:pass@ignored:1/2', sentinels });
  expect(options).toMatchObject({ sentinels, name: 'mymaster', password: 'pass', db: 2 });
  expect(options).not.toHaveProperty('host');
  expect(workerConnection({ url: 'redis://x', sentinels, sentinelName: 'money' }).name).toBe('money');
});

test('in a cluster the URL gives user, password and encryption; there are no databases, and no sentinels', () => {
  const cluster = [{ host: 'n1', port: 7000 }];
  const options = workerConnection({ url: 'rediss://app:pass@ignored:1', cluster, ca: 'pem' });
  expect(options).toMatchObject({ username: 'app', password: 'pass', tls: { ca: 'pem' } });
  expect(options).not.toHaveProperty('host');
  expect(options.reconnectOnError?.(new Error('MOVED 12714 n2:7000'))).toBe(true);
  expect(() => workerConnection({ url: 'redis://x/2', cluster })).toThrow(/no databases/);
  expect(() => workerConnection({ url: 'redis://x', cluster, sentinels: cluster })).toThrow(/not both/);
});

test('the slot of a prefix depends on the text in its braces', () => {
  expect(['{relais}', '{relais}:', 'shop.{relais}-2', '{123456789}'].map(slotOf)).toEqual([
    12_714, 12_714, 12_714, 12_739,
  ]);
});

test('a worker never gives up on a command, nor times one out', () => {
  const options = workerConnection({ url: 'redis://x' });
  expect(options).not.toHaveProperty('commandTimeout');
  expect(options.maxRetriesPerRequest).toBeNull();
});

test.for(['{relais}', '{relais-staging}', 'shop.{relais}', '{relais}-2'])('all keys may begin with %s', (prefix) => {
  expect(prefixOf({ url: 'redis://x', prefix })).toBe(prefix);
});

test.for(['', 'relais', '{}', '{a}{b}', '{relais}:two', '{re lais}', '{rel*}', '{relais'])(
  'no key may begin with "%s": it has not one name in braces at its end, or matches the keys of others',
  (prefix) => {
    expect(() => prefixOf({ url: 'redis://x', prefix })).toThrow(/one name in braces/);
  },
);

test('the default prefix is the workers’ default', () => {
  expect(prefixOf({ url: 'redis://x' })).toBe('{relais}');
});

test('a producer’s queue fails at once instead of waiting', () => {
  expect(queueConnection({ url: 'redis://x' })).toMatchObject({
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    commandTimeout: 5_000,
  });
});

test('reconnecting waits a little longer each time, and never more than a second', () => {
  const { retryStrategy } = workerConnection({ url: 'redis://x' });
  expect([1, 2, 9, 10, 1_000].map((times) => retryStrategy?.(times))).toEqual([100, 200, 900, 1_000, 1_000]);
});

test.for(['', 'localhost:6379', 'http://localhost', 'redis://host:notaport', 'redis://:secret@host/notanumber'])(
  'not a Redis URL: "%s", and the message does not repeat a password',
  (url) => {
    expect(() => workerConnection({ url })).toThrow(MessageError);
    expect(() => workerConnection({ url })).not.toThrow(/secret/);
  },
);
