import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { findKey, personOf, readApiKeys, readGroups, type ApiKey, hasRole } from '../../src/api/keys.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('API_KEYS', () => {
  test('may give one name two secrets, and both are that key while it is rotated', () => {
    const keys = readApiKeys(`shop:enqueue+read:old-secret,shop:enqueue+read:sha256:${sha256('new-secret')}`);
    for (const secret of ['old-secret', 'new-secret']) expect(findKey(keys, secret)?.name).toBe('shop');
    for (const secret of ['', 'old', 'old-secret ', sha256('new-secret')]) {
      expect(findKey(keys, secret)).toBeUndefined();
    }
  });

  test('are stored as digests: no secret is in the result', () => {
    const keys = readApiKeys('shop:enqueue:hunter2-secret,desk:read+approve@main+other:letmein-secret');
    const everything = inspect(keys, { depth: 9 }) + JSON.stringify(keys);
    expect(everything).not.toMatch(/hunter2|letmein/);
    expect(keys[1]?.accounts).toEqual(new Set(['main', 'other']));
  });

  test('can name their holder: a name after a slash, so that two keys belong to one person', () => {
    const keys = readApiKeys(
      'awa-desk/awa@shop.example:enqueue@main:secret-1,awa-phone/awa@shop.example:read:secret-2,x:read:y',
    );
    expect(keys.map((key) => [key.name, personOf(key)])).toEqual([
      ['awa-desk', 'awa@shop.example'],
      ['awa-phone', 'awa@shop.example'],
      ['x', 'x'],
    ]);
    expect(keys[0]?.accounts).toEqual(new Set(['main']));
  });

  test.for([
    ['awa/:read:secret-1', 'entry 1: is not of that form'],
    ['awa/one/two:read:secret-1', 'entry 1: is not of that form'],
    ['desk/awa:read:secret-3,desk/binta:read:secret-4', 'entry 2: "desk" is of awa already'],
    ['shop:enqueue:same,desk:read:same', '"desk" has the same secret as "shop"'],
    [`shop:enqueue:same,desk:read:sha256:${sha256('same')}`, '"desk" has the same secret as "shop"'],
    ['shop:pay:secret-1', 'entry 1: pay is not a role'],
    ['shop:read:ok,nonsense', 'entry 2: is not of that form'],
    ['shop:read:sha256:12', 'must be followed by 64 hex characters'],
  ] as const)('%s is refused, and no secret is repeated', ([text, told]) => {
    expect(() => readApiKeys(text)).toThrow(told);
    expect(() => readApiKeys(text)).not.toThrow(/secret-1|same,|:same$/);
  });
});

describe('OIDC_GROUPS', () => {
  test('names the rights of a group, in the format of API_KEYS; names of groups have slashes, spaces and dots', () => {
    expect(readGroups('/staff/pay:read+approve, Relais Dakar.1:enqueue+read@dakar+main')).toEqual([
      { group: '/staff/pay', roles: new Set(['read', 'approve']) },
      { group: 'Relais Dakar.1', roles: new Set(['enqueue', 'read']), accounts: new Set(['dakar', 'main']) },
    ]);
  });

  test.for([
    ['staff', /entry 1: is not of that form/],
    ['staff:read,pay:write', /entry 2: write is not a role/],
    ['staff:read,staff:approve', /"staff" is there twice/],
  ] as const)('%s cannot be read', ([text, why]) => expect(() => readGroups(text)).toThrow(why));
});

test('a key for SMS or for payments alone is read, and enqueue has both rights', () => {
  const [shop, payroll, both] = readApiKeys('shop:enqueue-sms:a,payroll:enqueue-payments+read@dakar:b,all:enqueue:c');
  const rights = (key: ApiKey | undefined) =>
    (['enqueue-sms', 'enqueue-payments', 'enqueue', 'approve'] as const).map((role) => key && hasRole(key, role));
  expect(rights(shop)).toEqual([true, false, false, false]);
  expect(rights(payroll)).toEqual([false, true, false, false]);
  expect(rights(both)).toEqual([true, true, true, false]);
});
