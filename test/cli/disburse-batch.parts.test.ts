import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { apiThat } from './api-double.ts';
import { relais } from './terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'relais-batch-'));
afterAll(() => rmSync(folder, { recursive: true }));

const CSV = 'reference;accountAlias;amount;withdrawMode\nsal-1;771234567;25000;wallet-a-senegal\n';
const ID = 'bat_4n7q0c1w2e3r4t5y6z7a8b9c0d';
const HASH = createHash('sha256').update(CSV).digest('hex');
const sum = { count: 1, xof: 25_000 };
const batch = {
  id: ID,
  state: 'awaiting_approval',
  account: 'main',
  contentHash: HASH,
  totals: { ...sum, countries: { SN: sum }, modes: { 'wallet-a-senegal': sum } },
  problems: [],
  problemCount: 0,
  warnings: [],
  warningCount: 0,
  states: {},
};

function file(text: string | Buffer, name = 'people.csv'): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const answers = (body: object, status = 200) => apiThat(() => ({ status, body }));

describe('batch', () => {
  test('submits exactly the bytes of the file, and names the next approver', async () => {
    const { asked, env } = await answers(batch, 201);
    const { code, stdout, stderr } = await relais(['disburse', 'batch', file(CSV), '--account', 'shop'], { env });
    expect(code).toBe(0);
    expect(asked).toMatchObject([{ method: 'POST', path: '/v1/disbursement-batches', query: { account: 'shop' } }]);
    expect(asked[0]?.text).toBe(CSV);
    expect(asked[0]?.headers['content-type']).toBe('text/csv');
    expect(stdout).toContain('25\u00a0000\u00a0XOF');
    expect(stderr).toContain(`relais disburse approve ${ID} --hash ${HASH}`);
  });

  test('in French, with the same output for programs', async () => {
    const { env } = await answers({ ...batch, uploadedBy: 'operator' }, 201);
    const { stdout, stderr } = await relais(['disburse', 'batch', file(CSV), '--lang', 'fr'], { env });
    expect(stdout).toMatch(/en tout +1 ligne, 25\u202f000\u00a0F\u00a0CFA/);
    expect(stdout).toMatch(/déposé par +operator/);
    expect(stderr).toContain('Rien n’est encore payé. Ensuite, par une autre personne : relais disburse approve');
    const json = ['disburse', 'batch', file(CSV), '--json'];
    expect((await relais([...json, '--lang=fr'], { env })).stdout).toBe((await relais(json, { env })).stdout);
  });

  test.for([
    ['[{"a":1}]', 'application/json'],
    [' [{}]', 'application/json'],
    ['\ufeff\n{"a":1}\n', 'application/x-ndjson'],
    [`\ufeff${CSV}`, 'text/csv'],
  ] as const)('detects the format from the first character: %j', async ([text, type]) => {
    const { asked, env } = await answers(batch, 201);
    await relais(['disburse', 'batch', file(text), '--json'], { env });
    // The simulator parses JSON; the test checks the media type.
    expect(asked[0]?.headers['content-type']).toBe(type);
  });

  test('every problem is shown with its position, and the exit code means that nothing can be paid', async () => {
    const problems = [
      { row: 3, column: 'amount', reason: 'must be whole francs' },
      { row: null, column: null, reason: 'has no rows' },
    ];
    const { env } = await answers({ ...batch, state: 'invalid', problems, problemCount: 40 }, 201);
    const { code, stderr } = await relais(['disburse', 'batch', file(CSV)], { env });
    expect(code).toBe(1);
    expect(stderr).toContain('✗ row 3, amount: must be whole francs');
    expect(stderr).toContain('✗ the file: has no rows');
    expect(stderr).toContain('and 38 more');
  });

  test('one that was dropped before is not taken for a new one', async () => {
    const { env } = await answers({ ...batch, state: 'expired' }, 201);
    expect((await relais(['disburse', 'batch', file(CSV)], { env })).stderr).toContain('is expired');
  });

  test('--dry-run has the API judge the file', async () => {
    const problems = [{ row: 2, column: 'amount', reason: 'must be whole francs' }];
    const { asked, env } = await answers({ ...batch, dryRun: true, state: 'invalid', problems, problemCount: 1 });
    const { code, stderr } = await relais(['disburse', 'batch', file(CSV), '--dry-run'], { env });
    expect(code).toBe(1);
    expect(asked).toMatchObject([{ path: '/v1/disbursement-batches', query: { dryRun: 'true' }, text: CSV }]);
    expect(stderr).toContain('row 2, amount: must be whole francs');
    expect(stderr).toContain('Dry run: nothing was sent.');
  });

  test('--csv writes all problems from the API', async () => {
    const wrong = '\ufeffreference;row;problem\r\nsal-1;2;amount is too much\r\n';
    const { asked, env } = await apiThat(({ headers }) =>
      headers.accept === 'text/csv'
        ? { body: wrong, headers: { 'content-type': 'text/csv' } }
        : { status: 201, body: { ...batch, state: 'invalid', problemCount: 151 } },
    );
    const out = join(folder, 'wrong.csv');
    const argv = ['disburse', 'batch', file(CSV), '--account', 'shop', '--csv', out];
    const { code, stderr } = await relais(argv, { env });
    expect(code).toBe(1);
    expect(stderr).toContain(out);
    expect(readFileSync(out, 'utf8')).toBe(wrong);
    expect(asked.map(({ query }) => query)).toEqual([
      { account: 'shop', name: 'people.csv' },
      { account: 'shop', name: 'people.csv', dryRun: 'true' },
    ]);
    expect(asked[1]?.text).toBe(CSV);
    expect(await relais(['disburse', 'batch', file('[{}]'), '--csv', out], { env })).toMatchObject({ code: 2 });
  });

  test('a workbook and a named encoding are submitted with their types', async () => {
    const { asked, env } = await answers(batch, 201);
    await relais(['disburse', 'batch', 'test/golden/files/libreoffice-office.ods'], { env });
    await relais(['disburse', 'batch', file(CSV), '--encoding', 'cp1252'], { env });
    expect(asked.map(({ headers }) => headers['content-type'])).toEqual([
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'text/csv; charset=windows-1252',
    ]);
  });

  test.for([
    ['a file that is not there', join(folder, 'nothing.csv'), 'there is no such file'],
    ['a folder', folder, 'it is a folder'],
  ] as const)('%s', async ([, path, why]) => {
    const { code, stderr } = await relais(['disburse', 'batch', path]);
    expect(code).toBe(1);
    expect(stderr).toContain(why);
  });

  test('a file that is too large is not sent', async () => {
    const { asked, env } = await answers(batch);
    const { code, stderr } = await relais(['disburse', 'batch', file(Buffer.alloc(5_000_001, 'x'))], { env });
    expect(code).toBe(1);
    expect(stderr).toContain('Split the file');
    expect(asked).toEqual([]);
  });
});

describe('approve', () => {
  test('sends the reviewed hash', async () => {
    const { asked, env } = await answers({ ...batch, state: 'running' });
    const { code } = await relais(['disburse', 'approve', ID, '--hash', HASH], { env });
    expect(code).toBe(0);
    expect(asked).toMatchObject([
      { method: 'POST', path: `/v1/disbursement-batches/${ID}/approve`, body: { contentHash: HASH } },
    ]);
  });

  test('on a terminal shows the batch, its file and its first payees, and asks', async () => {
    const line = { row: 2, reference: 'sal-1', accountAlias: '771234567', amount: 25_000, own: { Nom: 'Awa Diop' } };
    const rows = { columns: ['Nom'], items: [{ ...line, withdrawMode: 'wallet-a-senegal' }], next: null };
    const { asked, env } = await apiThat(({ path }) => ({
      body: path.endsWith('/rows') ? rows : { ...batch, fileName: 'salaires.csv' },
    }));
    const argv = ['disburse', 'approve', ID, '--hash', HASH];
    const { code, stdout, stderr } = await relais(argv, { env, isTerminal: true, types: 'n\n' });
    expect(code).toBe(1);
    expect(asked.map(({ method }) => method)).toEqual(['GET', 'GET']);
    expect(stdout).toMatch(/file +salaires\.csv/);
    expect(stderr).toMatch(/771234567.*Awa Diop/);
  });

  test('a batch without its hash is not approved', async () => {
    const { asked, env } = await answers(batch);
    const { code, stderr } = await relais(['disburse', 'approve', ID], { env });
    expect([code, asked]).toEqual([2, []]);
    expect(stderr).toContain(`relais disburse batch-show ${ID}`);
  });
});

test('batch-show shows the progress', async () => {
  const { env } = await answers({ ...batch, state: 'running', states: { succeeded: sum } });
  const { stdout } = await relais(['disburse', 'batch-show', ID], { env });
  expect(stdout).toMatch(/succeeded +1 row, 25\u00a0000\u00a0XOF/);
});

test('batch-show shows the numbers of paid and unpaid rows', async () => {
  const nothing = { count: 0, xof: 0 };
  const outcome = { paid: { count: 197, xof: 45_013_500 }, notPaid: { count: 3, xof: 664_000 }, open: nothing };
  const { env } = await answers({ ...batch, state: 'finished', outcome });
  const shown = async (language: string) =>
    (await relais(['disburse', 'batch-show', ID, '--lang', language], { env })).stdout;
  expect(await shown('en')).toMatch(/197 paid 45\s013\s500\sXOF · 3 not paid 664\s000\sXOF\n/);
  expect(await shown('fr')).toMatch(/197 payés 45\s013\s500\sF\sCFA · 3 non payés 664\s000\sF\sCFA\n/);
});

describe('batch-report', () => {
  const line = {
    row: 2,
    reference: '=HYPERLINK("x")',
    id: 'dsb_1',
    state: 'succeeded',
    reason: null,
    amount: 25_000,
    accountAlias: '771234567',
    withdrawMode: 'wallet-a-senegal',
    disburseId: 'd1',
    token: 't1',
    transactionId: 'TX1',
    providerRef: null,
  };

  test('as CSV runs nothing in a spreadsheet', async () => {
    const { env } = await answers({ items: [line] });
    const { stdout } = await relais(['disburse', 'batch-report', ID, '--csv'], { env });
    const [head, first] = stdout.split('\r\n');
    expect(head).toBe(
      '\ufeffrow;reference;id;state;reason;amount;accountAlias;withdrawMode;disburseId;token;transactionId;providerRef',
    );
    expect(first).toBe(`2;"'=HYPERLINK(""x"")";dsb_1;succeeded;;25000;771234567;wallet-a-senegal;d1;t1;TX1;`);
  });

  test('for users, and as JSON', async () => {
    const { env } = await answers({ items: [line], states: { succeeded: sum } });
    expect((await relais(['disburse', 'batch-report', ID], { env })).stdout).toContain('25\u00a0000');
    const { stdout } = await relais(['disburse', 'batch-report', ID, '--json'], { env });
    expect(JSON.parse(stdout).states).toEqual({ succeeded: sum });
  });
});
