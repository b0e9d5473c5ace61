import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { Proxies, clientNetwork, readNetwork } from '../../src/lib/addresses.ts';
import { onlyOf } from '../support/only.ts';

const asked = (remoteAddress: string, forwarded?: string) =>
  onlyOf<IncomingMessage>({
    socket: onlyOf<Socket>({ remoteAddress }),
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  });

describe('the client of a request', () => {
  const proxies = new Proxies(['10.0.0.0/8', '2001:db8:1::/48', '192.0.2.9']);

  test.for([
    ['a connection from elsewhere, whatever it says', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['a proxy that says nothing', '10.1.2.3', undefined, '10.1.2.3'],
    ['a proxy', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['a proxy, and a client that made up more', '10.1.2.3', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
    ['several proxies', '10.1.2.3', '198.51.100.1, 192.0.2.9,10.9.9.9', '198.51.100.1'],
    ['a proxy on a socket of both families', '::ffff:10.1.2.3', '::ffff:198.51.100.1', '198.51.100.1'],
    ['a proxy that adds ports', '10.1.2.3', '198.51.100.1:55123', '198.51.100.1'],
    ['a proxy of IPv6', '2001:db8:1::5', '[2001:db8:7::1]:443', '2001:db8:7::1'],
    ['a proxy that says no address', '10.1.2.3', '198.51.100.1, unknown', '10.1.2.3'],
  ] as const)('of %s', ([_what, from, forwarded, client]) => {
    expect(proxies.clientOf(asked(from, forwarded))).toBe(client);
  });
});

test('all addresses of a network of IPv6 with 64 bits are one client', () => {
  const same = ['2001:db8::1', '2001:0db8:0:0:ffff::', '2001:db8:0:0:1:2:3:4', '2001:db8::%eth0'];
  expect(new Set(same.map(clientNetwork))).toEqual(new Set(['2001:db8:0:0::/64']));
  expect(clientNetwork('2001:db8:0:1::1')).toBe('2001:db8:0:1::/64');
  expect(clientNetwork('::ffff:198.51.100.1')).toBe('198.51.100.1');
});

test.for(['10.0.0.5', '10.0.0.0/8', '2001:db8::/32', '::1'])('%s is an address or a network', (text) => {
  expect(readNetwork(text)).toBe(text);
});

test.for(['10.0.0', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', 'proxy', '::1/129', ''])('%j is none', (text) => {
  expect(() => readNetwork(text)).toThrow(/is no address or network, such as 10\.0\.0\.5 or 10\.0\.0\.0\/8/);
});
