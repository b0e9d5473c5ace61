import { type LookupAddress, lookup } from 'node:dns';
import { describe, expect, test } from 'vitest';
import {
  isLoopbackAddress,
  isPublicAddress,
  checkEndpointUrl,
  type EndpointProblem,
  isInsideAddress,
  type Reach,
  reachOf,
} from '../../../src/events/outgoing/endpoint.ts';
import { guardedLookup, type ResolveAll } from '../../../src/events/outgoing/post.ts';
import { WebhookHosts } from '../../../src/lib/webhook-hosts.ts';

const outside = { allowLoopback: false };
const inside = { allowLoopback: true };
const listing = (...entries: readonly string[]) => ({ allowLoopback: false, hosts: new WebhookHosts(entries) });

describe('a URL judged by its letters', () => {
  test.each<[string, EndpointProblem | undefined]>([
    ['https://hooks.example.com/relais', undefined],
    ['https://hooks.example.com./relais', undefined],
    ['https://hooks.example.com:443/', undefined],
    ['https://HOOKS.Example.COM/', undefined],
    ['https://écoute.example.sn/', undefined],
    ['https://8.8.8.8/', undefined],
    ['https://[2606:4700::1111]/', undefined],
    // not https
    ['http://hooks.example.com/', 'not_https'],
    ['ftp://hooks.example.com/', 'not_https'],
    ['file:///etc/passwd', 'not_https'],
    ['gopher://127.0.0.1:6379/_FLUSHALL', 'not_https'],
    ['javascript:alert(1)', 'not_https'],
    ['data:text/plain,x', 'not_https'],
    ['http://127.0.0.1/', 'not_https'],
    // not a URL
    ['', 'not_a_url'],
    ['hooks.example.com', 'not_a_url'],
    ['//hooks.example.com', 'not_a_url'],
    ['https://', 'not_a_url'],
    ['https://1.2.3.256/', 'not_a_url'],
    ['https://[::1', 'not_a_url'],
    ['https://[fe80::1%25eth0]/', 'not_a_url'],
    [`https://hooks.example.com/${'a'.repeat(2_100)}`, 'too_long'],
    // credentials and what hides behind them
    ['https://user@hooks.example.com/', 'has_credentials'],
    ['https://user:pass@hooks.example.com/', 'has_credentials'],
    ['https://hooks.example.com@169.254.169.254/', 'has_credentials'],
    // ports
    ['https://hooks.example.com:22/', 'port_not_allowed'],
    ['https://hooks.example.com:6379/', 'port_not_allowed'],
    ['https://hooks.example.com:8443/', 'port_not_allowed'],
    ['https://8.8.8.8:25/', 'port_not_allowed'],
    // names of a local network
    ['https://localhost/', 'local_name'],
    ['https://localhost./', 'local_name'],
    ['https://LOCALHOST/', 'local_name'],
    ['https://a.localhost/', 'local_name'],
    ['https://redis/', 'local_name'],
    ['https://metadata.google.internal/', 'local_name'],
    ['https://printer.local/', 'local_name'],
    ['https://router.home.arpa/', 'local_name'],
    // IPv4, in every spelling a parser accepts
    ['https://127.0.0.1/', 'address_not_public'],
    ['https://127.1/', 'address_not_public'],
    ['https://2130706433/', 'address_not_public'],
    ['https://0x7f000001/', 'address_not_public'],
    ['https://0x7f.0.0.1/', 'address_not_public'],
    ['https://0177.0.0.1/', 'address_not_public'],
    ['https://017700000001/', 'address_not_public'],
    ['https://127.0.0.1./', 'address_not_public'],
    ['https://①②⑦.⓪.⓪.①/', 'address_not_public'],
    ['https://127%2E0%2E0%2E1/', 'address_not_public'],
    ['https://127。0。0。1/', 'address_not_public'],
    ['https://0/', 'address_not_public'],
    ['https://0.0.0.0/', 'address_not_public'],
    ['https://10.0.0.1/', 'address_not_public'],
    ['https://172.16.0.1/', 'address_not_public'],
    ['https://172.31.255.255/', 'address_not_public'],
    ['https://192.168.1.1/', 'address_not_public'],
    ['https://100.64.0.1/', 'address_not_public'],
    ['https://100.100.100.200/', 'address_not_public'],
    ['https://169.254.169.254/latest/meta-data/', 'address_not_public'],
    ['https://2852039166/', 'address_not_public'],
    ['https://168.63.129.16/', 'address_not_public'],
    ['https://224.0.0.1/', 'address_not_public'],
    ['https://255.255.255.255/', 'address_not_public'],
    // IPv6, and the IPv4 addresses it can carry
    ['https://[::]/', 'address_not_public'],
    ['https://[::1]/', 'address_not_public'],
    ['https://[0:0:0:0:0:0:0:1]/', 'address_not_public'],
    ['https://[::ffff:127.0.0.1]/', 'address_not_public'],
    ['https://[::ffff:7f00:1]/', 'address_not_public'],
    ['https://[::ffff:8.8.8.8]/', 'address_not_public'],
    ['https://[::127.0.0.1]/', 'address_not_public'],
    ['https://[64:ff9b::a9fe:a9fe]/', 'address_not_public'],
    ['https://[64:ff9b:1::7f00:1]/', 'address_not_public'],
    ['https://[2002:7f00:1::]/', 'address_not_public'],
    ['https://[2001:0:7f00:1::]/', 'address_not_public'],
    ['https://[2001:db8::1]/', 'address_not_public'],
    ['https://[fe80::1]/', 'address_not_public'],
    ['https://[fec0::1]/', 'address_not_public'],
    ['https://[fc00::1]/', 'address_not_public'],
    ['https://[fd00:ec2::254]/', 'address_not_public'],
    ['https://[ff02::1]/', 'address_not_public'],
    ['https://[100::1]/', 'address_not_public'],
  ])('%s → %s', (url, problem) => {
    expect(checkEndpointUrl(url, outside)).toBe(problem);
  });

  test('a port that is listed is allowed, and then 443 is not unless it is listed too', () => {
    expect(checkEndpointUrl('https://hooks.example.com:8443/', { ...outside, ports: [443, 8443] })).toBeUndefined();
    expect(checkEndpointUrl('https://hooks.example.com/', { ...outside, ports: [8443] })).toBe('port_not_allowed');
  });
});

describe('where loopback is allowed', () => {
  test.each([
    'http://127.0.0.1:8080/x',
    'http://localhost:3000/',
    'https://localhost/',
    'http://[::1]:9/',
    'http://2130706433/',
    'http://app.localhost:80/',
  ])('%s is reached', (url) => {
    expect(checkEndpointUrl(url, inside)).toBeUndefined();
  });

  test.each<[string, EndpointProblem]>([
    ['http://10.0.0.1/', 'not_https'],
    ['http://hooks.example.com/', 'not_https'],
    ['https://192.168.0.1/', 'address_not_public'],
    ['https://169.254.169.254/', 'address_not_public'],
    ['https://[::ffff:127.0.0.1]/', 'address_not_public'],
    ['https://0.0.0.0/', 'address_not_public'],
    ['https://localhost.example.com:8080/', 'port_not_allowed'],
    ['http://user@localhost/', 'has_credentials'],
    ['ftp://localhost/', 'not_https'],
  ])('%s still is not: %s', (url, problem) => {
    expect(checkEndpointUrl(url, inside)).toBe(problem);
  });
});

describe('where WEBHOOK_HOSTS lists hosts', () => {
  const listed = listing('payroll.internal:8080', '*.svc.cluster.local:80', '10.1.0.0/16', '[fd00:1::5]:8443');

  test.each([
    'http://payroll.internal:8080/hooks',
    'https://payroll.internal:8080/hooks',
    'http://PAYROLL.internal.:8080/hooks',
    'http://orders.shop.svc.cluster.local/hooks',
    'http://10.1.2.3:9000/',
    'http://0xa010203:9000/',
    'https://10.1.255.255/',
    'http://[fd00:1::5]:8443/',
  ])('%s is reached', (url) => {
    expect(reachOf(url, listed)).toEqual({ reach: 'listed' });
  });

  test.each<[string, EndpointProblem]>([
    ['http://payroll.internal/', 'not_https'],
    ['https://payroll.internal/', 'local_name'],
    ['http://payroll.internal:8081/', 'not_https'],
    ['https://payroll.internal:8081/', 'local_name'],
    ['http://evil.payroll.internal:8080/', 'not_https'],
    ['http://payroll.internal.example.com:8080/', 'not_https'],
    ['http://svc.cluster.local/', 'not_https'],
    ['http://evilsvc.cluster.local/', 'not_https'],
    ['https://orders.svc.cluster.local/', 'local_name'],
    ['http://10.2.0.1/', 'not_https'],
    ['https://10.2.0.1/', 'address_not_public'],
    ['http://[fd00:1::6]:8443/', 'not_https'],
    ['http://hooks.example.com/', 'not_https'],
    ['https://hooks.example.com:8080/', 'port_not_allowed'],
    ['http://user@payroll.internal:8080/', 'has_credentials'],
    ['http://payroll.internal:8080@169.254.169.254/', 'has_credentials'],
    ['ftp://payroll.internal:8080/', 'not_https'],
    ['http://127.0.0.1:8080/', 'not_https'],
    ['http://localhost:8080/', 'not_https'],
  ])('%s still is not: %s', (url, problem) => {
    expect(reachOf(url, listed)).toEqual({ problem });
  });

  const widest = listing('0.0.0.0/0', '::/0', '*.internal:80', '169.254.169.254:80');
  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::ffff:10.1.2.3]/',
    'http://[64:ff9b::a01:203]/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://100.100.100.200/',
    'http://168.63.129.16/',
    'http://0.0.0.0/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
  ])('no entry, however wide, opens %s', (url) => {
    expect(reachOf(url, widest)).toEqual({ problem: 'address_not_public' });
  });

  test('a listed name at another port is judged as a public one', () => {
    const public443 = listing('hooks.example.com:8080');
    expect(reachOf('http://hooks.example.com:8080/', public443)).toEqual({ reach: 'listed' });
    expect(reachOf('https://hooks.example.com/', public443)).toEqual({ reach: 'public' });
  });
});

test('an address inside is private or loopback, and carries no other address', () => {
  for (const address of [
    '10.0.0.1',
    '172.31.0.1',
    '192.168.0.1',
    '100.64.0.1',
    '127.8.8.8',
    '::1',
    'fd12::1',
    'fd12:ffff::1',
  ]) {
    expect(isInsideAddress(address)).toBe(true);
  }
  for (const address of [
    '8.8.8.8',
    '169.254.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '::10.0.0.1',
    'fd12::1%eth0',
    '',
  ]) {
    expect(isInsideAddress(address)).toBe(false);
  }
});

test('an invalid address is neither public nor loopback', () => {
  for (const text of ['', 'hooks.example.com', '8.8.8', '127.0.0.1.', '::1%lo', '2606:4700::1111%eth0', '[::1]']) {
    expect(isPublicAddress(text)).toBe(false);
    expect(isLoopbackAddress(text)).toBe(false);
  }
});

test('the edges of a forbidden range are forbidden and their neighbours are not', () => {
  for (const address of ['172.16.0.0', '172.31.255.255', '100.64.0.0', '100.127.255.255', '198.19.255.255']) {
    expect(isPublicAddress(address)).toBe(false);
  }
  for (const address of [
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '198.20.0.0',
    '9.255.255.255',
  ]) {
    expect(isPublicAddress(address)).toBe(true);
  }
});

describe('a name judged by its addresses, when connecting', () => {
  const v4 = (address: string): LookupAddress => ({ address, family: 4 });
  const v6 = (address: string): LookupAddress => ({ address, family: 6 });
  const resolving =
    (...addresses: readonly LookupAddress[]): ResolveAll =>
    (_name, _options, answer) =>
      answer(null, addresses);
  const ask = (
    name: string,
    resolveAll: ResolveAll,
    reach: Reach = 'public',
    options: object = { all: true },
  ): Promise<unknown> =>
    new Promise((resolve) => {
      guardedLookup(reach, resolveAll)(name, options, (error, address, family) =>
        resolve(error ? error.code : family === undefined ? address : { address, family }),
      );
    });
  const name = 'hooks.example.com';

  test('public addresses are passed on', async () => {
    const addresses = [v4('8.8.8.8'), v6('2606:4700::1111')];
    expect(await ask(name, resolving(...addresses))).toEqual(addresses);
  });

  test.each([
    ['an inside address', [v4('10.0.0.1')]],
    ['one inside address behind a public one', [v4('8.8.8.8'), v4('169.254.169.254')]],
    ['an inside address in the other family', [v4('8.8.8.8'), v6('::1')]],
    ['an IPv4 address inside an IPv6 one', [v6('::ffff:10.0.0.1')]],
    ['a translated address', [v6('64:ff9b::808:808')]],
    ['no address', []],
  ])('%s is refused', async (_title, addresses) => {
    expect(await ask(name, resolving(...addresses))).toBe('ENOTPUBLIC');
  });

  test('an inside address is seen although the socket asks for one address of the other family', async () => {
    const obliging: ResolveAll = (_name, { family }, answer) =>
      answer(
        null,
        [v4('8.8.8.8'), v6('fd00::1')].filter((one) => !family || one.family === family),
      );
    expect(await ask(name, obliging, 'public', { family: 4 })).toBe('ENOTPUBLIC');
  });

  test('a socket that asks for one address of a family gets one of it', async () => {
    const both = resolving(v4('8.8.8.8'), v6('2606:4700::1111'));
    expect(await ask(name, both, 'public', { family: 6 })).toEqual(v6('2606:4700::1111'));
    expect(await ask(name, both, 'public', {})).toEqual(v4('8.8.8.8'));
    expect(await ask(name, resolving(v4('8.8.8.8')), 'public', { family: 6 })).toBe('ENOTFOUND');
  });

  test('a name that turns to the inside between two connections is refused on the second', async () => {
    const answers = [v4('8.8.8.8'), v4('127.0.0.1')];
    const rebinding: ResolveAll = (_name, _options, answer) => answer(null, answers.splice(0, 1));
    expect(await ask(name, rebinding)).toEqual([v4('8.8.8.8')]);
    expect(await ask(name, rebinding)).toBe('ENOTPUBLIC');
  });

  test('where loopback is allowed, only localhost may lead there', async () => {
    expect(await ask('localhost', resolving(v4('127.0.0.1'), v6('::1')), 'loopback')).toHaveLength(2);
    expect(await ask('localhost', resolving(v4('127.0.0.1')), 'public')).toBe('ENOTPUBLIC');
    expect(await ask('localhost', resolving(v4('10.0.0.1')), 'loopback')).toBe('ENOTPUBLIC');
    expect(reachOf(`https://${name}/`, inside)).toEqual({ reach: 'public' });
  });

  test('a listed name can resolve to an internal address', async () => {
    const addresses = [v4('10.1.2.3'), v4('127.0.0.5'), v6('fd00:1::5'), v4('8.8.8.8')];
    expect(await ask('payroll.internal', resolving(...addresses), 'listed')).toEqual(addresses);
  });

  test.each([
    ['a metadata service', [v4('169.254.169.254')]],
    ['a metadata service behind an address inside', [v4('10.1.2.3'), v4('169.254.169.254')]],
    ['an IPv4 address inside an IPv6 one', [v6('::ffff:10.1.2.3')]],
    ['a translated address', [v6('64:ff9b::a01:203')]],
    ['the machine itself as 0.0.0.0', [v4('0.0.0.0')]],
    ['no address', []],
  ])('a listed name that resolves to %s is refused', async (_title, addresses) => {
    expect(await ask('metadata.google.internal', resolving(...addresses), 'listed')).toBe('ENOTPUBLIC');
  });

  test('a listed name that turns to a metadata service is refused on the second connection', async () => {
    const answers = [v4('10.1.2.3'), v4('169.254.169.254')];
    const rebinding: ResolveAll = (_name, _options, answer) => answer(null, answers.splice(0, 1));
    expect(await ask('payroll.internal', rebinding, 'listed')).toEqual([v4('10.1.2.3')]);
    expect(await ask('payroll.internal', rebinding, 'listed')).toBe('ENOTPUBLIC');
  });

  test('a resolver that fails is passed on as it failed', async () => {
    const failing: ResolveAll = (_name, _options, answer) =>
      answer(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
    expect(await ask(name, failing)).toBe('ENOTFOUND');
  });

  test('the guard takes the place of dns.lookup, argument for argument', () => {
    expect(guardedLookup('public').length).toBe(lookup.length);
  });
});
