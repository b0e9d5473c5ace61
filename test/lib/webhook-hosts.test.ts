import { expect, test } from 'vitest';
import { readWebhookHost, WebhookHosts } from '../../src/lib/webhook-hosts.ts';

test.each([
  'payroll.internal:8080',
  '*.internal:8080',
  'payroll:80',
  '10.0.0.5:8080',
  '[fd00::5]:8080',
  '10.1.0.0/16',
  'fd00::/8',
])('%s is an entry', (text) => {
  expect(readWebhookHost(text)).toBe(text);
});

test.each([
  'payroll.internal',
  '*:8080',
  '*.:8080',
  '*.10.0.0.5:8080',
  'pay*.internal:8080',
  'a.*.internal:8080',
  'payroll.internal:0',
  'payroll.internal:65536',
  'payroll.internal:http',
  'http://payroll.internal:8080',
  'payroll.internal:8080/hooks',
  'user@payroll.internal:8080',
  'fd00::5:8080',
  '10.0.0.5',
  '10.0.0.0/33',
  'internal/8',
  '/8',
  '',
])('"%s" is none', (text) => {
  expect(() => readWebhookHost(text)).toThrow(
    'is no host: write payroll.internal:8080, *.internal:8080 or 10.1.0.0/16',
  );
});

test('an entry is compared as the URL parser writes hosts', () => {
  const hosts = new WebhookHosts(['Payroll.Internal.:8080', '0x7f.1:9000', '[FD00:0::5]:80', '*.ÉCOUTE.sn:81']);
  expect(hosts.allows('payroll.internal', 8_080)).toBe(true);
  expect(hosts.allows('127.0.0.1', 9_000)).toBe(true);
  expect(hosts.allows('fd00::5', 80)).toBe(true);
  expect(hosts.allows('a.xn--coute-9ra.sn', 81)).toBe(true);
});

test('a wildcard means the names below it, at its port', () => {
  const hosts = new WebhookHosts(['*.internal:8080']);
  expect(hosts.allows('a.internal', 8_080)).toBe(true);
  expect(hosts.allows('a.b.internal', 8_080)).toBe(true);
  expect(hosts.allows('internal', 8_080)).toBe(false);
  expect(hosts.allows('ainternal', 8_080)).toBe(false);
  expect(hosts.allows('a.internal', 80)).toBe(false);
});

test('a network means its addresses at any port, and no name', () => {
  const hosts = new WebhookHosts(['10.1.0.0/16']);
  expect(hosts.allows('10.1.2.3', 1)).toBe(true);
  expect(hosts.allows('10.2.2.3', 1)).toBe(false);
  expect(hosts.allows('a.internal', 1)).toBe(false);
});
