import { expect, test } from 'vitest';
import { targetOf } from '../../src/producer/connection.ts';

test.for([
  ['a URL is taken as it is', 'rediss://u:p@host:7000/2', 'rediss://u:p@host:7000/2'],
  ['nothing but defaults is the Redis of this machine', {}, 'redis://127.0.0.1:6379/0'],
  ['a host and a port are BullMQ’s own way', { host: 'cache', port: 7000, db: 3 }, 'redis://cache:7000/3'],
  ['a password may hold anything', { password: 'p@ss/w:rd' }, 'redis://:p%40ss%2Fw%3Ard@127.0.0.1:6379/0'],
  ['an IPv6 host gets its brackets', { host: '::1' }, 'redis://[::1]:6379/0'],
  ['TLS is another scheme', { host: 'cache', tls: true }, 'rediss://cache:6379/0'],
  ['TLS as BullMQ has it, with nothing said', { host: 'cache', tls: {} }, 'rediss://cache:6379/0'],
] as const)('%s', ([, place, url]) => {
  expect(targetOf(place)).toEqual({ url });
});

test('sentinels are passed on', () => {
  const place = { url: 'redis://x', sentinels: [{ host: 'a', port: 26_379 }] };
  expect(targetOf(place)).toEqual(place);
});

test('the certificate authority is passed on', () => {
  expect(targetOf({ host: 'cache', tls: { ca: 'PEM' } })).toEqual({ url: 'rediss://cache:6379/0', ca: 'PEM' });
  expect(targetOf({ url: 'rediss://cache', ca: 'PEM' })).toEqual({ url: 'rediss://cache', ca: 'PEM' });
});
