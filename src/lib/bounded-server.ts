/**
 * An HTTP server of which one client takes little: a share of the connections, and few requests at a time on each.
 * Trusted proxies carry the requests of many clients, so each of these has a share of the requests in progress.
 */
import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  createServer,
} from 'node:http';
import type { Socket } from 'node:net';
import { Proxies, clientNetwork } from './addresses.ts';

/** Why a connection is closed, or a request refused. */
type Refusal =
  /** The listener has as many connections as it takes. */
  | 'full'
  /** One address has its share of them. */
  | 'share'
  /** One connection sends requests and does not take the answers. */
  | 'unanswered';

export interface Bounds {
  /** More connections are closed. */
  readonly connections: number;
  /** Limit for one client address. Absent: one address can use all. */
  readonly share?: number | undefined;
  readonly proxies?: Proxies | undefined;
  readonly onRefused?: ((why: Refusal) => void) | undefined;
}

/** Our clients send one request at a time; browsers and proxies do not pipeline either. */
const UNANSWERED_MOST = 8;
const SHARES = 4;

/** One address cannot fill a listener: that takes four. */
export const shareOf = (connections: number): number => Math.max(1, Math.floor(connections / SHARES));

export function createBoundedServer(options: ServerOptions, bounds: Bounds, handle: RequestListener): Server {
  const { connections, share = connections, proxies = new Proxies([]), onRefused = () => undefined } = bounds;
  const shared = withShares(handle, { share, proxies, onRefused });
  const server = createServer(
    options,
    inTurn(shared, () => onRefused('unanswered')),
  );
  server.maxConnections = connections;
  server.on('drop', () => onRefused('full'));
  const open = new Shares(share);
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    if (proxies.trusts(address)) return;
    if (open.take(address)) return void socket.once('close', () => open.giveBack(address));
    onRefused('share');
    socket.destroy();
  });
  return server;
}

class Shares {
  readonly #most: number;
  readonly #taken = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  take(address: string): boolean {
    const network = clientNetwork(address);
    const taken = this.#taken.get(network) ?? 0;
    if (taken >= this.#most) return false;
    this.#taken.set(network, taken + 1);
    return true;
  }

  giveBack(address: string): void {
    const network = clientNetwork(address);
    const taken = (this.#taken.get(network) ?? 1) - 1;
    if (taken === 0) this.#taken.delete(network);
    else this.#taken.set(network, taken);
  }
}

const clients = new WeakMap<IncomingMessage, string>();

/** The address of the client, as far as it can be known: behind a proxy that is not trusted, that of the proxy. */
export function clientAddressOf(request: IncomingMessage): string {
  return clients.get(request) ?? request.socket.remoteAddress ?? '';
}

interface Sharing {
  readonly share: number;
  readonly proxies: Proxies;
  readonly onRefused: (why: Refusal) => void;
}

function withShares(handle: RequestListener, { share, proxies, onRefused }: Sharing): RequestListener {
  const inProgress = new Shares(share);
  return (request, response) => {
    if (!proxies.trusts(request.socket.remoteAddress ?? '')) return handle(request, response);
    const client = proxies.clientOf(request);
    clients.set(request, client);
    if (!proxies.trusts(client)) {
      if (!inProgress.take(client)) {
        onRefused('share');
        return refuse(request, response);
      }
      response.once('close', () => inProgress.giveBack(client));
    }
    handle(request, response);
  };
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  response.writeHead(429, { 'Content-Type': 'text/plain; charset=utf-8', 'Retry-After': '1' });
  response.end('Too many requests of this address are in progress; wait for their answers.\n');
}

/**
 * Node hands over every request of a chunk at once, and each would get its answer made, although the socket takes none.
 * A request waits until the answer before it has left. A connection with too many that wait is closed.
 */
function inTurn(handle: RequestListener, onRefused: () => void): RequestListener {
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
    if (queue.push(begin) > UNANSWERED_MOST) {
      onRefused();
      socket.destroy();
    } else if (queue.length === 1) begin();
  };
}
