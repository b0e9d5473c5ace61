// Generated from ../step-slice.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface StepSliceArgs {
  /** key */ readonly slice: string;
  /** key */ readonly campaign: string;
  /** key */ readonly dueToSend: string;
  /** key */ readonly dueToLook: string;
  /** key: of slices */ readonly counts: string;
  /** key */ readonly left: string;
  /** key: state sets */ readonly entered?: string | undefined;
  /** key */ readonly parked: string;
  /** key */ readonly outcomes: string;
  /** key */ readonly events: string;
  /** key */ readonly campaignCounts: string;
  /** key */ readonly dueCampaigns: string;
  /** key */ readonly running: string;
  /** key */ readonly paused: string;
  /** key: sets of campaigns */ readonly held: string;
  /** key */ readonly heartbeat: string;
  /** key */ readonly heldAccounts: string;
  /** key: lists that nobody has looked into for those who are about to leave */ readonly optOuts: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  readonly lease: string;
  /** how the record knows this very step again */ readonly op: string;
  readonly from: string;
  readonly to: string;
  /** ms: absent: let go */ readonly keepLeaseMs?: number | undefined;
  /** ms */ readonly sendInMs?: number | undefined;
  readonly sendAsItIs: boolean;
  /** ms */ readonly lookInMs?: number | undefined;
  readonly lookAsItIs: boolean;
  /** an account that is held is tried all the same */ readonly tried: boolean;
  /** what is counted was counted before */ readonly recounted: boolean;
  /** the number of the first request that is opened or leaves */ readonly next: number;
  readonly memory: { readonly epoch?: string | undefined; readonly counter: number; readonly name?: string | undefined; readonly mark: number };
  readonly opened: readonly string[];
  readonly fields: Readonly<Record<string, string | number>>;
  /** fields of the campaign, and by how much they change */ readonly deltas: Readonly<Record<string, string | number>>;
  readonly changed: readonly {
    readonly number: number;
    readonly read: string;
    readonly becomes: string;
  }[];
  readonly leaving: readonly {
    readonly becomes: string;
    readonly carries: number;
  }[];
}

export type StepSliceAnswer =
  | { readonly is: 'applied'; readonly leave: number; readonly why: string; readonly waitMs: number; readonly rev: number; readonly counter: number }
  | { readonly is: 'mine'; readonly leave: number }
  | { readonly is: 'not yours'; readonly state: string }
  | { readonly is: 'none' };

function read(value: unknown): StepSliceAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'applied':
      return { is: 'applied', leave: lua.number(answer[1]), why: lua.text(answer[2]), waitMs: lua.number(answer[3]), rev: lua.number(answer[4]), counter: lua.number(answer[5]) };
    case 'mine':
      return { is: 'mine', leave: lua.number(answer[1]) };
    case 'not yours':
      return { is: 'not yours', state: lua.text(answer[1]) };
    case 'none':
      return { is: 'none' };
  }
  return lua.unexpected(value);
}

export const stepSliceScript = lua.defineScript('step-slice', `
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
local function finish_if_over(at, keys)
  local campaign = keys.campaign
  local state, settled, slices, id, account, reference, name, cursor, retries = unpack(redis.call('HMGET', campaign,
    'state', 'settled', 'chunks', 'id', 'account', 'reference', 'name', 'walk', 'retries'))
  local left = keys.sets[state]
  if not left or tonumber(settled or '0') < tonumber(slices) or cursor then return end
  redis.call('HSET', campaign, 'state', 'finished', 'since', at, 'updatedAt', at)
  redis.call('HINCRBY', campaign, 'rev', 1)
  move({counts = keys.counts, id = id, at = at, from = state, to = 'finished', left = left})
  redis.call('ZREM', keys.due, id)
  local totals = {}
  for _, bin in ipairs(({"total", "queued", "held", "sending", "sent", "failed", "unknown", "skipped", "expired", "cancelled"})) do totals[bin] = tonumber(redis.call('HGET', campaign, 't:' .. bin) or '0') end
  local data = {id = id, state = 'finished', name = name, totals = totals}
  if reference then data.reference = reference end
  if retries then data.retries = tonumber(retries) end
  emit(campaign, {stream = keys.events, counts = keys.counts, id = id, at = at, account = account,
    type = 'campaign.finished', data = cjson.encode(data)})
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
local function same_version(v)
  if v ~= "1" then refuse('version') end
end
-- <generated>
local function _given(word) if word ~= '' then return word end end
local slice = KEYS[1]
local campaign = KEYS[2]
local dueToSend = KEYS[3]
local dueToLook = KEYS[4]
local counts = KEYS[5]
local left = KEYS[6]
local parked = KEYS[7]
local outcomes = KEYS[8]
local events = KEYS[9]
local campaignCounts = KEYS[10]
local dueCampaigns = KEYS[11]
local running = KEYS[12]
local paused = KEYS[13]
local held = KEYS[14]
local heartbeat = KEYS[15]
local heldAccounts = KEYS[16]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local lease = ARGV[3]
local op = ARGV[4]
local from = ARGV[5]
local to = ARGV[6]
local keepLeaseMs = tonumber(ARGV[7])
local sendInMs = tonumber(ARGV[8])
local sendAsItIs = ARGV[9] == '1'
local lookInMs = tonumber(ARGV[10])
local lookAsItIs = ARGV[11] == '1'
local tried = ARGV[12] == '1'
local recounted = ARGV[13] == '1'
local next = tonumber(ARGV[14])
local memory = {epoch = _given(ARGV[15]), counter = tonumber(ARGV[16]), name = _given(ARGV[17]), mark = tonumber(ARGV[18])}
local _arg, _key = 18, 16
local entered
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; entered = KEYS[_key] end
local optOuts = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; optOuts[_i] = KEYS[_key] end
local opened = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do opened[_i] = ARGV[_arg + _i] end
_arg = _arg + #opened
local fields = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do fields[_i] = ARGV[_arg + _i] end
_arg = _arg + #fields
local deltas = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do deltas[_i] = ARGV[_arg + _i] end
_arg = _arg + #deltas
local changed = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {number = tonumber(ARGV[_arg + 1]), read = ARGV[_arg + 2], becomes = ARGV[_arg + 3]}
  _arg, _key = _arg + 3, _key + 0
  changed[_n] = _one
end
local leaving = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {becomes = ARGV[_arg + 1], carries = tonumber(ARGV[_arg + 2])}
  _arg, _key = _arg + 2, _key + 0
  leaving[_n] = _one
end
-- </generated>
local names = {'lease', 'op', 'n', 'v', 'rev', 'account', 'state'}
local known = #names
for _, request in ipairs(changed) do names[#names + 1] = 'r' .. request.number end
local read = redis.call('HMGET', slice, unpack(names))
local leased, last, numbers, version, rev, account, state = unpack(read, 1, known)
if not state then return {'none'} end
local last_op, last_leave = string.match(last or '', '^(%S+) (%d+)$')
if last_op == op then return {'mine', tonumber(last_leave)} end
if state ~= from or leased ~= lease or whole(numbers, 0, 'n') ~= next then return {'not yours', state} end
for i, request in ipairs(changed) do
  if read[known + i] ~= request.read then return {'not yours', state} end
end
same_version(version)
rev = whole(rev, 0, 'rev') + 1
local at = clock(now)
local asked = {'account', 'v', 'id', 'perSecond', 'state'}
for _, field in ipairs({'paceAt', 'rev', 'seq', 'chunks', 'settled', 'out', 't:queued', 't:cancelled', 't:sending'}) do
  asked[#asked + 1] = field
end
for i = 1, #deltas, 2 do asked[#asked + 1] = deltas[i] end
local c = redis.call('HMGET', campaign, unpack(asked))
local goes = c[5]
if not goes then refuse('a campaign without a record') end
same_version(c[2])
if not (c[1] and c[3] and c[9]) then refuse('chunks, account or id') end
local per_second, value, put = tonumber(c[4] or ''), {}, {}
for i = 6, #asked do value[asked[i]] = whole(c[i], 0, asked[i]) end
local function count(field, delta)
  if delta == 0 then return end
  value[field] = value[field] + delta
  put[field] = true
end
local leave, why, wait, beat = #leaving, '', 0, nil
local function stop(reason) leave, why = 0, reason end
local function pace()
  for i, request in ipairs(leaving) do
    local ahead = math.ceil(value.paceAt - at - 1000)
    if ahead > 0 then
      leave, why, wait = i - 1, 'paced', ahead
      return
    end
    value.paceAt = math.floor(math.max(value.paceAt, at) + request.carries * 1000 / per_second)
    put.paceAt = true
  end
end
if #leaving > 0 then
  local shut
  shut, beat = guard(heartbeat, memory)
  if shut then stop('recovering')
  elseif goes == 'cancelled' or goes == 'finished' then stop('cancelled')
  elseif goes ~= 'running' then stop('parked')
  elseif not tried and redis.call('SISMEMBER', heldAccounts, account or '') == 1 then stop('held')
  elseif #optOuts > 0 and redis.call('EXISTS', unpack(optOuts)) > 0 then stop('opt-outs')
  elseif per_second then pace() end
end
for i = 1, #deltas, 2 do
  local field, delta = deltas[i], tonumber(deltas[i + 1])
  count(goes == 'cancelled' and field == 't:queued' and 't:cancelled' or field, delta)
  local bin = string.sub(field, 1, 2) == 't:' and string.sub(field, 3)
  if not recounted and delta > 0 and (bin == 'sent' or bin == 'failed' or bin == 'unknown' or bin == 'expired') then
    tally(outcomes, bin, delta)
  end
end
local set = {'op', op .. ' ' .. leave, 'n', next + #opened + leave, 'rev', rev, 'updatedAt', at}
local function add(field, text) set[#set + 1] = field; set[#set + 1] = text end
add('state', to)
for _, request in ipairs(changed) do add('r' .. request.number, request.becomes) end
for i, becomes in ipairs(opened) do add('r' .. (next + i - 1), becomes) end
for i = 1, leave do
  add('r' .. (next + #opened + i - 1), leaving[i].becomes)
  count('t:queued', -leaving[i].carries)
  count('t:sending', leaving[i].carries)
end
for i = 1, #fields, 2 do add(fields[i], fields[i + 1]) end
if from ~= to then add('since', at) end
if keepLeaseMs then add('until', at + keepLeaseMs) else redis.call('HDEL', slice, 'lease', 'until') end
redis.call('HSET', slice, unpack(set))
move({counts = counts, id = id, at = at, from = from, to = to, left = left, entered = entered})
if from ~= to then
  if from == 'queued' then count('out', -1) elseif to == 'queued' then count('out', 1) end
  if to == 'settled' then count('settled', 1) end
end
local write = {}
for field in pairs(put) do write[#write + 1] = field; write[#write + 1] = value[field] end
if #write > 0 then redis.call('HSET', campaign, unpack(write)) end
if to == 'settled' and value.settled >= value.chunks then
  finish_if_over(at, {campaign = campaign, events = events, counts = campaignCounts, due = dueCampaigns,
    sets = {running = running, paused = paused, held = held}})
end
local function due(set_of, in_ms)
  if in_ms then redis.call('ZADD', set_of, at + in_ms, id) else redis.call('ZREM', set_of, id) end
end
local rests = not keepLeaseMs and sendInMs and goes ~= 'running'
if rests and goes == 'cancelled' then due(dueToSend, 0)
elseif rests then
  due(dueToSend)
  if goes ~= 'finished' then redis.call('SADD', parked, id) end
elseif not sendAsItIs then due(dueToSend, sendInMs) end
if not lookAsItIs then due(dueToLook, lookInMs) end
return {'applied', leave, why, wait, rev, leave > 0 and raise(heartbeat, beat) or 0}
`);

/** One step of a slice, by the attempt that has its lease: what came back of requests, who waits again, and which
 * requests are about to leave; with the bins of the campaign. What came back is written in any case; what is about to
 * leave only while nothing stands in its way, as many as may, and what that is is answered. Each request that changes
 * is compared with what was read of it, and a new one takes the next number, which must be the one that was read: a
 * step that comes late, or once more, changes nothing. */
export async function stepSlice(redis: lua.ScriptHost, args: StepSliceArgs): Promise<StepSliceAnswer> {
  const keys = [args.slice, args.campaign, args.dueToSend, args.dueToLook, args.counts, args.left, args.parked, args.outcomes, args.events, args.campaignCounts, args.dueCampaigns, args.running, args.paused, args.held, args.heartbeat, args.heldAccounts, ...(args.entered === undefined ? [] : [args.entered]), ...args.optOuts];
  const words: lua.Word[] = [args.now ?? '', args.id, args.lease, args.op, args.from, args.to, args.keepLeaseMs ?? '', args.sendInMs ?? '', args.sendAsItIs ? 1 : 0, args.lookInMs ?? '', args.lookAsItIs ? 1 : 0, args.tried ? 1 : 0, args.recounted ? 1 : 0, args.next, args.memory.epoch ?? '', args.memory.counter, args.memory.name ?? '', args.memory.mark, args.entered === undefined ? 0 : 1, args.optOuts.length, ...lua.counted(args.opened), ...lua.pairs(args.fields), ...lua.pairs(args.deltas), args.changed.length, ...args.changed.flatMap((one) => [one.number, one.read, one.becomes]), args.leaving.length, ...args.leaving.flatMap((one) => [one.becomes, one.carries])];
  return read(await lua.runScript(redis, stepSliceScript, keys, words));
}
