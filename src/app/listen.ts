import { type RequestListener, createServer } from 'node:http';

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** How long a sender may take for headers, and for the whole request (ms). */
  readonly headersMs: number;
  readonly requestMs: number;
  /** How long a body that has begun may stop coming (ms). */
  readonly bodySilenceMs: number;
  /** More are hung up on. */
  readonly maxConnections: number;
}

/** Proxies keep theirs for a minute: one that we close first may be asked on again in that moment, and is reset. */
const KEEP_ALIVE_MS = 75_000;
const UNREAD_MS = 5_000;

/** Listens, or rejects with what to do about it. The address has the port that was really taken. */
export async function listen(
  handler: RequestListener,
  { host, port, headersMs, requestMs, bodySilenceMs, maxConnections }: ListenOptions,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    (request, response) => {
      request.setTimeout(bodySilenceMs, () => request.destroy());
      // The wait for our own answer is no silence of the sender.
      request.once('end', () => request.setTimeout(response.writableFinished ? KEEP_ALIVE_MS : 0));
      // It was answered before it was read: the sender may hear why, and then the rest of it is not waited for.
      response.once('finish', () => request.complete || request.setTimeout(UNREAD_MS));
      handler(request, response);
    },
  );
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      reject(
        taken ? new Error(`port ${port} is taken; choose another, or 0 for a free one`, { cause: error }) : error,
      );
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const taken = typeof address === 'object' && address ? address.port : port;
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return {
    url: `http://${shown.includes(':') ? `[${shown}]` : shown}:${taken}`,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeIdleConnections();
      }),
  };
}
