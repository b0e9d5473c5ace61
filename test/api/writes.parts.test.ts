/** Every write has a log line with the caller's request id, without secrets and phone numbers. */
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Call, type Service, startService } from '../support/service.ts';

interface Line {
  readonly msg: string;
  readonly requestId?: string;
  readonly [name: string]: unknown;
}

const lines: Line[] = [];
let service: Service;
beforeAll(async () => {
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line) as Line) });
  service = await startService({ DIRECT_CREDIT: 'off' }, { roles: ['api'], logger });
});
afterAll(() => service.stop());
beforeEach(() => void lines.splice(0));

const PAYMENT = { accountAlias: '771234567', amount: 1_000, withdrawMode: 'wallet-a-senegal' };
const PHONE = '+221771234567';

async function ask(requestId: string, how: Call & { readonly path?: string; readonly method?: string }) {
  const { path = '/v1/disbursements', method = 'POST', ...call } = how;
  const headers = { 'x-request-id': requestId, ...call.headers };
  return service.call(method, path, { ...call, headers });
}

const linesOf = (requestId: string): readonly Line[] => lines.filter((line) => line.requestId === requestId);

test('an accepted write is a line with the key, the route and the id, and its replay is marked', async () => {
  const body = { ...PAYMENT, reference: 'line-1' };
  const { body: made } = await ask('first', { body });
  await ask('again', { body });
  const accepted = { level: 30, msg: 'write accepted', key: 'maker', route: 'createDisbursement', id: made.id };
  expect(linesOf('first')).toEqual([expect.objectContaining(accepted)]);
  expect(linesOf('again')).toEqual([expect.objectContaining({ ...accepted, replayed: true })]);
});

test('a refused write is a line with the error and its position', async () => {
  await ask('invalid', { body: { ...PAYMENT, amount: 1.5, reference: 'line-2', anything: 1 } });
  const pointers = expect.arrayContaining(['/amount', '/anything']);
  expect(linesOf('invalid')).toMatchObject([{ msg: 'write refused', key: 'maker', problem: 'invalid', pointers }]);
  const reference = { ...PAYMENT, reference: 'line-3' };
  const { body: made } = await ask('made', { body: reference });
  await ask('conflict', { body: { ...reference, amount: 2_000 } });
  expect(linesOf('conflict')).toMatchObject([
    { problem: 'conflict', rule: 'identity', existingId: made.id, status: 409 },
  ]);
  await ask('role', { body: reference, key: 'reader-secret' });
  expect(linesOf('role')).toMatchObject([
    { msg: 'write refused', key: 'reader', problem: 'forbidden', rule: 'role' },
  ]);
  await ask('unreadable', { body: '{"amount":', headers: { 'content-type': 'application/json' } });
  expect(linesOf('unreadable')).toMatchObject([{ problem: 'malformed', status: 400 }]);
});

test('the id in the path is the id of a line', async () => {
  const { body: made } = await ask('made', { body: { ...PAYMENT, reference: 'line-4' } });
  await ask('cancel', { path: `/v1/disbursements/${made.id}/cancel` });
  expect(linesOf('cancel')).toMatchObject([{ route: 'cancelDisbursement', id: made.id }]);
  await ask('nothing', { path: '/v1/disbursements/dsb_nothing/cancel' });
  expect(linesOf('nothing')).toMatchObject([{ problem: 'not-found', id: 'dsb_nothing' }]);
});

test('lines in bulk are in the log by their ids, and those refused by their places', async () => {
  const rows = [
    { to: PHONE, text: 'Bonjour', reference: 'bulk-1' },
    { to: PHONE, text: 'Bonsoir', reference: 'bulk-2', anything: 1 },
    { to: PHONE, text: 'Salut', reference: 'bulk-3' },
  ];
  const body = rows.map((row) => JSON.stringify(row)).join('\n');
  const { body: answer } = await ask('bulk', {
    path: '/v1/messages',
    body,
    headers: { 'content-type': 'application/x-ndjson' },
  });
  const ids = String(answer).match(/msg_\w+/g) ?? [];
  expect(ids.length).toBe(2);
  expect(linesOf('bulk').flatMap((line) => line['ids'] ?? [])).toEqual(ids);
  expect(linesOf('bulk').flatMap((line) => line['lines'] ?? [])).toEqual([
    { line: 1, is: 'invalid', pointers: ['/anything'] },
  ]);
});

test('a dry run, a question, and a caller without a key write no line', async () => {
  await ask('dry', { path: '/v1/disbursements?dryRun=true', body: { ...PAYMENT, reference: 'line-5' } });
  await ask('list', { method: 'GET' });
  await ask('guess', { body: PAYMENT, key: 'guess' });
  expect(lines.filter(({ msg }) => msg.startsWith('write'))).toEqual([]);
});

test('no phone number and no secret is in a line', async () => {
  await ask('odd', { body: { ...PAYMENT, [PHONE]: 1, rk_3f9a1c2e77b04d15: 2, reference: 'line-6' } });
  await ask('path', { path: `/v1/disbursements/${PHONE}/cancel` });
  const text = JSON.stringify([linesOf('odd'), linesOf('path')]);
  expect(text).toContain('write refused');
  expect(text).not.toMatch(/771234567|rk_3f9a|maker-secret/);
});
