import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { relais } from './terminal.ts';

const EXAMPLE = 'examples/recipients.csv';

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'relais-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

test('a file without doubts is done', async () => {
  const folder = folderWith({ 'a.csv': 'to;prenom\n771234567;Awa\n+221771234568;Ben\n' });
  const argv = ['campaign', 'check', join(folder, 'a.csv'), '--country', 'sn', '--text', 'Bonjour {{prenom}}'];
  const { code, stdout } = await relais(argv);
  expect(code).toBe(0);
  expect(stdout).toContain('2 rows: 2 recipients, 0 skipped');
  expect(stdout).toContain('Estimate: 2 segments');
});

test('numbers without a country need a decision, and the flags for it are named', async () => {
  const file = join(folderWith({ 'a.csv': 'to\n771234567\n+221771234568\n' }), 'a.csv');
  const { code, stdout } = await relais(['campaign', 'check', file]);
  expect(code).toBe(1);
  expect(stdout).toContain(
    [
      'To decide before the start',
      '  1 number has no country code',
      '    --country SN            reads them as numbers of that country',
      '    --leave-out no_country  leaves them out',
    ].join('\n'),
  );

  expect(await relais(['campaign', 'check', file, '--country', 'SN'])).toMatchObject({ code: 0 });
  expect(await relais(['campaign', 'check', file, '--leave-out', 'no_country'])).toMatchObject({ code: 0 });
});

test('old numbers need a decision, and --repair is one', async () => {
  const file = join(folderWith({ 'a.csv': 'to\n+22507000001\n+221771234568\n' }), 'a.csv');
  expect((await relais(['campaign', 'check', file])).stdout).toMatch(/--repair CI,BJ +renews them/);
  const { code, stdout } = await relais(['campaign', 'check', file, '--repair', 'CI']);
  expect(code).toBe(0);
  expect(stdout).toContain('+22507000001 → +2250707000001');
});

test('--json is the whole report with the open decisions', async () => {
  const { code, stdout } = await relais(['campaign', 'check', EXAMPLE, '--json']);
  expect(code).toBe(1);
  const report = JSON.parse(stdout);
  expect(report.total).toBe(2_000);
  expect(report.recipients + report.skipped).toBe(2_000);
  expect(report.decisions[0]).toMatchObject({
    reason: 'no_country',
    flags: ['--country SN', '--leave-out no_country'],
  });
});

test('--csv holds every skipped row, once, under one header', async () => {
  const bad = Array.from({ length: 1_200 }, (_, at) => `nobody ${at}`).join('\n');
  const folder = folderWith({ 'a.csv': `to\n+221771234568\n${bad}\n` });
  const argv = ['campaign', 'check', join(folder, 'a.csv'), '--csv', join(folder, 'out.csv')];
  expect(await relais(argv)).toMatchObject({ code: 0 });
  const lines = readFileSync(join(folder, 'out.csv'), 'utf8').trimEnd().split('\r\n');
  expect(lines).toHaveLength(1_201);
  expect(lines[0]).toBe('\ufeffto;row;reason;explanation;column;detail');
  expect(new Set(lines).size).toBe(1_201);
});

test('a file that cannot be used leaves no list behind', async () => {
  const folder = folderWith({ 'a.csv': 'nom;ville\nAwa;Dakar\n' });
  const argv = ['campaign', 'check', join(folder, 'a.csv'), '--csv', join(folder, 'out.csv')];
  const { code, stderr } = await relais(argv);
  expect(code).toBe(1);
  expect(stderr).toContain('Name it “to”');
  expect(readdirSync(folder)).toEqual(['a.csv']);
});

test('--json has the number of recipients', async () => {
  const file = join(folderWith({ 'a.csv': 'to\n+221770000001\n+221770000001\nx\n' }), 'a.csv');
  const { stdout } = await relais(['campaign', 'check', file, '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ total: 3, recipients: 1, skipped: 2, decisions: [] });
});

test('a probable variable needs a decision, and --as-written is one', async () => {
  const file = join(folderWith({ 'a.csv': 'to;prenom\n+221770000001;Awa\n' }), 'a.csv');
  const argv = ['campaign', 'check', file, '--text', 'Bonjour {prenom} !'];
  const { code, stdout } = await relais(argv);
  expect(code).toBe(1);
  expect(stdout).toContain('{prenom} is no variable; {{');
  expect(await relais([...argv, '--as-written'])).toMatchObject({ code: 0 });
});

test('no recipient is no success', async () => {
  const file = join(folderWith({ 'a.csv': 'to\nnobody\n' }), 'a.csv');
  const { code, stderr } = await relais(['campaign', 'check', file]);
  expect(code).toBe(1);
  expect(stderr).toContain('No recipient would get an SMS.');
});

test.for([
  ['a file that is not there', ['nowhere.csv'], 1, 'nowhere.csv: there is no such file.'],
  ['a folder', ['src'], 1, 'it is a folder'],
  ['a text whose braces do not match', [EXAMPLE, '--text', 'Bonjour {{nom'], 2, 'braces do not match'],
  ['a country nobody knows', [EXAMPLE, '--country', 'XX'], 2, 'not a country'],
  ['a country that cannot be repaired', [EXAMPLE, '--repair', 'SN'], 2, 'There is: CI, BJ'],
  ['a list over the file itself', [EXAMPLE, '--csv', EXAMPLE], 2, 'overwrite'],
  ['a preview of no text', [EXAMPLE, '--preview', '3'], 2, '--preview needs a --text'],
  ['a test of no text', [EXAMPLE, '--test-send', '+221771234567'], 2, '--test-send needs a --text'],
  ['a test to no number', [EXAMPLE, '--text', 'x', '--test-send', '77 123'], 2, 'Write them as +221771234567'],
] as const)('%s is reported', async ([, flags, exit, words]) => {
  const { code, stderr } = await relais(['campaign', 'check', ...flags]);
  expect(stderr).toContain(words);
  expect(code).toBe(exit);
});

test('rows that can only be corrected need a decision too, and one flag leaves all of them out', async () => {
  const rows = ['2,21771E+11;Awa', '771234567 ou 771234568;Ben', '771234569;', '771234570;Cé;trop', '771234571;Di'];
  const file = join(folderWith({ 'a.csv': ['to;nom', ...rows].join('\n') }), 'a.csv');
  const argv = ['campaign', 'check', file, '--country', 'SN', '--text', 'Bonjour {{nom}}'];
  const { code, stdout } = await relais(argv);
  expect(code).toBe(1);
  expect(stdout).toContain('1 number was damaged by a spreadsheet');
  const [, all = ''] = /To leave out all of these: --leave-out (\S+)/.exec(stdout) ?? [];
  expect(all).toBe('spreadsheet_damage,several_numbers,empty_variable,extra_cells');
  expect(await relais([...argv, '--leave-out', all])).toMatchObject({ code: 0 });
});

test('wrong and repeated numbers need no decision: there is nothing to decide about them', async () => {
  const file = join(folderWith({ 'a.csv': 'to\n+221771234567\n+221771234567\nnobody\n77\n' }), 'a.csv');
  expect(await relais(['campaign', 'check', file, '--country', 'SN'])).toMatchObject({ code: 0 });
});

describe('standard input', () => {
  test.for([
    ['CSV with tabs and a byte order mark', '\ufeffto\tprenom\n+221771234567\tAwa\n'],
    ['a line break inside quotes', 'to,prenom\n+221771234567,"Awa\nDiop"\n'],
    ['JSON lines', '{"to":"+221771234567","prenom":"Awa"}\n'],
  ] as const)('may be %s', async ([, types]) => {
    const { code, stdout } = await relais(['campaign', 'check', '-', '--text', '{{prenom}}'], { types });
    expect(code).toBe(0);
    expect(stdout).toContain('1 row: 1 recipient, 0 skipped');
  });

  test('is called so where it cannot be used', async () => {
    const { code, stderr } = await relais(['campaign', 'check', '-'], { types: 'nom\nAwa\n' });
    expect(code).toBe(1);
    expect(stderr).toContain('Nothing of standard input can be used.');
  });
});

describe('cost', () => {
  const files = {
    'a.csv': 'to\n+221771234567\n+22890123456\n',
    'prices.json': '{"SN": 20}',
    'bad.json': '{"SN": "x"}',
    'marked.json': '\ufeff{"SN": 20}',
  };

  test('comes from --prices or SMS_PRICES_FILE, and a country without a price is reported', async () => {
    const folder = folderWith(files);
    const argv = ['campaign', 'check', join(folder, 'a.csv'), '--text', 'Bonjour'];
    const prices = join(folder, 'prices.json');
    const flag = await relais([...argv, '--prices', prices]);
    expect(flag.code).toBe(0);
    expect(flag.stdout.replaceAll('\u00a0', ' ')).toContain('Estimate: 2 segments, about 20 XOF');
    expect(flag.stdout).toContain('TG, 1 segment, no price known');
    expect(flag.stdout).toContain('not counted, for want of a price: TG');
    expect((await relais(argv, { env: { SMS_PRICES_FILE: prices } })).stdout).toBe(flag.stdout);
    expect((await relais([...argv, '--prices', join(folder, 'marked.json')])).stdout).toBe(flag.stdout);
  });

  test.for([
    ['bad.json', 'SN: the price must be'],
    ['none.json', 'it cannot be read'],
  ] as const)('%s is refused with the form that is wanted', async ([name, words]) => {
    const folder = folderWith(files);
    const { code, stderr } = await relais([
      'campaign',
      'check',
      join(folder, 'a.csv'),
      '--prices',
      join(folder, name),
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain(words);
    expect(stderr).toContain('{"SN": 20, "CI": 22.5}');
  });

  test('names the flag that makes it cheaper, and counts with it', async () => {
    const folder = folderWith(files);
    const text = `Bonne fête ${'x'.repeat(80)}`;
    const argv = [
      'campaign',
      'check',
      join(folder, 'a.csv'),
      '--text',
      text,
      '--prices',
      join(folder, 'prices.json'),
    ];
    const dear = await relais(argv);
    expect(dear.stdout.replaceAll('\u00a0', ' ')).toContain('Cheaper by 2 segments, about 20 XOF: --replace-costly');
    const cheap = await relais([...argv, '--replace-costly']);
    expect(cheap.stdout).toContain('Estimate: 2 segments');
    expect(cheap.stdout).not.toContain('Cheaper');
  });
});

test('--preview shows texts as they are sent, line by line, without terminal control', async () => {
  const file = join(folderWith({ 'a.csv': 'to;n\n+221771234567;A\u202ewa\n+221771234568;Ben\n' }), 'a.csv');
  const { stdout } = await relais(['campaign', 'check', file, '--text', 'Bonjour\n{{n}}', '--preview', '1']);
  expect(stdout).toContain('As they would go out\n  row 2 to +221771234567, among the first, the longest');
  expect(stdout).toContain('    │ Bonjour\n    │ A�wa');
  expect(stdout).not.toContain('\u202e');
});

test('in French: the report, the decisions, and the sentences of the file of skipped rows', async () => {
  const rows = ['to;prenom', '+221771000001;Awa', '77 100 00 02;Ben', '+221771000001;Awa'];
  const file = join(folderWith({ 'fr.csv': rows.join('\n') }), 'fr.csv');
  const csv = `${file}.out.csv`;
  const argv = ['campaign', 'check', file, '--text', 'Fête {{prenom}} {{stop}}', '--csv', csv, '--preview', '1'];
  const { code, stdout, stderr } = await relais([...argv, '--lang', 'fr'], { env: { PUBLIC_URL: 'https://r.sn/' } });
  expect(code).toBe(1);
  expect(stdout).toContain('3 lignes : 1 destinataire, 2 écartées\nlu comme CSV, UTF-8, séparateur « ; »');
  expect(stdout).toContain('duplicate: Le même numéro est déjà plus haut dans ce fichier.');
  expect(stdout).toContain('ligne 4 : +221771000001 — même numéro que la ligne 2');
  expect(stdout).toContain('Fête Awa https://r.sn/s/000000000000000000');
  expect(stdout).toContain('le lien de {{stop}} est compté pour 33 caractères\n');
  expect(stdout).toMatch(
    /À décider avant le départ\n {2}1 numéro sans indicatif de pays\n {4}--country SN {12}les lit/,
  );
  expect(stderr).toContain(`Les 2 lignes écartées sont dans ${csv}`);
  expect(readFileSync(csv, 'utf8')).toContain('no_country;"Le numéro n’a pas d’indicatif');
});

test('a link of unknown length is counted as a usual one, and marked as a guess', async () => {
  const file = join(folderWith({ 'stop.csv': 'to\n+221771000001\n' }), 'stop.csv');
  const { code, stdout } = await relais(['campaign', 'check', file, '--text', 'Bonjour {{stop}}']);
  expect(code).toBe(0);
  expect(stdout).toContain(
    'the link of {{stop}} is counted with 44 characters, a guess: PUBLIC_URL says how long it is',
  );
});

test('doubtful values and doubtful parts of the text need decisions, each with its flag', async () => {
  const rows = ['to,prenom', '+221771000001,NULL', '+221771000002,A&iuml;ssatou', '+221771000003,Awa'];
  const file = join(folderWith({ 'a.csv': rows.join('\n') }), 'a.csv');
  const argv = ['campaign', 'check', file, '--text', 'Bonjour ((prenom)) {{prenom}},\\n STOP:{{stop}}'];
  const { code, stdout } = await relais(argv);
  expect(code).toBe(1);
  expect(stdout).toContain('row 2: +221771000001 — prenom, “NULL”');
  expect(stdout).toContain('row 3: +221771000002 — prenom, “A&iuml;ssatou”, probably “Aïssatou”');
  expect(stdout.slice(stdout.indexOf('To decide'))).toBe(
    [
      'To decide before the start',
      '  1 row has a word for “nothing” as a value',
      '    --take no_value            sends the values as they are',
      '    --leave-out no_value       leaves them out',
      '  1 row has a value that a program damaged',
      '    --take damaged_value       sends the values as they are',
      '    --leave-out damaged_value  leaves them out',
      '  ((prenom)) is no variable; {{prenom}} would be',
      '    --as-written               keeps the text as written; or correct the text',
      '  A phone may take what touches a link into it: STOP:{{stop}}; write STOP: {{stop}}',
      '    --as-written               keeps the text as written; or correct the text',
      '  \\n is the trace of a program; probably it is ↵',
      '    --as-written               keeps the text as written; or correct the text',
      '  To leave out all of these: --leave-out no_value,damaged_value',
      '',
    ].join('\n'),
  );
  const decided = await relais([...argv, '--as-written', '--take', 'no_value', '--leave-out', 'damaged_value']);
  expect(decided.code).toBe(0);
  expect(decided.stdout).toContain('3 rows: 2 recipients, 1 skipped');
});

test.for([
  ['   ', 'no visible character'],
  ['Bonjour \u001b[31m', 'remove the control characters: “Bonjour \\u001b[31m”'],
  ['Bonjour {{nom|upper}}', '“{{nom|upper}}” has no default; write {{name|word}}, or the word in quotes'],
] as const)('an unreadable text is refused before a file is read: %j', async ([text, said]) => {
  const { code, stderr } = await relais(['campaign', 'check', EXAMPLE, '--text', text]);
  expect(code).toBe(2);
  expect(stderr).toContain(said);
});
