import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Bounds, createBoundedServer } from '../lib/bounded-server.ts';
import { listening } from '../lib/listening.ts';
import type { Metrics } from './metrics.ts';

export interface MetricsServerOptions extends Bounds {
  readonly metrics: Pick<Metrics, 'scrape' | 'contentType'>;
  readonly host: string;
  /** 0 uses a free one. */
  readonly port: number;
  /** Why this process should get no work now, in sentences. None: it is ready. */
  readonly readiness: () => readonly string[] | Promise<readonly string[]>;
  readonly onError: (error: unknown) => void;
}

export interface MetricsServer {
  readonly url: string;
  /** Waits for answers in progress. */
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
}

type Page = () => Answer | Promise<Answer>;

const pagesOf = ({ metrics, readiness }: MetricsServerOptions): ReadonlyMap<string, Page> =>
  new Map<string, Page>([
    ['/metrics', shared(async () => answerOf(200, metrics.contentType, await metrics.scrape()))],
    ['/healthz', () => text(200, 'alive')],
    [
      '/readyz',
      shared(async () => {
        const reasons = await readiness();
        return reasons.length === 0 ? json(200, { ready: true }) : json(503, { ready: false, reasons });
      }),
    ],
  ]);

/** Concurrent requests share one answer, so many cost no more than one. */
function shared(make: () => Promise<Answer>): Page {
  let making: Promise<Answer> | undefined;
  return () => (making ??= make().finally(() => (making = undefined)));
}

/** Clients here are monitoring systems with short requests: no client may keep a socket for longer. */
const TIMEOUTS = {
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
} as const;
const SILENCE_MS = 10_000;

/** `/metrics`, `/healthz` and `/readyz` of this process. Rejects if the port is not available. */
export async function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const inProgress = new Set<ServerResponse>();
  const answering = { pages: pagesOf(options), onError: options.onError };
  const server = createBoundedServer(TIMEOUTS, options, (request, response) => {
    inProgress.add(response);
    response.once('close', () => inProgress.delete(response));
    void respond(request, response, answering);
  });
  server.timeout = SILENCE_MS;
  await listening(server, { port: options.port, host: options.host, setting: 'METRICS_PORT' });
  server.on('error', options.onError);
  return { url: urlOf(server, options.host), close: () => close(server, inProgress) };
}

interface Answering extends Pick<MetricsServerOptions, 'onError'> {
  readonly pages: ReadonlyMap<string, Page>;
}

async function respond(request: IncomingMessage, response: ServerResponse, answering: Answering): Promise<void> {
  request.resume();
  const { status, type, body } = await answerTo(request, answering);
  if (status === 405) response.setHeader('Allow', 'GET, HEAD');
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

async function answerTo(request: IncomingMessage, { pages, onError }: Answering): Promise<Answer> {
  const [path = ''] = (request.url ?? '').split('?');
  const page = pages.get(path);
  if (!page) return text(404, 'there are /metrics, /healthz and /readyz here');
  if (request.method !== 'GET' && request.method !== 'HEAD') return text(405, 'only GET and HEAD');
  try {
    return await page();
  } catch (error) {
    onError(error);
    return text(500, 'this page could not be made; the log says why');
  }
}

async function close(server: Server, inProgress: ReadonlySet<ServerResponse>): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  await Promise.all([...inProgress].map((response) => once(response, 'close')));
  // Closes idle connections: Node stops enforcing their time-outs once the server is closing.
  server.closeAllConnections();
  await closed;
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function answerOf(status: number, type: string, body: string): Answer {
  return { status, type, body: Buffer.from(body) };
}

function text(status: number, line: string): Answer {
  return answerOf(status, 'text/plain; charset=utf-8', `${line}\n`);
}

function json(status: number, value: unknown): Answer {
  return answerOf(status, 'application/json; charset=utf-8', `${JSON.stringify(value)}\n`);
}
