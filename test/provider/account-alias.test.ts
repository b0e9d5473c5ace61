import { expect, test } from 'vitest';
import type { Country } from '../../src/lib/countries.ts';
import { payeeOf, readAccountAlias, readDebitAccount } from '../../src/provider/capabilities.ts';
import { reworded } from '../support/reworded.ts';

type Row = readonly [what: string, text: string, country: Country, alias: string];

const read: readonly Row[] = [
  ['a national number', '771234567', 'SN', '771234567'],
  ['E.164', '+221771234567', 'SN', '771234567'],
  ['00 form', '00221771234567', 'SN', '771234567'],
  ['the code without +', '221771234567', 'SN', '771234567'],
  ['punctuation', ' +221 77-123.45.67 ', 'SN', '771234567'],
  ['a leading zero of Côte d’Ivoire', '0701020304', 'CI', '0701020304'],
  ['the same in E.164', '+2250701020304', 'CI', '0701020304'],
  ['a new number of Benin', '+2290197123456', 'BJ', '0197123456'],
  ['an old number of Benin', '97123456', 'BJ', '97123456'],
  ['a national number that begins like its country', '22612345', 'BF', '22612345'],
  ['a national number that begins like another country', '22512345', 'TG', '22512345'],
];
test.for(read)('%s', ([, text, country, alias]) => {
  expect(readAccountAlias(text, country)).toEqual({ alias });
});

const refused: readonly (readonly [string, Country])[] = [
  ['+225 0701020304', 'SN'],
  ['00225 0701020304', 'SN'],
  ['2250701020304', 'SN'],
  ['+33612345678', 'SN'],
  ['+221771234567', 'BF'],
  ['77 123 45 6x', 'SN'],
  ['++221771234567', 'SN'],
  ['', 'SN'],
];
test.for(refused)('%s is refused for %s', ([text, country]) => {
  expect(reworded(readAccountAlias(text, country))).toEqual({ problem: expect.any(String) });
});

test('an unusual length is a warning, and a refusal only when asked', () => {
  expect(readAccountAlias('7712345', 'SN')).toEqual({
    alias: '7712345',
    warning: { digits: 7, country: 'Senegal', usual: '9' },
  });
  expect(reworded(readAccountAlias('7712345', 'SN', { strict: true }))).toEqual({
    problem: expect.stringContaining('9'),
  });
});

test('an account of the provider is unchanged', () => {
  expect(readAccountAlias(' +221-ACC 0042 ', undefined)).toEqual({ alias: '+221-ACC 0042' });
});

test('reading an alias twice changes nothing', () => {
  for (const [, text, country] of read) {
    const once = readAccountAlias(text, country);
    expect('alias' in once && readAccountAlias(once.alias, country)).toEqual(once);
  }
});

test('a debit account goes with service only', () => {
  expect(readDebitAccount('BBJ0123456789', 'service')).toEqual({ number: 'BBJ0123456789' });
  expect(reworded(readDebitAccount('odd', 'service'))).toEqual({ number: 'odd', warning: expect.any(String) });
  expect(reworded(readDebitAccount('BBJ0123456789', 'wallet-a-mali'))).toEqual({ problem: expect.any(String) });
});

const payees: readonly (readonly [alias: string, country: Country | undefined, payee: string])[] = [
  ['771234567', 'SN', 'SN 771234567'],
  ['0771234567', 'SN', 'SN 771234567'],
  ['97123456', 'BJ', 'BJ 0197123456'],
  ['0197123456', 'BJ', 'BJ 0197123456'],
  ['0701020304', 'CI', 'CI 0701020304'],
  // For accounts of the provider: the number shows its country, if possible.
  ['771234567', undefined, 'SN 771234567'],
  ['+221 77 123 45 67', undefined, 'SN 771234567'],
  ['00221771234567', undefined, 'SN 771234567'],
  ['221771234567', undefined, 'SN 771234567'],
  ['+22997123456', undefined, 'BJ 0197123456'],
  ['+2290197123456', undefined, 'BJ 0197123456'],
  ['+22370123456', undefined, 'ML 70123456'],
  ['70123456', undefined, 'service 70123456'],
  ['0701020304', undefined, 'service 0701020304'],
  // The provider may ignore case: one beneficiary for the limits.
  [' ACC-0042 ', undefined, 'service acc-0042'],
  ['acc-0042', undefined, 'service acc-0042'],
  ['acc\u200b-0042', undefined, 'service acc-0042'],
  ['acc 0042', undefined, 'service acc 0042'],
  ['acc\u00a00042', undefined, 'service acc 0042'],
  ['E\u0301picerie', undefined, 'service épicerie'],
  // Côte d’Ivoire and Benin added two digits before every number.
  ['07010203', 'CI', 'CI 0707010203'],
  ['+22507010203', undefined, 'CI 0707010203'],
  ['0707010203', 'CI', 'CI 0707010203'],
  ['+33612345678', undefined, 'service +33612345678'],
];
test.for(payees)('%s (%s) is %s, whichever channel pays', ([alias, country, payee]) => {
  expect(payeeOf(alias, country)).toBe(payee);
});
