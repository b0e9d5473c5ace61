/** Limits on the duration and number of an unknown client's connections. */
import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { request as requestTo } from 'undici';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Proxies } from '../../src/lib/addresses.ts';
import { listen } from '../../src/app/listener.ts';
import { startService, type Service } from '../support/service.ts';

const toClose: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
});

async function open(env: Readonly<Record<string, string>> = {}): Promise<Service> {
  const service = await startService(env);
  toClose.push(() => service.stop());
  return service;
}

/** A connection that sends this; the answer, and the time of its close. */
async function said(url: string, text: string, localAddress?: string) {
  const { hostname: host, port } = new URL(url);
  const socket: Socket = connect({ host, port: Number(port), ...(localAddress && { localAddress }) });
  toClose.push(() => socket.destroy());
  let heard = '';
  socket.on('data', (bytes: Buffer) => (heard += bytes.toString()));
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  socket.write(text);
  const answered = async (): Promise<string> => {
    while (!heard.includes('\r\n\r\n')) await once(socket, 'data');
    return heard.toLowerCase();
  };
  const first = async (): Promise<string> => {
    await Promise.race([once(socket, 'data'), closed]);
    return heard.toLowerCase();
  };
  const end = (): void => void socket.destroy();
  return { answered, first, closed, end, heard: () => heard, say: (more: string) => void socket.write(more) };
}

const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: relais\r\n${more}\r\n`;
const post = (bytes: number): string => `POST / HTTP/1.1\r\nHost: relais\r\nContent-Length: ${bytes}\r\n\r\n`;

test('a connection without a right key is closed with its answer', async () => {
  const { api } = await open();
  const stranger = await said(api, get('/v1/accounts', 'Authorization: Bearer guess\r\n'));
  expect(await stranger.answered()).toMatch(/^http\/1\.1 401[^]*connection: close/);
  await stranger.closed;
});

test('a connection to a foreign address is closed with its answer', async () => {
  const { api, webhooks } = await open();
  const forged = await said(webhooks, get('/cb/d/forged'));
  expect(await forged.answered()).toMatch(/^http\/1\.1 404[^]*connection: close/);
  await forged.closed;
  const lost = await said(api, get('/v1/nothing', 'Authorization: Bearer maker-secret\r\n'));
  expect(await lost.answered()).toMatch(/^http\/1\.1 404[^]*connection: close/);
  await lost.closed;
});

test('a caller with a right key keeps its connection for longer than a proxy does', async () => {
  const { api } = await open();
  const caller = await said(api, get('/v1/accounts', 'Authorization: Bearer maker-secret\r\n'));
  expect(await caller.answered()).toMatch(/^http\/1\.1 200[^]*keep-alive: timeout=75/);
});

test('no listener accepts more connections than its limit', async () => {
  const { api } = await open({ MAX_CONNECTIONS: '3' });
  const half = 'GET /v1/accounts HTTP/1.1\r\n';
  const from = (host: number) => said(api, half, `127.0.0.${host}`);
  const held = [await from(2), await from(3), await from(4)];
  const fourth = await said(api, get('/v1/accounts'), '127.0.0.5');
  await fourth.closed;
  expect(fourth.heard()).toBe('');
  expect(held.map(({ heard }) => heard())).toEqual(['', '', '']);
});

describe('one address', () => {
  const half = 'GET /metrics HTTP/1.1\r\n';
  const whole = get('/healthz');

  test.for(['api', 'webhooks', 'metrics'] as const)('has no more than its share of the listener %s', async (name) => {
    const service = await open({ MAX_CONNECTIONS: '8' });
    const { [name]: url, metrics } = service;
    const held = [await said(url, half, '127.0.0.2'), await said(url, half, '127.0.0.2')];
    const third = await said(url, whole, '127.0.0.2');
    await third.closed;
    expect([third.heard(), ...held.map(({ heard }) => heard())]).toEqual(['', '', '']);
    expect(await (await said(url, whole, '127.0.0.3')).answered()).toContain('http/1.1');
    const page = await (await requestTo(`${metrics}/metrics`)).body.text();
    expect(page).toContain(`relais_connections_refused_total{listener="${name}",reason="share"} 1`);
    // A connection that ends frees its slot.
    held[0]?.end();
    await vi.waitFor(
      async () => expect(await (await said(url, whole, '127.0.0.2')).first()).toContain('http/1.1'),
      10_000,
    );
  });
});

describe('a trusted proxy', () => {
  const proxied = (client: string) => get('/', `X-Forwarded-For: 198.51.100.9, ${client}\r\n`);

  test('has as many connections as there are, and each client behind it its share of the requests', async () => {
    const answers: (() => void)[] = [];
    const server = await listen((_asked, answer) => answers.push(() => void answer.end('ok')), {
      ...limits,
      share: 2,
      proxies: new Proxies(['127.0.0.1']),
    });
    toClose.push(() => server.close());
    const held = [await said(server.url, proxied('192.0.2.1')), await said(server.url, proxied('192.0.2.1'))];
    await vi.waitFor(() => expect(answers.length).toBe(2), 10_000);
    expect(await (await said(server.url, proxied('192.0.2.1'))).answered()).toMatch(
      /^http\/1\.1 429[^]*retry-after: 1/,
    );
    const another = await said(server.url, proxied('192.0.2.2'));
    await vi.waitFor(() => expect(answers.length).toBe(3), 10_000);
    for (const answer of answers) answer();
    for (const caller of [...held, another]) expect(await caller.answered()).toContain('200');
    const again = await said(server.url, proxied('192.0.2.1'));
    await vi.waitFor(() => expect(answers.length).toBe(4), 10_000);
    answers[3]?.();
    expect(await again.answered()).toContain('200');
  });

  test('names the client whose wrong keys are counted', async () => {
    const { api } = await open({ TRUSTED_PROXIES: '127.0.0.0/8' });
    const wrongly = async (client: string) =>
      (
        await said(api, get('/v1/accounts', `X-Forwarded-For: ${client}\r\nAuthorization: Bearer guess\r\n`))
      ).answered();
    let tries = 0;
    while (tries < 100 && !(await wrongly('192.0.2.1')).includes(' 429 ')) tries += 1;
    expect(tries).toBeLessThan(100);
    expect(await wrongly('192.0.2.2')).toContain(' 401 ');
  });
});

const limits = {
  host: '127.0.0.1',
  port: 0,
  setting: 'API_PORT',
  headersMs: 5_000,
  requestMs: 60_000,
  silenceMs: 5_000,
  connections: 10,
  drainMs: 60_000,
};

describe('a listener that closes', () => {
  test.for(['', 'GET / HT', get('/').slice(0, -2)])('is not kept open by a connection that sent %j', async (half) => {
    const server = await listen((_asked, answer) => answer.end('ok'), limits);
    const held = await said(server.url, half);
    // Connections are accepted in order.
    expect(await (await said(server.url, get('/'))).answered()).toContain('200');
    await server.close();
    await held.closed;
  });

  test('lets an answer in progress end', async () => {
    let answerNow = (): void => undefined;
    let tellAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => (tellAsked = resolve));
    const handler: Parameters<typeof listen>[0] = (_asked, answer) => {
      answerNow = () => void answer.end('late');
      tellAsked();
    };
    const server = await listen(handler, limits);
    const caller = await said(server.url, get('/'));
    await asked;
    const closed = server.close();
    answerNow();
    await closed;
    expect(await caller.answered()).toContain('200');
  });

  test('answers later requests on a busy connection, and accepts no more on it', async () => {
    const answers = new Map<string, () => void>();
    const server = await listen((request, answer) => {
      const { url = '' } = request;
      if (url === '/begun') answer.writeHead(200, { 'content-length': url.length }).flushHeaders();
      answers.set(url, () => void answer.end(url));
    }, limits);
    const answered = async (url: string): Promise<void> => {
      await expect.poll(() => answers.has(url)).toBe(true);
      answers.get(url)?.();
    };
    const held = await said(server.url, get('/held'));
    const begun = await said(server.url, get('/begun'));
    expect(await begun.answered()).toContain('keep-alive');
    const closed = server.close();
    await answered('/begun');
    await expect.poll(begun.heard).toContain('/begun');
    begun.say(get('/late'));
    await answered('/late');
    await begun.closed;
    expect(begun.heard()).toMatch(/connection: close[^]*\/late$/i);
    await answered('/held');
    expect(await held.answered()).toContain('connection: close');
    await closed;
  });

  test('waits for an answer no longer than its limit', async () => {
    let tellAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => (tellAsked = resolve));
    const server = await listen(() => tellAsked(), { ...limits, drainMs: 50 });
    const caller = await said(server.url, get('/'));
    await asked;
    await server.close();
    await caller.closed;
    expect(caller.heard()).toBe('');
  });
});

describe('a body that stops coming', () => {
  test('ends its connection, and a continuous one may take longer in all', async () => {
    const received: string[] = [];
    const server = await listen(
      (asked, answer) => {
        let text = '';
        asked.on('data', (bytes: Buffer) => (text += bytes.toString()));
        asked.on('error', () => undefined);
        asked.on('end', () => {
          received.push(text);
          answer.end('ok');
        });
      },
      { ...limits, silenceMs: 300 },
    );
    toClose.push(() => server.close());
    const stalls = await said(server.url, `${post(5)}12`);
    await stalls.closed;
    expect(received).toEqual([]);
    const goesOn = await said(server.url, `${post(2)}12`);
    expect(await goesOn.answered()).toContain('200');
    expect(received).toEqual(['12']);
  });

  test('is none of the waiting for a slow answer', async () => {
    let answerNow = (): void => undefined;
    let tellAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => (tellAsked = resolve));
    const server = await listen(
      (request, answer) => {
        request.resume();
        request.on('end', () => {
          answerNow = () => void answer.end('late');
          tellAsked();
        });
      },
      { ...limits, silenceMs: 50 },
    );
    toClose.push(() => server.close());
    const caller = await said(server.url, `${post(2)}12`);
    await asked;
    // Another connection reaches its limit meanwhile, which proves that the time has passed.
    await (await said(server.url, post(5))).closed;
    answerNow();
    expect(await caller.answered()).toContain('200');
  });

  test('is awaited no longer than its answer takes to be read', async () => {
    const server = await listen((_asked, answer) => answer.end('no'), { ...limits, silenceMs: 30_000 });
    toClose.push(() => server.close());
    const stalls = await said(server.url, `${post(5)}12`);
    expect(await stalls.answered()).toContain('200');
    await stalls.closed;
  });

  test('is waited for no longer where the reading of it was given up half way', async () => {
    const server = await listen(
      (asked, answer) => {
        const giveUp = async (): Promise<void> => {
          for await (const part of asked) {
            answer.end(part);
            break;
          }
        };
        void giveUp();
      },
      { ...limits, silenceMs: 30_000 },
    );
    toClose.push(() => server.close());
    const stalls = await said(server.url, `${post(5)}12`);
    expect(await stalls.answered()).toContain('200');
    await stalls.closed;
  });

  test('leaves a connection unchanged for the next request, if the body was not wanted', async () => {
    let held: Socket | undefined;
    const server = await listen(
      (asked, answer) => {
        held = asked.socket;
        answer.end('no');
        asked.once('end', () => tellRead());
      },
      { ...limits, silenceMs: 30_000 },
    );
    toClose.push(() => server.close());
    let tellRead = (): void => undefined;
    const read = new Promise<void>((resolve) => (tellRead = resolve));
    const caller = await said(server.url, `${post(2)}12`);
    expect(await caller.answered()).toContain('200');
    await read;
    expect(held?.timeout).toBeGreaterThan(60_000);
  });
});

describe('an answer that is not read', () => {
  /** More than the system buffers for a client that does not read. */
  const LARGE = Buffer.alloc(32_000_000, 'x');

  function reader(url: string, asks: string): Socket {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname).pause();
    toClose.push(() => socket.destroy());
    socket.on('error', () => undefined);
    socket.write(asks);
    return socket;
  }

  test.for([
    ['of a page', get('/')],
    ['of a request with a body', `${post(2)}{}`],
    ['of many requests one behind the other', get('/').repeat(20)],
  ] as const)('%s ends its connection: a client that never reads would keep it for ever', async ([, asks]) => {
    let tellClosed = (): void => undefined;
    const closed = new Promise<void>((resolve) => (tellClosed = resolve));
    const server = await listen(
      (asked, answer) => {
        asked.socket.once('close', tellClosed);
        asked.resume().once('end', () => answer.end(LARGE));
      },
      { ...limits, silenceMs: 300 },
    );
    toClose.push(() => server.close());
    reader(server.url, asks);
    await closed;
  });

  test('keeps the answers behind it from being made', async () => {
    const asked: string[] = [];
    let tellAsked = (): void => undefined;
    const first = new Promise<void>((resolve) => (tellAsked = resolve));
    const server = await listen(({ url = '' }, answer) => {
      asked.push(url);
      answer.end(LARGE);
      tellAsked();
    }, limits);
    toClose.push(() => server.close());
    const slow = reader(server.url, get('/first') + get('/second'));
    await first;
    // Another connection is answered meanwhile, so the second request has arrived.
    await (await said(server.url, 'no request\r\n\r\n')).closed;
    expect(asked).toEqual(['/first']);
    let taken = 0;
    slow.on('data', ({ length }: Buffer) => (taken += length) > 2 * LARGE.length && slow.destroy());
    slow.resume();
    await once(slow, 'close');
    expect(asked).toEqual(['/first', '/second']);
  });

  test('is none that is taken slowly, however long it takes in all', async () => {
    const silenceMs = 2_000;
    const server = await listen((_asked, answer) => answer.end(LARGE), { ...limits, silenceMs });
    toClose.push(() => server.close());
    const ticks = await listen(() => undefined, { ...limits, silenceMs: 400 });
    toClose.push(() => ticks.close());
    const tick = async (): Promise<unknown> => (await said(ticks.url, post(1))).closed;
    const slow = reader(server.url, get('/', 'Connection: close\r\n'));
    let [taken, most] = [0, 0];
    slow.on('data', ({ length }: Buffer) => {
      taken += length;
      if (taken > most) slow.pause();
    });
    const closed = once(slow, 'close');
    // Six times 400 ms at least.
    for (let turn = 0; turn < 6; turn += 1) {
      most += 4_000_000;
      slow.resume();
      await tick();
    }
    most = Infinity;
    slow.resume();
    await closed;
    expect(taken).toBeGreaterThan(LARGE.length);
  });
});
