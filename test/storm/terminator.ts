/**
 * A TLS terminator before the provider, as in production, with occasional slow handshakes. A process that waits in a
 * handshake has decided to send and has not sent yet; that is when it is frozen.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';

export interface Certificate {
  readonly key: Buffer;
  readonly cert: Buffer;
  /** For NODE_EXTRA_CA_CERTS. */
  readonly file: string;
}

/** Created for each storm, and worthless after it. */
export function certificateIn(dir: string): Certificate {
  const [keyFile, file] = [join(dir, 'terminator.key'), join(dir, 'terminator.pem')];
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=storm', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', [...kind, '-keyout', keyFile, '-out', file, ...names], { stdio: 'ignore' });
  return { key: readFileSync(keyFile), cert: readFileSync(file), file };
}

export class Terminator {
  readonly #raw: Server;
  readonly #held = new Set<Socket>();
  /** By the client's port: the TCP connection below its TLS. */
  readonly #below = new Map<number, Socket>();
  readonly #letIn: (socket: Socket) => void;
  #holding = false;

  /** `onCaller` gets each connection after its handshake. */
  constructor({ key, cert }: Certificate, onCaller: (caller: TLSSocket) => void) {
    const tls = createTlsServer({ key, cert }, onCaller);
    // A frozen or killed client leaves an aborted handshake.
    tls.on('tlsClientError', () => undefined);
    this.#raw = createServer((socket) => {
      const { remotePort = 0 } = socket;
      this.#below.set(remotePort, socket);
      socket.once('close', () => this.#below.delete(remotePort));
      socket.on('error', () => undefined);
      if (!this.#holding) return void tls.emit('connection', socket);
      socket.pause();
      this.#held.add(socket);
      socket.once('close', () => this.#held.delete(socket));
    });
    this.#letIn = (socket) => tls.emit('connection', socket);
  }

  get server(): Server {
    return this.#raw;
  }

  /** The ports of clients that are waiting in a handshake. */
  get waiting(): readonly number[] {
    return [...this.#held].flatMap(({ remotePort }) => remotePort ?? []);
  }

  /** A reset is of the TCP connection: TLS has none. */
  reset(caller: Socket): void {
    this.#below.get(caller.remotePort ?? 0)?.resetAndDestroy();
    caller.destroy();
  }

  /** Disconnects all clients, including one frozen during a handshake that would keep the port open. */
  drop(): void {
    for (const socket of this.#below.values()) socket.resetAndDestroy();
  }

  /** From here on no handshake is answered. */
  hold(): void {
    this.#holding = true;
  }

  letGo(): void {
    this.#holding = false;
    for (const socket of this.#held) {
      this.#held.delete(socket);
      if (!socket.destroyed) this.#letIn(socket);
    }
  }
}
