/** Nothing leaves after its lease or expiry, whatever froze: a real process, a real server, a real handshake. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createServer as createTlsServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { type OpenLedger, openLedger } from '../support/fresh-ledger.ts';
import { effectNames } from './effects.ts';
import type { Order } from './frozen-process.ts';

const PROGRAM = fileURLToPath(new URL('frozen-process.ts', import.meta.url));
/** The system's program; it creates a certificate. */
const OPENSSL = 'openssl';
const LEASE_MS = 200;
const AGAIN_MS = 20;
/** Requests with a separate connection each, never on a kept one. */
const ALWAYS_FRESH: readonly string[] = ['submit of a disbursement', 'direct credit'];

const dir = mkdtempSync(join(tmpdir(), 'relais-frozen-'));
const ends: (() => unknown)[] = [() => rmSync(dir, { recursive: true })];
let store: OpenLedger;
let plain: Service;
let secure: Service;
let gate: Gate;
let child: Child;

beforeAll(async () => {
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', 'key', '-out', 'cert'];
  execFileSync(OPENSSL, [...made, ...subject], { cwd: dir, stdio: 'pipe' });
  const [key, cert] = [readFileSync(join(dir, 'key')), readFileSync(join(dir, 'cert'))];
  store = await openLedger();
  plain = await serve((answer) => createServer(answer));
  // A proxy that prefers HTTP/2: a client that accepted it would get another protocol.
  const offered = { ALPNProtocols: ['h2', 'http/1.1'] };
  secure = await serve((answer) => createTlsServer({ key, cert, ...offered }, answer));
  gate = await gateBefore(secure.port);
  child = await startChild();
});
afterAll(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
  await store.close();
});

interface Service {
  readonly port: number;
  /** Every byte of every request, decrypted. */
  heard: string;
  connections: number;
}

const LOGIN = JSON.stringify({ access_token: 'bearer-1', token_type: 'bearer', expires_in: 3_600 });

/** Below HTTP, so that a single byte of a request is visible. Every request is answered as unauthorised. */
async function serve(create: (answer: (socket: Socket) => void) => Server): Promise<Service> {
  const service = { port: 0, heard: '', connections: 0 };
  const sockets = new Set<Socket>();
  const server = create((socket) => {
    service.connections += 1;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    let request = '';
    socket.on('data', (bytes) => {
      request += bytes.toString();
      service.heard += bytes.toString();
      const [, head = '', body = ''] = /^([^]*?)\r\n\r\n([^]*)$/.exec(request) ?? [];
      if (head === '' || body.length < Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)) return;
      const text = head.includes('/auth/login') ? LOGIN : '{"response_code":"401","code":"ERROR_107"}';
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
      request = '';
    });
  });
  service.port = await listening(server);
  ends.push(
    () => server.close(),
    () => sockets.forEach((socket) => socket.destroy()),
  );
  return service;
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

interface Gate {
  readonly port: number;
  /** Holds the next handshake, and resolves when its first bytes have arrived; the function continues it. */
  hold(): Promise<() => void>;
}

/** A proxy before a server that can hold a client's data. */
async function gateBefore(port: number): Promise<Gate> {
  let held: ((letThrough: () => void) => void) | undefined;
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    const goOn = (): void => {
      const inner = connect(port, '127.0.0.1');
      inner.on('error', () => socket.destroy());
      socket.on('close', () => inner.destroy());
      socket.pipe(inner).pipe(socket);
    };
    const tell = held;
    held = undefined;
    if (!tell) return goOn();
    socket.once('readable', () => tell(goOn));
  });
  const gatePort = await listening(server);
  ends.push(() => server.close());
  return {
    port: gatePort,
    hold: () =>
      new Promise((resolve) => {
        held = resolve;
      }),
  };
}

interface Child {
  readonly process: ChildProcess;
  tell(order: Order): void;
  says(): Promise<unknown>;
}

async function startChild(): Promise<Child> {
  const process_ = spawn(process.execPath, [PROGRAM, store.url], {
    env: { PATH: process.env['PATH'] ?? '', NODE_EXTRA_CA_CERTS: join(dir, 'cert') },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  ends.push(() => process_.kill('SIGKILL'));
  const lines = createInterface({ input: process_.stdout })[Symbol.asyncIterator]();
  const says = async (): Promise<unknown> => JSON.parse(String((await lines.next()).value));
  expect(await says()).toEqual({ ready: true });
  return { process: process_, says, tell: (order) => process_.stdin.write(`${JSON.stringify(order)}\n`) };
}

/** Wakes the child until it writes: its output before the freeze is read first. */
async function woken(): Promise<unknown> {
  const waking = setInterval(() => child.process.kill('SIGCONT'), AGAIN_MS);
  try {
    return await child.says();
  } finally {
    clearInterval(waking);
  }
}

/** The child is frozen; its lease passes; it is woken. */
async function wokenTooLate(): Promise<unknown> {
  await systemClock.sleep(LEASE_MS * 1.5);
  return woken();
}

const NEVER = { is: 'transient', code: 'send_deadline', sent: 'never' };
const urlOf = (scheme: string, { port }: { readonly port: number }): string => `${scheme}://127.0.0.1:${port}`;

let clients = 0;
/** A client without a connection. */
const newClient = (): string => `client ${(clients += 1)}`;

test('the bearer is there before anything freezes', async () => {
  child.tell({ effect: 'texts to people', url: urlOf('http', plain), client: newClient() });
  expect(await child.says()).toMatchObject({ sent: 'answered' });
});

describe.for(effectNames)('%s', (effect) => {
  test('does not leave after a freeze in the handshake', async () => {
    secure.heard = '';
    const greeted = gate.hold();
    child.tell({ effect, url: urlOf('https', gate), client: newClient(), leaseMs: LEASE_MS });
    const letThrough = await greeted;
    child.process.kill('SIGSTOP');
    letThrough();
    expect([await wokenTooLate(), secure.heard]).toEqual([NEVER, '']);
  });

  test.for(['http', 'https'] as const)('does not leave after a freeze before %s opens', async (scheme) => {
    const service = scheme === 'http' ? plain : secure;
    service.heard = '';
    child.tell({ effect, url: urlOf(scheme, service), client: newClient(), leaseMs: LEASE_MS, freezes: true });
    expect(await child.says()).toEqual({ frozen: true });
    expect([await wokenTooLate(), service.heard]).toEqual([NEVER, '']);
  });

  const kept = ALWAYS_FRESH.includes(effect) ? [] : (['http', 'https'] as const);
  test.for(kept)('does not leave on a kept %s connection after a freeze', async (scheme) => {
    const service = scheme === 'http' ? plain : secure;
    const order = { effect, url: urlOf(scheme, service), client: newClient() };
    child.tell(order);
    await child.says();
    const { connections } = service;
    service.heard = '';
    child.tell({ ...order, leaseMs: LEASE_MS, freezes: true });
    expect(await child.says()).toEqual({ frozen: true });
    expect([await wokenTooLate(), service.heard, service.connections]).toEqual([NEVER, '', connections]);
  });

  test.for(['http', 'https'] as const)('leaves over %s if the process paused for less', async (scheme) => {
    const service = scheme === 'http' ? plain : secure;
    service.heard = '';
    child.tell({ effect, url: urlOf(scheme, service), client: newClient(), leaseMs: 60_000, freezes: true });
    expect(await child.says()).toEqual({ frozen: true });
    expect(await woken()).toMatchObject({ sent: 'answered' });
    expect(service.heard).toMatch(/^POST [^ ]+ HTTP\/1\.1\r\n/);
  });
});
