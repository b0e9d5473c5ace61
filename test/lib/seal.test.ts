import { expect, test } from 'vitest';
import { systemRandom } from '../../src/lib/random.ts';
import { sealText, unsealText, Secret } from '../../src/lib/secret.ts';

const key = new Secret('key');
const at = { purpose: 'test', place: 'here' };
const sealed = (): string => sealText('hello', key, at, systemRandom);

test('an encrypted text decrypts with its key, also when a newer one is listed first', () => {
  expect(unsealText(sealed(), [key], at)).toBe('hello');
  expect(unsealText(sealed(), [new Secret('newer'), key], at)).toBe('hello');
});

test('encryption of the same text never gives the same result', () => {
  expect(sealed()).not.toBe(sealed());
});

test.for([
  ['another key', [new Secret('other')], at],
  ['another place', [key], { ...at, place: 'there' }],
  ['another purpose', [key], { ...at, purpose: 'other' }],
  ['no key', [], at],
] as const)('it does not open with %s', ([, keys, place]) => {
  expect(unsealText(sealed(), keys, place)).toBeUndefined();
});

test('a damaged or truncated text does not decrypt', () => {
  const bytes = Buffer.from(sealed(), 'base64');
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  expect(unsealText(bytes.toString('base64'), [key], at)).toBeUndefined();
  expect(unsealText('', [key], at)).toBeUndefined();
  expect(unsealText(sealed().slice(0, 20), [key], at)).toBeUndefined();
});
