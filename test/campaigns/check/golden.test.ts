import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CheckOptions } from '../../../src/campaigns/check/check-recipients.ts';
import { type Checked, checkFile } from './read-file.ts';

const FOLDER = new URL('../../golden/recipients/', import.meta.url);
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.csv'));

const read = (name: string, options: CheckOptions = {}): Promise<Checked> =>
  checkFile(readFileSync(new URL(name, FOLDER)), { country: 'SN', ...options });

/** The report of each row: the number, or the reason. */
const outcomesOf = ({ rows }: Checked) =>
  Object.fromEntries(rows.map((row) => [row.row, row.is === 'recipient' ? row.to : row.reason]));

it('there are files with French and with English settings', () => {
  expect(files.filter((name) => name.startsWith('french'))).toHaveLength(5);
  expect(files.filter((name) => name.startsWith('english'))).toHaveLength(6);
});

describe.each(files)('%s', (name) => {
  it('is detected by its content', async () => {
    const { summary } = await read(name);
    expect(summary).toMatchObject({
      format: 'csv',
      encoding: name.includes('1252') ? 'windows-1252' : 'utf-8',
      delimiter: name.includes('semicolon') ? ';' : name.includes('tab') ? '\t' : ',',
      columns: ['Numéro', 'Prénom', 'Montant', 'Note'],
      total: 15,
      blank: 1,
    });
  });

  it('has the same recipients as every other', async () => {
    expect(outcomesOf(await read(name))).toEqual({
      2: '+221770000001',
      3: '+221770000002',
      4: '+221770000003',
      5: 'spreadsheet_damage',
      6: '+221770000004',
      7: '+221770000005',
      9: 'old_numbering',
      10: 'old_numbering',
      11: 'not_in_use',
      12: '+221770000006',
      13: '+221770000007',
      14: '+221770000008',
      15: 'spreadsheet_error',
      16: '+2250700000002',
      17: 'duplicate',
    });
  });

  it('keeps letters, line breaks, quotes and zeros as they were typed', async () => {
    const { rows } = await read(name, { text: '{{prenom}}{{note}}{{montant}}' });
    const values = Object.fromEntries(rows.flatMap((row) => (row.is === 'recipient' ? [[row.row, row.vars]] : [])));
    const decimal = name.startsWith('french') ? '1500,5' : '1500.5';
    expect(values[2]).toEqual({ prenom: 'Françoise', note: '« L’œuvre » – 5 €…', montant: decimal });
    expect(values[7]).toMatchObject({ prenom: 'Yao', note: 'a; b, "cité"\ndeuxième ligne' });
    expect(values[14]).toMatchObject({ note: '=1+1' });
  });

  it('shows the result of a formula, not the formula', async () => {
    const { rows } = await read(name, { text: '{{montant}}' });
    expect(rows.find(({ row }) => row === 6)).toMatchObject({ to: '+221770000004', vars: { montant: '1500' } });
  });

  it('has its old numbers renewed when that is asked for', async () => {
    const { summary } = await read(name, { repair: ['CI', 'BJ'] });
    expect(summary.repaired.examples).toEqual([
      { row: 9, before: '+225 07 00 00 01', after: '+2250707000001' },
      { row: 10, before: '0022997000001', after: '+2290197000001' },
    ]);
  });

  it('reports a missing leading zero if the country has such numbers', async () => {
    const { rows } = await read(name, { country: 'CI' });
    expect(rows.find(({ row }) => row === 11)).toMatchObject({
      reason: 'spreadsheet_damage',
      detail: { code: 'zero_gone', message: 'the first zero is gone: 0500000001' },
    });
  });
});
