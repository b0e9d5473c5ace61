// Generated from ../publish-limits.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface PublishLimitsArgs {
  /** key */ readonly limits: string;
  /** key */ readonly stamp: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly by: string;
  /** how this start is known again */ readonly op: string;
  /** it has told them before */ readonly runs: boolean;
  /** JSON: which deployment it is of; absent: whichever */ readonly ours?: string | undefined;
  /** name and value of each limit */ readonly asked: Readonly<Record<string, string | number>>;
}

export type PublishLimitsTold =
  | { readonly is: 'lowered'; readonly name: string; readonly was?: string | undefined }
  | { readonly is: 'looser'; readonly name: string; readonly was?: string | undefined };

export type PublishLimitsAnswer = readonly PublishLimitsTold[];

function readPublishLimitsTold(value: unknown): PublishLimitsTold {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'lowered':
      return { is: 'lowered', name: lua.text(answer[1]), was: lua.optional(lua.text, answer[2]) };
    case 'looser':
      return { is: 'looser', name: lua.text(answer[1]), was: lua.optional(lua.text, answer[2]) };
  }
  return lua.unexpected(value);
}

const read: lua.Read<PublishLimitsAnswer> = lua.list(readPublishLimitsTold);

export const publishLimitsScript = lua.defineScript('publish-limits', `
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
local function of_another(stamp, ours)
  local text = ours and redis.call('GET', stamp)
  if not text then return false end
  local stamped, own = cjson.decode(text), cjson.decode(ours)
  if stamped.environment ~= own.environment then return true end
  for _, of in ipairs({'addresses', 'accounts'}) do
    for name, value in pairs(own[of] or {}) do
      if (stamped[of][name] or value) ~= value then return true end
    end
  end
  return false
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
local function _given(word) if word ~= '' then return word end end
local limits = KEYS[1]
local stamp = KEYS[2]
local now = tonumber(ARGV[1])
local by = ARGV[2]
local op = ARGV[3]
local runs = ARGV[4] == '1'
local ours = _given(ARGV[5])
local _arg, _key = 5, 2
local asked = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do asked[_i] = ARGV[_arg + _i] end
_arg = _arg + #asked
-- </generated>
local at, told = clock(now), {}
if of_another(stamp, ours) then return told end
for i = 1, #asked, 2 do
  local name, value = asked[i], asked[i + 1]
  local shared, done, was, by_settings = unpack(redis.call('HMGET', limits, name, name .. '.op', name .. '.was',
    name .. '.settings'))
  local only_settings, did = not shared or by_settings, nil
  if done == op then
    did, shared = 'lowered', was
  elseif (not shared or looseness(name, value) < looseness(name, shared)) and (only_settings or not runs) then
    did = 'lowered'
    put(limits, name, {value = value, by = by, at = at, op = op, was = shared or ''})
    if only_settings then redis.call('HSET', limits, name .. '.settings', 1) end
  elseif looseness(name, value) > looseness(name, shared) and not runs then
    did = 'looser'
  end
  if did then told[#told + 1] = {did, name, shared or ''} end
end
return told
`);

/** What a process that starts is told to keep to. Where it is stricter than what holds, it holds for all from now
 * on; where it is looser, nothing is changed. A process that runs tells its settings again once Redis may have lost
 * them: only where Redis has no opinion, or none but that of settings. What people have said meanwhile stays, also
 * where it is looser. Sent again after a lost reply, it tells what it did the first time. Answers each that is not
 * what holds already. */
export async function publishLimits(redis: lua.ScriptHost, args: PublishLimitsArgs): Promise<PublishLimitsAnswer> {
  const keys = [args.limits, args.stamp];
  const words: lua.Word[] = [args.now ?? '', args.by, args.op, args.runs ? 1 : 0, args.ours ?? '', ...lua.pairs(args.asked)];
  return read(await lua.runScript(redis, publishLimitsScript, keys, words));
}
