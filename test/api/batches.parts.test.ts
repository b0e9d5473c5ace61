import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../support/service.ts';
import { actsOn } from '../support/stored.ts';
import { BATCHES, deskOf, people } from './batch-desk.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const { send, approve, get, disbursements } = deskOf(() => service);
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

test('a file is uploaded, approved by another, paid, and reported to the franc', async () => {
  const text = `${people('salary')}salary-failed;999000666;5;wallet-a-senegal\r\n`;
  const { status, body } = await send(text);
  expect(status).toBe(201);
  expect(body).toMatchObject({
    state: 'awaiting_approval',
    contentHash: sha256(text),
    totals: { count: 4, xof: 3_008, countries: { SN: { count: 4, xof: 3_008 } } },
    problems: [],
    problemCount: 0,
    uploadedBy: 'maker',
    approvedBy: null,
    states: {},
  });
  expect(await disbursements()).toBe(0);

  const approved = await approve(body.id, body.contentHash);
  expect([approved.status, approved.body.state, approved.body.approvedBy]).toEqual([200, 'running', 'checker']);
  const finished = await service.until(`${BATCHES}/${body.id}`, ({ state }) => state === 'finished');
  const sums: { count: number; xof: number }[] = Object.values(finished.states);
  expect(sums.reduce((sum, { xof }) => sum + xof, 0)).toBe(3_008);
  expect(sums.reduce((sum, { count }) => sum + count, 0)).toBe(4);

  const report = await get(`${body.id}/report`);
  expect(report).toMatchObject({ id: body.id, state: 'finished', totals: { count: 4, xof: 3_008 } });
  expect(report.states).toEqual(finished.states);
  expect(report.items.map(({ row }: { row: number }) => row)).toEqual([2, 3, 4, 5]);
  const [first] = report.items;
  const single = (await service.call('GET', `/v1/disbursements/${first.id}`)).body;
  expect(single).toMatchObject({ batch: body.id, approvedBy: 'checker', reference: 'salary-0', state: first.state });
  expect(first).toMatchObject({
    amount: 1_000,
    disburseId: single.disburseId,
    token: single.token,
    transactionId: single.transactionId,
  });

  const books = await service.books('disbursements');
  const paid = books.filter(({ effects }: { effects: number }) => effects > 0);
  expect(paid.length).toBe(finished.states.succeeded.count);
  const { body: stream } = await service.published('/v1/events?types=batch.finished');
  expect(stream.events).toHaveLength(1);
  expect(stream.events[0].data).toMatchObject({
    id: body.id,
    totals: { count: 4, xof: 3_008 },
    states: report.states,
  });
});

test('the report is a CSV file where one is asked for', async () => {
  const { body } = await send(people('csv'));
  const how = { headers: { accept: 'text/csv' } };
  const answer = await service.call('GET', `${BATCHES}/${body.id}/report`, how);
  expect(answer.headers['content-type']).toContain('text/csv');
  const [head, ...lines] = String(answer.body).trim().split('\r\n');
  expect(head).toMatch(/row;reference;id;state;reason;amount;/);
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/^2;csv-0;;waiting;;1000;/);
});

describe('identity', () => {
  test('an expired batch can be paid as the refusal advises: the same bytes under another name', async () => {
    const first = await send(people('late-night'));
    await service.ledger.query(
      `update relais.batch set since = now() - interval '2 days', due_at = now() where id = '${first.body.id}'`,
    );
    await service.until(`${BATCHES}/${first.body.id}`, ({ state }) => state === 'expired');
    const refused = await approve(first.body.id, first.body.contentHash);
    const advice = 'upload it again with another Idempotency-Key';
    expect([refused.status, refused.body.detail]).toEqual([409, `The state is expired: ${advice}.`]);
    const story = await service.call('GET', `/v1/explain/${first.body.id}`);
    expect(story.body.next).toBe('Upload it again under another Idempotency-Key.');

    expect((await send(people('late-night'))).body.state).toBe('expired');
    const second = await send(people('late-night'), { headers: { 'idempotency-key': 'late-night-2' } });
    expect([second.status, second.body.state]).toEqual([201, 'awaiting_approval']);
    expect((await approve(second.body.id, second.body.contentHash)).status).toBe(200);
  });

  test('a row that two files have is counted in the report of the one that paid it', async () => {
    const one = await send(people('shared', 2));
    const two = await send(people('shared', 3));
    for (const { body } of [one, two]) {
      await approve(body.id, body.contentHash);
      await service.until(`${BATCHES}/${body.id}`, ({ state }) => state === 'finished');
    }
    const report = await get(`${two.body.id}/report`);
    const [first] = report.items;
    expect(first).toMatchObject({ state: 'elsewhere', reason: `accepted_before: in ${one.body.id}` });
    expect((await get(`${one.body.id}/report`)).items[0].id).toBe(first.id);
    expect(report.states.elsewhere).toEqual({ count: 2, xof: 2_001 });
    const sums: { count: number }[] = Object.values(report.states);
    expect(sums.reduce((sum, { count }) => sum + count, 0)).toBe(3);
  });
});

describe('approvals need', () => {
  test('the hash of the uploaded bytes', async () => {
    const { body } = await send(people('bytes'));
    for (const wrong of [undefined, '', 'abc', body.contentHash.toUpperCase(), 5]) {
      expect((await approve(body.id, wrong)).status).toBe(422);
    }
    expect((await get(body.id)).state).toBe('awaiting_approval');
  });

  test('again by the same key changes nothing', async () => {
    const { body } = await send(people('twice'));
    await approve(body.id, body.contentHash);
    expect((await approve(body.id, body.contentHash)).status).toBe(200);
    await service.until(`${BATCHES}/${body.id}`, ({ state }) => state === 'finished');
    expect((await approve(body.id, body.contentHash)).body.state).toBe('finished');
  });

  test('not when a reference was taken meanwhile, and nothing of it is paid', async () => {
    const { body } = await send(people('taken'));
    const request = { reference: 'taken-1', accountAlias: '770000009', amount: 7, withdrawMode: 'wallet-a-senegal' };
    const single = await service.call('POST', '/v1/disbursements', { body: request });
    const before = await disbursements();
    const refused = await approve(body.id, body.contentHash);
    expect([refused.status, refused.body.problems]).toEqual([
      409,
      [
        {
          pointer: '/3/reference',
          message: `is already used by ${single.body.id}, another disbursement; not the same: /amount, /accountAlias`,
        },
      ],
    ]);
    expect(await disbursements()).toBe(before);
    expect((await get(body.id)).state).toBe('awaiting_approval');
  });

  test('not an invalid one, nor a cancelled one', async () => {
    const invalid = await send(people('wrong').replace('1001', '1e3'));
    expect((await approve(invalid.body.id, invalid.body.contentHash)).status).toBe(409);
    const { body } = await send(people('dropped'));
    const cancelled = await service.call('POST', `${BATCHES}/${body.id}/cancel`);
    expect([cancelled.status, cancelled.body.state]).toEqual([200, 'cancelled']);
    expect((await service.call('POST', `${BATCHES}/${body.id}/cancel`)).status).toBe(200);
    expect(await actsOn(service, body.id)).toEqual(['batch.create', 'batch.cancel']);
    expect((await approve(body.id, body.contentHash)).status).toBe(409);
    expect((await get(`${body.id}/report`)).states).toEqual({ cancelled: { count: 3, xof: 3_003 } });
    expect((await send(people('dropped'))).body.state).toBe('cancelled');
  });

  test('an approved batch cannot be cancelled', async () => {
    const { body } = await send(people('late'));
    await approve(body.id, body.contentHash);
    expect((await service.call('POST', `${BATCHES}/${body.id}/cancel`)).status).toBe(409);
  });
});
