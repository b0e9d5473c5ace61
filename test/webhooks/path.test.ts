import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { derivedId } from '../../src/lib/ids.ts';
import { Secret } from '../../src/lib/secret.ts';
import { type CallbackTarget, callbackPath, readCallbackPath } from '../../src/webhooks/receiver.ts';

const old = new Secret('the-old-secret');
const current = new Secret('the-current-secret');
const target: CallbackTarget = { account: 'main', kind: 'disbursement', id: derivedId('dis', 'order-7') };

const targets = fc.record({
  account: fc.string({ minLength: 1, maxLength: 20 }),
  kind: fc.constantFrom('disbursement' as const, 'invoice' as const),
  id: fc.stringMatching(/^[\w-]{1,60}$/),
});

test('a path has the promised format: a letter, the key, the account, the id, 128 bits', () => {
  expect(callbackPath([current], target)).toMatch(/^\/cb\/d\/[\w-]{8}\.main\.dis_[0-9a-z]{26}\.[\w-]{22}$/);
  expect(callbackPath([current], { ...target, kind: 'invoice' })).toMatch(/^\/cb\/i\//);
});

test('the same operation has the same path for ever', () => {
  expect(callbackPath([current], target)).toBe(callbackPath([new Secret('the-current-secret')], target));
});

test('a path is parsed to its target, dots and accents in the account included', () => {
  fc.assert(
    fc.property(targets, (any) => {
      expect(readCallbackPath([current], callbackPath([current], any))).toEqual(any);
    }),
  );
  const odd = { ...target, account: 'société.générale sn' };
  expect(readCallbackPath([current], callbackPath([current], odd))).toEqual(odd);
});

describe('rotation', () => {
  test('the first secret signs', () => {
    expect(callbackPath([current, old], target)).toBe(callbackPath([current], target));
  });
  test('every secret verifies', () => {
    expect(readCallbackPath([current, old], callbackPath([old], target))).toEqual(target);
    expect(readCallbackPath([old, current], callbackPath([old], target))).toEqual(target);
  });
  test('a secret that was taken out verifies nothing', () => {
    expect(readCallbackPath([current], callbackPath([old], target))).toBeUndefined();
    expect(readCallbackPath([], callbackPath([old], target))).toBeUndefined();
  });
});

test('two accounts or kinds or ids never share a signature', () => {
  const macOf = (any: CallbackTarget): string | undefined => callbackPath([current], any).split('.').at(-1);
  fc.assert(
    fc.property(targets, targets, (a, b) => {
      fc.pre(JSON.stringify(a) !== JSON.stringify(b));
      expect(macOf(a)).not.toBe(macOf(b));
    }),
  );
});

test('a signature holds for one way of cutting the names only, and for one kind', () => {
  const macOf = (any: CallbackTarget): string => callbackPath([current], any).slice(-22);
  const cut = { account: 'a', kind: 'disbursement', id: 'disbursementb' } as const;
  expect(macOf(cut)).not.toBe(macOf({ account: 'adisbursement', kind: 'disbursement', id: 'b' }));
  expect(readCallbackPath([current], callbackPath([current], target).replace('/d/', '/i/'))).toBeUndefined();
});

test('one changed character anywhere makes the path invalid', () => {
  const path = callbackPath([current], target);
  for (let index = 0; index < path.length; index += 1) {
    const changed = `${path.slice(0, index)}${path[index] === 'x' ? 'y' : 'x'}${path.slice(index + 1)}`;
    expect(readCallbackPath([current], changed)).toBeUndefined();
  }
});

test.each([
  '',
  '/',
  '/cb',
  '/cb/d/',
  '/cb/d/....',
  '/cb/d/%E0%A4%A.%.x.y',
  `/cb/d/${'a'.repeat(10_000)}`,
  '/cb/z/aaaaaaaa.main.x.aaaaaaaaaaaaaaaaaaaaaa',
])('%j is an invalid path', (path) => {
  expect(readCallbackPath([current], path)).toBeUndefined();
});

test('any text is either a path of ours or undefined, never an error', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
      expect(readCallbackPath([current], `/cb/d/${text}`)).toBeUndefined();
    }),
  );
});

test('no path is made without a secret, nor for an id that would not read back', () => {
  expect(() => callbackPath([], target)).toThrow('needs a callback secret');
  expect(() => callbackPath([current], { ...target, id: 'a/b' })).toThrow('no callback path');
  expect(() => callbackPath([current], { ...target, account: '' })).toThrow('no callback path');
});

test('a path shows nothing of its secret', () => {
  const path = callbackPath([current], target);
  expect(path).not.toContain('current');
});
