/** The console's files: public content, and the browser policies. */
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { consoleFilesIn } from '../../src/api/console-files.ts';
import type { Violation } from '../../src/api/console-files.ts';
import { apiOn, freshStores, type Running } from '../support/api-process.ts';
import { ask } from '../support/service.ts';
import { type BrokenService, startBroken } from './openapi/broken-service.ts';

const SCRIPT = `console.log(${JSON.stringify('x'.repeat(2_000))});`;
const folder = mkdtempSync(join(tmpdir(), 'console-'));
const seen: Violation[] = [];

let door: BrokenService;
beforeAll(async () => {
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>relais</title>');
  writeFileSync(join(folder, 'assets/main-Bx3kQ9aZ.js'), SCRIPT);
  writeFileSync(join(folder, 'sign.svg'), '<svg/>');
  writeFileSync(join(folder, 'main.js.map'), '{}');
  const files = consoleFilesIn(pathToFileURL(`${folder}/`));
  door = await startBroken(new Error('boom'), { console: files, onViolation: (one) => seen.push(one) });
});
afterAll(async () => {
  await door.close();
  rmSync(folder, { recursive: true });
});

const get = (path: string, headers = {}) => ask(`${door.url}${path}`, 'GET', { key: null, headers });

describe('a page of the console', () => {
  test.for(['/console', '/console/', '/console/disbursements/dsb_1', '/console/index.html'])(
    '%s needs no key, is never cached, and has a content policy',
    async (path) => {
      const { status, headers, body } = await get(path);
      expect([status, body]).toEqual([200, '<!doctype html><title>relais</title>']);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'x-frame-options': 'DENY',
      });
      const policy = String(headers['content-security-policy']).split('; ');
      expect(policy).toEqual(
        expect.arrayContaining([
          "default-src 'self'",
          "frame-ancestors 'none'",
          "require-trusted-types-for 'script'",
          "base-uri 'none'",
          "object-src 'none'",
        ]),
      );
      expect(policy.join()).not.toMatch(/unsafe|\*|https?:|data:/);
    },
  );

  test('is a page for a browser, even if an id in its address has a dot', async () => {
    for (const path of ['/console/accounts/dakar.1', '/console/o/order.json']) {
      const { status, headers } = await get(path, { 'sec-fetch-dest': 'document' });
      expect([status, headers['content-type'], headers['cache-control']]).toEqual([
        200,
        'text/html; charset=utf-8',
        'no-store',
      ]);
      expect((await get(path, { 'sec-fetch-dest': 'script' })).status).toBe(404);
    }
    expect((await get('/console/assets/none.txt', { 'sec-fetch-dest': 'document' })).status).toBe(404);
  });

  test('is only read', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect((await ask(`${door.url}/console/`, method, { key: null })).status).toBe(401);
    }
    expect(await ask(`${door.url}/console/`, 'HEAD', { key: null })).toMatchObject({ status: 200, body: '' });
  });
});

describe('a file of the console', () => {
  test('with a hash in its name is cached for ever, and is compressed if accepted', async () => {
    const { headers, body } = await get('/console/assets/main-Bx3kQ9aZ.js');
    expect([headers['content-type'], headers['cache-control'], body]).toEqual([
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
      SCRIPT,
    ]);
    const packed = await fetchRaw('/console/assets/main-Bx3kQ9aZ.js', { 'accept-encoding': 'gzip, br' });
    expect(gunzipSync(packed).toString()).toBe(SCRIPT);
    expect(packed.length).toBeLessThan(SCRIPT.length / 2);
  });

  test('without one is asked for again, and is sent only where the browser does not have it', async () => {
    const { headers } = await get('/console/sign.svg');
    expect(headers['cache-control']).toBe('no-cache');
    const again = await get('/console/sign.svg', { 'if-none-match': headers['etag'] });
    expect([again.status, again.body]).toEqual([304, '']);
    expect((await get('/console/sign.svg', { 'if-none-match': '"another"' })).status).toBe(200);
  });

  test.for([
    '/console/assets/gone-Bx3kQ9aZ.js',
    '/console/main.js.map',
    '/console/../package.json',
    '/console/..%2f..%2fpackage.json',
    '/console/assets/%2e%2e/%2e%2e/package.json',
    '/console//etc/passwd.txt',
  ])('%s is none', async (path) => {
    const raw = await statusOf(path);
    expect([401, 404]).toContain(raw);
  });
});

/** The raw path: a client would normalise it. */
function exchange(path: string, headers = {}): Promise<{ readonly status: number; readonly bytes: Buffer }> {
  const { hostname, port } = new URL(door.url);
  return new Promise((resolve, reject) => {
    const asked = plainRequest({ hostname, port, path, headers, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, bytes: Buffer.concat(parts) }));
    });
    asked.on('error', reject).end();
  });
}

const fetchRaw = async (path: string, headers: object): Promise<Buffer> => (await exchange(path, headers)).bytes;
const statusOf = async (path: string): Promise<number> => (await exchange(path)).status;

test.for(['/openapi.json', '/docs', '/v1/schemas/intake'])(
  '%s is sent only where the caller does not have it',
  async (path) => {
    const { status, headers } = await get(path);
    expect([status, headers['cache-control']]).toEqual([200, 'no-cache']);
    const again = await get(path, { 'if-none-match': headers['etag'] });
    expect([again.status, again.body]).toEqual([304, '']);
  },
);

test('before its build the page explains the situation, and appears after the build', async () => {
  const later = mkdtempSync(join(tmpdir(), 'console-later-'));
  const files = consoleFilesIn(pathToFileURL(`${later}/dist/`));
  const unbuilt = await startBroken(new Error('boom'), { console: files });
  const page = () => ask(`${unbuilt.url}/console/`, 'GET', { key: null });
  expect(await page()).toMatchObject({ status: 503, body: expect.stringContaining('npm run build') });
  mkdirSync(join(later, 'dist'));
  writeFileSync(join(later, 'dist/index.html'), 'built');
  expect(await page()).toMatchObject({ status: 200, body: 'built' });
  await unbuilt.close();
  rmSync(later, { recursive: true });
});

describe('content that a browser blocked on a page', () => {
  const post = (type: string, body: unknown) =>
    ask(`${door.url}/v1/console-reports`, 'POST', {
      key: null,
      body: JSON.stringify(body),
      headers: { 'content-type': type },
    });
  const violations = async (type: string, body: unknown): Promise<readonly Violation[]> => {
    seen.length = 0;
    expect((await post(type, body)).status).toBe(204);
    return [...seen];
  };

  test('is reported without addresses, numbers and content of the page', async () => {
    const told = {
      'effective-directive': 'script-src-elem',
      'blocked-uri': 'https://user:pw@evil.example/x.js?token=secret',
      'document-uri': 'https://console.example/console/search?q=221771234567',
      'script-sample': 'secret-key',
      referrer: 'https://console.example/console/disbursements/dsb_1',
    };
    expect(await violations('application/csp-report', { 'csp-report': told })).toEqual([
      { about: 'script', directive: 'script-src-elem', blocked: 'https://evil.example', page: '/console/search' },
    ]);
  });

  test('is accepted in the Reporting API’s format too, and its other fields are ignored', async () => {
    const told = { effectiveDirective: 'style-src-attr', blockedURL: 'inline', documentURL: 'x' };
    const all = [
      { type: 'csp-violation', body: told },
      { type: 'deprecation', body: { id: 'secret' } },
    ];
    expect(await violations('application/reports+json', all)).toEqual([
      { about: 'style', directive: 'style-src-attr', blocked: 'inline', page: '' },
    ]);
  });

  test.for([
    [{}],
    [{ 'csp-report': 7 }],
    [[null]],
    [{ 'csp-report': { 'effective-directive': 'x\nforged line', 'blocked-uri': '\u0000' } }],
  ])('%j breaks nothing, and forges no line', async ([body]) => {
    const told = JSON.stringify(await violations('application/csp-report', body));
    expect(told).not.toContain('forged');
  });

  test('is bounded, in one body and in its length', async () => {
    const many = Array.from({ length: 500 }, () => ({ type: 'csp-violation', body: {} }));
    expect((await violations('application/reports+json', many.slice(0, 300))).length).toBe(20);
    const long = { 'csp-report': { 'blocked-uri': 'x'.repeat(20_000) } };
    expect((await post('application/csp-report', long)).status).toBe(413);
  });
});

test('with CONSOLE=off there is no page, no session, and no cookie that counts', async () => {
  const fresh = await freshStores();
  const off: Running = await apiOn(fresh, { API_KEYS: 'awa:read:awa-secret', CONSOLE: 'off' });
  const page = { key: null, headers: { 'sec-fetch-site': 'same-origin', 'x-relais-console': '1', origin: off.url } };
  expect((await ask(`${off.url}/console/`, 'GET', page)).status).toBe(401);
  const signIn = { ...page, body: { key: 'awa-secret' } };
  expect((await ask(`${off.url}/v1/session`, 'POST', signIn)).status).toBe(401);
  expect((await ask(`${off.url}/v1/session`, 'POST', { ...signIn, key: 'awa-secret' })).status).toBe(404);
  expect((await ask(`${off.url}/v1/queues`, 'GET', { key: 'awa-secret' })).status).toBe(200);
  await off.stop();
  await fresh.close();
});
