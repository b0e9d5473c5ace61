import { readFileSync, readdirSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';
import { checkNames } from '../../src/app/examine/finding.ts';
import { examineLimits } from '../../src/app/examine/limits.ts';
import { doctorWords } from '../../src/messages/doctor.ts';
import { frenchChecks, frenchFindings } from '../../src/messages/french-doctor.ts';
import { said } from '../../src/messages/said.ts';

const APP = new URL('../../src/app/', import.meta.url);
const files = ['doctor.ts', ...readdirSync(new URL('examine/', APP)).map((name) => `examine/${name}`)];

/** Every text of a source with a space in it, but for what is no sentence of a finding. */
function sentencesIn(file: string): string[] {
  const found: string[] = [];
  const walk = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    const { type, value } = part as { readonly type?: string; readonly value?: unknown };
    if (type === 'ImportDeclaration' || type === 'TemplateLiteral') return;
    if (type === 'Literal' && typeof value === 'string' && /\p{L} \p{L}/u.test(value)) found.push(value);
    Object.values(part).forEach(walk);
  };
  if (!file.endsWith('.ts')) return [];
  walk(parseSync(file, readFileSync(new URL(file, APP), 'utf8')).program);
  return found;
}

/** Of other origin: the name of a check, why a probe failed, what the service said without a sentence. */
const NO_FINDING = /^(sms login|no answer in time|It was refused\.)$/;

test('every finding of the doctor has its French, and nothing else has', () => {
  const sentences = files.flatMap(sentencesIn).filter((one) => !NO_FINDING.test(one));
  expect(sentences.length).toBeGreaterThan(50);
  expect(sentences.filter((one) => !Object.hasOwn(frenchFindings, one))).toEqual([]);
  const sources = files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(new URL(file, APP), 'utf8'))
    .join('\n');
  expect(Object.keys(frenchFindings).filter((one) => !sources.includes(one))).toEqual([]);
  expect(Object.keys(frenchChecks).toSorted()).toEqual(checkNames.toSorted());
});

test('what a finding names is in its French too', () => {
  const named = (one: string): string[] =>
    (one.match(/\{\w+\}|[A-Z]+_[A-Z_]+|relais [a-z]+ ?[a-z]*|--\w+/g) ?? []).toSorted();
  for (const [one, french] of Object.entries(frenchFindings)) {
    if (!one.includes('all that relais does')) expect([one, named(french)]).toEqual([one, named(one)]);
  }
});

test('a sentence of a failure inside a finding is said in French too; what is somebody else’s stays as it is', () => {
  const { say, faults } = doctorWords('fr');
  const sentence = 'The service did not accept our keys.';
  expect(say(said('{account}: {sentence} ({answer})', { account: 'main', sentence, answer: '1001' }))).toBe(
    'main : Le service n’a pas accepté nos clés. (1001)',
  );
  expect(say({ sentence: 'of somebody else', values: {} })).toBe('of somebody else');
  expect([faults(0), faults(1), faults(2)]).toEqual(['Aucun problème trouvé.', '1 problème.', '2 problèmes.']);
});

test.for(['moussa', undefined])('a limit that is in force, set by %s, has its French', async (by) => {
  const held = { name: 'MAX_DISBURSEMENT', value: 750_000, since: 1, ...(by && { by }) } as const;
  const [found] = await examineLimits({ list: async () => [held] }, { MAX_DISBURSEMENT: 900_000 }, 0);
  const { says, fix } = found?.told ?? {};
  expect([says?.sentence, fix?.sentence].every((one) => Object.hasOwn(frenchFindings, one ?? ''))).toBe(true);
});
