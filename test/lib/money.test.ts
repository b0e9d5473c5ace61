import { expect, test } from 'vitest';
import { readWrittenXof } from '../../src/lib/money.ts';

test.for([
  ['346500', 346_500],
  ['346 500', 346_500],
  ['346\u202f500 F CFA', 346_500],
  ['346\u00a0500,00', 346_500],
  ['346.500,00 F', 346_500],
  ['346,500.00', 346_500],
  ['1.346.500', 1_346_500],
  ['1,250,000 XOF', 1_250_000],
  ['FCFA 25 000', 25_000],
  ['25000.00', 25_000],
  ['25000,0 fcfa', 25_000],
  ['1’250’000', 1_250_000],
  ['5 F', 5],
] as const)('%s is an amount that people write', ([text, xof]) => expect(readWrittenXof(text)).toBe(xof));

test.for([
  '',
  '0',
  '-5',
  '1e3',
  '025',
  '25 00',
  '346 50 000',
  '25000.50',
  '346.500.00',
  '12,5',
  'F',
  '25 000 USD',
  '9'.repeat(17),
])('%s is refused and never rounded', (text) => expect(readWrittenXof(text, { thousands: true })).toBeUndefined());

test('one sign between three digits is read only where somebody said what it means', () => {
  for (const text of ['346.500', '346,500 F']) {
    expect(readWrittenXof(text)).toBeUndefined();
    expect(readWrittenXof(text, { thousands: true })).toBe(346_500);
  }
});
