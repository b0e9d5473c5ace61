import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { request } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { type MetricsServer, type MetricsServerOptions, startMetricsServer } from '../../src/metrics/server.ts';

let server: MetricsServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(change: Partial<MetricsServerOptions> = {}): Promise<string> {
  server = await startMetricsServer({
    metrics: { contentType: 'text/plain; version=0.0.4; charset=utf-8', scrape: () => Promise.resolve('up 1\n') },
    host: '127.0.0.1',
    port: 0,
    connections: 100,
    readiness: () => [],
    onError: () => undefined,
    ...change,
  });
  return server.url;
}

async function ask(url: string, method: 'GET' | 'HEAD' | 'POST' = 'GET') {
  const answer = await request(url, { method, ...(method === 'POST' ? { body: 'x' } : {}) });
  return { status: answer.statusCode, headers: answer.headers, body: await answer.body.text() };
}

describe('a process', () => {
  test('shows its metrics in the format Prometheus expects', async () => {
    const { status, headers, body } = await ask(`${await start()}/metrics?x=1`);
    expect([status, headers['content-type'], body]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
      'up 1\n',
    ]);
  });

  test('is alive, whatever it waits for', async () => {
    expect((await ask(`${await start({ readiness: () => ['Redis is away'] })}/healthz`)).status).toBe(200);
  });

  test('is ready if nothing prevents it', async () => {
    const { status, body } = await ask(`${await start()}/readyz`);
    expect([status, JSON.parse(body)]).toEqual([200, { ready: true }]);
  });

  test('is not ready for reasons that it names', async () => {
    const reasons = ['Redis is away', 'it is draining'];
    const { status, body } = await ask(`${await start({ readiness: () => Promise.resolve(reasons) })}/readyz`);
    expect([status, JSON.parse(body)]).toEqual([503, { ready: false, reasons }]);
  });

  test.for(['/metrics', '/readyz'])('creates %s one time for concurrent requests', async (path) => {
    let made = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const make = async <T>(answer: T): Promise<T> => {
      made += 1;
      await released;
      return answer;
    };
    const metrics = { contentType: 'text/plain', scrape: () => make('up 1\n') };
    const url = await start({ metrics, readiness: () => make([]) });
    const callers = Array.from({ length: 10 }, () => connect(Number(new URL(url).port), '127.0.0.1'));
    await Promise.all(callers.map((caller) => once(caller, 'connect')));
    for (const caller of callers) caller.write(`GET ${path} HTTP/1.1\r\nHost: relais\r\nConnection: close\r\n\r\n`);
    // Two turns of the server later it has read all requests.
    for (const _turn of [1, 2]) expect((await ask(`${url}/healthz`)).status).toBe(200);
    release();
    const answers = await Promise.all(callers.map(async (caller) => String((await once(caller, 'data'))[0])));
    expect([made, answers.filter((answer) => answer.startsWith('HTTP/1.1 200')).length]).toEqual([1, 10]);
    expect((await ask(`${url}${path}`)).status).toBe(200);
    expect(made).toBe(2);
  });

  test('answers HEAD with the same headers and nothing after them', async () => {
    const { status, headers, body } = await ask(`${await start()}/metrics`, 'HEAD');
    expect([status, headers['content-length'], body]).toEqual([200, '5', '']);
  });

  test('has no other page', async () => {
    const url = await start();
    expect((await ask(`${url}/`)).status).toBe(404);
    expect((await ask(`${url}/metrics/`)).status).toBe(404);
    expect((await ask(`${url}/constructor`)).status).toBe(404);
  });

  test('only reads', async () => {
    const { status, headers } = await ask(`${await start()}/metrics`, 'POST');
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
  });

  test('hides why a page failed, and logs it', async () => {
    const errors: unknown[] = [];
    const broken = new Error('redis://user:password@host');
    const metrics = { contentType: 'text/plain', scrape: () => Promise.reject(broken) };
    const { status, body } = await ask(`${await start({ metrics, onError: (error) => errors.push(error) })}/metrics`);
    expect([status, body.includes('password'), errors]).toEqual([500, false, [broken]]);
  });
});

describe('the port', () => {
  test('that another has taken is an error of the start', async () => {
    const port = Number(new URL(await start()).port);
    const second = startMetricsServer({
      metrics: { contentType: '', scrape: () => Promise.resolve('') },
      host: '127.0.0.1',
      port,
      connections: 100,
      readiness: () => [],
      onError: () => undefined,
    });
    await expect(second).rejects.toThrow(`METRICS_PORT: port ${port} on 127.0.0.1 is taken`);
  });
});

describe('closing', () => {
  test('lets the answer in progress end, and takes no more', async () => {
    let scraped: (page: string) => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      void start({
        metrics: {
          contentType: 'text/plain',
          scrape: () => {
            resolve();
            return new Promise((answer) => (scraped = answer));
          },
        },
      }).then((url) => (inProgress = ask(`${url}/metrics`)));
    });
    let inProgress: ReturnType<typeof ask> | undefined;
    await asked;
    const url = server?.url ?? '';
    const closed = server?.close();
    server = undefined;
    scraped('the last page\n');
    expect((await inProgress)?.body).toBe('the last page\n');
    await closed;
    await expect(ask(`${url}/healthz`)).rejects.toThrow('ECONNREFUSED');
  });

  test('does not wait for idle clients, or incomplete requests', async () => {
    const port = Number(new URL(await start()).port);
    const silent = await opened(port);
    const slow = await opened(port);
    slow.write('GET /metrics HTTP/1.1\r\nHos');
    // An answer on a third connection: the server has read the earlier data of the other two.
    await ask(`http://127.0.0.1:${port}/healthz`);
    const hungUp = Promise.all([once(silent, 'close'), once(slow, 'close')]);
    await server?.close();
    server = undefined;
    await hungUp;
  });
});

async function opened(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  // The test expects the disconnect, in any form.
  socket.on('error', () => undefined);
  socket.resume();
  await once(socket, 'connect');
  return socket;
}
