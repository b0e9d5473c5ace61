import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { intakeSchema } from '../../../src/api/openapi/intake-schema.ts';
import { makeDocument } from '../../../src/api/openapi/document.ts';
import { routes } from '../../../src/api/routes.ts';
import { ask } from '../../support/service.ts';
import { type BrokenService, startBroken } from './broken-service.ts';

let door: BrokenService;
beforeAll(async () => {
  door = await startBroken(new Error('boom'));
});
afterAll(() => door.close());

const get = (path: string, how: Parameters<typeof ask>[2] = {}) => ask(`${door.url}${path}`, 'GET', how);

const answers: readonly (readonly [what: string, path: string, key?: null])[] = [
  ['a page without a key', '/docs', null],
  ['the document', '/openapi.json', null],
  ['no key', '/v1/queues', null],
  ['no such route', '/v1/nothing'],
  ['a failure of ours', '/v1/queues'],
];

describe.for(answers)('%s', ([_what, path, key]) => {
  test('has the headers that keep browsers from misusing it', async () => {
    const { headers } = await get(path, key === null ? { key } : {});
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': path === '/docs' || path === '/openapi.json' ? 'no-cache' : 'no-store',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(
      Object.keys(headers).filter((name) => name === 'x-powered-by' || name.startsWith('access-control')),
    ).toEqual([]);
  });

  test('names the request as its caller does, and by itself where it does not', async () => {
    const how = key === null ? { key } : {};
    const named = await get(path, { ...how, headers: { 'x-request-id': 'order-1042.try:2' } });
    expect(named.headers['x-request-id']).toBe('order-1042.try:2');
    const odd = await get(path, { ...how, headers: { 'x-request-id': 'not {one} of ours' } });
    expect(odd.headers['x-request-id']).toMatch(/^[0-9a-f]{16}$/);
  });
});

test('a page of another origin is not answered', async () => {
  const headers = { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' };
  const answer = await ask(`${door.url}/v1/disbursements`, 'OPTIONS', { key: null, headers });
  expect(answer.status).toBe(401);
  expect(answer.headers['access-control-allow-origin']).toBeUndefined();
});

test('a path that cannot be read is the caller’s doing', async () => {
  expect((await get('/v1/disbursements/%E0%A4%A')).status).toBe(400);
});

test('the page allows its one style sheet and nothing else', async () => {
  const { headers, body } = await get('/docs', { key: null });
  const [, style = ''] = /<style>([^]*?)<\/style>/.exec(body) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  expect(headers['content-security-policy']).toContain(`style-src 'sha256-${hash}'`);
  expect(headers['content-security-policy']).not.toMatch(/script|unsafe|https?:/);
});

test('documents are served as they are made', async () => {
  expect((await get('/openapi.json', { key: null })).body).toEqual(JSON.parse(JSON.stringify(makeDocument(routes))));
  expect((await get('/v1/schemas/intake', { key: null })).body).toEqual(JSON.parse(JSON.stringify(intakeSchema())));
});
