/** Real-world files: from the programs that created them, or byte for byte like theirs. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { CheckOptions } from '../../src/campaigns/check/check-recipients.ts';
import { fileProblems, UnusableFile } from '../../src/files/problems.ts';
import { checkFile, windows1252 } from '../campaigns/check/read-file.ts';
import { xlsxOfTexts, zipOf } from './workbooks.ts';

const made = (name: string): Buffer => readFileSync(new URL(`../golden/files/${name}`, import.meta.url));

const TEXT = 'Bonjour {{prénom|client}}';
const mac = (text: string): Buffer =>
  Buffer.from(text.replaceAll('é', '\x8e').replaceAll('è', '\x8f').replaceAll('ï', '\x95'), 'latin1');
const bigEndian = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

/** Two people, as most programs write them. */
const TWO = 'Numéro;Prénom\r\n+221770000001;Aïssé\r\n+221770000002;Fatou Sène\r\n';
const AISSE = [
  ['+221770000001', 'Bonjour Aïssé'],
  ['+221770000002', 'Bonjour Fatou Sène'],
];

/** The text for each recipient; and how the file was read. */
async function said(bytes: Uint8Array, options: CheckOptions = {}) {
  const { rows, summary } = await checkFile(bytes, { country: 'SN', text: TEXT, preview: 20, ...options });
  const texts = (summary.preview ?? []).map(({ to, text }) => [to, text]);
  return { texts, summary, rows };
}

describe('the same two people, byte for byte as written by', () => {
  it.each([
    ['Excel: CSV UTF-8', Buffer.from(`\ufeff${TWO}`), 'utf-8'],
    ['Excel in French: CSV', windows1252(TWO), 'windows-1252'],
    ['Excel: Unicode text', Buffer.from(`\ufeff${TWO.replaceAll(';', '\t')}`, 'utf16le'), 'utf-16le'],
    ['Excel for Mac: CSV', mac(TWO.replaceAll('\r\n', '\r')), 'mac-roman'],
    ['a script that wants Excel to open it: sep=;', windows1252(`sep=;\r\n${TWO}`), 'windows-1252'],
    ['the same with a quoted line', Buffer.from(`"sep=,"\r\n${TWO.replaceAll(';', ',')}`), 'utf-8'],
    ['the same separated by ^', Buffer.from(`sep=^\n${TWO.replaceAll(';', '^')}`), 'utf-8'],
    ['Notepad: Unicode big endian', bigEndian(`\ufeff${TWO}`), 'utf-16be'],
    ['SQL Server bcp -w: UTF-16 without a mark', Buffer.from(TWO, 'utf16le'), 'utf-16le'],
    ['a database on Unix: UTF-8, tabs', Buffer.from(TWO.replaceAll(';', '\t').replaceAll('\r', '')), 'utf-8'],
    ['a bank: separated by |', Buffer.from(TWO.replaceAll(';', '|')), 'utf-8'],
    ['people with a title', windows1252(`Liste des clients, novembre;\r\n;\r\n${TWO}`), 'windows-1252'],
    ['people with a title and no separators in it', Buffer.from(`Clients, novembre, Dakar\n\n${TWO}`), 'utf-8'],
    ['pandas: numbers with decimals', Buffer.from(TWO.replaceAll('+221', '').replace('001;', '001.0;')), 'utf-8'],
    [
      'Google: contacts',
      Buffer.from(
        'First Name,Prénom,Phone 1 - Label,Phone 1 - Value,Phone 2 - Value\n,Aïssé,Mobile,+221770000001,\n,Fatou Sène,Mobile,+221770000002,+221338000000\n',
      ),
      'utf-8',
    ],
    [
      'Outlook: contacts',
      windows1252(
        '"Prénom","Home Phone","Mobile Phone"\r\n"Aïssé","","+221770000001"\r\n"Fatou Sène","","+221770000002"\r\n',
      ),
      'windows-1252',
    ],
  ])('%s', async (_name, bytes, encoding) => {
    const { texts, summary } = await said(bytes);
    expect(texts).toEqual(AISSE);
    expect(summary).toMatchObject({ format: 'csv', encoding, total: 2 });
  });
});

describe('one workbook, saved by', () => {
  it.each([
    ['LibreOffice as .xlsx', 'libreoffice-workbook.xlsx'],
    ['LibreOffice as .ods', 'libreoffice-workbook.ods'],
    ['Gnumeric as .xlsx', 'gnumeric-workbook.xlsx'],
    ['Gnumeric as .ods', 'gnumeric-workbook.ods'],
  ])('%s', async (_name, file) => {
    const { rows, summary } = await checkFile(made(file), { country: 'SN', text: '{{prenom}}{{note|}}{{montant|}}' });
    expect(summary).toMatchObject({ sheet: 'Destinataires', columns: ['Numéro', 'Prénom', 'Montant', 'Note'] });
    expect(Object.fromEntries(rows.map((row) => [row.row, row.is === 'recipient' ? row.to : row.reason]))).toEqual({
      2: '+221770000001',
      3: '+221770000002',
      4: '+221770000003',
      // The sheet shows 7.71E+08; the workbook has the number itself.
      5: '+221771234567',
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
    const values = Object.fromEntries(rows.flatMap((row) => (row.is === 'recipient' ? [[row.row, row.vars]] : [])));
    expect(values[2]).toEqual({ prenom: 'Françoise', note: '« L’œuvre » – 5 €…', montant: '1500.5' });
    expect(values[7]).toMatchObject({ note: 'a; b, "cité"\ndeuxième ligne' });
    expect(values[14]).toMatchObject({ note: '=1+1' });
  });

  it.each([
    ['LibreOffice as CSV in UTF-16', 'libreoffice-utf16.csv', 'utf-16le'],
    ['LibreOffice as CSV in Mac Roman', 'libreoffice-mac-roman.csv', 'mac-roman'],
  ])('%s', async (_name, file, encoding) => {
    const { rows, summary } = await checkFile(made(file), { country: 'SN', text: '{{prenom}}{{note}}' });
    expect(summary).toMatchObject({ format: 'csv', encoding, total: 15, blank: 1 });
    expect(rows[0]).toMatchObject({ vars: { prenom: 'Françoise', note: '« L’œuvre » – 5 €…' } });
  });
});

describe('a sheet of an office: title, dates, formulas, merged and hidden cells, a comment', () => {
  const text = '{{prenom}}: {{solde}} F, {{echeance}}, {{agence|–}}';

  it.each(['libreoffice-office.xlsx', 'libreoffice-office.ods', 'gnumeric-office.xlsx'])('%s', async (file) => {
    const { texts, summary, rows } = await said(made(file), { country: 'CI', text });
    expect(texts).toEqual([
      ['+2250707000001', 'Françoise: 0.3 F, 30/11/2026, Cocody & Plateau'],
      ['+2250707000002', 'Koffi: 25000 F, 01/12/2026 14:30, –'],
      ['+2250707000005', 'Adjoua  Marie: 7 F, 04/12/2026, Treichville\nrue 12'],
    ]);
    expect(summary).toMatchObject({ titleRows: 1, sheet: 'Clients', otherSheets: ['Anciens'], merged: 1, total: 5 });
    expect(rows.flatMap((row) => (row.is === 'skipped' ? [[row.row, row.reason]] : []))).toEqual([
      [6, 'hidden_row'],
      [7, 'spreadsheet_error'],
    ]);
  });

  it('hidden rows are taken when that is asked for, and another sheet when it is named', async () => {
    const file = made('libreoffice-office.xlsx');
    const { rows } = await said(file, { country: 'CI', text, takeHidden: true });
    expect(rows[2]).toMatchObject({ row: 6, to: '+2250707000003', vars: { solde: '1500.5' } });
    const other = await said(file, { country: 'CI', text: 'x', sheet: 'anciens' });
    expect(other.texts).toEqual([['+2250707000009', 'x']]);
    await expect(said(file, { sheet: 'Feuil9' })).rejects.toThrow('sheets: Clients, Anciens');
  });

  it('openpyxl writes formulas without their results, and no number is made up for them', async () => {
    const { rows } = await checkFile(made('openpyxl-formulas.xlsx'), { country: 'SN', text: '{{solde}}' });
    expect(rows).toMatchObject([
      { to: '+221770000001', vars: { solde: '1500' } },
      { reason: 'spreadsheet_error', to: '#FORMULA!' },
      { reason: 'spreadsheet_error', column: 'solde' },
      { to: '+221770000004', vars: { solde: '3500.75' } },
    ]);
  });

  it('XlsxWriter: formats that show a leading zero, dates since 1904, formatted texts', async () => {
    const formats = '{{nom}} {{date|}} {{heure|}} {{montant|}}';
    const options = { country: 'CI', text: formats, take: ['no_value'] } as const;
    const { texts, rows, summary } = await said(made('xlsxwriter-formats.xlsx'), options);
    expect(texts).toEqual([
      ['+2250707000001', 'Awa 30/11/2026 14:30 25000'],
      ['+2250707000002', 'Koffi 01/12/2026 08:00 1500.5'],
      ['+2250707000004', 'Gras et maigre   true'],
    ]);
    expect(rows[2]).toMatchObject({ reason: 'hidden_row', to: '0707000003' });
    expect(summary.otherSheets).toEqual([]);
  });
});

describe('an invalid list is refused, with what to do', () => {
  it.each([
    ['LibreOffice as .xls', made('libreoffice-workbook.xls'), 'old_workbook'],
    ['Excel with a password', Buffer.from('d0cf11e0a1b11ae10000', 'hex'), 'old_workbook'],
    ['Excel as .xlsb', zipOf([{ name: 'xl/workbook.bin', data: 'x' }]), 'binary_workbook'],
    ['Numbers', zipOf([{ name: 'Index/Document.iwa', data: 'x' }]), 'numbers_file'],
    ['Word', zipOf([{ name: 'word/document.xml', data: '<x/>' }]), 'archive'],
    ['a zipped CSV', zipOf([{ name: 'clients.csv', data: TWO }]), 'archive'],
    ['Gnumeric’s own', made('gnumeric-workbook.gnumeric'), 'archive'],
    ['a CSV that gzip packed', gzipSync(TWO), 'archive'],
    ['an empty archive', zipOf([]), 'archive'],
    ['a web page called .xls', made('libreoffice-workbook.html'), 'web_page'],
    ['XML of Excel 2003', Buffer.from('<?xml version="1.0"?>\n<Workbook/>'), 'web_page'],
    ['flat OpenDocument', made('office.fods'), 'web_page'],
    ['a PDF', Buffer.from('%PDF-1.7\n%âãÏÓ\n'), 'pdf_file'],
    ['contacts of a telephone', Buffer.from('BEGIN:VCARD\r\nVERSION:3.0\r\n'), 'vcard_file'],
    ['a JSON array', Buffer.from('[{"to":"+221770000001"}]'), 'json_array'],
    ['a workbook cut in half', made('libreoffice-workbook.xlsx').subarray(0, 3_000), 'broken_workbook'],
    ['a sheet with no row', xlsxOfTexts([]), 'empty_file'],
    ['a sheet with a header alone', xlsxOfTexts([['téléphone']]), 'no_rows'],
    ['UTF-16 that is cut', Buffer.from(`\ufeff${TWO}x`, 'utf16le').subarray(0, -1), 'not_text'],
    ['half a letter in UTF-16', Buffer.from('\ufeffto\n\ud83d\n', 'utf16le'), 'not_text'],
  ] as const)('%s', async (_name, bytes, code) => {
    const failure = await checkFile(bytes).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UnusableFile);
    expect((failure as UnusableFile).problems.map((problem) => problem.code)).toEqual([code]);
    expect(fileProblems[code]).toMatch(/^(?:This|These|The) .*[.)]$/);
  });
});

describe('undetectable properties can be declared', () => {
  it('the encoding', async () => {
    const one = Buffer.concat([Buffer.from('to;prenom\n+221770000001;'), Buffer.from([0x8e, 0x63, 0x6f, 0x0a])]);
    expect((await said(one)).texts).toEqual([['+221770000001', 'Bonjour éco']]);
    expect((await said(one, { encoding: 'windows-1252' })).texts).toEqual([['+221770000001', 'Bonjour Žco']]);
    await expect(said(one, { encoding: 'utf-8' })).rejects.toThrow('another encoding');
  });

  it('the column of the numbers', async () => {
    const file = Buffer.from('Mobile;WhatsApp\n+221770000001;+221770000002\n');
    await expect(said(file, { text: 'x' })).rejects.toThrow('Mobile, WhatsApp');
    expect((await said(file, { text: 'x', phoneColumn: 'whatsapp' })).texts).toEqual([['+221770000002', 'x']]);
    await expect(said(file, { text: 'x', phoneColumn: 'fax' })).rejects.toThrow('columns: Mobile, WhatsApp');
  });

  it.each([
    'portable',
    'Mobile',
    'GSM',
    'whatsapp',
    'Contact',
    'Tél. portable',
    'N° WhatsApp',
    'Nº de téléphone',
    'Numéro de mobile',
    'Téléphone mobile',
    'Cellulaire',
    'Contact téléphonique',
  ])('%s is a known name of it', async (name) => {
    expect((await said(Buffer.from(`nom;${name}\nAwa;+221770000001\n`), { text: 'x' })).texts).toHaveLength(1);
  });

  it('a contact is a person if there is a phone column', async () => {
    const file = Buffer.from('Contact;Téléphone\nAwa;+221770000001\n');
    expect((await said(file, { text: '{{contact}}' })).texts).toEqual([['+221770000001', 'Awa']]);
  });

  it.each(['mobile money', 'téléphone type', 'opérateur mobile', 'num client'])('%s is none', async (name) => {
    await expect(said(Buffer.from(`nom;${name}\nAwa;+221770000001\n`), { text: 'x' })).rejects.toThrow('No column');
  });
});
