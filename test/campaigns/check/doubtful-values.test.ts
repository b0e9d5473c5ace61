/** Damaged or empty values: a decision is required before they are sent. */
import { expect, test } from 'vitest';
import type { CheckOptions } from '../../../src/campaigns/check/check-recipients.ts';
import { doubtIn } from '../../../src/campaigns/check/doubtful-values.ts';
import { checkFile } from './read-file.ts';

test.for([
  ['NULL'],
  ['null'],
  ['(null)'],
  ['nan'],
  ['NaN'],
  ['None'],
  ['undefined'],
  ['\\N'],
  ['N/A'],
  ['n/a'],
  ['#N/A N/A'],
  ['nil'],
  ['NA'],
  ['-'],
  ['--'],
  ['?'],
  ['true'],
  ['FALSE'],
] as const)('%s represents no value', ([value]) => {
  expect(doubtIn(value)).toMatchObject({ is: 'no_value' });
});

test.for([
  ['AÃ¯ssatou', 'Aïssatou'],
  ['BÃ©nÃ©dicte', 'Bénédicte'],
  ['aoÃ»t', 'août'],
  ['lâ€™Ã©tÃ©', 'l’été'],
  ['CÅ“ur', 'Cœur'],
  ['10Â\u00a0000', '10\u00a0000'],
  ['ThiÃ¨s et Mbour é', 'Thiès et Mbour é'],
  ['B√©n√©dicte', 'Bénédicte'],
  ['B├®n├®dicte', 'Bénédicte'],
  ['N&#039;Diaye', "N'Diaye"],
  ['N&#x27;Diaye', "N'Diaye"],
  ['Thi&egrave;s', 'Thiès'],
  ['N&#039', "N'"],
  ['Thi&egrave', 'Thiè'],
  ['Awa &amp; fils', 'Awa & fils'],
  ['A&iuml;ssatou', 'Aïssatou'],
  ['Rue 10\\nDakar', 'Rue 10\nDakar'],
  ['Awa\\tBa', 'Awa Ba'],
  ['B\\u00e9n\\u00e9dicte', 'Bénédicte'],
  ['A%C3%AFssatou', 'Aïssatou'],
  ['A=C3=AFssatou', 'Aïssatou'],
  ['<b>Awa</b>', 'Awa'],
  ['Rue 10<br/>Dakar', 'Rue 10\nDakar'],
  ['A\ufffdssatou', undefined],
  ['B?n?dicte', undefined],
  ['{{prenom}}', undefined],
  ['${prenom}', undefined],
] as const)('%s was damaged by a program; probably it is %s', ([value, meant]) => {
  expect(doubtIn(value)).toEqual({ is: 'damaged_value', ...(meant !== undefined && { meant }) });
});

test.for([
  ['Aïssatou'],
  ['Nan'],
  ['Nana'],
  ['SÃO TOMÉ'],
  ['DÉSOLÉ…'],
  ['«CAFÉ»'],
  ['Awa & fils'],
  ['R&B; soul'],
  ['R&B'],
  ['Son&Lumiere'],
  ['10 000 F'],
  ["N'Diaye"],
  ['a > b < c'],
  ['https://x.sn/p?id=1&nom=2'],
  ['C’est sûr ?'],
  ['100 %'],
  ['مرحبا'],
  ['Ω'],
  ['-5'],
  ['😀'],
  ['C:/nouveau'],
] as const)('%s is a value like any other', ([value]) => {
  expect(doubtIn(value)).toBeUndefined();
});

const TEXT = { text: 'Bonjour {{prenom}}', country: 'SN' };
const reasonsOf = async (file: string, options: CheckOptions = TEXT) =>
  (await checkFile(file, options)).rows.map((row) => (row.is === 'recipient' ? row.vars['prenom'] : row.reason));

test('rows with such values are skipped until it is decided about them', async () => {
  const file = 'to;prenom;ville\n771234567;NULL;x\n771234568;AÃ¯ssatou;x\n771234569;Awa;NULL\n';
  expect(await reasonsOf(file)).toEqual(['no_value', 'damaged_value', 'Awa']);
  expect(await reasonsOf(file, { ...TEXT, take: ['no_value'] })).toEqual(['NULL', 'damaged_value', 'Awa']);
  expect(await reasonsOf(file, { ...TEXT, take: ['damaged_value'] })).toEqual(['no_value', 'AÃ¯ssatou', 'Awa']);
  const { summary } = await checkFile(file, TEXT);
  expect(summary.reasons.damaged_value?.examples[0]).toMatchObject({
    column: 'prenom',
    detail: { message: '“AÃ¯ssatou”, probably “Aïssatou”' },
  });
  expect(summary.reasons.no_value?.examples[0]).toMatchObject({ column: 'prenom', detail: { message: '“NULL”' } });
});

test('a value that no SMS can carry is never sent, and a blank one is empty', async () => {
  const lines = ['Awa\\u0000', 'Awa\\u001b[31m', 'Awa\\ud83d', '\\u200b', 'Awa\\r\\nBa'];
  const file = lines.map((value, at) => `{"to":"+22177000000${at}","prenom":"${value}"}`).join('\n');
  const expected = ['unsendable_value', 'unsendable_value', 'unsendable_value', 'empty_variable', 'Awa\nBa'];
  expect(await reasonsOf(file, { ...TEXT, take: ['no_value', 'damaged_value'] })).toEqual(expected);
});

test('a text that is invisible with its row’s values is not sent', async () => {
  const file = 'to;prenom\n771234567;\n771234568;Awa\n';
  expect(await reasonsOf(file, { ...TEXT, text: ' {{prenom|}}\n' })).toEqual(['empty_text', 'Awa']);
  expect(await reasonsOf(file, { ...TEXT, text: '{{prenom|}} !' })).toEqual(['', 'Awa']);
  expect(await reasonsOf(file, { ...TEXT, text: '' })).toEqual([undefined, undefined]);
});
