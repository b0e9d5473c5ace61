/** What happens to disbursements, batches, direct credits and balances, until every answer was given once. */
import { expect } from 'vitest';
import { BATCHES, HEADER } from '../batch-desk.ts';
import type { Stage } from './stage.ts';

const CHECKER = 'checker-secret';
const note = 'Asked the service by telephone.';

export async function disbursementScenes({ ask, service, becomes }: Stage): Promise<void> {
  const path = '/v1/disbursements';
  const asked = (reference: string, more: object = {}) => ({
    body: { accountAlias: '771234567', amount: 5_000, withdrawMode: 'wallet-a-senegal', reference, ...more },
  });
  await ask('POST', `${path}?dryRun=true`, asked('plain'));
  const { body: paid } = await ask('POST', path, asked('plain'));
  await ask('POST', path, asked('plain', { amount: 6_000 }));
  const { reference: _left, ...nameless } = asked('x').body;
  await ask('POST', path, { body: nameless });
  await ask('GET', path);
  await ask('GET', `${path}/${paid.id}`);
  await becomes(`${path}/${paid.id}`, 'succeeded');
  await ask('POST', `${path}/${paid.id}/cancel`);

  const { body: waiting } = await ask('POST', path, asked('above', { amount: 50_000 }));
  expect(waiting.state).toBe('awaiting_approval');
  const approved = await ask('POST', `${path}/${waiting.id}/approve`, { key: CHECKER });
  expect(approved.status).toBe(200);
  // A fault that is ordered next must not strike this one.
  await becomes(`${path}/${waiting.id}`, 'succeeded');
  await ask('POST', `${path}/${paid.id}/approve`, { key: CHECKER });
  const { body: later } = await ask('POST', path, asked('later', { notBefore: '2100-01-01T00:00:00Z' }));
  await ask('POST', `${path}/${later.id}/cancel`);

  // The submit never reached the service, so its word is `created`.
  await service.control('POST', '/faults', {
    fault: 'resets the connection before doing the work',
    operation: 'disbursement.submit',
    count: 1,
  });
  const { body: lost } = await ask('POST', path, asked('lost'));
  await becomes(`${path}/${lost.id}`, 'needs_review');
  const resolve = (outcome: string) =>
    ask('POST', `${path}/${lost.id}/resolve`, { key: CHECKER, body: { outcome, note } });
  await resolve('succeeded');
  await service.control('POST', '/faults', {
    fault: 'answers 5000 before doing the work',
    operation: 'disbursement.status',
    count: 1,
  });
  await resolve('failed');
  expect((await ask('POST', `${path}/${lost.id}/resolve`, { key: CHECKER, body: {} })).status).toBe(422);
  const many = (more: object = {}) =>
    ask('POST', '/v1/review/resolve', {
      key: CHECKER,
      body: { where: { account: 'main' }, outcome: 'succeeded', note, ...more },
    });
  const { body: chosen } = await many();
  await many({ where: {} });
  await many({ confirm: { count: 999, selection: '0000000000000000' } });
  await many({ confirm: { count: chosen.count, selection: chosen.selection } });
  expect((await resolve('failed')).status).toBe(200);
}

export async function batchScenes({ ask, becomes }: Stage): Promise<void> {
  const file = (tag: string) => `${HEADER}${tag};771234567;1000;wallet-a-senegal\r\n`;
  const send = (body: string, headers: object = {}) =>
    ask('POST', BATCHES, { body, headers: { 'content-type': 'text/csv', ...headers } });
  const judged = { body: file('one'), headers: { 'content-type': 'text/csv' } };
  await ask('POST', `${BATCHES}?dryRun=true`, judged);
  const { body: made } = await send(file('one'), { 'idempotency-key': 'batch-1' });
  await send(file('two'), { 'idempotency-key': 'batch-1' });
  await ask('GET', BATCHES);
  await ask('GET', `${BATCHES}/${made.id}`);
  const approve = (contentHash: string) =>
    ask('POST', `${BATCHES}/${made.id}/approve`, { key: CHECKER, body: { contentHash } });
  await approve('no hash');
  await approve('0'.repeat(64));
  await approve(made.contentHash);
  await becomes(`${BATCHES}/${made.id}`, 'finished');
  await ask('GET', `${BATCHES}/${made.id}/report`);
  await ask('GET', `${BATCHES}/${made.id}/report`, { headers: { accept: 'text/csv' } });
  await ask('GET', `${BATCHES}/${made.id}/rows`);
  await ask('POST', `${BATCHES}/${made.id}/retry`);
  await ask('POST', `${BATCHES}/${made.id}/cancel`);
  const { body: unpaid } = await send(`${HEADER}unpaid;779999901;1000;wallet-a-senegal\r\n`);
  await ask('GET', `${BATCHES}/${unpaid.id}/recent-payments`);
  await ask('POST', `${BATCHES}/${unpaid.id}/approve`, {
    key: CHECKER,
    body: { contentHash: unpaid.contentHash },
  });
  await becomes(`${BATCHES}/${unpaid.id}`, 'finished');
  await ask('POST', `${BATCHES}/${unpaid.id}/retry`);
  const { body: dropped } = await send(file('three'));
  await ask('POST', `${BATCHES}/${dropped.id}/cancel`);
  await send('no header at all');
}

export async function directCreditScenes({ ask, service, becomes }: Stage): Promise<void> {
  const path = '/v1/direct-credits';
  const asked = (reference: string, amount = 5_000) => ({ body: { accountAlias: '771230001', amount, reference } });
  await ask('POST', `${path}?dryRun=true`, asked('credit'));
  const { body: made } = await ask('POST', path, asked('credit'));
  await ask('POST', path, asked('credit', 6_000));
  await ask('GET', path);
  await ask('POST', path, { body: { accountAlias: '771230001', amount: 5_000 } });
  await ask('GET', `${path}/${made.id}`);
  await becomes(`${path}/${made.id}`, 'succeeded');
  const resolve = (id: string) =>
    ask('POST', `${path}/${id}/resolve`, { key: CHECKER, body: { outcome: 'succeeded', note } });
  await resolve(made.id);
  await ask('POST', `${path}/${made.id}/resolve`, { key: CHECKER, body: {} });

  await service.control('POST', '/faults', {
    fault: 'resets the connection after doing the work',
    operation: 'direct-credit',
    count: 1,
  });
  const { body: lost } = await ask('POST', path, asked('lost', 7_000));
  await becomes(`${path}/${lost.id}`, 'needs_review');
  expect((await resolve(lost.id)).status).toBe(200);
}

export async function balanceScenes({ ask, upstreamFails }: Stage): Promise<void> {
  await ask('GET', '/v1/balances?account=nobody');
  for (const path of ['/v1/balances', '/v1/balances/BBJ0000000002']) {
    await ask('GET', path);
    await upstreamFails('balance', () => ask('GET', path));
  }
  await ask('GET', '/v1/reports/daily');
  await ask('GET', '/v1/reports/daily?date=2999-01-01');
  await ask('GET', '/v1/reports/balances');
  await ask('GET', '/v1/reports/balances?from=yesterday');
  await ask('GET', '/v1/balances/BBJ0123456789?account=nobody');
  await ask('GET', '/v1/balances/BBJ-01');
}
