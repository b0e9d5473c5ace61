/** Asks as fast as it can over raw sockets, with requests written beforehand: it costs far less than what it presses. */
import { connect } from 'node:net';
import { derivedId } from '../../../src/lib/ids.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { defaultCredentials } from '../../../src/sandbox/sandbox.ts';
import { callbackPath } from '../../../src/webhooks/receiver.ts';
import {
  CALLBACK_SECRET,
  CONCURRENCY,
  chunkBody,
  disbursementOf,
  messageOf,
  PER_REQUEST,
  paymentHeaders,
  referenceOf,
} from '../work.ts';
import { logIn } from './calls.ts';

export interface PressOrder {
  readonly what: keyof typeof letters;
  readonly url: string;
  readonly first: number;
  readonly count: number;
}

type Letter = (index: number) => string;

const SOME = 200;

/** What each kind of request looks like. Only some different ones of those that the sandbox gets, to save memory. */
const letters = {
  chunks: async (url: string): Promise<Letter> => {
    const headers = { authorization: `Bearer ${await logIn(url)}`, 'content-type': 'application/json' };
    const { smsAppKey } = defaultCredentials;
    const some = Array.from({ length: SOME }, (_, index) =>
      write('/api/v1/sms/send', headers, chunkBody(index * PER_REQUEST, PER_REQUEST, smsAppKey)),
    );
    return (index) => some[index % SOME] ?? '';
  },
  tokens: async (): Promise<Letter> => (index) => {
    const { accountAlias, amount, withdrawMode } = disbursementOf(index);
    const body = {
      account_alias: accountAlias,
      amount,
      callback_url: 'http://127.0.0.1:9/',
      withdraw_mode: withdrawMode,
    };
    return write('/api/v2/disburse/get-invoice', paymentHeaders, JSON.stringify(body));
  },
  disbursements: async (): Promise<Letter> => (index) =>
    write('/v1/disbursements', CALLER, JSON.stringify({ ...disbursementOf(index), reference: referenceOf(index) })),
  messages: async (): Promise<Letter> => (index) => write('/v1/messages', CALLER, JSON.stringify(messageOf(index))),
  callbacks: async (): Promise<Letter> => {
    const secrets = [new Secret(CALLBACK_SECRET)];
    return (index) => {
      const id = derivedId('dsb', 'default', 'main', 'disbursement', referenceOf(index));
      const path = callbackPath(secrets, { account: 'main', kind: 'disbursement', id });
      return write(path, { 'content-type': 'application/json' }, callbackBody(index));
    };
  },
} as const;

const CALLER = { authorization: 'Bearer dev', 'content-type': 'application/json' } as const;

function callbackBody(index: number): string {
  const { amount, withdrawMode } = disbursementOf(index);
  const token = String(index).padStart(24, '0');
  return JSON.stringify({
    status: 'success',
    token,
    withdraw_mode: withdrawMode,
    amount,
    transaction_id: `TX${token}`,
  });
}

/** Requests answered per second. */
export async function press({ what, url, first, count }: PressOrder): Promise<number> {
  const letter = await letters[what](url);
  const written = Array.from({ length: count }, (_, index) => letter(first + index));
  const { hostname, port } = new URL(url);
  let next = 0;
  const take = (): string | undefined => written[next++];
  const started = performance.now();
  const lanes = Array.from({ length: CONCURRENCY }, () => lane({ host: hostname, port: Number(port) }, take));
  await Promise.all(lanes);
  return (count * 1_000) / (performance.now() - started);
}

function write(path: string, headers: Readonly<Record<string, string>>, body: string): string {
  const all = { host: '127.0.0.1', accept: 'application/vnd.apisms.v1+json', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** One connection: a request as soon as the answer before it is whole. Nothing of an answer is read but its length. */
function lane(where: { host: string; port: number }, take: () => string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    let missing = 0;
    const socket = connect({ ...where, noDelay: true });
    const next = (): void => {
      const text = take();
      if (text === undefined) socket.end(resolve);
      else socket.write(text);
    };
    socket.on('connect', next).on('error', reject);
    socket.on('data', (data) => {
      try {
        missing = missing > 0 ? missing - data.length : lengthOf(data) - data.length;
        if (missing === 0) next();
      } catch (error) {
        socket.destroy();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
}

/** Of the whole answer. All who are pressed say how long it is, and their head comes in one piece. */
function lengthOf(data: Buffer): number {
  const end = data.indexOf('\r\n\r\n');
  const head = data.toString('latin1', 0, end);
  const [, length] = /content-length: (\d+)/i.exec(head) ?? [];
  if (length === undefined || !/^HTTP\/1.1 2/.test(head))
    throw new Error(`refused: ${data.toString().slice(0, 600)}`);
  return end + 4 + Number(length);
}
