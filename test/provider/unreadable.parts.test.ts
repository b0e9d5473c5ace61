/** Answers that are compressed without a request for it, or have bytes before their JSON. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answerer, json, type Listener, listen, liveAccount, type Opened, openUpstream } from './listener.ts';

let listener: Listener;
let opened: Opened;

beforeAll(async () => {
  listener = await listen(json({}));
  opened = openUpstream(listener.url);
});
afterAll(async () => {
  await opened.upstream.close();
  await listener.close();
});

const bytes =
  (body: Buffer, headers: Record<string, string>): Answerer =>
  (_heard, response) => {
    response.writeHead(200, headers).end(body);
  };

const asked = {
  accountAlias: '771234567',
  amount: 500,
  withdrawMode: 'wallet-a-senegal',
  callbackUrl: 'https://relais.example/cb',
};
const create = () => opened.upstream.payments.createDisbursement(liveAccount(), asked);

const TOKEN = Buffer.from(JSON.stringify({ response_code: '00', disburse_token: 'tok-1' }));

test.for([
  ['gzip', gzipSync(TOKEN), { 'content-encoding': 'gzip' }],
  ['x-gzip, in capitals', gzipSync(TOKEN), { 'content-encoding': 'X-GZIP' }],
  ['deflate', deflateSync(TOKEN), { 'content-encoding': 'deflate' }],
  ['deflate without a header of its own', deflateRawSync(TOKEN), { 'content-encoding': 'deflate' }],
  ['br', brotliCompressSync(TOKEN), { 'content-encoding': 'br' }],
  ['gzip over br', gzipSync(brotliCompressSync(TOKEN)), { 'content-encoding': 'br, gzip' }],
  ['gzip that no header names', gzipSync(TOKEN), {}],
  ['nothing, though the header says gzip', TOKEN, { 'content-encoding': 'gzip' }],
  ['nothing, said so', TOKEN, { 'content-encoding': 'identity' }],
] as const)('an answer is read that is compressed with %s', async ([, body, headers]) => {
  listener.answer(bytes(body, headers));
  expect(await create()).toMatchObject({ is: 'ok', value: { token: 'tok-1' } });
});

test('an answer is not decompressed beyond the longest that is read', async () => {
  listener.answer(bytes(gzipSync(Buffer.alloc(2_000_000, ' ')), { 'content-encoding': 'gzip' }));
  expect(await create()).toMatchObject({ is: 'transient', code: 'unreadable', exchange: { sent: 'answered' } });
});

const WARNING = '<br />\n<b>Warning</b>: Undefined variable $fee, +221771234567, jo@example.com';

test.for([
  [
    'a warning before the JSON',
    Buffer.from(`${WARNING}{"disburse_token":"secret-of-ours"}`),
    { 'content-type': 'text/html; charset=UTF-8' },
    /^html \(text\/html; charset=UTF-8, begins: <br \/> <b>Warning<\/b>: Undefined variable \$fee, \S*•••4567, \[email\]\)$/,
  ],
  [
    'an encoding that is not known',
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 1, 2, 3]),
    { 'content-type': 'application/json', 'content-encoding': 'zstd' },
    /^not_json \(application\/json, zstd, begins: bytes, no text\)$/,
  ],
  ['data that is no JSON', Buffer.from('{"text":"Your code is 4711"'), {}, /^not_json \(no type, begins: \{…\)$/],
  ['nothing', Buffer.alloc(0), { 'content-type': 'text/plain' }, /^empty \(text\/plain\)$/],
] as const)('an answer that cannot be read is described: %s', async ([, body, headers, came]) => {
  listener.answer(bytes(body, headers));
  const verdict = await create();
  expect(verdict).toMatchObject({ is: 'transient', code: 'unreadable' });
  expect(verdict.exchange.message).toMatch(came);
  expect(verdict.exchange.message).not.toMatch(/secret-of-ours|1771234567|example\.com|4711/);
});
