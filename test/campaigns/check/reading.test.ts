import { array, assert, asyncProperty, nat } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnusableFile } from '../../../src/files/problems.ts';
import { RowReader } from '../../../src/files/rows.ts';
import { checkFile, checkPieces, pieces, problemsOf, windows1252 } from './read-file.ts';

const AWA = { is: 'recipient', to: '+221770000001', country: 'SN', vars: { prenom: 'Awa' } };

describe('a file of recipients', () => {
  it.each([
    ['comma', 'to,prenom\n+221770000001,Awa\n'],
    ['semicolon', 'to;prenom\n+221770000001;Awa\n'],
    ['tab', 'to\tprenom\n+221770000001\tAwa\n'],
    ['Windows line ends', 'to;prenom\r\n+221770000001;Awa\r\n'],
    ['old Mac line ends', 'to;prenom\r+221770000001;Awa\r'],
    ['no last line end', 'to;prenom\n+221770000001;Awa'],
    ['a byte order mark', '\ufeffto;prenom\n+221770000001;Awa\n'],
    ['a byte order mark before a quote', '\ufeff"to";prenom\n+221770000001;Awa\n'],
    ['quotes around everything', '"to";"prenom"\n"+221770000001";"Awa"\n'],
    ['spaces around cells', ' to ; prenom \n +221770000001 ; Awa \n'],
    ['quotes after spaces', ' "to" ; "prenom"\n "+221770000001" ; "Awa" \n'],
    ['another separator inside quotes', '"to";"prenom";"a,b,c,d"\n+221770000001;Awa;\n'],
    ['the columns in another order', 'prenom;to\nAwa;+221770000001\n'],
    ['cells that end early', 'to;prenom;note\n+221770000001;Awa\n'],
    ['separators behind the last cell', 'to;prenom\n+221770000001;Awa;;;\n'],
  ])('is read with %s', async (_name, file) => {
    const { rows } = await checkFile(file, { text: '{{prenom}}' });
    expect(rows).toEqual([{ ...AWA, row: 2 }]);
  });

  it.each(['to', 'TO', 'Phone', 'numero', 'Numéro', 'NUMÉRO ', 'téléphone', 'Telephone', 'MSISDN', 'Phone number'])(
    'has its numbers in a column called %s',
    async (name) => {
      const { rows } = await checkFile(`prenom;${name}\nAwa;+221770000001\n`);
      expect(rows).toEqual([{ ...AWA, row: 2 }]);
    },
  );

  it.each(['Téléphone N°', 'Tél. (mobile) *', 'Te\u0301le\u0301phone'])(
    'has its numbers in a column called %s',
    async (name) => {
      const { rows } = await checkFile(`prenom;${name}\nAwa;+221770000001\n`);
      expect(rows).toEqual([{ ...AWA, row: 2 }]);
    },
  );

  it.each([
    ['plain', 'to;prenom\n="+221770000001";="Awa"\n'],
    ['in quotes', '"to","prenom"\n"=""+221770000001""","=""Awa"""\n'],
    ['in headings too', '="to";="prenom"\n="+221770000001";Awa\n'],
  ])('uses a formula as the column only for this text: %s', async (_name, file) => {
    const { rows } = await checkFile(file, { text: '{{prenom}}' });
    expect(rows).toEqual([{ ...AWA, row: 2 }]);
  });

  it('keeps any other formula as it is written', async () => {
    const { rows } = await checkFile('to;note\n+221770000001;"=""a""&""b"""\n');
    expect(rows).toMatchObject([{ vars: { note: '="a"&"b"' } }]);
  });

  it.each(['to\n+221770000001\n\x1a', 'to\n+221770000001\x1a\x1a', '{"to":"+221770000001"}\n\x1a'])(
    'ends where MS-DOS writes its end of a file: %j',
    async (file) => {
      const { rows } = await checkPieces(pieces(...Array.from(file)));
      expect(rows).toMatchObject([{ to: '+221770000001' }]);
      expect(rows).toHaveLength(1);
    },
  );

  it('with a zero byte is refused with the place', async () => {
    await expect(checkFile('to;prenom\n+221770000001;Awa\0\0\n')).rejects.toThrow('a zero byte behind “Awa”');
  });

  it('takes `to` before any other name', async () => {
    const { rows } = await checkFile('telephone;to\n+221770000009;+221770000001\n');
    expect(rows).toMatchObject([{ to: '+221770000001', vars: { telephone: '+221770000009' } }]);
  });

  it('keeps a line break inside quotes, and counts rows as a spreadsheet does', async () => {
    const { rows } = await checkFile('to;note\n+221770000001;"a\nb"\n\n+221770000002;x\n');
    expect(rows).toMatchObject([
      { row: 2, vars: { note: 'a\nb' } },
      { row: 4, vars: { note: 'x' } },
    ]);
  });

  it('may have the line ends of two machines', async () => {
    const { rows } = await checkFile('to\r\n+221770000001\n+221770000002\r\n');
    expect(rows).toMatchObject([{ to: '+221770000001' }, { row: 3, to: '+221770000002' }]);
  });

  it('may have quotes in the middle of a cell', async () => {
    const { rows } = await checkFile('to;note\n+221770000001;tube 5" noir\n');
    expect(rows).toMatchObject([{ vars: { note: 'tube 5" noir' } }]);
  });

  it('passes blank rows by and counts them apart', async () => {
    const { summary } = await checkFile('to;prenom\n;\n+221770000001;Awa\n\n;;\n');
    expect(summary).toMatchObject({ total: 1, recipients: 1, blank: 3 });
  });

  it('shifts no value into another column', async () => {
    const { rows } = await checkFile('to;prenom\n+221770000001;Awa;Fatou\n');
    expect(rows).toMatchObject([{ is: 'skipped', reason: 'extra_cells' }]);
  });
});

describe('JSON lines', () => {
  it('are read, one object a line', async () => {
    const file = '{"to":"+221770000001","prenom":"Awa","solde":1500}\n\n{"solde":2,"phone":"x","to":"+221770000002"}';
    const { rows, summary } = await checkFile(file);
    expect(rows).toEqual([
      { is: 'recipient', row: 1, to: '+221770000001', country: 'SN', vars: { prenom: 'Awa', solde: '1500' } },
      { is: 'recipient', row: 3, to: '+221770000002', country: 'SN', vars: { prenom: '', solde: '2', phone: 'x' } },
    ]);
    expect(summary).toMatchObject({ format: 'ndjson', columns: ['to', 'prenom', 'solde', 'phone'], blank: 1 });
  });

  it('may begin with a byte order mark', async () => {
    const { rows, summary } = await checkFile('\ufeff{"to":"+221770000001"}\n');
    expect(rows).toMatchObject([{ is: 'recipient', row: 1 }]);
    expect(summary.columns).toEqual(['to']);
  });

  it('have no value for null', async () => {
    const { rows } = await checkFile('{"to":"+221770000001","nom":null}', { text: '{{nom}}' });
    expect(rows).toMatchObject([{ reason: 'empty_variable', column: 'nom' }]);
  });

  it.each(['{"to":', '[]', '1', 'null', '{"to":{"a":1}}', '{"to":["+221770000001"]}'])(
    '%s is unreadable',
    async (line) => {
      const { rows } = await checkFile(`{"to":"+221770000001"}\n${line}\n{"to":"+221770000002"}`);
      expect(rows.map((row) => (row.is === 'skipped' ? row.reason : row.to))).toEqual([
        '+221770000001',
        'unreadable_row',
        '+221770000002',
      ]);
    },
  );

  it('lack a variable row by row', async () => {
    const file = '{"to":"+221770000001"}\n{"to":"+221770000002","nom":"Ba"}\n';
    const { rows } = await checkFile(file, { text: '{{nom}}' });
    expect(rows).toMatchObject([{ reason: 'empty_variable', column: 'nom' }, { vars: { nom: 'Ba' } }]);
  });
});

describe('letters with accents', () => {
  const text = 'to;prenom\n+221770000001;Françoise Œuvré d’Été 5 €\n'.replace('Œ', 'œ');

  it('are read as UTF-8 and as Windows-1252', async () => {
    const utf8 = await checkFile(text);
    const excel = await checkFile(windows1252(text));
    expect(excel.rows).toEqual(utf8.rows);
    expect(utf8.summary.encoding).toBe('utf-8');
    expect(excel.summary.encoding).toBe('windows-1252');
  });

  it('in a column name are found by the text', async () => {
    const { rows } = await checkFile(windows1252('to;Prénom\n+221770000001;Awa\n'), { text: '{{prenom}}' });
    expect(rows).toEqual([{ ...AWA, row: 2 }]);
  });

  it('at the very end of a file are read', async () => {
    for (const file of ['to;n\n+221770000001;é', windows1252('to;n\n+221770000001;é')])
      expect((await checkFile(file)).rows).toMatchObject([{ vars: { n: 'é' } }]);
  });
});

describe('however the bytes are cut, the rows are the same', () => {
  const file =
    'to;prénom;note\r\n+221770000001;Aïcha;"l’été; «dit-elle»\r\n""oui"""\r\n77 000 00 02;Zoë 😀;€\r\n\r\n;vide;\r\n+225;x;y;z\r\n';
  const excel = file.replace(' 😀', '').replaceAll('«', '"').replaceAll('»', '"').replace('"dit-elle"', '(dit-elle)');
  const lines = '{"to":"+221770000001","n":"é😀"}\r\n{"to":"77 000 00 02"}\nnot json é\n\n{"to":"","n":1}';

  it.each([
    ['CSV in UTF-8', Buffer.from(file)],
    ['CSV with a byte order mark', Buffer.from(`\ufeff${file}`)],
    ['CSV in Windows-1252', windows1252(excel)],
    ['CSV that opens with a quote', Buffer.from('"to";"a\nb"\n+221770000001;"é"')],
    ['JSON lines', Buffer.from(lines)],
  ])('%s', async (_name, bytes) => {
    const whole = await checkFile(bytes, { country: 'SN' });
    await assert(
      asyncProperty(array(nat(bytes.length), { maxLength: 12 }), async (cuts) => {
        expect(await checkPieces(cutAt(bytes, cuts), { country: 'SN' })).toEqual(whole);
      }),
      { numRuns: 150, seed: 48_213 },
    );
    const everywhere = Array.from(bytes.keys());
    expect(await checkPieces(cutAt(bytes, everywhere), { country: 'SN' })).toEqual(whole);
  });

  async function* cutAt(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
    const ends = [...cuts, bytes.length].sort((a, b) => a - b);
    // One buffer for all pieces, like a careless source: data must be copied before it is kept.
    const shared = Buffer.alloc(bytes.length);
    for (const [at, end] of ends.entries()) {
      const length = bytes.copy(shared, 0, ends[at - 1] ?? 0, end);
      yield shared.subarray(0, length);
      shared.fill(0x58);
    }
  }
});

describe('an unusable file names the reason', () => {
  it.each([
    ['nothing', '', ['empty_file']],
    ['a byte order mark alone', '\ufeff', ['empty_file']],
    ['blank lines', '\n\n', ['empty_file']],
    ['a header alone', 'to;prenom\n', ['no_rows']],
    ['half a workbook', Buffer.from('PK\x03\x04....'), ['broken_workbook']],
    ['zero bytes', 'to\n+22177\0\n', ['not_text']],
    ['two encodings', Buffer.concat([Buffer.from('to;é\n'), windows1252('1;é\n')]), ['mixed_encoding']],
    ['numbers of an address book in the first line', '\u202d+221770000001\u202c;Awa\n', ['no_header']],
    ['numbers in the first line', '+221770000001;Awa\n+221770000002;Koffi\n', ['no_header']],
    ['no column of numbers', 'nom;prenom\nBa;Awa\n', ['no_phone_column']],
    ['two columns of numbers', 'phone;numero\n1;2\n', ['several_phone_columns']],
    ['101 columns', `to${';c'.repeat(100)}\n1\n`, ['too_many_columns']],
    ['a row of 70 kB', `to;a\n+221770000001;${'x'.repeat(70_000)}\n`, ['row_too_long']],
    ['a quote never closed', `to;a\n+221770000001;"x\n${'+221770000001;y\n'.repeat(9_000)}`, ['row_too_long']],
    ['a header of 70 kB', `to;"${'x'.repeat(70_000)}`, ['row_too_long']],
    ['a quote never closed in a short file', 'to;a\n+221770000001;"x\n', ['unclosed_quote']],
    ['text after a quote that was closed', 'to;a\n+221770000001;"x" y\n', ['unreadable_csv']],
    ['a line of JSON of 70 kB', `{"to":"${'1'.repeat(70_000)}"}\n`, ['row_too_long']],
    ['an endless line of JSON', `{"to":"${'1'.repeat(200_000)}`, ['row_too_long']],
  ])('%s', async (_name, file, codes) => {
    expect(await problemsOf(file)).toEqual(codes);
  });

  it('though the whole file came in one piece, rows are read a few at a time', async () => {
    const reader = new RowReader(pieces(`to\n${'+221770000001\n'.repeat(20_000)}`));
    const sizes: number[] = [];
    for await (const batch of reader.batches()) sizes.push(batch.length);
    expect(sizes.length).toBeGreaterThan(3);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(20_000);
  });

  it('every missing column at once', async () => {
    expect(await problemsOf('a;b\n1;2\n', { text: '{{x}} {{y}} {{a}}' })).toEqual([
      'no_phone_column',
      'missing_column',
      'missing_column',
    ]);
  });

  it('a column that the text cannot distinguish from another', async () => {
    expect(await problemsOf('to;nom;Nom\n1;2;3\n', { text: '{{nom}}' })).toEqual(['duplicate_column']);
    expect(await problemsOf('to;nom;Nom\n1;2;3\n', { text: 'x' })).toEqual([]);
  });

  it('with the row, so that it can be found', async () => {
    const failure = await checkFile('to;a\n+221770000001;b\n+221770000002;"x\n').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UnusableFile);
    expect((failure as UnusableFile).problems).toMatchObject([{ code: 'unclosed_quote', row: 3 }]);
  });

  it.each(['"Chez" Awa', '"Chez"Awa', '"a"b"c"'])('and what to do about a cell like %s', async (cell) => {
    const file = `to;a\n+221770000001;b\n\n+221770000002;${cell}\n+221770000003;c\n`;
    const failure = await checkFile(file).catch((error: unknown) => error);
    expect((failure as UnusableFile).problems).toEqual([
      { code: 'unreadable_csv', row: 4, message: expect.stringContaining('each quote inside it twice') },
    ]);
  });

  it('the failure of the source itself is passed on', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('to\n+221770000001\n');
      throw new Error('connection reset');
    }
    await expect(checkPieces(broken())).rejects.toThrow('connection reset');
  });
});
