// Generated from ../acquire.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface AcquireArgs {
  /** key */ readonly record: string;
  /** key */ readonly due: string;
  /** key */ readonly accounts: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  readonly lease: string;
  /** ms */ readonly leaseMs: number;
  /** in this queue */ readonly lookedAt: readonly string[];
  readonly final: readonly string[];
  readonly names: readonly string[];
}

export type AcquireAnswer =
  | { readonly is: 'acquired'; readonly at: number; readonly standing?: Readonly<Record<string, string>> | undefined; readonly fields: Readonly<Record<string, string>> }
  | { readonly is: 'final'; readonly state: string }
  | { readonly is: 'elsewhere'; readonly state: string }
  | { readonly is: 'leased'; readonly until: number }
  | { readonly is: 'none' }
  | { readonly is: 'other version' };

function read(value: unknown): AcquireAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'acquired':
      return { is: 'acquired', at: lua.number(answer[1]), standing: lua.optional(lua.hash, answer[2]), fields: lua.hash(answer[3]) };
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

export const acquireScript = lua.defineScript('acquire', `
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
local function in_full(id, record)
  local accepted = tonumber(redis.call('HGET', record, "c"))
  if not accepted then return end
  local names, words = ({["c"] = "createdAt", ["u"] = "updatedAt", ["i"] = "since", ["o"] = "account", ["a"] = "amount", ["l"] = "accountAlias", ["w"] = "withdrawMode", ["n"] = "debitAccountNumber", ["d"] = "disburseId", ["r"] = "reference", ["t"] = "token", ["x"] = "transactionId", ["y"] = "disburseTxId", ["p"] = "providerRef", ["s"] = "sends", ["b"] = "batch"}), ({["c"] = "create", ["s"] = "submit", ["t"] = "status", ["b"] = "callback", ["n"] = "named"})
  local stored, set, since = redis.call('HGETALL', record), {'id', id}, nil
  for i = 1, #stored, 2 do
    local name, value = names[stored[i]] or stored[i], stored[i + 1]
    if name == 'updatedAt' or name == 'since' then
      value = accepted + tonumber(value)
      if name == 'since' or not since then since = value end
    elseif string.sub(value, 1, 1) == "+" and string.find(name, '^e%d+$') then
      local after, word, rest = string.match(value, '^.(%w+)|([^|]*)(.*)$')
      value = base36(accepted + tonumber(after, 36)) .. '|' .. (words[word] or word) .. rest
    end
    set[#set + 1] = name; set[#set + 1] = value
  end
  set[#set + 1] = 'since'; set[#set + 1] = since
  redis.call('DEL', record)
  redis.call('HSET', record, unpack(set))
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
local record = KEYS[1]
local due = KEYS[2]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local lease = ARGV[3]
local leaseMs = tonumber(ARGV[4])
local _arg, _key = 4, 2
local accounts = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; accounts[_i] = KEYS[_key] end
local lookedAt = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do lookedAt[_i] = ARGV[_arg + _i] end
_arg = _arg + #lookedAt
local final = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do final[_i] = ARGV[_arg + _i] end
_arg = _arg + #final
local names = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do names[_i] = ARGV[_arg + _i] end
_arg = _arg + #names
-- </generated>
local at = clock(now)
local state, leased, ends, version, nudged, account, brief_since = unpack(redis.call('HMGET', record, 'state', 'lease',
  'until', 'v', 'hint', 'account', "c"))
local ask = {id = id, lease = lease, leaseMs = leaseMs, lookedAt = lookedAt, final = final}
local refusal = take_lease(record, due, at, ask, {state = state, lease = leased, ends = ends, version = version})
if refusal then return refusal end
if nudged then redis.call('HDEL', record, 'hint') end
if brief_since then in_full(id, record) end
local standing = false
for i, name in ipairs(names) do
  if name == account then standing = redis.call('HGETALL', accounts[i]) end
end
return {'acquired', at, standing, redis.call('HGETALL', record)}
`);

/** Takes the lease of a record for one attempt and pushes its due time to the end of the lease, so that a killed
 * worker is always followed by another look. Never creates a record. What stands in the way of the record's account
 * is read in the same trip where the caller named the account: nearly every attempt asks for it next. */
export async function acquire(redis: lua.ScriptHost, args: AcquireArgs): Promise<AcquireAnswer> {
  const keys = [args.record, args.due, ...args.accounts];
  const words: lua.Word[] = [args.now ?? '', args.id, args.lease, args.leaseMs, args.accounts.length, ...lua.counted(args.lookedAt), ...lua.counted(args.final), ...lua.counted(args.names)];
  return read(await lua.runScript(redis, acquireScript, keys, words));
}
