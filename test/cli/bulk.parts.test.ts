import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { apiThat } from './api-double.ts';
import { relais } from './terminal.ts';

const file = join(mkdtempSync(join(tmpdir(), 'relais-cli-')), 'texts.jsonl');
const lines = [
  '{"to":"+221771234567","text":"a","reference":"1"}',
  '',
  '{"to":"nobody","text":"b"}',
  '{"to":"+221771234568","text":"c"}',
];
writeFileSync(file, lines.join('\n'));

const verdicts = [
  { index: 0, id: 'msg_1', outcome: 'accepted' },
  { index: 2, id: null, outcome: 'invalid', problem: [{ pointer: '/to', message: 'must be a number\u001b[2J' }] },
  { index: 3, id: 'msg_3', outcome: 'duplicate' },
];
const api = (told: readonly object[] = verdicts, tail = '') =>
  apiThat(() => ({
    status: 202,
    headers: { 'content-type': 'application/x-ndjson' },
    body: `${told.map((verdict) => `${JSON.stringify(verdict)}\n`).join('')}${tail}`,
  }));

describe('a file of lines', () => {
  test('is sent unchanged, and refused lines are reported with their numbers', async () => {
    const { asked, env } = await api();
    const { code, stdout, stderr } = await relais(['messages', 'send', file, '--idempotency-key', 'k-1'], { env });
    expect(asked[0]?.headers).toMatchObject({ 'content-type': 'application/x-ndjson', 'idempotency-key': 'k-1' });
    expect(asked[0]?.text).toBe(lines.join('\n'));
    expect(stdout).toBe('line 3  invalid  /to must be a number�[2J\n');
    expect(stderr).toContain('1 accepted, 1 invalid, 1 duplicate.');
    expect(code).toBe(1);
  });

  test('that was taken whole is a success, and --json prints every verdict as it came', async () => {
    const well = verdicts.filter(({ outcome }) => outcome !== 'invalid');
    const { env } = await api(well);
    const { code, stdout } = await relais(['messages', 'send', file, '--json'], { env });
    expect(code).toBe(0);
    expect(stdout).toBe(well.map((verdict) => `${JSON.stringify(verdict)}\n`).join(''));
  });

  test('may come from standard input', async () => {
    const { asked, env } = await api(verdicts.slice(0, 1));
    const types = '{"accountAlias":"771234567"}\n';
    expect((await relais(['disburse', 'send', '-'], { env, types })).code).toBe(0);
    expect(asked[0]).toMatchObject({ path: '/v1/disbursements', text: types });
    const { code, stderr } = await relais(['disburse', 'send', '-'], { env, types, isTerminal: true });
    expect([code, asked.length]).toEqual([2, 1]);
    expect(stderr).toContain('--yes');
  });

  test('is judged by the API with --dry-run, line by line', async () => {
    const { asked, env } = await api([{ index: 0, id: 'msg_1', outcome: 'valid' }, ...verdicts.slice(1, 2)]);
    const { code, stdout, stderr } = await relais(['messages', 'send', file, '--dry-run'], { env });
    expect(asked).toMatchObject([{ path: '/v1/messages', query: { dryRun: 'true' }, text: lines.join('\n') }]);
    expect([code, stdout]).toEqual([1, 'line 3  invalid  /to must be a number�[2J\n']);
    expect(stderr).toContain('1 valid, 1 invalid.');
    expect(stderr).toContain('nothing was sent');
  });

  test('asks on a terminal, and a no sends nothing', async () => {
    const { asked, env } = await api();
    const { code, stderr } = await relais(['messages', 'send', file], { env, types: 'n\n', isTerminal: true });
    expect([code, asked.length]).toEqual([1, 0]);
    expect(stderr).toContain(`Text everybody of ${file}? [y/N]`);
  });

  test('whose answer breaks off explains how to continue', async () => {
    const { env } = await api(verdicts, '{"index":4,');
    const { code, stderr } = await relais(['messages', 'send', file], { env });
    expect(code).toBe(1);
    expect(stderr).toContain('broke off');
    expect(stderr).toContain('Send the file again');
  });

  test('that is refused as a whole shows why', async () => {
    const { env } = await apiThat(() => ({ status: 503, body: { title: 'Redis is away', detail: 'Try again' } }));
    const { code, stderr } = await relais(['messages', 'send', file], { env });
    expect(code).toBe(1);
    expect(stderr).toContain('Try again');
  });

  test.for([
    [['messages', 'send'], '--to and --text'],
    [['messages', 'send', file, '--text', 'x'], 'remove the other flags'],
    [['messages', 'send', '--to', '+221771234567', '--text', 'x', '--idempotency-key', 'a b'], 'visible ASCII'],
    [['disburse', 'create', '--to', '7', '--amount', '5', '--mode', 'service'], '--reference'],
  ] as const)('%j is wrong usage', async ([argv, told]) => {
    const { code, stderr } = await relais(argv);
    expect(code).toBe(2);
    expect(stderr).toContain(told);
  });
});

describe('a request from a file', () => {
  test('is read from standard input, and flags override its content', async () => {
    const { asked, env } = await apiThat(() => ({
      status: 201,
      body: { id: 'inv_1', url: 'https://pay.example/1' },
    }));
    const types = '{"totalAmount":1,"store":{"name":"A","tagline":"t"},"description":"d"}';
    const { code, stdout } = await relais(
      ['invoice', 'create', '-', '--amount', '15000', '--store', 'B', '--idempotency-key', 'i-1'],
      { env, types },
    );
    expect(code).toBe(0);
    expect(asked[0]?.body).toEqual({ totalAmount: 15_000, store: { name: 'B', tagline: 't' }, description: 'd' });
    expect(asked[0]?.headers['idempotency-key']).toBe('i-1');
    expect(stdout).toContain('https://pay.example/1');
  });

  test('may be read there on a terminal, where nothing is asked', async () => {
    const { asked, env } = await apiThat(() => ({ status: 201, body: { id: 'inv_1' } }));
    const types = '{"totalAmount":1,"store":{"name":"A"},"reference":"r"}';
    const { code } = await relais(['invoice', 'create', '-'], { env, types, isTerminal: true });
    expect([code, asked.length]).toEqual([0, 1]);
  });

  test.for([
    ['[]', 'not one JSON object'],
    ['{"a":', 'is not JSON'],
  ] as const)('that is %s is refused here', async ([types, told]) => {
    const { asked, env } = await api();
    const { code, stderr } = await relais(['invoice', 'softpay', 'inv_1', '-'], { env, types });
    expect([code, asked.length]).toEqual([1, 0]);
    expect(stderr).toContain(told);
  });

  test('that moves money asks first', async () => {
    const { asked, env } = await apiThat(() => ({ body: { outcome: 'valid', warnings: [] } }));
    const argv = ['direct-credit', 'create', '--to', '771234567', '--amount', '10000', '--reference', 'x'];
    const { code, stderr } = await relais(argv, { env, types: 'n\n', isTerminal: true });
    expect([code, asked.map(({ query }) => query)]).toEqual([1, [{ dryRun: 'true' }]]);
    expect(stderr).toContain('Pay 10\u00a0000\u00a0XOF to 771234567? [y/N]');
  });

  test('a batch may come from standard input, under a key of its own', async () => {
    const { asked, env } = await apiThat(() => ({ status: 201, body: { id: 'bat_1', state: 'awaiting_approval' } }));
    const types = 'reference,accountAlias,amount,withdrawMode\na,771234567,5000,wallet-a-senegal\n';
    const { code } = await relais(['disburse', 'batch', '-', '--idempotency-key', 'nov'], { env, types });
    expect([code, asked[0]?.text]).toEqual([0, types]);
    expect(asked[0]?.headers).toMatchObject({ 'content-type': 'text/csv', 'idempotency-key': 'nov' });
  });
});

describe('operator commands', () => {
  test('an endpoint is deleted without an answer, and a queue is paused after a question', async () => {
    const { asked, env } = await apiThat(({ method }) =>
      method === 'DELETE' ? { status: 204, body: '' } : { body: { items: [{ name: 'intake', paused: true }] } },
    );
    expect((await relais(['endpoints', 'delete', 'ep_1'], { env })).code).toBe(0);
    expect((await relais(['queues', 'pause', 'intake'], { env, types: '\n', isTerminal: true })).code).toBe(1);
    expect(asked).toHaveLength(1);
    const { stdout, stderr } = await relais(['queues', 'pause', 'intake'], { env });
    expect(stdout).toMatch(/intake +true/);
    expect(stderr).toContain('relais queues resume intake');
  });

  test('a record is shown as facts and tables', async () => {
    const { env } = await apiThat(() => ({
      body: {
        id: 'msg_1',
        state: 'sent',
        sentAt: '2026-11-21T08:00:00Z',
        code: null,
        history: [{ at: 'a', code: 'b' }],
      },
    }));
    const { stdout } = await relais(['messages', 'show', 'msg_1'], { env });
    expect(stdout).toBe('id       msg_1\nstate    sent\nsent at  2026-11-21T08:00:00Z\n\nhistory\nat  code\na   b\n');
  });
});
