// Generated from ../replay-events.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface ReplayEventsArgs {
  /** key */ readonly record: string;
  /** key */ readonly deliveries: string;
  /** key */ readonly tries: string;
  /** key */ readonly due: string;
  /** key */ readonly dispatch: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  readonly places: readonly string[];
}

export type ReplayEventsAnswer = boolean;

const read: lua.Read<ReplayEventsAnswer> = lua.flag;

export const replayEventsScript = lua.defineScript('replay-events', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local record = KEYS[1]
local deliveries = KEYS[2]
local tries = KEYS[3]
local due = KEYS[4]
local dispatch = KEYS[5]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local _arg, _key = 2, 5
local places = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do places[_i] = ARGV[_arg + _i] end
_arg = _arg + #places
-- </generated>
local at = clock(now)
local state = redis.call('HGET', record, 'state')
if not state then return 0 end
if state ~= 'enabled' then
  redis.call('HSET', record, 'state', 'enabled')
  redis.call('HINCRBY', dispatch, 'rev', 1)
end
redis.call('HDEL', record, 'failures', 'failingSince', 'restUntil', 'reason', 'disabledAt')
for _, place in ipairs(places) do
  redis.call('ZADD', deliveries, at, place)
  redis.call('HDEL', tries, place)
end
if #places > 0 then redis.call('ZADD', due, 'LT', at, id) end
return 1
`);

/** Events that an endpoint is to get once more, whatever became of them. A disabled endpoint is enabled by it.
 * Answers whether there is such an endpoint. */
export async function replayEvents(redis: lua.ScriptHost, args: ReplayEventsArgs): Promise<ReplayEventsAnswer> {
  const keys = [args.record, args.deliveries, args.tries, args.due, args.dispatch];
  const words: lua.Word[] = [args.now ?? '', args.id, ...lua.counted(args.places)];
  return read(await lua.runScript(redis, replayEventsScript, keys, words));
}
