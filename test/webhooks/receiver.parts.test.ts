/** The receiver over real sockets and a ledger. RELAIS_DEEP=1 sends a million bodies instead of ten thousand. */
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as fc from 'fast-check';
import { Agent, request } from 'undici';
import { afterEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { Secret } from '../../src/lib/secret.ts';
import { listen } from '../../src/app/listener.ts';
import { OperationStore } from '../../src/ledger/operation-store.ts';
import { Operations } from '../../src/ledger/operations.ts';
import { Database } from '../../src/ledger/pool.ts';
import { Queries } from '../../src/ledger/queries.ts';
import { digestOfKey } from '../../src/operations/key-hashes.ts';
import type { disbursement } from '../../src/kinds/disbursement.ts';
import { callbackPath, type CallbackVerdict, createReceiver } from '../../src/webhooks/receiver.ts';
import { freshLedger } from '../support/fresh-ledger.ts';
import { contentType, layeredText, rawBytes } from './body/arbitrary-bodies.ts';
import { DEEP } from '../support/deep.ts';

const toClose: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
});

const BODIES = DEEP ? 1_000_000 : 10_000;
const AT_ONCE = 50;
const LIMIT = DEEP ? { timeout: 7_200_000 } : {};
const SECRETS = [new Secret('callback-secret')];

test('no body gets anything but the answer of a good one, and memory and record stay small', LIMIT, async () => {
  const { sendTo, makeMore, ledger, id, errors } = await makeWorld();
  // Callbacks about one operation are stored one after the other.
  const ids = [id, ...(await makeMore(AT_ONCE - 1))];
  const seed = Math.floor(systemRandom.fraction() * 2 ** 31);
  const bodies = fc.oneof(
    layeredText.map((text) => Buffer.from(text)),
    rawBytes.map((bytes) => Buffer.from(bytes)),
  );
  const statuses = new Map<number, number>();
  let startBytes = 0;
  for (let sent = 0; sent < BODIES; sent += 500) {
    const some = fc.sample(fc.tuple(bodies, contentType), { seed: seed + sent, numRuns: 500 });
    for (let at = 0; at < some.length; at += AT_ONCE) {
      const batch = some.slice(at, at + AT_ONCE);
      const got = await Promise.all(
        batch.map(([body, type], nth) =>
          sendTo(ids[nth] ?? id, body, type === undefined ? {} : { 'content-type': type }),
        ),
      );
      for (const { status } of got) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    if (sent === 2_000) startBytes = heapBytes();
  }
  const endBytes = heapBytes();
  expect(errors.slice(0, 3)).toEqual([]);
  expect([...statuses], `seed ${seed}`).toEqual([[200, BODIES]]);
  // Five times the bodies and more, less than twice the memory.
  expect(endBytes).toBeLessThan(2 * startBytes);
  const [row] = await ledger.query<{ characters: number }>(
    `select length(o::text) as characters from relais.operation o where id = '${id}'`,
  );
  expect(row?.characters).toBeLessThan(4_096);
});

test('an endless body is read to its limit, stored nowhere, and answered', async () => {
  const BYTES = 4_000_000;
  const { send } = await makeWorld();
  const before = heapBytes();
  const answers = await Promise.all(Array.from({ length: 10 }, () => send(Buffer.alloc(BYTES, 'a'))));
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  // A buffer is released some collections after the last reference to it.
  await vi.waitFor(() => expect(heapBytes() - before).toBeLessThan(5 * BYTES));
});

test('a thousand replays of one callback cause at most one check in five seconds', async () => {
  let now = 1_763_700_000_000;
  const { send, operations, id, wakes } = await makeWorld({ now: () => now });
  let looks = 0;
  for (let n = 0; n < 1_000; n += 1) {
    await send(Buffer.from('data[status]=success'));
    const due = await operations.take('status-poll', 10);
    if (wakes.splice(0).length + due.length > 0) {
      const held = await operations.acquire('disbursement', id, 'status-poll', 10_000);
      if (held.is === 'acquired') {
        looks += 1;
        await operations.transition(held.record, held.lease, {
          to: 'pending',
          dueInMs: 1_800_000,
          nudgeAfterMs: 5_000,
        });
      }
    }
    now += 60;
  }
  expect(looks).toBeLessThanOrEqual(1 + 60_000 / 5_000);
  expect(looks).toBeGreaterThan(5);
});

test.for([
  ['failed', ['noted', 'contradicts']],
  // A payment that had a token may be paid although it was cancelled: any callback about it is checked.
  ['needs_review→cancelled', ['look', 'noted']],
  ['succeeded', ['contradicts', 'noted']],
] as const)('success claimed for %s', async ([way, expected]) => {
  const { send, go, stateOf, verdicts, wakes } = await makeWorld();
  for (const to of way.split('→') as State[]) await go(to);
  const state = await stateOf();
  await send(Buffer.from('data[status]=failed'));
  expect((await send(Buffer.from('data[status]=success'))).status).toBe(200);
  expect(verdicts).toEqual(expected);
  expect([wakes.length, await stateOf()]).toEqual([1, state]);
});

test('an unsigned path learns nothing, whatever it names', async () => {
  const { url, path } = await makeWorld();
  const tampered = [
    `${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`,
    '/cb/d/x',
    '/',
    path.replace('/d/', '/i/'),
  ];
  const answers = await Promise.all(tampered.map((one) => post(`${url}${one}`, Buffer.from('a=b'))));
  expect(answers.map(({ status, text }) => [status, text])).toEqual(
    tampered.map(() => [404, expect.stringMatching(/callbacks of the provider.*API_PORT/)]),
  );
});

test('3,000 slow senders do not keep a good callback waiting', async () => {
  const { url, send } = await makeWorld();
  const { hostname, port } = new URL(url);
  const slow: Socket[] = [];
  toClose.push(async () => slow.forEach((socket) => socket.destroy()));
  await Promise.all(
    Array.from({ length: 3_000 }, async () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      slow.push(socket);
      await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
      socket.write('POST /cb/d/slow HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n');
    }),
  );
  const open = (): number => slow.filter((socket) => !socket.destroyed && !socket.readableEnded).length;
  expect(open()).toBe(3_000);
  expect((await send(Buffer.from('data[status]=success'))).status).toBe(200);
  // The listener gives a sender ten seconds for its headers, and checks every two.
  for (const socket of slow) socket.resume();
  await vi.waitFor(() => expect(open()).toBe(0), { timeout: 30_000, interval: 250 });
});

type State = keyof typeof disbursement.states;

async function makeWorld({ now }: { readonly now?: () => number } = {}) {
  const ledger = await freshLedger();
  toClose.push(() => ledger.close());
  const at = { url: ledger.url, schema: ledger.schema };
  const database = new Database(at);
  toClose.push(() => database.close());
  const shared = new Operations({
    database: at,
    process: 'webhooks',
    clock: systemClock,
    random: systemRandom,
    now: now && (() => new Date(now())),
  });
  toClose.push(() => shared.close());
  const operations = new OperationStore({
    operations: shared,
    clock: systemClock,
    accounts: ['main'],
    leaseMs: 60_000,
  });
  const id = 'dsb_00000000000000000000000000';
  const queries = new Queries({ database });
  const go = async (to: State): Promise<void> => {
    const record = await queries.read('disbursement', id);
    if (!record) throw new Error(`no ${id}`);
    expect((await operations.transition(record, undefined, { to, dueInMs: 1_800_000 })).is).toBe('applied');
  };
  await accept(operations, id);
  for (const to of ['created', 'submitting', 'pending'] as const) await go(to);
  const wakes: string[] = [];
  const errors: unknown[] = [];
  const verdicts: CallbackVerdict[] = [];
  const app = createReceiver({
    hashes: async () => ({ digests: [digestOfKey(new Secret('sandbox-master'))], areAll: true }),
    secrets: SECRETS,
    operations,
    clock: systemClock,
    wake: (queue) => wakes.push(queue),
    onCallback: (_kind, verdict) => {
      // A million of them would be the only growing data.
      if (verdicts.length < 1_000) verdicts.push(verdict);
    },
    onError: (error) => errors.push(error),
  });
  const door = await listen(app, {
    host: '127.0.0.1',
    port: 0,
    setting: 'API_PORT',
    headersMs: 10_000,
    requestMs: 15_000,
    silenceMs: 30_000,
    connections: 4_000,
    drainMs: 5_000,
  });
  toClose.push(door.close);
  const pathOf = (of: string): string => callbackPath(SECRETS, { account: 'main', kind: 'disbursement', id: of });
  const sendTo = (of: string, body: Buffer, headers: Record<string, string> = {}) =>
    post(`${door.url}${pathOf(of)}`, body, headers);
  const send = (body: Buffer) => sendTo(id, body);
  const path = pathOf(id);
  const makeMore = async (many: number): Promise<readonly string[]> => {
    const ids = Array.from({ length: many }, (_, nth) => `dsb_more${String(nth).padStart(22, '0')}`);
    await Promise.all(ids.map((one) => accept(operations, one)));
    return ids;
  };
  const stateOf = async () => (await queries.read('disbursement', id))?.state;
  return {
    ledger,
    operations,
    go,
    stateOf,
    id,
    wakes,
    errors,
    verdicts,
    url: door.url,
    path,
    send,
    sendTo,
    makeMore,
  };
}

async function accept(operations: OperationStore, id: string): Promise<void> {
  await operations.accept({
    kind: 'disbursement',
    id,
    account: 'main',
    state: 'queued',
    fingerprint: 'f',
    xof: 5_000,
    fields: {
      amount: 5_000,
      accountAlias: '771234567',
      withdrawMode: 'wallet-a-senegal',
      disburseId: `d-${id}`,
      token: 'tok',
    },
  });
}

const agent = new Agent({ connections: AT_ONCE });

async function post(url: string, body: Buffer, headers: Record<string, string> = {}) {
  const answer = await request(url, { method: 'POST', body, headers, dispatcher: agent });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Memory in use after a full garbage collection, including array buffers outside of the heap. */
function heapBytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
