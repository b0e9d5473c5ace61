import type { RequestListener, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createBoundedServer } from '../lib/bounded-server.ts';
import { type Place, listening } from '../lib/listening.ts';

const BOUNDS = { connections: 4_000 } as const;

/** One HTTP listener that can be closed and opened again on the same port. */
export class Listener {
  readonly #handle: RequestListener;
  readonly #host: string;
  readonly #setting: string;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port: number;
  #last: Promise<void> = Promise.resolve();

  constructor(handle: RequestListener, { host, port, setting }: Place) {
    this.#handle = handle;
    this.#host = host;
    this.#port = port;
    this.#setting = setting;
  }

  get url(): string {
    const host = this.#host.includes(':') ? `[${this.#host}]` : this.#host;
    return `http://${host}:${this.#port}`;
  }

  /** Opens or closes it, after earlier calls. */
  set(open: boolean): Promise<void> {
    const change = this.#last.then(() => (open ? this.#open() : this.#close()));
    // The next call must run even if this one failed, whose caller gets the error.
    this.#last = change.catch(() => undefined);
    return change;
  }

  async #open(): Promise<void> {
    if (this.#server !== undefined) return;
    const times = { keepAliveTimeout: 60_000, requestTimeout: 0 };
    const server = createBoundedServer(times, BOUNDS, this.#handle);
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    await listening(server, { port: this.#port, host: this.#host, setting: this.#setting });
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async #close(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of this.#sockets) socket.resetAndDestroy();
    await closed;
  }
}
