import { once } from 'node:events';
import { type IncomingMessage, createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SHORT_BYTES, readJsonBody } from '../../src/api/json-body.ts';
import type { ApiProblem } from '../../src/api/problem.ts';
import { routes } from '../../src/api/routes.ts';

type Body = NonNullable<RequestInit['body']>;

const tell: RequestHandler = async (request, response) => {
  response.json({ read: await readJsonBody(request, response) });
};
const tellRefusal: ErrorRequestHandler = (error: ApiProblem, _request, response, _next) => {
  response.json({ refused: error.kind });
};

const waiting: { readonly arrived: (request: IncomingMessage) => void } = { arrived: () => undefined };
const outcomes: string[] = [];
const app = express()
  .post('/ours', tell)
  .post('/waits', async (request, response) => {
    await readJsonBody(request, response);
    outcomes.push('read');
    waiting.arrived(request);
  })
  .use('/waits', ((error: ApiProblem, _request, response, _next) => {
    outcomes.push(error.message);
    response.end();
  }) as ErrorRequestHandler)
  .use(tellRefusal);
const server = createServer(app);
let port = 0;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.close().closeAllConnections();
});

async function ask(path: string, body: Body | undefined, headers: Record<string, string>): Promise<unknown> {
  const stream = body instanceof ReadableStream ? { duplex: 'half' } : {};
  const init = { method: 'POST', headers, ...(body === undefined ? {} : { body }), ...stream };
  return (await fetch(`http://127.0.0.1:${port}${path}`, init as RequestInit)).json();
}

const JSON_TYPE = { 'content-type': 'application/json' };
const typed = (type: string) => ({ 'content-type': type });
const long = (bytes: number) => JSON.stringify({ a: 'é'.repeat(bytes / 2) });

const zipped = (encoding: string) => ({ ...JSON_TYPE, 'content-encoding': encoding });

describe('a body', () => {
  const read = { read: { a: 'é' } };
  const malformed = { refused: 'malformed' };
  const otherType = { refused: 'unsupported-media-type' };
  const tooLarge = { refused: 'too-large' };
  const text = '{"a":"é"}';
  test.for<readonly [string, Body | (() => Body) | undefined, Record<string, string>, unknown]>([
    ['an object', text, JSON_TYPE, read],
    ['an array', ' [1,{"a":[null]}]', JSON_TYPE, { read: [1, { a: [null] }] }],
    ['with its charset', text, typed('application/json; charset=utf-8'), read],
    ['with its charset in capitals', text, typed('Application/JSON;charset="UTF-8"'), read],
    ['behind a byte order mark', `\ufeff${text}`, JSON_TYPE, read],
    ['in pieces of unknown length', () => new Blob(['{"a":', '"é"}']).stream(), JSON_TYPE, read],
    ['zipped', gzipSync(text), zipped('gzip'), read],
    ['deflated', deflateSync(text), zipped('Deflate'), read],
    ['in Brotli', brotliCompressSync(text), zipped('br'), read],
    ['said to be as it is', text, zipped('identity'), read],
    ['nothing', undefined, {}, { read: {} }],
    ['an empty body', '', JSON_TYPE, { read: {} }],
    ['a text', '"a"', JSON_TYPE, malformed],
    ['a number', '1', JSON_TYPE, malformed],
    ['null', 'null', JSON_TYPE, malformed],
    ['blanks', '  ', JSON_TYPE, malformed],
    ['what breaks off', '{"a":', JSON_TYPE, malformed],
    ['what goes on', '{"a":1}}', JSON_TYPE, malformed],
    ['bytes that are no UTF-8', Buffer.from('{"a":"\xff"}', 'latin1'), JSON_TYPE, malformed],
    ['another charset', text, typed('application/json; charset=latin1'), otherType],
    ['UTF-16', Buffer.from(text, 'utf16le'), typed('application/json; charset=utf-16le'), otherType],
    ['another encoding', text, zipped('compress'), otherType],
    ['two encodings', text, zipped('gzip, gzip'), otherType],
    ['more than a megabyte', long(1_100_000), JSON_TYPE, tooLarge],
    ['more than a megabyte, once it is unpacked', gzipSync(long(1_100_000)), zipped('gzip'), tooLarge],
    ['more than a megabyte of what cannot be unpacked', long(1_100_000), zipped('gzip'), malformed],
  ])('%s', async ([, body, headers, told]) => {
    expect(await ask('/ours', typeof body === 'function' ? body() : body, headers)).toEqual(told);
  });

  test.for([60_000, 70_000, 1_048_566])('of %i bytes is read', async (bytes) => {
    expect(await ask('/ours', long(bytes), JSON_TYPE)).toEqual({ read: JSON.parse(long(bytes)) });
  });
});

test('every route accepts bodies that are too short to count', () => {
  const limits = routes.flatMap(({ body }) => body?.limit ?? []);
  const bytes = limits.map((limit) => Number.parseInt(limit, 10) * (limit.endsWith('mb') ? 1_048_576 : 1_024));
  expect(Math.min(...bytes)).toBeGreaterThanOrEqual(SHORT_BYTES);
});

describe('a caller that goes away', () => {
  /** In any order of events: a client that disconnects midway is a socket error first. */
  const closing = ({ socket }: IncomingMessage): Promise<void> =>
    new Promise((resolve) => void socket.once('close', () => setImmediate(resolve)));
  const head = 'POST /waits HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 7\r\n\r\n';

  test('while it waits for the answer has asked once, and was not refused', async () => {
    outcomes.length = 0;
    const caller = connect(port, '127.0.0.1');
    const arrived = new Promise<IncomingMessage>((resolve) => Object.assign(waiting, { arrived: resolve }));
    caller.write(`${head}{"a":1}`);
    const closed = closing(await arrived);
    caller.destroy();
    await closed;
    expect(outcomes).toEqual(['read']);
  });

  test('in the middle of its body has asked for nothing', async () => {
    outcomes.length = 0;
    const arrived = once(server, 'request');
    const caller = connect(port, '127.0.0.1');
    caller.write(`${head}{"a"`);
    const [request] = (await arrived) as [IncomingMessage];
    const closed = closing(request);
    caller.destroy();
    await closed;
    expect(outcomes).toEqual(['The body ended before it was complete.']);
  });
});
