import { once } from 'node:events';
import { type IncomingMessage, createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonBodies } from '../../src/api/json-body.ts';
import { ApiProblem } from '../../src/api/problem.ts';

type Body = NonNullable<RequestInit['body']>;

/** What was read, or how it was refused: a problem of ours and the error of Express that becomes that problem are one. */
const tell: RequestHandler = (request, response) => void response.json({ read: request.body ?? 'nothing' });
const tellRefusal: ErrorRequestHandler = (error: ApiProblem | { type: string }, _request, response, _next) => {
  const isOurs = error instanceof ApiProblem;
  const isMalformed = isOurs ? error.kind === 'malformed' : error.type === 'entity.parse.failed';
  response.json({ refused: isMalformed ? 'malformed' : isOurs ? error.kind : error.type });
};

const waiting: { readonly arrived: (request: IncomingMessage) => void } = { arrived: () => undefined };
const outcomes: string[] = [];
const app = express()
  .post('/ours', jsonBodies(), tell)
  .post('/express', express.json({ limit: '1mb', strict: true }), tell)
  .post('/waits', jsonBodies(), (request) => {
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

describe('a body is read, or refused, as Express would', () => {
  test.for<readonly [string, Body | (() => Body) | undefined, Record<string, string>]>([
    ['an object', '{"a":1,"é":["ñ",null]}', JSON_TYPE],
    ['an array', ' [1,{"__proto__":2}]', JSON_TYPE],
    ['with its charset', '{"a":"é"}', typed('application/json; charset=utf-8')],
    ['with its charset in capitals', '{"a":"é"}', typed('Application/JSON;charset=UTF-8')],
    ['behind a byte order mark', '\ufeff{"a":1}', JSON_TYPE],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]), JSON_TYPE],
    ['a text', '"a"', JSON_TYPE],
    ['a number', '1', JSON_TYPE],
    ['null', 'null', JSON_TYPE],
    ['blanks', '  ', JSON_TYPE],
    ['what breaks off', '{"a":', JSON_TYPE],
    ['what goes on', '{"a":1}}', JSON_TYPE],
    ['nothing', undefined, JSON_TYPE],
    ['an empty body', '', JSON_TYPE],
    ['another type', '{"a":1}', typed('text/plain')],
    ['another charset', '{"a":1}', typed('application/json; charset=latin1')],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le'), typed('application/json; charset=utf-16le')],
    ['in pieces of unknown length', () => new Blob(['{"a":', '1}']).stream(), JSON_TYPE],
    ['zipped', gzipSync('{"a":1}'), { ...JSON_TYPE, 'content-encoding': 'gzip' }],
    ['sixty kilobytes', long(60_000), JSON_TYPE],
    ['seventy kilobytes', long(70_000), JSON_TYPE],
    ['more than a megabyte', long(1_100_000), JSON_TYPE],
  ])('%s', async ([, body, headers]) => {
    const made = () => (typeof body === 'function' ? body() : body);
    expect(await ask('/ours', made(), headers)).toEqual(await ask('/express', made(), headers));
  });
});

describe('a caller that goes away', () => {
  /** However it comes: who hangs up in the middle is an error of the socket first. */
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
    expect(outcomes).toEqual(['The body broke off.']);
  });
});
