/** A listener for untrusted clients: time limits for their requests, and for reading our answers. */
import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { type Bounds, createBoundedServer } from '../lib/bounded-server.ts';
import { systemClock, withDeadline } from '../lib/clock.ts';
import { type Place, listening } from '../lib/listening.ts';

interface ListenOptions extends Place, Bounds {
  /** Time limits for headers, and for the whole request (ms). */
  readonly headersMs: number;
  readonly requestMs: number;
  /** How long a started body may stop arriving, and a started answer may stop being read (ms). */
  readonly silenceMs: number;
  /** How long answers in progress may take when the listener closes (ms). */
  readonly drainMs: number;
}

/**
 * Proxies keep idle connections for a minute: if relais closed one first, a request sent at that moment would be
 * reset.
 */
const KEEP_ALIVE_MS = 75_000;
const UNREAD_MS = 5_000;

/** Listens, or rejects with what to do. The address contains the actual port. */
export async function listen(
  handler: RequestListener,
  { host, port, setting, headersMs, requestMs, silenceMs, drainMs, ...bounds }: ListenOptions,
): Promise<{ url: string; close: () => Promise<void> }> {
  const inProgress = new Set<ServerResponse>();
  const server = createBoundedServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    bounds,
    (request, response) => {
      inProgress.add(response);
      response.once('close', () => inProgress.delete(response));
      // No further request on this connection: its caller uses another process.
      if (!server.listening) response.shouldKeepAlive = false;
      // An aborted request has no socket any more.
      const { socket } = request;
      request.setTimeout(silenceMs, () => socket.destroy());
      request.once('end', () => response.writableFinished && socket.setTimeout(KEEP_ALIVE_MS));
      // Waiting for our own answer is no silence of the client, unless a part of the answer waits to be read.
      response.on('timeout', () => {
        if (response.writableLength > 0) socket.destroy();
        else socket.setTimeout(silenceMs);
      });
      // The answer came before the whole request was read: the sender can read it, and the rest is not awaited.
      response.once('finish', () => request.complete || socket.setTimeout(UNREAD_MS));
      handler(request, response);
    },
  );
  await listening(server, { port, host, setting });
  const address = server.address();
  const taken = typeof address === 'object' && address ? address.port : port;
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return {
    url: `http://${shown.includes(':') ? `[${shown}]` : shown}:${taken}`,
    close: () => close(server, inProgress, drainMs),
  };
}

/** Includes requests that arrived meanwhile on a busy connection. */
async function allEnded(inProgress: ReadonlySet<ServerResponse>): Promise<void> {
  for (const response of inProgress) await new Promise<void>((resolve) => response.once('close', resolve));
}

async function close(server: Server, inProgress: ReadonlySet<ServerResponse>, drainMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  for (const response of inProgress) response.shouldKeepAlive = false;
  await withDeadline(systemClock, drainMs, () => allEnded(inProgress));
  // Destroy idle sockets: Node stops enforcing time-outs once the server is closing.
  server.closeAllConnections();
  await closed;
}
