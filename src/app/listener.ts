/** A listener that strangers reach: how long they may take for what they send, and for what they are told. */
import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { type Bounds, createBoundedServer } from '../lib/bounded-server.ts';
import { systemClock, withDeadline } from '../lib/clock.ts';
import { type Place, listening } from '../lib/listening.ts';

interface ListenOptions extends Place, Bounds {
  /** How long a sender may take for headers, and for the whole request (ms). */
  readonly headersMs: number;
  readonly requestMs: number;
  /** How long a body that has begun may stop coming, and an answer that has begun may stop being taken (ms). */
  readonly silenceMs: number;
  /** How long what is being answered is waited for when it closes (ms). */
  readonly drainMs: number;
}

/** Proxies keep theirs for a minute: one that we close first may be asked on again in that moment, and is reset. */
const KEEP_ALIVE_MS = 75_000;
const UNREAD_MS = 5_000;

/** Listens, or rejects with what to do about it. The address has the port that was really taken. */
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
      // Nothing more is asked on it: its caller goes to another process.
      if (!server.listening) response.shouldKeepAlive = false;
      // A request that is given up half read has no socket any more.
      const { socket } = request;
      request.setTimeout(silenceMs, () => socket.destroy());
      request.once('end', () => response.writableFinished && socket.setTimeout(KEEP_ALIVE_MS));
      // The wait for our own answer is no silence of the other end, unless some of it waits to be taken.
      response.on('timeout', () => {
        if (response.writableLength > 0) socket.destroy();
        else socket.setTimeout(silenceMs);
      });
      // It was answered before it was read: the sender may hear why, and then the rest of it is not waited for.
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

/** Also those that came meanwhile, on a connection that was being answered. */
async function allEnded(inProgress: ReadonlySet<ServerResponse>): Promise<void> {
  for (const response of inProgress) await new Promise<void>((resolve) => response.once('close', resolve));
}

async function close(server: Server, inProgress: ReadonlySet<ServerResponse>, drainMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  for (const response of inProgress) response.shouldKeepAlive = false;
  await withDeadline(systemClock, drainMs, () => allEnded(inProgress));
  // What is left has asked nothing yet, or takes too long: a server that closes watches the times of nobody.
  server.closeAllConnections();
  await closed;
}
