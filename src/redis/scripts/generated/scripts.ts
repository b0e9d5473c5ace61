// Generated from ../*.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../scripts.ts';

export interface LeaveGroupArgs {
  /** key */ readonly events: string;
  readonly group: string;
  readonly consumer: string;
}

export type LeaveGroupAnswer = boolean;

const readLeaveGroupAnswer: lua.Read<LeaveGroupAnswer> = lua.flag;

export const leaveGroupScript = lua.defineScript('leave-group', `
-- <generated>
local events = KEYS[1]
local group = ARGV[1]
local consumer = ARGV[2]
-- </generated>
if #redis.call('XPENDING', events, group, '-', '+', 1, consumer) > 0 then return 0 end
redis.call('XGROUP', 'DELCONSUMER', events, group, consumer)
return 1
`);

/** Takes a consumer out of its group, unless it has an event in hand, which would be lost with it. Answers whether it
 * is out. */
export async function leaveGroup(redis: lua.ScriptHost, args: LeaveGroupArgs): Promise<LeaveGroupAnswer> {
  const keys: string[] = [args.events];
  const words: lua.Word[] = [args.group, args.consumer];
  return readLeaveGroupAnswer(await lua.runScript(redis, leaveGroupScript, keys, words));
}

export interface TokenBucketArgs {
  /** key: nothing is given while it stands */ readonly pause?: string | undefined;
  /** key: one token of each; the second drips half as fast */ readonly buckets: readonly string[];
  /** a bucket drips a token each */ readonly everyUs: number;
  /** so many may go at once */ readonly burst: number;
  readonly longestUs: number;
  /** fewer are taken where there are not so many */ readonly wanted: number;
}

export type TokenBucketAnswer = { readonly taken: number; readonly waitMs: number };

const readTokenBucketAnswer: lua.Read<TokenBucketAnswer> = (value) => {
  const answer = lua.items(value);
  return { taken: lua.number(answer[0]), waitMs: lua.number(answer[1]) };
};

export const tokenBucketScript = lua.defineScript('token-bucket', `
-- <generated>
local everyUs = tonumber(ARGV[1])
local burst = tonumber(ARGV[2])
local longestUs = tonumber(ARGV[3])
local wanted = tonumber(ARGV[4])
local _arg, _key = 4, 0
local pause
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; pause = KEYS[_key] end
local buckets = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; buckets[_i] = KEYS[_key] end
-- </generated>
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local start = now + (pause and math.max(redis.call('PTTL', pause), 0) * 1000 or 0)
local wait, empty, taken = start - now, {}, wanted
for i, bucket in ipairs(buckets) do
  local every = everyUs * i
  local full = tonumber(redis.call('GET', bucket) or '0')
  if full - now > 2 * (longestUs + math.max(burst, 1) * every) + 1000000 then full = 0 end
  empty[i] = math.max(full, start)
  wait = math.max(wait, empty[i] - math.max(burst - 1, 0) * every - now)
  taken = math.min(taken, math.floor((now - empty[i]) / every + burst + 0.000001))
end
if wait > longestUs then return {0, math.ceil(wait / 1000)} end
taken = math.max(taken, 1)
for i, bucket in ipairs(buckets) do
  local full = empty[i] + taken * everyUs * i
  redis.call('SET', bucket, string.format('%.0f', full), 'PX', math.ceil((full - now) / 1000) + 1000)
end
return {taken, math.ceil(wait / 1000)}
`);

/** Takes tokens out of buckets (a generic cell rate algorithm): each holds the time at which it is empty again.
 * Redis's own clock counts, so no two machines compare theirs. In µs throughout. A short wait is a reservation of
 * one token; a longer one takes nothing. Answers how many were taken, and after how long they may be spent, or
 * there is another. */
export async function tokenBucket(redis: lua.ScriptHost, args: TokenBucketArgs): Promise<TokenBucketAnswer> {
  const keys: string[] = [...(args.pause === undefined ? [] : [args.pause]), ...args.buckets];
  const words: lua.Word[] = [args.everyUs, args.burst, args.longestUs, args.wanted, args.pause === undefined ? 0 : 1, args.buckets.length];
  return readTokenBucketAnswer(await lua.runScript(redis, tokenBucketScript, keys, words));
}
