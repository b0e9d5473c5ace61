/** Headers in every form that HTTP allows: schemes and names in any case, aliases, empty values. */
import { gzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BrokenService, startBroken } from './openapi/broken-service.ts';

const script = { type: 'text/javascript', bytes: Buffer.from('plain'), packed: gzipSync('plain'), etag: '"a"' };
let door: BrokenService;
beforeAll(async () => {
  door = await startBroken(new Error('boom'), { console: { find: async () => script } });
});
afterAll(() => door.close());

async function send(method: 'GET' | 'POST', path: string, headers: Record<string, string>, body?: string | Buffer) {
  const answer = await request(`${door.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

const KEY = { authorization: 'Bearer maker-secret' };
const post = (headers: Record<string, string>, body: string | Buffer = '{') =>
  send('POST', '/v1/disbursements', { ...KEY, 'content-type': 'application/json', ...headers }, body);

test.for(['bearer', 'BEARER', 'Bearer ', 'bEaReR'])('the scheme %j is Bearer', async (scheme) => {
  const { status } = await send('GET', '/v1/queues', { authorization: `${scheme} maker-secret` });
  expect(status).toBe(500);
});

test.for(['Basic', 'Bearerx', 'Token'])('the scheme %s is none', async (scheme) => {
  expect((await send('GET', '/v1/queues', { authorization: `${scheme} maker-secret` })).status).toBe(401);
});

describe('a body of JSON', () => {
  test.for(['utf-8', 'UTF8', 'utf8', '"utf-8"', 'us-ascii', 'ASCII', '', '""'])(
    'may have the charset %j',
    async (charset) => {
      // The body was read, and is no JSON.
      expect((await post({ 'content-type': `application/json; charset=${charset}` })).status).toBe(400);
    },
  );

  test.for(['iso-8859-1', 'utf-16', '"klingon"'])(
    'may not have the charset %s, and the answer names it',
    async (charset) => {
      const { status, text } = await post({ 'content-type': `application/json;Charset=${charset}` });
      expect([status, text]).toEqual([415, expect.stringContaining(`The charset ${charset.replaceAll('"', '')} is`)]);
    },
  );

  test.for(['application/x-ndjson', 'application/json'])(
    '%s in lines or in a file has the same charsets',
    async (type) => {
      const path = type === 'application/json' ? '/v1/disbursement-batches' : '/v1/messages';
      const { status } = await send('POST', path, { ...KEY, 'content-type': `${type}; charset=utf-16` }, '[]');
      expect(status).toBe(415);
      expect((await send('POST', path, { ...KEY, 'content-type': `${type}; charset=utf8` }, '{')).status).not.toBe(
        415,
      );
    },
  );

  test.for(['Identity', '', ' identity'])('is as it is with the coding %j', async (coding) => {
    expect((await post({ 'content-encoding': coding })).status).toBe(400);
    const csv = { ...KEY, 'content-type': 'text/csv', 'content-encoding': coding };
    expect((await send('POST', '/v1/opt-outs', csv, 'to\n')).status).not.toBe(415);
  });

  test.for(['GZIP', 'x-gzip', 'gzip'])('is packed with the coding %s', async (coding) => {
    const { status, text } = await post({ 'content-encoding': coding }, gzipSync('{'));
    expect([status, text]).toEqual([400, expect.stringMatching(/JSON/)]);
  });
});

test.for([
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['br, gzip;q=0.5', 'gzip'],
  ['gzip;q=0', undefined],
  ['identity', undefined],
] as const)('a browser that accepts %j is sent the coding %s', async ([accepted, sent]) => {
  const { headers } = await send('GET', '/console/assets/a.js', { 'accept-encoding': accepted });
  expect(headers['content-encoding']).toBe(sent);
});

test.for([
  ['https', 'https'],
  ['HTTPS', 'https'],
  ['https, http', 'https'],
  ['http, https', 'http'],
] as const)('a proxy header of %j means that the caller used %s', async ([said, scheme]) => {
  const { text } = await send('GET', '/v1/queues', { 'x-forwarded-proto': said });
  expect(text).toContain(`"type":"${scheme}://`);
});
