import { assert, property, stringMatching } from 'fast-check';
import { expect, test } from 'vitest';
import { digitsOf } from '../../src/lib/phone.ts';

test.for(['+221771234567', '221771234567', '00221771234567', '+221 77 123 45 67', '00 221 (77) 123-45-67'])(
  '%s is the same number as all its other spellings',
  (written) => expect(digitsOf(written)).toBe('221771234567'),
);

test('a zero that does not replace the plus sign belongs to the number', () => {
  expect(digitsOf('+2290197000000')).toBe('2290197000000');
  expect(digitsOf('0771234567')).toBe('0771234567');
  expect(digitsOf('2250700123400')).toBe('2250700123400');
});

test('a stored number in international form is found again', () => {
  const numbers = stringMatching(/^\+[1-9]\d{7,14}$/);
  assert(property(numbers, (written) => digitsOf(written) === written.slice(1)));
});
