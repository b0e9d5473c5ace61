// Generated from ../append-evidence.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface AppendEvidenceArgs {
  /** key */ readonly record: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly evidence: string;
}

export type AppendEvidenceAnswer = boolean;

const read: lua.Read<AppendEvidenceAnswer> = lua.flag;

export const appendEvidenceScript = lua.defineScript('append-evidence', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
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
local record = KEYS[1]
local now = tonumber(ARGV[1])
local evidence = ARGV[2]
-- </generated>
local state, version, lines = unpack(redis.call('HMGET', record, 'state', 'v', 'en'))
if not state or version ~= "1" then return 0 end
whole(lines, 0, 'en')
local set = {}
evidence_fields(clock(now), evidence, lines, set)
if #set > 0 then redis.call('HSET', record, unpack(set)) end
return 1
`);

/** Adds a line of evidence, whatever has the lease. Never creates a record. Answers whether it was kept. */
export async function appendEvidence(redis: lua.ScriptHost, args: AppendEvidenceArgs): Promise<AppendEvidenceAnswer> {
  const keys = [args.record];
  const words: lua.Word[] = [args.now ?? '', args.evidence];
  return read(await lua.runScript(redis, appendEvidenceScript, keys, words));
}
