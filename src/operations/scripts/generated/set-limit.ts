// Generated from ../set-limit.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface SetLimitArgs {
  /** key */ readonly limits: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly by: string;
  readonly name: string;
  readonly value: string;
  /** ms: for so long what was asked waits */ readonly waitsMs: number;
  /** how this act is known again */ readonly op: string;
}

export type SetLimitAnswer =
  | { readonly is: 'in force'; readonly held: string; readonly again?: boolean | undefined }
  | { readonly is: 'waits'; readonly held: string }
  | { readonly is: 'unchanged'; readonly held: string };

function read(value: unknown): SetLimitAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'in force':
      return { is: 'in force', held: lua.text(answer[1]), again: lua.optional(lua.flag, answer[2]) };
    case 'waits':
      return { is: 'waits', held: lua.text(answer[1]) };
    case 'unchanged':
      return { is: 'unchanged', held: lua.text(answer[1]) };
  }
  return lua.unexpected(value);
}

export const setLimitScript = lua.defineScript('set-limit', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function forget_asked(limits, name)
  redis.call('HDEL', limits, name .. '.asked', name .. '.askedBy', name .. '.askedAt')
end
local function put(limits, name, said)
  redis.call('HSET', limits, name, said.value, name .. '.by', said.by, name .. '.since', said.at)
  redis.call('HSET', limits, name .. '.op', said.op, name .. '.was', said.was)
  redis.call('HDEL', limits, name .. '.settings')
  forget_asked(limits, name)
end
local function looseness(name, value)
  if value == "off" then return math.huge end
  return ({["DUPLICATE_WINDOW"] = true})[name] and -tonumber(value) or tonumber(value)
end
local function strictest(name, own, shared)
  local value = shared or own or ({["MAX_DISBURSEMENT"] = "2000000"})[name]
  if own and shared and looseness(name, own) < looseness(name, shared) then value = own end
  if value == "off" then return nil end
  return value
end
-- <generated>
local limits = KEYS[1]
local now = tonumber(ARGV[1])
local by = ARGV[2]
local name = ARGV[3]
local value = ARGV[4]
local waitsMs = tonumber(ARGV[5])
local op = ARGV[6]
-- </generated>
local at = clock(now)
local shared, asked, asked_by, asked_at, done, was, since = unpack(redis.call('HMGET', limits, name, name .. '.asked',
  name .. '.askedBy', name .. '.askedAt', name .. '.op', name .. '.was', name .. '.since'))
if done == op and at - tonumber(since) <= waitsMs then
  forget_asked(limits, name)
  return {'in force', was, 1}
end
local held = shared or ({["MAX_DISBURSEMENT"] = "2000000"})[name] or "off"
local wanted, holds = looseness(name, value), looseness(name, held)
if wanted < holds or (wanted == holds and not shared) then
  put(limits, name, {value = value, by = by, at = at, op = op, was = held})
  return {'in force', held}
end
if wanted == holds then
  forget_asked(limits, name)
  return {'unchanged', held}
end
local another = asked == value and asked_by ~= by
if another and at - tonumber(asked_at) <= waitsMs then
  put(limits, name, {value = value, by = asked_by .. ' and ' .. by, at = at, op = op, was = held})
  return {'in force', held}
end
redis.call('HSET', limits, name .. '.asked', value, name .. '.askedBy', by, name .. '.askedAt', at)
return {'waits', held}
`);

/** A person sets a limit. Stricter: it holds. Looser: it is asked for, and holds once another has asked for the same
 * within that time. What holds already: whatever was asked for is taken back. Said once more, because the answer
 * was lost, it answers what it did: for so long, and while nobody has changed it since. What was asked for
 * meanwhile is taken back all the same. */
export async function setLimit(redis: lua.ScriptHost, args: SetLimitArgs): Promise<SetLimitAnswer> {
  const keys = [args.limits];
  const words: lua.Word[] = [args.now ?? '', args.by, args.name, args.value, args.waitsMs, args.op];
  return read(await lua.runScript(redis, setLimitScript, keys, words));
}
