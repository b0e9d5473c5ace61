import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { routes } from '../../src/api/routes.ts';
import { ALL, makeProgram } from '../../src/cli/cli.ts';
import { Shell } from '../../src/cli/shell.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { apiThat } from './api-double.ts';
import { NOTHING, relais } from './terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'relais-cli-'));
const fileOf = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const people = fileOf('people.csv', 'to\n+221771234567\n');
const payer = fileOf('payer.json', '{"method":"wallet-a-senegal"}');
const salaries = fileOf(
  'salaries.csv',
  'reference,accountAlias,amount,withdrawMode\na,771234567,5000,wallet-a-senegal\n',
);
const statement = fileOf('statement.csv', 'Transaction,Montant,Date\nTX1,5000,2026-11-22\n');
const decided = ['--outcome', 'failed', '--note', 'on paper'];
const paying = ['--to', '771234567', '--amount', '5000', '--reference', 'r'];
const create = ['--name', 'n', '--text', 't', '--country', 'SN'];

/** The shell command for each route. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'POST /v1/disbursements': ['disburse', 'create', ...paying, '--mode', 'wallet-a-senegal'],
  'GET /v1/disbursements': ['disburse', 'list'],
  'GET /v1/disbursement-batches': ['disburse', 'batch-list'],
  'GET /v1/campaigns': ['campaign', 'list'],
  'GET /v1/invoices': ['invoice', 'list'],
  'GET /v1/payment-requests': ['payment-request', 'list'],
  'GET /v1/direct-credits': ['direct-credit', 'list'],
  'GET /v1/disbursements/{id}': ['disburse', 'show', 'x'],
  'POST /v1/disbursements/{id}/cancel': ['disburse', 'cancel', 'x'],
  'POST /v1/disbursements/{id}/approve': ['disburse', 'approve', 'x'],
  'POST /v1/disbursements/{id}/reject': ['disburse', 'reject', 'x', '--reason', 'wrong amount'],
  'POST /v1/review/resolve': ['review', 'resolve', '--where', 'reason=restored', ...decided],
  'POST /v1/disbursements/{id}/resolve': ['review', 'resolve', 'x', ...decided],
  'POST /v1/disbursement-batches': ['disburse', 'batch', salaries],
  'GET /v1/disbursement-batches/{id}': ['disburse', 'batch-show', 'x'],
  'GET /v1/disbursement-batches/{id}/report': ['disburse', 'batch-report', 'x'],
  'POST /v1/disbursement-batches/{id}/approve': ['disburse', 'approve', 'x', '--hash', 'abc'],
  'POST /v1/disbursement-batches/{id}/reject': ['disburse', 'batch-reject', 'x', '--reason', 'wrong amount'],
  'GET /v1/disbursement-batches/{id}/rows': ['disburse', 'batch-rows', 'x'],
  'POST /v1/disbursement-batches/{id}/retry': ['disburse', 'batch-retry', 'x'],
  'POST /v1/disbursement-batches/{id}/cancel': ['disburse', 'batch-cancel', 'x'],
  'POST /v1/campaigns': ['campaign', 'create', ...create],
  'POST /v1/campaigns/{id}/recipients': ['campaign', 'create', ...create, people],
  'GET /v1/campaigns/{id}/recipients': ['campaign', 'report', 'x'],
  'GET /v1/campaigns/{id}': ['campaign', 'show', 'x'],
  'PATCH /v1/campaigns/{id}': ['campaign', 'pace', 'x', '--per-second', '5'],
  'POST /v1/campaigns/{id}/retry': ['campaign', 'retry', 'x'],
  'POST /v1/campaigns/{id}/start': ['campaign', 'start', 'x'],
  'POST /v1/campaigns/{id}/approve': ['campaign', 'approve', 'x', '--hash', 'abc'],
  'POST /v1/campaigns/{id}/reject': ['campaign', 'reject', 'x', '--reason', 'wrong amount'],
  'POST /v1/campaigns/{id}/pause': ['campaign', 'pause', 'x'],
  'POST /v1/campaigns/{id}/resume': ['campaign', 'resume', 'x'],
  'POST /v1/campaigns/{id}/cancel': ['campaign', 'cancel', 'x'],
  'POST /v1/messages': ['messages', 'send', '--to', '+221771234567', '--text', 'x'],
  'POST /v1/messages/{id}/cancel': ['messages', 'cancel', 'x'],
  'GET /v1/messages': ['messages', 'list'],
  'GET /v1/sms-statistics': ['messages', 'statistics', '--phone', '771234567'],
  'GET /v1/search': ['search', 'order-1042'],
  'GET /v1/messages/{id}': ['messages', 'show', 'x'],
  'POST /v1/opt-outs': ['opt-outs', 'add', '--phone', '+221771234567'],
  'DELETE /v1/opt-outs': ['opt-outs', 'remove', '--phone', '+221771234567'],
  'GET /v1/opt-outs': ['opt-outs', 'list'],
  'POST /v1/invoices': ['invoice', 'create', '--amount', '5000', '--store', 's', '--reference', 'r'],
  'GET /v1/invoices/{id}': ['invoice', 'show', 'x'],
  'POST /v1/invoices/{id}/confirm': ['invoice', 'confirm', 'x'],
  'POST /v1/invoices/{id}/softpay': ['invoice', 'softpay', 'x', payer],
  'POST /v1/invoices/{id}/softpay/confirm': ['invoice', 'softpay-confirm', 'x', payer],
  'POST /v1/invoices/{id}/resolve': ['invoice', 'resolve', 'x', ...decided],
  'POST /v1/payment-requests': [
    'payment-request',
    'create',
    '--amount',
    '5000',
    '--fees-paid-by',
    'merchant',
    '--reference',
    'r',
  ],
  'GET /v1/payment-requests/{id}': ['payment-request', 'show', 'x'],
  'POST /v1/payment-requests/{id}/confirm': ['payment-request', 'confirm', 'x'],
  'POST /v1/payment-requests/{id}/resolve': ['payment-request', 'resolve', 'x', ...decided],
  'POST /v1/direct-credits': ['direct-credit', 'create', ...paying],
  'GET /v1/direct-credits/{id}': ['direct-credit', 'show', 'x'],
  'POST /v1/direct-credits/{id}/resolve': ['direct-credit', 'resolve', 'x', ...decided],
  'GET /v1/events': ['events'],
  'GET /v1/stream': ['events', '--follow', '--limit', '1'],
  'POST /v1/event-endpoints': ['endpoints', 'create', 'https://shop.example'],
  'GET /v1/event-endpoints': ['endpoints', 'list'],
  'GET /v1/event-endpoints/{id}': ['endpoints', 'show', 'x'],
  'DELETE /v1/event-endpoints/{id}': ['endpoints', 'delete', 'x'],
  'POST /v1/event-endpoints/{id}/test': ['endpoints', 'test', 'x'],
  'POST /v1/event-endpoints/{id}/replay': ['endpoints', 'replay', 'x', '--since', '2026-11-21T08:00:00Z'],
  'POST /v1/event-endpoints/{id}/rotate-secret': ['endpoints', 'rotate-secret', 'x'],
  'GET /v1/keys': ['keys', 'list'],
  'POST /v1/keys': ['keys', 'create', '--name', 'n', '--roles', 'read,approve', '--person', 'awa'],
  'DELETE /v1/keys/{id}': ['keys', 'revoke', 'x'],
  'GET /v1/audit': ['audit', 'list'],
  'GET /v1/audit/verification': ['audit', 'verify'],
  'GET /v1/queues': ['queues', 'list'],
  'GET /v1/intake': ['intake', 'list'],
  'POST /v1/secrets/rotate': ['secrets', 'rotate'],
  'POST /v1/queues/{name}/pause': ['queues', 'pause', 'x'],
  'POST /v1/queues/{name}/resume': ['queues', 'resume', 'x'],
  'GET /v1/status': ['status'],
  'GET /v1/accounts': ['account', 'list'],
  'POST /v1/accounts/{name}/stop': ['account', 'stop', 'x'],
  'POST /v1/accounts/{name}/release': ['account', 'release', 'x'],
  'GET /v1/limits': ['limits'],
  'POST /v1/limits/{name}': ['limits', 'set', 'MAX_PER_DAY', '5000'],
  'GET /v1/recovery': ['recover'],
  'POST /v1/recovery': ['recover', '--nothing-was-lost', '--yes'],
  'POST /v1/purge': ['purge', '--phone', '+221771234567', '--yes'],
  'GET /v1/review': ['review', 'list'],
  'GET /v1/explain/{id}': ['explain', 'x'],
  'GET /v1/callbacks/{id}': ['callback', 'x'],
  'GET /v1/reports/daily': ['report', 'daily', '--date', '2026-11-22'],
  'POST /v1/reconciliations': [
    'reconcile',
    statement,
    '--columns',
    'transactionId=Transaction,amount=Montant,date=Date',
  ],
  'GET /v1/reports/balances': ['report', 'balances', '--from', '2026-11-01T00:00:00Z'],
  'GET /v1/recipients': ['campaign', 'texted', '--phone', '771234567'],
  'GET /v1/balances': ['balances'],
  'GET /v1/balances/{accountNumber}': ['balances', 'x'],
};

/** Documentation, which is read where it is served; and routes only for browsers. */
const NOT_FOR_A_SHELL = [
  'GET /openapi.json',
  'GET /docs',
  'GET /v1/schemas/intake',
  'GET /problems/{kind}',
  // A command has the file locally, and `relais limits` lists the budgets.
  'POST /v1/campaigns/{id}/file',
  'GET /v1/campaigns/{id}/file',
  'POST /v1/campaigns/{id}/file/recipients',
  'GET /v1/budgets',
  // The approver sees it in the console, or before `relais disburse approve`.
  'GET /v1/disbursement-batches/{id}/recent-payments',
  // `relais doctor` checks from the user's machine, which helps if the API is unreachable.
  'GET /v1/doctor',
  ...routes.filter(({ tag }) => tag === 'Console').map(({ method, path }) => `${method.toUpperCase()} ${path}`),
];

const named = routes.map(({ method, path }) => `${method.toUpperCase()} ${path}`);

test('there is a command for every route', () => {
  expect(named.filter((route) => !NOT_FOR_A_SHELL.includes(route) && !COMMANDS[route])).toEqual([]);
});

const NOTHING_LEFT = { onlyOurs: [], onlyTheirs: [], differentAmount: [], unreadable: [] };

test.for(Object.entries(COMMANDS))('%s is the request of relais %j', async ([route, argv]) => {
  const body = {
    id: 'x',
    state: 'queued',
    totals: {},
    items: [],
    events: [],
    next: '1-0',
    fits: true,
    result: NOTHING_LEFT,
  };
  const { asked, env } = await apiThat(({ method, path }) => {
    if (path === '/v1/stream') return { body: 'id: 2-0\ndata: {}\n\n' };
    return `${method} ${path}`.includes('events') ? { body } : { body: { ...body, next: null } };
  });
  const { code, stderr } = await relais([...argv, '--json'], { env });
  expect([code, stderr.includes('error')]).toEqual([0, false]);
  const pattern = new RegExp(`^${route.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  expect(asked.map(({ method, path }) => `${method} ${path}`).filter((line) => pattern.test(line))).not.toEqual([]);
});

describe('every command', async () => {
  const leaves = (command: Command, path: readonly string[] = []): (readonly [readonly string[], Command])[] =>
    command.commands.length === 0
      ? [[path, command]]
      : command.commands.flatMap((one) => leaves(one, [...path, one.name()]));
  const sink = new PassThrough();
  const program = await makeProgram(
    new Shell({
      env: {},
      stdout: sink,
      stderr: sink,
      stdin: sink,
      isTerminal: false,
      columns: 80,
      clock: systemClock,
      signal: new AbortController().signal,
      services: NOTHING,
    }),
    ALL,
  );
  const all = leaves(program);
  const running = ['run', 'dev', 'sandbox'];

  test.for(all.map(([path]) => path))('relais %j shows an example that begins with itself', async (path) => {
    const { stdout } = await relais([...path, '--help']);
    expect(stdout).toMatch(new RegExp(`Example:\\n  relais ${path.join(' ')}`));
  });

  test('has long flags, and --json where it prints facts', () => {
    expect(all.flatMap(([, { options }]) => options.filter(({ long }) => !long))).toEqual([]);
    const silent = all.filter(([path, { options }]) => {
      return ![...running, 'init'].includes(path[0] ?? '') && !options.some(({ long }) => long === '--json');
    });
    expect(silent.map(([path]) => path.join(' '))).toEqual([]);
  });

  test('that costs money can be tried without sending, and asks on a terminal', () => {
    const flagsOf = (...path: string[]): (string | null | undefined)[] =>
      all.find(([own]) => own.join(' ') === path.join(' '))?.[1].options.map(({ long }) => long) ?? [];
    for (const path of ['disburse create', 'disburse send', 'messages send', 'direct-credit create']) {
      expect(flagsOf(path)).toEqual(expect.arrayContaining(['--dry-run', '--yes', '--idempotency-key']));
    }
  });
});
