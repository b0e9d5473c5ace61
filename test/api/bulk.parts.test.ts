import { createConnection } from 'node:net';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { request } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Service, startService } from '../support/service.ts';
import { storedIn } from '../support/stored.ts';
import { DEEP } from '../support/deep.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterEach(() => service.call('POST', '/v1/queues/sms-batch/resume'));
afterAll(() => service.stop());

interface Verdict {
  readonly index: number;
  readonly id: string | null;
  readonly outcome: string;
  readonly problem?: { pointer: string; message: string }[];
}

const NDJSON = { 'content-type': 'application/x-ndjson' };
const number = (n: number): string => `+2217${String(70_000_000 + n)}`;
const disbursement = (reference: string, more: object = {}) => ({
  accountAlias: '771234567',
  amount: 5_000,
  withdrawMode: 'wallet-a-senegal',
  reference,
  ...more,
});
const linesOf = (requests: readonly (object | string)[]): string =>
  requests.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n');
const verdictsIn = (text: string): Verdict[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Verdict);

async function bulk(path: string, body: string, headers: Record<string, string> = {}): Promise<Verdict[]> {
  const answer = await service.call('POST', path, { body, headers: { ...NDJSON, ...headers } });
  expect([answer.status, answer.headers['content-type']]).toEqual([202, 'application/x-ndjson']);
  return verdictsIn(answer.body);
}

describe('a body of many lines', () => {
  test('has a verdict for each line in its place, and a bad one stops no other', async () => {
    const verdicts = await bulk(
      '/v1/disbursements',
      linesOf([
        disbursement('b-1'),
        '{"amount":',
        '',
        disbursement('b-1', { amount: 6_000 }),
        disbursement('b-1'),
        disbursement('b-2', { amount: '5000', withdrawMode: 'wallet-z' }),
        { ...disbursement('b-3'), reference: undefined },
        disbursement('b-4', { account: 'nobody' }),
        '"text"',
        `{"accountAlias":"${'7'.repeat(40_000)}"}`,
        disbursement('b-5'),
      ]),
    );
    expect(verdicts.map(({ index, outcome }) => `${index} ${outcome}`)).toEqual([
      '0 accepted',
      '1 invalid',
      '3 conflict',
      '4 duplicate',
      '5 invalid',
      '6 invalid',
      '7 invalid',
      '8 invalid',
      '9 invalid',
      '10 accepted',
    ]);
    const [first, broken, conflict, , wrong, nameless, foreign, , long] = verdicts;
    expect(conflict?.id).toBe(first?.id);
    expect(broken?.problem?.[0]?.message).toContain('is not JSON');
    expect(wrong?.problem?.map(({ pointer }) => pointer)).toContain('/amount');
    expect(nameless?.problem?.map(({ pointer }) => pointer)).toEqual(['/reference']);
    expect(foreign?.problem?.map(({ pointer }) => pointer)).toEqual(['/account']);
    expect(long?.problem?.[0]?.message).toContain('longer than');
    await service.until(`/v1/disbursements/${first?.id}`, ({ state }) => state === 'succeeded');
  });

  test('may name its lines by one Idempotency-Key and their places', async () => {
    const body = linesOf([{ ...disbursement('x'), reference: undefined }, disbursement('k-2')]);
    const first = await bulk('/v1/disbursements', body, { 'idempotency-key': 'file-1' });
    const again = await bulk('/v1/disbursements', body, { 'idempotency-key': 'file-1' });
    expect(first.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted']);
    expect(again).toEqual(first.map((verdict) => ({ ...verdict, outcome: 'duplicate' })));
  });

  test('of messages shares requests to the provider like an array', async () => {
    await service.call('POST', '/v1/queues/sms-batch/pause');
    const before = (await service.books('summary')).requests['sms.send'] ?? 0;
    const verdicts = await bulk(
      '/v1/messages',
      linesOf(Array.from({ length: 120 }, (_, n) => ({ to: number(n), text: 'x' }))),
    );
    expect(new Set(verdicts.map(({ id }) => id)).size).toBe(120);
    await service.call('POST', '/v1/queues/sms-batch/resume');
    for (const { id } of verdicts) await service.until(`/v1/messages/${id}`, ({ state }) => state === 'sent');
    expect((await service.books('summary')).requests['sms.send'] - before).toBe(3);
  });

  test('of messages leaves out a bad line in its middle, and keeps the order of the others', async () => {
    await service.call('POST', '/v1/queues/sms-batch/pause');
    const lines = Array.from({ length: 60 }, (_, n) => ({ to: number(200 + n), text: n === 30 ? '' : `n ${n}` }));
    const verdicts = await bulk('/v1/messages', linesOf(lines));
    expect(verdicts.map(({ index }) => index)).toEqual(lines.map((_, index) => index));
    expect(verdicts.filter(({ outcome }) => outcome !== 'accepted')).toMatchObject([
      { index: 30, outcome: 'invalid' },
    ]);
  });

  test('and the same messages one by one and in an array at once are each accepted once', async () => {
    await service.call('POST', '/v1/queues/sms-batch/pause');
    const asked = Array.from({ length: 100 }, (_, n) => ({ to: number(300 + n), text: 'x', reference: `door-${n}` }));
    const arrayed = async (body: unknown): Promise<Verdict[]> =>
      (await service.call('POST', '/v1/messages', { body })).body.items;
    const all = await Promise.all([
      bulk('/v1/messages', linesOf(asked)),
      bulk('/v1/messages', linesOf(asked)),
      arrayed(asked),
      Promise.all(asked.map(async (one) => (await arrayed(one))[0])),
    ]);
    for (const [at] of asked.entries()) {
      const verdicts = all.map((answers) => answers[at]);
      expect(new Set(verdicts.map((verdict) => verdict?.id))).toHaveLength(1);
      expect(verdicts.filter((verdict) => verdict?.outcome === 'accepted')).toHaveLength(1);
      expect(verdicts.filter((verdict) => verdict?.outcome === 'duplicate')).toHaveLength(3);
    }
  });

  test('is refused as a whole where a single request would be', async () => {
    const post = (how: object) =>
      service.call('POST', '/v1/messages', { body: '{}\n', headers: NDJSON, ...how }).then(({ status }) => status);
    expect(await post({ key: 'reader-secret' })).toBe(403);
    expect(await post({ key: null })).toBe(401);
    expect(await post({ body: '\n \n' })).toBe(422);
    expect(await post({ headers: { ...NDJSON, 'content-encoding': 'gzip' } })).toBe(415);
    expect((await service.call('POST', '/v1/campaigns', { body: '{}\n', headers: NDJSON })).status).toBe(415);
  });

  test('judges the account of every line by the key', async () => {
    const body = linesOf([
      { to: number(1), text: 'x' },
      { to: number(1), text: 'x', account: 'other' },
    ]);
    const verdicts = verdictsIn(
      (await service.call('POST', '/v1/messages', { body, headers: NDJSON, key: 'stranger-secret' })).body,
    );
    expect(verdicts.map(({ outcome, problem }) => [outcome, problem?.[0]?.pointer])).toEqual([
      ['invalid', '/account'],
      ['invalid', '/account'],
    ]);
    expect(verdicts[0]?.problem?.[0]?.message).toContain('is not allowed to use this account');
    expect(verdicts[1]?.problem?.[0]?.message).toContain('must be a configured account');
  });
});

describe('the lines of one body', () => {
  test('are answered while others are still to come', async () => {
    const talk = converse('/v1/disbursements');
    talk.say(`${linesOf([disbursement('t-1')])}\n`);
    expect((await talk.heard(1)).map(({ outcome }) => outcome)).toEqual(['accepted']);
    talk.say(`${linesOf([disbursement('t-1'), disbursement('t-2')])}\n`);
    expect((await talk.heard(3)).map(({ outcome }) => outcome)).toEqual(['accepted', 'duplicate', 'accepted']);
    talk.end();
    await talk.over;
  });

  test('that were acknowledged before the connection broke are found when all are sent again', async () => {
    const requests = Array.from({ length: 3_000 }, (_, n) => disbursement(`broken-${n}`, { notBefore: later() }));
    const talk = converse('/v1/disbursements');
    talk.say(linesOf(requests));
    const heard = await talk.heard(500);
    talk.breakOff();
    const again = await bulk('/v1/disbursements', linesOf(requests));
    expect(again).toHaveLength(3_000);
    for (const { index, id } of heard) expect(again[index]).toEqual({ index, id, outcome: 'duplicate' });
    expect(new Set(again.map(({ outcome }) => outcome)).size).toBeLessThanOrEqual(2);
    expect(new Set(again.map(({ id }) => id)).size).toBe(3_000);
  });

  test('are not read further while the client does not read the results', async () => {
    const senseless = `{${Array.from({ length: 30 }, (_, n) => `"${'x'.repeat(20)}${n}":1`).join(',')}}\n`;
    const piece = senseless.repeat(4_000);
    const talk = converse('/v1/messages', { reads: false });
    await vi.waitFor(
      () => {
        talk.fill(piece);
        expect(talk.stuckForMs()).toBeGreaterThan(700);
      },
      { timeout: 30_000, interval: 20 },
    );
    const sent = talk.lines();
    expect(sent).toBeLessThan(40_000);
    talk.read();
    talk.end();
    expect(await talk.heard(sent)).toHaveLength(sent);
    await talk.over;
  });
});

const later = (): string => '2030-01-01T00:00:00Z';

const OUTCOME = '"outcome"';

/**
 * The lines of a chunked body. In one pass: the service runs in this process, and a hundred megabytes searched
 * repeatedly would block it until its Redis connections time out.
 */
function unchunked(text: string): string {
  let body = '';
  for (let at = 0; ; ) {
    const end = text.indexOf('\r\n', at);
    const size = end === -1 ? 0 : Number.parseInt(text.slice(at, end), 16);
    if (!size) return body.slice(0, body.lastIndexOf('\n') + 1);
    body += text.slice(end + 2, end + 2 + size);
    at = end + 2 + size + 2;
  }
}

/** A caller that writes and reads at the same time, byte by byte, or does not read at all. */
function converse(path: string, { reads = true }: { readonly reads?: boolean } = {}) {
  const { hostname, port } = new URL(service.api);
  const socket = createConnection({ host: hostname, port: Number(port) });
  onTestFinished(() => void socket.destroy());
  let text = '';
  let tail = '';
  let heard = 0;
  let said = 0;
  let movedAt = performance.now();
  let moved = 0;
  socket.setEncoding('latin1');
  socket.on('error', () => undefined);
  socket.on('data', (part: string) => {
    text += part;
    const unread = tail + part;
    heard += unread.split(OUTCOME).length - 1;
    tail = unread.slice(1 - OUTCOME.length);
  });
  if (!reads) socket.pause();
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: api\r\nAuthorization: Bearer maker-secret\r\nConnection: close\r\n` +
      'Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n',
  );
  const say = (piece: string): boolean => {
    said += piece.split('\n').length - 1;
    return socket.write(`${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`);
  };
  return {
    say,
    lines: () => said,
    end: () => socket.write('0\r\n\r\n'),
    read: () => socket.resume(),
    breakOff: () => socket.destroy(),
    over: new Promise((resolve) => socket.on('close', resolve)),
    /** Writes more only while the data is accepted. */
    fill: (piece: string) => {
      if (socket.bytesWritten !== moved) [moved, movedAt] = [socket.bytesWritten, performance.now()];
      if (socket.writableLength === 0) say(piece);
    },
    stuckForMs: () => performance.now() - movedAt,
    heard: async (count: number): Promise<Verdict[]> => {
      await vi.waitFor(() => expect(heard).toBeGreaterThanOrEqual(count), { timeout: 30_000, interval: 20 });
      return verdictsIn(unchunked(text.slice(text.indexOf('\r\n\r\n') + 4)));
    },
  };
}

// RELAIS_DEEP makes it a hundred thousand.
const MANY = DEEP ? 100_000 : 30_000;

test(`${MANY} lines take the memory of a few`, async () => {
  expect(await service.call('POST', '/v1/queues/sms-batch/pause')).toMatchObject({ status: 200 });
  function* body() {
    for (let n = 0; n < MANY; n += 1) yield `${JSON.stringify({ to: number(n), text: 'x', reference: `m-${n}` })}\n`;
  }
  const { body: answer } = await request(`${service.api}/v1/messages`, {
    method: 'POST',
    headers: { ...NDJSON, authorization: 'Bearer maker-secret' },
    body: Readable.from(body(), { objectMode: false }),
  });
  let heard = 0;
  const outcomes: Record<string, number> = {};
  const kept: number[] = [];
  for await (const part of answer) {
    for (const [, outcome = ''] of String(part).matchAll(/"outcome":"(\w+)"/g)) {
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      heard += 1;
    }
    if (heard > ((kept.length + 1) * MANY) / 5) kept.push(heapInUse());
  }
  // A word split over two pieces is not counted, and there are at most as many pieces as groups.
  expect(Object.keys(outcomes)).toEqual(['accepted']);
  expect(await storedIn(service, 'message')).toBeGreaterThanOrEqual(MANY);
  const [early = 0, ...rest] = kept;
  expect(rest.length).toBeGreaterThan(2);
  expect(Math.max(...rest) - early).toBeLessThan(8 * 1_048_576);
});

/** Memory in use after garbage collection. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}
