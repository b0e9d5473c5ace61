// Generated from ../take-deliveries.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface TakeDeliveriesArgs {
  /** key */ readonly record: string;
  /** key */ readonly deliveries: string;
  /** key */ readonly tries: string;
  /** key */ readonly due: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  readonly lease: string;
  /** ms */ readonly leaseMs: number;
  readonly most: number;
}

export type TakeDeliveriesDue = { readonly place: string; readonly tries: number };

export type TakeDeliveriesAnswer =
  | { readonly is: 'taken'; readonly url: string; readonly secret: string; readonly old?: string | undefined; readonly due: readonly TakeDeliveriesDue[] }
  | { readonly is: 'none' }
  | { readonly is: 'disabled' }
  | { readonly is: 'leased' }
  | { readonly is: 'rests' }
  | { readonly is: 'nothing' };

const readTakeDeliveriesDue: lua.Read<TakeDeliveriesDue> = (value) => {
  const answer = lua.items(value);
  return { place: lua.text(answer[0]), tries: lua.number(answer[1]) };
};

function read(value: unknown): TakeDeliveriesAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'taken':
      return { is: 'taken', url: lua.text(answer[1]), secret: lua.text(answer[2]), old: lua.optional(lua.text, answer[3]), due: lua.list(readTakeDeliveriesDue)(answer[4]) };
    case 'none':
      return { is: 'none' };
    case 'disabled':
      return { is: 'disabled' };
    case 'leased':
      return { is: 'leased' };
    case 'rests':
      return { is: 'rests' };
    case 'nothing':
      return { is: 'nothing' };
  }
  return lua.unexpected(value);
}

export const takeDeliveriesScript = lua.defineScript('take-deliveries', `
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
local now = tonumber(ARGV[1])
local id = ARGV[2]
local lease = ARGV[3]
local leaseMs = tonumber(ARGV[4])
local most = tonumber(ARGV[5])
-- </generated>
local at = clock(now)
local state, leased, ends, rests, failures, url, secret, old, old_until = unpack(redis.call('HMGET', record, 'state', 'lease',
  'until', 'restUntil', 'failures', 'url', 'secret', 'oldSecret', 'oldUntil'))
if not state or state ~= 'enabled' then
  redis.call('ZREM', due, id)
  return {state and 'disabled' or 'none'}
end
if leased and tonumber(ends or '0') > at then return {'leased'} end
local rest = tonumber(rests or '0')
if rest > at then
  redis.call('ZADD', due, rest, id)
  return {'rests'}
end
if tonumber(failures or '0') > 0 then most = 1 end
local places = redis.call('ZRANGEBYSCORE', deliveries, '-inf', at, 'LIMIT', 0, most)
if #places == 0 then
  local next = redis.call('ZRANGE', deliveries, 0, 0, 'WITHSCORES')
  if next[2] then redis.call('ZADD', due, next[2], id) else redis.call('ZREM', due, id) end
  return {'nothing'}
end
redis.call('HSET', record, 'lease', lease, 'until', at + leaseMs)
redis.call('ZADD', due, at + leaseMs, id)
local taken = {}
for i, place in ipairs(places) do taken[i] = {place, redis.call('HGET', tries, place) or '0'} end
return {'taken', url, secret, old and tonumber(old_until or '0') > at and old, taken}
`);

/** Takes what is due for an endpoint, for one attempt and no other. One that fails is tried with a single event. */
export async function takeDeliveries(redis: lua.ScriptHost, args: TakeDeliveriesArgs): Promise<TakeDeliveriesAnswer> {
  const keys = [args.record, args.deliveries, args.tries, args.due];
  const words: lua.Word[] = [args.now ?? '', args.id, args.lease, args.leaseMs, args.most];
  return read(await lua.runScript(redis, takeDeliveriesScript, keys, words));
}
