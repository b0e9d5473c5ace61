// Generated from ../begin-slice.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface BeginSliceArgs {
  /** key */ readonly slice: string;
  /** key */ readonly due: string;
  /** key */ readonly heldAccounts: string;
  /** key */ readonly campaign: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  readonly lease: string;
  /** ms */ readonly leaseMs: number;
  /** in this queue */ readonly lookedAt: readonly string[];
  readonly final: readonly string[];
  readonly fields: readonly string[];
}

export type BeginSliceAnswer =
  | { readonly is: 'acquired'; readonly at: number; readonly fields: Readonly<Record<string, string>>; readonly held: boolean; readonly campaign: readonly string[] }
  | { readonly is: 'final'; readonly state: string }
  | { readonly is: 'elsewhere'; readonly state: string }
  | { readonly is: 'leased'; readonly until: number }
  | { readonly is: 'none' }
  | { readonly is: 'other version' };

function read(value: unknown): BeginSliceAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'acquired':
      return { is: 'acquired', at: lua.number(answer[1]), fields: lua.hash(answer[2]), held: lua.flag(answer[3]), campaign: lua.list(lua.text)(answer[4]) };
    case 'final':
      return { is: 'final', state: lua.text(answer[1]) };
    case 'elsewhere':
      return { is: 'elsewhere', state: lua.text(answer[1]) };
    case 'leased':
      return { is: 'leased', until: lua.number(answer[1]) };
    case 'none':
      return { is: 'none' };
    case 'other version':
      return { is: 'other version' };
  }
  return lua.unexpected(value);
}

export const beginSliceScript = lua.defineScript('begin-slice', `
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
local function take_lease(record, due, at, ask, r)
  if not r.state then
    redis.call('ZREM', due, ask.id)
    return {'none'}
  end
  if r.version ~= "1" then return {'other version'} end
  if contains(ask.final, r.state) then
    redis.call('ZREM', due, ask.id)
    return {'final', r.state}
  end
  if not contains(ask.lookedAt, r.state) then return {'elsewhere', r.state} end
  local leased = r.lease and r.lease ~= '' and r.lease ~= ask.lease
  if leased and whole(r.ends, 0, 'until') > at then return {'leased', r.ends} end
  local ends = at + ask.leaseMs
  redis.call('HSET', record, 'lease', ask.lease, 'until', ends)
  redis.call('ZADD', due, ends, ask.id)
end
-- <generated>
local slice = KEYS[1]
local due = KEYS[2]
local heldAccounts = KEYS[3]
local campaign = KEYS[4]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local lease = ARGV[3]
local leaseMs = tonumber(ARGV[4])
local _arg, _key = 4, 4
local lookedAt = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do lookedAt[_i] = ARGV[_arg + _i] end
_arg = _arg + #lookedAt
local final = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do final[_i] = ARGV[_arg + _i] end
_arg = _arg + #final
local fields = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do fields[_i] = ARGV[_arg + _i] end
_arg = _arg + #fields
-- </generated>
local at = clock(now)
local state, leased, ends, version, account = unpack(redis.call('HMGET', slice, 'state', 'lease', 'until', 'v',
  'account'))
local ask = {id = id, lease = lease, leaseMs = leaseMs, lookedAt = lookedAt, final = final}
local refusal = take_lease(slice, due, at, ask, {state = state, lease = leased, ends = ends, version = version})
if refusal then return refusal end
local held, known = redis.call('SISMEMBER', heldAccounts, account or ''), redis.call('HMGET', campaign, unpack(fields))
for i = 1, #fields do known[i] = known[i] or '' end
return {'acquired', at, redis.call('HGETALL', slice), held, known}
`);

/** Takes the lease of a slice as acquire does, and answers in the same step all that may stand in its way: whether its
 * account is held, and what its campaign says. Never creates a record. */
export async function beginSlice(redis: lua.ScriptHost, args: BeginSliceArgs): Promise<BeginSliceAnswer> {
  const keys = [args.slice, args.due, args.heldAccounts, args.campaign];
  const words: lua.Word[] = [args.now ?? '', args.id, args.lease, args.leaseMs, ...lua.counted(args.lookedAt), ...lua.counted(args.final), ...lua.counted(args.fields)];
  return read(await lua.runScript(redis, beginSliceScript, keys, words));
}
