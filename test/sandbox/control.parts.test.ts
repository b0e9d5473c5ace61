import { expect, test } from 'vitest';
import { createdToken, sandboxForTest, sendRequest, smsItem, smsToken, statusOf, submit } from './sandbox-client.ts';

test('the three addresses are printed and differ', async () => {
  const { base, crm, control } = await sandboxForTest();
  expect(new Set([base, crm, control]).size).toBe(3);
  for (const url of [base, crm, control]) expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

test('GET / lists the functions of the control API', async () => {
  const sandbox = await sandboxForTest();
  const { body } = await sandbox.order('/', undefined, 'GET');
  expect(Object.keys(body.routes)).toContain('POST /faults');
  expect(body.faults['hangs after doing the work'].does).toContain('no answer');
});

test('the records have every section from the start', async () => {
  const sandbox = await sandboxForTest();
  expect(await sandbox.books()).toEqual({
    disbursements: [],
    messages: [],
    invoices: [],
    directCredits: [],
    paymentRequests: [],
    softpay: [],
    callbacks: [],
    breaches: [],
    logins: 0,
    requests: {},
  });
});

test('a section is given as JSON or as lines', async () => {
  const sandbox = await sandboxForTest();
  const token = await smsToken(sandbox);
  const items = Array.from({ length: 50 }, (_, index) => smsItem(`+2217712345${10 + index}`, 'x'.repeat(1_500)));
  await sandbox.sms('/api/v1/sms/send', sendRequest(items), token);
  expect((await sandbox.order('/books/messages', undefined, 'GET')).body).toHaveLength(50);
  const lines = await fetch(`${sandbox.control}/books/messages`, { headers: { accept: 'application/x-ndjson' } });
  const entries = (await lines.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(entries.map(({ to }) => to)).toEqual(items.map(({ to }) => to));
  expect((await sandbox.order('/books/nothing', undefined, 'GET')).status).toBe(404);
});

test('requests are counted by operation, whatever their result', async () => {
  const sandbox = await sandboxForTest();
  await sandbox.fault({ fault: 'answers 5xx before doing the work', count: 1 });
  await statusOf(sandbox, 'x');
  await statusOf(sandbox, 'x');
  expect((await sandbox.books()).requests).toEqual({ 'disbursement.status': 2 });
});

test('a fault strikes as often as it was ordered, and shows how often it has', async () => {
  const sandbox = await sandboxForTest();
  await sandbox.fault({ fault: 'answers empty', operation: 'disbursement.status', count: 2 });
  const texts = [];
  texts.push((await statusOf(sandbox, 'x')).text);
  expect((await sandbox.order('/faults', undefined, 'GET')).body.faults).toMatchObject([{ strikes: 1 }]);
  texts.push((await statusOf(sandbox, 'x')).text, (await statusOf(sandbox, 'x')).text);
  expect(texts.map((text) => text === '')).toEqual([true, true, false]);
  expect((await sandbox.order('/faults', undefined, 'GET')).body.faults).toEqual([]);
});

test('faults are removed one by one or all at once', async () => {
  const sandbox = await sandboxForTest();
  const { body } = await sandbox.fault({ fault: 'answers empty' });
  await sandbox.fault({ fault: 'redirects' });
  expect((await sandbox.order(`/faults/${body.id}`, undefined, 'DELETE')).status).toBe(204);
  expect((await sandbox.order(`/faults/${body.id}`, undefined, 'DELETE')).status).toBe(404);
  expect((await statusOf(sandbox, 'x')).status).toBe(302);
  await sandbox.order('/faults', undefined, 'DELETE');
  expect((await statusOf(sandbox, 'x')).status).toBe(200);
});

test('settings are changed by name; balances country by country', async () => {
  const sandbox = await sandboxForTest({ settings: { balances: { SN: 1, CI: 2 } } });
  const { body } = await sandbox.order('/settings', { balances: { CI: 3 }, notFoundCode: 'x' });
  expect(body).toMatchObject({ balances: { SN: 1, CI: 3 }, notFoundCode: 'x' });
  expect((await sandbox.order('/settings', { colour: 'red' })).status).toBe(400);
  expect((await sandbox.order('/settings', { latencyMs: -1 })).status).toBe(400);
});

test('an answer waits for the latency, and the work does not', async () => {
  const sandbox = await sandboxForTest({ settings: { latencyMs: 30 } });
  const startedAt = performance.now();
  const token = await createdToken(sandbox);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(25);
  expect(token).toEqual(expect.any(String));
});

test('a reset removes everything except the start options', async () => {
  const sandbox = await sandboxForTest({ settings: { notFoundCode: 'mine' } });
  const bearer = await smsToken(sandbox);
  const token = await createdToken(sandbox);
  await submit(sandbox, token, 'id');
  await sandbox.advance('24h');
  await sandbox.order('/settings', { notFoundCode: 'other' });
  await sandbox.fault({ fault: 'refuses the connection' });
  await sandbox.order('/reset');

  expect((await statusOf(sandbox, token)).body.response_code).toBe('mine');
  expect((await sandbox.books()).disbursements).toEqual([]);
  expect((await sandbox.sms('/api/v1/sms/send', {}, bearer)).body.code).toBe('ERROR_122');
  const { body } = await sandbox.order('/clock', undefined, 'GET');
  expect(Math.abs(body.now - Date.now())).toBeLessThan(60_000);
  // The id is free again, because its user was forgotten.
  expect((await submit(sandbox, await createdToken(sandbox), 'id')).body.response_code).toBe('00');
});

test('an invalid request is answered with the reason', async () => {
  const sandbox = await sandboxForTest();
  expect((await sandbox.order('/clock', { advance: 'a day' })).body.message).toContain('not a duration');
  expect((await sandbox.order('/nowhere')).status).toBe(404);
  expect((await sandbox.order('/invoices/nonsense', { status: 'completed' })).status).toBe(404);
  const broken = await fetch(`${sandbox.control}/faults`, { method: 'POST', body: '{' });
  expect(broken.status).toBe(400);
});
