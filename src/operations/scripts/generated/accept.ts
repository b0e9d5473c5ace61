// Generated from ../accept.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface AcceptArgs {
  /** key */ readonly record: string;
  /** key: of its reference, where it claims one */ readonly mapping?: string | undefined;
  /** key: the record that the reference alone would have, where that is another one */ readonly other?: string | undefined;
  /** key */ readonly counts: string;
  /** key */ readonly index: string;
  /** key */ readonly entered: string;
  /** key */ readonly due: string;
  /** key */ readonly limits: string;
  /** key: what was accepted on that day */ readonly spent: string;
  /** key: the same amount to the same beneficiary again */ readonly same: string;
  /** key: the set of those that await approval */ readonly awaiting: string;
  /** key */ readonly heartbeat: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  readonly otherId: string;
  readonly fingerprint: string;
  readonly state: string;
  readonly account: string;
  /** whole XOF: where it moves money */ readonly xof?: number | undefined;
  /** ms */ readonly dueInMs?: number | undefined;
  /** ms since the epoch */ readonly notBefore?: number | undefined;
  readonly beneficiary: string;
  readonly meantAgain: boolean;
  /** absent: may be waited for */ readonly approval?: 'given' | 'impossible' | undefined;
  readonly day: string;
  readonly memory: { readonly epoch?: string | undefined; readonly counter: number; readonly name?: string | undefined; readonly mark: number };
  /** what the process itself asks for of each limit */ readonly asked: Readonly<Record<string, string | number>>;
  readonly fields: Readonly<Record<string, string | number>>;
}

export type AcceptAnswer =
  | { readonly is: 'accepted'; readonly id: string; readonly state: string; readonly at: number }
  | { readonly is: 'duplicate'; readonly id: string; readonly state: string }
  | { readonly is: 'conflict'; readonly id: string }
  | { readonly is: 'limited'; readonly limit: string; readonly detail: string }
  | { readonly is: 'recovering' };

function read(value: unknown): AcceptAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'accepted':
      return { is: 'accepted', id: lua.text(answer[1]), state: lua.text(answer[2]), at: lua.number(answer[3]) };
    case 'duplicate':
      return { is: 'duplicate', id: lua.text(answer[1]), state: lua.text(answer[2]) };
    case 'conflict':
      return { is: 'conflict', id: lua.text(answer[1]) };
    case 'limited':
      return { is: 'limited', limit: lua.text(answer[1]), detail: lua.text(answer[2]) };
    case 'recovering':
      return { is: 'recovering' };
  }
  return lua.unexpected(value);
}

export const acceptScript = lua.defineScript('accept', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function tally(key, field, delta)
  redis.pcall('HINCRBY', key, field, delta)
end
local function fly(counts, account, mode, from, to, xof)
  if not mode or not xof then return end
  local flying = ({["queued"] = true, ["held"] = true, ["created"] = true, ["submitting"] = true, ["unknown"] = true, ["pending"] = true})
  if flying[from] == flying[to] then return end
  tally(counts, 'flight:' .. account .. ':' .. mode, flying[to] and xof or -xof)
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
local function standing(r)
  local fingerprint, state = unpack(redis.call('HMGET', r.record, 'fp', 'state'))
  if fingerprint then
    if fingerprint == r.fingerprint then return 'duplicate', state end
    return 'conflict', r.id
  end
  if not r.mapping then return nil end
  local owner = redis.call('GET', r.mapping)
  if owner and owner ~= r.id then return 'conflict', owner end
  if r.other and redis.call('EXISTS', r.other) == 1 then return 'conflict', r.otherId end
  return nil
end
local function claim_reference(r)
  if r.mapping and r.other then redis.call('SET', r.mapping, r.id) end
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
local record = KEYS[1]
local counts = KEYS[2]
local index = KEYS[3]
local entered = KEYS[4]
local due = KEYS[5]
local limits = KEYS[6]
local spent = KEYS[7]
local same = KEYS[8]
local awaiting = KEYS[9]
local heartbeat = KEYS[10]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local otherId = ARGV[3]
local fingerprint = ARGV[4]
local state = ARGV[5]
local account = ARGV[6]
local xof = tonumber(ARGV[7])
local dueInMs = tonumber(ARGV[8])
local notBefore = tonumber(ARGV[9])
local beneficiary = ARGV[10]
local meantAgain = ARGV[11] == '1'
local approval = _given(ARGV[12])
local day = ARGV[13]
local memory = {epoch = _given(ARGV[14]), counter = tonumber(ARGV[15]), name = _given(ARGV[16]), mark = tonumber(ARGV[17])}
local _arg, _key = 17, 10
local mapping
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; mapping = KEYS[_key] end
local other
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; other = KEYS[_key] end
local asked = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do asked[_i] = ARGV[_arg + _i] end
_arg = _arg + #asked
local fields = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do fields[_i] = ARGV[_arg + _i] end
_arg = _arg + #fields
-- </generated>
local shut = guard(heartbeat, memory)
if shut then return shut end
local at = clock(now)
local who = {id = id, fingerprint = fingerprint, record = record, mapping = mapping, other = other, otherId = otherId}
local known, detail = standing(who)
if known == 'duplicate' then return {known, id, detail} end
if known then return {known, detail} end
local own = {}
for i = 1, #asked, 2 do own[asked[i]] = asked[i + 1] end
local max, shared = {}, redis.call('HMGET', limits, unpack(({"MAX_DISBURSEMENT", "MAX_PER_DAY", "MAX_PER_BENEFICIARY_DAY", "DUPLICATE_WINDOW", "APPROVAL_ABOVE"})))
for i, name in ipairs(({"MAX_DISBURSEMENT", "MAX_PER_DAY", "MAX_PER_BENEFICIARY_DAY", "DUPLICATE_WINDOW", "APPROVAL_ABOVE"})) do max[name] = strictest(name, own[name], shared[i]) end
local function over(name, sum) return max[name] and sum > tonumber(max[name]) end
local function spend()
  local counted = max.MAX_PER_DAY or max.MAX_PER_BENEFICIARY_DAY
  if counted then
    local all, his = unpack(redis.call('HMGET', spent, 'all', beneficiary))
    whole(all, 0, 'the sum of the day')
    whole(his, 0, 'the sum of the day')
    if over('MAX_PER_DAY', tonumber(all or '0') + xof) then return {'limited', 'MAX_PER_DAY', max.MAX_PER_DAY} end
    if over('MAX_PER_BENEFICIARY_DAY', tonumber(his or '0') + xof) then
      return {'limited', 'MAX_PER_BENEFICIARY_DAY', max.MAX_PER_BENEFICIARY_DAY}
    end
  end
  if max.DUPLICATE_WINDOW and not meantAgain then
    local before = redis.call('GET', same)
    if before then return {'limited', 'DUPLICATE_WINDOW', before} end
  end
  if max.DUPLICATE_WINDOW then whole(max.DUPLICATE_WINDOW, 0, 'DUPLICATE_WINDOW') end
  if counted then
    redis.call('HINCRBY', spent, 'all', xof)
    redis.call('HINCRBY', spent, beneficiary, xof)
    redis.call('EXPIRE', spent, 172800)
  end
  if max.DUPLICATE_WINDOW then redis.call('SET', same, id, 'PX', max.DUPLICATE_WINDOW) end
  return nil, counted
end
local counted
if xof then
  if over('MAX_DISBURSEMENT', xof) then return {'limited', 'MAX_DISBURSEMENT', max.MAX_DISBURSEMENT} end
  local awaits = over('APPROVAL_ABOVE', xof) and approval ~= 'given'
  if awaits and approval == 'impossible' then return {'limited', 'APPROVAL_ABOVE', max.APPROVAL_ABOVE} end
  local limited
  limited, counted = spend()
  if limited then return limited end
  if awaits and state == 'queued' then state = 'awaiting_approval'; entered = awaiting end
end
claim_reference(who)
local set = {'id', id, 'state', state, 'fp', fingerprint, 'rev', 1, 'seq', 0, 'createdAt', at, 'updatedAt', at, 'since', at,
  'account', account}
if counted then set[#set + 1] = 'counted'; set[#set + 1] = day .. ' ' .. beneficiary end
for _, word in ipairs(fields) do set[#set + 1] = word end
redis.call('HSET', record, unpack(set))
move({counts = counts, id = id, at = at, to = state, entered = entered, xof = xof})
if xof then fly(counts, account, redis.call('HGET', record, 'withdrawMode'), nil, state, xof) end
redis.call('ZADD', index, at, id)
if dueInMs and state ~= 'awaiting_approval' then redis.call('ZADD', due, math.max(at + dueInMs, notBefore or 0), id) end
return {'accepted', id, state, at}
`);

/** Writes a record that did not exist, or says which one already stands for this request, or which limit it breaks.
 * Nothing is written unless everything is in order. Of each limit the strictest holds, of what Redis has and what
 * the process asks for itself, so that they hold through every door. What counts towards a limit of the day says so
 * in the record, since it may have to be given back. */
export async function accept(redis: lua.ScriptHost, args: AcceptArgs): Promise<AcceptAnswer> {
  const keys = [args.record, args.counts, args.index, args.entered, args.due, args.limits, args.spent, args.same, args.awaiting, args.heartbeat, ...(args.mapping === undefined ? [] : [args.mapping]), ...(args.other === undefined ? [] : [args.other])];
  const words: lua.Word[] = [args.now ?? '', args.id, args.otherId, args.fingerprint, args.state, args.account, args.xof ?? '', args.dueInMs ?? '', args.notBefore ?? '', args.beneficiary, args.meantAgain ? 1 : 0, args.approval ?? '', args.day, args.memory.epoch ?? '', args.memory.counter, args.memory.name ?? '', args.memory.mark, args.mapping === undefined ? 0 : 1, args.other === undefined ? 0 : 1, ...lua.pairs(args.asked), ...lua.pairs(args.fields)];
  return read(await lua.runScript(redis, acceptScript, keys, words));
}
