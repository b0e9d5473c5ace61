import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listening } from '../lib/listening.ts';
import type { Metrics } from './metrics.ts';

export interface MetricsServerOptions {
  readonly metrics: Pick<Metrics, 'scrape' | 'contentType'>;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Why this process should be given no work now, in sentences. None: it is ready. */
  readonly readiness: () => readonly string[] | Promise<readonly string[]>;
  readonly onError: (error: unknown) => void;
}

export interface MetricsServer {
  readonly url: string;
  /** Lets answers in progress end. */
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

type Page = (options: MetricsServerOptions) => Answer | Promise<Answer>;

const pages: ReadonlyMap<string, Page> = new Map<string, Page>([
  ['/metrics', async ({ metrics }) => ({ status: 200, type: metrics.contentType, body: await metrics.scrape() })],
  ['/healthz', () => text(200, 'alive')],
  [
    '/readyz',
    async ({ readiness }) => {
      const reasons = await readiness();
      return reasons.length === 0 ? json(200, { ready: true }) : json(503, { ready: false, reasons });
    },
  ],
]);

/** What asks here is a machine next door with a short question: nobody may hold a socket for longer than this. */
const TIMEOUTS = {
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
} as const;
const SILENCE_MS = 10_000;

/** `/metrics`, `/healthz` and `/readyz` of this process. Rejects when the port cannot be had. */
export async function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const inProgress = new Set<ServerResponse>();
  const server = createServer(TIMEOUTS, (request, response) => {
    inProgress.add(response);
    response.once('close', () => inProgress.delete(response));
    void respond(request, response, options);
  });
  server.timeout = SILENCE_MS;
  await listening(server, { port: options.port, host: options.host, setting: 'METRICS_PORT' });
  server.on('error', options.onError);
  return { url: urlOf(server, options.host), close: () => close(server, inProgress) };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  options: MetricsServerOptions,
): Promise<void> {
  request.resume();
  const { status, type, body } = await answerTo(request, options);
  if (status === 405) response.setHeader('Allow', 'GET, HEAD');
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

async function answerTo(request: IncomingMessage, options: MetricsServerOptions): Promise<Answer> {
  const [path = ''] = (request.url ?? '').split('?');
  const page = pages.get(path);
  if (!page) return text(404, 'there are /metrics, /healthz and /readyz here');
  if (request.method !== 'GET' && request.method !== 'HEAD') return text(405, 'only GET and HEAD');
  try {
    return await page(options);
  } catch (error) {
    options.onError(error);
    return text(500, 'this page could not be made; the log says why');
  }
}

async function close(server: Server, inProgress: ReadonlySet<ServerResponse>): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  await Promise.all([...inProgress].map((response) => once(response, 'close')));
  // What is left are connections on which nothing was asked, which nobody watches once the server is closing.
  server.closeAllConnections();
  await closed;
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function text(status: number, line: string): Answer {
  return { status, type: 'text/plain; charset=utf-8', body: `${line}\n` };
}

function json(status: number, value: unknown): Answer {
  return { status, type: 'application/json; charset=utf-8', body: `${JSON.stringify(value)}\n` };
}
