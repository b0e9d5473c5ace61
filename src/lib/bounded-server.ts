/**
 * An HTTP server that limits each client: a share of the connections, and few concurrent requests on each. Trusted
 * proxies forward the requests of many clients, so each of these has a share of the requests in progress.
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
  /** The listener has its maximum of connections. */
  | 'full'
  /** One address has its maximum share. */
  | 'share'
  /** One connection sends requests without reading the answers. */
  | 'unanswered';

export interface Bounds {
  /** Further connections are closed. */
  readonly connections: number;
  /** Limit for one client address. Absent: one address can use all. */
  readonly share?: number | undefined;
  readonly proxies?: Proxies | undefined;
  readonly onRefused?: ((why: Refusal) => void) | undefined;
}

/** Our clients send one request at a time; browsers and proxies do not pipeline either. */
const UNANSWERED_MOST = 8;
const SHARES = 4;

/** One address cannot fill a listener; four can. */
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

/** The address of the client, if known; behind an untrusted proxy, that of the proxy. */
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
 * Node passes on every request of a chunk at once and would produce each answer, even if the socket reads none. A
 * request waits until the previous answer has left. A connection with too many waiting requests is closed.
 */
function inTurn(handle: RequestListener, onRefused: () => void): RequestListener {
  const unanswered = new WeakMap<Socket, (() => void)[]>();
  return (request, response) => {
    const { socket } = request;
    // Node still passes on the rest of the chunk.
    if (socket.destroyed) return;
    const queue = unanswered.get(socket) ?? [];
    unanswered.set(socket, queue);
    const begin = (): void => {
      response.once('close', () => {
        queue.shift();
        // An answer that closes its connection leaves the others unanswered.
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
