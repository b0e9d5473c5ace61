import { expect, test } from 'vitest';
import { canonicalJson, derivedHex, derivedId, fingerprint } from '../../src/lib/ids.ts';

test('a derived id is permanent: a retry after years finds the same', () => {
  expect(derivedId('dsb', 'default', 'main', 'disbursement', 'order-1042')).toBe('dsb_6zha4yn2j7w8s8q6h3fry46pnk');
  expect(derivedId('msg', '', 'é', 'ab', 'c')).toBe('msg_9p4gs3fwke23t185grhmkmx17q');
  expect(derivedHex('disburse_id', 'default', 'main')).toBe('5e27cd3b904192c41627c0eeb76b659d');
  expect(fingerprint('é text')).toBe('Q7TAd1fjWiaNrE4oFMKJnY');
});

test('parts that only touch each other elsewhere give another id', () => {
  expect(derivedId('x', 'a', 'bc')).not.toBe(derivedId('x', 'ab', 'c'));
  expect(derivedId('x', '')).not.toBe(derivedId('x'));
});

test('equal values give equal texts, for any order of their keys', () => {
  expect(canonicalJson({ b: [1, { d: 2, c: undefined }], a: 'x' })).toBe('{"a":"x","b":[1,{"d":2}]}');
});
