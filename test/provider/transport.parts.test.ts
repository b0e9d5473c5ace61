import { getEventListeners } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { freePort } from '../../src/lib/listening.ts';
import { momentOf, systemClock } from '../../src/lib/clock.ts';
import { createTransport, type Delivery, type OutgoingRequest } from '../../src/provider/transport.ts';
import { listen, type Listener, raw } from './listener.ts';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A server below HTTP: the test defines its behaviour on each connection. */
async function tcp(onConnection: (socket: Socket, count: number) => void): Promise<string> {
  let count = 0;
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    onConnection(socket, (count += 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/pay`;
}

async function http(answerer: Parameters<typeof listen>[0]): Promise<Listener> {
  const listener = await listen(answerer);
  closers.push(() => listener.close());
  return listener;
}

function transport(timeoutMs = 600) {
  const made = createTransport({ timeoutMs, connectTimeoutMs: 400, clock: systemClock });
  closers.push(() => made.close());
  return made;
}

function post(url: string, changes: Partial<OutgoingRequest> = {}): OutgoingRequest {
  return {
    method: 'POST',
    url,
    headers: { 'Content-Type': 'application/json' },
    body: '{"a":1}',
    fresh: true,
    abortable: false,
    ...changes,
  };
}

const both = [
  ['a fresh socket', true],
  ['a kept one', false],
] as const;

test.for(both)('a refused connection was never sent (%s)', async ([, fresh]) => {
  const url = `http://127.0.0.1:${await freePort()}/pay`;
  expect(await transport().deliver(post(url, { fresh }), {})).toMatchObject({ sent: 'never', code: 'unreachable' });
});

test.for(both)('a refused connection at a name with several addresses was never sent (%s)', async ([, fresh]) => {
  const url = `http://localhost:${await freePort()}/pay`;
  expect(await transport().deliver(post(url, { fresh }), {})).toMatchObject({ sent: 'never', code: 'unreachable' });
});

test.for(both)('a name that does not exist was never sent to (%s)', async ([, fresh]) => {
  const delivery = await transport().deliver(post('http://nowhere.invalid/pay', { fresh }), {});
  expect(delivery).toMatchObject({ sent: 'never', code: 'unreachable' });
});

test.for(both)('a server that speaks no TLS was never sent to (%s)', async ([, fresh]) => {
  const { url } = await http(raw('no'));
  const delivery = await transport().deliver(post(url.replace('http:', 'https:'), { fresh }), {});
  expect(delivery).toMatchObject({ sent: 'never', code: 'tls_refused' });
});

test.for(both)('a TLS handshake that never ends was never sent (%s)', async ([, fresh]) => {
  const url = (await tcp(() => undefined)).replace('http:', 'https:');
  expect(await transport().deliver(post(url, { fresh }), {})).toMatchObject({ sent: 'never', code: 'unreachable' });
});

test.for(both)('a reset in the middle of the TLS handshake was never sent (%s)', async ([, fresh]) => {
  const url = (await tcp((socket) => socket.once('data', () => socket.resetAndDestroy()))).replace('http:', 'https:');
  expect(await transport().deliver(post(url, { fresh }), {})).toMatchObject({ sent: 'never', code: 'unreachable' });
});

test('a header that cannot be written was never sent', async () => {
  const { url, heard } = await http(raw('{}'));
  const delivery = await transport().deliver(post(url, { headers: { 'X-Key': 'two\nlines' } }), {});
  expect(delivery).toMatchObject({ sent: 'never', code: 'request_invalid' });
  expect(heard).toEqual([]);
});

test('an invalid address was never sent to', async () => {
  expect(await transport().deliver(post('not an address'), {})).toMatchObject({
    sent: 'never',
    code: 'request_invalid',
  });
});

test.for(both)('a reset after the request was read may have been sent (%s)', async ([, fresh]) => {
  const url = await tcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
  expect(await transport().deliver(post(url, { fresh }), {})).toMatchObject({ sent: 'maybe', code: 'cut' });
});

test.for(both)('an end without an answer may have been sent (%s)', async ([, fresh]) => {
  const url = await tcp((socket) => socket.once('data', () => socket.end()));
  expect(await transport().deliver(post(url, { fresh }), {})).toMatchObject({ sent: 'maybe', code: 'cut' });
});

test('accept and close at once may have been sent', async () => {
  const url = await tcp((socket) => socket.end());
  expect(await transport().deliver(post(url), {})).toMatchObject({ sent: 'maybe', code: 'cut' });
});

test('silence may have been sent', async () => {
  const url = await tcp((socket) => socket.resume());
  expect(await transport(300).deliver(post(url), {})).toMatchObject({ sent: 'maybe', code: 'no_answer' });
});

test('garbage instead of HTTP may have been sent', async () => {
  const url = await tcp((socket) => socket.once('data', () => socket.end('garbage\r\n\r\n')));
  expect(await transport().deliver(post(url), {})).toMatchObject({ sent: 'maybe', code: 'cut' });
});

const partial: readonly (readonly [string, string])[] = [
  ['cut by a close', 'HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"response_code":"00"'],
  ['cut in a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n{"response_code":"00"'],
];
test.for(partial)('an answer %s has its status and no text', async ([, bytes]) => {
  const url = await tcp((socket) => socket.once('data', () => socket.end(bytes)));
  expect(await transport().deliver(post(url), {})).toEqual({ sent: 'answered', status: 200 });
});

test('a truncated answer has its status and no text', async () => {
  const url = await tcp((socket) =>
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"res')),
  );
  expect(await transport(300).deliver(post(url), {})).toEqual({ sent: 'answered', status: 200 });
});

test('an answer that trickles is not waited for longer than the time-out', async () => {
  const url = await tcp((socket) =>
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n');
      const drip = setInterval(() => socket.write(' '), 50);
      socket.on('close', () => clearInterval(drip));
    }),
  );
  expect(await transport(400).deliver(post(url), {})).toEqual({ sent: 'answered', status: 200 });
});

test('an answer above 1 MB has its status and no text', async () => {
  const { url } = await http(raw('x'.repeat(1_100_000)));
  expect(await transport().deliver(post(url), {})).toEqual({ sent: 'answered', status: 200 });
});

test('the body is read at every status', async () => {
  for (const status of [200, 201, 302, 400, 401, 404, 429, 500, 503]) {
    const { url } = await http(raw('{"a":1}', status, { location: '/elsewhere' }));
    expect(await transport().deliver(post(url), {})).toMatchObject({ sent: 'answered', status, text: '{"a":1}' });
  }
});

test('an interim answer is not the answer', async () => {
  const url = await tcp((socket) =>
    socket.once('data', () =>
      socket.end('HTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'),
    ),
  );
  expect(await transport().deliver(post(url), {})).toEqual({ sent: 'answered', status: 200, text: '{}' });
});

test('after an interim answer and no other the letter may have been sent', async () => {
  const url = await tcp((socket) => socket.once('data', () => socket.end('HTTP/1.1 103 Early Hints\r\n\r\n')));
  expect(await transport().deliver(post(url), {})).toMatchObject({ sent: 'maybe', code: 'cut' });
});

test('a text in chunks is read as a whole, also if one ends inside a letter', async () => {
  const text = Buffer.from('{"a":"payé"}');
  const [inside, gap] = [text.indexOf(0xc3) + 1, 20];
  const { url } = await http((_heard, response) => {
    response.write(text.subarray(0, inside));
    setTimeout(() => response.end(text.subarray(inside)), gap);
  });
  expect(await transport().deliver(post(url), {})).toMatchObject({ sent: 'answered', text: '{"a":"payé"}' });
});

test('an answer without a body has an empty text', async () => {
  const { url } = await http(raw('', 204));
  expect(await transport().deliver(post(url), {})).toEqual({ sent: 'answered', status: 204, text: '' });
});

test('the requested pause of an answer is passed on unchanged', async () => {
  const { url } = await http(raw('{}', 429, { 'retry-after': '7' }));
  expect(await transport().deliver(post(url), {})).toMatchObject({ status: 429, retryAfter: '7' });
});

test('each letter goes to its own address, however many there were', async () => {
  const { url, heard } = await http(raw('{}'));
  const made = transport();
  const paths = Array.from({ length: 120 }, (_, number) => `/confirm/${number % 60}?again=${number}`);
  for (const path of paths) await made.deliver(post(`${url}${path}`, { fresh: false }), {});
  expect(heard.map((one) => one.path)).toEqual(paths);
});

test('a redirect is not followed', async () => {
  const { url, heard } = await http(raw('', 307, { location: '/elsewhere' }));
  await transport().deliver(post(`${url}/first`), {});
  expect(heard.map((one) => one.path)).toEqual(['/first']);
});

test('five fresh letters open five connections, one after the other or at once', async () => {
  const listener = await http(raw('{}'));
  const made = transport();
  for (let count = 0; count < 5; count += 1) await made.deliver(post(listener.url), {});
  expect(listener.connections()).toBe(5);
  await Promise.all(Array.from({ length: 5 }, () => made.deliver(post(listener.url), {})));
  expect(listener.connections()).toBe(10);
  expect(listener.heard.every((one) => one.headers.connection === 'close')).toBe(true);
});

test('requests on kept connections share them', async () => {
  const listener = await http(raw('{}'));
  const made = transport();
  for (let count = 0; count < 20; count += 1) await made.deliver(post(listener.url, { fresh: false }), {});
  // The next request may leave before the last connection counts as free again.
  expect(listener.connections()).toBeLessThanOrEqual(2);
});

test.for(['reset', 'end'] as const)('a POST is on the wire once, for any answer (%s)', async (how) => {
  let requests = 0;
  const url = await tcp((socket) =>
    socket.on('data', () => {
      requests += 1;
      if (how === 'reset') socket.resetAndDestroy();
      else socket.end();
    }),
  );
  for (const fresh of [true, false]) await transport().deliver(post(url, { fresh }), {});
  expect(requests).toBe(2);
});

test('past its deadline a letter is never sent', async () => {
  const listener = await http(raw('{}'));
  const delivery = await transport().deliver(post(listener.url), {
    sendBy: { since: momentOf(systemClock), ms: -1 },
  });
  expect(delivery).toMatchObject({ sent: 'never', code: 'send_deadline' });
  expect(listener.connections()).toBe(0);
});

const HOUR_MS = 3_600_000;
const clockFaults = [
  ['the lease passes', { now: 1_000, monotonic: 1_000, sinceBoot: 1_000 }, 'send_deadline'],
  ['the machine is suspended', { now: HOUR_MS, monotonic: 0, sinceBoot: HOUR_MS }, 'clocks_disagree'],
  [
    'the machine is suspended and its clock set back',
    { now: 0, monotonic: 0, sinceBoot: HOUR_MS },
    'clocks_disagree',
  ],
  ['the machine is suspended for a moment', { now: 1_000, monotonic: 0, sinceBoot: 1_000 }, 'send_deadline'],
  ['the virtual machine is paused', { now: HOUR_MS, monotonic: 0, sinceBoot: 0 }, 'clocks_disagree'],
  ['the clock is set back', { now: -HOUR_MS, monotonic: 0, sinceBoot: 0 }, 'clocks_disagree'],
] as const;

describe.for(clockFaults)('where %s while the connection opens, the request does not leave', ([, passed, code]) => {
  test.for(both)('%s', async ([, fresh]) => {
    const listener = await http(raw('{}'));
    // The first check is in time, the second (when the socket is open) is not.
    const checks = { now: 0, monotonic: 0, sinceBoot: 0 };
    const read = (which: keyof typeof checks) => () => ((checks[which] += 1) === 1 ? 0 : passed[which]);
    const clock = { ...systemClock, now: read('now'), monotonic: read('monotonic'), sinceBoot: read('sinceBoot') };
    const made = createTransport({ timeoutMs: 500, connectTimeoutMs: 500, clock });
    closers.push(() => made.close());
    const sendBy = { since: { wall: 0, mono: 0, boot: 0 }, ms: 10 };
    expect(await made.deliver(post(listener.url, { fresh }), { sendBy })).toMatchObject({ sent: 'never', code });
    expect(listener.heard).toEqual([]);
  });
});

test('giving up before the start sends nothing', async () => {
  const listener = await http(raw('{}'));
  const delivery = await transport().deliver(post(listener.url), { signal: AbortSignal.abort() });
  expect(delivery).toMatchObject({ sent: 'never', code: 'given_up' });
  expect(listener.heard).toEqual([]);
});

test('a read can be given up in flight, an effect cannot', async () => {
  const giveUp = new AbortController();
  const listener = await http(async (_heard, response) => {
    giveUp.abort();
    setTimeout(() => response.end('{}'), 50);
  });
  const made = transport();
  const call = (abortable: boolean): Promise<Delivery> =>
    made.deliver(post(listener.url, { abortable, fresh: false }), { signal: giveUp.signal });
  expect(await call(true)).toMatchObject({ sent: 'maybe', code: 'given_up' });
});

test('a read that is given up before its connection opens is not written', async () => {
  const giveUp = new AbortController();
  const listener = await http(raw('{}'));
  const letter = post(listener.url, { abortable: true, fresh: false });
  const delivery = transport().deliver(letter, { signal: giveUp.signal });
  giveUp.abort();
  expect(await delivery).toMatchObject({ code: 'given_up' });
  expect(listener.heard).toEqual([]);
});

test('a read that is aborted during its answer has its status and no text', async () => {
  const giveUp = new AbortController();
  const url = await tcp((socket) =>
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"res');
      setTimeout(() => giveUp.abort(), 50);
    }),
  );
  const delivery = await transport(5_000).deliver(post(url, { abortable: true }), { signal: giveUp.signal });
  expect(delivery).toEqual({ sent: 'answered', status: 200 });
});

test('the abort listener is removed at the end of the request', async () => {
  const { signal } = new AbortController();
  const listener = await http(raw('{}'));
  const made = transport();
  await made.deliver(post(listener.url, { abortable: true, fresh: false }), { signal });
  await made.deliver(post(`http://127.0.0.1:${await freePort()}/`, { abortable: true }), { signal });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('an effect in flight is not given up', async () => {
  const giveUp = new AbortController();
  const listener = await http((_heard, response) => {
    giveUp.abort();
    setTimeout(() => response.end('{}'), 50);
  });
  const delivery = await transport().deliver(post(listener.url), { signal: giveUp.signal });
  expect(delivery).toMatchObject({ sent: 'answered', status: 200 });
});

test('closing lets a letter in flight end and sends no other', async () => {
  const made = transport();
  const listener = await http((_heard, response) => {
    setTimeout(() => response.end('{}'), 50);
  });
  const inFlight = made.deliver(post(listener.url), {});
  const closed = made.close();
  expect(await made.deliver(post(listener.url), {})).toMatchObject({ sent: 'never', code: 'closing' });
  expect(await inFlight).toMatchObject({ sent: 'answered' });
  await closed;
});

test('closing ends after the last letter has', async () => {
  const made = transport();
  const listener = await http((_heard, response) => {
    setTimeout(() => response.end('{}'), 50);
  });
  const ends: string[] = [];
  const inFlight = made.deliver(post(listener.url), {}).then(() => ends.push('letter'));
  await Promise.all([inFlight, made.close().then(() => ends.push('close'))]);
  expect(ends).toEqual(['letter', 'close']);
});
