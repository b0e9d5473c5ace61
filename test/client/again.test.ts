/** When the client retries, and when it must not. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clientOf, type ClientOptions } from '../../src/client/client.ts';
import { NoAnswer, Refused, createClient } from '../../src/client/library.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { seededRandom } from '../../src/lib/random.ts';

interface Heard {
  readonly url: string;
  readonly method: string | undefined;
  readonly headers: Headers;
  readonly body: unknown;
}

type Step = Response | Error | 'silence';

/** Answers from the script in order, then 200; its clock advances only by sleeps. */
function scripted(steps: readonly Step[], options: Partial<ClientOptions> = {}) {
  const heard: Heard[] = [];
  const slept: number[] = [];
  const left = [...steps];
  let nowMs = 0;
  let expire = (): void => undefined;
  const clock: Clock = {
    now: () => nowMs,
    monotonic: () => nowMs,
    sinceBoot: () => nowMs,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      slept.push(ms);
      nowMs += ms;
    },
    after: (_ms, run) => {
      expire = run;
      return () => undefined;
    },
  };
  const fetch: ClientOptions['fetch'] = async (url, { method, headers, body, signal }) => {
    heard.push({ url, method, headers: new Headers(headers), body });
    const step = left.shift() ?? Response.json({ id: 'dsb_1', items: [], next: null });
    if (step instanceof Error) throw step;
    if (step !== 'silence') return step;
    queueMicrotask(() => expire());
    return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  };
  const client = clientOf({ url: 'http://relais/', key: 'k', fetch, ...options }, clock, seededRandom(1));
  return { client, heard, slept };
}

const problem = (status: number, word: string, more: object = {}, headers: Record<string, string> = {}): Response =>
  Response.json(
    { type: `http://relais/problems/${word}`, title: word, status, detail: 'd', ...more },
    { status, headers },
  );
const lost = (code: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
const away = (): Response => problem(503, 'unavailable', {}, { 'retry-after': '5' });

const body = { accountAlias: '7', amount: 1, withdrawMode: 'wallet-a-senegal' } as const;
const named = { body: { ...body, reference: 'r' } };

async function thrownBy(asked: Promise<unknown>): Promise<unknown> {
  return asked.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('requests with a reference, and reads, are retried', () => {
  test.each([
    ['while Redis is away, after as long as it says', away, [5_000]],
    ['when the answer was lost', () => lost('UND_ERR_SOCKET'), [expect.any(Number)]],
    ['when nothing came in time', () => 'silence' as const, [expect.any(Number)]],
    [
      'when a proxy stands before nobody',
      () => new Response('<h1>Bad Gateway</h1>', { status: 502 }),
      [expect.any(Number)],
    ],
    [
      'when the provider did not answer, and it may be repeated',
      () => problem(504, 'upstream-silent', { retryable: true }),
      [expect.any(Number)],
    ],
  ])('%s', async (_when, step, waits) => {
    const paying = scripted([step()]);
    await paying.client.createDisbursement(named);
    expect(paying.slept).toEqual(waits);
    expect(paying.heard[1]).toEqual(paying.heard[0]);
    const reading = scripted([step()]);
    await reading.client.getDisbursement({ id: 'dsb_1' });
    expect(reading.heard).toHaveLength(2);
  });

  test('with a key of its own instead of a reference too', async () => {
    const { client, heard } = scripted([lost('ECONNRESET')]);
    await client.createDisbursement({ body, idempotencyKey: 'own' });
    expect(heard.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['own', 'own']);
  });
});

describe('requests that could then happen twice are not', () => {
  test.each([
    ['a lost answer', () => lost('UND_ERR_SOCKET')],
    ['Redis that is away', away],
  ])('%s', async (_what, step) => {
    const acting = scripted([step()]);
    const error = await thrownBy(acting.client.cancelDisbursement({ id: 'dsb_1' }));
    expect(error).toBeInstanceOf(Error);
    expect(acting.heard).toHaveLength(1);
    // The API refuses a payment without an identity; the client adds none, since it would differ in each try.
    const paying = scripted([step()]);
    await thrownBy(paying.client.createDisbursement({ body }));
    expect(paying.heard.map(({ headers }) => headers.has('idempotency-key'))).toEqual([false]);
  });

  test('and the error says that it may have been done', async () => {
    const error = await thrownBy(scripted([lost('UND_ERR_SOCKET')]).client.cancelDisbursement({ id: 'dsb_1' }));
    expect(error).toMatchObject({ name: 'NoAnswer', accepted: 'unknown' });
  });

  test('a refusal that will not pass', async () => {
    for (const refusal of [problem(409, 'conflict'), problem(422, 'invalid'), problem(500, 'internal')]) {
      const { client, heard } = scripted([refusal]);
      expect(await thrownBy(client.createDisbursement(named))).toBeInstanceOf(Refused);
      expect(heard).toHaveLength(1);
    }
    const silent = scripted([problem(504, 'upstream-silent', { retryable: false })]);
    await thrownBy(silent.client.createInvoice({ body: { totalAmount: 1, store: { name: 's' }, reference: 'r' } }));
    expect(silent.heard).toHaveLength(1);
  });

  test('a body that was read while it was sent', async () => {
    const { client, heard } = scripted([problem(429, 'too-many-requests')]);
    const content = async function* () {
      yield '{}\n';
    };
    const lines = { file: { type: 'application/x-ndjson', content: content() }, idempotencyKey: 'k' } as const;
    expect(await thrownBy(client.sendMessages(lines))).toMatchObject({ status: 429 });
    expect(heard).toHaveLength(1);
  });
});

describe('a request that was not begun is retried, of any kind', () => {
  test.each([
    ['too many requests', () => problem(429, 'too-many-requests', {}, { 'retry-after': '1' })],
    ['nobody listens there', () => lost('ECONNREFUSED')],
  ])('%s', async (_what, step) => {
    const { client, heard } = scripted([step()]);
    await client.cancelDisbursement({ id: 'dsb_1' });
    expect(heard).toHaveLength(2);
  });
});

describe('patience', () => {
  test('has an end, and the last refusal is thrown', async () => {
    const { client, slept } = scripted(Array.from({ length: 50 }, away), { patience: '12s' });
    expect(await thrownBy(client.createDisbursement(named))).toMatchObject({ status: 503, word: 'unavailable' });
    expect(slept).toEqual([5_000, 5_000]);
  });

  test('of zero is one try', async () => {
    const { client, heard } = scripted([lost('ECONNREFUSED')], { patience: '0s' });
    expect(await thrownBy(client.listQueues())).toBeInstanceOf(NoAnswer);
    expect(heard).toHaveLength(1);
  });

  test('ends with the signal of the call', async () => {
    const stop = new AbortController();
    const { client, heard } = scripted([away(), away()]);
    stop.abort(new Error('no longer wanted'));
    const error = await thrownBy(client.createDisbursement({ ...named, signal: stop.signal }));
    expect(error).toMatchObject({ message: 'no longer wanted' });
    expect(heard.length).toBeLessThan(2);
  });
});

test('an SMS without a reference is one SMS, for any number of tries in one call', async () => {
  const { client, heard } = scripted([lost('UND_ERR_SOCKET')]);
  await client.sendMessages({ body: { to: '+221771234567', text: 'Bonjour' } });
  const [first, second] = heard.map(({ headers }) => headers.get('idempotency-key'));
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(second).toBe(first);
  await client.sendMessages({ body: [{ to: '+221771234567', text: 'Bonjour', reference: 'r' }] });
  // A key would identify the message instead of its reference.
  expect(heard[2]?.headers.has('idempotency-key')).toBe(false);
});

test('a key that changed in its file is read again, once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'relais-key-'));
  try {
    const keyFile = join(folder, 'key');
    writeFileSync(keyFile, 'old\n');
    const refused = (): Response => problem(401, 'unauthenticated');
    const { client, heard } = scripted([Response.json({}), refused(), Response.json({}), refused()], {
      key: undefined,
      keyFile,
    });
    await client.listQueues();
    writeFileSync(keyFile, 'new\n');
    await client.listQueues();
    expect(heard.map(({ headers }) => headers.get('authorization'))).toEqual([
      'Bearer old',
      'Bearer old',
      'Bearer new',
    ]);
    expect(await thrownBy(client.listQueues())).toMatchObject({ status: 401 });
    expect(heard).toHaveLength(4);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('an answer that is cut is no answer', async () => {
  const cut = (): Response => new Response('{"id":"dsb_', { headers: { 'content-type': 'application/json' } });
  const { client, heard } = scripted([cut()]);
  expect(await client.createDisbursement(named)).toMatchObject({ id: 'dsb_1' });
  expect(heard).toHaveLength(2);
  expect(await thrownBy(scripted([cut()]).client.cancelDisbursement({ id: 'dsb_1' }))).toBeInstanceOf(NoAnswer);
});

test('a server that is no relais is reported as such', async () => {
  const { client } = scripted([new Response('<h1>Not Found</h1>', { status: 404 })]);
  const error = await thrownBy(client.getDisbursement({ id: 'dsb_1' }));
  expect(error).toMatchObject({ status: 404, word: undefined, next: 'Is this the address of the API of relais?' });
});

test('an undefined address is named', () => {
  expect(() => createClient({ url: undefined })).toThrow('is RELAIS_URL set?');
});

describe('following', () => {
  const sent = (...messages: readonly string[]): Response =>
    new Response(messages.map((one) => `${one}\n\n`).join(''));
  const event = (id: string): string => `data: {"id":"${id}"}`;

  test('continues after the last received event, after any interruption', async () => {
    const { client, heard } = scripted([
      sent(`id: 1-0\n${event('a')}`, 'id: 5-0'),
      away(),
      lost('ECONNREFUSED'),
      sent(`id: 6-0\n${event('b')}`),
    ]);
    const errors: unknown[] = [];
    const told: unknown[] = [];
    for await (const { cursor, event: one } of client.follow({ onError: (error) => errors.push(error) })) {
      told.push([cursor, one.id]);
      if (told.length === 2) break;
    }
    expect(told).toEqual([
      ['1-0', 'a'],
      ['6-0', 'b'],
    ]);
    expect(heard.map(({ headers }) => headers.get('last-event-id'))).toEqual(['0-0', '5-0', '5-0', '5-0']);
    expect(errors).toHaveLength(2);
  });

  test('reads a truncated event completely, and none twice', async () => {
    const cut = new Response(`id: 1-0\n${event('a')}\n\nid: 2-0\ndata: {"id":`);
    const { client, heard } = scripted([cut, sent('id: 2-0\ndata: {"id":'), sent(`id: 2-0\n${event('b')}`)]);
    const told: string[] = [];
    for await (const { event: one } of client.follow()) if (told.push(one.id) === 2) break;
    expect(told).toEqual(['a', 'b']);
    expect(heard.map(({ headers }) => headers.get('last-event-id'))).toEqual(['0-0', '1-0', '1-0']);
  });

  test('ends with a refusal that will not pass', async () => {
    const { client } = scripted([problem(410, 'gone', { oldest: '7-0' })]);
    expect(await thrownBy(client.follow({ after: '1-0' }).next())).toMatchObject({
      word: 'gone',
      problem: { oldest: '7-0' },
    });
  });
});

describe('doubt about an earlier try remains', () => {
  const refused = () => Array.from({ length: 50 }, () => lost('ECONNREFUSED'));
  const recovering = () => Array.from({ length: 50 }, () => problem(503, 'recovering'));
  const revoked = () => [problem(401, 'unauthorized')];
  test.each([
    ['nobody listens any more', () => [lost('UND_ERR_SOCKET'), ...refused()]],
    ['a proxy waited in vain, and then nobody listens', () => [new Response('', { status: 504 }), ...refused()]],
    ['Redis has gone back', () => [lost('UND_ERR_SOCKET'), ...recovering()]],
    ['the key was revoked meanwhile', () => [lost('UND_ERR_SOCKET'), ...revoked()]],
  ])('when %s', async (_when, steps) => {
    const { client } = scripted(steps(), { patience: '12s' });
    expect(await thrownBy(client.createDisbursement(named))).toMatchObject({ name: 'NoAnswer', accepted: 'unknown' });
  });

  test.each([
    [409, 'conflict'],
    [502, 'upstream-refused'],
  ])('a refusal after reading the request reports what is known (%i, %s)', async (status, word) => {
    const { client } = scripted([lost('UND_ERR_SOCKET'), problem(status, word, { retryable: false })]);
    expect(await thrownBy(client.createDisbursement(named))).toMatchObject({ name: 'Refused', status });
  });

  test('a request that was refused in each try was not accepted', async () => {
    const never = scripted(refused(), { patience: '12s' });
    expect(await thrownBy(never.client.createDisbursement(named))).toMatchObject({ accepted: 'no' });
    const back = scripted(recovering(), { patience: '12s' });
    expect(await thrownBy(back.client.createDisbursement(named))).toMatchObject({ name: 'Refused', status: 503 });
  });
});

test('a proxy’s page is no answer, whatever its status', async () => {
  const page = () => new Response('<h1>Under maintenance</h1>', { headers: { 'content-type': 'text/html' } });
  const paying = scripted([page()], { patience: '0s' });
  expect(await thrownBy(paying.client.createDisbursement(named))).toMatchObject({
    name: 'NoAnswer',
    accepted: 'unknown',
    cause: { message: 'HTTP 200 is not of the API' },
  });
  const reading = scripted([page()]);
  expect(await reading.client.getDisbursement({ id: 'dsb_1' })).toMatchObject({ id: 'dsb_1' });
});

test('lines are an answer where declared as one, and a proxy’s page is none there either', async () => {
  const of = (type: string) => new Response('{}\n', { headers: { 'content-type': type } });
  const asked = {
    body: { outcome: 'failed', note: 'Asked them.', where: { reason: 'restored' }, confirm: 's' },
  } as const;
  const lines = scripted([of('application/x-ndjson; charset=utf-8')]);
  expect(await lines.client.resolveSelection(asked as never)).toBeInstanceOf(Response);
  const page = scripted([of('text/html')]);
  const listing = page.client.listDisbursements({ accept: 'text/csv', limit: 1 });
  expect(await thrownBy(listing.then(() => page.heard.length))).toBeUndefined();
  expect(page.heard).toHaveLength(2);
});
