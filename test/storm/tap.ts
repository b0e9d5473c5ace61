/**
 * Listens in on the wire between relais and the service: what was asked, when, and what was answered. Bytes go through
 * as they are, so that every misbehaviour of the sandbox arrives unchanged. A submit alone is held for the moment it
 * takes to read its record in Redis: what must be durable before money moves is looked at before money moves.
 */
import { createServer, connect, type Server, type Socket } from 'node:net';
import { nowMs } from './clock.ts';

/** One request, and what became of it. */
export interface Exchange {
  readonly path: string;
  readonly body: string;
  readonly at: number;
  /** When its answer was over, or its connection. */
  endedAt: number;
  /** As it came, headers and all. */
  answer: string;
}

export interface TapOptions {
  readonly target: number;
  /** Told of every request when it is whole, before the service hears of it. */
  readonly before: (exchange: Exchange) => Promise<void> | undefined;
}

const LONGEST_ANSWER_KEPT = 4_096;

export class Tap {
  readonly #options: TapOptions;
  readonly #sockets = new Set<Socket>();
  #server: Server;
  #port = 0;
  readonly exchanges: Exchange[] = [];

  private constructor(options: TapOptions) {
    this.#options = options;
    this.#server = createServer((caller) => this.#open(caller));
  }

  static async to(options: TapOptions): Promise<Tap> {
    const tap = new Tap(options);
    await tap.listen();
    return tap;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Nobody listens: a connection that is refused proves that nothing was sent. */
  async refuse(): Promise<void> {
    for (const socket of this.#sockets) socket.resetAndDestroy();
    if (this.#server.listening) await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async listen(): Promise<void> {
    if (this.#server.listening) return;
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    const address = this.#server.address();
    if (typeof address === 'object' && address) this.#port = address.port;
  }

  #open(caller: Socket): void {
    const service = connect({ port: this.#options.target, host: '127.0.0.1', noDelay: true });
    caller.setNoDelay(true);
    const reader = new RequestReader();
    let current: Exchange | undefined;
    let queue = Promise.resolve();
    const inTurn = async (earlier: Promise<void>, exchange: Exchange, bytes: Buffer): Promise<void> => {
      await earlier;
      await this.#options.before(exchange);
      if (!service.destroyed) service.write(bytes);
    };
    const end = (): void => {
      if (current && current.endedAt === 0) current.endedAt = nowMs();
      this.#sockets.delete(caller);
      this.#sockets.delete(service);
    };
    for (const socket of [caller, service]) {
      this.#sockets.add(socket);
      socket.on('error', () => {
        // A reset on one side is a reset on the other.
        caller.resetAndDestroy();
        service.resetAndDestroy();
      });
      socket.on('close', end);
    }
    caller.on('data', (bytes) => {
      const whole = reader.read(bytes);
      if (!whole) return;
      current = { ...whole, at: nowMs(), endedAt: 0, answer: '' };
      const exchange = current;
      this.exchanges.push(exchange);
      queue = inTurn(queue, exchange, whole.bytes);
    });
    caller.on('end', () => service.end());
    service.on('data', (bytes) => {
      if (current) {
        current.endedAt = nowMs();
        if (current.answer.length < LONGEST_ANSWER_KEPT) current.answer += bytes.toString();
      }
      caller.write(bytes);
    });
    service.on('end', () => caller.end());
  }
}

interface WholeRequest {
  readonly path: string;
  readonly body: string;
  readonly bytes: Buffer;
}

/** Collects one request after the other from a connection on which one is made at a time. */
export class RequestReader {
  #parts: Buffer = Buffer.alloc(0);

  /** The request that these bytes complete, if they do. */
  read(bytes: Buffer): WholeRequest | undefined {
    this.#parts = Buffer.concat([this.#parts, bytes]);
    const headersEnd = this.#parts.indexOf('\r\n\r\n');
    if (headersEnd < 0) return undefined;
    const head = this.#parts.subarray(0, headersEnd).toString('latin1');
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    const end = headersEnd + 4 + length;
    if (this.#parts.length < end) return undefined;
    const whole = this.#parts.subarray(0, end);
    this.#parts = this.#parts.subarray(end);
    return { path: head.split(' ')[1] ?? '', body: whole.subarray(headersEnd + 4).toString(), bytes: whole };
  }
}
