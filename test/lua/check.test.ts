/** The generator and its checks on scripts that are made up: one that objects to nothing would look like good Lua. */
import { describe, expect, test } from 'vitest';
import { complaintsAbout, complaintsAboutSource } from '../../script/lua/check.ts';
import { compose } from '../../script/lua/compose.ts';

const library = (files: Readonly<Record<string, string>>) => (path: string) => files[path] ?? '';
const composed = (source: string, files: Readonly<Record<string, string>> = {}) =>
  compose('a/one.lua', library({ 'a/one.lua': source, ...files }));

describe('Lua is objected to where', () => {
  const wrong: readonly (readonly [string, string, string])[] = [
    ['a name is not declared', 'return rekord', 'nothing declares "rekord"'],
    ['a global is written', 'total = 1', 'assigns to a global'],
    ['a local is not used', 'local at = 1', '"at" is not used'],
    ['an argument is not used', '-- @arg id text\nreturn 1', '"id" of the head is not used'],
    ['a key is spelled', "redis.call('GET', 'op:' .. '1')", 'a key is handed in, and not spelled here'],
    ['a state is entered that no arrow leads to', "redis.call('HSET', k, 'rev', 1, 'state', 'held')", 'state held'],
    ['it is handed on in a list', "local set = {'state', 'held'} return set", 'state held'],
  ];
  test.each(wrong)('%s', (_what, source, complaint) => {
    expect(complaintsAbout(composed(source)).join('\n')).toContain(complaint);
  });

  test('KEYS and ARGV are read by number', () => {
    expect(complaintsAboutSource('local id = ARGV[1]')).toHaveLength(1);
    expect(complaintsAboutSource('-- of ARGV\nreturn id')).toEqual([]);
  });
});

test('an arrow of the head answers for the state that is entered', () => {
  const source = "-- @key k\n-- @arrow campaign ready, running -> held\nredis.call('HSET', k, 'state', 'held')";
  const script = composed(source);
  expect(complaintsAbout(script)).toEqual([]);
  expect(script.head.arrows).toEqual([
    { kind: 'campaign', from: 'ready', to: 'held' },
    { kind: 'campaign', from: 'running', to: 'held' },
  ]);
});

test('what is included comes once, after what it includes itself', () => {
  const { lua } = composed('--- @include "lib/b"\n--- @include "lib/c"\nreturn b() + c()', {
    'a/lib/b.lua': '--- @include "c"\nlocal function b() return c() end',
    'a/lib/c.lua': 'local function c() return VERSION end',
  });
  expect(lua.match(/^local function \w/gm)).toEqual(['local function c', 'local function b']);
  expect(lua).toContain('return "1" end');
});

test('a file that includes itself is refused', () => {
  expect(() => composed('--- @include "lib/b"', { 'a/lib/b.lua': '--- @include "b"' })).toThrow('includes itself');
});

test.each([
  ['-- @arg id', 'an argument has a name and a type'],
  ['-- @arg id word', '"word" is no type of an argument'],
  ['-- @returns one {a whole}', '"a whole" is no member of an answer'],
  ['-- @arrow held', '"held" is no arrow'],
  ['-- @keyz record', 'a head has no @keyz'],
])('a head that says %s is refused', (source, complaint) => {
  expect(() => composed(source)).toThrow(complaint);
});
