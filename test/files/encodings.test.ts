/** Detection of single-byte encodings by plausible words, with a question if two are plausible. */
import { describe, expect, test } from 'vitest';
import { codePages } from '../../src/files/code-pages.ts';
import { type CodePage, encodingOf, encodings } from '../../src/files/encodings.ts';
import { readBatchFile } from '../../src/producer/batch/read-file.ts';
import { checkFile, checkPieces, problemsOf } from '../campaigns/check/read-file.ts';
import { textOf } from '../../src/messages/texts.ts';

function written(text: string, page: CodePage): Buffer {
  return Buffer.from(
    Array.from(text, (char) => (char < '\x80' ? char.charCodeAt(0) : 0x80 + codePages[page].indexOf(char))),
  );
}

const fileOf = (name: string, page: CodePage): Buffer => written(`to;prenom\n+221771234567;${name}\n`, page);

async function readAs(file: Buffer, options = {}) {
  const { rows, summary } = await checkFile(file, { text: '{{prenom}}', ...options });
  const [row] = rows;
  return [summary.encoding, row?.is === 'recipient' ? row.vars['prenom'] : undefined];
}

describe('one name is enough to decide', () => {
  const names = ['Bénédicte', 'René', 'Kédougou', 'TRAORÉ', 'TRAORé', 'HéLèNE', 'NDèye', 'MÊME', 'Sène'];
  const pages = ['windows-1252', 'mac-roman', 'cp850'] as const;
  test.for(names.flatMap((name) => pages.map((page) => [name, page] as const)))('%s in %s', async ([name, page]) => {
    expect(await readAs(fileOf(name, page))).toEqual([page, name]);
  });

  test.for([
    ['CÔTE D’IVOIRE', 'windows-1252'],
    ["CÔTE D'IVOIRE", 'cp850'],
    ['« Bonjour » à 5 €', 'windows-1252'],
    ['João Conceição', 'windows-1252'],
    ['Müller', 'windows-1252'],
    ['ça va', 'mac-roman'],
    ['NOËL', 'cp850'],
  ] as const)('%s in %s', async ([name, page]) => {
    expect(await readAs(fileOf(name, page))).toEqual([page, name]);
  });
});

describe('two encodings that both make words are asked about, with a sample of each', () => {
  test.for([
    ['Gaëlle', 'cp850', 'mac-roman: “Gaâlle”, cp850: “Gaëlle”'],
    ['Noël', 'cp850', 'mac-roman: “Noâl”, cp850: “Noël”'],
    ['État civil', 'mac-roman', 'mac-roman: “État civil”, cp850: “âtat civil”'],
    ['Bonjour…', 'windows-1252', 'windows-1252: “Bonjour…”, cp850: “Bonjourà”'],
    ['João', 'mac-roman', 'mac-roman: “João”, cp850: “Joïo”'],
  ] as const)('%s in %s', async ([name, page, samples]) => {
    const file = fileOf(name, page);
    expect(await problemsOf(file)).toEqual(['unclear_encoding']);
    await expect(checkFile(file)).rejects.toThrow(samples);
    expect(await readAs(file, { encoding: page })).toEqual([page, name]);
  });

  test('one more name settles it', async () => {
    expect(await readAs(fileOf('Noël, frère de Bénédicte', 'cp850'))).toEqual(['cp850', 'Noël, frère de Bénédicte']);
  });

  test('however the file is cut', async () => {
    const file = fileOf('René', 'cp850');
    async function* bytewise(): AsyncGenerator<Uint8Array> {
      for (const byte of file) yield Uint8Array.of(byte);
    }
    const { summary } = await checkPieces(bytewise());
    expect(summary.encoding).toBe('cp850');
  });
});

test.for(encodings)('%s can be named', async (encoding) => {
  expect(encodingOf(encoding.toUpperCase())).toBe(encoding);
});

test('the names of MS-DOS are known', () => {
  expect(['IBM850', 'cp-850', 'ibm437', 'pc850'].map(encodingOf)).toEqual(['cp850', 'cp850', 'cp437', 'cp850']);
});

describe('a payment batch', () => {
  const file = written('reference;accountAlias;amount;withdrawMode;nom\nr-1;771234567;25000;service;René\n', 'cp850');

  test('in an encoding that is only guessed is refused with the guess', async () => {
    const { rows, problems } = await readBatchFile(file, { format: 'csv' });
    expect([rows.length, problems.map(({ reason }) => textOf(reason))]).toEqual([
      0,
      [
        'is not UTF-8 text, and looks like cp850; save it as CSV UTF-8, or say what it is written in (--encoding, charset)',
      ],
    ]);
  });

  test('in a named one is read', async () => {
    expect((await readBatchFile(file, { format: 'csv', encoding: 'cp850' })).rows[0]?.own).toEqual(['René']);
  });
});
