import { assert, constantFrom, dictionary, integer, jsonValue, nat, oneof, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readJson } from '../../src/lib/json.ts';

const told = (text: string): unknown => {
  const read = readJson(text);
  return 'wrong' in read ? [read.is, read.row ?? null] : read.value;
};

test('output of JSON.stringify is parsed like by JSON.parse, with any indentation', () => {
  assert(
    property(jsonValue({ maxDepth: 6 }), nat(3), (value, indent) => {
      const nested = { some: [value] };
      const text = JSON.stringify(nested, undefined, indent);
      expect(readJson(text)).toEqual({ value: JSON.parse(text) });
    }),
  );
});

test('a second key of the same name is found wherever it is put in', () => {
  const names = string({
    unit: constantFrom('a', '"', '\\', '{', '[', ',', ':', '1', 'é', '\n'),
    maxLength: 4,
  });
  const values = oneof(names, integer(), constantFrom(true, null, {}, []));
  assert(
    property(dictionary(names, values, { minKeys: 1 }), nat(), (fields, seed) => {
      const entries = Object.entries(fields).map(
        ([name, value]) => `${JSON.stringify(name)}\n :${JSON.stringify(value)}`,
      );
      const text = `{"in":[{${entries.join(' , ')}}]}`;
      expect(told(text)).toEqual(JSON.parse(text));
      entries.splice(seed % (entries.length + 1), 0, entries[seed % entries.length] ?? '');
      expect(told(`{"in":[{${entries.join(' , ')}}]}`)).toEqual(['ambiguous', null]);
    }),
  );
});

test('a second key of one escaped letter is found, also where JSON.parse makes a backslash of it', () => {
  // After an object with both names V8 expects the backslash after the other.
  expect(Object.keys(JSON.parse('{"\\n":true,"\\\\":true}') as object)).toEqual(['\n', '\\']);
  expect(told('{"in":[{"\\n" :true,"\\n" :true}]}')).toEqual(['ambiguous', null]);
});

test('names that inherit a meaning are names', () => {
  expect(told('{"__proto__":1,"constructor":2,"hasOwnProperty":3}')).toEqual(
    JSON.parse('{"__proto__":1,"constructor":2,"hasOwnProperty":3}'),
  );
  expect(told('{"__proto__":1,"__proto__":2}')).toEqual(['ambiguous', null]);
  expect(Object.getPrototypeOf((readJson('{"__proto__":1.0}') as { value: object }).value)).toBe(Object.prototype);
});

test('in a list the member is named', () => {
  expect(told('[{"a":1},{"b":[{"c":1,"c":1}]}]')).toEqual(['ambiguous', 1]);
  expect(told(`[1,2,${'['.repeat(32)}${']'.repeat(32)}]`)).toEqual(['too deep', 2]);
});

test('a name that is a telephone number is not repeated', () => {
  expect(JSON.stringify(readJson('{"+221771234567":1,"+221771234567":2}'))).not.toContain('1234567');
});

describe('numbers', () => {
  test.for([
    ['{"n":1.0}', { n: '1.0' }],
    ['[{"n":1e3},2.0,{"n":7}]', [{ n: '1e3' }, 2, { n: 7 }]],
    ['{"a":"x","n":-0,"m":-12,"o":0}', { a: 'x', n: 0, m: -12, o: 0 }],
    ['{"in":{"n":1.50},"list":[1.50]}', { in: { n: 1.5 }, list: [1.5] }],
    ['[[{"n":1.50}]]', [[{ n: 1.5 }]]],
    ['1.50', 1.5],
    ['{"a,\\"{":[1,{"b":2}],"n":3E0}', { 'a,"{': [1, { b: 2 }], n: '3E0' }],
  ] as const)('of a request itself, and not written plainly, stay as they are written: %s', ([text, value]) => {
    expect(JSON.stringify(told(text))).toBe(JSON.stringify(value));
  });
});
