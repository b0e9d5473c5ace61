import { expect, test } from 'vitest';
import { systemRandom } from '../../src/lib/random.ts';
import { Secret } from '../../src/lib/secret.ts';
import { seal, unseal } from '../../src/upstream/messaging/seal.ts';

const key = new Secret('secret-1');
const sealed = seal('bearer-1', key, 'here', systemRandom);

test('a sealed bearer opens with its key, in its place', () => {
  expect(unseal(sealed, key, 'here')).toBe('bearer-1');
});

test('it opens with no other key and in no other place', () => {
  expect(unseal(sealed, new Secret('secret-2'), 'here')).toBeUndefined();
  expect(unseal(sealed, key, 'there')).toBeUndefined();
});

test.for(['', 'AAAA', sealed.slice(0, -8), `${sealed.slice(0, -4)}AAA=`])(
  'damaged, it is no bearer (%#)',
  (damaged) => {
    expect(unseal(damaged, key, 'here')).toBeUndefined();
  },
);

test('two seals of one bearer differ, and neither shows it', () => {
  const other = seal('bearer-1', key, 'here', systemRandom);
  expect(other).not.toBe(sealed);
  expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('bearer');
});
