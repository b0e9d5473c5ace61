import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';
import { BATCHES, deskOf, HEADER, people } from './batch-desk.ts';
import { storedIn } from '../support/stored.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const { send, approve, get, disbursements } = deskOf(() => service);

describe('bad input is refused with its place, and leaves no disbursement', () => {
  const line = (more: string): string => `${HEADER}ok;771234567;5;wallet-a-senegal\n${more}`;

  test.for([
    ['an amount that is not plain', line('b1;771234567;1e3;wallet-a-senegal'), 3, 'amount'],
    ['an amount with decimals', line('b2;771234567;10.50;wallet-a-senegal'), 3, 'amount'],
    ['a negative amount', line('b3;771234567;-5;wallet-a-senegal'), 3, 'amount'],
    ['a mode that only looks like one', line('b4;771234567;5;wallet-a-sn'), 3, 'withdrawMode'],
    ['a number of another country', line('b5;+2250700000000;5;wallet-a-senegal'), 3, 'accountAlias'],
    ['a row without a reference', line(';771234567;5;wallet-a-senegal'), 3, 'reference'],
    ['a reference twice', line('ok;770000000;7;wallet-a-senegal'), 3, 'reference'],
    ['a row that is too short', line('b6;771234567;5'), 3, null],
    ['a column that is nearly one', people('b7').replace('amount', 'ammount'), 1, 'ammount'],
    ['no rows', HEADER, null, null],
    ['a quote without an end', line('"b8;771234567;5;wallet-a-senegal'), 3, null],
  ] as const)('%s', async ([, text, row, column]) => {
    const before = await disbursements();
    const { status, body } = await send(text);
    expect([status, body.state]).toEqual([201, 'invalid']);
    expect(body.problems).toContainEqual({ row, column, reason: expect.stringMatching(/./) });
    expect((await approve(body.id, body.contentHash)).status).toBe(409);
    expect((await get(`${body.id}/report`)).items).toEqual([]);
    expect(await disbursements()).toBe(before);
  });

  test.for([
    ['another type', { type: 'text/plain' }, 415],
    ['no type', { type: '' }, 415],
    ['an encoded body', { headers: { 'content-encoding': 'gzip' } }, 415],
    ['an account that is not here', { query: '?account=elsewhere' }, 422],
    ['an account that cannot be one', { query: '?account=A%20B' }, 422],
    ['an odd Idempotency-Key', { headers: { 'idempotency-key': 'a b' } }, 422],
  ] as const)('%s', async ([, how, status]) => {
    const batches = await storedIn(service, 'batch');
    expect((await send(people('refused'), how)).status).toBe(status);
    expect(await storedIn(service, 'batch')).toBe(batches);
  });

  test('a body beyond five megabytes is refused, with or without a declared length', async () => {
    expect((await send(Buffer.alloc(5_000_001, 'x'))).status).toBe(413);
    expect(await statusOfChunked(Buffer.alloc(20_000_000, 'x'))).toContain('413');
  });

  test('an approval that is too large is refused with the limit, like any other body', async () => {
    const large = { contentHash: 'x'.repeat(11_000) };
    const approval = await service.call('POST', '/v1/disbursement-batches/bat_1/approve', { body: large });
    expect([approval.status, approval.body.detail]).toEqual([413, 'This JSON body is limited to 10240 bytes.']);
    const other = await service.call('POST', '/v1/disbursements', { body: { a: 'x'.repeat(1_100_000) } });
    expect([other.status, other.body.detail]).toEqual([413, 'This JSON body is limited to 1048576 bytes.']);
  });

  test('a body of exactly five megabytes is read', async () => {
    expect((await send(Buffer.alloc(5_000_000, 'x'))).status).toBe(201);
  });

  test('an invalid id', async () => {
    for (const path of ['bat_x', 'bat_x/report', '%00', 'dsb_x']) {
      expect((await service.call('GET', `${BATCHES}/${path}`)).status).toBe(404);
    }
  });
});

test('JSON and JSON lines are taken as well, beyond a megabyte too', async () => {
  const rows = Array.from({ length: 10_000 }, (_, at) => ({
    reference: `json-${'x'.repeat(60)}-${at}`,
    accountAlias: String(770_000_000 + at),
    amount: at + 1,
    withdrawMode: 'wallet-a-senegal',
  }));
  const array = await send(JSON.stringify(rows), { type: 'application/json' });
  expect(array.body).toMatchObject({ state: 'awaiting_approval', totals: { count: 10_000, xof: 50_005_000 } });
  const lines = await send(rows.map((row) => JSON.stringify(row)).join('\n'), { type: 'application/x-ndjson' });
  expect(lines.body).toMatchObject({ state: 'awaiting_approval', totals: { count: 10_000 } });
  const report = await get(`${array.body.id}/report`);
  expect(report.items).toHaveLength(10_000);
  expect(report.states).toEqual({ waiting: { count: 10_000, xof: 50_005_000 } });
});

/** A body without a length; returns the first line of the answer. */
function statusOfChunked(body: Buffer): Promise<string> {
  const { hostname, port } = new URL(service.api);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `POST ${BATCHES} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer maker-secret\r\n` +
          'Content-Type: text/csv\r\nTransfer-Encoding: chunked\r\n\r\n',
      );
      socket.write(`${body.length.toString(16)}\r\n`);
      socket.write(body);
      socket.write('\r\n0\r\n\r\n');
    });
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString().split('\r\n')[0] ?? '');
    });
    socket.once('error', reject);
  });
}
