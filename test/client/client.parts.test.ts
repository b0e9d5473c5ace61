/** The client against a running relais. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../src/api/routes.ts';
import { Refused, createClient } from '../../src/client/library.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const clientOf = (key = 'maker-secret') => createClient({ url: service.api, key });
const payee = { accountAlias: '771234567', withdrawMode: 'wallet-a-senegal', amount: 25_000 } as const;

async function refusalOf(asked: Promise<unknown>): Promise<Refused> {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Refused) return error;
  throw new Error('it was not refused', { cause: error });
}

test('has a method for every route, and two of its own', () => {
  const names = Object.keys(clientOf());
  expect(names.toSorted()).toEqual([...routes.map(({ id }) => id), 'each', 'follow'].toSorted());
});

test('pays, reads it, and finds it by its reference', async () => {
  const client = clientOf();
  const { id, amount } = await client.createDisbursement({ body: { ...payee, reference: 'c-1' } });
  expect(amount).toBe(25_000);
  expect((await client.getDisbursement({ id })).reference).toBe('c-1');
  const state = ['queued', 'created', 'submitting', 'pending', 'succeeded'] as const;
  const { items } = await client.listDisbursements({ reference: 'c-1', state: [...state] });
  expect(items.map((one) => one.id)).toEqual([id]);
});

test('a dry run has an answer of its own, and writes nothing', async () => {
  const client = clientOf();
  const judged = await client.createDisbursement({ dryRun: true, body: { ...payee, reference: 'c-dry' } });
  expect(judged).toMatchObject({ dryRun: true, state: 'queued' });
  expect((await client.listDisbursements({ reference: 'c-dry' })).items).toEqual([]);
});

describe('a refusal is typed', () => {
  test('a conflict has the differing fields, the existing operation, and what to do', async () => {
    const client = clientOf();
    const { id } = await client.createDisbursement({ body: { ...payee, reference: 'c-2' } });
    const refusal = await refusalOf(
      client.createDisbursement({ body: { ...payee, amount: 1_000, reference: 'c-2' } }),
    );
    expect(refusal).toMatchObject({ status: 409, word: 'conflict', rule: 'identity', existingId: id });
    expect(refusal.differs).toEqual(['/amount']);
    expect(refusal.next).toContain('use a new identity');
    expect(refusal.requestId).toMatch(/^[0-9a-f]{16}$/);
  });

  test('of a request with several faults, all of them', async () => {
    const body = { ...payee, withdrawMode: 'wallet-z', amount: 0, reference: 'c-3' };
    const { word, problems } = await refusalOf(clientOf().createDisbursement({ body }));
    expect(word).toBe('invalid');
    expect(problems.map(({ pointer }) => pointer)).toEqual(['/amount', '/withdrawMode']);
  });

  test('of a key, its rule', async () => {
    const { status, rule } = await refusalOf(clientOf('reader-secret').createDisbursement({ body: payee }));
    expect([status, rule]).toEqual([403, 'role']);
  });
});

test('a list is read page by page, as far as it is asked for', async () => {
  const client = clientOf();
  const references = ['p-1', 'p-2', 'p-3', 'p-4', 'p-5'];
  for (const reference of references)
    await client.sendMessages({ body: { to: '+221771234567', text: 'Bonjour', reference } });
  const found: unknown[] = [];
  for await (const one of client.each('listMessages', { limit: 2 })) found.push('reference' in one && one.reference);
  expect(found).toEqual(references.toReversed());
});

test('a file goes up as it comes, and another comes down', async () => {
  const client = clientOf();
  const rows = async function* () {
    yield 'accountAlias,amount,withdrawMode,reference\n';
    yield '771234567,1000,wallet-a-senegal,row-1\n';
  };
  const batch = await client.createBatch({ file: { type: 'text/csv', content: rows() } });
  expect(batch).toMatchObject({ state: 'awaiting_approval', totals: { count: 1, xof: 1_000 } });
  const report = await client.getBatchReport({ id: batch.id, accept: 'text/csv' });
  expect(await report.text()).toContain('row-1');
});

test('lines are answered line by line', async () => {
  const content = `${JSON.stringify({ ...payee, reference: 'l-1' })}\n${JSON.stringify({ ...payee, amount: -1, reference: 'l-2' })}\n`;
  const answer = await clientOf().createDisbursement({ file: { type: 'application/x-ndjson', content } });
  const verdicts = (await answer.text())
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  expect(verdicts).toMatchObject([{ outcome: 'accepted' }, { outcome: 'invalid' }]);
});

test('a 204 is nothing', async () => {
  const client = clientOf();
  const { id } = await client.createKey({ body: { name: 'short', roles: ['read'], service: 'short' } });
  expect(await client.revokeKey({ id: String(id) })).toBeUndefined();
});

describe('events', () => {
  test('are followed from the oldest on, with the cursor of each, and continue from there', async () => {
    const client = clientOf();
    const stop = new AbortController();
    const { id } = await client.createDisbursement({ body: { ...payee, reference: 'e-1' } });
    let place = '';
    for await (const { event, cursor } of client.follow({ types: ['disbursement.succeeded'], signal: stop.signal })) {
      place = cursor;
      if (event.data.id === id) break;
    }
    const second = await client.createDisbursement({ body: { ...payee, amount: 2_000, reference: 'e-2' } });
    for await (const { event } of client.follow({ after: place, signal: stop.signal })) {
      expect(event.data.id).not.toBe(id);
      if (event.data.id === second.id) break;
    }
  });

  test('a cursor that never was is refused, not followed for ever', async () => {
    const following = clientOf().follow({ after: '1-999999999999999' });
    const refusal = await refusalOf(following.next());
    expect([refusal.status, refusal.word]).toEqual([410, 'ahead-of-the-stream']);
  });

  test('following ends with its signal', async () => {
    const stop = new AbortController();
    const following = clientOf().follow({ from: 'now', signal: stop.signal, onCursor: () => stop.abort() });
    expect((await following.next()).done).toBe(true);
  });
});
