// Generated from ../dispatch-events.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface DispatchEventsArgs {
  /** key */ readonly dispatch: string;
  /** key */ readonly due: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  /** as read */ readonly cursor: string;
  /** of the list of endpoints, as read */ readonly rev: string;
  /** the cursor from here on */ readonly next: string;
  readonly endpoints: readonly {
    /** key */ readonly record: string;
    /** key */ readonly deliveries: string;
    readonly id: string;
    readonly places: readonly string[];
  }[];
}

export type DispatchEventsAnswer = boolean;

const read: lua.Read<DispatchEventsAnswer> = lua.flag;

export const dispatchEventsScript = lua.defineScript('dispatch-events', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local dispatch = KEYS[1]
local due = KEYS[2]
local now = tonumber(ARGV[1])
local cursor = ARGV[2]
local rev = ARGV[3]
local next = ARGV[4]
local _arg, _key = 4, 2
local endpoints = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {record = KEYS[_key + 1], deliveries = KEYS[_key + 2], id = ARGV[_arg + 1]}
  _arg, _key = _arg + 1, _key + 2
_one.places = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _one.places[_i] = ARGV[_arg + _i] end
_arg = _arg + #_one.places
  endpoints[_n] = _one
end
-- </generated>
local at = clock(now)
local stood, listed = unpack(redis.call('HMGET', dispatch, 'cursor', 'rev'))
if (stood or '0-0') ~= cursor or (listed or '0') ~= rev then return 0 end
redis.call('HSET', dispatch, 'cursor', next)
for _, one in ipairs(endpoints) do
  local state, rests = unpack(redis.call('HMGET', one.record, 'state', 'restUntil'))
  if state == 'enabled' then
    for _, place in ipairs(one.places) do redis.call('ZADD', one.deliveries, 'NX', at, place) end
    redis.call('ZADD', due, 'LT', math.max(at, tonumber(rests or '0')), one.id)
  end
end
return 1
`);

/** Hands events to the endpoints that want them, and moves the cursor, in one step. Where the cursor or the list of
 * endpoints is no longer as it was read, nothing is done: another process was quicker. Answers whether it was done. */
export async function dispatchEvents(redis: lua.ScriptHost, args: DispatchEventsArgs): Promise<DispatchEventsAnswer> {
  const keys = [args.dispatch, args.due, ...args.endpoints.flatMap((one) => [one.record, one.deliveries])];
  const words: lua.Word[] = [args.now ?? '', args.cursor, args.rev, args.next, args.endpoints.length, ...args.endpoints.flatMap((one) => [one.id, ...lua.counted(one.places)])];
  return read(await lua.runScript(redis, dispatchEventsScript, keys, words));
}
