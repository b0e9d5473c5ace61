/**
 * A wire between one process of ours and Redis, that can be cut, held, delayed and made to swallow replies. All of
 * them together know what was acknowledged: a reply that has not passed a wire was heard by nobody.
 */
import { createServer, connect, type Server, type Socket } from 'node:net';

/** Lies in wait for a message, to strike in the moment in which it is on its way. */
export interface Trap {
  readonly isIt: (asked: Buffer) => boolean;
  /** Before it arrives, or once it was carried out and nobody has heard so. */
  readonly when: 'asked' | 'answered';
  /** Whether the message is lost, and the wire with it. */
  readonly loses: boolean;
  readonly spring: () => void;
}

interface Pair {
  readonly inside: Socket;
  readonly outside: Socket;
  /** Its answer is waited for. */
  trapped: Trap | undefined;
  /** Replies that wait until the wire lets go. */
  waiting: Buffer[];
}

export class Link {
  #target: number;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #holding = false;
  #sealed = false;
  #swallowing = false;
  #refusing = false;
  #delayMs = 0;
  #trap: Trap | undefined;

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

  /** From here on no reply passes; what is asked still goes through. */
  hold(): void {
    this.#holding = true;
  }

  /** Replies pass again, those that waited first. */
  letGo(): void {
    this.#holding = false;
    if (this.#sealed) return;
    for (const pair of this.#pairs) {
      for (const reply of pair.waiting) pair.inside.write(reply);
      pair.waiting = [];
    }
  }

  /** No reply passes any more, now or later, whatever else is done to the wire. */
  seal(): void {
    this.#sealed = true;
  }

  /** Cuts off whoever is still waiting for a sealed reply. */
  unseal(): void {
    this.cut();
    this.#sealed = false;
  }

  /** Commands are carried out and their replies lost, until a cut: a later reply would answer an earlier question. */
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

  /** Who connects from here on reaches that port; who is connected is cut off. */
  lead(target: number): void {
    this.#target = target;
    this.cut();
  }

  /** One at a time; springs once. */
  layTrap(trap: Trap | undefined): void {
    this.#trap = trap;
  }

  cut(): void {
    for (const pair of this.#pairs) this.#close(pair);
  }

  /** An honest wire again. Whoever was lied to is cut off first. */
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
    const pair: Pair = {
      inside,
      outside: connect({ port: this.#target, host: '127.0.0.1', noDelay: true }),
      trapped: undefined,
      waiting: [],
    };
    inside.setNoDelay(true);
    this.#pairs.add(pair);
    pair.inside.on('data', (asked) => this.#ask(pair, asked));
    pair.outside.on('data', (reply) => this.#reply(pair, reply));
    for (const socket of [pair.inside, pair.outside]) {
      // A wire that breaks is what this is for.
      socket.on('error', () => this.#close(pair));
      socket.on('close', () => this.#close(pair));
    }
  }

  #ask(pair: Pair, asked: Buffer): void {
    const trap = this.#trap;
    if (trap?.isIt(asked)) {
      this.#trap = undefined;
      if (trap.when === 'answered') pair.trapped = trap;
      else if (this.#springs(pair, trap)) return;
    }
    pair.outside.write(asked);
  }

  /** True where the message is lost. */
  #springs(pair: Pair, trap: Trap): boolean {
    pair.trapped = undefined;
    if (trap.loses) this.#close(pair);
    trap.spring();
    return trap.loses;
  }

  #reply(pair: Pair, reply: Buffer): void {
    if (pair.trapped && this.#springs(pair, pair.trapped)) return;
    if (this.#swallowing || this.#sealed) return;
    if (this.#holding || pair.waiting.length > 0) {
      pair.waiting.push(reply);
      return;
    }
    if (this.#delayMs === 0) {
      pair.inside.write(reply);
      return;
    }
    pair.waiting.push(reply);
    setTimeout(() => this.#flush(pair), this.#delayMs);
  }

  #flush(pair: Pair): void {
    if (this.#holding || this.#sealed || this.#swallowing || !this.#pairs.has(pair)) return;
    for (const reply of pair.waiting) pair.inside.write(reply);
    pair.waiting = [];
  }

  #close(pair: Pair): void {
    if (!this.#pairs.delete(pair)) return;
    pair.inside.destroy();
    pair.outside.destroy();
  }
}
