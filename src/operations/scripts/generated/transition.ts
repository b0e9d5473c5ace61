// Generated from ../transition.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface TransitionArgs {
  /** key */ readonly record: string;
  /** key */ readonly events: string;
  /** key */ readonly counts: string;
  /** key: the set of the state that it leaves */ readonly left: string;
  /** key: the set of the state that it enters; what is over stands in none */ readonly entered?: string | undefined;
  /** key */ readonly dueLeft: string;
  /** key */ readonly dueEntered: string;
  /** key: nothing is changed while it is held as `unlessHeld` says */ readonly account?: string | undefined;
  /** key: what was last posted about it, to be forgotten, unless more was posted since the record was read */ readonly callback?: string | undefined;
  /** key */ readonly heartbeat: string;
  /** key: whose it is, what upstream named */ readonly claimed?: string | undefined;
  /** key: of the day in which it was counted, where they change by this step */ readonly sums?: string | undefined;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly change: { readonly id: string; readonly lease?: string | undefined; readonly op: string; readonly from: string; readonly to: string; readonly dueInMs?: number | undefined; readonly keepLeaseMs?: number | undefined; readonly eventType?: string | undefined; readonly eventData?: string | undefined; readonly xof?: number | undefined; readonly evidence?: string | undefined; readonly nudgeAfterMs: number };
  /** `area.reason` */ readonly unlessHeld?: string | undefined;
  /** keep the record in its brief form */ readonly endsBriefly: boolean;
  /** what leaves after it has an effect: refused while a recovery is under way, and counted */ readonly hasEffect: boolean;
  readonly memory: { readonly epoch?: string | undefined; readonly counter: number; readonly name?: string | undefined; readonly mark: number };
  /** only in a recovery, and while the record has this revision */ readonly inRecovery?: number | undefined;
  /** of the sums */ readonly beneficiary?: string | undefined;
  /** whole XOF: by how much they change */ readonly recounted?: number | undefined;
  /** a value '' deletes the field; a name that begins with @ takes the value as ms from now */ readonly fields: Readonly<Record<string, string | number>>;
}

export type TransitionAnswer =
  | { readonly is: 'applied'; readonly to: string; readonly rev: number; readonly at: number; readonly counter?: number | undefined }
  | { readonly is: 'mine'; readonly state: string }
  | { readonly is: 'not yours'; readonly state: string }
  | { readonly is: 'none' }
  | { readonly is: 'held' }
  | { readonly is: 'recovering' }
  | { readonly is: 'recovered' }
  | { readonly is: 'claimed'; readonly by: string };

function read(value: unknown): TransitionAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'applied':
      return { is: 'applied', to: lua.text(answer[1]), rev: lua.number(answer[2]), at: lua.number(answer[3]), counter: lua.optional(lua.number, answer[4]) };
    case 'mine':
      return { is: 'mine', state: lua.text(answer[1]) };
    case 'not yours':
      return { is: 'not yours', state: lua.text(answer[1]) };
    case 'none':
      return { is: 'none' };
    case 'held':
      return { is: 'held' };
    case 'recovering':
      return { is: 'recovering' };
    case 'recovered':
      return { is: 'recovered' };
    case 'claimed':
      return { is: 'claimed', by: lua.text(answer[1]) };
  }
  return lua.unexpected(value);
}

export const transitionScript = lua.defineScript('transition', `
local function not_as_it_was(heartbeat, record, rev)
  if redis.call('HEXISTS', heartbeat, 'recovering') == 0 then return {'recovered'} end
  local r = redis.call('HMGET', record, 'rev', 'state')
  if tonumber(r[1] or '') ~= rev then return {'not yours', r[2] or ''} end
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
local function brief(record)
  local gone, names, words = ({["id"] = true, ["rev"] = true, ["sentAt"] = true, ["tokenAt"] = true, ["tries"] = true, ["lease"] = true, ["until"] = true, ["hint"] = true, ["quietUntil"] = true, ["createdSeenAt"] = true, ["keys"] = true, ["mode"] = true, ["acceptedFor"] = true}), ({["createdAt"] = "c", ["updatedAt"] = "u", ["since"] = "i", ["account"] = "o", ["amount"] = "a", ["accountAlias"] = "l", ["withdrawMode"] = "w", ["debitAccountNumber"] = "n", ["disburseId"] = "d", ["reference"] = "r", ["token"] = "t", ["transactionId"] = "x", ["disburseTxId"] = "y", ["providerRef"] = "p", ["sends"] = "s", ["batch"] = "b"}), ({["create"] = "c", ["submit"] = "s", ["status"] = "t", ["callback"] = "b", ["named"] = "n"})
  local full, set, accepted = redis.call('HGETALL', record), {}, nil
  for i = 1, #full, 2 do
    if full[i] == 'createdAt' then accepted = tonumber(full[i + 1]) end
  end
  if not accepted then return end
  local changed = redis.call('HGET', record, 'updatedAt')
  for i = 1, #full, 2 do
    local name, value = full[i], full[i + 1]
    if name == 'since' and value == changed then
      name = nil
    elseif name == 'updatedAt' or name == 'since' then
      value = tonumber(value) - accepted
    elseif string.find(name, '^e%d+$') then
      local at, word, rest = string.match(value, '^(%w+)|([^|]*)(.*)$')
      local after = at and tonumber(at, 36) - accepted or -1
      if after >= 0 then value = "+" .. base36(after) .. '|' .. (words[word] or word) .. rest end
    end
    if name and not gone[name] then set[#set + 1] = names[name] or name; set[#set + 1] = value end
  end
  redis.call('DEL', record)
  redis.call('HSET', record, unpack(set))
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
local function fly(counts, account, mode, from, to, xof)
  if not mode or not xof then return end
  local flying = ({["queued"] = true, ["held"] = true, ["created"] = true, ["submitting"] = true, ["unknown"] = true, ["pending"] = true})
  if flying[from] == flying[to] then return end
  tally(counts, 'flight:' .. account .. ':' .. mode, flying[to] and xof or -xof)
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
local function move(m)
  local from, to, xof = m.from, m.to, m.xof
  if from == to then return end
  if from then
    tally(m.counts, from, -1)
    if xof then tally(m.counts, 'xof:' .. from, -xof) end
    redis.call('ZREM', m.left, m.id)
  end
  tally(m.counts, to, 1)
  if xof then tally(m.counts, 'xof:' .. to, xof) end
  if m.entered then redis.call('ZADD', m.entered, m.at, m.id) end
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
local function sort_fields(at, fields, set, drop)
  for i = 1, #fields, 2 do
    local name, value = fields[i], fields[i + 1]
    if string.sub(name, 1, 1) == '@' then name = string.sub(name, 2); value = at + tonumber(value) end
    if value == '' then drop[#drop + 1] = name else set[#set + 1] = name; set[#set + 1] = value end
  end
end
local function change_record(at, keys, c, fields, stop)
  local record, from, to = keys.record, c.from, c.to
  local state, lease, op, nudged, account, mode, rev, lines, brief_since, version, seq = unpack(redis.call('HMGET', record,
    'state', 'lease', 'op', 'hint', 'account', 'withdrawMode', 'rev', 'en', "c", 'v', 'seq'))
  if not state then return {'none'} end
  if op == c.op then return {'mine', state} end
  if state ~= from or (c.lease and lease ~= c.lease) then return {'not yours', state} end
  same_version(version)
  rev = whole(rev, 0, 'rev') + 1
  whole(lines, 0, 'en')
  if c.eventType then
    whole(seq, 0, 'seq')
    if not (account or brief_since) then refuse('account') end
  end
  local stopped = stop and stop()
  if stopped then return stopped end
  if brief_since then
    in_full(c.id, record)
    account, mode = unpack(redis.call('HMGET', record, 'account', 'withdrawMode'))
  end
  local set, drop = {'state', to, 'op', c.op, 'updatedAt', at}, {}
  if from ~= to then
    set[#set + 1] = 'since'; set[#set + 1] = at
    drop[#drop + 1] = 'tries'
  end
  sort_fields(at, fields, set, drop)
  if c.keepLeaseMs then
    set[#set + 1] = 'until'; set[#set + 1] = at + c.keepLeaseMs
  else
    drop[#drop + 1] = 'lease'; drop[#drop + 1] = 'until'; drop[#drop + 1] = 'hint'
  end
  if #drop > 0 then redis.call('HDEL', record, unpack(drop)) end
  set[#set + 1] = 'rev'; set[#set + 1] = rev
  evidence_fields(at, c.evidence, lines, set)
  redis.call('HSET', record, unpack(set))
  move({counts = keys.counts, id = c.id, at = at, from = from, to = to, left = keys.left, entered = keys.entered,
    xof = c.xof})
  fly(keys.counts, account, mode, from, to, c.xof)
  if keys.dueLeft ~= keys.dueEntered then redis.call('ZREM', keys.dueLeft, c.id) end
  local due = c.dueInMs and at + c.dueInMs
  if not c.keepLeaseMs and nudged then
    if due then due = math.min(due, at + c.nudgeAfterMs)
    elseif c.nudgeAfterMs > 0 and not string.find(nudged, ',' .. to .. ',', 1, true) then due = at + c.nudgeAfterMs end
  end
  if due then redis.call('ZADD', keys.dueEntered, due, c.id) else redis.call('ZREM', keys.dueEntered, c.id) end
  if c.eventType then
    emit(record, {stream = keys.events, counts = keys.counts, id = c.id, at = at, account = account, type = c.eventType,
      data = c.eventData})
  end
  return {'applied', to, rev, at}
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function guard(heartbeat, memory)
  local h = redis.call('HMGET', heartbeat, 'recovering', 'epoch', 'counter', "process:" .. (memory.name or ''))
  local now = whole(h[3], 0, 'counter of the heartbeat')
  if h[1] then return {'recovering'} end
  local behind = memory.epoch
    and (h[2] ~= memory.epoch or now < memory.counter or whole(h[4], 0, 'mark of the heartbeat') < memory.mark)
  if behind then return {'recovering'} end
  return nil, {counter = now, name = memory.name}
end
local function raise(heartbeat, known)
  local counter = known.counter + 1
  if known.name then redis.call('HSET', heartbeat, 'counter', counter, "process:" .. known.name, counter)
  else redis.call('HSET', heartbeat, 'counter', counter) end
  return counter
end
-- <generated>
local function _given(word) if word ~= '' then return word end end
local record = KEYS[1]
local events = KEYS[2]
local counts = KEYS[3]
local left = KEYS[4]
local dueLeft = KEYS[5]
local dueEntered = KEYS[6]
local heartbeat = KEYS[7]
local now = tonumber(ARGV[1])
local change = {id = ARGV[2], lease = _given(ARGV[3]), op = ARGV[4], from = ARGV[5], to = ARGV[6], dueInMs = tonumber(ARGV[7]), keepLeaseMs = tonumber(ARGV[8]), eventType = _given(ARGV[9]), eventData = _given(ARGV[10]), xof = tonumber(ARGV[11]), evidence = _given(ARGV[12]), nudgeAfterMs = tonumber(ARGV[13])}
local unlessHeld = _given(ARGV[14])
local endsBriefly = ARGV[15] == '1'
local hasEffect = ARGV[16] == '1'
local memory = {epoch = _given(ARGV[17]), counter = tonumber(ARGV[18]), name = _given(ARGV[19]), mark = tonumber(ARGV[20])}
local inRecovery = tonumber(ARGV[21])
local beneficiary = _given(ARGV[22])
local recounted = tonumber(ARGV[23])
local _arg, _key = 23, 7
local entered
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; entered = KEYS[_key] end
local account
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; account = KEYS[_key] end
local callback
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; callback = KEYS[_key] end
local claimed
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; claimed = KEYS[_key] end
local sums
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; sums = KEYS[_key] end
local fields = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do fields[_i] = ARGV[_arg + _i] end
_arg = _arg + #fields
-- </generated>
local function is_again() return redis.call('HGET', record, 'op') == change.op end
local shut, known
if hasEffect then shut, known = guard(heartbeat, memory) end
if inRecovery then shut = not_as_it_was(heartbeat, record, inRecovery) end
if shut and not is_again() then return shut end
if account and redis.call('HEXISTS', account, 'held:' .. unlessHeld) == 1 and not is_again() then return {'held'} end
local forgets = false
if callback then
  local nudged = redis.call('HGET', record, 'hint')
  forgets = not nudged or string.find(nudged, ',' .. change.to .. ',', 1, true)
end
local function recount()
  local all, own = unpack(redis.call('HMGET', sums, 'all', beneficiary))
  if not all then return end
  local function after(sum) return string.format('%.0f', math.max(0, tonumber(sum or '0') + recounted)) end
  redis.call('HSET', sums, 'all', after(all), beneficiary, after(own))
end
if sums then
  for _, sum in ipairs(redis.call('HMGET', sums, 'all', beneficiary)) do whole(sum, 0, 'the sum of the day') end
end
local function claim()
  if not claimed or redis.call('SET', claimed, change.id, 'NX', 'EX', 604800) then return end
  local owner = redis.call('GET', claimed)
  if owner ~= change.id then return {'claimed', owner} end
end
local keys = {record = record, events = events, counts = counts, left = left, entered = entered, dueLeft = dueLeft,
  dueEntered = dueEntered}
local answer = change_record(clock(now), keys, change, fields, claim)
if answer[1] ~= 'applied' and answer[1] ~= 'claimed' then answer = claim() or answer end
if answer[1] == 'applied' then
  if forgets then redis.call('DEL', callback) end
  if endsBriefly then brief(record) end
  if sums then recount() end
  if known then answer[5] = raise(heartbeat, known) end
end
return answer
`);

/** Changes the state of a record, and in the same step all that may stand in the way of it. */
export async function transition(redis: lua.ScriptHost, args: TransitionArgs): Promise<TransitionAnswer> {
  const keys = [args.record, args.events, args.counts, args.left, args.dueLeft, args.dueEntered, args.heartbeat, ...(args.entered === undefined ? [] : [args.entered]), ...(args.account === undefined ? [] : [args.account]), ...(args.callback === undefined ? [] : [args.callback]), ...(args.claimed === undefined ? [] : [args.claimed]), ...(args.sums === undefined ? [] : [args.sums])];
  const words: lua.Word[] = [args.now ?? '', args.change.id, args.change.lease ?? '', args.change.op, args.change.from, args.change.to, args.change.dueInMs ?? '', args.change.keepLeaseMs ?? '', args.change.eventType ?? '', args.change.eventData ?? '', args.change.xof ?? '', args.change.evidence ?? '', args.change.nudgeAfterMs, args.unlessHeld ?? '', args.endsBriefly ? 1 : 0, args.hasEffect ? 1 : 0, args.memory.epoch ?? '', args.memory.counter, args.memory.name ?? '', args.memory.mark, args.inRecovery ?? '', args.beneficiary ?? '', args.recounted ?? '', args.entered === undefined ? 0 : 1, args.account === undefined ? 0 : 1, args.callback === undefined ? 0 : 1, args.claimed === undefined ? 0 : 1, args.sums === undefined ? 0 : 1, ...lua.pairs(args.fields)];
  return read(await lua.runScript(redis, transitionScript, keys, words));
}
