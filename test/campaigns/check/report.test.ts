import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type CheckSummary,
  skipReasons,
  renderProblems,
  renderReport,
  reportCsv,
  type SkippedRow,
} from '../../../src/campaigns/check/report.ts';
import { fileProblem, fileProblems, UnusableFile } from '../../../src/files/problems.ts';
import { detail } from '../../../src/messages/details.ts';
import { expectPage, table } from '../../docs/page.ts';
import { checkFile } from './read-file.ts';

describe('the report as CSV', () => {
  const row = (to: string): SkippedRow => ({
    is: 'skipped',
    row: 2,
    to,
    reason: 'not_a_number',
    cells: ['Awa', to],
  });
  const cellOf = (to: string): string | undefined =>
    reportCsv([row(to)], ['nom', 'to'])
      .split('\r\n')
      .slice(1)
      .join('\r\n')
      .split(';')[1];

  it.each([
    ['=1+1', "'=1+1"],
    ['+221770000001', "'+221770000001"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', '"\'\t\'=1"'],
    ['\r=1', '"\'\r\'=1"'],
    ['=cmd|"/c calc"', '"\'=cmd|""/c calc"""'],
    ['=HYPERLINK("http://x")', '"\'=HYPERLINK(""http://x"")"'],
    ['77 000', '77 000'],
    ['a"b', '"a""b"'],
  ])('makes %j harmless', (to, cell) => {
    expect(cellOf(to)).toBe(cell);
  });

  it('can be read by our own check again', async () => {
    const csv = reportCsv([row('=1;2\n"x'), row('+221770000001')], ['nom', 'to']);
    const { rows } = await checkFile(csv);
    expect(rows).toMatchObject([
      { row: 2, reason: 'not_a_number' },
      { row: 3, is: 'recipient', to: '+221770000001', country: 'SN', vars: { reason: 'not_a_number' } },
    ]);
  });

  it('has the columns of the file, so that it can be corrected and submitted again', async () => {
    const file = 'Prénom;Téléphone;Solde\nAwa;77 000;-5\nKoffi;+221770000001;7\n';
    const { rows, summary } = await checkFile(file, { text: '{{prenom}}, {{solde}} F' });
    const skipped = rows.filter((one) => one.is === 'skipped');
    const csv = reportCsv(skipped, summary.columns);
    expect(csv.slice(1).split('\r\n').slice(0, 2)).toEqual([
      'Prénom;Téléphone;Solde;row;reason;explanation;column;detail',
      expect.stringMatching(/^Awa;77 000;'-5;2;no_country;"The number has no country code/),
    ]);

    const mended = await checkFile(csv.replace('77 000', '+221770000002'), { text: '{{prenom}}, {{solde}} F' });
    expect(mended.rows).toMatchObject([{ to: '+221770000002', vars: { prenom: 'Awa', solde: '-5' } }]);
    expect(reportCsv([], mended.summary.columns)).toBe(csv.slice(0, csv.indexOf('\n') + 1));
  });
});

describe('the report on a screen', () => {
  it('shows the errors, the cost and how to reduce it', async () => {
    const file = `to;n\n+221770000001;Françoise\n+221770000001;Awa\n+225 07 00 00 01;Yao\n77;x\n`;
    const { summary } = await checkFile(file, {
      text: `Bonne fête {{n}} ${'x'.repeat(80)}`,
      prices: { SN: 20 },
      repair: ['CI'],
    });
    const report = renderReport(summary);
    expect(report).toContain('4 rows: 2 recipients, 2 skipped');
    expect(report).toContain(skipReasons.duplicate);
    expect(report).toContain('row 3: +221770000001 — same number as row 2');
    expect(report).toContain('row 4: +225 07 00 00 01 → +2250707000001');
    expect(report).toMatch(/Estimate: 4 segments, about 40\u00a0XOF/);
    expect(report).toContain('for want of a price: CI');
    expect(report).toMatch(/“ê” U\+00EA, in your text: write “e”/);
    expect(report).toMatch(/replacing them saves 2 segments, about 20\u00a0XOF/);
  });

  it('translates the details of a reason to French, also after transport as JSON', async () => {
    const file = `to;n\n+221770000001;a\n+221770000001;b\n0022997000001;c\n+221770000003;${'x'.repeat(2_000)}\n`;
    const { summary } = await checkFile(file, { text: '{{n}}' });
    const french = renderReport(JSON.parse(JSON.stringify(summary)) as CheckSummary, 'fr');
    expect(french).toContain('+221770000001 — même numéro que la ligne 2');
    expect(french).toContain('aujourd’hui probablement +2290197000001');
    expect(french).toMatch(/— 1\d segments/);
  });

  it('lets nothing of the file reach the terminal', async () => {
    const { summary } = await checkFile('to\n\x1b[2Jboo\u202e\n');
    expect(renderReport(summary).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('names each problem of a file that cannot be used', () => {
    const failure = new UnusableFile([
      fileProblem('unclosed_quote', { row: 3 }),
      fileProblem('missing_column', { detail: detail('variable', { variable: '{{x}}', columns: 'to, nom' }) }),
    ]);
    expect(renderProblems(failure)).toMatch(
      /^✗ row 3: A quote[^\n]+\n✗ The text uses[^\n]+\n {2}\{\{x\}\}; columns: to, nom$/,
    );
    expect(renderProblems(failure, 'fr')).toMatch(/\n {2}\{\{x\}\} ; colonnes : to, nom$/);
  });
});

it('docs/campaign-files.md explains every reason and every problem as the report does', () => {
  const page = readFileSync(new URL('../../../docs/campaign-files.md', import.meta.url), 'utf8');
  const tables = { reasons: ['reason', skipReasons], problems: ['problem', fileProblems] } as const;
  const fresh = Object.entries(tables).reduce((text, [name, [word, sentences]]) => {
    const rows = Object.entries(sentences).map(([code, sentence]) => [`\`${code}\``, sentence]);
    const between = new RegExp(`(<!-- ${name}: generated -->\\n)[^]*?(\\n<!-- /${name} -->)`);
    return text.replace(between, (_all, open: string, close: string) => {
      return `${open}\n${table([word, 'what it means'], rows)}\n${close}`;
    });
  }, page);
  expect(fresh).toContain('| `empty` | The phone number is empty. |');
  expectPage('docs/campaign-files.md', fresh);
});
