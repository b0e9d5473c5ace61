/**
 * Every damage to an answer, over real sockets, for every operation. The client never draws a wrong conclusion: no
 * refusal after work that was done, no success after a refusal. And it always answers in time.
 */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import type { Verdict } from '../../src/provider/verdict.ts';
import { type OpenLedger, openLedger } from '../support/fresh-ledger.ts';
import { type Listener, liveAccount, listen, openUpstream } from '../provider/listener.ts';
import { callsWith, payBy } from './calls.ts';
import { type Damage, type RealAnswer, damages } from './damage.ts';
import { answersOf, operationNames, operations } from './interface-page.ts';

const SOFTPAY = 'softpay';
const names = [...operationNames, SOFTPAY] as const;
type Name = (typeof names)[number];
const TIMEOUT_MS = 1_500;
const LARGEST_READ = 16_000_000;

let store: OpenLedger;
let sandbox: Sandbox;
const closers: (() => unknown)[] = [];
/** The sandbox's answers to executed work. */
const done = new Map<Name, RealAnswer>();

const keys = {
  masterKey: new Secret('sandbox-master'),
  privateKey: new Secret('sandbox-private'),
  token: new Secret('sandbox-token'),
  smsUserKey: new Secret('sandbox-user'),
  smsSecretKey: new Secret('sandbox-secret'),
  smsAppKey: new Secret('sandbox-app'),
  smsSender: 'RELAIS',
};
let accounts = 0;
/** Refused bearers and keys are cached per account. */
const account = () => liveAccount({ name: `account-${(accounts += 1)}`, ...keys });

beforeAll(async () => {
  store = await openLedger();
  sandbox = await startSandbox({ settings: { settleDelayMs: 3_600_000 } });
  await record();
});
afterAll(async () => {
  for (const close of closers.splice(0)) await close();
  await sandbox.stop();
  await store.close();
});

const isMessaging = (path: string): boolean => /\/(auth|sms)\//.test(path);

/** Runs every call, and records the sandbox's answers. */
async function record(): Promise<void> {
  let last: RealAnswer = { status: 0, text: '' };
  const between: Listener = await listen(async ({ method, path, headers, text }, response) => {
    const { host: _host, connection: _connection, 'content-length': _length, ...kept } = headers;
    const answer = await fetch(`${isMessaging(path) ? sandbox.crm : sandbox.base}${path}`, {
      method,
      headers: kept as Record<string, string>,
      ...(text === '' ? {} : { body: text }),
    });
    last = { status: answer.status, text: await answer.text() };
    response.writeHead(last.status, { 'content-type': 'application/json' }).end(last.text);
  });
  closers.push(() => between.close());
  const { upstream } = openUpstream(between.url, { database: store.database, softpayCard: true });
  closers.push(() => upstream.close());
  const valueOf = (verdict: Verdict<unknown>): { readonly token?: string; readonly referenceNumber?: string } => {
    if (verdict.is !== 'ok') throw new Error(`${verdict.exchange.operation}: ${verdict.code}`);
    return verdict.value as object;
  };
  const order = callsWith();
  const { token: invoice = '' } = valueOf(await order.invoice_create.whole(upstream, account()));
  const { token: disbursement = '' } = valueOf(await order.disbursement_create.least(upstream, account()));
  const { referenceNumber: paymentRequest = '' } = valueOf(
    await order.payment_request_create.whole(upstream, account()),
  );
  const tokens = { invoice, disbursement, paymentRequest };
  for (const name of operationNames) {
    valueOf(await callsWith(tokens)[name].whole(upstream, account()));
    done.set(name, last);
  }
  valueOf(await payBy('wallet-c-senegal', invoice)(upstream, account()));
  done.set(SOFTPAY, last);
}

/** The interface's answer when nothing was done. */
function refusalOf(name: Name): RealAnswer {
  if (name === SOFTPAY) return { status: 200, text: '{"success":false,"message":"refused","description":"refused"}' };
  const fact = answersOf(name).find(({ is, body }) => is !== 'ok' && Object.keys(body).length > 1);
  return {
    status: fact?.http ?? 200,
    text: JSON.stringify(fact?.body ?? { response_code: '4002', response_text: 'no' }),
  };
}

interface Replay {
  readonly url: string;
  /** Sets the answer of the next requests, except automatic logins. */
  answer(bytes: Buffer, how?: Pick<Damage, 'ending'>): void;
  sent(): number;
}

const LOGIN = JSON.stringify({ access_token: 'bearer-1', token_type: 'bearer', expires_in: 3_600 });
const login = Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${LOGIN.length}\r\n\r\n${LOGIN}`);

/** A provider that sends the given bytes. */
async function replay(isLogin: boolean): Promise<Replay> {
  let told: { bytes: Buffer; ending?: Damage['ending'] } = { bytes: login };
  let sent = 0;
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => (sent += socket.bytesWritten));
    let request = '';
    socket.on('data', (bytes) => {
      request += bytes.toString('latin1');
      const [, head = '', body = ''] = /^([^]*?)\r\n\r\n([^]*)$/.exec(request) ?? [];
      if (head === '' || body.length < Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)) return;
      request = '';
      if (head.includes('/auth/login') && !isLogin) return void socket.write(login);
      if (told.ending === 'reset') return void socket.resetAndDestroy();
      if (told.ending === 'close') return void socket.end(told.bytes);
      socket.write(told.bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (bytes, how = {}) => {
      told = { bytes, ...how };
    },
    sent: () => sent,
  };
}

const kindOf = (name: Name): string => (name === SOFTPAY ? 'effect' : operations[name].class);

/** Allowed verdicts after executed work with a damaged answer. */
const MAY_BE: Readonly<Record<string, readonly string[]>> = {
  effect: ['ok', 'unknown'],
  submit: ['ok', 'unknown'],
  harmless: ['ok', 'transient', 'refused', 'config'],
  read: ['ok', 'transient', 'config', 'refused'],
  login: ['ok', 'transient', 'config'],
};

const callOf = (name: Name) => (name === SOFTPAY ? payBy('wallet-c-senegal', 'inv-1') : callsWith()[name].whole);

interface Told {
  readonly name: Name;
  readonly clean: Verdict<unknown>;
  readonly damaged: Verdict<unknown>;
  readonly after: Verdict<unknown>;
}

/** Three calls: a valid answer, the damaged one, and a valid one on the same connection if it is still open. */
async function tell(name: Name, damage: Damage, real: RealAnswer): Promise<Told> {
  const service = await replay(name === 'sms_login');
  const { upstream } = openUpstream(service.url, {
    database: store.database,
    softpayCard: true,
    timeoutMs: TIMEOUT_MS,
  });
  const call = callOf(name);
  const plain: Damage['wire'] = ({ status, text }) =>
    Buffer.from(`HTTP/1.1 ${status} OK\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  const other = done.get(name === 'invoice_create' ? 'disbursement_create' : 'invoice_create') ?? real;
  service.answer(plain(real, other));
  const clean = await call(upstream, account());
  service.answer(damage.wire(real, other), damage);
  const damaged = await call(upstream, account());
  service.answer(plain(real, other));
  const after = await call(upstream, account());
  await upstream.close();
  expect(service.sent()).toBeLessThan(LARGEST_READ);
  return { name, clean, damaged, after };
}

/** The verdict without the remaining lifetime of a bearer. */
const saidBy = (verdict: Verdict<unknown>): unknown =>
  verdict.is === 'ok' ? { ...(verdict.value as object), usableForMs: 0 } : verdict.is;

describe.for(damages)('$name', (damage) => {
  // A payer's time-out is a minute in any case: silence is excluded there.
  const asked = names.filter((name) => damage.ending !== 'stall' || name !== SOFTPAY);

  test('is never a refusal after executed work', async () => {
    for (const told of await Promise.all(asked.map((name) => tell(name, damage, done.get(name)!)))) {
      const { name, clean, damaged, after } = told;
      expect(clean.is, name).toBe('ok');
      expect(MAY_BE[kindOf(name)], `${name}: ${damaged.is} ${damaged.exchange.code}`).toContain(damaged.is);
      if (name === 'sms_send') expect(JSON.stringify(damaged)).not.toContain('failed');
      if (damage.harmless) expect(saidBy(damaged), name).toEqual(saidBy(clean));
      expect(saidBy(after), `${name}, the next one`).toEqual(saidBy(clean));
    }
  });

  test('is never a success after a refusal', async () => {
    const refused = asked.map((name) => tell(name, damage, refusalOf(name)));
    for (const { name, damaged, after } of await Promise.all(refused)) {
      if (damage.name !== 'the answer to another operation') expect(damaged.is, name).not.toBe('ok');
      expect(after.is, `${name}, the next one`).not.toBe('ok');
    }
  });
});

test('the answer to another operation causes no payment', async () => {
  const foreign = damages.find(({ name }) => name === 'the answer to another operation')!;
  for (const name of ['direct_credit', 'payment_request_create', 'sms_send'] as const) {
    const { damaged } = await tell(name, foreign, done.get(name)!);
    expect(JSON.stringify(saidBy(damaged)), name).toContain('unknown');
  }
});
