/** An HTTP server of whose memory one connection takes little: it answers one request at a time, and few may wait. */
import { type RequestListener, type Server, type ServerOptions, createServer } from 'node:http';
import type { Socket } from 'node:net';

export interface Bounds {
  /** More connections are closed. */
  readonly connections: number;
}

/** Our clients send one request at a time; browsers and proxies do not pipeline either. */
const UNANSWERED_MOST = 8;

export function createBoundedServer(
  options: ServerOptions,
  { connections }: Bounds,
  handle: RequestListener,
): Server {
  const server = createServer(options, inTurn(handle));
  server.maxConnections = connections;
  return server;
}

/**
 * Node hands over every request of a chunk at once, and each would get its answer made, although the socket takes none.
 * A request waits until the answer before it has left. A connection with too many that wait is closed.
 */
function inTurn(handle: RequestListener): RequestListener {
  const unanswered = new WeakMap<Socket, (() => void)[]>();
  return (request, response) => {
    const { socket } = request;
    // Node still hands over the rest of the chunk.
    if (socket.destroyed) return;
    const queue = unanswered.get(socket) ?? [];
    unanswered.set(socket, queue);
    const begin = (): void => {
      response.once('close', () => {
        queue.shift();
        // An answer that ends its connection leaves the others without one.
        if (socket.writable) queue[0]?.();
      });
      handle(request, response);
    };
    if (queue.push(begin) > UNANSWERED_MOST) socket.destroy();
    else if (queue.length === 1) begin();
  };
}
