import { expect, test } from 'vitest';
import { readJson, readText } from '../../src/provider/exchange.ts';

const unreadable: readonly (readonly [what: string, text: string, problem: string])[] = [
  ['nothing', '', 'empty'],
  ['blanks', ' \n ', 'empty'],
  ['a page', '<!doctype html>', 'html'],
  ['half an object', '{"a":"0', 'not_json'],
  ['two objects', '{}{}', 'not_json'],
  ['a list', '[{"a":1}]', 'not_an_object'],
  ['a text', '"00"', 'not_an_object'],
  ['null', 'null', 'not_an_object'],
  ['a key twice', '{"code":"ERROR_101","code":"00"}', 'duplicate_keys'],
  ['a key twice, once escaped', '{"code":"1","c\\u006fde":"00"}', 'duplicate_keys'],
  ['a key twice, with a blank before its colon', '{"a":1,"a" :2}', 'duplicate_keys'],
  ['a key twice, beside a text with a colon', '{"a":":","a":2}', 'duplicate_keys'],
  ['a key twice, further down', '{"a":[{"b":{"c":1,"d":2,"c":3}}]}', 'duplicate_keys'],
  ['a key twice, under the name of a prototype', '{"__proto__":{"a":1},"__proto__":{"a":2}}', 'duplicate_keys'],
  ['a key twice, in a list of lists', '[[[{"a":1,"a":2}]]]', 'duplicate_keys'],
  ['a tower of objects', `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`, 'too_deep'],
  ['a tower', `{"a":${'['.repeat(40)}${']'.repeat(40)}}`, 'too_deep'],
];
test.for(unreadable)('%s is not an answer', ([, text, problem]) => {
  expect(readJson(text)).toEqual({ problem });
});

test('the same key in different objects is no repetition', () => {
  const text = '{"a":{"x":1},"b":{"x":1},"c":[{"x":1},{"x":"x: {\\"x\\":1}"}],"x":"a"}';
  expect(readJson(text)).toEqual({ object: JSON.parse(text) });
});

test.for(['{"a":":x","b":1}', '{"a":"\\":","b" : 2}', '{ "a"\n:\t"x: y" }'])('%s has no key twice', (text) => {
  expect(readJson(text)).toEqual({ object: JSON.parse(text) });
});

test('the maximum nesting is parsed', () => {
  const text = `${'{"a":'.repeat(32)}1${'}'.repeat(32)}`;
  expect(readJson(text)).toEqual({ object: JSON.parse(text) });
});

test('an amount with more than two decimals keeps them, so that nothing rounds it to a whole one', () => {
  expect(readJson('{"amount":25000.0000000000001}')).toEqual({ object: { amount: '25000.0000000000001' } });
});

test('a byte order mark and blanks around are read over', () => {
  expect(readJson('\uFEFF {"a":1}\n')).toEqual({ object: { a: 1 } });
});

test.for([
  [' x ', 'x'],
  [7, '7'],
  [2 ** 53, undefined],
  [1.5, undefined],
  ['', undefined],
  [null, undefined],
  [{}, undefined],
] as const)('the text of %j is %j', ([value, text]) => {
  expect(readText(value)).toBe(text);
});
