import { describe, expect, test } from 'vitest';
import { type Asked, apiThat } from './api-double.ts';
import { relais } from './terminal.ts';

const ID = 'dsb_4n7q0c1w2e3r4t5y6z7a8b9c0d';
const accepted = {
  id: ID,
  state: 'queued',
  amount: 25_000,
  accountAlias: '771234567',
  withdrawMode: 'wallet-a-senegal',
  reference: 'salary-1',
  account: 'main',
};
const takesIt = async () => apiThat(() => ({ status: 202, body: accepted }));
const paying = ['--to', '771234567', '--amount', '25000', '--mode', 'wallet-a-senegal', '--reference', 'salary-1'];
const create = ['disburse', 'create', ...paying];

describe('create', () => {
  test('requests exactly what was typed', async () => {
    const { asked, env } = await takesIt();
    const flags = ['--account', 'shop', '--debit', 'BBJ1', '--not-before', '2027-01-01T08:00:00Z'];
    const { code, stdout } = await relais([...create, ...flags], { env });
    expect(code).toBe(0);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ method: 'POST', path: '/v1/disbursements' });
    expect(asked[0]?.headers.authorization).toBe('Bearer test-key');
    expect(asked[0]?.body).toEqual({
      accountAlias: '771234567',
      amount: 25_000,
      withdrawMode: 'wallet-a-senegal',
      reference: 'salary-1',
      account: 'shop',
      debitAccountNumber: 'BBJ1',
      notBefore: '2027-01-01T08:00:00Z',
    });
    expect(stdout).toContain(ID);
    expect(stdout).toContain('queued');
  });

  test('--json prints the answer and nothing else on stdout', async () => {
    const { env } = await takesIt();
    const { stdout } = await relais([...create, '--json'], { env });
    expect(JSON.parse(stdout)).toEqual(accepted);
  });

  test('a repeated request is shown as such', async () => {
    const { env } = await apiThat(() => ({
      status: 202,
      body: accepted,
      headers: { 'idempotency-replayed': 'true' },
    }));
    const { code, stderr } = await relais(create, { env });
    expect(code).toBe(0);
    expect(stderr).toContain('asked before with this reference');
  });

  test('--dry-run lets the API check it, and shows the payment and its warnings', async () => {
    const judged = { dryRun: true, outcome: 'valid', id: ID, state: 'queued', warnings: ['8 digits, not 9'] };
    const { asked, env } = await apiThat(() => ({ body: judged }));
    const { code, stderr } = await relais([...create, '--dry-run'], { env });
    expect(code).toBe(0);
    expect(stderr).toContain('25\u00a0000\u00a0XOF');
    expect(stderr).toContain('! 8 digits, not 9');
    expect(stderr).toContain('nothing was sent');
    expect(asked).toMatchObject([{ method: 'POST', path: '/v1/disbursements', query: { dryRun: 'true' } }]);
    expect(JSON.parse((await relais([...create, '--dry-run', '--json'], { env })).stdout)).toEqual(judged);
  });

  test('--dry-run fails for what would be refused', async () => {
    const problems = [{ pointer: '/withdrawMode', message: 'is not a withdraw mode' }];
    const { env } = await apiThat(() => ({ status: 422, body: { title: 'Not valid.', problems } }));
    const { code, stdout, stderr } = await relais([...create, '--dry-run'], { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('--mode is not a withdraw mode');
  });

  test.for([
    ['y\n', 0, [{ dryRun: 'true' }, {}]],
    ['oui\n', 0, [{ dryRun: 'true' }, {}]],
    ['n\n', 1, [{ dryRun: 'true' }]],
    ['\n', 1, [{ dryRun: 'true' }]],
    ['', 1, [{ dryRun: 'true' }]],
  ] as const)(
    'on a terminal it is judged first; the answer %j gives exit code %i',
    async ([types, exit, queries]) => {
      const { asked, env } = await takesIt();
      const { code, stderr } = await relais(create, { env, types, isTerminal: true });
      expect(stderr).toContain('Pay 25\u00a0000\u00a0XOF to 771234567? [y/N]');
      expect(code).toBe(exit);
      expect(asked.map(({ query }) => query)).toEqual(queries);
    },
  );

  test('--yes asks no question', async () => {
    const { asked, env } = await takesIt();
    const { stderr } = await relais([...create, '--yes'], { env, isTerminal: true });
    expect(stderr).not.toContain('[y/N]');
    expect(asked).toHaveLength(1);
  });

  test.for(['25.50', '25 000', '0', '-1', 'many', '1e5'])('the amount "%s" is wrong usage', async (amount) => {
    const { code, stderr } = await relais(['disburse', 'create', ...paying.with(3, amount)]);
    expect(code).toBe(2);
    expect(stderr).toContain('--amount');
  });

  test('a missing reference is wrong usage', async () => {
    const { code, stderr } = await relais(['disburse', 'create', ...paying.slice(0, 6)]);
    expect(code).toBe(2);
    expect(stderr).toContain('--reference');
  });
});

describe('a refusal', () => {
  const refusedWith = async (status: number, body: unknown) => {
    const { env } = await apiThat(() => ({ status, body }));
    return relais(create, { env });
  };

  test('names the flags, not the fields', async () => {
    const problems = [
      { pointer: '/withdrawMode', message: 'is not a withdraw mode' },
      { pointer: '/notBefore', message: 'must be a time' },
    ];
    const { code, stdout, stderr } = await refusedWith(422, { detail: 'The request is wrong.', problems });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('--mode is not a withdraw mode');
    expect(stderr).toContain('--not-before must be a time');
  });

  test('for a reference of another request names the command to see that one', async () => {
    const { code, stderr } = await refusedWith(409, { detail: 'Another request.', existingId: ID });
    expect(code).toBe(1);
    expect(stderr).toContain(`relais disburse show ${ID}`);
  });

  test.for([
    [401, 'RELAIS_API_KEY'],
    [503, 'Try again'],
    [500, 'log'],
  ] as const)('with %i names the next step: %s', async ([status, step]) => {
    const { code, stderr } = await refusedWith(status, { title: 'No.' });
    expect(code).toBe(1);
    expect(stderr).toContain(step);
  });

  test.for([
    ['role', 'Use a key with this role'],
    ['other-person', 'Ask a different person'],
  ])('by the rule %s has advice: %s', async ([rule, step]) => {
    const { stderr } = await refusedWith(403, { title: 'No.', rule });
    expect(stderr).toContain(step);
    expect(stderr).toContain(`rule: ${rule}`);
  });

  test('in HTML by a proxy is still shown', async () => {
    const { code, stderr } = await refusedWith(502, '<html>Bad gateway</html>');
    expect(code).toBe(1);
    expect(stderr).toContain('HTTP 502');
  });
});

describe('an API', () => {
  test('that is not there is answered with how to start it', async () => {
    const { code, stderr } = await relais(create, { env: { RELAIS_URL: 'http://127.0.0.1:1' } });
    expect(code).toBe(1);
    expect(stderr).toContain('There is no relais at http://127.0.0.1:1 (ECONNREFUSED)');
    expect(stderr).toContain('relais dev');
  });

  test('that breaks off leaves the outcome open, and the same command is safe', async () => {
    const { env } = await apiThat(() => ({ cut: true }));
    const { code, stderr } = await relais(create, { env });
    expect(code).toBe(1);
    expect(stderr).toContain('may have been done, or not');
    expect(stderr).toContain('same command again');
  });

  test('that answers something else is no relais', async () => {
    const { env } = await apiThat(() => ({ status: 200, body: '<html>Welcome</html>' }));
    const { code, stderr } = await relais(create, { env });
    expect(code).toBe(1);
    expect(stderr).toContain('is not the API of relais');
  });

  test('with a rate limit is repeated after the requested wait', async () => {
    const { asked, env } = await apiThat((_asked: Asked, at) =>
      at === 1 ? { status: 429, headers: { 'retry-after': '3' } } : { status: 202, body: accepted },
    );
    const { code, slept } = await relais(create, { env });
    expect(code).toBe(0);
    expect(slept).toEqual([3_000]);
    expect(asked).toHaveLength(2);
  });

  test('may live below a path', async () => {
    const { asked, env } = await takesIt();
    await relais(create, { env: { ...env, RELAIS_URL: `${env.RELAIS_URL}/relais/` } });
    expect(asked[0]?.path).toBe('/relais/v1/disbursements');
  });

  test('with an invalid address is wrong usage', async () => {
    const { code, stderr } = await relais(create, { env: { RELAIS_URL: 'localhost:3000' } });
    expect(code).toBe(2);
    expect(stderr).toContain('RELAIS_URL is not an address');
  });
});

describe('show', () => {
  const known = {
    ...accepted,
    state: 'needs_review',
    reason: 'no answer for 72h',
    history: [{ at: '2026-11-21T08:00:00Z', state: 'queued' }],
  };

  test('prints the known facts, with the history', async () => {
    const { asked, env } = await apiThat(() => ({ body: known }));
    const { code, stdout } = await relais(['disburse', 'show', ID], { env });
    expect(code).toBe(0);
    expect(asked[0]?.path).toBe(`/v1/disbursements/${ID}`);
    for (const part of ['needs_review', 'no answer for 72h', '771234567', '2026-11-21T08:00:00Z']) {
      expect(stdout).toContain(part);
    }
  });

  test('colours the state on a terminal, and never with NO_COLOR', async () => {
    const { env } = await apiThat(() => ({ body: known }));
    const coloured = await relais(['disburse', 'show', ID], { env, isTerminal: true });
    expect(coloured.stdout).toContain('\u001b[33mneeds_review');
    const plain = await relais(['disburse', 'show', ID], { env: { ...env, NO_COLOR: '1' }, isTerminal: true });
    expect(plain.stdout).not.toContain('\u001b');
  });

  test('an id that is not there fails', async () => {
    const { env } = await apiThat(() => undefined);
    const { code, stderr } = await relais(['disburse', 'show', 'dsb_../x'], { env });
    expect(code).toBe(1);
    expect(stderr).toContain('Nothing here.');
  });
});

describe('list', () => {
  const page = { items: [accepted, { ...accepted, id: 'dsb_2', amount: 1_250_000 }], next: 'dsb_2' };

  test('asks for the page and prints a line for each', async () => {
    const { asked, env } = await apiThat(() => ({ body: page }));
    const argv = ['disburse', 'list', '--state', 'queued', '--reference', 'a b', '--after', 'dsb_0', '--limit', '2'];
    const { code, stdout, stderr } = await relais(argv, { env });
    expect(code).toBe(0);
    expect(asked[0]?.query).toEqual({ state: 'queued', reference: 'a b', after: 'dsb_0', limit: '2' });
    expect(stdout.split('\n')).toHaveLength(4);
    expect(stdout).toContain('1\u00a0250\u00a0000');
    expect(stderr).toContain("relais disburse list --state queued --reference 'a b' --after dsb_2");
  });

  test('--json prints the page', async () => {
    const { env } = await apiThat(() => ({ body: page }));
    const { stdout } = await relais(['disburse', 'list', '--json'], { env });
    expect(JSON.parse(stdout)).toEqual(page);
  });

  test('turns empty pages that lead on by itself', async () => {
    const pages = [{ items: [], next: '9.dsb_9' }, { items: [], next: '5.dsb_5' }, page];
    const { asked, env } = await apiThat((_, at) => ({ body: pages[at - 1] }));
    const { stdout } = await relais(['disburse', 'list', '--amount-min', '400', '--json'], { env });
    expect(JSON.parse(stdout)).toEqual(page);
    expect(asked.map(({ query }) => query)).toEqual([
      { amountMin: '400' },
      { amountMin: '400', after: '9.dsb_9' },
      { amountMin: '400', after: '5.dsb_5' },
    ]);
  });

  test('without items is reported, and not on stdout', async () => {
    const { env } = await apiThat(() => ({ body: { items: [], next: null } }));
    const { code, stdout, stderr } = await relais(['disburse', 'list'], { env });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: 'None.\n' });
  });
});
