// Generated from ../nudge.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface NudgeArgs {
  /** key */ readonly record: string;
  /** key */ readonly due: string;
  /** key: what was last posted */ readonly callback: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  readonly evidence: string;
  /** ms */ readonly intervalMs: number;
  /** to be kept */ readonly posted?: string | undefined;
  /** in that queue */ readonly lookedAt: readonly string[];
  /** states that say what was posted */ readonly agreesWith: readonly string[];
}

export type NudgeAnswer =
  | { readonly is: 'look'; readonly state: string; readonly field?: string | undefined; readonly line?: string | undefined; readonly rev: number }
  | { readonly is: 'noted'; readonly state: string; readonly field?: string | undefined; readonly line?: string | undefined }
  | { readonly is: 'none' };

function read(value: unknown): NudgeAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'look':
      return { is: 'look', state: lua.text(answer[1]), field: lua.optional(lua.text, answer[2]), line: lua.optional(lua.text, answer[3]), rev: lua.number(answer[4]) };
    case 'noted':
      return { is: 'noted', state: lua.text(answer[1]), field: lua.optional(lua.text, answer[2]), line: lua.optional(lua.text, answer[3]) };
    case 'none':
      return { is: 'none' };
  }
  return lua.unexpected(value);
}

export const nudgeScript = lua.defineScript('nudge', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function contains(list, one)
  for _, other in ipairs(list) do
    if other == one then return true end
  end
  return false
end
local function base36(n)
  local digits, text = '0123456789abcdefghijklmnopqrstuvwxyz', ''
  n = math.floor(n)
  repeat
    local d = n % 36
    text = string.sub(digits, d + 1, d + 1) .. text
    n = (n - d) / 36
  until n == 0
  return text
end
local function evidence_fields(at, lines, count, set)
  if not lines or lines == '' then return end
  local n = tonumber(count or '0')
  for line in string.gmatch(lines, '[^' .. ";" .. ']+') do
    n = n + 1
    local slot = n
    local send, rest = string.match(line, '^(%d)!(.*)$')
    if send then line = rest end
    if n > 12 then
      if send then slot = 12 + 12 + send
      else slot = 12 + 1 + (n - 12 - 1) % 12 end
    end
    set[#set + 1] = 'e' .. slot; set[#set + 1] = base36(at) .. '|' .. line
  end
  set[#set + 1] = 'en'; set[#set + 1] = n
end
local function refuse(what)
  error("UNREADABLE" .. ' ' .. what, 0)
end
local function whole(value, absent, what)
  if not value then
    if absent then return absent end
    refuse(what)
  end
  if #value > 16 or not string.find(value, '^%-?%d+$') then refuse(what) end
  return tonumber(value)
end
local function same_version(v)
  if v ~= "1" then refuse('version') end
end
-- <generated>
local function _given(word) if word ~= '' then return word end end
local record = KEYS[1]
local due = KEYS[2]
local callback = KEYS[3]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local evidence = ARGV[3]
local intervalMs = tonumber(ARGV[4])
local posted = _given(ARGV[5])
local _arg, _key = 5, 3
local lookedAt = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do lookedAt[_i] = ARGV[_arg + _i] end
_arg = _arg + #lookedAt
local agreesWith = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do agreesWith[_i] = ARGV[_arg + _i] end
_arg = _arg + #agreesWith
-- </generated>
local at = clock(now)
local state, lease, ends, nudged_at, lines, rev, version = unpack(redis.call('HMGET', record, 'state', 'lease', 'until',
  'hintedAt', 'en', 'rev', 'v'))
if posted and not contains(agreesWith, state) then redis.call('SET', callback, posted, 'EX', 2592000) end
if not state then return {'none'} end
local readable = version == "1" and pcall(function()
  whole(ends, 0, 'until'); whole(nudged_at, 0, 'hintedAt'); whole(lines, 0, 'en'); whole(rev, 0, 'rev')
end)
if not readable then return {'noted', state} end
local set = {'hint', posted and ',' .. table.concat(agreesWith, ',') .. ',' or ','}
evidence_fields(at, evidence, lines, set)
local leased = lease and lease ~= '' and tonumber(ends or '0') > at
local looks = false
if contains(lookedAt, state) and not leased and not contains(agreesWith, state) then
  local wait = math.max(0, tonumber(nudged_at or '0') + intervalMs - at)
  local due_at = tonumber(redis.call('ZSCORE', due, id) or math.huge)
  if due_at > at + wait then
    set[#set + 1] = 'hintedAt'; set[#set + 1] = at + wait
    if wait == 0 then
      looks = tonumber(rev or '0') + 1
      set[#set + 1] = 'rev'; set[#set + 1] = looks
    end
    redis.call('ZADD', due, wait == 0 and math.min(due_at, at + 2000) or at + wait, id)
  end
end
redis.call('HSET', record, unpack(set))
local field, line = set[3] or false, set[4] or false
if looks then return {'look', state, field, line, looks} end
return {'noted', state, field, line}
`);

/** Something more may be known (a callback came): keep what was said as evidence and make the next look due, at most
 * one per operation and interval. Changes no state. What was posted is kept, also about what we do not know; not
 * where it says what the state says. */
export async function nudge(redis: lua.ScriptHost, args: NudgeArgs): Promise<NudgeAnswer> {
  const keys = [args.record, args.due, args.callback];
  const words: lua.Word[] = [args.now ?? '', args.id, args.evidence, args.intervalMs, args.posted ?? '', ...lua.counted(args.lookedAt), ...lua.counted(args.agreesWith)];
  return read(await lua.runScript(redis, nudgeScript, keys, words));
}
