import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { percentDecode } from '../../../src/webhooks/body.ts';

test('a form-encoded value is decoded', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(percentDecode(new URLSearchParams({ x: text }).toString().slice(2))).toBe(text);
    }),
  );
});

test.each([
  ['%', '%'],
  ['100%', '100%'],
  ['%zz%41', '%zzA'],
  ['%4', '%4'],
  ['pay%E9+', 'pay\ufffd '],
  ['%C3%A9%', 'é%'],
  ['%2541', '%41'],
])('%j is decoded to %j, one layer and never an error', (text, decoded) => {
  expect(percentDecode(text)).toBe(decoded);
});
