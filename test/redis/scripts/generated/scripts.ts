// Generated from ../*.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../../src/redis/scripts.ts';

export interface EchoArgs {
  /** key */ readonly record: string;
  /** key */ readonly other?: string | undefined;
  /** key */ readonly lists: readonly string[];
  readonly said?: string | undefined;
  /** ms */ readonly wait?: number | undefined;
  readonly sure: boolean;
  /** as the library has it */ readonly person: { readonly name: string; readonly age?: number | undefined };
  readonly mood: 'glad' | 'sad';
  readonly numbers: readonly number[];
  readonly fields: Readonly<Record<string, string | number>>;
  readonly rows: readonly {
    /** key */ readonly row: string;
    /** key */ readonly twin?: string | undefined;
    readonly id: string;
    readonly marks: readonly string[];
  }[];
}

export type EchoRow =
  | { readonly is: 'row'; readonly row: string; readonly twin?: string | undefined; readonly id: string; readonly marks: readonly string[] }
  | { readonly is: 'lone' };

export type EchoAnswer =
  | { readonly is: 'echo'; readonly keys: readonly string[]; readonly said?: string | undefined; readonly wait?: number | undefined; readonly sure: boolean; readonly greeting: string; readonly mood: string; readonly sum: number; readonly fields: Readonly<Record<string, string>>; readonly rows: readonly EchoRow[] }
  | { readonly is: 'silent' };

function readEchoRow(value: unknown): EchoRow {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'row':
      return { is: 'row', row: lua.text(answer[1]), twin: lua.optional(lua.text, answer[2]), id: lua.text(answer[3]), marks: lua.list(lua.text)(answer[4]) };
    case 'lone':
      return { is: 'lone' };
  }
  return lua.unexpected(value);
}

function readEchoAnswer(value: unknown): EchoAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'echo':
      return { is: 'echo', keys: lua.list(lua.text)(answer[1]), said: lua.optional(lua.text, answer[2]), wait: lua.optional(lua.number, answer[3]), sure: lua.flag(answer[4]), greeting: lua.text(answer[5]), mood: lua.text(answer[6]), sum: lua.number(answer[7]), fields: lua.hash(answer[8]), rows: lua.list(readEchoRow)(answer[9]) };
    case 'silent':
      return { is: 'silent' };
  }
  return lua.unexpected(value);
}

export const echoScript = lua.defineScript('echo', `
local function greeting(person)
  return person.name .. (person.age and ' ' .. person.age or '')
end
-- <generated>
local function _given(word) if word ~= '' then return word end end
local record = KEYS[1]
local said = _given(ARGV[1])
local wait = tonumber(ARGV[2])
local sure = ARGV[3] == '1'
local person = {name = ARGV[4], age = tonumber(ARGV[5])}
local mood = ARGV[6]
local _arg, _key = 6, 1
local other
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; other = KEYS[_key] end
local lists = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; lists[_i] = KEYS[_key] end
local numbers = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do numbers[_i] = tonumber(ARGV[_arg + _i]) end
_arg = _arg + #numbers
local fields = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do fields[_i] = ARGV[_arg + _i] end
_arg = _arg + #fields
local rows = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {row = KEYS[_key + 1], id = ARGV[_arg + 1]}
  _arg, _key = _arg + 1, _key + 1
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; _one.twin = KEYS[_key] end
_one.marks = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _one.marks[_i] = ARGV[_arg + _i] end
_arg = _arg + #_one.marks
  rows[_n] = _one
end
-- </generated>
if said == 'nothing' then return {'silent'} end
local sum = 0
for _, one in ipairs(numbers) do sum = sum + one end
local keys, told = {record, other or '-'}, {}
for _, key in ipairs(lists) do keys[#keys + 1] = key end
for i, one in ipairs(rows) do
  told[i] = one.twin == nil and #one.marks == 0 and {'lone'} or {'row', one.row, one.twin or false, one.id, one.marks}
end
return {'echo', keys, said or false, wait or false, sure and 1 or 0, greeting(person), mood, sum, fields, told}
`);

/** Answers what it was given, so that a test can see every type of an argument and of an answer on its way. */
export async function echo(redis: lua.ScriptHost, args: EchoArgs): Promise<EchoAnswer> {
  const keys: string[] = [args.record, ...(args.other === undefined ? [] : [args.other]), ...args.lists];
  for (const one of args.rows) {
    keys.push(one.row);
    if (one.twin !== undefined) keys.push(one.twin);
  }
  const words: lua.Word[] = [args.said ?? '', args.wait ?? '', args.sure ? 1 : 0, args.person.name, args.person.age ?? '', args.mood, args.other === undefined ? 0 : 1, args.lists.length, ...lua.counted(args.numbers), ...lua.pairs(args.fields)];
  words.push(args.rows.length);
  for (const one of args.rows) words.push(one.id, one.twin === undefined ? 0 : 1, ...lua.counted(one.marks));
  return readEchoAnswer(await lua.runScript(redis, echoScript, keys, words));
}
