/** Bodies with duplicate names, deep nesting or ambiguous numbers: they are refused, not guessed. */
import { gzipSync } from 'node:zlib';
import { Queue, QueueEvents } from 'bullmq';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CollectService, startCollectService } from '../support/collect-service.ts';
import { operationIds } from '../support/stored.ts';

let service: CollectService;
beforeAll(async () => {
  service = await startCollectService({ SWEEP_INTERVAL: '10m' });
});
afterAll(() => service.stop());

const NDJSON = 'application/x-ndjson';
const PAY = '/v1/disbursements';
const send = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  service.call('POST', path, { body, headers: { 'content-type': 'application/json', ...headers } });
const linesOf = (text: string): any[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const pay = (amount: string, reference: string): string =>
  `{"accountAlias":"771234567","withdrawMode":"wallet-a-senegal","amount":${amount},"reference":"${reference}"}`;
const paid = async (): Promise<string[]> => (await operationIds(service)).filter((id) => id.startsWith('dsb_'));

describe('a key that is there twice', () => {
  test.for<readonly [string, string, string]>([
    ['of the request', pay('100,"amount":100000', 'twice'), '"amount"'],
    ['written in two ways', pay('100,"\\u0061mount":100000', 'twice'), '"amount"'],
    ['of something inside', '{"totalAmount":1,"store":{"name":"x"},"customData":[{"a":{"é":1,"é":1}}]}', '"é"'],
  ])('%s is refused and named', async ([, body, named]) => {
    const path = body.includes('store') ? '/v1/invoices' : PAY;
    const { status, body: problem } = await send(path, body, { 'idempotency-key': 'twice' });
    expect([status, problem.detail]).toEqual([400, expect.stringContaining(named)]);
    expect(await paid()).toEqual([]);
  });

  test('in a line is refused for that line', async () => {
    const { body } = await send(PAY, `${pay('1,"amount":2', 'l1')}\n${pay('5', 'l2')}\n`, { 'content-type': NDJSON });
    const [first, second] = linesOf(body);
    expect(first).toMatchObject({ outcome: 'invalid', problem: [{ message: expect.stringContaining('"amount"') }] });
    expect(second).toMatchObject({ outcome: 'accepted' });
  });

  test.for([
    [NDJSON, `${pay('1,"amount":2', 'b1')}\n`],
    ['application/json', `[${pay('5', 'b0')},${pay('1,"amount":2', 'b1')}]`],
  ] as const)('in a batch of %s is a problem of its row', async ([type, body]) => {
    const answer = await send('/v1/disbursement-batches', body, { 'content-type': type });
    expect(answer.body).toMatchObject({ state: 'invalid', problemCount: 1 });
    const row = type === NDJSON ? 1 : 2;
    expect(answer.body.problems).toEqual([{ row, column: null, reason: expect.stringContaining('"amount" twice') }]);
  });

  test('in a line of recipients leaves nothing to choose', async () => {
    const made = await service.post('/v1/campaigns', { name: 'x', text: 'y', reference: 'twice' });
    const line = '{"phone":"+221771234567","phone":"+221771234568"}\n';
    const answer = await send(`/v1/campaigns/${made.body.id}/recipients`, line, { 'content-type': NDJSON });
    expect(JSON.stringify(answer.body)).toContain('twice');
  });
});

describe('an amount is digits, written plainly', () => {
  const others = ['25000.0000000000001', '2.5e4', '1e3', '25000.0', '-0', '0', '2E4', '25000.5', '"25000"'];
  test.for(others)('%s is refused at every entry point', async (amount) => {
    const before = await paid();
    const one = await send(PAY, pay(amount, 'plain'));
    expect([one.status, one.body.problems[0].pointer]).toEqual([422, '/amount']);
    const bulk = await send(PAY, `${pay(amount, 'plain')}\n`, { 'content-type': NDJSON });
    expect(linesOf(bulk.body)[0]).toMatchObject({ outcome: 'invalid', problem: [{ pointer: '/amount' }] });
    for (const [type, body] of [
      ['application/json', `[${pay(amount, 'plain')}]`],
      [NDJSON, pay(amount, 'plain')],
    ] as const) {
      const batch = await send('/v1/disbursement-batches', body, { 'content-type': type });
      expect(batch.body.problems).toMatchObject([{ row: 1, column: 'amount' }]);
    }
    expect(await paid()).toEqual(before);
  });

  test.for(['15000.0', '1.5e4'])('an invoice of %s too, and a similar but valid one is accepted', async (amount) => {
    const tail = '"store":{"name":"x"},"customData":{"rate":1.50},"taxes":[{"amount":1.50}]}';
    const wrong = await send('/v1/invoices', `{"totalAmount":${amount},"reference":"t",${tail}`);
    expect([wrong.status, wrong.body.problems]).toMatchObject([422, [{ pointer: '/totalAmount' }]]);
    expect((await send('/v1/invoices', `{"totalAmount":15000,"reference":"t",${tail}`)).status).toBe(201);
  });
});

describe('a name has one spelling', () => {
  const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301'];

  test('a reference in another Unicode composition of the same letters is equal, and is returned composed', async () => {
    const first = await send(PAY, pay('700', decomposed));
    const second = await send(PAY, pay('700', composed));
    expect([first.status, first.body.reference]).toEqual([202, composed]);
    expect([second.headers['idempotency-replayed'], second.body.id]).toEqual(['true', first.body.id]);
    const line = await send(PAY, pay('700', decomposed), { 'content-type': NDJSON });
    expect(linesOf(line.body)[0]).toMatchObject({ outcome: 'duplicate', id: first.body.id });
    const found = await service.call('GET', `${PAY}?reference=${encodeURIComponent(decomposed)}`);
    expect(found.body.items).toMatchObject([{ id: first.body.id }]);
  });

  test('so it is in a file, and in a queue', async () => {
    const first = await send(PAY, pay('800', `file-${composed}`));
    const csv = `reference,accountAlias,amount,withdrawMode\nfile-${decomposed},771234567,800,wallet-a-senegal\n`;
    const batch = await send('/v1/disbursement-batches', csv, { 'content-type': 'text/csv' });
    expect(batch.body.warnings).toMatchObject([
      { column: 'reference', reason: expect.stringContaining(first.body.id) },
    ]);
    const { host = '', port = 0, db = 0 } = service.redis.options;
    const options = { connection: { host, port, db }, prefix: '{relais}' };
    const [queue, events] = [new Queue('intake', options), new QueueEvents('intake', options)];
    await events.waitUntilReady();
    const job = await queue.add('r', { kind: 'disbursement', ...JSON.parse(pay('800', `file-${decomposed}`)) });
    expect(await job.waitUntilFinished(events, 10_000)).toEqual({ id: first.body.id, outcome: 'duplicate' });
    await Promise.all([events.close(), queue.close()]);
  });

  test.for<readonly [string, string]>([
    ['a zero-width space', 'a\u200bb'],
    ['a change of direction', 'a\u202eb'],
    ['a control character', 'a\\u0007b'],
    ['half of a pair', 'a\\ud83db'],
    ['a soft hyphen', 'a\u00adb'],
  ])('%s is refused with its position', async ([, reference]) => {
    const { status, body } = await send(PAY, pay('900', reference));
    expect([status, body.problems?.[0]?.pointer]).toEqual([422, '/reference']);
  });

  test('a key beyond plain ASCII is refused by name', async () => {
    const { status, body } = await send(PAY, pay('900', 'x'), { 'idempotency-key': 'caf\u00e9' });
    expect([status, body.problems]).toMatchObject([422, [{ pointer: '/Idempotency-Key' }]]);
  });
});

describe('a body that cannot be read', () => {
  const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const invoice = (data: string, reference: string): string =>
    `{"totalAmount":1000,"store":{"name":"x"},"reference":"${reference}","customData":{"a":${data}}}`;

  test('may nest 32 deep, and no deeper', async () => {
    expect((await send('/v1/invoices', invoice(deep(30), 'deep'))).status).toBe(201);
    for (const levels of [31, 2_000, 200_000]) {
      const { status, body } = await send('/v1/invoices', invoice(deep(levels), 'deeper'));
      expect([status, body.detail]).toEqual([400, expect.stringContaining('32')]);
    }
    const line = await send(PAY, `${deep(33)}\n`, { 'content-type': NDJSON });
    expect(linesOf(line.body)[0]).toMatchObject({ outcome: 'invalid' });
  });

  const zipped = gzipSync(pay('1000', 'zipped'));
  test.for<readonly [string, Uint8Array, string]>([
    ['does not match its Content-Encoding', Buffer.from(pay('1000', 'z')), 'gzip'],
    ['is cut', zipped.subarray(0, -10), 'gzip'],
    ['is cut in its head', zipped.subarray(0, 5), 'gzip'],
    ['is compressed otherwise', zipped, 'deflate'],
    ['says another', zipped, 'br'],
  ])('because it %s is refused', async ([, body, encoding]) => {
    expect((await send(PAY, body, { 'content-encoding': encoding })).status).toBe(400);
  });

  test('is read when it is compressed well', async () => {
    expect((await send(PAY, zipped, { 'content-encoding': 'gzip' })).status).toBe(202);
  });

  test('an upload of recipients is not unpacked', async () => {
    const made = await service.post('/v1/campaigns', { name: 'x', text: 'y', reference: 'zipped' });
    const headers = { 'content-type': 'text/csv', 'content-encoding': 'gzip' };
    const answer = await send(
      `/v1/campaigns/${made.body.id}/recipients`,
      gzipSync('phone\n+221771234567\n'),
      headers,
    );
    expect(answer.status).toBe(415);
  });
});
