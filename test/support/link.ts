/** A TCP proxy between one process and a store, which can lose, delay or refuse its traffic. */
import { createServer, connect, type Server, type Socket } from 'node:net';

interface Pair {
  readonly inside: Socket;
  readonly outside: Socket;
  /** The reply to its last request is lost, and the connection with it. */
  losesReply: boolean;
  /** Replies that are not passed on yet. */
  waiting: Buffer[];
}

export class Link {
  readonly #target: number;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #holding = false;
  #swallowing = false;
  #refusing = false;
  #delayMs = 0;
  #loses: ((asked: Buffer) => boolean) | undefined;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((inside) => this.#open(inside));
  }

  static async to(target: number): Promise<Link> {
    const link = new Link(target);
    await new Promise<void>((resolve) => link.#server.listen(0, '127.0.0.1', resolve));
    return link;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  /** Requests pass, and replies wait until `letGo`. */
  hold(): void {
    this.#holding = true;
  }

  letGo(): void {
    this.#holding = false;
    for (const pair of this.#pairs) {
      for (const reply of pair.waiting) pair.inside.write(reply);
      pair.waiting = [];
    }
  }

  /**
   * Requests pass, and their replies are lost until `heal` cuts the connections: a later reply would answer an
   * earlier request.
   */
  swallow(): void {
    this.#swallowing = true;
  }

  delay(ms: number): void {
    this.#delayMs = ms;
  }

  refuse(): void {
    this.#refusing = true;
    this.cut();
  }

  /** The next matching request passes; its reply is lost, and the connection with it. */
  loseReplyTo(isIt: (asked: Buffer) => boolean): void {
    this.#loses = isIt;
  }

  cut(): void {
    for (const pair of this.#pairs) this.#close(pair);
  }

  /** Passes everything again. Connections with lost replies are cut first. */
  heal(): void {
    if (this.#swallowing) this.cut();
    this.#swallowing = false;
    this.#refusing = false;
    this.#delayMs = 0;
    this.letGo();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #open(inside: Socket): void {
    if (this.#refusing) {
      inside.resetAndDestroy();
      return;
    }
    const outside = connect({ port: this.#target, host: '127.0.0.1', noDelay: true });
    const pair: Pair = { inside, outside, losesReply: false, waiting: [] };
    inside.setNoDelay(true);
    this.#pairs.add(pair);
    inside.on('data', (asked) => this.#ask(pair, asked));
    outside.on('data', (reply) => this.#reply(pair, reply));
    for (const socket of [inside, outside]) {
      // Broken connections are the purpose of this class.
      socket.on('error', () => this.#close(pair));
      socket.on('close', () => this.#close(pair));
    }
  }

  #ask(pair: Pair, asked: Buffer): void {
    if (this.#loses?.(asked)) {
      this.#loses = undefined;
      pair.losesReply = true;
    }
    pair.outside.write(asked);
  }

  #reply(pair: Pair, reply: Buffer): void {
    if (pair.losesReply) return this.#close(pair);
    if (this.#swallowing) return;
    const waits = this.#holding || this.#delayMs > 0 || pair.waiting.length > 0;
    if (!waits) return void pair.inside.write(reply);
    pair.waiting.push(reply);
    if (!this.#holding) setTimeout(() => this.#flush(pair), this.#delayMs);
  }

  #flush(pair: Pair): void {
    if (this.#holding || this.#swallowing || !this.#pairs.has(pair)) return;
    for (const reply of pair.waiting) pair.inside.write(reply);
    pair.waiting = [];
  }

  #close(pair: Pair): void {
    if (!this.#pairs.delete(pair)) return;
    pair.inside.destroy();
    pair.outside.destroy();
  }
}
