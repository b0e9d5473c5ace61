import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Database } from '../../src/ledger/pool.ts';
import { LedgerRates } from '../../src/ledger/rates.ts';
import { ledgerTokenStores } from '../../src/ledger/sms-token.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Secret } from '../../src/lib/secret.ts';
import {
  createUpstream,
  type Upstream,
  type UpstreamAccount,
  type UpstreamOptions,
} from '../../src/provider/client.ts';
import type { ExchangeSummary } from '../../src/provider/verdict.ts';

/** One request as received. */
export interface Heard {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly text: string;
  readonly json: unknown;
}

export type Answerer = (heard: Heard, response: ServerResponse) => void | Promise<void>;

export interface Listener {
  readonly url: string;
  readonly heard: Heard[];
  /** Number of opened TCP connections. */
  connections(): number;
  /** Replaces the answer from now on. */
  answer(answerer: Answerer): void;
  close(): Promise<void>;
}

/** An HTTP server on a free port with scripted answers that records its requests. */
export async function listen(first: Answerer): Promise<Listener> {
  const heard: Heard[] = [];
  let answerer = first;
  let opened = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const { method = '', url = '', headers, rawHeaders } = request;
      const one = { method, path: url, headers, rawHeaders, text, json: parsed(text) };
      heard.push(one);
      void answerer(one, response);
    });
  });
  server.on('connection', () => {
    opened += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    connections: () => opened,
    answer: (next) => {
      answerer = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Answerer {
  return (_heard, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

export function raw(text: string, status = 200, headers: Record<string, string> = {}): Answerer {
  return (_heard, response) => {
    response.writeHead(status, headers).end(text);
  };
}

export function liveAccount(changes: Partial<UpstreamAccount> = {}): UpstreamAccount {
  return {
    name: 'main',
    mode: 'live',
    headerPrefix: 'SERVICE',
    masterKey: new Secret('master-key-1'),
    privateKey: new Secret('private-key-1'),
    token: new Secret('token-1'),
    smsUserKey: new Secret('sms-user-1'),
    smsSecretKey: new Secret('sms-secret-1'),
    smsAppKey: new Secret('sms-app-1'),
    smsSender: 'SHOP',
    ...changes,
  };
}

export interface Opened {
  readonly upstream: Upstream;
  readonly exchanges: ExchangeSummary[];
}

interface Changes extends Partial<UpstreamOptions> {
  readonly database?: Pick<Database, 'run' | 'transaction'>;
  readonly ratePerSecond?: number;
}

/** A client against one listener for both areas. Without `database` it gets an unreachable one. */
export function openUpstream(
  url: string,
  { database = absent, ratePerSecond = 0, ...changes }: Changes = {},
): Opened {
  const exchanges: ExchangeSummary[] = [];
  const clock = changes.clock ?? systemClock;
  const upstream = createUpstream({
    baseUrl: url,
    crmUrl: url,
    timeoutMs: 5_000,
    connectTimeoutMs: 2_000,
    livePathsInTest: false,
    softpayCard: false,
    smsLoginEncoding: 'auto',
    clock,
    random: systemRandom,
    rates: new LedgerRates({ database, clock, ratePerSecond }),
    tokenStores: ledgerTokenStores({ database: database as Database }),
    onExchange: (one) => exchanges.push(one),
    ...changes,
  });
  return { upstream, exchanges };
}

/** Calls of the provider need no ledger; every query of this one fails. */
const absent = new Database({ url: 'postgres://127.0.0.1:1/none', schema: 'relais', patience: 100 });
