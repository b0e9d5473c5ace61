import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';

/** A provider's body of any shape: tests read it freely. */
export type Loose = any;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON of the body; undefined: none. */
  readonly body: Loose;
}

export const paymentKeys = {
  'service-master-key': 'sandbox-master',
  'service-private-key': 'sandbox-private',
  'service-token': 'sandbox-token',
};
const SMS_ACCEPT = { accept: 'application/vnd.apisms.v1+json' };
const JSON_TYPE = { 'content-type': 'application/json' };

async function exchange(url: string, init: RequestInit): Promise<Reply> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parse(text) };
}

function parse(text: string): Loose {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A sandbox for one test, over real sockets. Settlements wait for `advance`, never for real time. */
export async function sandboxForTest(options: SandboxOptions = {}) {
  const lines: string[] = [];
  const listeners = new Set<() => void>();
  const onLine = (line: string): void => {
    lines.push(line);
    for (const listener of listeners) listener();
  };
  const settings = { settleDelayMs: 3_600_000, ...options.settings };
  const sandbox = await startSandbox({ ...options, settings, onLine });
  onTestFinished(() => sandbox.stop());

  const send = (method: string, url: string, body: unknown, headers: Record<string, string>) =>
    exchange(url, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
  const order = (path: string, body?: unknown, method = 'POST') =>
    send(method, `${sandbox.control}${path}`, body, JSON_TYPE);

  return {
    ...sandbox,
    lines,
    /** Resolves when a request of this operation was answered, or swallowed by a fault. */
    heard: (operation: string) =>
      new Promise<void>((resolve) => {
        const look = (): void => {
          if (!lines.some((line) => line.startsWith(`${operation} `))) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
      }),
    pay: (path: string, body: unknown, headers: Record<string, string> = {}) =>
      send('POST', `${sandbox.base}${path}`, body, { ...JSON_TYPE, ...paymentKeys, ...headers }),
    look: (path: string) => send('GET', `${sandbox.base}${path}`, undefined, paymentKeys),
    sms: (path: string, body: unknown, token?: string) =>
      send('POST', `${sandbox.crm}${path}`, body, {
        ...JSON_TYPE,
        ...SMS_ACCEPT,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      }),
    order,
    advance: (advance: string) => order('/clock', { advance }),
    fault: (body: object) => order('/faults', body),
    books: async (): Promise<Loose> => (await order('/books', undefined, 'GET')).body,
  };
}

export type TestSandbox = Awaited<ReturnType<typeof sandboxForTest>>;

export const disbursement = (more: object = {}) => ({
  account_alias: '771234567',
  amount: 5_000,
  callback_url: 'http://127.0.0.1:9/closed',
  withdraw_mode: 'wallet-a-senegal',
  ...more,
});

/** A created disbursement's token. */
export async function createdToken(sandbox: TestSandbox, more: object = {}): Promise<string> {
  return (await sandbox.pay('/api/v2/disburse/get-invoice', disbursement(more))).body.disburse_token;
}

export const submit = (sandbox: TestSandbox, token: string, id?: string) =>
  sandbox.pay('/api/v2/disburse/submit-invoice', { disburse_invoice: token, ...(id ? { disburse_id: id } : {}) });

export const statusOf = (sandbox: TestSandbox, token: string) =>
  sandbox.pay('/api/v2/disburse/check-status', { disburse_invoice: token });

export async function smsToken(sandbox: TestSandbox): Promise<string> {
  const login = { user_key: 'sandbox-user', secret_key: 'sandbox-secret' };
  return (await sandbox.sms('/api/v1/auth/login', login)).body.access_token;
}

export const smsItem = (to: string, text = 'Bonjour') => ({ from: 'RELAIS', to, text });

export const sendRequest = (sms: unknown, more: object = {}) => ({
  send_sms_request: { type: 'application', app_key: 'sandbox-app', sms, ...more },
});

export const invoiceBody = (more: object = {}) => ({
  invoice: { total_amount: 5_000 },
  store: { name: 'Chez Awa' },
  ...more,
});

/** A created invoice's token. */
export async function invoiceToken(sandbox: TestSandbox, more: object = {}, api = 'api'): Promise<string> {
  return (await sandbox.pay(`/${api}/v1/checkout-invoice/create`, invoiceBody(more))).body.token;
}

/** The confirm answer of an invoice. */
export const confirmed = async (sandbox: TestSandbox, token: string, api = 'api') =>
  (await sandbox.look(`/${api}/v1/checkout-invoice/confirm/${token}`)).body;

export interface Posted {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A receiver of callbacks on a free port; `next` waits for the one after those already read. */
export async function receiverForTest(status = 200) {
  const posted: Posted[] = [];
  const waiting: Array<(post: Posted) => void> = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on('end', () => {
      const post = { method: request.method ?? '', headers: request.headers, text };
      const taker = waiting.shift();
      if (taker) taker(post);
      else posted.push(post);
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/callback`,
    posted,
    next: () =>
      new Promise<Posted>((resolve) => {
        const post = posted.shift();
        if (post) resolve(post);
        else waiting.push(resolve);
      }),
  };
}
