import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { openOutgoing, type Outgoing, type PostResult, type ResolveAll } from '../../../src/events/outgoing/post.ts';
import { signedHeaders } from '../../../src/events/outgoing/webhook-sender.ts';
import { type Clock, systemClock } from '../../../src/lib/clock.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { WebhookHosts } from '../../../src/lib/webhook-hosts.ts';

const closing: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function listening(handler: Handler, address = '127.0.0.1'): Promise<{ port: number; server: Server }> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, server };
}

function opened(options: Partial<Parameters<typeof openOutgoing>[0]> = {}): Outgoing {
  const outgoing = openOutgoing({ allowLoopback: true, clock: systemClock, ...options });
  closing.push(() => outgoing.close());
  return outgoing;
}

/** A clock whose deadline the test triggers. */
function handClock(): { clock: Clock; strike: () => void; armedMs: number[] } {
  const armed: Array<() => void> = [];
  const armedMs: number[] = [];
  const after = (ms: number, run: () => void): (() => void) => {
    armed.push(run);
    armedMs.push(ms);
    return () => undefined;
  };
  return { clock: { ...systemClock, after }, strike: () => armed.forEach((run) => run()), armedMs };
}

const post = (outgoing: Outgoing, url: string): Promise<PostResult> =>
  outgoing.postSigned({ url, body: '{"a":"é"}', headers: { 'webhook-id': 'evt_1' } });

test('the endpoint gets the very bytes that were signed', async () => {
  const seen: Array<{ method: string | undefined; headers: IncomingMessage['headers']; body: string }> = [];
  const { port } = await listening((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push({ method: request.method, headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(204).end();
    });
  });
  const message = { id: 'evt_1', timestampS: 1_700_000_000, body: '{"a":"é"}' };
  const headers = signedHeaders([new Secret('whsec_c2VjcmV0')], message);
  const result = await opened().postSigned({ url: `http://localhost:${port}/in`, body: message.body, headers });
  expect(result).toEqual({ status: 204 });
  expect(seen).toEqual([{ method: 'POST', headers: expect.objectContaining(headers), body: message.body }]);
});

test('a redirect is an answer and is not followed', async () => {
  const paths: Array<string | undefined> = [];
  const { port } = await listening((request, response) => {
    paths.push(request.url);
    response.writeHead(307, { location: `http://127.0.0.1:${port}/inside` }).end();
  });
  expect(await post(opened(), `http://127.0.0.1:${port}/in`)).toEqual({ status: 307 });
  expect(paths).toEqual(['/in']);
});

test('an answer without end is cut off after a few kilobytes', async () => {
  let written = 0;
  const { port } = await listening((_request, response) => {
    response.writeHead(200);
    const pour = (): void => {
      while (!response.destroyed && response.write('x'.repeat(1_024))) written += 1_024;
    };
    response.on('drain', pour);
    pour();
  });
  expect(await post(opened(), `http://127.0.0.1:${port}/`)).toEqual({ status: 200 });
  expect(written).toBeLessThan(64 * 1_024 * 1_024);
});

test('the beginning of an answer is returned if it is asked for, also of one that never ends or breaks off', async () => {
  const { port } = await listening((request, response) => {
    response.writeHead(200);
    const isEndless = request.url === '/endless';
    response.write(isEndless ? 'x'.repeat(5_000) : 'é, then');
    if (request.url === '/broken') setImmediate(() => response.destroy());
    if (request.url === '/whole') response.end(' nothing');
  });
  const ask = async (path: string) => {
    const url = `http://127.0.0.1:${port}${path}`;
    return opened().postSigned({ url, body: '{}', headers: {}, answerBytes: 1_000 });
  };
  expect(await ask('/whole')).toEqual({ status: 200, text: 'é, then nothing' });
  expect(await ask('/endless')).toEqual({ status: 200, text: 'x'.repeat(1_000) });
  expect(await ask('/broken')).toMatchObject({ status: 200, text: expect.stringMatching(/^(é, then)?$/) });
});

test('an endpoint that never answers is given up when the time is over', async () => {
  const { clock, strike, armedMs } = handClock();
  const { port } = await listening(() => strike());
  expect(await post(opened({ clock }), `http://127.0.0.1:${port}/`)).toEqual({ failed: 'timed_out' });
  expect(armedMs).toEqual([10_000]);
});

test('endpoints of one host that never answer keep no other endpoint of that host waiting', async () => {
  const { clock, strike } = handClock();
  const asked = new EventEmitter();
  const { port } = await listening(({ url = '' }, response) => {
    if (url === '/quick') response.writeHead(204).end();
    else asked.emit(url);
  });
  const outgoing = opened({ clock });
  const slow = Array.from({ length: 20 }, (_, nth) => `/slow-${nth}`);
  const all = Promise.all(slow.map((path) => once(asked, path)));
  const hanging = slow.map((path) => post(outgoing, `http://127.0.0.1:${port}${path}`));
  await all;
  expect(await post(outgoing, `http://127.0.0.1:${port}/quick`)).toEqual({ status: 204 });
  strike();
  expect(new Set((await Promise.all(hanging)).map((one) => 'failed' in one && one.failed))).toEqual(
    new Set(['timed_out']),
  );
});

test('a status counts although the answer never ends', async () => {
  const { clock, strike } = handClock();
  const { port } = await listening((_request, response) => void response.writeHead(200).write('x'));
  // One turn after the client has seen the headers: the status is known and the rest is still awaited.
  const whenHeadersCame = (): void => void setImmediate(strike);
  subscribe('undici:request:headers', whenHeadersCame);
  closing.push(() => unsubscribe('undici:request:headers', whenHeadersCame));
  expect(await post(opened({ clock }), `http://127.0.0.1:${port}/`)).toEqual({ status: 200 });
});

test('a port without a listener is a failed connection', async () => {
  const { port, server } = await listening(() => undefined);
  await new Promise((resolve) => server.close(resolve));
  expect(await post(opened(), `http://127.0.0.1:${port}/`)).toEqual({ failed: 'connection_failed' });
});

test('an endpoint that hangs up is a failed connection', async () => {
  const { port } = await listening((request) => request.socket.destroy());
  expect(await post(opened(), `http://127.0.0.1:${port}/`)).toEqual({ failed: 'connection_failed' });
});

test('an endpoint without TLS is distinguished', async () => {
  const { port } = await listening(() => undefined);
  expect(await post(opened(), `https://127.0.0.1:${port}/`)).toEqual({ failed: 'tls_failed' });
});

test('no socket is opened towards a name that leads inside', async () => {
  let connections = 0;
  const server = createTcpServer(() => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  const outgoing = opened({
    allowLoopback: false,
    ports: [port],
    resolveAll: (_name, _options, answer) => answer(null, [{ address: '127.0.0.1', family: 4 }]),
  });
  expect(await post(outgoing, `https://hooks.example.com:${port}/`)).toEqual({ failed: 'address_not_public' });
  expect(connections).toBe(0);
});

/** The first lookup gets the first address, and so on; the last address repeats. */
function resolvingTo(...addresses: string[]): ResolveAll {
  return (_name, _options, answer) => {
    const address = (addresses.length > 1 ? addresses.shift() : addresses[0]) ?? '';
    answer(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
  };
}

test('a listed name of a local address is delivered to, over http and at its port', async () => {
  const hosts: Array<string | undefined> = [];
  const { port } = await listening((request, response) => {
    hosts.push(request.headers.host);
    response.writeHead(204).end();
  }, '127.0.0.2');
  const outgoing = opened({
    allowLoopback: false,
    hosts: new WebhookHosts([`*.internal:${port}`]),
    resolveAll: resolvingTo('127.0.0.2'),
  });
  expect(await post(outgoing, `http://payroll.internal:${port}/hooks`)).toEqual({ status: 204 });
  expect(hosts).toEqual([`payroll.internal:${port}`]);
  expect(await post(outgoing, `http://payroll.example:${port}/hooks`)).toEqual({ failed: 'not_https' });
  expect(await post(outgoing, `http://127.0.0.2:${port}/hooks`)).toEqual({ failed: 'not_https' });
  expect(hosts).toHaveLength(1);
});

test('a network that is listed is delivered to by its addresses, and by no name', async () => {
  let answered = 0;
  const { port } = await listening((_request, response) => {
    answered += 1;
    response.writeHead(204).end();
  }, '127.0.0.3');
  const outgoing = opened({
    allowLoopback: false,
    hosts: new WebhookHosts(['127.0.0.0/29']),
    ports: [port],
    resolveAll: resolvingTo('127.0.0.3'),
  });
  expect(await post(outgoing, `http://127.0.0.3:${port}/`)).toEqual({ status: 204 });
  expect(await post(outgoing, `https://hooks.example.com:${port}/`)).toEqual({ failed: 'address_not_public' });
  expect(await post(outgoing, `http://127.0.0.9:${port}/`)).toEqual({ failed: 'not_https' });
  expect(answered).toBe(1);
});

test('a name listed at one port reaches nothing inside at another', async () => {
  let connections = 0;
  const server = createTcpServer(() => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  const outgoing = opened({
    allowLoopback: false,
    hosts: new WebhookHosts(['hooks.example.com:8080']),
    ports: [port],
    resolveAll: resolvingTo('127.0.0.1'),
  });
  expect(await post(outgoing, `https://hooks.example.com:${port}/`)).toEqual({ failed: 'address_not_public' });
  expect(connections).toBe(0);
});

test('a listed name that turns to a metadata service is not followed there', async () => {
  const { port } = await listening((request, response) => {
    response.writeHead(204, { connection: 'close' }).end();
    request.resume();
  }, '127.0.0.2');
  const outgoing = opened({
    allowLoopback: false,
    hosts: new WebhookHosts([`*.internal:${port}`]),
    resolveAll: resolvingTo('127.0.0.2', '::ffff:127.0.0.2', '169.254.169.254'),
  });
  const url = `http://payroll.internal:${port}/`;
  expect(await post(outgoing, url)).toEqual({ status: 204 });
  expect(await post(outgoing, url)).toEqual({ failed: 'address_not_public' });
  expect(await post(outgoing, url)).toEqual({ failed: 'address_not_public' });
});

test('a redirect of a listed host to another address is not followed', async () => {
  const paths: Array<string | undefined> = [];
  const { port } = await listening((request, response) => {
    paths.push(request.url);
    response.writeHead(307, { location: `http://127.0.0.2:${port}/inside` }).end();
  }, '127.0.0.2');
  const outgoing = opened({
    allowLoopback: false,
    hosts: new WebhookHosts([`payroll.internal:${port}`]),
    resolveAll: resolvingTo('127.0.0.2'),
  });
  expect(await post(outgoing, `http://payroll.internal:${port}/in`)).toEqual({ status: 307 });
  expect(paths).toEqual(['/in']);
});

test('a name that does not exist is distinguished', async () => {
  const outgoing = opened({
    resolveAll: (_name, _options, answer) => answer(Object.assign(new Error('none'), { code: 'ENOTFOUND' }), []),
  });
  expect(await post(outgoing, 'https://hooks.example.com/')).toEqual({ failed: 'name_not_found' });
});

test('a URL that fails the check is not connected to at all', async () => {
  const { clock, armedMs } = handClock();
  expect(await post(opened({ clock }), 'https://169.254.169.254/')).toEqual({ failed: 'address_not_public' });
  expect(armedMs).toEqual([]);
});
