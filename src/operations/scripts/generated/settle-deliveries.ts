// Generated from ../settle-deliveries.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface SettleDeliveriesArgs {
  /** key */ readonly record: string;
  /** key */ readonly deliveries: string;
  /** key */ readonly tries: string;
  /** key */ readonly due: string;
  /** key */ readonly undelivered: string;
  /** key */ readonly log: string;
  /** key */ readonly events: string;
  /** key */ readonly counts: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  readonly lease: string;
  /** ms: after a failure */ readonly restMs: number;
  /** ms */ readonly disableAfterMs: number;
  readonly results: readonly {
    readonly place: string;
    readonly outcome: 'delivered' | 'retried' | 'undelivered';
    /** ms: until the next try */ readonly waitMs: number;
    /** of the log */ readonly line: string;
  }[];
}

export type SettleDeliveriesAnswer =
  | { readonly is: 'settled'; readonly rev: number; readonly disabled: boolean; readonly dueInMs?: number | undefined }
  | { readonly is: 'not yours' };

function read(value: unknown): SettleDeliveriesAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'settled':
      return { is: 'settled', rev: lua.number(answer[1]), disabled: lua.flag(answer[2]), dueInMs: lua.optional(lua.number, answer[3]) };
    case 'not yours':
      return { is: 'not yours' };
  }
  return lua.unexpected(value);
}

export const settleDeliveriesScript = lua.defineScript('settle-deliveries', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function tally(key, field, delta)
  redis.pcall('HINCRBY', key, field, delta)
end
local function emit(record, e)
  local seq = redis.call('HINCRBY', record, 'seq', 1)
  tally(e.counts, "event:" .. e.type, 1)
  redis.call('XADD', e.stream, e.place or '*', 'op', e.id, 'seq', seq, 'at', e.at, 'account', e.account, 'type', e.type,
    'data', e.data)
end
-- <generated>
local record = KEYS[1]
local deliveries = KEYS[2]
local tries = KEYS[3]
local due = KEYS[4]
local undelivered = KEYS[5]
local log = KEYS[6]
local events = KEYS[7]
local counts = KEYS[8]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local lease = ARGV[3]
local restMs = tonumber(ARGV[4])
local disableAfterMs = tonumber(ARGV[5])
local _arg, _key = 5, 8
local results = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {place = ARGV[_arg + 1], outcome = ARGV[_arg + 2], waitMs = tonumber(ARGV[_arg + 3]), line = ARGV[_arg + 4]}
  _arg, _key = _arg + 4, _key + 0
  results[_n] = _one
end
-- </generated>
local at = clock(now)
local leased, since, url, account = unpack(redis.call('HMGET', record, 'lease', 'failingSince', 'url', 'account'))
if leased ~= lease then return {'not yours'} end
local taken, failed = 0, 0
for _, one in ipairs(results) do
  if one.outcome == 'retried' then
    redis.call('ZADD', deliveries, at + one.waitMs, one.place)
    redis.call('HINCRBY', tries, one.place, 1)
  else
    redis.call('ZREM', deliveries, one.place)
    redis.call('HDEL', tries, one.place)
  end
  if one.outcome == 'undelivered' then redis.call('LPUSH', undelivered, one.place) end
  if one.outcome == 'delivered' then taken = taken + 1 else failed = failed + 1 end
  redis.call('LPUSH', log, at .. '|' .. one.line)
end
redis.call('LTRIM', log, 0, 200 - 1)
redis.call('HDEL', record, 'lease', 'until')
local rev, rest, disabled = redis.call('HINCRBY', record, 'rev', 1), 0, 0
local function disable()
  disabled = 1
  redis.call('HSET', record, 'state', 'disabled', 'disabledAt', at, 'reason', 'failing_for_days')
  local waiting = redis.call('ZREVRANGE', deliveries, 0, 1000 - 1)
  for _, place in ipairs(waiting) do redis.call('LPUSH', undelivered, place) end
  redis.call('UNLINK', deliveries, tries)
  local data = cjson.encode({id = id, state = 'disabled', url = url, reason = 'failing_for_days'})
  emit(record, {stream = events, counts = counts, id = id, at = at, account = account, type = 'endpoint.disabled', data = data})
end
if taken > 0 then
  redis.call('HSET', record, 'deliveredAt', at)
  redis.call('HDEL', record, 'failures', 'failingSince', 'restUntil')
elseif failed > 0 then
  since = tonumber(since or at)
  rest = at + restMs
  redis.call('HINCRBY', record, 'failures', 1)
  redis.call('HSET', record, 'failingSince', since, 'restUntil', rest)
  if at - since >= disableAfterMs then disable() end
end
redis.call('LTRIM', undelivered, 0, 1000 - 1)
local next = redis.call('ZRANGE', deliveries, 0, 0, 'WITHSCORES')
if not next[2] then
  redis.call('ZREM', due, id)
  return {'settled', rev, disabled}
end
local due_at = math.max(tonumber(next[2]), rest, at)
redis.call('ZADD', due, due_at, id)
return {'settled', rev, disabled, due_at - at}
`);

/** Writes down what became of the events that were taken. A success ends the failing of an endpoint; one that has
 * failed for too long is disabled, and that is announced. */
export async function settleDeliveries(redis: lua.ScriptHost, args: SettleDeliveriesArgs): Promise<SettleDeliveriesAnswer> {
  const keys = [args.record, args.deliveries, args.tries, args.due, args.undelivered, args.log, args.events, args.counts];
  const words: lua.Word[] = [args.now ?? '', args.id, args.lease, args.restMs, args.disableAfterMs, args.results.length, ...args.results.flatMap((one) => [one.place, one.outcome, one.waitMs, one.line])];
  return read(await lua.runScript(redis, settleDeliveriesScript, keys, words));
}
