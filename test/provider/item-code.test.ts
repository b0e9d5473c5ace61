import { expect, test } from 'vitest';
import { readItemCode } from '../../src/provider/exchange.ts';

const formless = [
  '1234567',
  'abcdefgh',
  `1${'a'.repeat(64)}`,
  '2026-11-22 10:00:00',
  '<b>12345678',
  'échec123',
  true,
];
const words = [
  'FAILED',
  'error_110',
  'Error-2201',
  '400',
  400,
  '',
  ' ',
  'REJECTED',
  'ERROR_999',
  '0',
  '000',
  null,
  {},
];

test.for([...formless, ...words])('the code %j is neither yes nor no, and is unrecognised', (code) => {
  expect(readItemCode({ code })).toMatchObject({ outcome: 'unknown', strange: true });
});

test('no code at all is strange too', () => {
  expect(readItemCode({})).toMatchObject({ outcome: 'unknown', strange: true });
});

test.for(['00', '00 ', 'SMS00001', '12345678', 12_345_678, 'a3f1c2d4-77.b_9', `1${'a'.repeat(63)}`])(
  'the code %j means sent',
  (code) => {
    expect(readItemCode({ code })).toMatchObject({ outcome: 'sent', strange: false });
  },
);

test.for([
  { status: 'REJECTED' },
  { status: 'failed' },
  { status: false },
  { status: { code: 1 } },
  { error: 'invalid number' },
  { error: { code: 12 } },
  { error: true },
])('00 next to %j is neither yes nor no, and is unrecognised', (beside) => {
  expect(readItemCode({ code: '00', ...beside })).toMatchObject({ outcome: 'unknown', strange: true });
});

test.for([{ status: 'Sent' }, { status: 'success', error: null }, { error: '' }, { error: false, status: '' }])(
  '00 next to %j means sent',
  (beside) => {
    expect(readItemCode({ code: '00', ...beside })).toMatchObject({ outcome: 'sent', strange: false });
  },
);

test('a listed error keeps its meaning, unless the item also reports success', () => {
  expect(readItemCode({ code: 'ERROR_110', status: 'failed' })).toMatchObject({ outcome: 'failed', strange: false });
  expect(readItemCode({ code: 'ERROR_101' })).toMatchObject({ outcome: 'unknown', strange: false });
  expect(readItemCode({ code: 'ERROR_110', status: 'sent' })).toMatchObject({ outcome: 'unknown', strange: true });
});

test('an invalid code is stored only if it is short and plain', () => {
  expect(readItemCode({ code: 'REJECTED' }).code).toBe('REJECTED');
  expect(readItemCode({ code: 'call +221771234567 now' }).code).toBeUndefined();
  expect(readItemCode({ code: 'x'.repeat(10_000) }).code).toBeUndefined();
});
