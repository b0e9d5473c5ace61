/**
 * Records the traffic between relais and the provider: requests, times and answers. Bytes pass unchanged, so that
 * every fault of the sandbox arrives unchanged. Only a submit is held while its record is read: the record must be
 * durable before money moves.
 */
import { createServer, connect, type Server, type Socket } from 'node:net';
import { nowMs, wait } from './clock.ts';

/** One request, and its result. */
export interface Exchange {
  readonly path: string;
  readonly body: string;
  readonly at: number;
  /** When its answer or its connection ended. */
  endedAt: number;
  /** As received, with headers. */
  answer: string;
}

export interface TapOptions {
  readonly target: number;
  /** Called for every complete request, before the provider receives it. */
  readonly before: (exchange: Exchange) => Promise<void> | undefined;
  /** The change of the message in transit; default: none. */
  readonly bend?: (exchange: Exchange) => Bend | undefined;
}

/** A change of a request or an answer in transit. JSON bodies only. */
export interface Bend {
  readonly request?: (body: string) => string;
  readonly answer?: (body: string) => string;
}

const LONGEST_ANSWER_KEPT = 4_096;
const PORT_TAKEN_MS = 50;

export class Tap {
  readonly #options: TapOptions;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
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

  /** Without a listener: a refused connection proves that nothing was sent. */
  async refuse(): Promise<void> {
    for (const socket of this.#sockets) socket.resetAndDestroy();
    if (this.#server.listening) await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async listen(): Promise<void> {
    while (!this.#server.listening && !(await this.#listenOnce())) await wait(PORT_TAKEN_MS);
    const address = this.#server.address();
    if (typeof address === 'object' && address) this.#port = address.port;
  }

  /** False: while the listener was closed, another program used the port for an outgoing connection. */
  #listenOnce(): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException): void =>
        error.code === 'EADDRINUSE' ? resolve(false) : reject(error);
      this.#server.once('error', failed);
      this.#server.listen(this.#port, '127.0.0.1', () => {
        this.#server.off('error', failed);
        resolve(true);
      });
    });
  }

  #open(caller: Socket): void {
    const service = connect({ port: this.#options.target, host: '127.0.0.1', noDelay: true });
    caller.setNoDelay(true);
    const reader = new RequestReader();
    let current: Exchange | undefined;
    let bent: BentAnswer | undefined;
    let queue = Promise.resolve();
    const inTurn = async (earlier: Promise<void>, exchange: Exchange, bytes: Buffer): Promise<void> => {
      await earlier;
      await this.#options.before(exchange);
      if (!service.destroyed) service.write(bytes);
    };
    const hear = (bytes: Buffer): void => {
      if (current) {
        current.endedAt = nowMs();
        if (current.answer.length < LONGEST_ANSWER_KEPT) current.answer += bytes.toString();
      }
      caller.write(bytes);
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
      const bend = this.#options.bend?.(exchange);
      bent = bend?.answer && new BentAnswer(bend.answer);
      queue = inTurn(queue, exchange, bend?.request ? withBody(whole.bytes, bend.request) : whole.bytes);
    });
    caller.on('end', () => service.end());
    service.on('data', (bytes) => {
      const ready = bent ? bent.read(bytes) : bytes;
      if (ready) hear(ready);
    });
    service.on('end', () => {
      const rest = bent?.rest();
      if (rest?.length) hear(rest);
      caller.end();
    });
  }
}

/** An answer that is held until it is complete, and then changed. An incomplete answer passes unchanged. */
class BentAnswer {
  readonly #bend: (body: string) => string;
  #parts: Buffer = Buffer.alloc(0);

  constructor(bend: (body: string) => string) {
    this.#bend = bend;
  }

  read(bytes: Buffer): Buffer | undefined {
    this.#parts = Buffer.concat([this.#parts, bytes]);
    if (wholeBytes(this.#parts) === undefined) return undefined;
    return withBody(this.rest(), this.#bend);
  }

  rest(): Buffer {
    const parts = this.#parts;
    this.#parts = Buffer.alloc(0);
    return parts;
  }
}

/** The message with another body and its length. A body that is no object is unchanged. */
function withBody(message: Buffer, bend: (body: string) => string): Buffer {
  const end = message.indexOf('\r\n\r\n') + HEAD_END;
  const body = message.subarray(end).toString();
  if (!body.startsWith('{') || !body.endsWith('}')) return message;
  const changed = Buffer.from(bend(body));
  const head = message.subarray(0, end).toString('latin1');
  return Buffer.concat([
    Buffer.from(head.replace(LENGTH, `\r\ncontent-length: ${changed.length}`), 'latin1'),
    changed,
  ]);
}

const HEAD_END = 4;
const LENGTH = /\r\ncontent-length: *(\d+)/i;

/** The length of the first complete message in these bytes. */
function wholeBytes(bytes: Buffer): number | undefined {
  const headersEnd = bytes.indexOf('\r\n\r\n');
  if (headersEnd < 0) return undefined;
  const head = bytes.subarray(0, headersEnd).toString('latin1');
  const end = headersEnd + HEAD_END + Number(LENGTH.exec(head)?.[1] ?? 0);
  return bytes.length < end ? undefined : end;
}

interface WholeRequest {
  readonly path: string;
  readonly body: string;
  readonly bytes: Buffer;
}

/** Collects the sequential requests of a connection. */
class RequestReader {
  #parts: Buffer = Buffer.alloc(0);

  /** The request completed by these bytes, if any. */
  read(bytes: Buffer): WholeRequest | undefined {
    this.#parts = Buffer.concat([this.#parts, bytes]);
    const end = wholeBytes(this.#parts);
    if (end === undefined) return undefined;
    const whole = this.#parts.subarray(0, end);
    this.#parts = this.#parts.subarray(end);
    const headersEnd = whole.indexOf('\r\n\r\n');
    const [, path = ''] = whole.subarray(0, headersEnd).toString('latin1').split(' ');
    return { path, body: whole.subarray(headersEnd + HEAD_END).toString(), bytes: whole };
  }
}
