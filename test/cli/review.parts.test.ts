import { describe, expect, test } from 'vitest';
import { apiThat } from './api-double.ts';
import { relais } from './terminal.ts';

const ID = 'dsb_4n7q0c1w2e3r4t5y6z7a8b9c0d';
const doubtful = {
  id: ID,
  state: 'needs_review',
  reason: 'never_executed',
  amount: 25_000,
  accountAlias: '771234567',
  withdrawMode: 'wallet-a-senegal',
  reference: 'salary-1',
  updatedAt: '2026-11-21T08:00:00Z',
};
const explanation = {
  id: ID,
  kind: 'disbursement',
  state: 'needs_review',
  summary: 'Disbursement of 25 000 XOF. A person must decide it.',
  story: [
    { at: '2026-11-21T08:00:00.000Z', what: 'accepted' },
    { at: '', what: '6 lines in the middle are no longer kept' },
  ],
  next: 'Resolve it with `resubmit` or `cancelled`.',
  nextLook: '2026-11-22T08:00:00.000Z',
};
const api = () =>
  apiThat(({ path, method }) => {
    if (path === `/v1/explain/${ID}`) return { body: explanation };
    if (path === '/v1/review') return { body: { items: [doubtful], next: ID } };
    if (method === 'POST') return { body: { ...doubtful, state: 'failed', resolvedBy: 'awa', note: 'on paper' } };
    return path === `/v1/disbursements/${ID}` ? { body: doubtful } : undefined;
  });

describe('list', () => {
  test('prints a line for each, and how to continue', async () => {
    const { asked, env } = await api();
    const { code, stdout, stderr } = await relais(['review', 'list', '--after', 'dsb_0', '--limit', '1'], { env });
    expect(code).toBe(0);
    expect(asked[0]?.query).toEqual({ after: 'dsb_0', limit: '1' });
    for (const part of [ID, 'never_executed', '25\u00a0000', 'salary-1']) expect(stdout).toContain(part);
    expect(stderr).toContain('relais review show ID');
    expect(stderr).toContain(`relais review list --after ${ID}`);
  });

  test('reports an empty list', async () => {
    const { env } = await apiThat(() => ({ body: { items: [], next: null } }));
    const { code, stdout, stderr } = await relais(['review', 'list'], { env });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: 'No operation needs review.\n' });
  });

  test('--json prints the page', async () => {
    const { env } = await api();
    const { stdout } = await relais(['review', 'list', '--json'], { env });
    expect(JSON.parse(stdout)).toEqual({ items: [doubtful], next: ID });
  });
});

describe('show', () => {
  test('prints the facts, the timeline, and the next step', async () => {
    const { env } = await api();
    const { code, stdout } = await relais(['review', 'show', ID], { env });
    expect(code).toBe(0);
    expect(stdout).toContain('771234567');
    expect(stdout).toContain('  2026-11-21T08:00:00.000Z  accepted\n');
    expect(stdout).toContain('6 lines in the middle are no longer kept');
    expect(stdout).toContain('Next  Resolve it with `resubmit` or `cancelled`.');
    expect(stdout).toContain('looked at again at 2026-11-22T08:00:00.000Z');
  });

  test('--json prints both in one', async () => {
    const { env } = await api();
    const { stdout } = await relais(['review', 'show', ID, '--json'], { env });
    expect(JSON.parse(stdout)).toEqual({ ...doubtful, explanation });
  });
});

describe('resolve', () => {
  const resolve = ['review', 'resolve', ID, '--outcome', 'failed', '--note', ' on paper '];

  test('sends the transaction id, only for a single one', async () => {
    const { asked, env } = await api();
    const paid = [
      'review',
      'resolve',
      ID,
      '--outcome',
      'succeeded',
      '--note',
      'on paper',
      '--transaction-id',
      'TX-1',
    ];
    expect((await relais(paid, { env })).code).toBe(0);
    expect(asked[0]?.body).toEqual({ outcome: 'succeeded', note: 'on paper', transactionId: 'TX-1' });
    const { code, stderr } = await relais(['review', 'resolve', '--where', 'reason=restored', ...paid.slice(3)], {
      env,
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('A transaction is that of one')]);
  });

  test('requests exactly what was typed, and shows the decider', async () => {
    const { asked, env } = await api();
    const { code, stdout } = await relais(resolve, { env });
    expect(code).toBe(0);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ method: 'POST', path: `/v1/disbursements/${ID}/resolve` });
    expect(asked[0]?.body).toEqual({ outcome: 'failed', note: 'on paper' });
    expect(stdout).toMatch(/state +failed/);
    expect(stdout).toMatch(/resolved by +awa/);
    expect(stdout).toMatch(/note +on paper/);
  });

  test.for([
    ['succeeded', 'Record that 25\u00a0000\u00a0XOF to 771234567 was paid? [y/N]'],
    ['failed', 'Record that 25\u00a0000\u00a0XOF to 771234567 was not paid? [y/N]'],
    ['reversed', 'Record that 25\u00a0000\u00a0XOF to 771234567 came back after it was paid? [y/N]'],
    ['cancelled', 'Cancel 25\u00a0000\u00a0XOF to 771234567? [y/N]'],
    ['resubmit', 'Pay 25\u00a0000\u00a0XOF to 771234567 now, if the provider still says'],
  ] as const)('on a terminal, asks before it settles as %s', async ([outcome, question]) => {
    const { asked, env } = await api();
    const { code, stderr } = await relais(resolve.with(4, outcome), { env, types: 'n\n', isTerminal: true });
    expect(code).toBe(1);
    expect(stderr).toContain(question);
    expect(asked.map(({ method }) => method)).toEqual(['GET']);
  });

  test('a yes, or --yes, settles it', async () => {
    const { asked, env } = await api();
    expect((await relais(resolve, { env, types: 'y\n', isTerminal: true })).code).toBe(0);
    expect((await relais([...resolve, '--yes'], { env, isTerminal: true })).code).toBe(0);
    expect(asked.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST']);
  });

  test.for([
    [['review', 'resolve', ID, '--outcome', 'failed'], '--note'],
    [['review', 'resolve', ID, '--note', 'on paper'], '--outcome'],
    [['review', 'resolve', ID, '--outcome', 'paid', '--note', 'on paper'], 'Allowed choices'],
    [['review', 'resolve', ID, '--outcome', 'failed', '--note', ' a '], '3 to 500'],
  ] as const)('%j is wrong usage', async ([argv, told]) => {
    const { code, stderr } = await relais(argv);
    expect(code).toBe(2);
    expect(stderr).toContain(told);
  });

  test('a contradiction of the provider is shown, and fails', async () => {
    const detail = 'The provider reports success, which takes precedence. Nothing was changed.';
    const { env } = await apiThat(() => ({ status: 409, body: { title: 'No.', detail, upstream: 'success' } }));
    const { code, stderr } = await relais(resolve, { env });
    expect(code).toBe(1);
    expect(stderr).toContain(detail);
  });
});

describe('resolve --where', () => {
  const many = [
    'review',
    'resolve',
    '--where',
    'reason=restored',
    'amountMax=5000',
    '--outcome',
    'failed',
    '--note',
    'on paper',
  ];
  const word = { where: { reason: 'restored', amountMax: 5000 }, outcome: 'failed', note: 'on paper' };
  const selection = '5f70bf18a0860070';
  const told = {
    dryRun: true,
    count: 412,
    xof: 10_300_000,
    reasons: { restored: { count: 412, xof: 10_300_000 } },
    selection,
  };
  const lines = [
    { id: ID, outcome: 'refused', problem: { detail: 'The provider says: success.' } },
    { id: null, outcome: 'done', resolved: 411, xof: 10_275_000, refused: 1 },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const deciding = (answer = text) =>
    apiThat(({ body }) => (body && 'confirm' in (body as object) ? { body: answer } : { body: told }));

  test('shows count and sum, and how to continue; nothing is decided', async () => {
    const { asked, env } = await deciding();
    const { code, stdout, stderr } = await relais(many, { env });
    expect([code, asked.map(({ path }) => path)]).toEqual([0, ['/v1/review/resolve']]);
    expect(asked[0]?.body).toEqual(word);
    expect(stdout).toMatch(/in all +412 {2}10\u00a0300\u00a0000\u00a0XOF/);
    expect(stderr).toContain(`--confirm 412:${selection}`);
  });

  test('confirmed, decides exactly these, and lists the refused ones', async () => {
    const { asked, env } = await deciding();
    const { code, stdout, stderr } = await relais([...many, '--confirm', `412:${selection}`], { env });
    expect(asked.map(({ body }) => body)).toEqual([{ ...word, confirm: { count: 412, selection } }]);
    expect([code, stdout]).toEqual([1, `${ID}  refused  The provider says: success.\n`]);
    expect(stderr).toContain('411 decided');
  });

  test.for([
    ['412\n', 2],
    ['y\n', 1],
    ['411\n', 1],
  ] as const)('on a terminal the count is typed back: %j', async ([types, requests]) => {
    const { asked, env } = await deciding();
    await relais(many, { env, types, isTerminal: true });
    expect(asked).toHaveLength(requests);
  });

  test('an answer that breaks off explains how to continue', async () => {
    const { env } = await deciding(`${JSON.stringify(lines[0])}\n`);
    const { code, stderr } = await relais([...many, '--confirm', `412:${selection}`], { env });
    expect([code, stderr.includes('it tells what is left')]).toEqual([1, true]);
  });

  test.for([
    [[...many, ID]],
    [['review', 'resolve', '--outcome', 'failed', '--note', 'on paper']],
    [[...many, '--confirm', '412']],
  ])('%j is wrong usage', async ([argv]) => {
    expect((await relais(argv ?? [])).code).toBe(2);
  });
});

describe('explain', () => {
  test('prints the story', async () => {
    const { env } = await api();
    const { code, stdout } = await relais(['explain', ID], { env });
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toBe(explanation.summary);
    expect(stdout).toContain('accepted');
  });

  test('of a reason has no timeline and no next check', async () => {
    const word = {
      id: 'rate',
      kind: 'word',
      state: null,
      summary: 'A word.',
      story: [],
      next: 'Wait.',
      nextLook: null,
    };
    const { asked, env } = await apiThat(() => ({ body: word }));
    const { stdout } = await relais(['explain', 're-read'], { env });
    expect(asked[0]?.path).toBe('/v1/explain/re-read');
    expect(stdout).toBe('A word.\n\nNext  Wait.\n');
  });

  test('--json prints it whole', async () => {
    const { env } = await api();
    expect(JSON.parse((await relais(['explain', ID, '--json'], { env })).stdout)).toEqual(explanation);
  });
});

describe('disburse approve', () => {
  test('shows the payments to release, and asks', async () => {
    const { asked, env } = await api();
    const no = await relais(['disburse', 'approve', ID], { env, types: '\n', isTerminal: true });
    expect(no.code).toBe(1);
    expect(no.stderr).toContain('Let 25\u00a0000\u00a0XOF be paid to 771234567? [y/N]');
    expect(asked.map(({ method }) => method)).toEqual(['GET']);
  });

  test('elsewhere, the command was the answer', async () => {
    const { asked, env } = await api();
    const { code, stdout } = await relais(['disburse', 'approve', ID, '--json'], { env });
    expect(code).toBe(0);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ method: 'POST', path: `/v1/disbursements/${ID}/approve` });
    expect(JSON.parse(stdout)).toMatchObject({ id: ID });
  });
});
