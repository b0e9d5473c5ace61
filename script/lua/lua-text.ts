/** The text that Redis gets: constants, what is included, the arguments under their names, then the script itself. */
import type { Each, Group, Head, Key, Unit, Word } from './head.ts';

/** What can be written down in Lua as it stands. */
export type Constant = string | number | boolean | readonly Constant[] | { readonly [name: string]: Constant };

function luaOf(value: Constant): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object') return String(value);
  const entries = isList(value)
    ? value.map((one) => luaOf(one))
    : Object.entries(value).map(([name, one]) => `[${JSON.stringify(name)}] = ${luaOf(one)}`);
  return `{${entries.join(', ')}}`;
}

const isList = (value: object): value is readonly Constant[] => Array.isArray(value);

/** A constant stands where it is used, so that a script pays for none that it does not come to. */
export const withConstants = (lua: string, constants: Readonly<Record<string, Constant>>): string =>
  lua.replace(/'(?:\\.|[^'\\\n])*'|\b[A-Z][A-Z0-9_]+\b/g, (found) => {
    const value = constants[found];
    return value === undefined ? found : typeof value === 'object' ? `(${luaOf(value)})` : luaOf(value);
  });

export const between = (lines: readonly string[]): string =>
  lines.length === 0 ? '' : ['-- <generated>', ...lines, '-- </generated>', ''].join('\n');

/** Only what Redis runs: whole lines of comment and empty lines stay at home. */
export const withoutComments = (source: string): string =>
  source
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s*--/.test(line))
    .map((line) => `${line}\n`)
    .join('');

/** What a word is in Lua. */
function wordIn(unit: Unit | 'word', place: string, optional: boolean): string {
  if (unit === 'flag') return `${place} == '1'`;
  const isText = unit === 'word' || unit === 'text' || unit === 'json' || unit === 'state';
  if (!isText) return `tonumber(${place})`;
  return optional ? `_given(${place})` : place;
}

/** Walks the words: at places that are known while nothing before them varies in length. */
interface Places {
  /** The place of the next word, as Lua. */
  next(): string;
}

function fixedPlaces(): Places & { readonly used: () => number } {
  let used = 0;
  return { next: () => `ARGV[${(used += 1)}]`, used: () => used };
}

function placesAfter(variable: string): Places & { readonly used: () => number } {
  let used = 0;
  return { next: () => `ARGV[${variable} + ${(used += 1)}]`, used: () => used };
}

const isVarying = ({ type }: Word): boolean => type.is === 'list' || type.is === 'pairs';

export function locals(head: Head): string[] {
  const lines: string[] = [];
  const places = fixedPlaces();
  const fixedKeys = head.keys.filter((key) => !key.optional && !key.list);
  for (const [at, key] of fixedKeys.entries()) lines.push(`local ${key.name} = KEYS[${at + 1}]`);
  for (const word of head.words.filter((one) => !isVarying(one))) {
    lines.push(`local ${word.name} = ${valueOf(word, places, head)}`);
  }
  const varying = head.words.filter(isVarying);
  const others = head.keys.filter((key) => key.optional || key.list);
  if (varying.length + others.length + head.each.length > 0) {
    lines.push(`local _arg, _key = ${places.used()}, ${fixedKeys.length}`);
    for (const key of others) lines.push(...keyLines(key, `local ${key.name}`, key.name));
    for (const word of varying) lines.push(`local ${word.name} = {}`, ...listLines(word, word.name));
    for (const each of head.each) lines.push(...eachLines(each, head));
  }
  if (lines.some((line) => line.includes('_given('))) {
    lines.unshift("local function _given(word) if word ~= '' then return word end end");
  }
  return lines;
}

/** What stands right of the equals sign; a struct is a table of its words. */
function valueOf(word: Word, places: Places, { structs }: Pick<Head, 'structs'>): string {
  const { type, optional } = word;
  if (type.is === 'unit') return wordIn(type.unit, places.next(), optional);
  if (type.is === 'one of') return wordIn('word', places.next(), optional);
  if (type.is !== 'struct') throw new Error(`${word.name} varies in length, so its place is not known`);
  const struct = structs.get(type.name);
  if (!struct) throw new Error(`nothing that is included declares the struct ${type.name}`);
  const members = struct.words.map((one) => `${one.name} = ${valueOf(one, places, { structs })}`);
  return `{${members.join(', ')}}`;
}

/** Whether it is there, or how many there are, is told by a word. */
function keyLines(key: Key, declared: string, name: string): string[] {
  const count = '_arg = _arg + 1';
  if (!key.list) {
    return [declared, count, `if ARGV[_arg] == '1' then _key = _key + 1; ${name} = KEYS[_key] end`];
  }
  return [
    `${declared} = {}`,
    count,
    `for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; ${name}[_i] = KEYS[_key] end`,
  ];
}

function listLines(word: Word, name: string): string[] {
  const unit = word.type.is === 'list' ? word.type.unit : 'text';
  return [
    '_arg = _arg + 1',
    `for _i = 1, tonumber(ARGV[_arg]) do ${name}[_i] = ${wordIn(unit, 'ARGV[_arg + _i]', false)} end`,
    `_arg = _arg + #${name}`,
  ];
}

function eachLines(each: Each, head: Head): string[] {
  const places = placesAfter('_arg');
  const fixedKeys = each.keys.filter((key) => !key.optional && !key.list);
  const fixed = each.words.filter((word) => !isVarying(word));
  const members = [
    ...fixedKeys.map((key, at) => `${key.name} = KEYS[_key + ${at + 1}]`),
    ...fixed.map((word) => `${word.name} = ${valueOf(word, places, head)}`),
  ];
  const others = each.keys.filter((key) => key.optional || key.list);
  const varying = each.words.filter(isVarying);
  return [
    `local ${each.name} = {}`,
    '_arg = _arg + 1',
    `for _n = 1, tonumber(ARGV[_arg]) do`,
    `  local _one = {${members.join(', ')}}`,
    `  _arg, _key = _arg + ${places.used()}, _key + ${fixedKeys.length}`,
    ...others.flatMap((key) =>
      key.list
        ? keyLines(key, `_one.${key.name}`, `_one.${key.name}`)
        : keyLines(key, '', `_one.${key.name}`).slice(1),
    ),
    ...varying.flatMap((word) => [`_one.${word.name} = {}`, ...listLines(word, `_one.${word.name}`)]),
    `  ${each.name}[_n] = _one`,
    'end',
  ];
}

/** Every name that a group gives to Lua. */
export const namesOf = ({ keys, words }: Group): readonly string[] => [...keys, ...words].map(({ name }) => name);
