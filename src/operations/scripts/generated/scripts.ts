// Generated from ../*.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface AcceptBatchArgs {
  /** key */ readonly record: string;
  /** key */ readonly counts: string;
  /** key */ readonly index: string;
  /** key: what is left of it where history alone has it */ readonly stubs: string;
  /** key: the set of invalid ones */ readonly invalid: string;
  /** key: the set of the state that it enters */ readonly entered: string;
  /** key */ readonly due: string;
  /** key: its rows, until it is accepted */ readonly staged: string;
  /** key */ readonly rows: string;
  /** key: the batch of these bytes */ readonly ofBytes: string;
  /** key: the record of the batch that this named when it was read; its own where it named none */ readonly other: string;
  /** key */ readonly heartbeat: string;
  /** key */ readonly events: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  readonly stubName: string;
  readonly fingerprint: string;
  readonly state: 'invalid' | 'awaiting_approval';
  /** ms */ readonly dueInMs?: number | undefined;
  readonly account: string;
  /** of staged rows */ readonly count: number;
  /** the batch of these bytes as it was read */ readonly named?: string | undefined;
  readonly memory: { readonly epoch?: string | undefined; readonly counter: number; readonly name?: string | undefined; readonly mark: number };
  /** JSON: told to the people who approve; absent: nobody is to */ readonly eventData?: string | undefined;
  readonly act: readonly string[];
  readonly fields: Readonly<Record<string, string | number>>;
}

export type AcceptBatchAnswer =
  | { readonly is: 'accepted'; readonly id: string; readonly state: string }
  | { readonly is: 'duplicate'; readonly id: string; readonly state: string }
  | { readonly is: 'conflict'; readonly id: string }
  | { readonly is: 'open'; readonly id: string }
  | { readonly is: 'read again' }
  | { readonly is: 'unstaged' }
  | { readonly is: 'recovering' };

function readAcceptBatchAnswer(value: unknown): AcceptBatchAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'accepted':
      return { is: 'accepted', id: lua.text(answer[1]), state: lua.text(answer[2]) };
    case 'duplicate':
      return { is: 'duplicate', id: lua.text(answer[1]), state: lua.text(answer[2]) };
    case 'conflict':
      return { is: 'conflict', id: lua.text(answer[1]) };
    case 'open':
      return { is: 'open', id: lua.text(answer[1]) };
    case 'read again':
      return { is: 'read again' };
    case 'unstaged':
      return { is: 'unstaged' };
    case 'recovering':
      return { is: 'recovering' };
  }
  return lua.unexpected(value);
}

export const acceptBatchScript = lua.defineScript('accept-batch', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function sheet(key) return {key = key, names = {}, by = {}} end
local function tally(counts, field, delta)
  if type(counts) == 'string' then
    redis.pcall('HINCRBY', counts, field, delta)
    return
  end
  if not counts.by[field] then counts.names[#counts.names + 1] = field end
  counts.by[field] = (counts.by[field] or 0) + delta
end
local function write_sheet(counts)
  local names, set, none = {}, {}, {}
  for _, name in ipairs(counts.names) do
    if counts.by[name] ~= 0 then names[#names + 1] = name end
  end
  if #names == 0 then return none end
  names[#names + 1] = "history:"
  local read = redis.pcall('HMGET', counts.key, unpack(names))
  if read.err then return none end
  names[#names] = nil
  counts.history = read[#names + 1]
  for i, name in ipairs(names) do
    local value = read[i] or '0'
    if #value <= 16 and string.find(value, '^%-?%d+$') then
      local sum = tonumber(value) + counts.by[name]
      if sum == 0 then none[#none + 1] = name end
      set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum)
    end
  end
  if #set > 0 then redis.call('HSET', counts.key, unpack(set)) end
  return none
end
local function emit(record, e)
  local seq = e.seq or redis.call('HINCRBY', record, 'seq', 1)
  tally(e.counts, "event:" .. e.type, 1)
  local entry = {'op', e.id, 'seq', seq, 'at', e.at, 'account', e.account, 'type', e.type, 'data', e.data}
  if e.trace then entry[#entry + 1] = 'trace'; entry[#entry + 1] = e.trace end
  redis.call('XADD', e.stream, e.place or '*', unpack(entry))
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
local function raise(heartbeat, known, effects)
  local counter = known.counter + (effects or 1)
  if known.name then redis.call('HSET', heartbeat, 'counter', counter, "process:" .. known.name, counter)
  else redis.call('HSET', heartbeat, 'counter', counter) end
  return counter
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
local function stub_of(stubs, name)
  local stub = redis.call('HGET', stubs, name)
  if not stub then return nil end
  return string.sub(stub, 1, 6), ({["s"] = "succeeded", ["f"] = "failed", ["r"] = "reversed", ["j"] = "rejected", ["c"] = "cancelled", ["d"] = "sent", ["e"] = "expired", ["k"] = "skipped", ["p"] = "completed", ["n"] = "finished", ["u"] = "unknown"})[string.sub(stub, 6 + 1, 6 + 1)]
end
local function same_version(v)
  if v ~= "1" then refuse('version') end
end
-- <generated>
local function _given(word) if word ~= '' then return word end end
local record = KEYS[1]
local counts = KEYS[2]
local index = KEYS[3]
local stubs = KEYS[4]
local invalid = KEYS[5]
local entered = KEYS[6]
local due = KEYS[7]
local staged = KEYS[8]
local rows = KEYS[9]
local ofBytes = KEYS[10]
local other = KEYS[11]
local heartbeat = KEYS[12]
local events = KEYS[13]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local stubName = ARGV[3]
local fingerprint = ARGV[4]
local state = ARGV[5]
local dueInMs = tonumber(ARGV[6])
local account = ARGV[7]
local count = tonumber(ARGV[8])
local named = _given(ARGV[9])
local memory = {epoch = _given(ARGV[10]), counter = tonumber(ARGV[11]), name = _given(ARGV[12]), mark = tonumber(ARGV[13])}
local eventData = _given(ARGV[14])
local _arg, _key = 14, 13
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
local fields = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do fields[_i] = ARGV[_arg + _i] end
_arg = _arg + #fields
-- </generated>
local shut = guard(heartbeat, memory)
if shut then return shut end
local at = clock(now)
if (redis.call('GET', ofBytes) or nil) ~= named then return {'read again'} end
local known, stood, version, rev = unpack(redis.call('HMGET', record, 'fp', 'state', 'v', 'rev'))
local from
if known then
  if known ~= fingerprint then return {'conflict', id} end
  if stood ~= 'invalid' then return {'duplicate', id, stood} end
  same_version(version)
  whole(rev, 0, 'rev')
  from = 'invalid'
else
  local print, ended = stub_of(stubs, stubName)
  if print and print ~= string.sub(fingerprint, 1, 6) then return {'conflict', id} end
  if print then return {'duplicate', id, ended} end
end
if count > 0 and redis.call('LLEN', staged) ~= count then return {'unstaged'} end
if named and named ~= id then
  local theirs = redis.call('HGET', other, 'state')
  if theirs == 'awaiting_approval' or theirs == 'running' then return {'open', named} end
end
if state ~= 'invalid' then redis.call('SET', ofBytes, id) end
if not from then
  redis.call('HSET', record, 'rev', 0, 'seq', 0, 'createdAt', at)
  redis.call('ZADD', index, at, id)
end
local set = {'id', id, 'state', state, 'fp', fingerprint, 'updatedAt', at, 'since', at, 'account', account}
for _, word in ipairs(fields) do set[#set + 1] = word end
redis.call('HSET', record, unpack(set))
redis.call('HINCRBY', record, 'rev', 1)
move({counts = counts, id = id, at = at, from = from, to = state, left = invalid, entered = entered})
if count > 0 then
  redis.call('RENAME', staged, rows)
  redis.call('PERSIST', rows)
end
if dueInMs then redis.call('ZADD', due, at + dueInMs, id) end
if eventData then
  emit(record, {stream = events, counts = counts, id = id, at = at, account = account,
    type = 'batch.awaiting_approval', data = eventData})
end
audit_line(audit, act, at, audit_word('state', from), audit_word('state', state) .. ',' .. '"rows":' .. count)
return {'accepted', id, state}
`);

/** Writes the record of a batch together with its rows, or says which one stands for it already. One that was
 * invalid is judged again with the same bytes: a limit was raised or an account was added meanwhile. While a batch
 * of the same bytes is open under another name, there is no second one. One that history alone has stands as it left. */
export async function acceptBatch(redis: lua.ScriptHost, args: AcceptBatchArgs): Promise<AcceptBatchAnswer> {
  const keys: string[] = [args.record, args.counts, args.index, args.stubs, args.invalid, args.entered, args.due, args.staged, args.rows, args.ofBytes, args.other, args.heartbeat, args.events, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.id, args.stubName, args.fingerprint, args.state, args.dueInMs ?? '', args.account, args.count, args.named ?? '', args.memory.epoch ?? '', args.memory.counter, args.memory.name ?? '', args.memory.mark, args.eventData ?? '', args.audit.length, ...lua.counted(args.act), ...lua.pairs(args.fields)];
  return readAcceptBatchAnswer(await lua.runScript(redis, acceptBatchScript, keys, words));
}

export interface AcceptMessagesArgs {
  /** key */ readonly slice: string;
  /** key */ readonly due: string;
  /** key */ readonly messageCounts: string;
  /** key */ readonly sliceCounts: string;
  /** key: the set of queued slices */ readonly queued: string;
  /** key: where lists find those that are queued */ readonly listed: string;
  /** key: of which there are any */ readonly accounts: string;
  /** key: there is none while nothing has left Redis */ readonly trimmed: string;
  /** key */ readonly heartbeat: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly sliceId: string;
  readonly account: string;
  readonly lane: 'otp' | 'normal';
  /** in a slice */ readonly most: number;
  /** ms: from the creation of the slice */ readonly dueInMs: number;
  readonly memory: { readonly epoch?: string | undefined; readonly counter: number; readonly name?: string | undefined; readonly mark: number };
  readonly acts: readonly {
    /** of a request that some of them came in */ readonly words: readonly string[];
  }[];
  readonly messages: readonly {
    /** key */ readonly record: string;
    /** key */ readonly bucket?: string | undefined;
    /** key: of its reference */ readonly mapping?: string | undefined;
    /** key: the record that the reference alone would have, where that is another one */ readonly other?: string | undefined;
    /** key */ readonly stubs: string;
    /** key: what is left of either where history alone has it */ readonly otherStubs?: string | undefined;
    /** by which it is found by its number */ readonly head?: string | undefined;
    readonly stubName: string;
    readonly otherStubName?: string | undefined;
    readonly id: string;
    readonly fingerprint: string;
    readonly reference?: string | undefined;
    readonly otherId?: string | undefined;
    readonly to: string;
    readonly text: string;
    readonly from?: string | undefined;
    /** ms since the epoch */ readonly expiresAt?: number | undefined;
    /** which of the acts; 0: nobody's */ readonly asker: number;
  }[];
}

export type AcceptMessagesVerdict =
  | { readonly is: 'accepted'; readonly state: string }
  | { readonly is: 'duplicate'; readonly state: string }
  | { readonly is: 'conflict'; readonly id: string }
  | { readonly is: 'full' }
  | { readonly is: 'failed'; readonly why: string };

export type AcceptMessagesAnswer =
  | { readonly is: 'accepted'; readonly count: number; readonly verdicts: readonly AcceptMessagesVerdict[] }
  | { readonly is: 'recovering' };

function readAcceptMessagesVerdict(value: unknown): AcceptMessagesVerdict {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'accepted':
      return { is: 'accepted', state: lua.text(answer[1]) };
    case 'duplicate':
      return { is: 'duplicate', state: lua.text(answer[1]) };
    case 'conflict':
      return { is: 'conflict', id: lua.text(answer[1]) };
    case 'full':
      return { is: 'full' };
    case 'failed':
      return { is: 'failed', why: lua.text(answer[1]) };
  }
  return lua.unexpected(value);
}

function readAcceptMessagesAnswer(value: unknown): AcceptMessagesAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'accepted':
      return { is: 'accepted', count: lua.number(answer[1]), verdicts: lua.list(readAcceptMessagesVerdict)(answer[2]) };
    case 'recovering':
      return { is: 'recovering' };
  }
  return lua.unexpected(value);
}

export const acceptMessagesScript = lua.defineScript('accept-messages', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
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
local function raise(heartbeat, known, effects)
  local counter = known.counter + (effects or 1)
  if known.name then redis.call('HSET', heartbeat, 'counter', counter, "process:" .. known.name, counter)
  else redis.call('HSET', heartbeat, 'counter', counter) end
  return counter
end
local function stub_of(stubs, name)
  local stub = redis.call('HGET', stubs, name)
  if not stub then return nil end
  return string.sub(stub, 1, 6), ({["s"] = "succeeded", ["f"] = "failed", ["r"] = "reversed", ["j"] = "rejected", ["c"] = "cancelled", ["d"] = "sent", ["e"] = "expired", ["k"] = "skipped", ["p"] = "completed", ["n"] = "finished", ["u"] = "unknown"})[string.sub(stub, 6 + 1, 6 + 1)]
end
local function standing(r)
  local fingerprint, state = unpack(redis.call('HMGET', r.record, 'fp', 'state'))
  local asked = r.fingerprint
  if fingerprint and not state then refuse('state') end
  if not fingerprint and r.stubs then
    fingerprint, state = stub_of(r.stubs, r.stubName)
    asked = string.sub(asked, 1, 6)
  end
  if fingerprint then
    if fingerprint == asked then return 'duplicate', state end
    return 'conflict', r.id
  end
  if not r.mapping then return nil end
  local owner = redis.call('GET', r.mapping)
  if owner and owner ~= r.id then return 'conflict', owner end
  if not r.other then return nil end
  local is_there = redis.call('EXISTS', r.other) == 1
  if is_there or (r.otherStubs and stub_of(r.otherStubs, r.otherStubName)) then return 'conflict', r.otherId end
  return nil
end
local function claim_reference(r)
  if r.mapping and r.other then redis.call('SET', r.mapping, r.id) end
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
local function moment_of(created)
  local moment = base36(created)
  return string.rep('0', 8 - #moment) .. moment
end
local function add_names(names, created, id)
  if #names == 0 then return end
  local moment = moment_of(created)
  for _, name in ipairs(names) do redis.call('ZADD', name.bucket, 0, name.head .. moment .. id) end
end
local function remove_names(names, created, id)
  if #names == 0 then return end
  local moment = moment_of(created)
  for _, name in ipairs(names) do redis.call('ZREM', name.bucket, name.head .. moment .. id) end
end
local function sheet(key) return {key = key, names = {}, by = {}} end
local function tally(counts, field, delta)
  if type(counts) == 'string' then
    redis.pcall('HINCRBY', counts, field, delta)
    return
  end
  if not counts.by[field] then counts.names[#counts.names + 1] = field end
  counts.by[field] = (counts.by[field] or 0) + delta
end
local function write_sheet(counts)
  local names, set, none = {}, {}, {}
  for _, name in ipairs(counts.names) do
    if counts.by[name] ~= 0 then names[#names + 1] = name end
  end
  if #names == 0 then return none end
  names[#names + 1] = "history:"
  local read = redis.pcall('HMGET', counts.key, unpack(names))
  if read.err then return none end
  names[#names] = nil
  counts.history = read[#names + 1]
  for i, name in ipairs(names) do
    local value = read[i] or '0'
    if #value <= 16 and string.find(value, '^%-?%d+$') then
      local sum = tonumber(value) + counts.by[name]
      if sum == 0 then none[#none + 1] = name end
      set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum)
    end
  end
  if #set > 0 then redis.call('HSET', counts.key, unpack(set)) end
  return none
end
local function why_of(failure) return type(failure) == 'table' and failure.err or failure end
-- <generated>
local function _given(word) if word ~= '' then return word end end
local slice = KEYS[1]
local due = KEYS[2]
local messageCounts = KEYS[3]
local sliceCounts = KEYS[4]
local queued = KEYS[5]
local listed = KEYS[6]
local accounts = KEYS[7]
local trimmed = KEYS[8]
local heartbeat = KEYS[9]
local now = tonumber(ARGV[1])
local sliceId = ARGV[2]
local account = ARGV[3]
local lane = ARGV[4]
local most = tonumber(ARGV[5])
local dueInMs = tonumber(ARGV[6])
local memory = {epoch = _given(ARGV[7]), counter = tonumber(ARGV[8]), name = _given(ARGV[9]), mark = tonumber(ARGV[10])}
local _arg, _key = 10, 9
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local acts = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {}
  _arg, _key = _arg + 0, _key + 0
_one.words = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _one.words[_i] = ARGV[_arg + _i] end
_arg = _arg + #_one.words
  acts[_n] = _one
end
local messages = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {record = KEYS[_key + 1], stubs = KEYS[_key + 2], head = _given(ARGV[_arg + 1]), stubName = ARGV[_arg + 2], otherStubName = _given(ARGV[_arg + 3]), id = ARGV[_arg + 4], fingerprint = ARGV[_arg + 5], reference = _given(ARGV[_arg + 6]), otherId = _given(ARGV[_arg + 7]), to = ARGV[_arg + 8], text = ARGV[_arg + 9], from = _given(ARGV[_arg + 10]), expiresAt = tonumber(ARGV[_arg + 11]), asker = tonumber(ARGV[_arg + 12])}
  _arg, _key = _arg + 12, _key + 2
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; _one.bucket = KEYS[_key] end
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; _one.mapping = KEYS[_key] end
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; _one.other = KEYS[_key] end
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; _one.otherStubs = KEYS[_key] end
  messages[_n] = _one
end
-- </generated>
local shut = guard(heartbeat, memory)
if shut then return shut end
local at = clock(now)
local state, lease, count, version, packed = unpack(redis.call('HMGET', slice, 'state', 'lease', 'count', 'v', 'items'))
count = whole(count, 0, 'count')
local takes = not state or (state == 'queued' and not lease and version == "1" and packed)
local now_text, moment = string.format('%.0f', at), moment_of(at)
local verdicts, items, told, places, found = {}, {}, {}, {}, {}
local function escaped(text)
  return (string.gsub(text, '[\\\\\\t\\n]', {['\\\\'] = '\\\\\\\\', ['\\t'] = '\\\\t', ['\\n'] = '\\\\n'}))
end
local function write(m)
  claim_reference(m)
  local set = {'id', m.id, 'kind', 'message', 'v', "1", 'state', 'queued', 'fp', m.fingerprint, 'rev', '1',
    'createdAt', now_text, 'updatedAt', now_text, 'since', now_text, 'account', account, 'lane', lane, 'slice', sliceId, 'to', m.to,
    'text', m.text}
  if m.from then set[#set + 1] = 'from'; set[#set + 1] = m.from end
  if m.expiresAt then set[#set + 1] = 'expiresAt'; set[#set + 1] = m.expiresAt end
  if m.reference then set[#set + 1] = 'reference'; set[#set + 1] = m.reference end
  redis.call('HSET', m.record, unpack(set))
  local expires = m.expiresAt and string.format('%d', m.expiresAt) or ''
  if m.bucket then found[#found + 1] = m end
  places[#places + 1] = now_text; places[#places + 1] = m.id
  items[#items + 1] = table.concat({string.sub(m.to, 2), m.id, escaped(m.from or ''), expires, escaped(m.text)}, '\\t')
end
local any_left = redis.call('EXISTS', trimmed) == 1
for i, m in ipairs(messages) do
  if not any_left then m.stubs, m.otherStubs = nil, nil end
  local judged, known, detail = pcall(standing, m)
  if not judged then
    verdicts[i] = {'failed', why_of(known)}
  elseif known then
    verdicts[i] = {known, detail}
  elseif takes and count + #items < most then
    write(m)
    local first = told[m.asker]
    if first then first.count = first.count + 1 else told[m.asker] = {id = m.id, count = 1} end
    verdicts[i] = {'accepted', 'queued'}
  else
    verdicts[i] = {'full'}
  end
end
if #items == 0 then return {'accepted', count, verdicts} end
local joined = table.concat(items, '\\n')
count = count + #items
tally(messageCounts, 'queued', #items)
redis.call('ZADD', listed, unpack(places))
redis.call('SADD', accounts, account)
if state then
  redis.call('HSET', slice, 'count', count, 'items', packed .. '\\n' .. joined)
else
  redis.call('HSET', slice, 'id', sliceId, 'kind', 'slice', 'v', "1", 'state', 'queued', 'rev', 1, 'createdAt', at,
    'updatedAt', at, 'since', at, 'account', account, 'lane', lane, 'count', count, 'items', joined)
  redis.call('ZADD', due, at + dueInMs, sliceId)
  tally(sliceCounts, 'queued', 1)
  redis.call('ZADD', queued, at, sliceId)
end
local lines, after = {}, audit_word('state', 'queued') .. ',"messages":'
for i, act in ipairs(acts) do
  local first = told[i]
  if first then
    act.words[7] = first.id
    lines[#lines + 1] = {act = act.words, after = after .. first.count}
  end
end
audit_lines(audit, lines, at)
for _, m in ipairs(found) do redis.call('ZADD', m.bucket, 0, m.head .. moment .. m.id) end
return {'accepted', count, verdicts}
`);

/** Accepts messages and puts them into the slice that this process is filling, which is created with the first of
 * them. Each has a verdict of its own, in their order, and one that cannot be judged stops none of the others. The
 * slice is read once and written once for all of them, its items in the form of slice-form.ts. */
export async function acceptMessages(redis: lua.ScriptHost, args: AcceptMessagesArgs): Promise<AcceptMessagesAnswer> {
  const keys: string[] = [args.slice, args.due, args.messageCounts, args.sliceCounts, args.queued, args.listed, args.accounts, args.trimmed, args.heartbeat, ...args.audit];
  for (const one of args.messages) {
    keys.push(one.record, one.stubs);
    if (one.bucket !== undefined) keys.push(one.bucket);
    if (one.mapping !== undefined) keys.push(one.mapping);
    if (one.other !== undefined) keys.push(one.other);
    if (one.otherStubs !== undefined) keys.push(one.otherStubs);
  }
  const words: lua.Word[] = [args.now ?? '', args.sliceId, args.account, args.lane, args.most, args.dueInMs, args.memory.epoch ?? '', args.memory.counter, args.memory.name ?? '', args.memory.mark, args.audit.length];
  words.push(args.acts.length);
  for (const one of args.acts) words.push(...lua.counted(one.words));
  words.push(args.messages.length);
  for (const one of args.messages) words.push(one.head ?? '', one.stubName, one.otherStubName ?? '', one.id, one.fingerprint, one.reference ?? '', one.otherId ?? '', one.to, one.text, one.from ?? '', one.expiresAt ?? '', one.asker, one.bucket === undefined ? 0 : 1, one.mapping === undefined ? 0 : 1, one.other === undefined ? 0 : 1, one.otherStubs === undefined ? 0 : 1);
  return readAcceptMessagesAnswer(await lua.runScript(redis, acceptMessagesScript, keys, words));
}

export interface AcceptArgs {
  /** key */ readonly counts: string;
  /** key */ readonly entered: string;
  /** key */ readonly due: string;
  /** key */ readonly limits: string;
  /** key */ readonly listed: string;
  /** key: where lists find them */ readonly listedAwaiting: string;
  /** key: of which there are any */ readonly accounts: string;
  /** key: what was accepted on that day */ readonly spent: string;
  /** key: the set of those that await approval */ readonly awaiting: string;
  /** key */ readonly heartbeat: string;
  /** key */ readonly events: string;
  /** key */ readonly book: string;
  /** key */ readonly closedDays: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly state: string;
  readonly account: string;
  /** they may have to wait with their account, unless they wait for an approval first */ readonly unsent: boolean;
  /** ms */ readonly dueInMs?: number | undefined;
  /** only judged, each for itself: nothing is written, and what would be is answered */ readonly dryRun: boolean;
  readonly day: string;
  /** ms since the epoch */ readonly dayBegan: number;
  readonly memory: { readonly epoch?: string | undefined; readonly counter: number; readonly name?: string | undefined; readonly mark: number };
  /** what the process itself asks for of each limit */ readonly asked: Readonly<Record<string, string | number>>;
  /** fields that all of them have alike */ readonly common: Readonly<Record<string, string | number>>;
  readonly acts: readonly {
    /** what all lines of one request begin with */ readonly words: readonly string[];
  }[];
  readonly books: readonly {
    /** sums of the book of the day that count them */ readonly counted: readonly string[];
    /** and their XOF */ readonly summed: readonly string[];
  }[];
  readonly operations: readonly {
    /** key */ readonly record: string;
    /** key: of its reference, where it claims one */ readonly mapping?: string | undefined;
    /** key: the record that the reference alone would have, where that is another one */ readonly other?: string | undefined;
    /** key */ readonly stubs: string;
    /** key: what is left of either where history alone has it */ readonly otherStubs?: string | undefined;
    /** key: the same amount to the same beneficiary again */ readonly same?: string | undefined;
    readonly id: string;
    readonly otherId?: string | undefined;
    readonly fingerprint: string;
    readonly stubName: string;
    readonly otherStubName?: string | undefined;
    /** whole XOF: where it moves money */ readonly xof?: number | undefined;
    /** ms since the epoch */ readonly notBefore?: number | undefined;
    readonly beneficiary: string;
    readonly meantAgain: boolean;
    /** absent: may be waited for */ readonly approval?: 'given' | 'impossible' | undefined;
    /** how it stands in a list */ readonly member: string;
    /** which of the acts; 0: nobody's */ readonly asker: number;
    readonly facts?: string | undefined;
    readonly mark?: string | undefined;
    /** in which of the books; 0: in none */ readonly posted: number;
    readonly fields: Readonly<Record<string, string | number>>;
  }[];
  readonly names: readonly {
    /** key */ readonly bucket: string;
    readonly head: string;
    /** which of the operations */ readonly of: number;
  }[];
}

export type AcceptVerdict =
  | { readonly is: 'accepted'; readonly state: string }
  | { readonly is: 'duplicate'; readonly state: string }
  | { readonly is: 'conflict'; readonly id: string }
  | { readonly is: 'limited'; readonly limit: string; readonly detail: string }
  | { readonly is: 'failed'; readonly why: string };

export type AcceptAnswer =
  | { readonly is: 'judged'; readonly at: number; readonly verdicts: readonly AcceptVerdict[] }
  | { readonly is: 'another day'; readonly at: number }
  | { readonly is: 'recovering' };

function readAcceptVerdict(value: unknown): AcceptVerdict {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'accepted':
      return { is: 'accepted', state: lua.text(answer[1]) };
    case 'duplicate':
      return { is: 'duplicate', state: lua.text(answer[1]) };
    case 'conflict':
      return { is: 'conflict', id: lua.text(answer[1]) };
    case 'limited':
      return { is: 'limited', limit: lua.text(answer[1]), detail: lua.text(answer[2]) };
    case 'failed':
      return { is: 'failed', why: lua.text(answer[1]) };
  }
  return lua.unexpected(value);
}

function readAcceptAnswer(value: unknown): AcceptAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'judged':
      return { is: 'judged', at: lua.number(answer[1]), verdicts: lua.list(readAcceptVerdict)(answer[2]) };
    case 'another day':
      return { is: 'another day', at: lua.number(answer[1]) };
    case 'recovering':
      return { is: 'recovering' };
  }
  return lua.unexpected(value);
}

export const acceptScript = lua.defineScript('accept', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function offset_at(at, offsets)
  local offset = 0
  for from, ms in string.gmatch(offsets or '', '(%d+):(%-?%d+)') do
    if tonumber(from) <= at then offset = tonumber(ms) end
  end
  return offset
end
local function day_at(at, offsets) return math.floor((at + offset_at(at, offsets)) / 86400000) end
local function end_of(day, at, offsets)
  local midnight = (day + 1) * 86400000
  return midnight - offset_at(midnight - offset_at(at, offsets), offsets)
end
local function open_day(book, closed, at)
  local stored = redis.call('HGETALL', book)
  local before, offsets, keep, lines, set, over = nil, nil, 400, {}, {}, {}
  for i = 1, #stored, 2 do
    local name, value = stored[i], stored[i + 1]
    if name == 'day' then before = tonumber(value)
    elseif name == 'offsets' then offsets = value
    elseif name == 'keep' then keep = tonumber(value)
    elseif name ~= 'until' then
      lines[#lines + 1] = name .. ' ' .. value
      local head, measure = string.match(name, '^(.*|)=(%w+)$')
      if head and value ~= '0' then
        set[#set + 1] = name; set[#set + 1] = value
        set[#set + 1] = head .. '<' .. measure; set[#set + 1] = value
      else over[name] = true end
    end
  end
  local day = day_at(at, offsets)
  if before and day <= before then day = before + 1 end
  local ends = math.max(end_of(day, at, offsets), at + 1)
  if before then redis.call('HSET', closed, before, table.concat(lines, '\\n')) end
  for _, old in ipairs(redis.call('HKEYS', closed)) do
    if tonumber(old) < day - keep then redis.call('HDEL', closed, old) end
  end
  set[#set + 1] = 'day'; set[#set + 1] = day
  set[#set + 1] = 'until'; set[#set + 1] = string.format('%.0f', ends)
  set[#set + 1] = 'keep'; set[#set + 1] = keep
  if offsets then set[#set + 1] = 'offsets'; set[#set + 1] = offsets end
  redis.call('HSET', book, unpack(set))
  for i = 1, #set, 2 do over[set[i]] = nil end
  for name in pairs(over) do redis.call('HDEL', book, name) end
end
local function post(book, closed, at, posts)
  if #posts == 0 then return end
  local names = {'until'}
  for i = 1, #posts, 2 do names[#names + 1] = posts[i] end
  local read = redis.pcall('HMGET', book, unpack(names))
  if read.err then return end
  if at >= (tonumber(read[1] or '0') or 0) then
    open_day(book, closed, at)
    read = redis.call('HMGET', book, unpack(names))
  end
  local set = {}
  for i = 2, #names do
    local sum = tonumber(read[i] or '0')
    if sum then
      set[#set + 1] = names[i]; set[#set + 1] = string.format('%.0f', sum + tonumber(posts[2 * i - 2]))
    end
  end
  if #set > 0 then redis.call('HSET', book, unpack(set)) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function sheet(key) return {key = key, names = {}, by = {}} end
local function tally(counts, field, delta)
  if type(counts) == 'string' then
    redis.pcall('HINCRBY', counts, field, delta)
    return
  end
  if not counts.by[field] then counts.names[#counts.names + 1] = field end
  counts.by[field] = (counts.by[field] or 0) + delta
end
local function write_sheet(counts)
  local names, set, none = {}, {}, {}
  for _, name in ipairs(counts.names) do
    if counts.by[name] ~= 0 then names[#names + 1] = name end
  end
  if #names == 0 then return none end
  names[#names + 1] = "history:"
  local read = redis.pcall('HMGET', counts.key, unpack(names))
  if read.err then return none end
  names[#names] = nil
  counts.history = read[#names + 1]
  for i, name in ipairs(names) do
    local value = read[i] or '0'
    if #value <= 16 and string.find(value, '^%-?%d+$') then
      local sum = tonumber(value) + counts.by[name]
      if sum == 0 then none[#none + 1] = name end
      set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum)
    end
  end
  if #set > 0 then redis.call('HSET', counts.key, unpack(set)) end
  return none
end
local function emit(record, e)
  local seq = e.seq or redis.call('HINCRBY', record, 'seq', 1)
  tally(e.counts, "event:" .. e.type, 1)
  local entry = {'op', e.id, 'seq', seq, 'at', e.at, 'account', e.account, 'type', e.type, 'data', e.data}
  if e.trace then entry[#entry + 1] = 'trace'; entry[#entry + 1] = e.trace end
  redis.call('XADD', e.stream, e.place or '*', unpack(entry))
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
local function raise(heartbeat, known, effects)
  local counter = known.counter + (effects or 1)
  if known.name then redis.call('HSET', heartbeat, 'counter', counter, "process:" .. known.name, counter)
  else redis.call('HSET', heartbeat, 'counter', counter) end
  return counter
end
local function stub_of(stubs, name)
  local stub = redis.call('HGET', stubs, name)
  if not stub then return nil end
  return string.sub(stub, 1, 6), ({["s"] = "succeeded", ["f"] = "failed", ["r"] = "reversed", ["j"] = "rejected", ["c"] = "cancelled", ["d"] = "sent", ["e"] = "expired", ["k"] = "skipped", ["p"] = "completed", ["n"] = "finished", ["u"] = "unknown"})[string.sub(stub, 6 + 1, 6 + 1)]
end
local function standing(r)
  local fingerprint, state = unpack(redis.call('HMGET', r.record, 'fp', 'state'))
  local asked = r.fingerprint
  if fingerprint and not state then refuse('state') end
  if not fingerprint and r.stubs then
    fingerprint, state = stub_of(r.stubs, r.stubName)
    asked = string.sub(asked, 1, 6)
  end
  if fingerprint then
    if fingerprint == asked then return 'duplicate', state end
    return 'conflict', r.id
  end
  if not r.mapping then return nil end
  local owner = redis.call('GET', r.mapping)
  if owner and owner ~= r.id then return 'conflict', owner end
  if not r.other then return nil end
  local is_there = redis.call('EXISTS', r.other) == 1
  if is_there or (r.otherStubs and stub_of(r.otherStubs, r.otherStubName)) then return 'conflict', r.otherId end
  return nil
end
local function claim_reference(r)
  if r.mapping and r.other then redis.call('SET', r.mapping, r.id) end
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
local function moment_of(created)
  local moment = base36(created)
  return string.rep('0', 8 - #moment) .. moment
end
local function add_names(names, created, id)
  if #names == 0 then return end
  local moment = moment_of(created)
  for _, name in ipairs(names) do redis.call('ZADD', name.bucket, 0, name.head .. moment .. id) end
end
local function remove_names(names, created, id)
  if #names == 0 then return end
  local moment = moment_of(created)
  for _, name in ipairs(names) do redis.call('ZREM', name.bucket, name.head .. moment .. id) end
end
local function stand(s)
  if not s.xof or (not s.left and not s.entered) then return end
  local function slot(at) return string.format('%s%.0f', "doubt:", math.floor(at / 300000)) end
  local function wait(by)
    tally(s.counts, "unsent:" .. s.account, by)
    tally(s.counts, "unsent-xof:" .. s.account, by * s.xof)
  end
  local began = s.left == 'doubt' and slot(tonumber(s.since) or s.at)
  local begins = s.entered == 'doubt' and slot(s.at)
  if began ~= begins then
    if began then tally(s.counts, began, -s.xof) end
    if begins then tally(s.counts, begins, s.xof) end
  end
  if s.left ~= s.entered then
    if s.left == 'unsent' then wait(-1) end
    if s.entered == 'unsent' then wait(1) end
  end
end
local function write_standing(counts)
  local gone = {}
  for _, name in ipairs(write_sheet(counts)) do
    if string.sub(name, 1, #"doubt:") == "doubt:" then gone[#gone + 1] = name end
  end
  if #gone > 0 then redis.call('HDEL', counts.key, unpack(gone)) end
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
local function why_of(failure) return type(failure) == 'table' and failure.err or failure end
-- <generated>
local function _given(word) if word ~= '' then return word end end
local counts = KEYS[1]
local entered = KEYS[2]
local due = KEYS[3]
local limits = KEYS[4]
local listed = KEYS[5]
local listedAwaiting = KEYS[6]
local accounts = KEYS[7]
local spent = KEYS[8]
local awaiting = KEYS[9]
local heartbeat = KEYS[10]
local events = KEYS[11]
local book = KEYS[12]
local closedDays = KEYS[13]
local now = tonumber(ARGV[1])
local state = ARGV[2]
local account = ARGV[3]
local unsent = ARGV[4] == '1'
local dueInMs = tonumber(ARGV[5])
local dryRun = ARGV[6] == '1'
local day = ARGV[7]
local dayBegan = tonumber(ARGV[8])
local memory = {epoch = _given(ARGV[9]), counter = tonumber(ARGV[10]), name = _given(ARGV[11]), mark = tonumber(ARGV[12])}
local _arg, _key = 12, 13
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local asked = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do asked[_i] = ARGV[_arg + _i] end
_arg = _arg + #asked
local common = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do common[_i] = ARGV[_arg + _i] end
_arg = _arg + #common
local acts = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {}
  _arg, _key = _arg + 0, _key + 0
_one.words = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _one.words[_i] = ARGV[_arg + _i] end
_arg = _arg + #_one.words
  acts[_n] = _one
end
local books = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {}
  _arg, _key = _arg + 0, _key + 0
_one.counted = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _one.counted[_i] = ARGV[_arg + _i] end
_arg = _arg + #_one.counted
_one.summed = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _one.summed[_i] = ARGV[_arg + _i] end
_arg = _arg + #_one.summed
  books[_n] = _one
end
local operations = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {record = KEYS[_key + 1], stubs = KEYS[_key + 2], id = ARGV[_arg + 1], otherId = _given(ARGV[_arg + 2]), fingerprint = ARGV[_arg + 3], stubName = ARGV[_arg + 4], otherStubName = _given(ARGV[_arg + 5]), xof = tonumber(ARGV[_arg + 6]), notBefore = tonumber(ARGV[_arg + 7]), beneficiary = ARGV[_arg + 8], meantAgain = ARGV[_arg + 9] == '1', approval = _given(ARGV[_arg + 10]), member = ARGV[_arg + 11], asker = tonumber(ARGV[_arg + 12]), facts = _given(ARGV[_arg + 13]), mark = _given(ARGV[_arg + 14]), posted = tonumber(ARGV[_arg + 15])}
  _arg, _key = _arg + 15, _key + 2
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; _one.mapping = KEYS[_key] end
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; _one.other = KEYS[_key] end
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; _one.otherStubs = KEYS[_key] end
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; _one.same = KEYS[_key] end
_one.fields = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _one.fields[_i] = ARGV[_arg + _i] end
_arg = _arg + #_one.fields
  operations[_n] = _one
end
local names = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {bucket = KEYS[_key + 1], head = ARGV[_arg + 1], of = tonumber(ARGV[_arg + 2])}
  _arg, _key = _arg + 2, _key + 1
  names[_n] = _one
end
-- </generated>
local shut = guard(heartbeat, memory)
if shut then return shut end
local at = clock(now)
local own, max, paid_to = {}, {}, {'all'}
for _, o in ipairs(operations) do
  if o.xof then paid_to[#paid_to + 1] = o.beneficiary end
end
if #paid_to > 1 and (at < dayBegan or at >= dayBegan + 86400000) then return {'another day', at} end
for i = 1, #asked, 2 do own[asked[i]] = asked[i + 1] end
local shared = redis.call('HMGET', limits, unpack(({"MAX_DISBURSEMENT", "MAX_PER_DAY", "MAX_PER_BENEFICIARY_DAY", "DUPLICATE_WINDOW", "APPROVAL_ABOVE"})))
for i, name in ipairs(({"MAX_DISBURSEMENT", "MAX_PER_DAY", "MAX_PER_BENEFICIARY_DAY", "DUPLICATE_WINDOW", "APPROVAL_ABOVE"})) do max[name] = strictest(name, own[name], shared[i]) end
local function over(name, sum) return max[name] and sum > tonumber(max[name]) end
local counted = max.MAX_PER_DAY or max.MAX_PER_BENEFICIARY_DAY
local sums, raised, paid, begun, claimed = {}, {}, {}, {}, {}
if counted and #paid_to > 1 then
  local read = redis.call('HMGET', spent, unpack(paid_to))
  for i, name in ipairs(paid_to) do sums[name] = read[i] end
end
local function spend(o)
  local all, his
  if counted then
    all = (raised.all or whole(sums.all, 0, 'the sum of the day')) + o.xof
    his = (raised[o.beneficiary] or whole(sums[o.beneficiary], 0, 'the sum of the day')) + o.xof
    if over('MAX_PER_DAY', all) then return {'limited', 'MAX_PER_DAY', max.MAX_PER_DAY} end
    if over('MAX_PER_BENEFICIARY_DAY', his) then
      return {'limited', 'MAX_PER_BENEFICIARY_DAY', max.MAX_PER_BENEFICIARY_DAY}
    end
  end
  if max.DUPLICATE_WINDOW then
    local before = not o.meantAgain and (paid[o.same] or redis.call('GET', o.same))
    if before then return {'limited', 'DUPLICATE_WINDOW', before} end
    whole(max.DUPLICATE_WINDOW, 0, 'DUPLICATE_WINDOW')
  end
  if dryRun then return nil end
  if counted then raised.all, raised[o.beneficiary] = all, his end
  if max.DUPLICATE_WINDOW then paid[o.same] = o.id end
end
local function judge(o)
  local before = begun[o.record]
  if before and before.fingerprint == o.fingerprint then return {'duplicate', before.state} end
  if before then return {'conflict', o.id} end
  local known, detail = standing(o)
  if known then return {known, detail} end
  local owner = o.mapping and claimed[o.mapping]
  if owner and owner ~= o.id then return {'conflict', owner} end
  if o.other and begun[o.other] then return {'conflict', o.otherId} end
  o.state = state
  if o.xof then
    if over('MAX_DISBURSEMENT', o.xof) then return {'limited', 'MAX_DISBURSEMENT', max.MAX_DISBURSEMENT} end
    local awaits = over('APPROVAL_ABOVE', o.xof) and o.approval ~= 'given'
    if awaits and o.approval == 'impossible' then return {'limited', 'APPROVAL_ABOVE', max.APPROVAL_ABOVE} end
    local limited = spend(o)
    if limited then return limited end
    if awaits and state == 'queued' then o.state = 'awaiting_approval' end
  end
  if not dryRun then
    begun[o.record] = o
    if o.other and o.mapping then claimed[o.mapping] = o.id end
  end
  return {'accepted', o.state}
end
local verdicts, accepted = {}, {}
for i, o in ipairs(operations) do
  local done, verdict = pcall(judge, o)
  verdicts[i] = done and verdict or {'failed', why_of(verdict)}
  if begun[o.record] == o then accepted[#accepted + 1] = o end
end
if #accepted == 0 then return {'judged', at, verdicts} end
local counted_in, places, posts, lines = sheet(counts), {}, sheet(book), {}
local function put(key, score, member)
  local list = places[key] or {}
  list[#list + 1] = score; list[#list + 1] = member
  places[key] = list
end
local function write(o)
  claim_reference(o)
  local told = o.state ~= state
  local set = {'id', o.id, 'state', o.state, 'fp', o.fingerprint, 'rev', 1, 'seq', told and 1 or 0, 'createdAt', at,
    'updatedAt', at, 'since', at, 'account', account}
  if counted and o.xof then set[#set + 1] = 'counted'; set[#set + 1] = day .. ' ' .. o.beneficiary end
  local asked_for = {}
  for _, some in ipairs({common, o.fields}) do
    for i = 1, #some, 2 do
      set[#set + 1] = some[i]; set[#set + 1] = some[i + 1]
      asked_for[some[i]] = some[i + 1]
    end
  end
  redis.call('HSET', o.record, unpack(set))
  if o.xof and max.DUPLICATE_WINDOW then redis.call('SET', o.same, o.id, 'PX', max.DUPLICATE_WINDOW) end
  tally(counted_in, o.state, 1)
  if o.xof then
    tally(counted_in, 'xof:' .. o.state, o.xof)
    fly(counted_in, account, asked_for.withdrawMode, nil, o.state, o.xof)
  end
  if unsent and not told then
    stand({counts = counted_in, account = account, at = at, entered = 'unsent', xof = o.xof})
  end
  put(told and awaiting or entered, at, o.id)
  put(told and listedAwaiting or listed, at, o.member)
  if dueInMs and not told then put(due, math.max(at + dueInMs, o.notBefore or 0), o.id) end
  local sums_in = books[o.posted]
  if sums_in then
    for _, name in ipairs(sums_in.counted) do tally(posts, name, 1) end
    for _, name in ipairs(sums_in.summed) do tally(posts, name, o.xof) end
  end
  local act = acts[o.asker]
  if act then
    local words = {unpack(act.words)}
    words[7], words[8], words[9] = o.id, o.facts or '', o.mark or ''
    lines[#lines + 1] = {act = words, after = audit_word('state', o.state)}
  end
  if not told then return end
  local words = {'reference', 'withdrawMode', 'disburseId'}
  for i, name in ipairs(words) do words[i] = asked_for[name] and cjson.encode(asked_for[name]) or 'null' end
  emit(o.record, {stream = events, counts = counted_in, id = o.id, at = at, account = account, seq = 1,
    type = 'disbursement.awaiting_approval', trace = asked_for.trace,
    data = "1" .. string.format('[%s,%.0f,%s,%s]', words[1], o.xof, words[2], words[3])})
end
for _, o in ipairs(accepted) do write(o) end
if raised.all then
  local set = {}
  for name, sum in pairs(raised) do set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum) end
  redis.call('HSET', spent, unpack(set))
  redis.call('EXPIRE', spent, 172800)
end
write_standing(counted_in)
for key, list in pairs(places) do redis.call('ZADD', key, unpack(list)) end
redis.call('SADD', accounts, account)
local moment = moment_of(at)
for _, name in ipairs(names) do
  local o = operations[name.of]
  if begun[o.record] == o then redis.call('ZADD', name.bucket, 0, name.head .. moment .. o.id) end
end
local changes = {}
for _, name in ipairs(posts.names) do changes[#changes + 1] = name; changes[#changes + 1] = posts.by[name] end
post(book, closedDays, at, changes)
audit_lines(audit, lines, at)
return {'judged', at, verdicts}
`);

/** Writes records that did not exist: of those that are asked for in the same moment, up to fifty of one kind, account
 * and state. Each has a verdict of its own, in their order, as if it had been asked for alone after those before it:
 * which one already stands for this request, or which limit it breaks. One that cannot be judged stops none of the
 * others. Of each limit the strictest holds, of what Redis has and what the process asks for itself, so that they hold
 * through every door. What counts towards a limit of the day says so in the record, since it may have to be given back.
 * The day is that of the clock of Redis, as all processes have it: who has asked for another is told what time it is,
 * and asks again. */
export async function accept(redis: lua.ScriptHost, args: AcceptArgs): Promise<AcceptAnswer> {
  const keys: string[] = [args.counts, args.entered, args.due, args.limits, args.listed, args.listedAwaiting, args.accounts, args.spent, args.awaiting, args.heartbeat, args.events, args.book, args.closedDays, ...args.audit];
  for (const one of args.operations) {
    keys.push(one.record, one.stubs);
    if (one.mapping !== undefined) keys.push(one.mapping);
    if (one.other !== undefined) keys.push(one.other);
    if (one.otherStubs !== undefined) keys.push(one.otherStubs);
    if (one.same !== undefined) keys.push(one.same);
  }
  for (const one of args.names) {
    keys.push(one.bucket);
  }
  const words: lua.Word[] = [args.now ?? '', args.state, args.account, args.unsent ? 1 : 0, args.dueInMs ?? '', args.dryRun ? 1 : 0, args.day, args.dayBegan, args.memory.epoch ?? '', args.memory.counter, args.memory.name ?? '', args.memory.mark, args.audit.length, ...lua.pairs(args.asked), ...lua.pairs(args.common)];
  words.push(args.acts.length);
  for (const one of args.acts) words.push(...lua.counted(one.words));
  words.push(args.books.length);
  for (const one of args.books) words.push(...lua.counted(one.counted), ...lua.counted(one.summed));
  words.push(args.operations.length);
  for (const one of args.operations) words.push(one.id, one.otherId ?? '', one.fingerprint, one.stubName, one.otherStubName ?? '', one.xof ?? '', one.notBefore ?? '', one.beneficiary, one.meantAgain ? 1 : 0, one.approval ?? '', one.member, one.asker, one.facts ?? '', one.mark ?? '', one.posted, one.mapping === undefined ? 0 : 1, one.other === undefined ? 0 : 1, one.otherStubs === undefined ? 0 : 1, one.same === undefined ? 0 : 1, ...lua.pairs(one.fields));
  words.push(args.names.length);
  for (const one of args.names) words.push(one.head, one.of);
  return readAcceptAnswer(await lua.runScript(redis, acceptScript, keys, words));
}

export interface AcquireArgs {
  /** key */ readonly due: string;
  /** key */ readonly accounts: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  /** ms */ readonly leaseMs: number;
  /** in this queue */ readonly lookedAt: readonly string[];
  readonly final: readonly string[];
  /** of the accounts */ readonly names: readonly string[];
  readonly records: readonly {
    /** key */ readonly record: string;
    readonly id: string;
    readonly lease: string;
  }[];
}

export type AcquireLease =
  | { readonly is: 'acquired'; readonly fields: Readonly<Record<string, string>> }
  | { readonly is: 'final'; readonly state: string }
  | { readonly is: 'elsewhere'; readonly state: string }
  | { readonly is: 'leased'; readonly until: number }
  | { readonly is: 'none' }
  | { readonly is: 'other version' }
  | { readonly is: 'failed'; readonly why: string };

export type AcquireAnswer = { readonly at: number; readonly standings: readonly Readonly<Record<string, string>>[]; readonly leases: readonly AcquireLease[] };

function readAcquireLease(value: unknown): AcquireLease {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'acquired':
      return { is: 'acquired', fields: lua.hash(answer[1]) };
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
    case 'failed':
      return { is: 'failed', why: lua.text(answer[1]) };
  }
  return lua.unexpected(value);
}

const readAcquireAnswer: lua.Read<AcquireAnswer> = (value) => {
  const answer = lua.items(value);
  return { at: lua.number(answer[0]), standings: lua.list(lua.hash)(answer[1]), leases: lua.list(readAcquireLease)(answer[2]) };
};

export const acquireScript = lua.defineScript('acquire', `
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
  if r.nudged then redis.call('HSET', record, 'lease', ask.lease, 'until', ends, 'hint', '')
  else redis.call('HSET', record, 'lease', ask.lease, 'until', ends) end
  return nil, ends
end
local function why_of(failure) return type(failure) == 'table' and failure.err or failure end
-- <generated>
local due = KEYS[1]
local now = tonumber(ARGV[1])
local leaseMs = tonumber(ARGV[2])
local _arg, _key = 2, 1
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
local records = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {record = KEYS[_key + 1], id = ARGV[_arg + 1], lease = ARGV[_arg + 2]}
  _arg, _key = _arg + 2, _key + 1
  records[_n] = _one
end
-- </generated>
local at, places, asked_for = clock(now), {}, {}
local function stored_in(record)
  local stored, r = redis.call('HGETALL', record), {}
  for i = 1, #stored, 2 do r[stored[i]] = stored[i + 1] end
  return stored, r
end
local function put(stored, name, value)
  for i = 1, #stored, 2 do
    if stored[i] == name then
      stored[i + 1] = value
      return
    end
  end
  stored[#stored + 1] = name; stored[#stored + 1] = value
end
local function acquire(one)
  local stored, r = stored_in(one.record)
  local ask = {id = one.id, lease = one.lease, leaseMs = leaseMs, lookedAt = lookedAt, final = final}
  local nudged = r.hint and r.hint ~= ''
  local refusal, ends = take_lease(one.record, due, at, ask, {state = r.state, lease = r.lease, ends = r['until'],
    version = r.v, nudged = nudged})
  if refusal then return refusal end
  places[#places + 1] = ends; places[#places + 1] = one.id
  if r.account then asked_for[r.account] = true end
  put(stored, 'lease', one.lease)
  put(stored, 'until', string.format('%.0f', ends))
  if nudged then put(stored, 'hint', '') end
  return {'acquired', stored}
end
local leases, standings = {}, {}
for i, one in ipairs(records) do
  local done, answer = pcall(acquire, one)
  leases[i] = done and answer or {'failed', why_of(answer)}
end
if #places > 0 then redis.call('ZADD', due, unpack(places)) end
for i, name in ipairs(names) do
  standings[i] = asked_for[name] and redis.call('HGETALL', accounts[i]) or {}
end
return {at, standings, leases}
`);

/** Takes the leases of records, each for one attempt, and pushes their due times to the end of the lease, so that a
 * killed worker is always followed by another look. Never creates a record. What stands in the way of the accounts
 * that the caller names is read in the same trip: nearly every attempt asks for it next. Each has an answer of its own,
 * in their order, and one that cannot be read stops none of the others. */
export async function acquire(redis: lua.ScriptHost, args: AcquireArgs): Promise<AcquireAnswer> {
  const keys: string[] = [args.due, ...args.accounts];
  for (const one of args.records) {
    keys.push(one.record);
  }
  const words: lua.Word[] = [args.now ?? '', args.leaseMs, args.accounts.length, ...lua.counted(args.lookedAt), ...lua.counted(args.final), ...lua.counted(args.names)];
  words.push(args.records.length);
  for (const one of args.records) words.push(one.id, one.lease);
  return readAcquireAnswer(await lua.runScript(redis, acquireScript, keys, words));
}

export interface AddEndpointArgs {
  /** key */ readonly record: string;
  /** key */ readonly endpoints: string;
  /** key */ readonly dispatch: string;
  /** key */ readonly events: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  /** there may be so many */ readonly most: number;
  readonly act: readonly string[];
  readonly fields: Readonly<Record<string, string | number>>;
}

export type AddEndpointAnswer =
  | { readonly is: 'added' }
  | { readonly is: 'too many' };

function readAddEndpointAnswer(value: unknown): AddEndpointAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'added':
      return { is: 'added' };
    case 'too many':
      return { is: 'too many' };
  }
  return lua.unexpected(value);
}

export const addEndpointScript = lua.defineScript('add-endpoint', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local record = KEYS[1]
local endpoints = KEYS[2]
local dispatch = KEYS[3]
local events = KEYS[4]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local most = tonumber(ARGV[3])
local _arg, _key = 3, 4
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
local fields = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do fields[_i] = ARGV[_arg + _i] end
_arg = _arg + #fields
-- </generated>
if redis.call('EXISTS', record) == 1 then return {'added'} end
local at = clock(now)
local count = redis.call('SCARD', endpoints)
if count >= most then return {'too many'} end
local last = redis.call('XREVRANGE', events, '+', '-', 'COUNT', 1)
local place = last[1] and last[1][1] or '0-0'
local set = {'id', id, 'kind', 'endpoint', 'state', 'enabled', 'rev', 1, 'createdAt', at, 'from', place}
for _, word in ipairs(fields) do set[#set + 1] = word end
redis.call('HSET', record, unpack(set))
redis.call('SADD', endpoints, id)
redis.call('HINCRBY', dispatch, 'rev', 1)
if count == 0 then redis.call('HSET', dispatch, 'cursor', place) end
audit_line(audit, act, at, nil, audit_word('state', 'enabled'))
return {'added'}
`);

/** Adds an endpoint. It gets the events after this moment. Without any endpoint nobody moves the cursor, so the
 * first one moves it here. */
export async function addEndpoint(redis: lua.ScriptHost, args: AddEndpointArgs): Promise<AddEndpointAnswer> {
  const keys: string[] = [args.record, args.endpoints, args.dispatch, args.events, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.id, args.most, args.audit.length, ...lua.counted(args.act), ...lua.pairs(args.fields)];
  return readAddEndpointAnswer(await lua.runScript(redis, addEndpointScript, keys, words));
}

export interface AddKeyArgs {
  /** key */ readonly known: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  /** there may be so many that are not revoked */ readonly most: number;
  /** JSON */ readonly key: string;
  readonly act: readonly string[];
}

export type AddKeyAnswer =
  | { readonly is: 'added' }
  | { readonly is: 'too many' };

function readAddKeyAnswer(value: unknown): AddKeyAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'added':
      return { is: 'added' };
    case 'too many':
      return { is: 'too many' };
  }
  return lua.unexpected(value);
}

export const addKeyScript = lua.defineScript('add-key', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local known = KEYS[1]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local most = tonumber(ARGV[3])
local key = ARGV[4]
local _arg, _key = 4, 1
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
-- </generated>
if redis.call('HEXISTS', known, id) == 1 then return {'added'} end
local count = 0
local all = redis.call('HGETALL', known)
for i = 2, #all, 2 do
  if not string.find(all[i], '"revokedAt":', 1, true) then count = count + 1 end
end
if count >= most then return {'too many'} end
redis.call('HSET', known, id, key)
audit_line(audit, act, clock(now))
return {'added'}
`);

/** Makes a key known to every process. What was made and revoked stays, without its digest: it still says whose hand
 * it was. */
export async function addKey(redis: lua.ScriptHost, args: AddKeyArgs): Promise<AddKeyAnswer> {
  const keys: string[] = [args.known, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.id, args.most, args.key, args.audit.length, ...lua.counted(args.act)];
  return readAddKeyAnswer(await lua.runScript(redis, addKeyScript, keys, words));
}

export interface AmendCampaignArgs {
  /** key */ readonly campaign: string;
  /** key: of campaigns */ readonly due: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  /** states in which nothing is changed any more */ readonly over: readonly string[];
  readonly act: readonly string[];
  /** '' deletes the field */ readonly fields: Readonly<Record<string, string | number>>;
  /** whose hand it is */ readonly by: string;
}

export type AmendCampaignAnswer =
  | { readonly is: 'applied'; readonly rev: number }
  | { readonly is: 'refused'; readonly state: string }
  | { readonly is: 'approved' }
  | { readonly is: 'filled' };

function readAmendCampaignAnswer(value: unknown): AmendCampaignAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'applied':
      return { is: 'applied', rev: lua.number(answer[1]) };
    case 'refused':
      return { is: 'refused', state: lua.text(answer[1]) };
    case 'approved':
      return { is: 'approved' };
    case 'filled':
      return { is: 'filled' };
  }
  return lua.unexpected(value);
}

export const amendCampaignScript = lua.defineScript('amend-campaign', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
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
local function same_version(v)
  if v ~= "1" then refuse('version') end
end
-- <generated>
local campaign = KEYS[1]
local due = KEYS[2]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local by = ARGV[3]
local _arg, _key = 3, 2
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local over = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do over[_i] = ARGV[_arg + _i] end
_arg = _arg + #over
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
local fields = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do fields[_i] = ARGV[_arg + _i] end
_arg = _arg + #fields
-- </generated>
local at = clock(now)
local state, version, rev, approved = unpack(redis.call('HMGET', campaign, 'state', 'v', 'rev', 'approvedBy'))
if not state or contains(over, state) then return {'refused', state or ''} end
same_version(version)
whole(rev, 0, 'rev')
for i = 1, #fields, 2 do
  if approved and ({["quietHours"] = true, ["timezone"] = true})[fields[i]] then return {'approved'} end
  if state ~= 'draft' and ({["name"] = true, ["text"] = true, ["from"] = true, ["country"] = true, ["replaceCostly"] = true, ["sendAt"] = true})[fields[i]] then return {'filled'} end
end
redis.call('HSETNX', campaign, "hand:" .. by, at)
local before, after = {}, {}
for i = 1, #fields, 2 do
  local name, value = fields[i], fields[i + 1]
  local was = redis.call('HGET', campaign, name) or ''
  if was ~= value then before[#before + 1] = audit_word(name, was); after[#after + 1] = audit_word(name, value) end
  if value == '' then redis.call('HDEL', campaign, name) else redis.call('HSET', campaign, name, value) end
  if name == 'perSecond' then redis.call('HDEL', campaign, 'paceAt') end
end
redis.call('HSET', campaign, 'updatedAt', at)
if state == 'running' or state == 'held' then redis.call('ZADD', due, at, id) end
if #after > 0 then audit_line(audit, act, at, table.concat(before, ','), table.concat(after, ',')) end
return {'applied', redis.call('HINCRBY', campaign, 'rev', 1)}
`);

/** Changes how a campaign is sent, from the next request on. What belongs to an approval that was given stays as it was,
 * and so does what the values of its recipients were taken for, from the first upload on. */
export async function amendCampaign(redis: lua.ScriptHost, args: AmendCampaignArgs): Promise<AmendCampaignAnswer> {
  const keys: string[] = [args.campaign, args.due, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.id, args.by, args.audit.length, ...lua.counted(args.over), ...lua.counted(args.act), ...lua.pairs(args.fields)];
  return readAmendCampaignAnswer(await lua.runScript(redis, amendCampaignScript, keys, words));
}

export interface AppendEvidenceArgs {
  /** key */ readonly record: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly evidence: string;
}

export type AppendEvidenceAnswer = boolean;

const readAppendEvidenceAnswer: lua.Read<AppendEvidenceAnswer> = lua.flag;

export const appendEvidenceScript = lua.defineScript('append-evidence', `
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
-- <generated>
local record = KEYS[1]
local now = tonumber(ARGV[1])
local evidence = ARGV[2]
-- </generated>
local state, version, lines = unpack(redis.call('HMGET', record, 'state', 'v', 'en'))
if not state or version ~= "1" then return 0 end
whole(lines, 0, 'en')
local set = {}
evidence_fields(clock(now), evidence, lines, set)
if #set > 0 then redis.call('HSET', record, unpack(set)) end
return 1
`);

/** Adds a line of evidence, whatever has the lease. Never creates a record. Answers whether it was kept. */
export async function appendEvidence(redis: lua.ScriptHost, args: AppendEvidenceArgs): Promise<AppendEvidenceAnswer> {
  const keys: string[] = [args.record];
  const words: lua.Word[] = [args.now ?? '', args.evidence];
  return readAppendEvidenceAnswer(await lua.runScript(redis, appendEvidenceScript, keys, words));
}

export interface BeatArgs {
  /** key */ readonly heartbeat: string;
  /** key */ readonly recovery: string;
  /** key */ readonly schema: string;
  /** key */ readonly events: string;
  /** key */ readonly dispatch: string;
  /** key */ readonly counts: string;
  /** key */ readonly stamp: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly memory: { readonly epoch?: string | undefined; readonly counter: number; readonly name?: string | undefined; readonly mark: number };
  /** the last event that it remembers; 0-0: none */ readonly event: string;
  readonly deployment?: string | undefined;
  /** ms since the epoch: the memory is that of a witness, of a beat at that time; absent: of this process */ readonly witnessed?: number | undefined;
  /** the counter at that beat */ readonly told?: number | undefined;
  /** why else a recovery is to begin */ readonly because?: string | undefined;
  /** ms since the epoch: when the recovery began that it knows of */ readonly recovering?: number | undefined;
  /** JSON: which deployment it is of; absent: whichever */ readonly ours?: string | undefined;
}

export type BeatAnswer =
  | { readonly is: 'beats'; readonly epoch: string; readonly counter: number; readonly at: number; readonly event: string; readonly deployment?: string | undefined }
  | { readonly is: 'recovering'; readonly fields: Readonly<Record<string, string>> }
  | { readonly is: 'another' };

function readBeatAnswer(value: unknown): BeatAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'beats':
      return { is: 'beats', epoch: lua.text(answer[1]), counter: lua.number(answer[2]), at: lua.number(answer[3]), event: lua.text(answer[4]), deployment: lua.optional(lua.text, answer[5]) };
    case 'recovering':
      return { is: 'recovering', fields: lua.hash(answer[1]) };
    case 'another':
      return { is: 'another' };
  }
  return lua.unexpected(value);
}

export const beatScript = lua.defineScript('beat', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
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
local function raise(heartbeat, known, effects)
  local counter = known.counter + (effects or 1)
  if known.name then redis.call('HSET', heartbeat, 'counter', counter, "process:" .. known.name, counter)
  else redis.call('HSET', heartbeat, 'counter', counter) end
  return counter
end
local function of_another(stamp, ours)
  local text = ours and redis.call('GET', stamp)
  if not text then return false end
  local stamped, own = cjson.decode(text), cjson.decode(ours)
  if stamped.environment ~= own.environment then return true end
  for _, of in ipairs({'addresses', 'accounts'}) do
    for name, value in pairs(own[of] or {}) do
      if (stamped[of][name] or value) ~= value then return true end
    end
  end
  return false
end
local function sheet(key) return {key = key, names = {}, by = {}} end
local function tally(counts, field, delta)
  if type(counts) == 'string' then
    redis.pcall('HINCRBY', counts, field, delta)
    return
  end
  if not counts.by[field] then counts.names[#counts.names + 1] = field end
  counts.by[field] = (counts.by[field] or 0) + delta
end
local function write_sheet(counts)
  local names, set, none = {}, {}, {}
  for _, name in ipairs(counts.names) do
    if counts.by[name] ~= 0 then names[#names + 1] = name end
  end
  if #names == 0 then return none end
  names[#names + 1] = "history:"
  local read = redis.pcall('HMGET', counts.key, unpack(names))
  if read.err then return none end
  names[#names] = nil
  counts.history = read[#names + 1]
  for i, name in ipairs(names) do
    local value = read[i] or '0'
    if #value <= 16 and string.find(value, '^%-?%d+$') then
      local sum = tonumber(value) + counts.by[name]
      if sum == 0 then none[#none + 1] = name end
      set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum)
    end
  end
  if #set > 0 then redis.call('HSET', counts.key, unpack(set)) end
  return none
end
local function emit(record, e)
  local seq = e.seq or redis.call('HINCRBY', record, 'seq', 1)
  tally(e.counts, "event:" .. e.type, 1)
  local entry = {'op', e.id, 'seq', seq, 'at', e.at, 'account', e.account, 'type', e.type, 'data', e.data}
  if e.trace then entry[#entry + 1] = 'trace'; entry[#entry + 1] = e.trace end
  redis.call('XADD', e.stream, e.place or '*', unpack(entry))
end
local function place_parts(place)
  local ms, seq = string.match(place or '', '^(%d+)-(%d+)$')
  return tonumber(ms or '0'), tonumber(seq or '0')
end
local function is_after(one, other)
  local ms, seq = place_parts(one)
  local other_ms, other_seq = place_parts(other)
  return ms > other_ms or (ms == other_ms and seq > other_seq)
end
local function among(list, one)
  return string.find(',' .. (list or '') .. ',', ',' .. one .. ',', 1, true) ~= nil
end
local function fields_of(flat)
  local fields = {}
  for i = 1, #flat, 2 do fields[flat[i]] = flat[i + 1] end
  return fields
end
local function last_place(events)
  local info = redis.pcall('XINFO', 'STREAM', events)
  if info.err then return '0-0' end
  return fields_of(info)['last-generated-id']
end
local function cursor_ahead(k, last)
  local cursor = redis.call('HGET', k.dispatch, 'cursor')
  if cursor and is_after(cursor, last) then return cursor end
  local groups = redis.pcall('XINFO', 'GROUPS', k.events)
  if groups.err then return end
  for _, group in ipairs(groups) do
    local at = fields_of(group)['last-delivered-id']
    if is_after(at, last) then return at end
  end
end
local function read_heartbeat(heartbeat, name)
  local recovering, epoch, counter, before, at, deployment, mark, recovered, found = unpack(redis.call('HMGET', heartbeat,
    'recovering', 'epoch', 'counter', 'before', 'at', 'deployment', "process:" .. (name or ''), 'recovered', 'found'))
  return {mark = tonumber(mark or '0'), recovered = tonumber(recovered or '0'), recovering = recovering, epoch = epoch,
    counter = tonumber(counter or '0'), before = before or '', at = tonumber(at or '0'), deployment = deployment,
    found = found or ''}
end
local function as_found(h, known, now)
  if h.epoch ~= known.epoch then return end
  for since, counter, at in string.gmatch(h.found, '(%d+):(%d+):(%d+)') do
    local ago = now - tonumber(since)
    if known.witnessed < tonumber(since) and ago >= 0 and ago < 604800000 then
      if known.told <= tonumber(counter) then return end
      h.counter, h.at, h.hidden = tonumber(counter), tonumber(at), true
      return
    end
  end
end
local function add_knowledge(recovery, known)
  local epochs, counter, event = unpack(redis.call('HMGET', recovery, 'epochs', 'knownCounter', 'lastEvent'))
  if known.epoch and not among(epochs, known.epoch) then
    redis.call('HSET', recovery, 'epochs', epochs and epochs .. ',' .. known.epoch or known.epoch)
  end
  if known.counter > tonumber(counter or '0') then
    redis.call('HSET', recovery, 'knownCounter', string.format('%.0f', known.counter))
  end
  if is_after(known.event, event or '0-0') then redis.call('HSET', recovery, 'lastEvent', known.event) end
end
local function of_later_epoch(k, h, known)
  if not known.epoch or known.epoch == h.epoch or among(h.before, known.epoch) then return false end
  return not among(redis.call('HGET', k.recovery, 'epochs'), known.epoch)
end
local function is_lost(h, known)
  if not h.recovering and known.recovering > h.recovered then return true end
  if not known.epoch then return false end
  if h.epoch == known.epoch then return h.counter < known.counter or h.mark < known.mark end
  return not among(h.before, known.epoch)
end
local function forget_found(heartbeat) redis.call('HDEL', heartbeat, 'found', "beganOnNothing") end
local function tell(k, at, state, data, place)
  data.id, data.state = 'system', state
  emit(k.heartbeat, {stream = k.events, counts = k.counts, id = 'system', at = at, account = 'main',
    type = 'system.' .. state, data = cjson.encode(data), place = place})
end
local function enter(k, at, h, because, known)
  redis.call('HSET', k.heartbeat, 'recovering', because)
  if not h.deployment and known.deployment then redis.call('HSET', k.heartbeat, 'deployment', known.deployment) end
  redis.call('SET', k.schema, 1)
  if redis.call('EXISTS', k.recovery) == 0 then
    redis.call('HSET', k.recovery, 'since', at, 'because', because, 'epoch', h.epoch or '', 'counter',
      string.format('%.0f', h.counter), 'lastBeat', string.format('%.0f', h.at))
    add_knowledge(k.recovery, known)
    redis.call('HINCRBY', k.heartbeat, 'seq', math.max(0, math.ceil((at - 1767225600000) / 1000)))
    local place = '*'
    if is_after(known.event, last_place(k.events)) then
      place = string.format('%.0f-0', place_parts(known.event) + 60000)
    end
    tell(k, at, 'recovering', {because = because}, place)
  else
    local last = tonumber(redis.call('HGET', k.recovery, 'lastBeat') or '0')
    if of_later_epoch(k, h, known) or (h.hidden and h.at < last) then redis.call('HSET', k.recovery, 'since', at) end
    if h.hidden then
      redis.call('HSET', k.recovery, 'counter', string.format('%.0f', h.counter), 'lastBeat', string.format('%.0f', math.min(h.at, last)))
    end
    redis.call('HSET', k.recovery, 'because', because)
    add_knowledge(k.recovery, known)
  end
  return {'recovering', redis.call('HGETALL', k.recovery)}
end
local function stay(k, at, h, proof, known)
  return enter(k, at, h, is_lost(h, known) and proof or h.recovering, known)
end
local function leave(k, h)
  local since = tonumber(redis.call('HGET', k.recovery, 'since') or '0')
  redis.call('HSET', k.heartbeat, 'recovered', string.format('%.0f', math.max(h.recovered, since)))
  redis.call('HDEL', k.heartbeat, 'recovering')
  redis.call('DEL', k.recovery)
end
local function behind_cursor(k, at, h, known)
  local ahead = cursor_ahead(k, last_place(k.events))
  if not ahead then return end
  if is_after(ahead, known.event) then known.event = ahead end
  return enter(k, at, h, 'event_cursor', known)
end
local function write_beat(k, at, h, name)
  local counter = h.counter + 1
  redis.call('HSET', k.heartbeat, 'at', at, 'counter', counter, "process:" .. (name or ''), counter)
  return {'beats', h.epoch, counter, at, last_place(k.events), h.deployment}
end
-- <generated>
local function _given(word) if word ~= '' then return word end end
local heartbeat = KEYS[1]
local recovery = KEYS[2]
local schema = KEYS[3]
local events = KEYS[4]
local dispatch = KEYS[5]
local counts = KEYS[6]
local stamp = KEYS[7]
local now = tonumber(ARGV[1])
local memory = {epoch = _given(ARGV[2]), counter = tonumber(ARGV[3]), name = _given(ARGV[4]), mark = tonumber(ARGV[5])}
local event = ARGV[6]
local deployment = _given(ARGV[7])
local witnessed = tonumber(ARGV[8])
local told = tonumber(ARGV[9])
local because = _given(ARGV[10])
local recovering = tonumber(ARGV[11])
local ours = _given(ARGV[12])
-- </generated>
local at = clock(now)
local k = {heartbeat = heartbeat, recovery = recovery, schema = schema, events = events, dispatch = dispatch, counts = counts}
local known = {epoch = memory.epoch, counter = memory.counter, mark = memory.mark, event = event, deployment = deployment,
  recovering = recovering or 0, told = told, witnessed = witnessed}
local h = read_heartbeat(heartbeat, memory.name)
if witnessed then as_found(h, known, at) end
if h.epoch ~= known.epoch and of_another(stamp, ours) then return {'another'} end
if h.recovering then return stay(k, at, h, 'rolled_back', known) end
if because then return enter(k, at, h, because, known) end
if is_lost(h, known) then return enter(k, at, h, 'rolled_back', known) end
if not h.epoch then return enter(k, at, h, 'no_heartbeat', known) end
return behind_cursor(k, at, h, known) or write_beat(k, at, h, memory.name)
`);

/** Says that a process is at work, and notices what it must not work on. What answers after a reconnect may be
 * another deployment's: where the epoch is not the one that this process knows, its stamp is compared before
 * anything is written. */
export async function beat(redis: lua.ScriptHost, args: BeatArgs): Promise<BeatAnswer> {
  const keys: string[] = [args.heartbeat, args.recovery, args.schema, args.events, args.dispatch, args.counts, args.stamp];
  const words: lua.Word[] = [args.now ?? '', args.memory.epoch ?? '', args.memory.counter, args.memory.name ?? '', args.memory.mark, args.event, args.deployment ?? '', args.witnessed ?? '', args.told ?? '', args.because ?? '', args.recovering ?? '', args.ours ?? ''];
  return readBeatAnswer(await lua.runScript(redis, beatScript, keys, words));
}

export interface BeginSliceArgs {
  /** key */ readonly slice: string;
  /** key */ readonly due: string;
  /** key */ readonly heldAccounts: string;
  /** key: absent: it carries single messages */ readonly campaign?: string | undefined;
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

function readBeginSliceAnswer(value: unknown): BeginSliceAnswer {
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
  if r.nudged then redis.call('HSET', record, 'lease', ask.lease, 'until', ends, 'hint', '')
  else redis.call('HSET', record, 'lease', ask.lease, 'until', ends) end
  return nil, ends
end
-- <generated>
local slice = KEYS[1]
local due = KEYS[2]
local heldAccounts = KEYS[3]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local lease = ARGV[3]
local leaseMs = tonumber(ARGV[4])
local _arg, _key = 4, 3
local campaign
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; campaign = KEYS[_key] end
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
local refusal, until_then = take_lease(slice, due, at, ask,
  {state = state, lease = leased, ends = ends, version = version})
if refusal then return refusal end
redis.call('ZADD', due, until_then, id)
local held, known = redis.call('SISMEMBER', heldAccounts, account or ''), {}
if campaign then known = redis.call('HMGET', campaign, unpack(fields)) end
for i = 1, #fields do known[i] = known[i] or '' end
return {'acquired', at, redis.call('HGETALL', slice), held, known}
`);

/** Takes the lease of a slice as acquire does, and answers in the same step all that may stand in its way: whether its
 * account is held, and what its campaign says. Never creates a record. */
export async function beginSlice(redis: lua.ScriptHost, args: BeginSliceArgs): Promise<BeginSliceAnswer> {
  const keys: string[] = [args.slice, args.due, args.heldAccounts, ...(args.campaign === undefined ? [] : [args.campaign])];
  const words: lua.Word[] = [args.now ?? '', args.id, args.lease, args.leaseMs, args.campaign === undefined ? 0 : 1, ...lua.counted(args.lookedAt), ...lua.counted(args.final), ...lua.counted(args.fields)];
  return readBeginSliceAnswer(await lua.runScript(redis, beginSliceScript, keys, words));
}

export interface BindPersonArgs {
  /** key: by subject */ readonly persons: string;
  /** key: by the provider, and the name of the person */ readonly subjects: string;
  /** key: the person, and an address, of each who came with another one than that */ readonly called: string;
  /** the provider, and what it calls them */ readonly subject: string;
  readonly provider: string;
  /** one that the provider has verified */ readonly address?: string | undefined;
  /** what they may be called, the best first; the last is given in any case */ readonly names: readonly string[];
}

export type BindPersonAnswer = { readonly person: string };

const readBindPersonAnswer: lua.Read<BindPersonAnswer> = (value) => {
  const answer = lua.items(value);
  return { person: lua.text(answer[0]) };
};

export const bindPersonScript = lua.defineScript('bind-person', `
-- <generated>
local function _given(word) if word ~= '' then return word end end
local persons = KEYS[1]
local subjects = KEYS[2]
local called = KEYS[3]
local subject = ARGV[1]
local provider = ARGV[2]
local address = _given(ARGV[3])
local _arg, _key = 3, 3
local names = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do names[_i] = ARGV[_arg + _i] end
_arg = _arg + #names
-- </generated>
local person = redis.call('HGET', persons, subject)
if not person then
  for i, name in ipairs(names) do
    local owner = redis.call('HGET', subjects, provider .. ' ' .. name)
    if not person and (i == #names or not owner or owner == subject) then person = name end
  end
  redis.call('HSET', persons, subject, person)
  redis.call('HSET', subjects, provider .. ' ' .. person, subject)
end
if address and address ~= person then redis.call('SADD', called, person .. '\\n' .. address) end
return {person}
`);

/** Which person somebody is who comes by a provider of identities: bound when they first come to what the provider calls
 * them, which never changes. A name that is somebody else's is not given again. Every address that they came with is
 * kept: who is called so by a key may be the same one. */
export async function bindPerson(redis: lua.ScriptHost, args: BindPersonArgs): Promise<BindPersonAnswer> {
  const keys: string[] = [args.persons, args.subjects, args.called];
  const words: lua.Word[] = [args.subject, args.provider, args.address ?? '', ...lua.counted(args.names)];
  return readBindPersonAnswer(await lua.runScript(redis, bindPersonScript, keys, words));
}

export interface BringBackArgs {
  /** key */ readonly record: string;
  /** key */ readonly stubs: string;
  /** key: of its reference, where that may not be the identity: it was to be forgotten with the stub */ readonly mapping?: string | undefined;
  /** key */ readonly listed: string;
  readonly id: string;
  readonly stubName: string;
  /** ms since the epoch */ readonly created: number;
  readonly member: string;
  readonly fields: Readonly<Record<string, string | number>>;
  readonly names: readonly {
    /** key */ readonly bucket: string;
    readonly head: string;
  }[];
}

export type BringBackAnswer = boolean;

const readBringBackAnswer: lua.Read<BringBackAnswer> = lua.flag;

export const bringBackScript = lua.defineScript('bring-back', `
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
local function moment_of(created)
  local moment = base36(created)
  return string.rep('0', 8 - #moment) .. moment
end
local function add_names(names, created, id)
  if #names == 0 then return end
  local moment = moment_of(created)
  for _, name in ipairs(names) do redis.call('ZADD', name.bucket, 0, name.head .. moment .. id) end
end
local function remove_names(names, created, id)
  if #names == 0 then return end
  local moment = moment_of(created)
  for _, name in ipairs(names) do redis.call('ZREM', name.bucket, name.head .. moment .. id) end
end
local function stub_of(stubs, name)
  local stub = redis.call('HGET', stubs, name)
  if not stub then return nil end
  return string.sub(stub, 1, 6), ({["s"] = "succeeded", ["f"] = "failed", ["r"] = "reversed", ["j"] = "rejected", ["c"] = "cancelled", ["d"] = "sent", ["e"] = "expired", ["k"] = "skipped", ["p"] = "completed", ["n"] = "finished", ["u"] = "unknown"})[string.sub(stub, 6 + 1, 6 + 1)]
end
-- <generated>
local record = KEYS[1]
local stubs = KEYS[2]
local listed = KEYS[3]
local id = ARGV[1]
local stubName = ARGV[2]
local created = tonumber(ARGV[3])
local member = ARGV[4]
local _arg, _key = 4, 3
local mapping
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; mapping = KEYS[_key] end
local fields = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do fields[_i] = ARGV[_arg + _i] end
_arg = _arg + #fields
local names = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {bucket = KEYS[_key + 1], head = ARGV[_arg + 1]}
  _arg, _key = _arg + 1, _key + 1
  names[_n] = _one
end
-- </generated>
if redis.call('EXISTS', record) == 1 or not stub_of(stubs, stubName) then return 0 end
redis.call('HSET', record, unpack(fields))
redis.call('ZADD', listed, created, member)
add_names(names, created, id)
if mapping and redis.call('GET', mapping) == id then redis.call('PERSIST', mapping) end
return 1
`);

/** Writes a record again that history alone has, as it left, since something was said about it. Never over one that is
 * there, and only where its stub says that it left. Its stub stays: it says nothing while the record is there. */
export async function bringBack(redis: lua.ScriptHost, args: BringBackArgs): Promise<BringBackAnswer> {
  const keys: string[] = [args.record, args.stubs, args.listed, ...(args.mapping === undefined ? [] : [args.mapping])];
  for (const one of args.names) {
    keys.push(one.bucket);
  }
  const words: lua.Word[] = [args.id, args.stubName, args.created, args.member, args.mapping === undefined ? 0 : 1, ...lua.pairs(args.fields)];
  words.push(args.names.length);
  for (const one of args.names) words.push(one.head);
  return readBringBackAnswer(await lua.runScript(redis, bringBackScript, keys, words));
}

export interface ChangeOptOutsArgs {
  /** key */ readonly list: string;
  /** key */ readonly lists: string;
  /** key */ readonly forgotten: string;
  /** key: lists of the same sender in other letters, which they are taken out of too */ readonly alike: readonly string[];
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  /** of the list */ readonly name: string;
  readonly how: 'add' | 'remove';
  readonly digits: readonly string[];
  /** of those that are taken out, for each list */ readonly hashes: readonly string[];
  /** and whose they are: a person may have a number of today and one of before */ readonly people: readonly string[];
  readonly act: readonly string[];
}

export type ChangeOptOutsAnswer = number;

const readChangeOptOutsAnswer: lua.Read<ChangeOptOutsAnswer> = lua.number;

export const changeOptOutsScript = lua.defineScript('change-opt-outs', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local list = KEYS[1]
local lists = KEYS[2]
local forgotten = KEYS[3]
local now = tonumber(ARGV[1])
local name = ARGV[2]
local how = ARGV[3]
local _arg, _key = 3, 3
local alike = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; alike[_i] = KEYS[_key] end
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local digits = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do digits[_i] = ARGV[_arg + _i] end
_arg = _arg + #digits
local hashes = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do hashes[_i] = ARGV[_arg + _i] end
_arg = _arg + #hashes
local people = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do people[_i] = ARGV[_arg + _i] end
_arg = _arg + #people
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
-- </generated>
local changed = 0
if how == 'add' then
  redis.call('SADD', lists, name)
  changed = redis.call('SADD', list, unpack(digits))
else
  local hashed = redis.call('SMISMEMBER', forgotten, unpack(hashes))
  local from, counted = {list, unpack(alike)}, {}
  for l, one in ipairs(from) do
    local listed = redis.call('SMISMEMBER', one, unpack(digits))
    for i, person in ipairs(people) do
      if listed[i] + hashed[(l - 1) * #people + i] > 0 and not counted[person] then
        counted[person] = true
        changed = changed + 1
      end
    end
  end
  for _, one in ipairs(from) do redis.call('SREM', one, unpack(digits)) end
  redis.call('SREM', forgotten, unpack(hashes))
end
if changed > 0 then audit_line(audit, act, clock(now), nil, '"' .. (how == 'add' and 'added' or 'removed') .. '":' .. changed) end
return changed
`);

/** Puts numbers into a list of opt-outs, or takes them out, and what is kept of them where the person was forgotten
 * too. Answers how many people were not as they were asked to be. */
export async function changeOptOuts(redis: lua.ScriptHost, args: ChangeOptOutsArgs): Promise<ChangeOptOutsAnswer> {
  const keys: string[] = [args.list, args.lists, args.forgotten, ...args.alike, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.name, args.how, args.alike.length, args.audit.length, ...lua.counted(args.digits), ...lua.counted(args.hashes), ...lua.counted(args.people), ...lua.counted(args.act)];
  return readChangeOptOutsAnswer(await lua.runScript(redis, changeOptOutsScript, keys, words));
}

export interface ChangeSessionArgs {
  /** key */ readonly session: string;
  /** key: sessions that end where this one begins */ readonly replaced: readonly string[];
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  /** JSON: as it was read; missing: there was none */ readonly was?: string | undefined;
  /** JSON: missing: there is none any more */ readonly becomes?: string | undefined;
  /** ms */ readonly keptMs: number;
  readonly act: readonly string[];
}

export type ChangeSessionAnswer = boolean;

const readChangeSessionAnswer: lua.Read<ChangeSessionAnswer> = lua.flag;

export const changeSessionScript = lua.defineScript('change-session', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local function _given(word) if word ~= '' then return word end end
local session = KEYS[1]
local now = tonumber(ARGV[1])
local was = _given(ARGV[2])
local becomes = _given(ARGV[3])
local keptMs = tonumber(ARGV[4])
local _arg, _key = 4, 1
local replaced = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; replaced[_i] = KEYS[_key] end
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
-- </generated>
local is = redis.call('GET', session) or nil
if is == becomes then return 1 end
if is ~= was then return 0 end
if becomes then
  redis.call('SET', session, becomes, 'PX', keptMs)
else
  redis.call('DEL', session)
end
for _, other in ipairs(replaced) do redis.call('DEL', other) end
audit_line(audit, act, clock(now))
return 1
`);

/** Begins, changes or ends a session of the console: what was read becomes something else, or nothing. Answers whether
 * it is so. */
export async function changeSession(redis: lua.ScriptHost, args: ChangeSessionArgs): Promise<ChangeSessionAnswer> {
  const keys: string[] = [args.session, ...args.replaced, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.was ?? '', args.becomes ?? '', args.keptMs, args.replaced.length, args.audit.length, ...lua.counted(args.act)];
  return readChangeSessionAnswer(await lua.runScript(redis, changeSessionScript, keys, words));
}

export interface ClaimArgs {
  /** key */ readonly due: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly atMost: number;
  /** ms */ readonly pushMs: number;
}

export type ClaimAnswer = readonly string[];

const readClaimAnswer: lua.Read<ClaimAnswer> = lua.list(lua.text);

export const claimScript = lua.defineScript('claim', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local due = KEYS[1]
local now = tonumber(ARGV[1])
local atMost = tonumber(ARGV[2])
local pushMs = tonumber(ARGV[3])
-- </generated>
local at = clock(now)
local ids = redis.call('ZRANGEBYSCORE', due, '-inf', at, 'LIMIT', 0, atMost)
for _, id in ipairs(ids) do redis.call('ZADD', due, at + pushMs, id) end
return ids
`);

/** Hands out ids whose time has come and pushes their due time on, so that no other process hands them out too. */
export async function claim(redis: lua.ScriptHost, args: ClaimArgs): Promise<ClaimAnswer> {
  const keys: string[] = [args.due];
  const words: lua.Word[] = [args.now ?? '', args.atMost, args.pushMs];
  return readClaimAnswer(await lua.runScript(redis, claimScript, keys, words));
}

export interface CommitUploadArgs {
  /** key */ readonly campaign: string;
  /** key: of campaigns */ readonly counts: string;
  /** key */ readonly draft: string;
  /** key: sets of these states */ readonly ready: string;
  /** key */ readonly sliceCounts: string;
  /** key: uploads that were */ readonly begun: string;
  /** key: its rows that were */ readonly leftOut: string;
  /** key: its slices */ readonly staged: readonly string[];
  /** key: what the file had beside */ readonly own: readonly string[];
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly upload: string;
  /** as it was read: while it has no recipients its text may change, which their values were taken for */ readonly rev: number;
  /** JSON: uploads as they were read */ readonly before: string;
  /** JSON: as they become */ readonly after: string;
  /** whose hand it is */ readonly by: string;
  readonly act: readonly string[];
  readonly recipients: number;
  readonly skipped: number;
  readonly slices: number;
  readonly segments: number;
}

export type CommitUploadAnswer =
  | { readonly is: 'committed' }
  | { readonly is: 'changed'; readonly state: string };

function readCommitUploadAnswer(value: unknown): CommitUploadAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'committed':
      return { is: 'committed' };
    case 'changed':
      return { is: 'changed', state: lua.text(answer[1]) };
  }
  return lua.unexpected(value);
}

export const commitUploadScript = lua.defineScript('commit-upload', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function sheet(key) return {key = key, names = {}, by = {}} end
local function tally(counts, field, delta)
  if type(counts) == 'string' then
    redis.pcall('HINCRBY', counts, field, delta)
    return
  end
  if not counts.by[field] then counts.names[#counts.names + 1] = field end
  counts.by[field] = (counts.by[field] or 0) + delta
end
local function write_sheet(counts)
  local names, set, none = {}, {}, {}
  for _, name in ipairs(counts.names) do
    if counts.by[name] ~= 0 then names[#names + 1] = name end
  end
  if #names == 0 then return none end
  names[#names + 1] = "history:"
  local read = redis.pcall('HMGET', counts.key, unpack(names))
  if read.err then return none end
  names[#names] = nil
  counts.history = read[#names + 1]
  for i, name in ipairs(names) do
    local value = read[i] or '0'
    if #value <= 16 and string.find(value, '^%-?%d+$') then
      local sum = tonumber(value) + counts.by[name]
      if sum == 0 then none[#none + 1] = name end
      set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum)
    end
  end
  if #set > 0 then redis.call('HSET', counts.key, unpack(set)) end
  return none
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
-- <generated>
local campaign = KEYS[1]
local counts = KEYS[2]
local draft = KEYS[3]
local ready = KEYS[4]
local sliceCounts = KEYS[5]
local begun = KEYS[6]
local leftOut = KEYS[7]
local now = tonumber(ARGV[1])
local upload = ARGV[2]
local rev = tonumber(ARGV[3])
local before = ARGV[4]
local after = ARGV[5]
local by = ARGV[6]
local recipients = tonumber(ARGV[7])
local skipped = tonumber(ARGV[8])
local slices = tonumber(ARGV[9])
local segments = tonumber(ARGV[10])
local _arg, _key = 10, 7
local staged = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; staged[_i] = KEYS[_key] end
local own = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; own[_i] = KEYS[_key] end
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
-- </generated>
local at = clock(now)
local r = redis.call('HMGET', campaign, 'state', 'uploads', 'id', 'v', 't:queued', 't:skipped', 't:total', 'slices',
  'segments', 'rev')
local state, uploads, id, version = unpack(r, 1, 4)
if (state ~= 'draft' and state ~= 'ready') or (uploads or '[]') ~= before then return {'changed', state or ''} end
same_version(version)
if state == 'draft' and tonumber(r[10]) ~= rev then return {'changed', state} end
for i = 5, 10 do whole(r[i], 0, 'a count') end
if not id then refuse('id') end
for _, slice in ipairs(staged) do
  if redis.call('EXISTS', slice) == 0 then return {'changed', state} end
end
if redis.call('LLEN', leftOut) ~= skipped then return {'changed', state} end
redis.call('PERSIST', leftOut)
for _, slice in ipairs(staged) do redis.call('PERSIST', slice) end
for _, list in ipairs(own) do redis.call('PERSIST', list) end
redis.call('HSET', campaign, 'uploads', after, 'updatedAt', at)
redis.call('HSETNX', campaign, "hand:" .. by, at)
redis.call('HINCRBY', campaign, 't:queued', recipients)
redis.call('HINCRBY', campaign, 't:skipped', skipped)
redis.call('HINCRBY', campaign, 't:total', recipients + skipped)
redis.call('HINCRBY', campaign, 'slices', slices)
redis.call('HINCRBY', campaign, 'segments', segments)
redis.call('HINCRBY', campaign, 'rev', 1)
tally(sliceCounts, 'queued', slices)
if state == 'draft' and tonumber(r[5] or '0') + recipients > 0 then
  redis.call('HSET', campaign, 'state', 'ready', 'since', at)
  move({counts = counts, id = id, at = at, from = 'draft', to = 'ready', left = draft, entered = ready})
end
redis.call('ZREM', begun, upload)
local function upto(more) return '"recipients":' .. tonumber(r[5] or '0') + more end
audit_line(audit, act, at, upto(0), upto(recipients))
return {'committed'}
`);

/** Counts a whole upload, or nothing of it: nothing where one of its slices, or a row that was left out, is gone,
 * since what took over in its midst had not come so far, or it took longer than what is staged is kept. */
export async function commitUpload(redis: lua.ScriptHost, args: CommitUploadArgs): Promise<CommitUploadAnswer> {
  const keys: string[] = [args.campaign, args.counts, args.draft, args.ready, args.sliceCounts, args.begun, args.leftOut, ...args.staged, ...args.own, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.upload, args.rev, args.before, args.after, args.by, args.recipients, args.skipped, args.slices, args.segments, args.staged.length, args.own.length, args.audit.length, ...lua.counted(args.act)];
  return readCommitUploadAnswer(await lua.runScript(redis, commitUploadScript, keys, words));
}

export interface CountEffectArgs {
  /** key */ readonly heartbeat: string;
  readonly memory: { readonly epoch?: string | undefined; readonly counter: number; readonly name?: string | undefined; readonly mark: number };
}

export type CountEffectAnswer =
  | { readonly is: 'raised'; readonly counter: number }
  | { readonly is: 'recovering' };

function readCountEffectAnswer(value: unknown): CountEffectAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'raised':
      return { is: 'raised', counter: lua.number(answer[1]) };
    case 'recovering':
      return { is: 'recovering' };
  }
  return lua.unexpected(value);
}

export const countEffectScript = lua.defineScript('count-effect', `
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
local function raise(heartbeat, known, effects)
  local counter = known.counter + (effects or 1)
  if known.name then redis.call('HSET', heartbeat, 'counter', counter, "process:" .. known.name, counter)
  else redis.call('HSET', heartbeat, 'counter', counter) end
  return counter
end
-- <generated>
local function _given(word) if word ~= '' then return word end end
local heartbeat = KEYS[1]
local memory = {epoch = _given(ARGV[1]), counter = tonumber(ARGV[2]), name = _given(ARGV[3]), mark = tonumber(ARGV[4])}
-- </generated>
local shut, known = guard(heartbeat, memory)
return shut or {'raised', raise(heartbeat, known)}
`);

/** Counts an effect for which no intent is written, and refuses it while nothing may leave. */
export async function countEffect(redis: lua.ScriptHost, args: CountEffectArgs): Promise<CountEffectAnswer> {
  const keys: string[] = [args.heartbeat];
  const words: lua.Word[] = [args.memory.epoch ?? '', args.memory.counter, args.memory.name ?? '', args.memory.mark];
  return readCountEffectAnswer(await lua.runScript(redis, countEffectScript, keys, words));
}

export interface CountFailureArgs {
  /** key */ readonly account: string;
  /** key: names of held accounts */ readonly held: string;
  /** key */ readonly events: string;
  /** key */ readonly counts: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly name: string;
  readonly reason: string;
  /** JSON */ readonly data: string;
  /** of a row that makes a hold */ readonly length: number;
  /** ms */ readonly windowMs: number;
}

export type CountFailureAnswer = boolean;

const readCountFailureAnswer: lua.Read<CountFailureAnswer> = lua.flag;

export const countFailureScript = lua.defineScript('count-failure', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function sheet(key) return {key = key, names = {}, by = {}} end
local function tally(counts, field, delta)
  if type(counts) == 'string' then
    redis.pcall('HINCRBY', counts, field, delta)
    return
  end
  if not counts.by[field] then counts.names[#counts.names + 1] = field end
  counts.by[field] = (counts.by[field] or 0) + delta
end
local function write_sheet(counts)
  local names, set, none = {}, {}, {}
  for _, name in ipairs(counts.names) do
    if counts.by[name] ~= 0 then names[#names + 1] = name end
  end
  if #names == 0 then return none end
  names[#names + 1] = "history:"
  local read = redis.pcall('HMGET', counts.key, unpack(names))
  if read.err then return none end
  names[#names] = nil
  counts.history = read[#names + 1]
  for i, name in ipairs(names) do
    local value = read[i] or '0'
    if #value <= 16 and string.find(value, '^%-?%d+$') then
      local sum = tonumber(value) + counts.by[name]
      if sum == 0 then none[#none + 1] = name end
      set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum)
    end
  end
  if #set > 0 then redis.call('HSET', counts.key, unpack(set)) end
  return none
end
local function emit(record, e)
  local seq = e.seq or redis.call('HINCRBY', record, 'seq', 1)
  tally(e.counts, "event:" .. e.type, 1)
  local entry = {'op', e.id, 'seq', seq, 'at', e.at, 'account', e.account, 'type', e.type, 'data', e.data}
  if e.trace then entry[#entry + 1] = 'trace'; entry[#entry + 1] = e.trace end
  redis.call('XADD', e.stream, e.place or '*', unpack(entry))
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
local function announce(h, at, type)
  emit(h.account, {stream = h.events, counts = h.counts, id = h.name, at = at, account = h.name, type = type,
    data = h.data})
end
local function hold(at, h)
  whole(redis.call('HGET', h.account, 'seq'), 0, 'seq')
  if redis.call('HSETNX', h.account, 'held:' .. h.reason, at) == 0 then return 0 end
  redis.call('HSET', h.account, 'probe:' .. h.reason, at)
  redis.call('SADD', h.held, h.name)
  announce(h, at, 'account.held')
  return 1
end
-- <generated>
local account = KEYS[1]
local held = KEYS[2]
local events = KEYS[3]
local counts = KEYS[4]
local now = tonumber(ARGV[1])
local name = ARGV[2]
local reason = ARGV[3]
local data = ARGV[4]
local length = tonumber(ARGV[5])
local windowMs = tonumber(ARGV[6])
-- </generated>
local at = clock(now)
local row, last = 'row:' .. reason, 'rowAt:' .. reason
local r = redis.call('HMGET', account, row, last, 'seq')
for i = 1, 3 do whole(r[i], 0, 'a count') end
if at - tonumber(r[2] or '0') > windowMs then redis.call('HDEL', account, row) end
redis.call('HSET', account, last, at)
if redis.call('HINCRBY', account, row, 1) < length then return 0 end
local begun = hold(at, {account = account, held = held, events = events, counts = counts, name = name, reason = reason,
  data = data})
redis.call('HDEL', account, row, last)
return begun
`);

/** One more of the failures that count only when they come in a row: the last of them holds the account. What lies
 * longer ago than the window began another row. Answers whether this one held the account. */
export async function countFailure(redis: lua.ScriptHost, args: CountFailureArgs): Promise<CountFailureAnswer> {
  const keys: string[] = [args.account, args.held, args.events, args.counts];
  const words: lua.Word[] = [args.now ?? '', args.name, args.reason, args.data, args.length, args.windowMs];
  return readCountFailureAnswer(await lua.runScript(redis, countFailureScript, keys, words));
}

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

const readDispatchEventsAnswer: lua.Read<DispatchEventsAnswer> = lua.flag;

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
  const keys: string[] = [args.dispatch, args.due];
  for (const one of args.endpoints) {
    keys.push(one.record, one.deliveries);
  }
  const words: lua.Word[] = [args.now ?? '', args.cursor, args.rev, args.next];
  words.push(args.endpoints.length);
  for (const one of args.endpoints) words.push(one.id, ...lua.counted(one.places));
  return readDispatchEventsAnswer(await lua.runScript(redis, dispatchEventsScript, keys, words));
}

export interface FirstBeatArgs {
  /** key */ readonly heartbeat: string;
  /** key */ readonly recovery: string;
  /** key */ readonly schema: string;
  /** key */ readonly events: string;
  /** key */ readonly dispatch: string;
  /** key */ readonly counts: string;
  /** key */ readonly stamp: string;
  /** key: every set of what is open */ readonly open: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  /** of the beat that the witness tells; absent: no witness */ readonly epoch?: string | undefined;
  /** as it tells, or as processes that share it have written down */ readonly counter: number;
  readonly event: string;
  /** ms since the epoch */ readonly witnessed: number;
  /** the counter at the last beat that the witness knows of */ readonly told: number;
  readonly deployment?: string | undefined;
  /** ms: for so long nobody may have been at work */ readonly silenceMs: number;
  /** to begin with */ readonly newEpoch: string;
  /** of this process */ readonly name: string;
  /** JSON: which deployment it is of; absent: whichever */ readonly ours?: string | undefined;
}

export type FirstBeatAnswer =
  | { readonly is: 'beats'; readonly epoch: string; readonly counter: number; readonly at: number; readonly event: string; readonly deployment?: string | undefined }
  | { readonly is: 'recovering'; readonly fields: Readonly<Record<string, string>> }
  | { readonly is: 'another' };

function readFirstBeatAnswer(value: unknown): FirstBeatAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'beats':
      return { is: 'beats', epoch: lua.text(answer[1]), counter: lua.number(answer[2]), at: lua.number(answer[3]), event: lua.text(answer[4]), deployment: lua.optional(lua.text, answer[5]) };
    case 'recovering':
      return { is: 'recovering', fields: lua.hash(answer[1]) };
    case 'another':
      return { is: 'another' };
  }
  return lua.unexpected(value);
}

export const firstBeatScript = lua.defineScript('first-beat', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function of_another(stamp, ours)
  local text = ours and redis.call('GET', stamp)
  if not text then return false end
  local stamped, own = cjson.decode(text), cjson.decode(ours)
  if stamped.environment ~= own.environment then return true end
  for _, of in ipairs({'addresses', 'accounts'}) do
    for name, value in pairs(own[of] or {}) do
      if (stamped[of][name] or value) ~= value then return true end
    end
  end
  return false
end
local function sheet(key) return {key = key, names = {}, by = {}} end
local function tally(counts, field, delta)
  if type(counts) == 'string' then
    redis.pcall('HINCRBY', counts, field, delta)
    return
  end
  if not counts.by[field] then counts.names[#counts.names + 1] = field end
  counts.by[field] = (counts.by[field] or 0) + delta
end
local function write_sheet(counts)
  local names, set, none = {}, {}, {}
  for _, name in ipairs(counts.names) do
    if counts.by[name] ~= 0 then names[#names + 1] = name end
  end
  if #names == 0 then return none end
  names[#names + 1] = "history:"
  local read = redis.pcall('HMGET', counts.key, unpack(names))
  if read.err then return none end
  names[#names] = nil
  counts.history = read[#names + 1]
  for i, name in ipairs(names) do
    local value = read[i] or '0'
    if #value <= 16 and string.find(value, '^%-?%d+$') then
      local sum = tonumber(value) + counts.by[name]
      if sum == 0 then none[#none + 1] = name end
      set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum)
    end
  end
  if #set > 0 then redis.call('HSET', counts.key, unpack(set)) end
  return none
end
local function emit(record, e)
  local seq = e.seq or redis.call('HINCRBY', record, 'seq', 1)
  tally(e.counts, "event:" .. e.type, 1)
  local entry = {'op', e.id, 'seq', seq, 'at', e.at, 'account', e.account, 'type', e.type, 'data', e.data}
  if e.trace then entry[#entry + 1] = 'trace'; entry[#entry + 1] = e.trace end
  redis.call('XADD', e.stream, e.place or '*', unpack(entry))
end
local function place_parts(place)
  local ms, seq = string.match(place or '', '^(%d+)-(%d+)$')
  return tonumber(ms or '0'), tonumber(seq or '0')
end
local function is_after(one, other)
  local ms, seq = place_parts(one)
  local other_ms, other_seq = place_parts(other)
  return ms > other_ms or (ms == other_ms and seq > other_seq)
end
local function among(list, one)
  return string.find(',' .. (list or '') .. ',', ',' .. one .. ',', 1, true) ~= nil
end
local function fields_of(flat)
  local fields = {}
  for i = 1, #flat, 2 do fields[flat[i]] = flat[i + 1] end
  return fields
end
local function last_place(events)
  local info = redis.pcall('XINFO', 'STREAM', events)
  if info.err then return '0-0' end
  return fields_of(info)['last-generated-id']
end
local function cursor_ahead(k, last)
  local cursor = redis.call('HGET', k.dispatch, 'cursor')
  if cursor and is_after(cursor, last) then return cursor end
  local groups = redis.pcall('XINFO', 'GROUPS', k.events)
  if groups.err then return end
  for _, group in ipairs(groups) do
    local at = fields_of(group)['last-delivered-id']
    if is_after(at, last) then return at end
  end
end
local function read_heartbeat(heartbeat, name)
  local recovering, epoch, counter, before, at, deployment, mark, recovered, found = unpack(redis.call('HMGET', heartbeat,
    'recovering', 'epoch', 'counter', 'before', 'at', 'deployment', "process:" .. (name or ''), 'recovered', 'found'))
  return {mark = tonumber(mark or '0'), recovered = tonumber(recovered or '0'), recovering = recovering, epoch = epoch,
    counter = tonumber(counter or '0'), before = before or '', at = tonumber(at or '0'), deployment = deployment,
    found = found or ''}
end
local function as_found(h, known, now)
  if h.epoch ~= known.epoch then return end
  for since, counter, at in string.gmatch(h.found, '(%d+):(%d+):(%d+)') do
    local ago = now - tonumber(since)
    if known.witnessed < tonumber(since) and ago >= 0 and ago < 604800000 then
      if known.told <= tonumber(counter) then return end
      h.counter, h.at, h.hidden = tonumber(counter), tonumber(at), true
      return
    end
  end
end
local function add_knowledge(recovery, known)
  local epochs, counter, event = unpack(redis.call('HMGET', recovery, 'epochs', 'knownCounter', 'lastEvent'))
  if known.epoch and not among(epochs, known.epoch) then
    redis.call('HSET', recovery, 'epochs', epochs and epochs .. ',' .. known.epoch or known.epoch)
  end
  if known.counter > tonumber(counter or '0') then
    redis.call('HSET', recovery, 'knownCounter', string.format('%.0f', known.counter))
  end
  if is_after(known.event, event or '0-0') then redis.call('HSET', recovery, 'lastEvent', known.event) end
end
local function of_later_epoch(k, h, known)
  if not known.epoch or known.epoch == h.epoch or among(h.before, known.epoch) then return false end
  return not among(redis.call('HGET', k.recovery, 'epochs'), known.epoch)
end
local function is_lost(h, known)
  if not h.recovering and known.recovering > h.recovered then return true end
  if not known.epoch then return false end
  if h.epoch == known.epoch then return h.counter < known.counter or h.mark < known.mark end
  return not among(h.before, known.epoch)
end
local function forget_found(heartbeat) redis.call('HDEL', heartbeat, 'found', "beganOnNothing") end
local function tell(k, at, state, data, place)
  data.id, data.state = 'system', state
  emit(k.heartbeat, {stream = k.events, counts = k.counts, id = 'system', at = at, account = 'main',
    type = 'system.' .. state, data = cjson.encode(data), place = place})
end
local function enter(k, at, h, because, known)
  redis.call('HSET', k.heartbeat, 'recovering', because)
  if not h.deployment and known.deployment then redis.call('HSET', k.heartbeat, 'deployment', known.deployment) end
  redis.call('SET', k.schema, 1)
  if redis.call('EXISTS', k.recovery) == 0 then
    redis.call('HSET', k.recovery, 'since', at, 'because', because, 'epoch', h.epoch or '', 'counter',
      string.format('%.0f', h.counter), 'lastBeat', string.format('%.0f', h.at))
    add_knowledge(k.recovery, known)
    redis.call('HINCRBY', k.heartbeat, 'seq', math.max(0, math.ceil((at - 1767225600000) / 1000)))
    local place = '*'
    if is_after(known.event, last_place(k.events)) then
      place = string.format('%.0f-0', place_parts(known.event) + 60000)
    end
    tell(k, at, 'recovering', {because = because}, place)
  else
    local last = tonumber(redis.call('HGET', k.recovery, 'lastBeat') or '0')
    if of_later_epoch(k, h, known) or (h.hidden and h.at < last) then redis.call('HSET', k.recovery, 'since', at) end
    if h.hidden then
      redis.call('HSET', k.recovery, 'counter', string.format('%.0f', h.counter), 'lastBeat', string.format('%.0f', math.min(h.at, last)))
    end
    redis.call('HSET', k.recovery, 'because', because)
    add_knowledge(k.recovery, known)
  end
  return {'recovering', redis.call('HGETALL', k.recovery)}
end
local function stay(k, at, h, proof, known)
  return enter(k, at, h, is_lost(h, known) and proof or h.recovering, known)
end
local function leave(k, h)
  local since = tonumber(redis.call('HGET', k.recovery, 'since') or '0')
  redis.call('HSET', k.heartbeat, 'recovered', string.format('%.0f', math.max(h.recovered, since)))
  redis.call('HDEL', k.heartbeat, 'recovering')
  redis.call('DEL', k.recovery)
end
local function behind_cursor(k, at, h, known)
  local ahead = cursor_ahead(k, last_place(k.events))
  if not ahead then return end
  if is_after(ahead, known.event) then known.event = ahead end
  return enter(k, at, h, 'event_cursor', known)
end
local function write_beat(k, at, h, name)
  local counter = h.counter + 1
  redis.call('HSET', k.heartbeat, 'at', at, 'counter', counter, "process:" .. (name or ''), counter)
  return {'beats', h.epoch, counter, at, last_place(k.events), h.deployment}
end
-- <generated>
local function _given(word) if word ~= '' then return word end end
local heartbeat = KEYS[1]
local recovery = KEYS[2]
local schema = KEYS[3]
local events = KEYS[4]
local dispatch = KEYS[5]
local counts = KEYS[6]
local stamp = KEYS[7]
local now = tonumber(ARGV[1])
local epoch = _given(ARGV[2])
local counter = tonumber(ARGV[3])
local event = ARGV[4]
local witnessed = tonumber(ARGV[5])
local told = tonumber(ARGV[6])
local deployment = _given(ARGV[7])
local silenceMs = tonumber(ARGV[8])
local newEpoch = ARGV[9]
local name = ARGV[10]
local ours = _given(ARGV[11])
local _arg, _key = 11, 7
local open = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; open[_i] = KEYS[_key] end
-- </generated>
if of_another(stamp, ours) then return {'another'} end
local at = clock(now)
local k = {heartbeat = heartbeat, recovery = recovery, schema = schema, events = events, dispatch = dispatch, counts = counts}
local known = {epoch = epoch, counter = counter, mark = 0, event = event, deployment = deployment, recovering = 0,
  told = told, witnessed = witnessed}
local h = read_heartbeat(heartbeat, name)
as_found(h, known, at)
local same = known.epoch and h.epoch == known.epoch
local proven = same and h.counter >= known.counter and h.at - witnessed <= 5000
if h.recovering then
  local epochs, seen = unpack(redis.call('HMGET', recovery, 'epochs', 'knownCounter'))
  local contradicted = tonumber(seen or '0') > h.counter or (epochs and epochs ~= h.epoch)
  local mere_silence = h.recovering == 'silence' or h.recovering == 'clock'
  if contradicted or not (proven and mere_silence) then return stay(k, at, h, 'witness', known) end
  leave(k, h)
  tell(k, at, 'recovered', {because = h.recovering, by = 'witness'})
end
if is_lost(h, known) then return enter(k, at, h, 'witness', known) end
local function forget_dead()
  if redis.call('HLEN', heartbeat) < 1000 then return end
  local marks, flat = {}, redis.call('HGETALL', heartbeat)
  for i = 1, #flat, 2 do
    if string.sub(flat[i], 1, #"process:") == "process:" then marks[#marks + 1] = {flat[i], tonumber(flat[i + 1])} end
  end
  table.sort(marks, function(one, other) return one[2] < other[2] end)
  for i = 1, math.floor(#marks / 2) do redis.call('HDEL', heartbeat, marks[i][1]) end
end
if h.epoch and not proven and math.abs(at - h.at) > 5000 then
  local before = #h.found < 1000 and h.found or string.gsub(h.found, '^[^,]*,', '')
  redis.call('HSET', heartbeat, 'found', string.format('%s%.0f:%.0f:%.0f,', before, at, h.counter, h.at))
end
local is_open = false
for _, set in ipairs(open) do if not is_open and redis.call('EXISTS', set) == 1 then is_open = true end end
if not h.epoch then
  if is_open and redis.call('EXISTS', schema) == 1 then return enter(k, at, h, 'no_heartbeat', known) end
  h.epoch, h.deployment = newEpoch, known.deployment
  redis.call('HSET', heartbeat, 'epoch', h.epoch, 'deployment', h.deployment)
  if not known.epoch then redis.call('HSET', heartbeat, "beganOnNothing", at) end
elseif is_open and not proven then
  if at - h.at > silenceMs then return enter(k, at, h, 'silence', known) end
  if h.at - at > 5000 then return enter(k, at, h, 'clock', known) end
end
redis.call('SET', schema, 1)
forget_dead()
return behind_cursor(k, at, h, known) or write_beat(k, at, h, name)
`);

/** The first beat of a process, which knows no more than the witness tells it. A long silence while something is
 * open may be a copy that was put back. It was only a silence where the witness knows the very heartbeat that is
 * found; and then a recovery that another process has begun for it is over too.
 * Where nobody was at work and the first to begin is not told that nothing is missing, it leaves behind what it found,
 * for a witness that is heard later: each machine may have its own. */
export async function firstBeat(redis: lua.ScriptHost, args: FirstBeatArgs): Promise<FirstBeatAnswer> {
  const keys: string[] = [args.heartbeat, args.recovery, args.schema, args.events, args.dispatch, args.counts, args.stamp, ...args.open];
  const words: lua.Word[] = [args.now ?? '', args.epoch ?? '', args.counter, args.event, args.witnessed, args.told, args.deployment ?? '', args.silenceMs, args.newEpoch, args.name, args.ours ?? '', args.open.length];
  return readFirstBeatAnswer(await lua.runScript(redis, firstBeatScript, keys, words));
}

export interface ForgetAuditArgs {
  /** key */ readonly stream: string;
  /** key */ readonly seals: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  /** the first seal as it was read */ readonly first: string;
  /** the one that becomes the first */ readonly seal: string;
  /** the same, as the first */ readonly becomes: string;
  /** the place of the last line that it is about */ readonly upto: string;
  readonly act: readonly string[];
}

export type ForgetAuditAnswer = number;

const readForgetAuditAnswer: lua.Read<ForgetAuditAnswer> = lua.number;

export const forgetAuditScript = lua.defineScript('forget-audit', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local stream = KEYS[1]
local seals = KEYS[2]
local now = tonumber(ARGV[1])
local first = ARGV[2]
local seal = ARGV[3]
local becomes = ARGV[4]
local upto = ARGV[5]
local _arg, _key = 5, 2
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
-- </generated>
if redis.call('LINDEX', seals, 0) ~= first then return 0 end
local kept = redis.call('LRANGE', seals, 0, -1)
local place
for i, one in ipairs(kept) do if one == seal then place = i end end
if not place then return 0 end
local count = redis.call('XTRIM', stream, 'MINID', upto)
count = count + redis.call('XDEL', stream, upto)
redis.call('LTRIM', seals, place - 1, -1)
redis.call('LSET', seals, 0, becomes)
audit_line(audit, act, clock(now), nil, '"forgotten":' .. count)
return count
`);

/** Forgets the lines up to a seal, which becomes the first: what follows is counted from there. It is an act itself. */
export async function forgetAudit(redis: lua.ScriptHost, args: ForgetAuditArgs): Promise<ForgetAuditAnswer> {
  const keys: string[] = [args.stream, args.seals, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.first, args.seal, args.becomes, args.upto, args.audit.length, ...lua.counted(args.act)];
  return readForgetAuditAnswer(await lua.runScript(redis, forgetAuditScript, keys, words));
}

export interface ForgetEntriesArgs {
  /** key */ readonly stream: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly places: readonly string[];
  readonly act: readonly string[];
}

export type ForgetEntriesAnswer = number;

const readForgetEntriesAnswer: lua.Read<ForgetEntriesAnswer> = lua.number;

export const forgetEntriesScript = lua.defineScript('forget-entries', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local stream = KEYS[1]
local now = tonumber(ARGV[1])
local _arg, _key = 1, 1
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local places = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do places[_i] = ARGV[_arg + _i] end
_arg = _arg + #places
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
-- </generated>
local gone = redis.call('XDEL', stream, unpack(places))
if gone > 0 then audit_line(audit, act, clock(now), nil, '"events":' .. gone) end
return gone
`);

/** Takes entries out of a stream, in the step that tells it. */
export async function forgetEntries(redis: lua.ScriptHost, args: ForgetEntriesArgs): Promise<ForgetEntriesAnswer> {
  const keys: string[] = [args.stream, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.audit.length, ...lua.counted(args.places), ...lua.counted(args.act)];
  return readForgetEntriesAnswer(await lua.runScript(redis, forgetEntriesScript, keys, words));
}

export interface ForgetNameArgs {
  /** key */ readonly bucket: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly head: string;
  /** its members lie between them */ readonly stop: string;
  readonly most: number;
  readonly act: readonly string[];
}

export type ForgetNameAnswer = number;

const readForgetNameAnswer: lua.Read<ForgetNameAnswer> = lua.number;

export const forgetNameScript = lua.defineScript('forget-name', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local bucket = KEYS[1]
local now = tonumber(ARGV[1])
local head = ARGV[2]
local stop = ARGV[3]
local most = tonumber(ARGV[4])
local _arg, _key = 4, 1
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
-- </generated>
local members = redis.call('ZRANGEBYLEX', bucket, '[' .. head, '(' .. stop, 'LIMIT', 0, most)
if #members > 0 then redis.call('ZREM', bucket, unpack(members)) end
if #members < most then audit_line(audit, act, clock(now)) end
return #members
`);

/** Nothing is found by a name any more. Answers how many members went; the act is told when none is left. */
export async function forgetName(redis: lua.ScriptHost, args: ForgetNameArgs): Promise<ForgetNameAnswer> {
  const keys: string[] = [args.bucket, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.head, args.stop, args.most, args.audit.length, ...lua.counted(args.act)];
  return readForgetNameAnswer(await lua.runScript(redis, forgetNameScript, keys, words));
}

export interface ForgetOptOutsArgs {
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly act: readonly string[];
  readonly lists: readonly {
    /** key */ readonly list: string;
    /** key */ readonly forgotten: string;
    readonly digits: string;
    readonly hash: string;
  }[];
}

export type ForgetOptOutsAnswer = number;

const readForgetOptOutsAnswer: lua.Read<ForgetOptOutsAnswer> = lua.number;

export const forgetOptOutsScript = lua.defineScript('forget-opt-outs', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local now = tonumber(ARGV[1])
local _arg, _key = 1, 0
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
local lists = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {list = KEYS[_key + 1], forgotten = KEYS[_key + 2], digits = ARGV[_arg + 1], hash = ARGV[_arg + 2]}
  _arg, _key = _arg + 2, _key + 2
  lists[_n] = _one
end
-- </generated>
local found = 0
for _, one in ipairs(lists) do
  if redis.call('SREM', one.list, one.digits) == 1 then
    redis.call('SADD', one.forgotten, one.hash)
    found = found + 1
  end
end
audit_line(audit, act, clock(now), nil, '"optOuts":' .. found)
return found
`);

/** Takes a person out of lists of opt-outs, by each of their numbers, and leaves its hash there. Answers in how many of
 * them that was. */
export async function forgetOptOuts(redis: lua.ScriptHost, args: ForgetOptOutsArgs): Promise<ForgetOptOutsAnswer> {
  const keys: string[] = [...args.audit];
  for (const one of args.lists) {
    keys.push(one.list, one.forgotten);
  }
  const words: lua.Word[] = [args.now ?? '', args.audit.length, ...lua.counted(args.act)];
  words.push(args.lists.length);
  for (const one of args.lists) words.push(one.digits, one.hash);
  return readForgetOptOutsAnswer(await lua.runScript(redis, forgetOptOutsScript, keys, words));
}

export interface ForgetRowsArgs {
  /** key */ readonly list: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly places: readonly number[];
  /** as they were read */ readonly kept: readonly string[];
  readonly become: readonly string[];
  readonly act: readonly string[];
}

export type ForgetRowsAnswer = number;

const readForgetRowsAnswer: lua.Read<ForgetRowsAnswer> = lua.number;

export const forgetRowsScript = lua.defineScript('forget-rows', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local list = KEYS[1]
local now = tonumber(ARGV[1])
local _arg, _key = 1, 1
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local places = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do places[_i] = tonumber(ARGV[_arg + _i]) end
_arg = _arg + #places
local kept = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do kept[_i] = ARGV[_arg + _i] end
_arg = _arg + #kept
local become = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do become[_i] = ARGV[_arg + _i] end
_arg = _arg + #become
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
-- </generated>
local done = 0
for i, place in ipairs(places) do
  if redis.call('LINDEX', list, place) == kept[i] then
    redis.call('LSET', list, place, become[i])
    done = done + 1
  end
end
if done > 0 then audit_line(audit, act, clock(now), nil, '"rows":' .. done) end
return done
`);

/** Puts others in the place of members of a list, where they still are as they were read. Answers how many. */
export async function forgetRows(redis: lua.ScriptHost, args: ForgetRowsArgs): Promise<ForgetRowsAnswer> {
  const keys: string[] = [args.list, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.audit.length, ...lua.counted(args.places), ...lua.counted(args.kept), ...lua.counted(args.become), ...lua.counted(args.act)];
  return readForgetRowsAnswer(await lua.runScript(redis, forgetRowsScript, keys, words));
}

export interface ForgetStubsArgs {
  /** key */ readonly stubs: string;
  /** ms since the epoch */ readonly now?: number | undefined;
}

export type ForgetStubsAnswer = number;

const readForgetStubsAnswer: lua.Read<ForgetStubsAnswer> = lua.number;

export const forgetStubsScript = lua.defineScript('forget-stubs', `
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
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local stubs = KEYS[1]
local now = tonumber(ARGV[1])
-- </generated>
local today = base36(math.floor(clock(now) / 86400000))
local stored, over = redis.call('HGETALL', stubs), {}
for i = 1, #stored, 2 do
  local last = string.sub(stored[i + 1], 6 + 2)
  if #last < #today or (#last == #today and last < today) then over[#over + 1] = stored[i] end
end
return #over > 0 and redis.call('HDEL', stubs, unpack(over)) or 0
`);

/** Takes away the stubs of one bucket whose day is over. Answers how many. */
export async function forgetStubs(redis: lua.ScriptHost, args: ForgetStubsArgs): Promise<ForgetStubsAnswer> {
  const keys: string[] = [args.stubs];
  const words: lua.Word[] = [args.now ?? ''];
  return readForgetStubsAnswer(await lua.runScript(redis, forgetStubsScript, keys, words));
}

export interface GoOnWithoutArgs {
  /** key */ readonly history: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly by: string;
  readonly act: readonly string[];
}

export type GoOnWithoutAnswer = boolean;

const readGoOnWithoutAnswer: lua.Read<GoOnWithoutAnswer> = lua.flag;

export const goOnWithoutScript = lua.defineScript('go-on-without', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local history = KEYS[1]
local now = tonumber(ARGV[1])
local by = ARGV[2]
local _arg, _key = 2, 1
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
-- </generated>
if redis.call('HEXISTS', history, 'missing') == 0 then return 0 end
redis.call('HSET', history, 'accepted', by)
audit_line(audit, act, clock(now))
return 1
`);

/** A person says that history goes on without what is missing in it. Answers whether anything is. */
export async function goOnWithout(redis: lua.ScriptHost, args: GoOnWithoutArgs): Promise<GoOnWithoutAnswer> {
  const keys: string[] = [args.history, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.by, args.audit.length, ...lua.counted(args.act)];
  return readGoOnWithoutAnswer(await lua.runScript(redis, goOnWithoutScript, keys, words));
}

export interface HandBackArgs {
  /** key */ readonly due: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly ids: readonly string[];
}

export type HandBackAnswer = number;

const readHandBackAnswer: lua.Read<HandBackAnswer> = lua.number;

export const handBackScript = lua.defineScript('hand-back', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local due = KEYS[1]
local now = tonumber(ARGV[1])
local _arg, _key = 1, 1
local ids = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do ids[_i] = ARGV[_arg + _i] end
_arg = _arg + #ids
-- </generated>
local at, back = clock(now), {}
for _, id in ipairs(ids) do
  back[#back + 1] = at; back[#back + 1] = id
end
return redis.call('ZADD', due, 'XX', 'LT', 'CH', unpack(back))
`);

/** What was taken and not begun is due again at once. What nobody has to look at any more stays so. */
export async function handBack(redis: lua.ScriptHost, args: HandBackArgs): Promise<HandBackAnswer> {
  const keys: string[] = [args.due];
  const words: lua.Word[] = [args.now ?? '', ...lua.counted(args.ids)];
  return readHandBackAnswer(await lua.runScript(redis, handBackScript, keys, words));
}

export interface HandOutArgs {
  /** key */ readonly campaign: string;
  /** key */ readonly dueSlices: string;
  /** key: of campaigns */ readonly due: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  /** how many were, as it was read */ readonly handedOut: number;
  /** ms */ readonly againInMs: number;
  /** how many recipients were over when that was judged; absent: as it stands */ readonly judgedOver?: number | undefined;
  readonly judgedFailed?: number | undefined;
  /** of these */ readonly judgedUnknown?: number | undefined;
  readonly canaryOver: boolean;
  readonly slices: readonly string[];
}

export type HandOutAnswer = boolean;

const readHandOutAnswer: lua.Read<HandOutAnswer> = lua.flag;

export const handOutScript = lua.defineScript('hand-out', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
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
-- <generated>
local campaign = KEYS[1]
local dueSlices = KEYS[2]
local due = KEYS[3]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local handedOut = tonumber(ARGV[3])
local againInMs = tonumber(ARGV[4])
local judgedOver = tonumber(ARGV[5])
local judgedFailed = tonumber(ARGV[6])
local judgedUnknown = tonumber(ARGV[7])
local canaryOver = ARGV[8] == '1'
local _arg, _key = 8, 3
local slices = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do slices[_i] = ARGV[_arg + _i] end
_arg = _arg + #slices
-- </generated>
local at = clock(now)
local state, fed, version, out = unpack(redis.call('HMGET', campaign, 'state', 'fed', 'v', 'out'))
if state ~= 'running' or version ~= "1" then return 0 end
if whole(out, 0, 'out') < 0 or whole(fed, 0, 'fed') ~= handedOut then return 0 end
redis.call('HSET', campaign, 'canaryOver', canaryOver and 1 or 0)
if judgedOver then
  redis.call('HSET', campaign, 'judgedOver', judgedOver, 'judgedFailed', judgedFailed, 'judgedUnknown', judgedUnknown)
end
for _, slice in ipairs(slices) do redis.call('ZADD', dueSlices, at + 2000, slice) end
if #slices > 0 then
  redis.call('HINCRBY', campaign, 'fed', #slices)
  redis.call('HINCRBY', campaign, 'out', #slices)
end
redis.call('ZADD', due, at + againInMs, id)
return 1
`);

/** Hands out the next slices of a running campaign, in the order of their uploads. A campaign that was read before
 * another process handed out hands out nothing. It stays due as long as it runs: what may stand in its way comes
 * with time, not with slices. Answers whether they were handed out. */
export async function handOut(redis: lua.ScriptHost, args: HandOutArgs): Promise<HandOutAnswer> {
  const keys: string[] = [args.campaign, args.dueSlices, args.due];
  const words: lua.Word[] = [args.now ?? '', args.id, args.handedOut, args.againInMs, args.judgedOver ?? '', args.judgedFailed ?? '', args.judgedUnknown ?? '', args.canaryOver ? 1 : 0, ...lua.counted(args.slices)];
  return readHandOutAnswer(await lua.runScript(redis, handOutScript, keys, words));
}

export interface HoldAccountArgs {
  /** key */ readonly account: string;
  /** key: names of held accounts */ readonly held: string;
  /** key */ readonly events: string;
  /** key */ readonly counts: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly name: string;
  readonly reason: string;
  /** JSON */ readonly data: string;
  readonly act: readonly string[];
}

export type HoldAccountAnswer = boolean;

const readHoldAccountAnswer: lua.Read<HoldAccountAnswer> = lua.flag;

export const holdAccountScript = lua.defineScript('hold-account', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function sheet(key) return {key = key, names = {}, by = {}} end
local function tally(counts, field, delta)
  if type(counts) == 'string' then
    redis.pcall('HINCRBY', counts, field, delta)
    return
  end
  if not counts.by[field] then counts.names[#counts.names + 1] = field end
  counts.by[field] = (counts.by[field] or 0) + delta
end
local function write_sheet(counts)
  local names, set, none = {}, {}, {}
  for _, name in ipairs(counts.names) do
    if counts.by[name] ~= 0 then names[#names + 1] = name end
  end
  if #names == 0 then return none end
  names[#names + 1] = "history:"
  local read = redis.pcall('HMGET', counts.key, unpack(names))
  if read.err then return none end
  names[#names] = nil
  counts.history = read[#names + 1]
  for i, name in ipairs(names) do
    local value = read[i] or '0'
    if #value <= 16 and string.find(value, '^%-?%d+$') then
      local sum = tonumber(value) + counts.by[name]
      if sum == 0 then none[#none + 1] = name end
      set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum)
    end
  end
  if #set > 0 then redis.call('HSET', counts.key, unpack(set)) end
  return none
end
local function emit(record, e)
  local seq = e.seq or redis.call('HINCRBY', record, 'seq', 1)
  tally(e.counts, "event:" .. e.type, 1)
  local entry = {'op', e.id, 'seq', seq, 'at', e.at, 'account', e.account, 'type', e.type, 'data', e.data}
  if e.trace then entry[#entry + 1] = 'trace'; entry[#entry + 1] = e.trace end
  redis.call('XADD', e.stream, e.place or '*', unpack(entry))
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
local function announce(h, at, type)
  emit(h.account, {stream = h.events, counts = h.counts, id = h.name, at = at, account = h.name, type = type,
    data = h.data})
end
local function hold(at, h)
  whole(redis.call('HGET', h.account, 'seq'), 0, 'seq')
  if redis.call('HSETNX', h.account, 'held:' .. h.reason, at) == 0 then return 0 end
  redis.call('HSET', h.account, 'probe:' .. h.reason, at)
  redis.call('SADD', h.held, h.name)
  announce(h, at, 'account.held')
  return 1
end
-- <generated>
local account = KEYS[1]
local held = KEYS[2]
local events = KEYS[3]
local counts = KEYS[4]
local now = tonumber(ARGV[1])
local name = ARGV[2]
local reason = ARGV[3]
local data = ARGV[4]
local _arg, _key = 4, 4
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
-- </generated>
local at = clock(now)
local begun = hold(at, {account = account, held = held, events = events, counts = counts, name = name, reason = reason,
  data = data})
if begun == 1 then audit_line(audit, act, at, nil, audit_word('held', reason)) end
return begun
`);

/** Holds an account for a reason. Answers whether this call changed something. */
export async function holdAccount(redis: lua.ScriptHost, args: HoldAccountArgs): Promise<HoldAccountAnswer> {
  const keys: string[] = [args.account, args.held, args.events, args.counts, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.name, args.reason, args.data, args.audit.length, ...lua.counted(args.act)];
  return readHoldAccountAnswer(await lua.runScript(redis, holdAccountScript, keys, words));
}

export interface KeepInHistoryArgs {
  /** key */ readonly waiting: string;
  /** key */ readonly aside: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  /** ms: when what could not be read is read again */ readonly againInMs: number;
  readonly unread: readonly string[];
  readonly kept: readonly {
    /** key */ readonly record: string;
    readonly id: string;
    /** as history has it */ readonly rev: number;
  }[];
  readonly setAside: readonly {
    /** key */ readonly asideRecord: string;
    readonly asideId: string;
    /** as it was given to history */ readonly asideRev: number;
    readonly entry: string;
  }[];
}

export type KeepInHistoryAnswer = number;

const readKeepInHistoryAnswer: lua.Read<KeepInHistoryAnswer> = lua.number;

export const keepInHistoryScript = lua.defineScript('keep-in-history', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local waiting = KEYS[1]
local aside = KEYS[2]
local now = tonumber(ARGV[1])
local againInMs = tonumber(ARGV[2])
local _arg, _key = 2, 2
local unread = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do unread[_i] = ARGV[_arg + _i] end
_arg = _arg + #unread
local kept = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {record = KEYS[_key + 1], id = ARGV[_arg + 1], rev = tonumber(ARGV[_arg + 2])}
  _arg, _key = _arg + 2, _key + 1
  kept[_n] = _one
end
local setAside = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {asideRecord = KEYS[_key + 1], asideId = ARGV[_arg + 1], asideRev = tonumber(ARGV[_arg + 2]), entry = ARGV[_arg + 3]}
  _arg, _key = _arg + 3, _key + 1
  setAside[_n] = _one
end
-- </generated>
local done = {}
for _, one in ipairs(kept) do
  local rev = redis.call('HGET', one.record, 'rev')
  if not rev or tonumber(rev) == one.rev then done[#done + 1] = one.id
  else redis.call('ZADD', waiting, 'NX', clock(now), one.id) end
end
for _, one in ipairs(setAside) do
  local rev = redis.call('HGET', one.asideRecord, 'rev')
  if not rev or tonumber(rev) == one.asideRev then
    redis.call('ZADD', waiting, clock(now) + againInMs, one.asideId)
    redis.call('HSET', aside, one.asideId, one.entry)
  end
end
for _, id in ipairs(unread) do redis.call('ZADD', waiting, 'XX', clock(now) + againInMs, id) end
if #done == 0 then return 0 end
redis.call('HDEL', aside, unpack(done))
return redis.call('ZREM', waiting, unpack(done))
`);

/** What history has, as it was read back there, waits for it no longer, unless it has gone on since: then it waits, also
 * where another writer has kept it meanwhile, over which this one wrote what it had read before. What nobody could
 * read is put off. So is what history does not take, and why is written down with it, unless it has gone on since.
 * Answers how many no longer wait. */
export async function keepInHistory(redis: lua.ScriptHost, args: KeepInHistoryArgs): Promise<KeepInHistoryAnswer> {
  const keys: string[] = [args.waiting, args.aside];
  for (const one of args.kept) {
    keys.push(one.record);
  }
  for (const one of args.setAside) {
    keys.push(one.asideRecord);
  }
  const words: lua.Word[] = [args.now ?? '', args.againInMs, ...lua.counted(args.unread)];
  words.push(args.kept.length);
  for (const one of args.kept) words.push(one.id, one.rev);
  words.push(args.setAside.length);
  for (const one of args.setAside) words.push(one.asideId, one.asideRev, one.entry);
  return readKeepInHistoryAnswer(await lua.runScript(redis, keepInHistoryScript, keys, words));
}

export interface LeaveRecoveryArgs {
  /** key */ readonly heartbeat: string;
  /** key */ readonly recovery: string;
  /** key */ readonly events: string;
  /** key */ readonly counts: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  /** the new one */ readonly epoch: string;
  /** the server, as it names itself; absent: nothing was lost */ readonly ledOn?: string | undefined;
  /** ms since the epoch: when the lost time ended that was led on */ readonly since?: number | undefined;
  readonly by: string;
  readonly act: readonly string[];
  /** what is known to be the last one besides */ readonly lastEvent?: string | undefined;
}

export type LeaveRecoveryAnswer =
  | { readonly is: 'left' }
  | { readonly is: 'lost' }
  | { readonly is: 'another' }
  | { readonly is: 'none' };

function readLeaveRecoveryAnswer(value: unknown): LeaveRecoveryAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'left':
      return { is: 'left' };
    case 'lost':
      return { is: 'lost' };
    case 'another':
      return { is: 'another' };
    case 'none':
      return { is: 'none' };
  }
  return lua.unexpected(value);
}

export const leaveRecoveryScript = lua.defineScript('leave-recovery', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function sheet(key) return {key = key, names = {}, by = {}} end
local function tally(counts, field, delta)
  if type(counts) == 'string' then
    redis.pcall('HINCRBY', counts, field, delta)
    return
  end
  if not counts.by[field] then counts.names[#counts.names + 1] = field end
  counts.by[field] = (counts.by[field] or 0) + delta
end
local function write_sheet(counts)
  local names, set, none = {}, {}, {}
  for _, name in ipairs(counts.names) do
    if counts.by[name] ~= 0 then names[#names + 1] = name end
  end
  if #names == 0 then return none end
  names[#names + 1] = "history:"
  local read = redis.pcall('HMGET', counts.key, unpack(names))
  if read.err then return none end
  names[#names] = nil
  counts.history = read[#names + 1]
  for i, name in ipairs(names) do
    local value = read[i] or '0'
    if #value <= 16 and string.find(value, '^%-?%d+$') then
      local sum = tonumber(value) + counts.by[name]
      if sum == 0 then none[#none + 1] = name end
      set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum)
    end
  end
  if #set > 0 then redis.call('HSET', counts.key, unpack(set)) end
  return none
end
local function emit(record, e)
  local seq = e.seq or redis.call('HINCRBY', record, 'seq', 1)
  tally(e.counts, "event:" .. e.type, 1)
  local entry = {'op', e.id, 'seq', seq, 'at', e.at, 'account', e.account, 'type', e.type, 'data', e.data}
  if e.trace then entry[#entry + 1] = 'trace'; entry[#entry + 1] = e.trace end
  redis.call('XADD', e.stream, e.place or '*', unpack(entry))
end
local function place_parts(place)
  local ms, seq = string.match(place or '', '^(%d+)-(%d+)$')
  return tonumber(ms or '0'), tonumber(seq or '0')
end
local function is_after(one, other)
  local ms, seq = place_parts(one)
  local other_ms, other_seq = place_parts(other)
  return ms > other_ms or (ms == other_ms and seq > other_seq)
end
local function among(list, one)
  return string.find(',' .. (list or '') .. ',', ',' .. one .. ',', 1, true) ~= nil
end
local function fields_of(flat)
  local fields = {}
  for i = 1, #flat, 2 do fields[flat[i]] = flat[i + 1] end
  return fields
end
local function last_place(events)
  local info = redis.pcall('XINFO', 'STREAM', events)
  if info.err then return '0-0' end
  return fields_of(info)['last-generated-id']
end
local function cursor_ahead(k, last)
  local cursor = redis.call('HGET', k.dispatch, 'cursor')
  if cursor and is_after(cursor, last) then return cursor end
  local groups = redis.pcall('XINFO', 'GROUPS', k.events)
  if groups.err then return end
  for _, group in ipairs(groups) do
    local at = fields_of(group)['last-delivered-id']
    if is_after(at, last) then return at end
  end
end
local function read_heartbeat(heartbeat, name)
  local recovering, epoch, counter, before, at, deployment, mark, recovered, found = unpack(redis.call('HMGET', heartbeat,
    'recovering', 'epoch', 'counter', 'before', 'at', 'deployment', "process:" .. (name or ''), 'recovered', 'found'))
  return {mark = tonumber(mark or '0'), recovered = tonumber(recovered or '0'), recovering = recovering, epoch = epoch,
    counter = tonumber(counter or '0'), before = before or '', at = tonumber(at or '0'), deployment = deployment,
    found = found or ''}
end
local function as_found(h, known, now)
  if h.epoch ~= known.epoch then return end
  for since, counter, at in string.gmatch(h.found, '(%d+):(%d+):(%d+)') do
    local ago = now - tonumber(since)
    if known.witnessed < tonumber(since) and ago >= 0 and ago < 604800000 then
      if known.told <= tonumber(counter) then return end
      h.counter, h.at, h.hidden = tonumber(counter), tonumber(at), true
      return
    end
  end
end
local function add_knowledge(recovery, known)
  local epochs, counter, event = unpack(redis.call('HMGET', recovery, 'epochs', 'knownCounter', 'lastEvent'))
  if known.epoch and not among(epochs, known.epoch) then
    redis.call('HSET', recovery, 'epochs', epochs and epochs .. ',' .. known.epoch or known.epoch)
  end
  if known.counter > tonumber(counter or '0') then
    redis.call('HSET', recovery, 'knownCounter', string.format('%.0f', known.counter))
  end
  if is_after(known.event, event or '0-0') then redis.call('HSET', recovery, 'lastEvent', known.event) end
end
local function of_later_epoch(k, h, known)
  if not known.epoch or known.epoch == h.epoch or among(h.before, known.epoch) then return false end
  return not among(redis.call('HGET', k.recovery, 'epochs'), known.epoch)
end
local function is_lost(h, known)
  if not h.recovering and known.recovering > h.recovered then return true end
  if not known.epoch then return false end
  if h.epoch == known.epoch then return h.counter < known.counter or h.mark < known.mark end
  return not among(h.before, known.epoch)
end
local function forget_found(heartbeat) redis.call('HDEL', heartbeat, 'found', "beganOnNothing") end
local function tell(k, at, state, data, place)
  data.id, data.state = 'system', state
  emit(k.heartbeat, {stream = k.events, counts = k.counts, id = 'system', at = at, account = 'main',
    type = 'system.' .. state, data = cjson.encode(data), place = place})
end
local function enter(k, at, h, because, known)
  redis.call('HSET', k.heartbeat, 'recovering', because)
  if not h.deployment and known.deployment then redis.call('HSET', k.heartbeat, 'deployment', known.deployment) end
  redis.call('SET', k.schema, 1)
  if redis.call('EXISTS', k.recovery) == 0 then
    redis.call('HSET', k.recovery, 'since', at, 'because', because, 'epoch', h.epoch or '', 'counter',
      string.format('%.0f', h.counter), 'lastBeat', string.format('%.0f', h.at))
    add_knowledge(k.recovery, known)
    redis.call('HINCRBY', k.heartbeat, 'seq', math.max(0, math.ceil((at - 1767225600000) / 1000)))
    local place = '*'
    if is_after(known.event, last_place(k.events)) then
      place = string.format('%.0f-0', place_parts(known.event) + 60000)
    end
    tell(k, at, 'recovering', {because = because}, place)
  else
    local last = tonumber(redis.call('HGET', k.recovery, 'lastBeat') or '0')
    if of_later_epoch(k, h, known) or (h.hidden and h.at < last) then redis.call('HSET', k.recovery, 'since', at) end
    if h.hidden then
      redis.call('HSET', k.recovery, 'counter', string.format('%.0f', h.counter), 'lastBeat', string.format('%.0f', math.min(h.at, last)))
    end
    redis.call('HSET', k.recovery, 'because', because)
    add_knowledge(k.recovery, known)
  end
  return {'recovering', redis.call('HGETALL', k.recovery)}
end
local function stay(k, at, h, proof, known)
  return enter(k, at, h, is_lost(h, known) and proof or h.recovering, known)
end
local function leave(k, h)
  local since = tonumber(redis.call('HGET', k.recovery, 'since') or '0')
  redis.call('HSET', k.heartbeat, 'recovered', string.format('%.0f', math.max(h.recovered, since)))
  redis.call('HDEL', k.heartbeat, 'recovering')
  redis.call('DEL', k.recovery)
end
local function behind_cursor(k, at, h, known)
  local ahead = cursor_ahead(k, last_place(k.events))
  if not ahead then return end
  if is_after(ahead, known.event) then known.event = ahead end
  return enter(k, at, h, 'event_cursor', known)
end
local function write_beat(k, at, h, name)
  local counter = h.counter + 1
  redis.call('HSET', k.heartbeat, 'at', at, 'counter', counter, "process:" .. (name or ''), counter)
  return {'beats', h.epoch, counter, at, last_place(k.events), h.deployment}
end
-- <generated>
local function _given(word) if word ~= '' then return word end end
local heartbeat = KEYS[1]
local recovery = KEYS[2]
local events = KEYS[3]
local counts = KEYS[4]
local now = tonumber(ARGV[1])
local epoch = ARGV[2]
local ledOn = _given(ARGV[3])
local since = tonumber(ARGV[4])
local by = ARGV[5]
local lastEvent = _given(ARGV[6])
local _arg, _key = 6, 4
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
-- </generated>
local k = {heartbeat = heartbeat, recovery = recovery, events = events, counts = counts}
local at, h = clock(now), read_heartbeat(heartbeat)
if not h.recovering then return {'none'} end
local epochs, known_counter, seen = unpack(redis.call('HMGET', recovery, 'epochs', 'knownCounter', 'lastEvent'))
local proven = ({["rolled_back"] = true, ["witness"] = true, ["event_cursor"] = true})[h.recovering] or tonumber(known_counter or '0') > h.counter
if not ledOn and proven then return {'lost'} end
local info = ledOn and redis.pcall('INFO')
local server = type(info) == 'string' and string.match(info, 'run_id%p(%x+)') or 'unnamed'
if ledOn and server ~= ledOn then return {'another'} end
if since and tonumber(redis.call('HGET', recovery, 'since') or '0') ~= since then return {'another'} end
local before = {}
for one in string.gmatch(h.before .. ',' .. (h.epoch or '') .. ',' .. (epochs or ''), '[^,]+') do
  if not among(table.concat(before, ','), one) then before[#before + 1] = one end
end
if lastEvent and (not seen or is_after(lastEvent, seen)) then seen = lastEvent end
local floor = seen and seen ~= '' and place_parts(seen) + 60000 or at + 86400000
local place = string.format('%.0f-0', floor)
if not is_after(place, last_place(events)) then place = '*' end
local counter = math.max(h.counter, tonumber(known_counter or '0')) + 1
redis.call('HSET', heartbeat, 'counter', string.format('%.0f', counter), 'at', at)
if ledOn or not h.epoch then redis.call('HSET', heartbeat, 'epoch', epoch, 'before', table.concat(before, ',')) end
if ledOn then forget_found(heartbeat) end
if ledOn then redis.call('HSET', heartbeat, "ledOnAt", at) end
redis.call('HSETNX', heartbeat, 'deployment', epoch)
leave(k, h)
tell(k, at, 'recovered', {because = h.recovering, by = by}, place)
audit_line(audit, act, at, audit_word('because', h.recovering))
return {'left'}
`);

/** Ends a recovery. Events have greater ids after it than any follower can have seen. What was led on ends in a new
 * epoch, and nobody compares what it remembers of the one before: so it must be this very server that was led on, and
 * not one that has taken its place meanwhile. What was a mere silence ends in the epoch that it was in, where a process
 * that knows better is still heard; and is none where one has been heard already. Where a witness was heard meanwhile
 * that knows of a longer lost time, that one has still to be led on. */
export async function leaveRecovery(redis: lua.ScriptHost, args: LeaveRecoveryArgs): Promise<LeaveRecoveryAnswer> {
  const keys: string[] = [args.heartbeat, args.recovery, args.events, args.counts, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.epoch, args.ledOn ?? '', args.since ?? '', args.by, args.lastEvent ?? '', args.audit.length, ...lua.counted(args.act)];
  return readLeaveRecoveryAnswer(await lua.runScript(redis, leaveRecoveryScript, keys, words));
}

export interface MoveCursorArgs {
  /** key */ readonly campaign: string;
  /** key: of campaigns */ readonly due: string;
  /** key */ readonly events: string;
  /** key: of campaigns */ readonly counts: string;
  /** key: the set of that state */ readonly running: string;
  /** key: what waits for it */ readonly history: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  /** which one */ readonly retry: number;
  /** the place it was read at */ readonly before: number;
  /** the place it becomes */ readonly after: number;
  /** ms */ readonly againInMs: number;
}

export type MoveCursorAnswer = boolean;

const readMoveCursorAnswer: lua.Read<MoveCursorAnswer> = lua.flag;

export const moveCursorScript = lua.defineScript('move-cursor', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function sheet(key) return {key = key, names = {}, by = {}} end
local function tally(counts, field, delta)
  if type(counts) == 'string' then
    redis.pcall('HINCRBY', counts, field, delta)
    return
  end
  if not counts.by[field] then counts.names[#counts.names + 1] = field end
  counts.by[field] = (counts.by[field] or 0) + delta
end
local function write_sheet(counts)
  local names, set, none = {}, {}, {}
  for _, name in ipairs(counts.names) do
    if counts.by[name] ~= 0 then names[#names + 1] = name end
  end
  if #names == 0 then return none end
  names[#names + 1] = "history:"
  local read = redis.pcall('HMGET', counts.key, unpack(names))
  if read.err then return none end
  names[#names] = nil
  counts.history = read[#names + 1]
  for i, name in ipairs(names) do
    local value = read[i] or '0'
    if #value <= 16 and string.find(value, '^%-?%d+$') then
      local sum = tonumber(value) + counts.by[name]
      if sum == 0 then none[#none + 1] = name end
      set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum)
    end
  end
  if #set > 0 then redis.call('HSET', counts.key, unpack(set)) end
  return none
end
local function emit(record, e)
  local seq = e.seq or redis.call('HINCRBY', record, 'seq', 1)
  tally(e.counts, "event:" .. e.type, 1)
  local entry = {'op', e.id, 'seq', seq, 'at', e.at, 'account', e.account, 'type', e.type, 'data', e.data}
  if e.trace then entry[#entry + 1] = 'trace'; entry[#entry + 1] = e.trace end
  redis.call('XADD', e.stream, e.place or '*', unpack(entry))
end
local function for_history(counts, waiting, at, ids)
  if #ids == 0 then return end
  if counts.history == nil then counts.history = redis.pcall('HGET', counts.key, "history:") end
  if counts.history ~= '1' then return end
  local words = {}
  for _, id in ipairs(ids) do words[#words + 1] = at; words[#words + 1] = id end
  redis.call('ZADD', waiting, unpack(words))
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
  local state, settled, slices, id, account, reference, name, cursor, retries, trace = unpack(redis.call('HMGET', campaign,
    'state', 'settled', 'slices', 'id', 'account', 'reference', 'name', 'walk', 'retries',
    'trace'))
  local left = keys.sets[state]
  if not left or tonumber(settled or '0') < tonumber(slices) or cursor then return false end
  redis.call('HSET', campaign, 'state', 'finished', 'since', at, 'updatedAt', at)
  redis.call('HINCRBY', campaign, 'rev', 1)
  local counted = sheet(keys.counts)
  move({counts = counted, id = id, at = at, from = state, to = 'finished', left = left})
  redis.call('ZREM', keys.due, id)
  local totals = {}
  for _, bin in ipairs(({"total", "queued", "held", "sending", "sent", "failed", "unknown", "skipped", "expired", "cancelled"})) do totals[bin] = tonumber(redis.call('HGET', campaign, 't:' .. bin) or '0') end
  local data = {id = id, state = 'finished', name = name, totals = totals}
  if reference then data.reference = reference end
  if retries then data.retries = tonumber(retries) end
  emit(campaign, {stream = keys.events, counts = counted, id = id, at = at, account = account,
    type = 'campaign.finished', data = cjson.encode(data), trace = trace})
  write_sheet(counted)
  for_history(counted, keys.history, at, {id})
  return true
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
-- <generated>
local campaign = KEYS[1]
local due = KEYS[2]
local events = KEYS[3]
local counts = KEYS[4]
local running = KEYS[5]
local history = KEYS[6]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local retry = tonumber(ARGV[3])
local before = tonumber(ARGV[4])
local after = tonumber(ARGV[5])
local againInMs = tonumber(ARGV[6])
-- </generated>
local at = clock(now)
local r = redis.call('HMGET', campaign, 'state', 'retries', 'walk', 'slices', 'v', 'account', 'id', 'settled', 'rev', 'seq')
if r[1] ~= 'running' or tonumber(r[2] or '') ~= retry or tonumber(r[3] or '') ~= before then return 0 end
same_version(r[5])
if not (r[4] and r[6] and r[7]) then refuse('slices, account or id') end
for _, i in ipairs({4, 8, 9, 10}) do whole(r[i], 0, 'a count') end
redis.call('ZADD', due, at + againInMs, id)
if after < tonumber(r[4]) then
  redis.call('HSET', campaign, 'walk', after)
else
  redis.call('HDEL', campaign, 'walk', 'walkUnknown')
  finish_if_over(at, {campaign = campaign, events = events, counts = counts, due = due, history = history,
    sets = {running = running}})
end
return 1
`);

/** Notes how far the slices of a campaign have been looked through. After the last one it is over as soon as they are. */
export async function moveCursor(redis: lua.ScriptHost, args: MoveCursorArgs): Promise<MoveCursorAnswer> {
  const keys: string[] = [args.campaign, args.due, args.events, args.counts, args.running, args.history];
  const words: lua.Word[] = [args.now ?? '', args.id, args.retry, args.before, args.after, args.againInMs];
  return readMoveCursorAnswer(await lua.runScript(redis, moveCursorScript, keys, words));
}

export interface NameKeyArgs {
  /** key */ readonly held: string;
  /** key */ readonly heartbeat: string;
  readonly offered: string;
  readonly memory: { readonly epoch?: string | undefined; readonly counter: number; readonly name?: string | undefined; readonly mark: number };
}

export type NameKeyAnswer = { readonly key?: string | undefined };

const readNameKeyAnswer: lua.Read<NameKeyAnswer> = (value) => {
  const answer = lua.items(value);
  return { key: lua.optional(lua.text, answer[0]) };
};

export const nameKeyScript = lua.defineScript('name-key', `
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
local function raise(heartbeat, known, effects)
  local counter = known.counter + (effects or 1)
  if known.name then redis.call('HSET', heartbeat, 'counter', counter, "process:" .. known.name, counter)
  else redis.call('HSET', heartbeat, 'counter', counter) end
  return counter
end
-- <generated>
local function _given(word) if word ~= '' then return word end end
local held = KEYS[1]
local heartbeat = KEYS[2]
local offered = ARGV[1]
local memory = {epoch = _given(ARGV[2]), counter = tonumber(ARGV[3]), name = _given(ARGV[4]), mark = tonumber(ARGV[5])}
-- </generated>
if not guard(heartbeat, memory) then redis.call('SET', held, offered, 'NX') end
return {redis.call('GET', held)}
`);

/** The key under which names are hashed in the index; what is offered where there is none yet. Where nothing is accepted
 * nothing is written: this may be the Redis of somebody else. */
export async function nameKey(redis: lua.ScriptHost, args: NameKeyArgs): Promise<NameKeyAnswer> {
  const keys: string[] = [args.held, args.heartbeat];
  const words: lua.Word[] = [args.offered, args.memory.epoch ?? '', args.memory.counter, args.memory.name ?? '', args.memory.mark];
  return readNameKeyAnswer(await lua.runScript(redis, nameKeyScript, keys, words));
}

export interface NoteActArgs {
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly act: readonly string[];
}

export type NoteActAnswer = boolean;

const readNoteActAnswer: lua.Read<NoteActAnswer> = lua.flag;

export const noteActScript = lua.defineScript('note-act', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local now = tonumber(ARGV[1])
local _arg, _key = 1, 0
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
-- </generated>
audit_line(audit, act, clock(now))
return 1
`);

/** An act that is no single script of ours: told in a step of its own. */
export async function noteAct(redis: lua.ScriptHost, args: NoteActArgs): Promise<NoteActAnswer> {
  const keys: string[] = [...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.audit.length, ...lua.counted(args.act)];
  return readNoteActAnswer(await lua.runScript(redis, noteActScript, keys, words));
}

export interface NoteLeavingArgs {
  /** key */ readonly left: string;
  /** ms since the epoch: the last change of any of them */ readonly to: number;
  readonly days: readonly {
    readonly day: string;
    /** kind and day */ readonly count: number;
  }[];
}

export type NoteLeavingAnswer = boolean;

const readNoteLeavingAnswer: lua.Read<NoteLeavingAnswer> = lua.flag;

export const noteLeavingScript = lua.defineScript('note-leaving', `
-- <generated>
local left = KEYS[1]
local to = tonumber(ARGV[1])
local _arg, _key = 1, 1
local days = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {day = ARGV[_arg + 1], count = tonumber(ARGV[_arg + 2])}
  _arg, _key = _arg + 2, _key + 0
  days[_n] = _one
end
-- </generated>
for _, one in ipairs(days) do redis.call('HINCRBY', left, one.day, one.count) end
if to > tonumber(redis.call('HGET', left, 'to') or '0') then redis.call('HSET', left, 'to', string.format('%.0f', to)) end
return 1
`);

/** Counts what is about to leave Redis, by the day of its last change. One that stays after all was counted all the
 * same. */
export async function noteLeaving(redis: lua.ScriptHost, args: NoteLeavingArgs): Promise<NoteLeavingAnswer> {
  const keys: string[] = [args.left];
  const words: lua.Word[] = [args.to];
  words.push(args.days.length);
  for (const one of args.days) words.push(one.day, one.count);
  return readNoteLeavingAnswer(await lua.runScript(redis, noteLeavingScript, keys, words));
}

export interface NudgeArgs {
  /** key */ readonly due: string;
  /** key: what is to be brought back */ readonly recalled: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  /** ms */ readonly intervalMs: number;
  /** in that queue */ readonly lookedAt: readonly string[];
  readonly nudges: readonly {
    /** key */ readonly record: string;
    /** key */ readonly stubs: string;
    /** key: what was last posted */ readonly callback: string;
    readonly id: string;
    readonly stubName: string;
    readonly evidence: string;
    /** JSON: what it was nudged with */ readonly recall: string;
    /** to be kept */ readonly posted?: string | undefined;
    /** states that say what was posted */ readonly agreesWith: readonly string[];
  }[];
}

export type NudgeNudged =
  | { readonly is: 'look'; readonly state: string; readonly field?: string | undefined; readonly line?: string | undefined; readonly trace?: string | undefined }
  | { readonly is: 'noted'; readonly state: string; readonly field?: string | undefined; readonly line?: string | undefined; readonly trace?: string | undefined }
  | { readonly is: 'recalled'; readonly state: string }
  | { readonly is: 'none' }
  | { readonly is: 'failed'; readonly why: string };

export type NudgeAnswer = readonly NudgeNudged[];

function readNudgeNudged(value: unknown): NudgeNudged {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'look':
      return { is: 'look', state: lua.text(answer[1]), field: lua.optional(lua.text, answer[2]), line: lua.optional(lua.text, answer[3]), trace: lua.optional(lua.text, answer[4]) };
    case 'noted':
      return { is: 'noted', state: lua.text(answer[1]), field: lua.optional(lua.text, answer[2]), line: lua.optional(lua.text, answer[3]), trace: lua.optional(lua.text, answer[4]) };
    case 'recalled':
      return { is: 'recalled', state: lua.text(answer[1]) };
    case 'none':
      return { is: 'none' };
    case 'failed':
      return { is: 'failed', why: lua.text(answer[1]) };
  }
  return lua.unexpected(value);
}

const readNudgeAnswer: lua.Read<NudgeAnswer> = lua.list(readNudgeNudged);

export const nudgeScript = lua.defineScript('nudge', `
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
local function stub_of(stubs, name)
  local stub = redis.call('HGET', stubs, name)
  if not stub then return nil end
  return string.sub(stub, 1, 6), ({["s"] = "succeeded", ["f"] = "failed", ["r"] = "reversed", ["j"] = "rejected", ["c"] = "cancelled", ["d"] = "sent", ["e"] = "expired", ["k"] = "skipped", ["p"] = "completed", ["n"] = "finished", ["u"] = "unknown"})[string.sub(stub, 6 + 1, 6 + 1)]
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
local function why_of(failure) return type(failure) == 'table' and failure.err or failure end
-- <generated>
local function _given(word) if word ~= '' then return word end end
local due = KEYS[1]
local recalled = KEYS[2]
local now = tonumber(ARGV[1])
local intervalMs = tonumber(ARGV[2])
local _arg, _key = 2, 2
local lookedAt = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do lookedAt[_i] = ARGV[_arg + _i] end
_arg = _arg + #lookedAt
local nudges = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {record = KEYS[_key + 1], stubs = KEYS[_key + 2], callback = KEYS[_key + 3], id = ARGV[_arg + 1], stubName = ARGV[_arg + 2], evidence = ARGV[_arg + 3], recall = ARGV[_arg + 4], posted = _given(ARGV[_arg + 5])}
  _arg, _key = _arg + 5, _key + 3
_one.agreesWith = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _one.agreesWith[_i] = ARGV[_arg + _i] end
_arg = _arg + #_one.agreesWith
  nudges[_n] = _one
end
-- </generated>
local at = clock(now)
local function nudge(one)
  local state, lease, ends, nudged_at, lines, version, trace, before = unpack(redis.call('HMGET', one.record, 'state',
    'lease', 'until', 'hintedAt', 'en', 'v', 'trace', 'hint'))
  if one.posted and not contains(one.agreesWith, state) then
    redis.call('SET', one.callback, one.posted, 'EX', 2592000)
  end
  if not state then
    local _, left = stub_of(one.stubs, one.stubName)
    if not left then return {'none'} end
    redis.call(contains(one.agreesWith, left) and 'HSETNX' or 'HSET', recalled, one.id, one.recall)
    return {'recalled', left}
  end
  local readable = version == "1" and pcall(function()
    whole(ends, 0, 'until'); whole(nudged_at, 0, 'hintedAt'); whole(lines, 0, 'en')
  end)
  if not readable then return {'noted', state} end
  local agreed = {}
  for _, name in ipairs(one.posted and one.agreesWith or {}) do
    local first = not before or before == ''
    if first or string.find(before, ',' .. name .. ',', 1, true) then agreed[#agreed + 1] = name end
  end
  local set = {'hint', ',' .. table.concat(agreed, ',') .. (#agreed > 0 and ',' or '')}
  evidence_fields(at, one.evidence, lines, set)
  local leased = lease and lease ~= '' and tonumber(ends or '0') > at
  local looks = false
  if contains(lookedAt, state) and not contains(one.agreesWith, state) then
    local last = tonumber(nudged_at or '0')
    local wait, hinted = math.max(0, last + intervalMs - at), at
    if not leased and redis.call('ZADD', due, 'LT', 'CH', at + wait, one.id) == 1 then
      hinted = at + wait
      looks = wait == 0
    end
    if hinted > last then set[#set + 1] = 'hintedAt'; set[#set + 1] = hinted end
  end
  redis.call('HSET', one.record, unpack(set))
  local field, line = set[3] or false, set[4] or false
  if looks then return {'look', state, field, line, trace} end
  return {'noted', state, field, line, trace}
end
local answers = {}
for i, one in ipairs(nudges) do
  local done, answer = pcall(nudge, one)
  answers[i] = done and answer or {'failed', why_of(answer)}
end
return answers
`);

/** Something more may be known (callbacks came): keep what was said as evidence and make the next look due, at most
 * one per operation and interval. Changes no state. What was posted is kept, also about what we do not know; not
 * where it says what the state says. What history alone has is noted, to be brought back and nudged then. Those that
 * come in the same moment share it; each has an answer of its own, in their order, and one that cannot be noted stops
 * none of the others. */
export async function nudge(redis: lua.ScriptHost, args: NudgeArgs): Promise<NudgeAnswer> {
  const keys: string[] = [args.due, args.recalled];
  for (const one of args.nudges) {
    keys.push(one.record, one.stubs, one.callback);
  }
  const words: lua.Word[] = [args.now ?? '', args.intervalMs, ...lua.counted(args.lookedAt)];
  words.push(args.nudges.length);
  for (const one of args.nudges) words.push(one.id, one.stubName, one.evidence, one.recall, one.posted ?? '', ...lua.counted(one.agreesWith));
  return readNudgeAnswer(await lua.runScript(redis, nudgeScript, keys, words));
}

export interface PresentArgs {
  /** key */ readonly workers: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly name: string;
  readonly slots: number;
  /** ms: after so long one is not here any more */ readonly silentMs: number;
}

export type PresentAnswer = number;

const readPresentAnswer: lua.Read<PresentAnswer> = lua.number;

export const presentScript = lua.defineScript('present', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local workers = KEYS[1]
local now = tonumber(ARGV[1])
local name = ARGV[2]
local slots = tonumber(ARGV[3])
local silentMs = tonumber(ARGV[4])
-- </generated>
local at = clock(now)
redis.call('HSET', workers, name, string.format('%d %d', at, slots))
local all, sum = redis.call('HGETALL', workers), 0
for i = 1, #all, 2 do
  local said, its = string.match(all[i + 1], '^(%d+) (%d+)$')
  if said and tonumber(said) > at - silentMs then sum = sum + tonumber(its)
  else redis.call('HDEL', workers, all[i]) end
end
return sum
`);

/** Says that a worker is here, and how many requests it may have in flight. Answers how many all of those may have
 * together that have said so lately; the others are forgotten. */
export async function present(redis: lua.ScriptHost, args: PresentArgs): Promise<PresentAnswer> {
  const keys: string[] = [args.workers];
  const words: lua.Word[] = [args.now ?? '', args.name, args.slots, args.silentMs];
  return readPresentAnswer(await lua.runScript(redis, presentScript, keys, words));
}

export interface ProbeAccountArgs {
  /** key */ readonly account: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  /** ms */ readonly everyMs: number;
  readonly reason: string;
}

export type ProbeAccountAnswer = boolean;

const readProbeAccountAnswer: lua.Read<ProbeAccountAnswer> = lua.flag;

export const probeAccountScript = lua.defineScript('probe-account', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local account = KEYS[1]
local now = tonumber(ARGV[1])
local everyMs = tonumber(ARGV[2])
local reason = ARGV[3]
-- </generated>
local at = clock(now)
local held, probed = unpack(redis.call('HMGET', account, 'held:' .. reason, 'probe:' .. reason))
if not held then return 1 end
if at - tonumber(probed or '0') < everyMs then return 0 end
redis.call('HSET', account, 'probe:' .. reason, at)
return 1
`);

/** While a condition lasts, one operation per interval is let through to see whether it has cleared. Answers whether
 * this is the one. */
export async function probeAccount(redis: lua.ScriptHost, args: ProbeAccountArgs): Promise<ProbeAccountAnswer> {
  const keys: string[] = [args.account];
  const words: lua.Word[] = [args.now ?? '', args.everyMs, args.reason];
  return readProbeAccountAnswer(await lua.runScript(redis, probeAccountScript, keys, words));
}

export interface PublishLimitsArgs {
  /** key */ readonly limits: string;
  /** key */ readonly stamp: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly by: string;
  /** how this start is known again */ readonly op: string;
  /** it has told them before */ readonly runs: boolean;
  /** JSON: which deployment it is of; absent: whichever */ readonly ours?: string | undefined;
  /** name and value of each limit */ readonly asked: Readonly<Record<string, string | number>>;
  readonly acts: readonly {
    /** of each limit that is asked for, in that order */ readonly words: readonly string[];
  }[];
}

export type PublishLimitsTold =
  | { readonly is: 'lowered'; readonly name: string; readonly was?: string | undefined }
  | { readonly is: 'looser'; readonly name: string; readonly was?: string | undefined };

export type PublishLimitsAnswer = readonly PublishLimitsTold[];

function readPublishLimitsTold(value: unknown): PublishLimitsTold {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'lowered':
      return { is: 'lowered', name: lua.text(answer[1]), was: lua.optional(lua.text, answer[2]) };
    case 'looser':
      return { is: 'looser', name: lua.text(answer[1]), was: lua.optional(lua.text, answer[2]) };
  }
  return lua.unexpected(value);
}

const readPublishLimitsAnswer: lua.Read<PublishLimitsAnswer> = lua.list(readPublishLimitsTold);

export const publishLimitsScript = lua.defineScript('publish-limits', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function forget_asked(limits, name)
  redis.call('HDEL', limits, name .. '.asked', name .. '.askedBy', name .. '.askedAt')
end
local function put(limits, name, said)
  redis.call('HSET', limits, name, said.value, name .. '.by', said.by, name .. '.since', said.at)
  redis.call('HSET', limits, name .. '.op', said.op, name .. '.was', said.was)
  redis.call('HDEL', limits, name .. '.settings')
  forget_asked(limits, name)
end
local function of_another(stamp, ours)
  local text = ours and redis.call('GET', stamp)
  if not text then return false end
  local stamped, own = cjson.decode(text), cjson.decode(ours)
  if stamped.environment ~= own.environment then return true end
  for _, of in ipairs({'addresses', 'accounts'}) do
    for name, value in pairs(own[of] or {}) do
      if (stamped[of][name] or value) ~= value then return true end
    end
  end
  return false
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
local limits = KEYS[1]
local stamp = KEYS[2]
local now = tonumber(ARGV[1])
local by = ARGV[2]
local op = ARGV[3]
local runs = ARGV[4] == '1'
local ours = _given(ARGV[5])
local _arg, _key = 5, 2
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local asked = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do asked[_i] = ARGV[_arg + _i] end
_arg = _arg + #asked
local acts = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {}
  _arg, _key = _arg + 0, _key + 0
_one.words = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _one.words[_i] = ARGV[_arg + _i] end
_arg = _arg + #_one.words
  acts[_n] = _one
end
-- </generated>
local at, told = clock(now), {}
if of_another(stamp, ours) then return told end
for i = 1, #asked, 2 do
  local name, value = asked[i], asked[i + 1]
  local shared, done, was, by_settings = unpack(redis.call('HMGET', limits, name, name .. '.op', name .. '.was',
    name .. '.settings'))
  local only_settings, did = not shared or by_settings, nil
  if done == op then
    did, shared = 'lowered', was
  elseif (not shared or looseness(name, value) < looseness(name, shared)) and (only_settings or not runs) then
    did = 'lowered'
    put(limits, name, {value = value, by = by, at = at, op = op, was = shared or ''})
    if only_settings then redis.call('HSET', limits, name .. '.settings', 1) end
    audit_line(audit, acts[(i + 1) / 2].words, at, shared and audit_word('value', shared), audit_word('value', value))
  elseif looseness(name, value) > looseness(name, shared) and not runs then
    did = 'looser'
  end
  if did then told[#told + 1] = {did, name, shared or ''} end
end
return told
`);

/** What a process that starts is told to keep to. Where it is stricter than what holds, it holds for all from now
 * on; where it is looser, nothing is changed. A process that runs tells its settings again once Redis may have lost
 * them: only where Redis has no opinion, or none but that of settings. What people have said meanwhile stays, also
 * where it is looser. Sent again after a lost reply, it tells what it did the first time. Answers each that is not
 * what holds already. */
export async function publishLimits(redis: lua.ScriptHost, args: PublishLimitsArgs): Promise<PublishLimitsAnswer> {
  const keys: string[] = [args.limits, args.stamp, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.by, args.op, args.runs ? 1 : 0, args.ours ?? '', args.audit.length, ...lua.pairs(args.asked)];
  words.push(args.acts.length);
  for (const one of args.acts) words.push(...lua.counted(one.words));
  return readPublishLimitsAnswer(await lua.runScript(redis, publishLimitsScript, keys, words));
}

export interface PurgeMessageArgs {
  /** key */ readonly message: string;
  /** key */ readonly counts: string;
  /** key: what waits for it */ readonly history: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  readonly state: string;
  /** as they were read */ readonly to: string;
  /** the number */ readonly becomes: string;
  readonly act: readonly string[];
}

export type PurgeMessageAnswer = boolean;

const readPurgeMessageAnswer: lua.Read<PurgeMessageAnswer> = lua.flag;

export const purgeMessageScript = lua.defineScript('purge-message', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function for_history(counts, waiting, at, ids)
  if #ids == 0 then return end
  if counts.history == nil then counts.history = redis.pcall('HGET', counts.key, "history:") end
  if counts.history ~= '1' then return end
  local words = {}
  for _, id in ipairs(ids) do words[#words + 1] = at; words[#words + 1] = id end
  redis.call('ZADD', waiting, unpack(words))
end
local function sheet(key) return {key = key, names = {}, by = {}} end
local function tally(counts, field, delta)
  if type(counts) == 'string' then
    redis.pcall('HINCRBY', counts, field, delta)
    return
  end
  if not counts.by[field] then counts.names[#counts.names + 1] = field end
  counts.by[field] = (counts.by[field] or 0) + delta
end
local function write_sheet(counts)
  local names, set, none = {}, {}, {}
  for _, name in ipairs(counts.names) do
    if counts.by[name] ~= 0 then names[#names + 1] = name end
  end
  if #names == 0 then return none end
  names[#names + 1] = "history:"
  local read = redis.pcall('HMGET', counts.key, unpack(names))
  if read.err then return none end
  names[#names] = nil
  counts.history = read[#names + 1]
  for i, name in ipairs(names) do
    local value = read[i] or '0'
    if #value <= 16 and string.find(value, '^%-?%d+$') then
      local sum = tonumber(value) + counts.by[name]
      if sum == 0 then none[#none + 1] = name end
      set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum)
    end
  end
  if #set > 0 then redis.call('HSET', counts.key, unpack(set)) end
  return none
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
-- <generated>
local message = KEYS[1]
local counts = KEYS[2]
local history = KEYS[3]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local state = ARGV[3]
local to = ARGV[4]
local becomes = ARGV[5]
local _arg, _key = 5, 3
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
-- </generated>
local stood, number, version, rev = unpack(redis.call('HMGET', message, 'state', 'to', 'v', 'rev'))
if stood ~= state or number ~= to or version ~= "1" then return 0 end
redis.call('HSET', message, 'to', becomes, 'text', '', 'rev', whole(rev, 0, 'rev') + 1)
local at = clock(now)
if ({["unknown"] = true, ["sent"] = true, ["failed"] = true, ["skipped"] = true, ["expired"] = true, ["cancelled"] = true})[state] then for_history(sheet(counts), history, at, {id}) end
audit_line(audit, act, at)
return 1
`);

/** Forgets the number and the text of a message, as it was read; history, where it is kept, is to forget them too.
 * Answers whether it was done. */
export async function purgeMessage(redis: lua.ScriptHost, args: PurgeMessageArgs): Promise<PurgeMessageAnswer> {
  const keys: string[] = [args.message, args.counts, args.history, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.id, args.state, args.to, args.becomes, args.audit.length, ...lua.counted(args.act)];
  return readPurgeMessageAnswer(await lua.runScript(redis, purgeMessageScript, keys, words));
}

export interface PurgeTextsArgs {
  /** key */ readonly texts: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  /** as it was read */ readonly rev: number;
  /** as they become */ readonly items: string;
  readonly act: readonly string[];
}

export type PurgeTextsAnswer = boolean;

const readPurgeTextsAnswer: lua.Read<PurgeTextsAnswer> = lua.flag;

export const purgeTextsScript = lua.defineScript('purge-texts', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
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
-- <generated>
local texts = KEYS[1]
local now = tonumber(ARGV[1])
local rev = tonumber(ARGV[2])
local items = ARGV[3]
local _arg, _key = 3, 1
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
-- </generated>
local stood, ends, version = unpack(redis.call('HMGET', texts, 'rev', 'until', 'v'))
if whole(stood, 0, 'rev') ~= rev or version ~= "1" then return 0 end
local at = clock(now)
if ends and whole(ends, 0, 'until') > at then return 0 end
redis.call('HSET', texts, 'items', items, 'rev', rev + 1)
redis.call('HDEL', texts, 'lease', 'until')
audit_line(audit, act, at)
return 1
`);

/** Replaces the people of a slice that nobody works on, as it was read. Answers whether it was done. */
export async function purgeTexts(redis: lua.ScriptHost, args: PurgeTextsArgs): Promise<PurgeTextsAnswer> {
  const keys: string[] = [args.texts, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.rev, args.items, args.audit.length, ...lua.counted(args.act)];
  return readPurgeTextsAnswer(await lua.runScript(redis, purgeTextsScript, keys, words));
}

export interface PutBackArgs {
  /** key */ readonly record: string;
  /** key */ readonly stubs: string;
  /** key: of its kind */ readonly counts: string;
  /** key: how far each kind was taken out */ readonly trimmed: string;
  /** key: where lists find it */ readonly listed: string;
  /** key: the set of its state, where it is not over */ readonly entered?: string | undefined;
  /** key: the set of those that have nobody to be sent to yet */ readonly drafts?: string | undefined;
  /** key: where it is looked at */ readonly due?: string | undefined;
  /** key: of its reference, where that is not the identity itself */ readonly mapping?: string | undefined;
  /** key: of the day in which it was counted, while anybody asks for its sums */ readonly spent?: string | undefined;
  /** key */ readonly heartbeat: string;
  /** key */ readonly events: string;
  /** key */ readonly book: string;
  /** key */ readonly closedDays: string;
  /** key: what waits for it */ readonly history: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  readonly kind: string;
  readonly account: string;
  readonly state: string;
  /** ms since the epoch */ readonly created: number;
  readonly member: string;
  /** whole XOF: where it moves money */ readonly xof?: number | undefined;
  readonly inDoubt: boolean;
  readonly stubName: string;
  /** the beginning of its fingerprint, and the letter of its state */ readonly stub: string;
  /** the stub */ readonly keepDays: number;
  /** the database that has it, by its name */ readonly store: string;
  /** of the sums of the day */ readonly beneficiary?: string | undefined;
  /** into the book of the day: that of then is closed, or was lost */ readonly posts: Readonly<Record<string, string | number>>;
  /** the record, where it is looked at; none: a stub stands for it */ readonly fields: Readonly<Record<string, string | number>>;
  readonly names: readonly {
    /** key */ readonly bucket: string;
    readonly head: string;
  }[];
  readonly told: readonly {
    readonly seq: number;
    /** ms since the epoch */ readonly at: number;
    readonly type: string;
    /** JSON */ readonly data: string;
  }[];
}

export type PutBackAnswer =
  | { readonly is: 'put back' }
  | { readonly is: 'there' }
  | { readonly is: 'recovered' };

function readPutBackAnswer(value: unknown): PutBackAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'put back':
      return { is: 'put back' };
    case 'there':
      return { is: 'there' };
    case 'recovered':
      return { is: 'recovered' };
  }
  return lua.unexpected(value);
}

export const putBackScript = lua.defineScript('put-back', `
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
local function offset_at(at, offsets)
  local offset = 0
  for from, ms in string.gmatch(offsets or '', '(%d+):(%-?%d+)') do
    if tonumber(from) <= at then offset = tonumber(ms) end
  end
  return offset
end
local function day_at(at, offsets) return math.floor((at + offset_at(at, offsets)) / 86400000) end
local function end_of(day, at, offsets)
  local midnight = (day + 1) * 86400000
  return midnight - offset_at(midnight - offset_at(at, offsets), offsets)
end
local function open_day(book, closed, at)
  local stored = redis.call('HGETALL', book)
  local before, offsets, keep, lines, set, over = nil, nil, 400, {}, {}, {}
  for i = 1, #stored, 2 do
    local name, value = stored[i], stored[i + 1]
    if name == 'day' then before = tonumber(value)
    elseif name == 'offsets' then offsets = value
    elseif name == 'keep' then keep = tonumber(value)
    elseif name ~= 'until' then
      lines[#lines + 1] = name .. ' ' .. value
      local head, measure = string.match(name, '^(.*|)=(%w+)$')
      if head and value ~= '0' then
        set[#set + 1] = name; set[#set + 1] = value
        set[#set + 1] = head .. '<' .. measure; set[#set + 1] = value
      else over[name] = true end
    end
  end
  local day = day_at(at, offsets)
  if before and day <= before then day = before + 1 end
  local ends = math.max(end_of(day, at, offsets), at + 1)
  if before then redis.call('HSET', closed, before, table.concat(lines, '\\n')) end
  for _, old in ipairs(redis.call('HKEYS', closed)) do
    if tonumber(old) < day - keep then redis.call('HDEL', closed, old) end
  end
  set[#set + 1] = 'day'; set[#set + 1] = day
  set[#set + 1] = 'until'; set[#set + 1] = string.format('%.0f', ends)
  set[#set + 1] = 'keep'; set[#set + 1] = keep
  if offsets then set[#set + 1] = 'offsets'; set[#set + 1] = offsets end
  redis.call('HSET', book, unpack(set))
  for i = 1, #set, 2 do over[set[i]] = nil end
  for name in pairs(over) do redis.call('HDEL', book, name) end
end
local function post(book, closed, at, posts)
  if #posts == 0 then return end
  local names = {'until'}
  for i = 1, #posts, 2 do names[#names + 1] = posts[i] end
  local read = redis.pcall('HMGET', book, unpack(names))
  if read.err then return end
  if at >= (tonumber(read[1] or '0') or 0) then
    open_day(book, closed, at)
    read = redis.call('HMGET', book, unpack(names))
  end
  local set = {}
  for i = 2, #names do
    local sum = tonumber(read[i] or '0')
    if sum then
      set[#set + 1] = names[i]; set[#set + 1] = string.format('%.0f', sum + tonumber(posts[2 * i - 2]))
    end
  end
  if #set > 0 then redis.call('HSET', book, unpack(set)) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function sheet(key) return {key = key, names = {}, by = {}} end
local function tally(counts, field, delta)
  if type(counts) == 'string' then
    redis.pcall('HINCRBY', counts, field, delta)
    return
  end
  if not counts.by[field] then counts.names[#counts.names + 1] = field end
  counts.by[field] = (counts.by[field] or 0) + delta
end
local function write_sheet(counts)
  local names, set, none = {}, {}, {}
  for _, name in ipairs(counts.names) do
    if counts.by[name] ~= 0 then names[#names + 1] = name end
  end
  if #names == 0 then return none end
  names[#names + 1] = "history:"
  local read = redis.pcall('HMGET', counts.key, unpack(names))
  if read.err then return none end
  names[#names] = nil
  counts.history = read[#names + 1]
  for i, name in ipairs(names) do
    local value = read[i] or '0'
    if #value <= 16 and string.find(value, '^%-?%d+$') then
      local sum = tonumber(value) + counts.by[name]
      if sum == 0 then none[#none + 1] = name end
      set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum)
    end
  end
  if #set > 0 then redis.call('HSET', counts.key, unpack(set)) end
  return none
end
local function emit(record, e)
  local seq = e.seq or redis.call('HINCRBY', record, 'seq', 1)
  tally(e.counts, "event:" .. e.type, 1)
  local entry = {'op', e.id, 'seq', seq, 'at', e.at, 'account', e.account, 'type', e.type, 'data', e.data}
  if e.trace then entry[#entry + 1] = 'trace'; entry[#entry + 1] = e.trace end
  redis.call('XADD', e.stream, e.place or '*', unpack(entry))
end
local function for_history(counts, waiting, at, ids)
  if #ids == 0 then return end
  if counts.history == nil then counts.history = redis.pcall('HGET', counts.key, "history:") end
  if counts.history ~= '1' then return end
  local words = {}
  for _, id in ipairs(ids) do words[#words + 1] = at; words[#words + 1] = id end
  redis.call('ZADD', waiting, unpack(words))
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
local function moment_of(created)
  local moment = base36(created)
  return string.rep('0', 8 - #moment) .. moment
end
local function add_names(names, created, id)
  if #names == 0 then return end
  local moment = moment_of(created)
  for _, name in ipairs(names) do redis.call('ZADD', name.bucket, 0, name.head .. moment .. id) end
end
local function remove_names(names, created, id)
  if #names == 0 then return end
  local moment = moment_of(created)
  for _, name in ipairs(names) do redis.call('ZREM', name.bucket, name.head .. moment .. id) end
end
local function stand(s)
  if not s.xof or (not s.left and not s.entered) then return end
  local function slot(at) return string.format('%s%.0f', "doubt:", math.floor(at / 300000)) end
  local function wait(by)
    tally(s.counts, "unsent:" .. s.account, by)
    tally(s.counts, "unsent-xof:" .. s.account, by * s.xof)
  end
  local began = s.left == 'doubt' and slot(tonumber(s.since) or s.at)
  local begins = s.entered == 'doubt' and slot(s.at)
  if began ~= begins then
    if began then tally(s.counts, began, -s.xof) end
    if begins then tally(s.counts, begins, s.xof) end
  end
  if s.left ~= s.entered then
    if s.left == 'unsent' then wait(-1) end
    if s.entered == 'unsent' then wait(1) end
  end
end
local function write_standing(counts)
  local gone = {}
  for _, name in ipairs(write_sheet(counts)) do
    if string.sub(name, 1, #"doubt:") == "doubt:" then gone[#gone + 1] = name end
  end
  if #gone > 0 then redis.call('HDEL', counts.key, unpack(gone)) end
end
-- <generated>
local function _given(word) if word ~= '' then return word end end
local record = KEYS[1]
local stubs = KEYS[2]
local counts = KEYS[3]
local trimmed = KEYS[4]
local listed = KEYS[5]
local heartbeat = KEYS[6]
local events = KEYS[7]
local book = KEYS[8]
local closedDays = KEYS[9]
local history = KEYS[10]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local kind = ARGV[3]
local account = ARGV[4]
local state = ARGV[5]
local created = tonumber(ARGV[6])
local member = ARGV[7]
local xof = tonumber(ARGV[8])
local inDoubt = ARGV[9] == '1'
local stubName = ARGV[10]
local stub = ARGV[11]
local keepDays = tonumber(ARGV[12])
local store = ARGV[13]
local beneficiary = _given(ARGV[14])
local _arg, _key = 14, 10
local entered
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; entered = KEYS[_key] end
local drafts
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; drafts = KEYS[_key] end
local due
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; due = KEYS[_key] end
local mapping
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; mapping = KEYS[_key] end
local spent
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; spent = KEYS[_key] end
local posts = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do posts[_i] = ARGV[_arg + _i] end
_arg = _arg + #posts
local fields = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do fields[_i] = ARGV[_arg + _i] end
_arg = _arg + #fields
local names = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {bucket = KEYS[_key + 1], head = ARGV[_arg + 1]}
  _arg, _key = _arg + 1, _key + 1
  names[_n] = _one
end
local told = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {seq = tonumber(ARGV[_arg + 1]), at = tonumber(ARGV[_arg + 2]), type = ARGV[_arg + 3], data = ARGV[_arg + 4]}
  _arg, _key = _arg + 4, _key + 0
  told[_n] = _one
end
-- </generated>
if redis.call('HEXISTS', heartbeat, 'recovering') == 0 then return {'recovered'} end
local stood, accepted = unpack(redis.call('HMGET', record, 'state', 'createdAt'))
local is_draft = drafts and stood == 'draft' and tonumber(accepted) == created
if redis.call('HEXISTS', stubs, stubName) == 1 then return {'there'} end
if redis.call('EXISTS', record) == 1 and not is_draft then return {'there'} end
local at = clock(now)
redis.call('HSETNX', trimmed, 'store', store)
if mapping then redis.call('SET', mapping, id, 'NX', 'EX', keepDays * 86400) end
local counted = sheet(counts)
move({counts = counted, id = id, at = at, from = is_draft and stood, to = state, left = drafts, entered = entered,
  xof = xof})
if is_draft then
  redis.call('UNLINK', record)
  redis.call('ZREM', listed, member)
end
if inDoubt then stand({counts = counted, account = account, at = at, entered = 'doubt', xof = xof}) end
for _, e in ipairs(told) do
  emit(record, {stream = events, counts = counted, id = id, seq = e.seq, at = e.at, account = account, type = e.type,
    data = e.data})
end
write_standing(counted)
post(book, closedDays, at, posts)
if spent then
  redis.call('HINCRBY', spent, 'all', xof)
  redis.call('HINCRBY', spent, beneficiary, xof)
  redis.call('EXPIRE', spent, 172800)
end
if #fields > 0 then
  redis.call('HSET', record, unpack(fields))
  redis.call('ZADD', listed, created, member)
  if due then redis.call('ZADD', due, at, id) end
  add_names(names, created, id)
  for_history(counted, history, at, {id})
else
  redis.call('HSET', stubs, stubName, stub .. base36(math.floor(at / 86400000) + keepDays))
  local furthest = math.max(created, tonumber(redis.call('HGET', trimmed, kind) or '0'))
  redis.call('HINCRBY', trimmed, "left:" .. kind, 1)
  redis.call('HSET', trimmed, kind, string.format('%.0f', furthest))
end
return {'put back'}
`);

/** Puts back what history has of the time that a Redis has lost: accepted since the copy was made, and over by now, or
 * left to a person. What is over leaves a stub, so that its identity is taken; what a person has still to settle, or
 * the service may still speak of, is there again as history has it, and is looked at. Only in a recovery, and never
 * over what is there. What was told of it was lost with the stream, and a reader that was not there yet would never
 * hear it: it is told again, under the numbers that it had. What is there only as a draft gives way: filled anew, it
 * would be sent once more. */
export async function putBack(redis: lua.ScriptHost, args: PutBackArgs): Promise<PutBackAnswer> {
  const keys: string[] = [args.record, args.stubs, args.counts, args.trimmed, args.listed, args.heartbeat, args.events, args.book, args.closedDays, args.history, ...(args.entered === undefined ? [] : [args.entered]), ...(args.drafts === undefined ? [] : [args.drafts]), ...(args.due === undefined ? [] : [args.due]), ...(args.mapping === undefined ? [] : [args.mapping]), ...(args.spent === undefined ? [] : [args.spent])];
  for (const one of args.names) {
    keys.push(one.bucket);
  }
  const words: lua.Word[] = [args.now ?? '', args.id, args.kind, args.account, args.state, args.created, args.member, args.xof ?? '', args.inDoubt ? 1 : 0, args.stubName, args.stub, args.keepDays, args.store, args.beneficiary ?? '', args.entered === undefined ? 0 : 1, args.drafts === undefined ? 0 : 1, args.due === undefined ? 0 : 1, args.mapping === undefined ? 0 : 1, args.spent === undefined ? 0 : 1, ...lua.pairs(args.posts), ...lua.pairs(args.fields)];
  words.push(args.names.length);
  for (const one of args.names) words.push(one.head);
  words.push(args.told.length);
  for (const one of args.told) words.push(one.seq, one.at, one.type, one.data);
  return readPutBackAnswer(await lua.runScript(redis, putBackScript, keys, words));
}

export interface ReadAuditArgs {
  /** key */ readonly stream: string;
  readonly from: string;
  readonly upto: string;
  readonly most: number;
}

export type ReadAuditAnswer = string;

const readReadAuditAnswer: lua.Read<ReadAuditAnswer> = lua.text;

export const readAuditScript = lua.defineScript('read-audit', `
-- <generated>
local stream = KEYS[1]
local from = ARGV[1]
local upto = ARGV[2]
local most = tonumber(ARGV[3])
-- </generated>
local lines = redis.call('XRANGE', stream, from, upto, 'COUNT', most)
return #lines > 0 and cjson.encode(lines) or '[]'
`);

/** Lines of the audit as one text, the oldest first: [[id, [name, value, …]], …]. A client that reads each word of an
 * answer by itself takes five times as long as for this. */
export async function readAudit(redis: lua.ScriptHost, args: ReadAuditArgs): Promise<ReadAuditAnswer> {
  const keys: string[] = [args.stream];
  const words: lua.Word[] = [args.from, args.upto, args.most];
  return readReadAuditAnswer(await lua.runScript(redis, readAuditScript, keys, words));
}

export interface RejectIntakeArgs {
  /** key */ readonly rejections: string;
  /** key: this refusal was reported */ readonly seen: string;
  /** key */ readonly events: string;
  /** key */ readonly counts: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  readonly account: string;
  /** JSON */ readonly data: string;
  /** ms */ readonly keepMs: number;
  readonly most: number;
}

export type RejectIntakeAnswer = boolean;

const readRejectIntakeAnswer: lua.Read<RejectIntakeAnswer> = lua.flag;

export const rejectIntakeScript = lua.defineScript('reject-intake', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function sheet(key) return {key = key, names = {}, by = {}} end
local function tally(counts, field, delta)
  if type(counts) == 'string' then
    redis.pcall('HINCRBY', counts, field, delta)
    return
  end
  if not counts.by[field] then counts.names[#counts.names + 1] = field end
  counts.by[field] = (counts.by[field] or 0) + delta
end
local function write_sheet(counts)
  local names, set, none = {}, {}, {}
  for _, name in ipairs(counts.names) do
    if counts.by[name] ~= 0 then names[#names + 1] = name end
  end
  if #names == 0 then return none end
  names[#names + 1] = "history:"
  local read = redis.pcall('HMGET', counts.key, unpack(names))
  if read.err then return none end
  names[#names] = nil
  counts.history = read[#names + 1]
  for i, name in ipairs(names) do
    local value = read[i] or '0'
    if #value <= 16 and string.find(value, '^%-?%d+$') then
      local sum = tonumber(value) + counts.by[name]
      if sum == 0 then none[#none + 1] = name end
      set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum)
    end
  end
  if #set > 0 then redis.call('HSET', counts.key, unpack(set)) end
  return none
end
local function emit(record, e)
  local seq = e.seq or redis.call('HINCRBY', record, 'seq', 1)
  tally(e.counts, "event:" .. e.type, 1)
  local entry = {'op', e.id, 'seq', seq, 'at', e.at, 'account', e.account, 'type', e.type, 'data', e.data}
  if e.trace then entry[#entry + 1] = 'trace'; entry[#entry + 1] = e.trace end
  redis.call('XADD', e.stream, e.place or '*', unpack(entry))
end
-- <generated>
local rejections = KEYS[1]
local seen = KEYS[2]
local events = KEYS[3]
local counts = KEYS[4]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local account = ARGV[3]
local data = ARGV[4]
local keepMs = tonumber(ARGV[5])
local most = tonumber(ARGV[6])
-- </generated>
local at = clock(now)
if not redis.call('SET', seen, at, 'NX', 'PX', keepMs) then return 0 end
redis.call('XADD', rejections, '*', 'account', account, 'data', data)
redis.call('XTRIM', rejections, 'MINID', string.format('%.0f', math.max(0, at - keepMs)))
redis.call('XTRIM', rejections, 'MAXLEN', most)
redis.call('PEXPIRE', rejections, keepMs)
emit(rejections, {stream = events, counts = counts, id = id, seq = 1, at = at, account = account,
  type = 'intake.rejected', data = data})
return 1
`);

/** Stores a refused request and emits its event, once per id. The list has at most `most` entries, none older than `keepMs`. */
export async function rejectIntake(redis: lua.ScriptHost, args: RejectIntakeArgs): Promise<RejectIntakeAnswer> {
  const keys: string[] = [args.rejections, args.seen, args.events, args.counts];
  const words: lua.Word[] = [args.now ?? '', args.id, args.account, args.data, args.keepMs, args.most];
  return readRejectIntakeAnswer(await lua.runScript(redis, rejectIntakeScript, keys, words));
}

export interface ReleaseAccountArgs {
  /** key */ readonly account: string;
  /** key: names of held accounts */ readonly held: string;
  /** key */ readonly events: string;
  /** key */ readonly counts: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly name: string;
  readonly reason: string;
  /** JSON */ readonly data: string;
  readonly act: readonly string[];
}

export type ReleaseAccountAnswer = boolean;

const readReleaseAccountAnswer: lua.Read<ReleaseAccountAnswer> = lua.flag;

export const releaseAccountScript = lua.defineScript('release-account', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function sheet(key) return {key = key, names = {}, by = {}} end
local function tally(counts, field, delta)
  if type(counts) == 'string' then
    redis.pcall('HINCRBY', counts, field, delta)
    return
  end
  if not counts.by[field] then counts.names[#counts.names + 1] = field end
  counts.by[field] = (counts.by[field] or 0) + delta
end
local function write_sheet(counts)
  local names, set, none = {}, {}, {}
  for _, name in ipairs(counts.names) do
    if counts.by[name] ~= 0 then names[#names + 1] = name end
  end
  if #names == 0 then return none end
  names[#names + 1] = "history:"
  local read = redis.pcall('HMGET', counts.key, unpack(names))
  if read.err then return none end
  names[#names] = nil
  counts.history = read[#names + 1]
  for i, name in ipairs(names) do
    local value = read[i] or '0'
    if #value <= 16 and string.find(value, '^%-?%d+$') then
      local sum = tonumber(value) + counts.by[name]
      if sum == 0 then none[#none + 1] = name end
      set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum)
    end
  end
  if #set > 0 then redis.call('HSET', counts.key, unpack(set)) end
  return none
end
local function emit(record, e)
  local seq = e.seq or redis.call('HINCRBY', record, 'seq', 1)
  tally(e.counts, "event:" .. e.type, 1)
  local entry = {'op', e.id, 'seq', seq, 'at', e.at, 'account', e.account, 'type', e.type, 'data', e.data}
  if e.trace then entry[#entry + 1] = 'trace'; entry[#entry + 1] = e.trace end
  redis.call('XADD', e.stream, e.place or '*', unpack(entry))
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
local function announce(h, at, type)
  emit(h.account, {stream = h.events, counts = h.counts, id = h.name, at = at, account = h.name, type = type,
    data = h.data})
end
local function hold(at, h)
  whole(redis.call('HGET', h.account, 'seq'), 0, 'seq')
  if redis.call('HSETNX', h.account, 'held:' .. h.reason, at) == 0 then return 0 end
  redis.call('HSET', h.account, 'probe:' .. h.reason, at)
  redis.call('SADD', h.held, h.name)
  announce(h, at, 'account.held')
  return 1
end
-- <generated>
local account = KEYS[1]
local held = KEYS[2]
local events = KEYS[3]
local counts = KEYS[4]
local now = tonumber(ARGV[1])
local name = ARGV[2]
local reason = ARGV[3]
local data = ARGV[4]
local _arg, _key = 4, 4
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
-- </generated>
local at = clock(now)
whole(redis.call('HGET', account, 'seq'), 0, 'seq')
if redis.call('HDEL', account, 'held:' .. reason) == 0 then return 0 end
redis.call('HDEL', account, 'probe:' .. reason)
local still = 0
for _, field in ipairs(redis.call('HKEYS', account)) do
  if string.sub(field, 1, 5) == 'held:' then still = still + 1 end
end
if still == 0 then redis.call('SREM', held, name) end
announce({account = account, events = events, counts = counts, name = name, data = data}, at, 'account.released')
audit_line(audit, act, at, audit_word('held', reason))
return 1
`);

/** Ends a hold; the account leaves the list of held ones with its last reason. Answers whether this call changed
 * something. */
export async function releaseAccount(redis: lua.ScriptHost, args: ReleaseAccountArgs): Promise<ReleaseAccountAnswer> {
  const keys: string[] = [args.account, args.held, args.events, args.counts, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.name, args.reason, args.data, args.audit.length, ...lua.counted(args.act)];
  return readReleaseAccountAnswer(await lua.runScript(redis, releaseAccountScript, keys, words));
}

export interface RemoveEndpointArgs {
  /** key */ readonly record: string;
  /** key */ readonly endpoints: string;
  /** key */ readonly dispatch: string;
  /** key */ readonly due: string;
  /** key */ readonly deliveries: string;
  /** key */ readonly tries: string;
  /** key */ readonly undelivered: string;
  /** key */ readonly log: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  readonly act: readonly string[];
}

export type RemoveEndpointAnswer = boolean;

const readRemoveEndpointAnswer: lua.Read<RemoveEndpointAnswer> = lua.flag;

export const removeEndpointScript = lua.defineScript('remove-endpoint', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local record = KEYS[1]
local endpoints = KEYS[2]
local dispatch = KEYS[3]
local due = KEYS[4]
local deliveries = KEYS[5]
local tries = KEYS[6]
local undelivered = KEYS[7]
local log = KEYS[8]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local _arg, _key = 2, 8
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
-- </generated>
local was = redis.call('HGET', record, 'state')
if redis.call('SREM', endpoints, id) == 0 then return 0 end
redis.call('UNLINK', record, deliveries, tries, undelivered, log)
redis.call('ZREM', due, id)
redis.call('HINCRBY', dispatch, 'rev', 1)
audit_line(audit, act, clock(now), audit_word('state', was))
return 1
`);

/** Takes an endpoint away, with all that waits for it. Answers whether it was there. */
export async function removeEndpoint(redis: lua.ScriptHost, args: RemoveEndpointArgs): Promise<RemoveEndpointAnswer> {
  const keys: string[] = [args.record, args.endpoints, args.dispatch, args.due, args.deliveries, args.tries, args.undelivered, args.log, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.id, args.audit.length, ...lua.counted(args.act)];
  return readRemoveEndpointAnswer(await lua.runScript(redis, removeEndpointScript, keys, words));
}

export interface ReopenSliceArgs {
  /** key */ readonly slice: string;
  /** key */ readonly campaign: string;
  /** key: of slices */ readonly counts: string;
  /** key: the set of queued slices */ readonly queued: string;
  /** key */ readonly dueToSend: string;
  /** key */ readonly heartbeat: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  /** which retry of the campaign */ readonly retry: number;
  /** of the slice, as it was read */ readonly rev: number;
  /** the number of the request that is opened */ readonly next: number;
  /** the request: who waits again */ readonly becomes: string;
  /** only while one is under way */ readonly inRecovery: boolean;
  /** fields of the campaign, and by how much they change */ readonly deltas: Readonly<Record<string, string | number>>;
}

export type ReopenSliceAnswer =
  | { readonly is: 'opened' }
  | { readonly is: 'done' }
  | { readonly is: 'stopped' }
  | { readonly is: 'changed' };

function readReopenSliceAnswer(value: unknown): ReopenSliceAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'opened':
      return { is: 'opened' };
    case 'done':
      return { is: 'done' };
    case 'stopped':
      return { is: 'stopped' };
    case 'changed':
      return { is: 'changed' };
  }
  return lua.unexpected(value);
}

export const reopenSliceScript = lua.defineScript('reopen-slice', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function sheet(key) return {key = key, names = {}, by = {}} end
local function tally(counts, field, delta)
  if type(counts) == 'string' then
    redis.pcall('HINCRBY', counts, field, delta)
    return
  end
  if not counts.by[field] then counts.names[#counts.names + 1] = field end
  counts.by[field] = (counts.by[field] or 0) + delta
end
local function write_sheet(counts)
  local names, set, none = {}, {}, {}
  for _, name in ipairs(counts.names) do
    if counts.by[name] ~= 0 then names[#names + 1] = name end
  end
  if #names == 0 then return none end
  names[#names + 1] = "history:"
  local read = redis.pcall('HMGET', counts.key, unpack(names))
  if read.err then return none end
  names[#names] = nil
  counts.history = read[#names + 1]
  for i, name in ipairs(names) do
    local value = read[i] or '0'
    if #value <= 16 and string.find(value, '^%-?%d+$') then
      local sum = tonumber(value) + counts.by[name]
      if sum == 0 then none[#none + 1] = name end
      set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum)
    end
  end
  if #set > 0 then redis.call('HSET', counts.key, unpack(set)) end
  return none
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
-- <generated>
local slice = KEYS[1]
local campaign = KEYS[2]
local counts = KEYS[3]
local queued = KEYS[4]
local dueToSend = KEYS[5]
local heartbeat = KEYS[6]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local retry = tonumber(ARGV[3])
local rev = tonumber(ARGV[4])
local next = tonumber(ARGV[5])
local becomes = ARGV[6]
local inRecovery = ARGV[7] == '1'
local _arg, _key = 7, 6
local deltas = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do deltas[_i] = ARGV[_arg + _i] end
_arg = _arg + #deltas
-- </generated>
local at = clock(now)
local goes, retries, cursor, campaign_version = unpack(redis.call('HMGET', campaign, 'state', 'retries', 'walk', 'v'))
local is_recovered = inRecovery and redis.call('HEXISTS', heartbeat, 'recovering') == 1
if goes ~= (is_recovered and 'held' or 'running') or tonumber(retries or '') ~= retry or not cursor then return {'stopped'} end
local state, read, last, version = unpack(redis.call('HMGET', slice, 'state', 'rev', 'retry', 'v'))
if state ~= 'settled' or tonumber(last or '') == retry then return {'done'} end
if tonumber(read) ~= rev then return {'changed'} end
same_version(version)
same_version(campaign_version)
local names = {'settled', 'out', 'judgedFailed', 'judgedUnknown', 'judgedOver'}
for i = 1, #deltas, 2 do names[#names + 1] = deltas[i] end
local value = {}
for i, text in ipairs(redis.call('HMGET', campaign, unpack(names))) do value[names[i]] = whole(text, 0, names[i]) end
local function count(field, delta) value[field] = value[field] + delta end
count('settled', -1)
count('out', 1)
for i = 1, #deltas, 2 do
  local field, delta = deltas[i], tonumber(deltas[i + 1])
  count(field, delta)
  if field == 't:failed' then count('judgedFailed', delta) end
  if field == 't:unknown' then count('judgedUnknown', delta) end
  if field == 't:failed' or field == 't:unknown' then count('judgedOver', delta) end
end
local set = {}
for field, number in pairs(value) do set[#set + 1] = field; set[#set + 1] = number end
redis.call('HSET', campaign, unpack(set))
redis.call('HSET', slice, 'since', at, 'updatedAt', at, 'retry', retry, 'reopened', next, 'rev', rev + 1,
  'n', next + 1, 'r' .. next, becomes, 'state', 'queued')
redis.call('HDEL', slice, 'tries', 'restored')
move({counts = counts, id = id, at = at, from = 'settled', to = 'queued', left = queued, entered = queued})
redis.call('ZADD', dueToSend, at, id)
return {'opened'}
`);

/** Opens a slice that is over again, for some of its recipients: once in each retry, however often it is asked for. In a
 * recovery the retry is held, and people that it had not come to yet it may have come to in the time that was lost. */
export async function reopenSlice(redis: lua.ScriptHost, args: ReopenSliceArgs): Promise<ReopenSliceAnswer> {
  const keys: string[] = [args.slice, args.campaign, args.counts, args.queued, args.dueToSend, args.heartbeat];
  const words: lua.Word[] = [args.now ?? '', args.id, args.retry, args.rev, args.next, args.becomes, args.inRecovery ? 1 : 0, ...lua.pairs(args.deltas)];
  return readReopenSliceAnswer(await lua.runScript(redis, reopenSliceScript, keys, words));
}

export interface ReplaceStampArgs {
  /** key */ readonly stamp: string;
  /** JSON: as it was read; absent: there was none */ readonly before?: string | undefined;
  /** JSON */ readonly after: string;
}

export type ReplaceStampAnswer = boolean;

const readReplaceStampAnswer: lua.Read<ReplaceStampAnswer> = lua.flag;

export const replaceStampScript = lua.defineScript('replace-stamp', `
-- <generated>
local function _given(word) if word ~= '' then return word end end
local stamp = KEYS[1]
local before = _given(ARGV[1])
local after = ARGV[2]
-- </generated>
if (redis.call('GET', stamp) or nil) ~= before then return 0 end
redis.call('SET', stamp, after)
return 1
`);

/** Replaces the stamp that was read. One that is sent again after a lost reply finds its own stamp and says no; what
 * asks reads it and is content. */
export async function replaceStamp(redis: lua.ScriptHost, args: ReplaceStampArgs): Promise<ReplaceStampAnswer> {
  const keys: string[] = [args.stamp];
  const words: lua.Word[] = [args.before ?? '', args.after];
  return readReplaceStampAnswer(await lua.runScript(redis, replaceStampScript, keys, words));
}

export interface ReplayEventsArgs {
  /** key */ readonly record: string;
  /** key */ readonly deliveries: string;
  /** key */ readonly tries: string;
  /** key */ readonly due: string;
  /** key */ readonly dispatch: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  readonly places: readonly string[];
  readonly act: readonly string[];
}

export type ReplayEventsAnswer = boolean;

const readReplayEventsAnswer: lua.Read<ReplayEventsAnswer> = lua.flag;

export const replayEventsScript = lua.defineScript('replay-events', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
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
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local places = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do places[_i] = ARGV[_arg + _i] end
_arg = _arg + #places
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
-- </generated>
local at = clock(now)
local state = redis.call('HGET', record, 'state')
if not state then return 0 end
if state ~= 'enabled' then
  redis.call('HSET', record, 'state', 'enabled')
  redis.call('HINCRBY', dispatch, 'rev', 1)
end
redis.call('HDEL', record, 'failures', 'failingSince', 'restUntil', 'reason', 'disabledAt')
local waits = false
for _, place in ipairs(places) do
  if redis.call('ZADD', deliveries, at, place) == 0 then waits = true end
end
if waits then redis.call('HDEL', record, 'lease', 'until') end
if #places > 0 then
  redis.call('ZADD', due, 'LT', at, id)
  redis.call('HDEL', tries, unpack(places))
end
audit_line(audit, act, at, audit_word('state', state), audit_word('state', 'enabled'))
return 1
`);

/** Events that an endpoint is to get once more, whatever became of them. A disabled endpoint is enabled by it. Of one
 * that waits a try may be under way, and what becomes of that try does not count any more.
 * Answers whether there is such an endpoint. */
export async function replayEvents(redis: lua.ScriptHost, args: ReplayEventsArgs): Promise<ReplayEventsAnswer> {
  const keys: string[] = [args.record, args.deliveries, args.tries, args.due, args.dispatch, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.id, args.audit.length, ...lua.counted(args.places), ...lua.counted(args.act)];
  return readReplayEventsAnswer(await lua.runScript(redis, replayEventsScript, keys, words));
}

export interface ResealAuditArgs {
  /** key */ readonly seals: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  /** the place of the first of them */ readonly from: number;
  /** as they were read */ readonly kept: readonly string[];
  /** the same, sealed anew */ readonly again: readonly string[];
  readonly act: readonly string[];
}

export type ResealAuditAnswer = boolean;

const readResealAuditAnswer: lua.Read<ResealAuditAnswer> = lua.flag;

export const resealAuditScript = lua.defineScript('reseal-audit', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local seals = KEYS[1]
local now = tonumber(ARGV[1])
local from = tonumber(ARGV[2])
local _arg, _key = 2, 1
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local kept = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do kept[_i] = ARGV[_arg + _i] end
_arg = _arg + #kept
local again = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do again[_i] = ARGV[_arg + _i] end
_arg = _arg + #again
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
-- </generated>
for i, seal in ipairs(again) do
  local place = from + i - 1
  if redis.call('LINDEX', seals, place) == kept[i] then redis.call('LSET', seals, place, seal) end
end
audit_line(audit, act, clock(now))
return 1
`);

/** The same seals of the audit under another secret, where they still are as they were read. */
export async function resealAudit(redis: lua.ScriptHost, args: ResealAuditArgs): Promise<ResealAuditAnswer> {
  const keys: string[] = [args.seals, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.from, args.audit.length, ...lua.counted(args.kept), ...lua.counted(args.again), ...lua.counted(args.act)];
  return readResealAuditAnswer(await lua.runScript(redis, resealAuditScript, keys, words));
}

export interface ResealEndpointSecretsArgs {
  /** key */ readonly record: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  /** as they were read, the newest first */ readonly kept: readonly string[];
  /** the same, sealed anew */ readonly again: readonly string[];
  readonly act: readonly string[];
}

export type ResealEndpointSecretsAnswer = boolean;

const readResealEndpointSecretsAnswer: lua.Read<ResealEndpointSecretsAnswer> = lua.flag;

export const resealEndpointSecretsScript = lua.defineScript('reseal-endpoint-secrets', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local record = KEYS[1]
local now = tonumber(ARGV[1])
local _arg, _key = 1, 1
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local kept = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do kept[_i] = ARGV[_arg + _i] end
_arg = _arg + #kept
local again = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do again[_i] = ARGV[_arg + _i] end
_arg = _arg + #again
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
-- </generated>
local names = {'secret', 'oldSecret', 'olderSecret'}
local stored = redis.call('HMGET', record, unpack(names))
for i = 1, #names do
  if (stored[i] or nil) ~= kept[i] then return 0 end
end
if #again == 0 then return 0 end
for i, secret in ipairs(again) do redis.call('HSET', record, names[i], secret) end
audit_line(audit, act, clock(now))
return 1
`);

/** The same secrets under another seal, unless one of them was changed since it was read. Answers whether it was
 * done. */
export async function resealEndpointSecrets(redis: lua.ScriptHost, args: ResealEndpointSecretsArgs): Promise<ResealEndpointSecretsAnswer> {
  const keys: string[] = [args.record, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.audit.length, ...lua.counted(args.kept), ...lua.counted(args.again), ...lua.counted(args.act)];
  return readResealEndpointSecretsAnswer(await lua.runScript(redis, resealEndpointSecretsScript, keys, words));
}

export interface RestCampaignArgs {
  /** key */ readonly campaign: string;
  /** key: of campaigns */ readonly due: string;
  readonly id: string;
  /** in which it was read */ readonly rev: number;
  /** ms since the epoch: absent: not at all */ readonly dueAt?: number | undefined;
}

export type RestCampaignAnswer = boolean;

const readRestCampaignAnswer: lua.Read<RestCampaignAnswer> = lua.flag;

export const restCampaignScript = lua.defineScript('rest-campaign', `
-- <generated>
local campaign = KEYS[1]
local due = KEYS[2]
local id = ARGV[1]
local rev = tonumber(ARGV[2])
local dueAt = tonumber(ARGV[3])
-- </generated>
local stood, version = unpack(redis.call('HMGET', campaign, 'rev', 'v'))
if not stood or tonumber(stood) ~= rev or version ~= "1" then return 0 end
if dueAt then redis.call('ZADD', due, dueAt, id) else redis.call('ZREM', due, id) end
return 1
`);

/** Nothing is to be done for this campaign until later, or until it is switched. One that was switched or amended since
 * it was read is due for another reason, in the same state or not, and stays so. */
export async function restCampaign(redis: lua.ScriptHost, args: RestCampaignArgs): Promise<RestCampaignAnswer> {
  const keys: string[] = [args.campaign, args.due];
  const words: lua.Word[] = [args.id, args.rev, args.dueAt ?? ''];
  return readRestCampaignAnswer(await lua.runScript(redis, restCampaignScript, keys, words));
}

export interface RestoreCampaignArgs {
  /** key */ readonly campaign: string;
  /** key */ readonly events: string;
  /** key: of campaigns */ readonly counts: string;
  /** key: of campaigns */ readonly due: string;
  /** key */ readonly parked: string;
  /** key: the set of that state */ readonly held: string;
  /** key */ readonly heartbeat: string;
  /** key: what waits for it */ readonly history: string;
  /** key: the sets of the states of `from` */ readonly left: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  /** the states that it may be left from */ readonly from: readonly string[];
  /** why it is held */ readonly reason: string;
  /** since */ readonly mayHaveBeenSent: boolean;
  /** ms since the epoch: when the recovery began */ readonly since: number;
  readonly eventsLost: number;
  /** so many may have been given in the lost time, at the most */ readonly revisionsLost: number;
}

export type RestoreCampaignAnswer = boolean;

const readRestoreCampaignAnswer: lua.Read<RestoreCampaignAnswer> = lua.flag;

export const restoreCampaignScript = lua.defineScript('restore-campaign', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function sheet(key) return {key = key, names = {}, by = {}} end
local function tally(counts, field, delta)
  if type(counts) == 'string' then
    redis.pcall('HINCRBY', counts, field, delta)
    return
  end
  if not counts.by[field] then counts.names[#counts.names + 1] = field end
  counts.by[field] = (counts.by[field] or 0) + delta
end
local function write_sheet(counts)
  local names, set, none = {}, {}, {}
  for _, name in ipairs(counts.names) do
    if counts.by[name] ~= 0 then names[#names + 1] = name end
  end
  if #names == 0 then return none end
  names[#names + 1] = "history:"
  local read = redis.pcall('HMGET', counts.key, unpack(names))
  if read.err then return none end
  names[#names] = nil
  counts.history = read[#names + 1]
  for i, name in ipairs(names) do
    local value = read[i] or '0'
    if #value <= 16 and string.find(value, '^%-?%d+$') then
      local sum = tonumber(value) + counts.by[name]
      if sum == 0 then none[#none + 1] = name end
      set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum)
    end
  end
  if #set > 0 then redis.call('HSET', counts.key, unpack(set)) end
  return none
end
local function emit(record, e)
  local seq = e.seq or redis.call('HINCRBY', record, 'seq', 1)
  tally(e.counts, "event:" .. e.type, 1)
  local entry = {'op', e.id, 'seq', seq, 'at', e.at, 'account', e.account, 'type', e.type, 'data', e.data}
  if e.trace then entry[#entry + 1] = 'trace'; entry[#entry + 1] = e.trace end
  redis.call('XADD', e.stream, e.place or '*', unpack(entry))
end
local function for_history(counts, waiting, at, ids)
  if #ids == 0 then return end
  if counts.history == nil then counts.history = redis.pcall('HGET', counts.key, "history:") end
  if counts.history ~= '1' then return end
  local words = {}
  for _, id in ipairs(ids) do words[#words + 1] = at; words[#words + 1] = id end
  redis.call('ZADD', waiting, unpack(words))
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
  local state, settled, slices, id, account, reference, name, cursor, retries, trace = unpack(redis.call('HMGET', campaign,
    'state', 'settled', 'slices', 'id', 'account', 'reference', 'name', 'walk', 'retries',
    'trace'))
  local left = keys.sets[state]
  if not left or tonumber(settled or '0') < tonumber(slices) or cursor then return false end
  redis.call('HSET', campaign, 'state', 'finished', 'since', at, 'updatedAt', at)
  redis.call('HINCRBY', campaign, 'rev', 1)
  local counted = sheet(keys.counts)
  move({counts = counted, id = id, at = at, from = state, to = 'finished', left = left})
  redis.call('ZREM', keys.due, id)
  local totals = {}
  for _, bin in ipairs(({"total", "queued", "held", "sending", "sent", "failed", "unknown", "skipped", "expired", "cancelled"})) do totals[bin] = tonumber(redis.call('HGET', campaign, 't:' .. bin) or '0') end
  local data = {id = id, state = 'finished', name = name, totals = totals}
  if reference then data.reference = reference end
  if retries then data.retries = tonumber(retries) end
  emit(campaign, {stream = keys.events, counts = counted, id = id, at = at, account = account,
    type = 'campaign.finished', data = cjson.encode(data), trace = trace})
  write_sheet(counted)
  for_history(counted, keys.history, at, {id})
  return true
end
-- <generated>
local campaign = KEYS[1]
local events = KEYS[2]
local counts = KEYS[3]
local due = KEYS[4]
local parked = KEYS[5]
local held = KEYS[6]
local heartbeat = KEYS[7]
local history = KEYS[8]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local reason = ARGV[3]
local mayHaveBeenSent = ARGV[4] == '1'
local since = tonumber(ARGV[5])
local eventsLost = tonumber(ARGV[6])
local revisionsLost = tonumber(ARGV[7])
local _arg, _key = 7, 8
local left = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; left[_i] = KEYS[_key] end
local from = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do from[_i] = ARGV[_arg + _i] end
_arg = _arg + #from
-- </generated>
if redis.call('HEXISTS', heartbeat, 'recovering') == 0 then return 0 end
local at = clock(now)
local state, account, reference, name, held_for, all, fed, cursor = unpack(redis.call('HMGET', campaign, 'state', 'account',
  'reference', 'name', 'reason', 'slices', 'fed', 'walk'))
local set
for i, one in ipairs(from) do if one == state then set = left[i] end end
if not set then return 0 end
if redis.call('HGET', campaign, 'beyond') ~= string.format('%.0f', since) then
  redis.call('HSET', campaign, 'beyond', string.format('%.0f', since))
  redis.call('HINCRBY', campaign, 'rev', revisionsLost)
  redis.call('HINCRBY', campaign, 'seq', eventsLost)
end
local slices, handed_out = tonumber(all or '0'), tonumber(fed or '0')
local is_held = state == 'held' and held_for == reason
if is_held and (not mayHaveBeenSent or (handed_out >= slices and not cursor)) then return 0 end
redis.call('HSET', campaign, 'state', 'held', 'reason', reason, 'updatedAt', at)
if state ~= 'held' then redis.call('HSET', campaign, 'since', at) end
redis.call('HINCRBY', campaign, 'rev', 1)
move({counts = counts, id = id, at = at, from = state, to = 'held', left = set, entered = held})
if not is_held then
  local data = {id = id, state = 'held', name = name, reason = reason}
  if reference then data.reference = reference end
  emit(campaign, {stream = events, counts = counts, id = id, at = at, account = account, type = 'campaign.held',
    data = cjson.encode(data)})
end
local is_over = false
if mayHaveBeenSent then
  redis.call('HDEL', campaign, 'walk', 'walkUnknown')
  redis.call('HSET', campaign, 'fed', slices)
  redis.call('HINCRBY', campaign, 'out', math.max(0, slices - handed_out))
  local keys = {campaign = campaign, events = events, counts = counts, due = due, history = history, sets = {held = held}}
  is_over = slices > 0 and finish_if_over(at, keys)
end
if not is_over then redis.call('ZREM', due, id) end
redis.call('DEL', parked)
return 1
`);

/** Holds a campaign that stood in a copy of Redis that was put back. Where it may have been sent since, every slice
 * of it counts as handed out from here on, a retry that was under way is over, and nothing is left to be released.
 * Answers whether it was held by this: not where there was nothing to do, or no recovery is under way. */
export async function restoreCampaign(redis: lua.ScriptHost, args: RestoreCampaignArgs): Promise<RestoreCampaignAnswer> {
  const keys: string[] = [args.campaign, args.events, args.counts, args.due, args.parked, args.held, args.heartbeat, args.history, ...args.left];
  const words: lua.Word[] = [args.now ?? '', args.id, args.reason, args.mayHaveBeenSent ? 1 : 0, args.since, args.eventsLost, args.revisionsLost, args.left.length, ...lua.counted(args.from)];
  return readRestoreCampaignAnswer(await lua.runScript(redis, restoreCampaignScript, keys, words));
}

export interface RetryCampaignArgs {
  /** key */ readonly campaign: string;
  /** key: of campaigns */ readonly counts: string;
  /** key: the set of that state */ readonly running: string;
  /** key: of campaigns */ readonly due: string;
  /** key */ readonly limits: string;
  /** key: what waits for it */ readonly history: string;
  /** key */ readonly heartbeat: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  /** of the request */ readonly key?: string | undefined;
  readonly includeUnknown: boolean;
  /** only while one is under way */ readonly inRecovery: boolean;
  readonly act: readonly string[];
  /** what the process itself asks for of each limit */ readonly asked: Readonly<Record<string, string | number>>;
}

export type RetryCampaignAnswer =
  | { readonly is: 'applied'; readonly rev: number }
  | { readonly is: 'replayed' }
  | { readonly is: 'under way' }
  | { readonly is: 'nobody' }
  | { readonly is: 'unapproved' }
  | { readonly is: 'refused'; readonly state: string };

function readRetryCampaignAnswer(value: unknown): RetryCampaignAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'applied':
      return { is: 'applied', rev: lua.number(answer[1]) };
    case 'replayed':
      return { is: 'replayed' };
    case 'under way':
      return { is: 'under way' };
    case 'nobody':
      return { is: 'nobody' };
    case 'unapproved':
      return { is: 'unapproved' };
    case 'refused':
      return { is: 'refused', state: lua.text(answer[1]) };
  }
  return lua.unexpected(value);
}

export const retryCampaignScript = lua.defineScript('retry-campaign', `
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
local function above_approval(limits, asked, uploads)
  local decoded, known = pcall(cjson.decode, uploads or '[]')
  if not decoded or type(known) ~= 'table' then refuse('uploads') end
  local own, max = {}, {}
  for i = 1, #asked, 2 do own[asked[i]] = asked[i + 1] end
  local shared = redis.call('HMGET', limits, unpack(({"CAMPAIGN_APPROVAL_ABOVE_XOF", "CAMPAIGN_APPROVAL_ABOVE_RECIPIENTS"})))
  for i, name in ipairs(({"CAMPAIGN_APPROVAL_ABOVE_XOF", "CAMPAIGN_APPROVAL_ABOVE_RECIPIENTS"})) do
    max[name] = tonumber(strictest(name, own[name], shared[i] or nil) or '') or math.huge
  end
  local recipients, xof, priced = 0, 0, true
  for _, upload in ipairs(known) do
    recipients = recipients + upload.recipients
    if type(upload.cost) == 'table' and #upload.cost.unpriced == 0 then xof = xof + upload.cost.xof
    else priced = false end
  end
  local most = max.CAMPAIGN_APPROVAL_ABOVE_XOF
  local above = recipients > max.CAMPAIGN_APPROVAL_ABOVE_RECIPIENTS or xof > most or (not priced and most < math.huge)
  return above, recipients, priced and xof or nil
end
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
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
local function for_history(counts, waiting, at, ids)
  if #ids == 0 then return end
  if counts.history == nil then counts.history = redis.pcall('HGET', counts.key, "history:") end
  if counts.history ~= '1' then return end
  local words = {}
  for _, id in ipairs(ids) do words[#words + 1] = at; words[#words + 1] = id end
  redis.call('ZADD', waiting, unpack(words))
end
local function sheet(key) return {key = key, names = {}, by = {}} end
local function tally(counts, field, delta)
  if type(counts) == 'string' then
    redis.pcall('HINCRBY', counts, field, delta)
    return
  end
  if not counts.by[field] then counts.names[#counts.names + 1] = field end
  counts.by[field] = (counts.by[field] or 0) + delta
end
local function write_sheet(counts)
  local names, set, none = {}, {}, {}
  for _, name in ipairs(counts.names) do
    if counts.by[name] ~= 0 then names[#names + 1] = name end
  end
  if #names == 0 then return none end
  names[#names + 1] = "history:"
  local read = redis.pcall('HMGET', counts.key, unpack(names))
  if read.err then return none end
  names[#names] = nil
  counts.history = read[#names + 1]
  for i, name in ipairs(names) do
    local value = read[i] or '0'
    if #value <= 16 and string.find(value, '^%-?%d+$') then
      local sum = tonumber(value) + counts.by[name]
      if sum == 0 then none[#none + 1] = name end
      set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum)
    end
  end
  if #set > 0 then redis.call('HSET', counts.key, unpack(set)) end
  return none
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
local function same_version(v)
  if v ~= "1" then refuse('version') end
end
-- <generated>
local function _given(word) if word ~= '' then return word end end
local campaign = KEYS[1]
local counts = KEYS[2]
local running = KEYS[3]
local due = KEYS[4]
local limits = KEYS[5]
local history = KEYS[6]
local heartbeat = KEYS[7]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local key = _given(ARGV[3])
local includeUnknown = ARGV[4] == '1'
local inRecovery = ARGV[5] == '1'
local _arg, _key = 5, 7
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
local asked = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do asked[_i] = ARGV[_arg + _i] end
_arg = _arg + #asked
-- </generated>
local at = clock(now)
local r = redis.call('HMGET', campaign, 'state', 'retryKeys', 't:failed', 't:unknown', 't:sent', 'retries', 'retryUnknown',
  'v', 'rev', 'approvedBy', 'uploads')
local state, keys, failed, unknown, sent, retries, retried_unknown, version, rev, approved, uploads = unpack(r, 1, 11)
if state then same_version(version) end
failed, unknown, sent = whole(failed, 0, 'a count'), whole(unknown, 0, 'a count'), whole(sent, 0, 'a count')
whole(retries, 0, 'a count')
whole(rev, 0, 'a count')
local unknown_too = includeUnknown and '1' or '0'
local decoded, known = pcall(cjson.decode, keys or '[]')
if not decoded or type(known) ~= 'table' then refuse('retryKeys') end
if key and contains(known, key) then return {'replayed'} end
local function keep_key()
  if not key then return end
  known[#known + 1] = key
  if #known > 20 then table.remove(known, 1) end
  redis.call('HSET', campaign, 'retryKeys', cjson.encode(known))
end
if state == 'running' and retries and (retried_unknown or '0') == unknown_too then
  keep_key()
  return {'under way'}
end
if inRecovery and redis.call('HEXISTS', heartbeat, 'recovering') == 0 then return {'refused', state or ''} end
if state ~= 'finished' then return {'refused', state or ''} end
if failed + (includeUnknown and unknown or 0) == 0 then return {'nobody'} end
if not inRecovery and not approved and above_approval(limits, asked, uploads) then return {'unapproved'} end
keep_key()
redis.call('HSET', campaign, 'state', 'running', 'since', at, 'updatedAt', at, 'walk', 0, 'walkUnknown', unknown_too,
  'retryUnknown', unknown_too, 'extra', 0)
redis.call('HSET', campaign, 'judgedFailed', failed, 'judgedUnknown', unknown, 'judgedOver', sent + failed + unknown)
redis.call('HINCRBY', campaign, 'retries', 1)
local counted = sheet(counts)
move({counts = counted, id = id, at = at, from = 'finished', to = 'running', left = running, entered = running})
write_sheet(counted)
for_history(counted, history, at, {id})
if not inRecovery then redis.call('ZADD', due, at, id) end
audit_line(audit, act, at, audit_word('state', state), audit_word('state', 'running'))
return {'applied', redis.call('HINCRBY', campaign, 'rev', 1)}
`);

/** Lets a finished campaign run again for those who failed, and where that is asked for, those who are unknown. From
 * here on `walk` is the place of the next slice to be looked through; while it is there the campaign is not over. One
 * that is above what leaves on the word of one key, and was never approved, is not retried. In a recovery it is the
 * retry of a lost time that is begun again: it was allowed then, and nothing of it is due. */
export async function retryCampaign(redis: lua.ScriptHost, args: RetryCampaignArgs): Promise<RetryCampaignAnswer> {
  const keys: string[] = [args.campaign, args.counts, args.running, args.due, args.limits, args.history, args.heartbeat, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.id, args.key ?? '', args.includeUnknown ? 1 : 0, args.inRecovery ? 1 : 0, args.audit.length, ...lua.counted(args.act), ...lua.pairs(args.asked)];
  return readRetryCampaignAnswer(await lua.runScript(redis, retryCampaignScript, keys, words));
}

export interface RevokeKeyArgs {
  /** key */ readonly known: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  /** JSON: as it was read */ readonly was: string;
  /** JSON */ readonly becomes: string;
  readonly act: readonly string[];
}

export type RevokeKeyAnswer = boolean;

const readRevokeKeyAnswer: lua.Read<RevokeKeyAnswer> = lua.flag;

export const revokeKeyScript = lua.defineScript('revoke-key', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local known = KEYS[1]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local was = ARGV[3]
local becomes = ARGV[4]
local _arg, _key = 4, 1
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
-- </generated>
if redis.call('HGET', known, id) ~= was then return 0 end
redis.call('HSET', known, id, becomes)
audit_line(audit, act, clock(now))
return 1
`);

/** Ends a key. Answers whether it was there and not revoked. */
export async function revokeKey(redis: lua.ScriptHost, args: RevokeKeyArgs): Promise<RevokeKeyAnswer> {
  const keys: string[] = [args.known, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.id, args.was, args.becomes, args.audit.length, ...lua.counted(args.act)];
  return readRevokeKeyAnswer(await lua.runScript(redis, revokeKeyScript, keys, words));
}

export interface RotateEndpointSecretArgs {
  /** key */ readonly record: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly secret: string;
  /** ms */ readonly bothForMs: number;
  readonly act: readonly string[];
}

export type RotateEndpointSecretAnswer = boolean;

const readRotateEndpointSecretAnswer: lua.Read<RotateEndpointSecretAnswer> = lua.flag;

export const rotateEndpointSecretScript = lua.defineScript('rotate-endpoint-secret', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local record = KEYS[1]
local now = tonumber(ARGV[1])
local secret = ARGV[2]
local bothForMs = tonumber(ARGV[3])
local _arg, _key = 3, 1
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
-- </generated>
local at = clock(now)
local old, was, was_until, older, older_until = unpack(redis.call('HMGET', record, 'secret', 'oldSecret', 'oldUntil',
  'olderSecret', 'olderUntil'))
if not old then return 0 end
if old == secret then return 1 end
redis.call('HSET', record, 'secret', secret, 'oldSecret', old, 'oldUntil', at + bothForMs)
if not older or tonumber(older_until or '0') <= at then
  if was and tonumber(was_until or '0') > at then
    redis.call('HSET', record, 'olderSecret', was, 'olderUntil', was_until)
  else redis.call('HDEL', record, 'olderSecret', 'olderUntil') end
end
audit_line(audit, act, at)
return 1
`);

/** Gives an endpoint another secret; the one before still signs for a while, and so does the first of those that were
 * replaced in that time: its receivers may know no other. Answers whether there is such an endpoint. */
export async function rotateEndpointSecret(redis: lua.ScriptHost, args: RotateEndpointSecretArgs): Promise<RotateEndpointSecretAnswer> {
  const keys: string[] = [args.record, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.secret, args.bothForMs, args.audit.length, ...lua.counted(args.act)];
  return readRotateEndpointSecretAnswer(await lua.runScript(redis, rotateEndpointSecretScript, keys, words));
}

export interface SealAuditArgs {
  /** key */ readonly seals: string;
  /** the last seal as it was read; '': there was none */ readonly before: string;
  readonly replaces: boolean;
  /** JSON */ readonly seal: string;
}

export type SealAuditAnswer = boolean;

const readSealAuditAnswer: lua.Read<SealAuditAnswer> = lua.flag;

export const sealAuditScript = lua.defineScript('seal-audit', `
-- <generated>
local seals = KEYS[1]
local before = ARGV[1]
local replaces = ARGV[2] == '1'
local seal = ARGV[3]
-- </generated>
if (redis.call('LINDEX', seals, -1) or '') ~= before then return 0 end
if replaces and before ~= '' then redis.call('LSET', seals, -1, seal) else redis.call('RPUSH', seals, seal) end
return 1
`);

/** Keeps what a process has sealed of the audit, unless another one was faster. The last seal is replaced by one that
 * reaches further until enough lines lie behind it. */
export async function sealAudit(redis: lua.ScriptHost, args: SealAuditArgs): Promise<SealAuditAnswer> {
  const keys: string[] = [args.seals];
  const words: lua.Word[] = [args.before, args.replaces ? 1 : 0, args.seal];
  return readSealAuditAnswer(await lua.runScript(redis, sealAuditScript, keys, words));
}

export interface SetLimitArgs {
  /** key */ readonly limits: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly by: string;
  readonly name: string;
  readonly value: string;
  /** who is no other person than that, in small letters */ readonly ones: readonly string[];
  /** ms: for so long what was asked waits */ readonly waitsMs: number;
  /** how this act is known again */ readonly op: string;
  readonly act: readonly string[];
}

export type SetLimitAnswer =
  | { readonly is: 'in force'; readonly held: string; readonly again?: boolean | undefined }
  | { readonly is: 'waits'; readonly held: string }
  | { readonly is: 'unchanged'; readonly held: string };

function readSetLimitAnswer(value: unknown): SetLimitAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'in force':
      return { is: 'in force', held: lua.text(answer[1]), again: lua.optional(lua.flag, answer[2]) };
    case 'waits':
      return { is: 'waits', held: lua.text(answer[1]) };
    case 'unchanged':
      return { is: 'unchanged', held: lua.text(answer[1]) };
  }
  return lua.unexpected(value);
}

export const setLimitScript = lua.defineScript('set-limit', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
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
local function forget_asked(limits, name)
  redis.call('HDEL', limits, name .. '.asked', name .. '.askedBy', name .. '.askedAt')
end
local function put(limits, name, said)
  redis.call('HSET', limits, name, said.value, name .. '.by', said.by, name .. '.since', said.at)
  redis.call('HSET', limits, name .. '.op', said.op, name .. '.was', said.was)
  redis.call('HDEL', limits, name .. '.settings')
  forget_asked(limits, name)
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
local limits = KEYS[1]
local now = tonumber(ARGV[1])
local by = ARGV[2]
local name = ARGV[3]
local value = ARGV[4]
local waitsMs = tonumber(ARGV[5])
local op = ARGV[6]
local _arg, _key = 6, 1
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local ones = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do ones[_i] = ARGV[_arg + _i] end
_arg = _arg + #ones
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
-- </generated>
local at = clock(now)
local shared, asked, asked_by, asked_at, done, was, since = unpack(redis.call('HMGET', limits, name, name .. '.asked',
  name .. '.askedBy', name .. '.askedAt', name .. '.op', name .. '.was', name .. '.since'))
if done == op and at - tonumber(since) <= waitsMs then
  forget_asked(limits, name)
  return {'in force', was, 1}
end
local held = shared or ({["MAX_DISBURSEMENT"] = "2000000"})[name] or "off"
local function told(is)
  audit_line(audit, act, at, audit_word('value', held), audit_word('value', is == 'in force' and value or held) .. ',' ..
    audit_word('asked', value) .. ',' .. audit_word('is', is))
end
local wanted, holds = looseness(name, value), looseness(name, held)
if wanted < holds or (wanted == holds and not shared) then
  put(limits, name, {value = value, by = by, at = at, op = op, was = held})
  told('in force')
  return {'in force', held}
end
if wanted == holds then
  if asked then told('unchanged') end
  forget_asked(limits, name)
  return {'unchanged', held}
end
local own = asked_by == by or contains(ones, string.lower(asked_by or ''))
local another = asked == value and not own
if another and at - tonumber(asked_at) <= waitsMs then
  put(limits, name, {value = value, by = asked_by .. ' and ' .. by, at = at, op = op, was = held})
  told('in force')
  return {'in force', held}
end
if not (asked == value and asked_by == by) then told('waits') end
redis.call('HSET', limits, name .. '.asked', value, name .. '.askedBy', by, name .. '.askedAt', at)
return {'waits', held}
`);

/** A person sets a limit. Stricter: it holds. Looser: it is asked for, and holds once another has asked for the same
 * within that time. What holds already: whatever was asked for is taken back. Said once more, because the answer
 * was lost, it answers what it did: for so long, and while nobody has changed it since. What was asked for
 * meanwhile is taken back all the same. */
export async function setLimit(redis: lua.ScriptHost, args: SetLimitArgs): Promise<SetLimitAnswer> {
  const keys: string[] = [args.limits, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.by, args.name, args.value, args.waitsMs, args.op, args.audit.length, ...lua.counted(args.ones), ...lua.counted(args.act)];
  return readSetLimitAnswer(await lua.runScript(redis, setLimitScript, keys, words));
}

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
    /** whether it was posted */ readonly asked: boolean;
    /** of the log */ readonly line: string;
  }[];
}

export type SettleDeliveriesAnswer =
  | { readonly is: 'settled'; readonly rev: number; readonly disabled: boolean; readonly dueInMs?: number | undefined }
  | { readonly is: 'not yours' };

function readSettleDeliveriesAnswer(value: unknown): SettleDeliveriesAnswer {
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
local function sheet(key) return {key = key, names = {}, by = {}} end
local function tally(counts, field, delta)
  if type(counts) == 'string' then
    redis.pcall('HINCRBY', counts, field, delta)
    return
  end
  if not counts.by[field] then counts.names[#counts.names + 1] = field end
  counts.by[field] = (counts.by[field] or 0) + delta
end
local function write_sheet(counts)
  local names, set, none = {}, {}, {}
  for _, name in ipairs(counts.names) do
    if counts.by[name] ~= 0 then names[#names + 1] = name end
  end
  if #names == 0 then return none end
  names[#names + 1] = "history:"
  local read = redis.pcall('HMGET', counts.key, unpack(names))
  if read.err then return none end
  names[#names] = nil
  counts.history = read[#names + 1]
  for i, name in ipairs(names) do
    local value = read[i] or '0'
    if #value <= 16 and string.find(value, '^%-?%d+$') then
      local sum = tonumber(value) + counts.by[name]
      if sum == 0 then none[#none + 1] = name end
      set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum)
    end
  end
  if #set > 0 then redis.call('HSET', counts.key, unpack(set)) end
  return none
end
local function emit(record, e)
  local seq = e.seq or redis.call('HINCRBY', record, 'seq', 1)
  tally(e.counts, "event:" .. e.type, 1)
  local entry = {'op', e.id, 'seq', seq, 'at', e.at, 'account', e.account, 'type', e.type, 'data', e.data}
  if e.trace then entry[#entry + 1] = 'trace'; entry[#entry + 1] = e.trace end
  redis.call('XADD', e.stream, e.place or '*', unpack(entry))
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
  local _one = {place = ARGV[_arg + 1], outcome = ARGV[_arg + 2], waitMs = tonumber(ARGV[_arg + 3]), asked = ARGV[_arg + 4] == '1', line = ARGV[_arg + 5]}
  _arg, _key = _arg + 5, _key + 0
  results[_n] = _one
end
-- </generated>
local at = clock(now)
local leased, since, url, account = unpack(redis.call('HMGET', record, 'lease', 'failingSince', 'url', 'account'))
if leased ~= lease then return {'not yours'} end
local taken, failed, over, is_over = 0, 0, {}, {}
for _, one in ipairs(results) do
  if one.outcome == 'retried' then
    redis.call('ZADD', deliveries, at + one.waitMs, one.place)
    redis.call('HINCRBY', tries, one.place, 1)
  else
    over[#over + 1] = one.place
    is_over[one.place] = true
  end
  if one.outcome == 'undelivered' then redis.call('LPUSH', undelivered, one.place) end
  if one.outcome == 'delivered' then taken = taken + 1 elseif one.asked then failed = failed + 1 end
  redis.call('LPUSH', log, at .. '|' .. one.line)
end
redis.call('LTRIM', log, 0, 200 - 1)
redis.call('HDEL', record, 'lease', 'until')
local rev, rest, disabled = redis.call('HINCRBY', record, 'rev', 1), 0, 0
local function disable()
  disabled = 1
  redis.call('HSET', record, 'state', 'disabled', 'disabledAt', at, 'reason', 'failing_for_days')
  local waiting = redis.call('ZREVRANGE', deliveries, 0, 1000 - 1)
  for _, place in ipairs(waiting) do
    if not is_over[place] then redis.call('LPUSH', undelivered, place) end
  end
  local place = string.match(url or '', '^%a+://[^/?#\\\\]+') or ''
  local data = cjson.encode({id = id, state = 'disabled', url = place, reason = 'failing_for_days'})
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
local next
local first = disabled == 1 and {} or redis.call('ZRANGE', deliveries, 0, #over, 'WITHSCORES')
for i = 1, #first, 2 do
  if not next and not is_over[first[i]] then next = tonumber(first[i + 1]) end
end
if not next and disabled == 0 then redis.call('HDEL', record, 'failures', 'failingSince', 'restUntil') end
local due_at = next and math.max(next, rest, at)
if due_at then redis.call('ZADD', due, due_at, id) else redis.call('ZREM', due, id) end
if disabled == 1 then redis.call('UNLINK', deliveries, tries)
elseif #over > 0 then
  redis.call('ZREM', deliveries, unpack(over))
  redis.call('HDEL', tries, unpack(over))
end
return {'settled', rev, disabled, due_at and due_at - at}
`);

/** Writes down what became of the events that were taken. A success ends the failing of an endpoint, and so does the
 * last event that waited: nobody tries it after that. One that has failed for too long is disabled, and that is
 * announced. What was not posted says nothing of the endpoint. */
export async function settleDeliveries(redis: lua.ScriptHost, args: SettleDeliveriesArgs): Promise<SettleDeliveriesAnswer> {
  const keys: string[] = [args.record, args.deliveries, args.tries, args.due, args.undelivered, args.log, args.events, args.counts];
  const words: lua.Word[] = [args.now ?? '', args.id, args.lease, args.restMs, args.disableAfterMs];
  words.push(args.results.length);
  for (const one of args.results) words.push(one.place, one.outcome, one.waitMs, one.asked ? 1 : 0, one.line);
  return readSettleDeliveriesAnswer(await lua.runScript(redis, settleDeliveriesScript, keys, words));
}

export interface StepSliceArgs {
  /** key */ readonly slice: string;
  /** key: absent: it carries single messages */ readonly campaign?: string | undefined;
  /** key */ readonly dueToSend: string;
  /** key */ readonly dueToLook: string;
  /** key: of slices */ readonly counts: string;
  /** key */ readonly left: string;
  /** key: state sets */ readonly entered?: string | undefined;
  /** key */ readonly parked: string;
  /** key */ readonly outcomes: string;
  /** key */ readonly events: string;
  /** key */ readonly messageCounts: string;
  /** key */ readonly openTexts: string;
  /** key: marks of the texts of single messages */ readonly sentTexts: string;
  /** key */ readonly campaignCounts: string;
  /** key */ readonly dueCampaigns: string;
  /** key */ readonly running: string;
  /** key */ readonly paused: string;
  /** key: sets of campaigns */ readonly held: string;
  /** key */ readonly heartbeat: string;
  /** key */ readonly heldAccounts: string;
  /** key */ readonly book: string;
  /** key */ readonly closedDays: string;
  /** key */ readonly limits: string;
  /** key: what waits for it */ readonly history: string;
  /** key: hundredths of XOF that the texts of the account were counted for in a month, in all and by day */ readonly textsCost: string;
  /** key: lists that nobody has looked into for those who are about to leave */ readonly optOuts: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  readonly lease: string;
  /** how the record knows this very step again */ readonly op: string;
  /** the step before it, as the attempt knows it */ readonly follows?: string | undefined;
  readonly from: string;
  readonly to: string;
  /** ms: absent: let go */ readonly keepLeaseMs?: number | undefined;
  /** ms */ readonly sendInMs?: number | undefined;
  readonly sendAsItIs: boolean;
  /** ms */ readonly lookInMs?: number | undefined;
  readonly lookAsItIs: boolean;
  /** an account that is held is tried all the same */ readonly tried: boolean;
  /** only while one is under way */ readonly inRecovery: boolean;
  readonly eventsLost: number;
  /** so many may have been given since a copy was made, at the most */ readonly revisionsLost: number;
  /** the outcomes were counted before */ readonly recounted: boolean;
  /** the number of the first request that is opened or leaves */ readonly next: number;
  readonly memory: { readonly epoch?: string | undefined; readonly counter: number; readonly name?: string | undefined; readonly mark: number };
  /** in which the texts that leave are counted */ readonly day: string;
  /** hundredths of XOF besides: of texts that may have left, or, below 0, of what has not */ readonly charged: number;
  /** what the process itself asks for of each limit */ readonly asked: Readonly<Record<string, string | number>>;
  readonly opened: readonly string[];
  /** marks of texts that are no longer open */ readonly closes?: string | undefined;
  /** marks of texts that are counted as sent */ readonly sent?: string | undefined;
  readonly fields: Readonly<Record<string, string | number>>;
  /** into the book of the day */ readonly posts: Readonly<Record<string, string | number>>;
  /** fields of the campaign, and by how much they change */ readonly deltas: Readonly<Record<string, string | number>>;
  readonly changed: readonly {
    readonly number: number;
    readonly read: string;
    readonly becomes: string;
  }[];
  readonly leaving: readonly {
    readonly becomes: string;
    readonly carries: number;
    /** hundredths of XOF; absent: nobody has reckoned it */ readonly cost?: number | undefined;
    /** ms since the epoch: when the first of its people must not get it any more */ readonly expiresAt?: number | undefined;
    /** marks of its texts */ readonly opens?: string | undefined;
  }[];
  readonly lists: readonly {
    /** key: where lists find the messages of a state */ readonly set: string;
    readonly state: string;
  }[];
  readonly messages: readonly {
    /** key */ readonly record: string;
    /** the place of its request among those that leave; 0: it changes in any case */ readonly leavesWith: number;
    readonly left: string;
    readonly entered: string;
    readonly code?: string | undefined;
    readonly eventType?: string | undefined;
    /** JSON */ readonly eventData?: string | undefined;
    /** the number of the event, where it was told before, and its data are whole */ readonly toldAs?: number | undefined;
    /** ms since the epoch: where that is known from then */ readonly sentAt?: number | undefined;
    /** what it said */ readonly forgets: boolean;
  }[];
}

export type StepSliceAnswer =
  | { readonly is: 'applied'; readonly leave: number; readonly why: string; readonly waitMs: number; readonly rev: number; readonly counter: number; readonly spare: number; readonly counted: boolean; readonly busy?: string | undefined }
  | { readonly is: 'mine'; readonly leave: number }
  | { readonly is: 'not yours'; readonly state: string }
  | { readonly is: 'none' }
  | { readonly is: 'recovered' };

function readStepSliceAnswer(value: unknown): StepSliceAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'applied':
      return { is: 'applied', leave: lua.number(answer[1]), why: lua.text(answer[2]), waitMs: lua.number(answer[3]), rev: lua.number(answer[4]), counter: lua.number(answer[5]), spare: lua.number(answer[6]), counted: lua.flag(answer[7]), busy: lua.optional(lua.text, answer[8]) };
    case 'mine':
      return { is: 'mine', leave: lua.number(answer[1]) };
    case 'not yours':
      return { is: 'not yours', state: lua.text(answer[1]) };
    case 'none':
      return { is: 'none' };
    case 'recovered':
      return { is: 'recovered' };
  }
  return lua.unexpected(value);
}

export const stepSliceScript = lua.defineScript('step-slice', `
local function offset_at(at, offsets)
  local offset = 0
  for from, ms in string.gmatch(offsets or '', '(%d+):(%-?%d+)') do
    if tonumber(from) <= at then offset = tonumber(ms) end
  end
  return offset
end
local function day_at(at, offsets) return math.floor((at + offset_at(at, offsets)) / 86400000) end
local function end_of(day, at, offsets)
  local midnight = (day + 1) * 86400000
  return midnight - offset_at(midnight - offset_at(at, offsets), offsets)
end
local function open_day(book, closed, at)
  local stored = redis.call('HGETALL', book)
  local before, offsets, keep, lines, set, over = nil, nil, 400, {}, {}, {}
  for i = 1, #stored, 2 do
    local name, value = stored[i], stored[i + 1]
    if name == 'day' then before = tonumber(value)
    elseif name == 'offsets' then offsets = value
    elseif name == 'keep' then keep = tonumber(value)
    elseif name ~= 'until' then
      lines[#lines + 1] = name .. ' ' .. value
      local head, measure = string.match(name, '^(.*|)=(%w+)$')
      if head and value ~= '0' then
        set[#set + 1] = name; set[#set + 1] = value
        set[#set + 1] = head .. '<' .. measure; set[#set + 1] = value
      else over[name] = true end
    end
  end
  local day = day_at(at, offsets)
  if before and day <= before then day = before + 1 end
  local ends = math.max(end_of(day, at, offsets), at + 1)
  if before then redis.call('HSET', closed, before, table.concat(lines, '\\n')) end
  for _, old in ipairs(redis.call('HKEYS', closed)) do
    if tonumber(old) < day - keep then redis.call('HDEL', closed, old) end
  end
  set[#set + 1] = 'day'; set[#set + 1] = day
  set[#set + 1] = 'until'; set[#set + 1] = string.format('%.0f', ends)
  set[#set + 1] = 'keep'; set[#set + 1] = keep
  if offsets then set[#set + 1] = 'offsets'; set[#set + 1] = offsets end
  redis.call('HSET', book, unpack(set))
  for i = 1, #set, 2 do over[set[i]] = nil end
  for name in pairs(over) do redis.call('HDEL', book, name) end
end
local function post(book, closed, at, posts)
  if #posts == 0 then return end
  local names = {'until'}
  for i = 1, #posts, 2 do names[#names + 1] = posts[i] end
  local read = redis.pcall('HMGET', book, unpack(names))
  if read.err then return end
  if at >= (tonumber(read[1] or '0') or 0) then
    open_day(book, closed, at)
    read = redis.call('HMGET', book, unpack(names))
  end
  local set = {}
  for i = 2, #names do
    local sum = tonumber(read[i] or '0')
    if sum then
      set[#set + 1] = names[i]; set[#set + 1] = string.format('%.0f', sum + tonumber(posts[2 * i - 2]))
    end
  end
  if #set > 0 then redis.call('HSET', book, unpack(set)) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function sheet(key) return {key = key, names = {}, by = {}} end
local function tally(counts, field, delta)
  if type(counts) == 'string' then
    redis.pcall('HINCRBY', counts, field, delta)
    return
  end
  if not counts.by[field] then counts.names[#counts.names + 1] = field end
  counts.by[field] = (counts.by[field] or 0) + delta
end
local function write_sheet(counts)
  local names, set, none = {}, {}, {}
  for _, name in ipairs(counts.names) do
    if counts.by[name] ~= 0 then names[#names + 1] = name end
  end
  if #names == 0 then return none end
  names[#names + 1] = "history:"
  local read = redis.pcall('HMGET', counts.key, unpack(names))
  if read.err then return none end
  names[#names] = nil
  counts.history = read[#names + 1]
  for i, name in ipairs(names) do
    local value = read[i] or '0'
    if #value <= 16 and string.find(value, '^%-?%d+$') then
      local sum = tonumber(value) + counts.by[name]
      if sum == 0 then none[#none + 1] = name end
      set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum)
    end
  end
  if #set > 0 then redis.call('HSET', counts.key, unpack(set)) end
  return none
end
local function emit(record, e)
  local seq = e.seq or redis.call('HINCRBY', record, 'seq', 1)
  tally(e.counts, "event:" .. e.type, 1)
  local entry = {'op', e.id, 'seq', seq, 'at', e.at, 'account', e.account, 'type', e.type, 'data', e.data}
  if e.trace then entry[#entry + 1] = 'trace'; entry[#entry + 1] = e.trace end
  redis.call('XADD', e.stream, e.place or '*', unpack(entry))
end
local function for_history(counts, waiting, at, ids)
  if #ids == 0 then return end
  if counts.history == nil then counts.history = redis.pcall('HGET', counts.key, "history:") end
  if counts.history ~= '1' then return end
  local words = {}
  for _, id in ipairs(ids) do words[#words + 1] = at; words[#words + 1] = id end
  redis.call('ZADD', waiting, unpack(words))
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
  local state, settled, slices, id, account, reference, name, cursor, retries, trace = unpack(redis.call('HMGET', campaign,
    'state', 'settled', 'slices', 'id', 'account', 'reference', 'name', 'walk', 'retries',
    'trace'))
  local left = keys.sets[state]
  if not left or tonumber(settled or '0') < tonumber(slices) or cursor then return false end
  redis.call('HSET', campaign, 'state', 'finished', 'since', at, 'updatedAt', at)
  redis.call('HINCRBY', campaign, 'rev', 1)
  local counted = sheet(keys.counts)
  move({counts = counted, id = id, at = at, from = state, to = 'finished', left = left})
  redis.call('ZREM', keys.due, id)
  local totals = {}
  for _, bin in ipairs(({"total", "queued", "held", "sending", "sent", "failed", "unknown", "skipped", "expired", "cancelled"})) do totals[bin] = tonumber(redis.call('HGET', campaign, 't:' .. bin) or '0') end
  local data = {id = id, state = 'finished', name = name, totals = totals}
  if reference then data.reference = reference end
  if retries then data.retries = tonumber(retries) end
  emit(campaign, {stream = keys.events, counts = counted, id = id, at = at, account = account,
    type = 'campaign.finished', data = cjson.encode(data), trace = trace})
  write_sheet(counted)
  for_history(counted, keys.history, at, {id})
  return true
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
local function note(places, state, ...)
  local list = places[state] or {}
  for _, word in ipairs({...}) do list[#list + 1] = word end
  places[state] = list
end
local function follow(m, at, keys, places)
  local read = redis.pcall('HMGET', m.record, 'id', 'account', 'reference', 'state', 'v', 'rev', 'seq', 'createdAt')
  if read.err then return end
  local id, account, reference, state, version, rev, seq, created = unpack(read, 1, 8)
  local readable = version == "1" and id and account and pcall(function() whole(rev, 0, 'rev'); whole(seq, 0, 'seq') end)
  if state ~= m.left or not readable then return end
  local set = {'state', m.entered, 'since', at, 'updatedAt', at, 'rev', tonumber(rev or '0') + 1 + keys.revisionsLost}
  local function put(field, text) set[#set + 1] = field; set[#set + 1] = text end
  if m.code then put('code', m.code) end
  if m.entered == 'sending' then put('sentAt', at) elseif m.sentAt then put('sentAt', m.sentAt) end
  if m.forgets then put('text', '') end
  if keys.eventsLost > 0 then put('seq', tonumber(seq or '0') + keys.eventsLost) end
  redis.call('HSET', m.record, unpack(set))
  if ({["unknown"] = true, ["sent"] = true, ["failed"] = true, ["skipped"] = true, ["expired"] = true, ["cancelled"] = true})[m.entered] then places.kept[#places.kept + 1] = id end
  if state ~= m.entered then
    tally(keys.counts, state, -1)
    tally(keys.counts, m.entered, 1)
    note(places.left, state, id)
    note(places.entered, m.entered, tonumber(created) or at, id)
    local is_outcome = m.entered == 'sent' or m.entered == 'failed' or m.entered == 'unknown' or m.entered == 'expired'
    if is_outcome then tally(keys.outcomes, m.entered, 1) end
  end
  if not m.eventType then return end
  local data = m.eventData
  if reference and not m.toldAs then data = string.sub(data, 1, -2) .. ',"reference":' .. cjson.encode(reference) .. '}' end
  emit(m.record, {stream = keys.events, counts = keys.counts, id = id, at = at, account = account, type = m.eventType,
    data = data, seq = m.toldAs})
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
local function raise(heartbeat, known, effects)
  local counter = known.counter + (effects or 1)
  if known.name then redis.call('HSET', heartbeat, 'counter', counter, "process:" .. known.name, counter)
  else redis.call('HSET', heartbeat, 'counter', counter) end
  return counter
end
local function marks_in(word)
  local marks = {}
  for i = 1, #(word or ''), 8 do marks[#marks + 1] = string.sub(word, i, i + 8 - 1) end
  return marks
end
local function open_elsewhere(open, marks, own, at)
  if #marks == 0 then return '' end
  local found = {}
  for i, since in ipairs(redis.call('HMGET', open, unpack(marks))) do
    if since and not own[marks[i]] and tonumber(since) > at - 691200000 then found[#found + 1] = marks[i] end
  end
  return table.concat(found)
end
local function mark_open(open, marks, at)
  if #marks == 0 then return end
  local set, since = {}, string.format('%d', at)
  for i, mark in ipairs(marks) do set[2 * i - 1] = mark; set[2 * i] = since end
  redis.call('HSET', open, unpack(set))
end
local function unmark(open, marks)
  if #marks > 0 then redis.call('HDEL', open, unpack(marks)) end
end
local function mark_sent(sent, marks)
  if #marks == 0 then return end
  redis.call('SADD', sent, unpack(marks))
  if redis.call('TTL', sent) < 0 then redis.call('EXPIRE', sent, 432000) end
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
local function same_version(v)
  if v ~= "1" then refuse('version') end
end
-- <generated>
local function _given(word) if word ~= '' then return word end end
local slice = KEYS[1]
local dueToSend = KEYS[2]
local dueToLook = KEYS[3]
local counts = KEYS[4]
local left = KEYS[5]
local parked = KEYS[6]
local outcomes = KEYS[7]
local events = KEYS[8]
local messageCounts = KEYS[9]
local openTexts = KEYS[10]
local sentTexts = KEYS[11]
local campaignCounts = KEYS[12]
local dueCampaigns = KEYS[13]
local running = KEYS[14]
local paused = KEYS[15]
local held = KEYS[16]
local heartbeat = KEYS[17]
local heldAccounts = KEYS[18]
local book = KEYS[19]
local closedDays = KEYS[20]
local limits = KEYS[21]
local history = KEYS[22]
local textsCost = KEYS[23]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local lease = ARGV[3]
local op = ARGV[4]
local follows = _given(ARGV[5])
local from = ARGV[6]
local to = ARGV[7]
local keepLeaseMs = tonumber(ARGV[8])
local sendInMs = tonumber(ARGV[9])
local sendAsItIs = ARGV[10] == '1'
local lookInMs = tonumber(ARGV[11])
local lookAsItIs = ARGV[12] == '1'
local tried = ARGV[13] == '1'
local inRecovery = ARGV[14] == '1'
local eventsLost = tonumber(ARGV[15])
local revisionsLost = tonumber(ARGV[16])
local recounted = ARGV[17] == '1'
local next = tonumber(ARGV[18])
local memory = {epoch = _given(ARGV[19]), counter = tonumber(ARGV[20]), name = _given(ARGV[21]), mark = tonumber(ARGV[22])}
local day = ARGV[23]
local charged = tonumber(ARGV[24])
local closes = _given(ARGV[25])
local sent = _given(ARGV[26])
local _arg, _key = 26, 23
local campaign
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; campaign = KEYS[_key] end
local entered
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; entered = KEYS[_key] end
local optOuts = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; optOuts[_i] = KEYS[_key] end
local asked = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do asked[_i] = ARGV[_arg + _i] end
_arg = _arg + #asked
local opened = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do opened[_i] = ARGV[_arg + _i] end
_arg = _arg + #opened
local fields = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do fields[_i] = ARGV[_arg + _i] end
_arg = _arg + #fields
local posts = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do posts[_i] = ARGV[_arg + _i] end
_arg = _arg + #posts
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
  local _one = {becomes = ARGV[_arg + 1], carries = tonumber(ARGV[_arg + 2]), cost = tonumber(ARGV[_arg + 3]), expiresAt = tonumber(ARGV[_arg + 4]), opens = _given(ARGV[_arg + 5])}
  _arg, _key = _arg + 5, _key + 0
  leaving[_n] = _one
end
local lists = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {set = KEYS[_key + 1], state = ARGV[_arg + 1]}
  _arg, _key = _arg + 1, _key + 1
  lists[_n] = _one
end
local messages = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {record = KEYS[_key + 1], leavesWith = tonumber(ARGV[_arg + 1]), left = ARGV[_arg + 2], entered = ARGV[_arg + 3], code = _given(ARGV[_arg + 4]), eventType = _given(ARGV[_arg + 5]), eventData = _given(ARGV[_arg + 6]), toldAs = tonumber(ARGV[_arg + 7]), sentAt = tonumber(ARGV[_arg + 8]), forgets = ARGV[_arg + 9] == '1'}
  _arg, _key = _arg + 9, _key + 1
  messages[_n] = _one
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
if last_op ~= follows then return {'not yours', state} end
if state ~= from or leased ~= lease or whole(numbers, 0, 'n') ~= next then return {'not yours', state} end
for i, request in ipairs(changed) do
  if read[known + i] ~= request.read then return {'not yours', state} end
end
same_version(version)
if inRecovery and redis.call('HEXISTS', heartbeat, 'recovering') == 0 then return {'recovered'} end
rev = whole(rev, 0, 'rev') + 1 + revisionsLost
local at = clock(now)
local goes, per_second, campaign_id, value, put = 'running', nil, nil, {}, {}
local function read_campaign()
  local asked = {'account', 'v', 'id', 'perSecond', 'state'}
  for _, field in ipairs({'paceAt', 'rev', 'seq', 'slices', 'settled', 'out', 't:queued', 't:cancelled', 't:sending'}) do
    asked[#asked + 1] = field
  end
  for i = 1, #deltas, 2 do asked[#asked + 1] = deltas[i] end
  local c = redis.call('HMGET', campaign, unpack(asked))
  if not c[5] then refuse('a campaign without a record') end
  same_version(c[2])
  if not (c[1] and c[3] and c[9]) then refuse('slices, account or id') end
  goes, per_second, campaign_id = c[5], tonumber(c[4] or ''), c[3]
  for i = 6, #asked do value[asked[i]] = whole(c[i], 0, asked[i]) end
end
local function count(field, delta)
  if delta == 0 or not campaign then return end
  value[field] = value[field] + delta
  put[field] = true
end
if campaign then read_campaign() end
local leave, why, wait, busy, beat = #leaving, '', 0, '', nil
local function stop(reason) leave, why = 0, reason end
local function pace()
  for i = 1, leave do
    local request = leaving[i]
    local ahead = math.ceil(value.paceAt - at - 1000)
    if ahead > 0 then
      leave, why, wait = i - 1, 'paced', ahead
      return
    end
    value.paceAt = math.floor(math.max(value.paceAt, at) + request.carries * 1000 / per_second)
    put.paceAt = true
  end
end
local spent_day, spent_all, budgets, budgeted, spare = 0, 0, {}, false, 0
local function read_spent()
  local of_day, of_month = unpack(redis.call('HMGET', textsCost, day, 'all'))
  spent_day, spent_all = whole(of_day, 0, 'the cost of the day'), whole(of_month, 0, 'the cost of the month')
end
local function read_budgets()
  local own, shared = {}, redis.call('HMGET', limits, unpack(({"SMS_BUDGET_DAY", "SMS_BUDGET_MONTH"})))
  for i = 1, #asked, 2 do own[asked[i]] = asked[i + 1] end
  for i, name in ipairs(({"SMS_BUDGET_DAY", "SMS_BUDGET_MONTH"})) do
    budgets[name] = tonumber(strictest(name, own[name], shared[i] or nil) or '')
    budgeted = budgeted or budgets[name] ~= nil
  end
end
local function keep_to_budget()
  if charged == 0 then read_spent() end
  spare = math.max(0, math.min((budgets.SMS_BUDGET_DAY or math.huge) * 100 - spent_day - charged,
    (budgets.SMS_BUDGET_MONTH or math.huge) * 100 - spent_all - charged))
  for i, request in ipairs(leaving) do
    if not request.cost or request.cost > spare then
      leave, why = i - 1, request.cost and 'budget' or 'uncounted'
      return
    end
    spare = spare - request.cost
  end
end
local function expires()
  for _, request in ipairs(leaving) do
    if request.expiresAt and at >= request.expiresAt then return true end
  end
end
local function find_busy()
  local own = {}
  for _, mark in ipairs(marks_in(closes)) do own[mark] = true end
  for _, request in ipairs(leaving) do busy = busy .. open_elsewhere(openTexts, marks_in(request.opens), own, at) end
  return busy ~= ''
end
if charged ~= 0 then read_spent() end
if #leaving > 0 then
  local shut
  shut, beat = guard(heartbeat, memory)
  if shut then stop('recovering')
  elseif goes == 'cancelled' or goes == 'finished' then stop('cancelled')
  elseif goes ~= 'running' then stop('parked')
  elseif not tried and redis.call('SISMEMBER', heldAccounts, account or '') == 1 then stop('held')
  elseif #optOuts > 0 and redis.call('EXISTS', unpack(optOuts)) > 0 then stop('opt-outs')
  elseif expires() then stop('expiring')
  elseif find_busy() then stop('busy')
  else
    read_budgets()
    if budgeted then keep_to_budget() end
    if per_second then pace() end
  end
end
for i = 1, #deltas, 2 do
  local field, delta = deltas[i], tonumber(deltas[i + 1])
  count(goes == 'cancelled' and field == 't:queued' and 't:cancelled' or field, delta)
  local bin = string.sub(field, 1, 2) == 't:' and string.sub(field, 3)
  if not recounted and delta > 0 and (bin == 'sent' or bin == 'failed' or bin == 'unknown' or bin == 'expired') then
    tally(outcomes, bin, delta)
  end
end
local cost = charged
if budgeted then for i = 1, leave do cost = cost + leaving[i].cost end end
if cost ~= 0 then
  redis.call('HSET', textsCost, day, math.max(0, spent_day + cost), 'all', math.max(0, spent_all + cost))
  redis.call('EXPIRE', textsCost, 3456000)
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
local counted, messages_counted = sheet(counts), sheet(messageCounts)
move({counts = counted, id = id, at = at, from = from, to = to, left = left, entered = entered})
write_sheet(counted)
post(book, closedDays, at, posts)
unmark(openTexts, marks_in(closes))
for i = 1, leave do mark_open(openTexts, marks_in(leaving[i].opens), at) end
mark_sent(sentTexts, marks_in(sent))
local places = {left = {}, entered = {}, kept = {}}
for _, message in ipairs(messages) do
  if message.leavesWith <= leave then
    follow(message, at, {counts = messages_counted, outcomes = outcomes, events = events, eventsLost = eventsLost,
      revisionsLost = revisionsLost}, places)
  end
end
write_sheet(messages_counted)
for_history(messages_counted, history, at, places.kept)
for _, list in ipairs(lists) do
  if places.left[list.state] then redis.call('ZREM', list.set, unpack(places.left[list.state])) end
  if places.entered[list.state] then redis.call('ZADD', list.set, unpack(places.entered[list.state])) end
end
if from ~= to then
  if from == 'queued' then count('out', -1) elseif to == 'queued' then count('out', 1) end
  if to == 'settled' then count('settled', 1) end
end
local write = {}
for field in pairs(put) do write[#write + 1] = field; write[#write + 1] = value[field] end
if #write > 0 then redis.call('HSET', campaign, unpack(write)) end
if campaign and to == 'settled' then
  for_history(counted, history, at, (goes == 'cancelled' or goes == 'finished') and {id, campaign_id} or {id})
end
if campaign and to == 'settled' and value.settled >= value.slices then
  finish_if_over(at, {campaign = campaign, events = events, counts = campaignCounts, due = dueCampaigns,
    history = history, sets = {running = running, paused = paused, held = held}})
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
return {'applied', leave, why, wait, rev, leave > 0 and raise(heartbeat, beat) or 0, spare, budgeted and 1 or 0, busy}
`);

/** One step of a slice, by the attempt that has its lease: what came back of requests, who waits again, and which
 * requests are about to leave; with the bins of the campaign, or with the messages that it carries. What came back is
 * written in any case; what is about to leave only while nothing stands in its way, as many as may, and what that is is
 * answered. Each request that changes is compared with what was read of it, a new one takes the next number, which must
 * be the one that was read, and the step before it must still be the last: a step that comes late, or once more, or
 * after one that Redis has lost since, changes nothing. */
export async function stepSlice(redis: lua.ScriptHost, args: StepSliceArgs): Promise<StepSliceAnswer> {
  const keys: string[] = [args.slice, args.dueToSend, args.dueToLook, args.counts, args.left, args.parked, args.outcomes, args.events, args.messageCounts, args.openTexts, args.sentTexts, args.campaignCounts, args.dueCampaigns, args.running, args.paused, args.held, args.heartbeat, args.heldAccounts, args.book, args.closedDays, args.limits, args.history, args.textsCost, ...(args.campaign === undefined ? [] : [args.campaign]), ...(args.entered === undefined ? [] : [args.entered]), ...args.optOuts];
  for (const one of args.lists) {
    keys.push(one.set);
  }
  for (const one of args.messages) {
    keys.push(one.record);
  }
  const words: lua.Word[] = [args.now ?? '', args.id, args.lease, args.op, args.follows ?? '', args.from, args.to, args.keepLeaseMs ?? '', args.sendInMs ?? '', args.sendAsItIs ? 1 : 0, args.lookInMs ?? '', args.lookAsItIs ? 1 : 0, args.tried ? 1 : 0, args.inRecovery ? 1 : 0, args.eventsLost, args.revisionsLost, args.recounted ? 1 : 0, args.next, args.memory.epoch ?? '', args.memory.counter, args.memory.name ?? '', args.memory.mark, args.day, args.charged, args.closes ?? '', args.sent ?? '', args.campaign === undefined ? 0 : 1, args.entered === undefined ? 0 : 1, args.optOuts.length, ...lua.pairs(args.asked), ...lua.counted(args.opened), ...lua.pairs(args.fields), ...lua.pairs(args.posts), ...lua.pairs(args.deltas)];
  words.push(args.changed.length);
  for (const one of args.changed) words.push(one.number, one.read, one.becomes);
  words.push(args.leaving.length);
  for (const one of args.leaving) words.push(one.becomes, one.carries, one.cost ?? '', one.expiresAt ?? '', one.opens ?? '');
  words.push(args.lists.length);
  for (const one of args.lists) words.push(one.state);
  words.push(args.messages.length);
  for (const one of args.messages) words.push(one.leavesWith, one.left, one.entered, one.code ?? '', one.eventType ?? '', one.eventData ?? '', one.toldAs ?? '', one.sentAt ?? '', one.forgets ? 1 : 0);
  return readStepSliceAnswer(await lua.runScript(redis, stepSliceScript, keys, words));
}

export interface SwitchCampaignArgs {
  /** key */ readonly campaign: string;
  /** key */ readonly events: string;
  /** key: of campaigns */ readonly counts: string;
  /** key: of campaigns */ readonly due: string;
  /** key */ readonly parked: string;
  /** key */ readonly dueSlices: string;
  /** key: the set of the state that it is to enter; what is over stands in none */ readonly entered?: string | undefined;
  /** key */ readonly scheduled: string;
  /** key: the sets of these states */ readonly awaiting: string;
  /** key */ readonly limits: string;
  /** key: what waits for it */ readonly history: string;
  /** key */ readonly heartbeat: string;
  /** key: the sets of the states of `from` */ readonly left: readonly string[];
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  /** the states that it may be left from */ readonly from: readonly string[];
  readonly to: string;
  readonly eventType?: string | undefined;
  readonly reason?: string | undefined;
  /** only if it is held for this reason */ readonly only?: string | undefined;
  /** only in this revision; absent: in any */ readonly asRead?: number | undefined;
  /** ms: look again; absent: not */ readonly againInMs?: number | undefined;
  /** whose hand it is */ readonly by?: string | undefined;
  /** exactly what this revision of it says; absent: it is no approval */ readonly approves?: number | undefined;
  /** only while one is under way */ readonly inRecovery: boolean;
  readonly eventsLost: number;
  /** so many may have been given since a copy was made, at the most */ readonly revisionsLost: number;
  /** of who asks for it: what becomes of it belongs to that */ readonly trace?: string | undefined;
  readonly act: readonly string[];
  /** what the process itself asks for of each limit */ readonly asked: Readonly<Record<string, string | number>>;
}

export type SwitchCampaignAnswer =
  | { readonly is: 'applied'; readonly from: string; readonly rev: number; readonly to: string }
  | { readonly is: 'refused'; readonly state: string }
  | { readonly is: 'own' };

function readSwitchCampaignAnswer(value: unknown): SwitchCampaignAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'applied':
      return { is: 'applied', from: lua.text(answer[1]), rev: lua.number(answer[2]), to: lua.text(answer[3]) };
    case 'refused':
      return { is: 'refused', state: lua.text(answer[1]) };
    case 'own':
      return { is: 'own' };
  }
  return lua.unexpected(value);
}

export const switchCampaignScript = lua.defineScript('switch-campaign', `
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
local function above_approval(limits, asked, uploads)
  local decoded, known = pcall(cjson.decode, uploads or '[]')
  if not decoded or type(known) ~= 'table' then refuse('uploads') end
  local own, max = {}, {}
  for i = 1, #asked, 2 do own[asked[i]] = asked[i + 1] end
  local shared = redis.call('HMGET', limits, unpack(({"CAMPAIGN_APPROVAL_ABOVE_XOF", "CAMPAIGN_APPROVAL_ABOVE_RECIPIENTS"})))
  for i, name in ipairs(({"CAMPAIGN_APPROVAL_ABOVE_XOF", "CAMPAIGN_APPROVAL_ABOVE_RECIPIENTS"})) do
    max[name] = tonumber(strictest(name, own[name], shared[i] or nil) or '') or math.huge
  end
  local recipients, xof, priced = 0, 0, true
  for _, upload in ipairs(known) do
    recipients = recipients + upload.recipients
    if type(upload.cost) == 'table' and #upload.cost.unpriced == 0 then xof = xof + upload.cost.xof
    else priced = false end
  end
  local most = max.CAMPAIGN_APPROVAL_ABOVE_XOF
  local above = recipients > max.CAMPAIGN_APPROVAL_ABOVE_RECIPIENTS or xof > most or (not priced and most < math.huge)
  return above, recipients, priced and xof or nil
end
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function sheet(key) return {key = key, names = {}, by = {}} end
local function tally(counts, field, delta)
  if type(counts) == 'string' then
    redis.pcall('HINCRBY', counts, field, delta)
    return
  end
  if not counts.by[field] then counts.names[#counts.names + 1] = field end
  counts.by[field] = (counts.by[field] or 0) + delta
end
local function write_sheet(counts)
  local names, set, none = {}, {}, {}
  for _, name in ipairs(counts.names) do
    if counts.by[name] ~= 0 then names[#names + 1] = name end
  end
  if #names == 0 then return none end
  names[#names + 1] = "history:"
  local read = redis.pcall('HMGET', counts.key, unpack(names))
  if read.err then return none end
  names[#names] = nil
  counts.history = read[#names + 1]
  for i, name in ipairs(names) do
    local value = read[i] or '0'
    if #value <= 16 and string.find(value, '^%-?%d+$') then
      local sum = tonumber(value) + counts.by[name]
      if sum == 0 then none[#none + 1] = name end
      set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum)
    end
  end
  if #set > 0 then redis.call('HSET', counts.key, unpack(set)) end
  return none
end
local function emit(record, e)
  local seq = e.seq or redis.call('HINCRBY', record, 'seq', 1)
  tally(e.counts, "event:" .. e.type, 1)
  local entry = {'op', e.id, 'seq', seq, 'at', e.at, 'account', e.account, 'type', e.type, 'data', e.data}
  if e.trace then entry[#entry + 1] = 'trace'; entry[#entry + 1] = e.trace end
  redis.call('XADD', e.stream, e.place or '*', unpack(entry))
end
local function for_history(counts, waiting, at, ids)
  if #ids == 0 then return end
  if counts.history == nil then counts.history = redis.pcall('HGET', counts.key, "history:") end
  if counts.history ~= '1' then return end
  local words = {}
  for _, id in ipairs(ids) do words[#words + 1] = at; words[#words + 1] = id end
  redis.call('ZADD', waiting, unpack(words))
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
local function same_version(v)
  if v ~= "1" then refuse('version') end
end
-- <generated>
local function _given(word) if word ~= '' then return word end end
local campaign = KEYS[1]
local events = KEYS[2]
local counts = KEYS[3]
local due = KEYS[4]
local parked = KEYS[5]
local dueSlices = KEYS[6]
local scheduled = KEYS[7]
local awaiting = KEYS[8]
local limits = KEYS[9]
local history = KEYS[10]
local heartbeat = KEYS[11]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local to = ARGV[3]
local eventType = _given(ARGV[4])
local reason = _given(ARGV[5])
local only = _given(ARGV[6])
local asRead = tonumber(ARGV[7])
local againInMs = tonumber(ARGV[8])
local by = _given(ARGV[9])
local approves = tonumber(ARGV[10])
local inRecovery = ARGV[11] == '1'
local eventsLost = tonumber(ARGV[12])
local revisionsLost = tonumber(ARGV[13])
local trace = _given(ARGV[14])
local _arg, _key = 14, 11
local entered
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; entered = KEYS[_key] end
local left = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; left[_i] = KEYS[_key] end
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local from = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do from[_i] = ARGV[_arg + _i] end
_arg = _arg + #from
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
local asked = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do asked[_i] = ARGV[_arg + _i] end
_arg = _arg + #asked
-- </generated>
local at = clock(now)
local r = redis.call('HMGET', campaign, 'state', 'account', 'reference', 'name', 'reason', 'sendAt', 'v', 'rev', 'seq',
  't:sent', 't:failed', 't:unknown', 't:queued', 't:held', 't:cancelled', 'approvedBy', 'uploads',
  'trace')
local state, account, reference, name, held_for, send_at, version = unpack(r, 1, 7)
local stood, set = nil, nil
for i, one in ipairs(from) do if one == state then stood, set = state, left[i] end end
if not stood or (only and held_for ~= only) then return {'refused', state or ''} end
if inRecovery and redis.call('HEXISTS', heartbeat, 'recovering') == 0 then return {'refused', state} end
same_version(version)
if asRead and asRead ~= tonumber(r[8]) then return {'refused', state} end
if not account then refuse('account') end
whole(send_at, 0, 'sendAt')
for i = 8, 15 do whole(r[i], 0, 'a count') end
local recipients, xof
local function must_be_approved()
  if approves or r[16] then return false end
  local above
  above, recipients, xof = above_approval(limits, asked, r[17])
  return above
end
if approves then
  if approves ~= tonumber(r[8]) then return {'refused', state} end
  if redis.call('HEXISTS', campaign, "hand:" .. by) == 1 then return {'own'} end
end
if to == 'running' and must_be_approved() then
  to, eventType, entered = 'awaiting_approval', 'campaign.awaiting_approval', awaiting
elseif to == 'running' and send_at and tonumber(send_at) > at then to = 'scheduled'; entered = scheduled end
if stood == to then return {'applied', stood, tonumber(redis.call('HGET', campaign, 'rev')), to} end
redis.call('HSET', campaign, 'state', to, 'since', at, 'updatedAt', at)
if trace then redis.call('HSET', campaign, 'trace', trace) end
if approves then redis.call('HSET', campaign, 'approvedBy', by, 'approvedAt', at)
elseif by then redis.call('HSETNX', campaign, "hand:" .. by, at) end
if reason then redis.call('HSET', campaign, 'reason', reason) else redis.call('HDEL', campaign, 'reason') end
local counted = sheet(counts)
move({counts = counted, id = id, at = at, from = stood, to = to, left = set, entered = entered})
local function unpark()
  for _, slice in ipairs(redis.call('SMEMBERS', parked)) do redis.call('ZADD', dueSlices, at, slice) end
  redis.call('DEL', parked)
end
local function run()
  redis.call('HSETNX', campaign, 'startedAt', at)
  local sent, failed, unknown = tonumber(r[10] or '0'), tonumber(r[11] or '0'), tonumber(r[12] or '0')
  redis.call('HSET', campaign, 'judgedFailed', failed, 'judgedUnknown', unknown, 'judgedOver', sent + failed + unknown)
  if stood == 'held' and string.sub(held_for or '', 1, 7) == 'canary_' then redis.call('HSET', campaign, 'canaryOver', 1) end
  redis.call('ZADD', due, at, id)
  unpark()
end
if to == 'running' then run()
elseif to == 'scheduled' then redis.call('ZADD', due, send_at, id)
elseif againInMs then redis.call('ZADD', due, at + againInMs, id)
else redis.call('ZREM', due, id) end
if to == 'cancelled' then
  redis.call('HINCRBY', campaign, 't:cancelled', tonumber(r[13] or '0') + tonumber(r[14] or '0'))
  redis.call('HSET', campaign, 't:queued', 0, 't:held', 0)
  unpark()
end
if eventsLost > 0 then redis.call('HINCRBY', campaign, 'seq', eventsLost) end
if eventType then
  local data = {id = id, state = to, name = name, reason = reason}
  if reference then data.reference = reference end
  if to == 'awaiting_approval' then data.recipients, data.xof = recipients, xof end
  emit(campaign, {stream = events, counts = counted, id = id, at = at, account = account, type = eventType,
    data = cjson.encode(data), trace = trace or r[18]})
end
write_sheet(counted)
if not entered then for_history(counted, history, at, {id}) end
audit_line(audit, act, at, audit_word('state', stood), audit_word('state', to))
return {'applied', stood, redis.call('HINCRBY', campaign, 'rev', revisionsLost + 1), to}
`);

/** Moves a campaign from one state to another. One that is to run and may not yet is `scheduled` instead, and starts by
 * itself when its time has come; one that is above what leaves on the word of one key, and was not approved, waits for
 * a different person instead. Whose hand was in it is noted: none of them may approve it. In a recovery its numbers
 * go on beyond those that were given in the time that was lost. */
export async function switchCampaign(redis: lua.ScriptHost, args: SwitchCampaignArgs): Promise<SwitchCampaignAnswer> {
  const keys: string[] = [args.campaign, args.events, args.counts, args.due, args.parked, args.dueSlices, args.scheduled, args.awaiting, args.limits, args.history, args.heartbeat, ...(args.entered === undefined ? [] : [args.entered]), ...args.left, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.id, args.to, args.eventType ?? '', args.reason ?? '', args.only ?? '', args.asRead ?? '', args.againInMs ?? '', args.by ?? '', args.approves ?? '', args.inRecovery ? 1 : 0, args.eventsLost, args.revisionsLost, args.trace ?? '', args.entered === undefined ? 0 : 1, args.left.length, args.audit.length, ...lua.counted(args.from), ...lua.counted(args.act), ...lua.pairs(args.asked)];
  return readSwitchCampaignAnswer(await lua.runScript(redis, switchCampaignScript, keys, words));
}

export interface SwitchQueueArgs {
  /** key */ readonly meta: string;
  /** key */ readonly marker: string;
  /** key */ readonly wait: string;
  /** key */ readonly prioritized: string;
  /** key */ readonly delayed: string;
  /** key */ readonly announcements: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly how: 'pause' | 'resume';
  readonly act: readonly string[];
}

export type SwitchQueueAnswer = boolean;

const readSwitchQueueAnswer: lua.Read<SwitchQueueAnswer> = lua.flag;

export const switchQueueScript = lua.defineScript('switch-queue', `
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local meta = KEYS[1]
local marker = KEYS[2]
local wait = KEYS[3]
local prioritized = KEYS[4]
local delayed = KEYS[5]
local announcements = KEYS[6]
local now = tonumber(ARGV[1])
local how = ARGV[2]
local _arg, _key = 2, 6
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
-- </generated>
local paused = redis.call('HEXISTS', meta, 'paused') == 1
if paused == (how == 'pause') then return 0 end
if how == 'pause' then
  redis.call('HSET', meta, 'paused', 1)
  redis.call('DEL', marker)
else
  redis.call('HDEL', meta, 'paused')
  if redis.call('LLEN', wait) + redis.call('ZCARD', prioritized) > 0 then
    redis.call('ZADD', marker, 0, '0')
  else
    local first = redis.call('ZRANGE', delayed, 0, 0, 'WITHSCORES')
    if first[2] then redis.call('ZADD', marker, tonumber(first[2]) / 0x1000, '1') end
  end
end
redis.call('XADD', announcements, '*', 'event', how == 'pause' and 'paused' or 'resumed')
audit_line(audit, act, clock(now))
return 1
`);

/** Lets no worker take from a queue, or lets them again, in the step that tells it: what BullMQ's `pause` and `resume`
 * do, of a queue that never had jobs in its old list of paused ones. Answers whether it stood otherwise. */
export async function switchQueue(redis: lua.ScriptHost, args: SwitchQueueArgs): Promise<SwitchQueueAnswer> {
  const keys: string[] = [args.meta, args.marker, args.wait, args.prioritized, args.delayed, args.announcements, ...args.audit];
  const words: lua.Word[] = [args.now ?? '', args.how, args.audit.length, ...lua.counted(args.act)];
  return readSwitchQueueAnswer(await lua.runScript(redis, switchQueueScript, keys, words));
}

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
  | { readonly is: 'taken'; readonly url: string; readonly secret: string; readonly old?: string | undefined; readonly older?: string | undefined; readonly due: readonly TakeDeliveriesDue[] }
  | { readonly is: 'none' }
  | { readonly is: 'disabled' }
  | { readonly is: 'leased' }
  | { readonly is: 'rests' }
  | { readonly is: 'nothing' };

const readTakeDeliveriesDue: lua.Read<TakeDeliveriesDue> = (value) => {
  const answer = lua.items(value);
  return { place: lua.text(answer[0]), tries: lua.number(answer[1]) };
};

function readTakeDeliveriesAnswer(value: unknown): TakeDeliveriesAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'taken':
      return { is: 'taken', url: lua.text(answer[1]), secret: lua.text(answer[2]), old: lua.optional(lua.text, answer[3]), older: lua.optional(lua.text, answer[4]), due: lua.list(readTakeDeliveriesDue)(answer[5]) };
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
local state, leased, ends, rests, failures, url, secret, old, old_until, older, older_until = unpack(redis.call('HMGET',
  record, 'state', 'lease', 'until', 'restUntil', 'failures', 'url', 'secret', 'oldSecret', 'oldUntil', 'olderSecret',
  'olderUntil'))
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
local function while_it_signs(one, ends_at) return one and tonumber(ends_at or '0') > at and one end
return {'taken', url, secret, while_it_signs(old, old_until), while_it_signs(older, older_until), taken}
`);

/** Takes what is due for an endpoint, for one attempt and no other. One that fails is tried with a single event. */
export async function takeDeliveries(redis: lua.ScriptHost, args: TakeDeliveriesArgs): Promise<TakeDeliveriesAnswer> {
  const keys: string[] = [args.record, args.deliveries, args.tries, args.due];
  const words: lua.Word[] = [args.now ?? '', args.id, args.lease, args.leaseMs, args.most];
  return readTakeDeliveriesAnswer(await lua.runScript(redis, takeDeliveriesScript, keys, words));
}

export interface TakeHistoryTurnArgs {
  /** key */ readonly turn: string;
  /** key */ readonly history: string;
  /** key: of each kind */ readonly counts: readonly string[];
  /** of the process */ readonly name: string;
  /** ms */ readonly forMs: number;
}

export type TakeHistoryTurnAnswer =
  | { readonly is: 'mine'; readonly fresh: boolean }
  | { readonly is: 'another' };

function readTakeHistoryTurnAnswer(value: unknown): TakeHistoryTurnAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'mine':
      return { is: 'mine', fresh: lua.flag(answer[1]) };
    case 'another':
      return { is: 'another' };
  }
  return lua.unexpected(value);
}

export const takeHistoryTurnScript = lua.defineScript('take-history-turn', `
-- <generated>
local turn = KEYS[1]
local history = KEYS[2]
local name = ARGV[1]
local forMs = tonumber(ARGV[2])
local _arg, _key = 2, 2
local counts = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; counts[_i] = KEYS[_key] end
-- </generated>
local whose = redis.call('GET', turn)
if whose and whose ~= name then return {'another'} end
redis.call('SET', turn, name, 'PX', forMs)
local fresh = 0
for _, of in ipairs(counts) do fresh = fresh + redis.call('HSETNX', of, "history:", 1) end
if fresh > 0 then redis.call('HDEL', history, 'swept') end
return {'mine', fresh > 0 and 1 or 0}
`);

/** Takes or keeps the turn of the one process that writes history, and says in the counters of each kind that history is
 * kept: from then on each script notes what it ends. Where that had to be said, what ended before is looked for anew. */
export async function takeHistoryTurn(redis: lua.ScriptHost, args: TakeHistoryTurnArgs): Promise<TakeHistoryTurnAnswer> {
  const keys: string[] = [args.turn, args.history, ...args.counts];
  const words: lua.Word[] = [args.name, args.forMs, args.counts.length];
  return readTakeHistoryTurnAnswer(await lua.runScript(redis, takeHistoryTurnScript, keys, words));
}

export interface TakeIdentityArgs {
  /** key */ readonly record: string;
  /** key */ readonly stubs: string;
  /** key */ readonly heartbeat: string;
  /** key: those that were taken so */ readonly lost: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  readonly stubName: string;
  /** what stands for it, but for the day */ readonly stub: string;
  readonly keepDays: number;
}

export type TakeIdentityAnswer = boolean;

const readTakeIdentityAnswer: lua.Read<TakeIdentityAnswer> = lua.flag;

export const takeIdentityScript = lua.defineScript('take-identity', `
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
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local record = KEYS[1]
local stubs = KEYS[2]
local heartbeat = KEYS[3]
local lost = KEYS[4]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local stubName = ARGV[3]
local stub = ARGV[4]
local keepDays = tonumber(ARGV[5])
-- </generated>
if redis.call('HEXISTS', heartbeat, 'recovering') == 0 then return 0 end
if redis.call('EXISTS', record) == 1 or redis.call('HEXISTS', stubs, stubName) == 1 then return 0 end
redis.call('HSET', stubs, stubName, stub .. base36(math.floor(clock(now) / 86400000) + keepDays))
redis.call('SADD', lost, id)
return 1
`);

/** Takes the identity of what was accepted in a time that Redis has lost, and of which nobody knows what became: asked
 * for again it is refused. Only in a recovery, and never over what is there. True: it was taken by this. */
export async function takeIdentity(redis: lua.ScriptHost, args: TakeIdentityArgs): Promise<TakeIdentityAnswer> {
  const keys: string[] = [args.record, args.stubs, args.heartbeat, args.lost];
  const words: lua.Word[] = [args.now ?? '', args.id, args.stubName, args.stub, args.keepDays];
  return readTakeIdentityAnswer(await lua.runScript(redis, takeIdentityScript, keys, words));
}

export interface TakeArgs {
  /** key */ readonly due: string;
  /** key: what BullMQ knows of the queue */ readonly queue: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly atMost: number;
}

export type TakeAnswer = readonly string[];

const readTakeAnswer: lua.Read<TakeAnswer> = lua.list(lua.text);

export const takeScript = lua.defineScript('take', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local due = KEYS[1]
local queue = KEYS[2]
local now = tonumber(ARGV[1])
local atMost = tonumber(ARGV[2])
-- </generated>
if redis.call('HEXISTS', queue, 'paused') == 1 then return {} end
local at = clock(now)
local ids = redis.call('ZRANGEBYSCORE', due, '-inf', at, 'LIMIT', 0, atMost)
local places = {}
for _, id in ipairs(ids) do places[#places + 1] = at + 5000; places[#places + 1] = id end
if #places > 0 then redis.call('ZADD', due, unpack(places)) end
return ids
`);

/** Hands out ids whose time has come to somebody who begins with each of them at once and takes its lease. Until then
 * nobody else is handed them: their due time moves on a little, and one that dies in between costs no more than that.
 * Of a queue that is paused nobody is handed anything. */
export async function take(redis: lua.ScriptHost, args: TakeArgs): Promise<TakeAnswer> {
  const keys: string[] = [args.due, args.queue];
  const words: lua.Word[] = [args.now ?? '', args.atMost];
  return readTakeAnswer(await lua.runScript(redis, takeScript, keys, words));
}

export interface TransitionArgs {
  /** key */ readonly events: string;
  /** key */ readonly counts: string;
  /** key: the set of the state that they leave */ readonly left: string;
  /** key: the set of the state that they enter; what is over stands in none */ readonly entered?: string | undefined;
  /** key */ readonly listedLeft?: string | undefined;
  /** key: where lists find them */ readonly listedEntered?: string | undefined;
  /** key */ readonly dueLeft: string;
  /** key */ readonly dueEntered: string;
  /** key: what waits for it */ readonly history: string;
  /** key: nothing is changed while it is held as `unlessHeld` says */ readonly account?: string | undefined;
  /** key */ readonly heartbeat: string;
  /** key */ readonly book: string;
  /** key */ readonly closedDays: string;
  /** key */ readonly audit: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly step: { readonly from: string; readonly to: string; readonly stood?: 'unsent' | 'doubt' | undefined; readonly stands?: 'unsent' | 'doubt' | undefined; readonly kept: boolean };
  /** `area.reason` */ readonly unlessHeld?: string | undefined;
  /** what leaves after it has an effect: refused while a recovery is under way, and counted */ readonly hasEffect: boolean;
  readonly memory: { readonly epoch?: string | undefined; readonly counter: number; readonly name?: string | undefined; readonly mark: number };
  /** of one that is changed alone */ readonly act: readonly string[];
  readonly changes: readonly {
    /** key */ readonly record: string;
    /** key: what was last posted about it, to be forgotten, unless more was posted since the record was read */ readonly callback?: string | undefined;
    /** key: whose it is, what upstream named */ readonly claimed?: string | undefined;
    /** key: of the day in which it was counted, where they change by this step */ readonly sums?: string | undefined;
    /** key: of its names */ readonly buckets: readonly string[];
    readonly id: string;
    /** nobody's: a person's doing */ readonly lease?: string | undefined;
    /** how the record knows this very change again */ readonly op: string;
    /** ms: when to look next; absent: nothing is due */ readonly dueInMs?: number | undefined;
    /** ms: absent: let go */ readonly keepLeaseMs?: number | undefined;
    /** ms: a nudge that came during the attempt makes the next look due after so long */ readonly nudgeAfterMs: number;
    /** only in a recovery, and while the record has this revision */ readonly inRecovery?: number | undefined;
    readonly eventType?: string | undefined;
    /** JSON */ readonly eventData?: string | undefined;
    /** the number of the event, where it was told before; the record goes on from its own */ readonly toldAs?: number | undefined;
    /** to which the event belongs */ readonly trace?: string | undefined;
    /** whole XOF */ readonly xof?: number | undefined;
    readonly evidence?: string | undefined;
    /** how it stands in a list */ readonly member: string;
    /** of the sums */ readonly beneficiary?: string | undefined;
    /** whole XOF: by how much they change */ readonly recounted?: number | undefined;
    /** of its names */ readonly heads: readonly string[];
    /** into the book of the day */ readonly posts: Readonly<Record<string, string | number>>;
    /** a value '' deletes the field; a name that begins with @ takes the value as ms from now */ readonly fields: Readonly<Record<string, string | number>>;
  }[];
}

export type TransitionChanged =
  | { readonly is: 'applied'; readonly to: string; readonly rev: number; readonly at: number; readonly counter?: number | undefined }
  | { readonly is: 'mine'; readonly state: string }
  | { readonly is: 'not yours'; readonly state: string }
  | { readonly is: 'none' }
  | { readonly is: 'held' }
  | { readonly is: 'recovering' }
  | { readonly is: 'recovered' }
  | { readonly is: 'claimed'; readonly by: string }
  | { readonly is: 'failed'; readonly why: string };

export type TransitionAnswer = readonly TransitionChanged[];

function readTransitionChanged(value: unknown): TransitionChanged {
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
    case 'failed':
      return { is: 'failed', why: lua.text(answer[1]) };
  }
  return lua.unexpected(value);
}

const readTransitionAnswer: lua.Read<TransitionAnswer> = lua.list(readTransitionChanged);

export const transitionScript = lua.defineScript('transition', `
local function not_as_it_was(heartbeat, record, rev)
  if redis.call('HEXISTS', heartbeat, 'recovering') == 0 then return {'recovered'} end
  local r = redis.call('HMGET', record, 'rev', 'state')
  if tonumber(r[1] or '') ~= rev then return {'not yours', r[2] or ''} end
end
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
local function offset_at(at, offsets)
  local offset = 0
  for from, ms in string.gmatch(offsets or '', '(%d+):(%-?%d+)') do
    if tonumber(from) <= at then offset = tonumber(ms) end
  end
  return offset
end
local function day_at(at, offsets) return math.floor((at + offset_at(at, offsets)) / 86400000) end
local function end_of(day, at, offsets)
  local midnight = (day + 1) * 86400000
  return midnight - offset_at(midnight - offset_at(at, offsets), offsets)
end
local function open_day(book, closed, at)
  local stored = redis.call('HGETALL', book)
  local before, offsets, keep, lines, set, over = nil, nil, 400, {}, {}, {}
  for i = 1, #stored, 2 do
    local name, value = stored[i], stored[i + 1]
    if name == 'day' then before = tonumber(value)
    elseif name == 'offsets' then offsets = value
    elseif name == 'keep' then keep = tonumber(value)
    elseif name ~= 'until' then
      lines[#lines + 1] = name .. ' ' .. value
      local head, measure = string.match(name, '^(.*|)=(%w+)$')
      if head and value ~= '0' then
        set[#set + 1] = name; set[#set + 1] = value
        set[#set + 1] = head .. '<' .. measure; set[#set + 1] = value
      else over[name] = true end
    end
  end
  local day = day_at(at, offsets)
  if before and day <= before then day = before + 1 end
  local ends = math.max(end_of(day, at, offsets), at + 1)
  if before then redis.call('HSET', closed, before, table.concat(lines, '\\n')) end
  for _, old in ipairs(redis.call('HKEYS', closed)) do
    if tonumber(old) < day - keep then redis.call('HDEL', closed, old) end
  end
  set[#set + 1] = 'day'; set[#set + 1] = day
  set[#set + 1] = 'until'; set[#set + 1] = string.format('%.0f', ends)
  set[#set + 1] = 'keep'; set[#set + 1] = keep
  if offsets then set[#set + 1] = 'offsets'; set[#set + 1] = offsets end
  redis.call('HSET', book, unpack(set))
  for i = 1, #set, 2 do over[set[i]] = nil end
  for name in pairs(over) do redis.call('HDEL', book, name) end
end
local function post(book, closed, at, posts)
  if #posts == 0 then return end
  local names = {'until'}
  for i = 1, #posts, 2 do names[#names + 1] = posts[i] end
  local read = redis.pcall('HMGET', book, unpack(names))
  if read.err then return end
  if at >= (tonumber(read[1] or '0') or 0) then
    open_day(book, closed, at)
    read = redis.call('HMGET', book, unpack(names))
  end
  local set = {}
  for i = 2, #names do
    local sum = tonumber(read[i] or '0')
    if sum then
      set[#set + 1] = names[i]; set[#set + 1] = string.format('%.0f', sum + tonumber(posts[2 * i - 2]))
    end
  end
  if #set > 0 then redis.call('HSET', book, unpack(set)) end
end
local function sheet(key) return {key = key, names = {}, by = {}} end
local function tally(counts, field, delta)
  if type(counts) == 'string' then
    redis.pcall('HINCRBY', counts, field, delta)
    return
  end
  if not counts.by[field] then counts.names[#counts.names + 1] = field end
  counts.by[field] = (counts.by[field] or 0) + delta
end
local function write_sheet(counts)
  local names, set, none = {}, {}, {}
  for _, name in ipairs(counts.names) do
    if counts.by[name] ~= 0 then names[#names + 1] = name end
  end
  if #names == 0 then return none end
  names[#names + 1] = "history:"
  local read = redis.pcall('HMGET', counts.key, unpack(names))
  if read.err then return none end
  names[#names] = nil
  counts.history = read[#names + 1]
  for i, name in ipairs(names) do
    local value = read[i] or '0'
    if #value <= 16 and string.find(value, '^%-?%d+$') then
      local sum = tonumber(value) + counts.by[name]
      if sum == 0 then none[#none + 1] = name end
      set[#set + 1] = name; set[#set + 1] = string.format('%.0f', sum)
    end
  end
  if #set > 0 then redis.call('HSET', counts.key, unpack(set)) end
  return none
end
local function emit(record, e)
  local seq = e.seq or redis.call('HINCRBY', record, 'seq', 1)
  tally(e.counts, "event:" .. e.type, 1)
  local entry = {'op', e.id, 'seq', seq, 'at', e.at, 'account', e.account, 'type', e.type, 'data', e.data}
  if e.trace then entry[#entry + 1] = 'trace'; entry[#entry + 1] = e.trace end
  redis.call('XADD', e.stream, e.place or '*', unpack(entry))
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
local function for_history(counts, waiting, at, ids)
  if #ids == 0 then return end
  if counts.history == nil then counts.history = redis.pcall('HGET', counts.key, "history:") end
  if counts.history ~= '1' then return end
  local words = {}
  for _, id in ipairs(ids) do words[#words + 1] = at; words[#words + 1] = id end
  redis.call('ZADD', waiting, unpack(words))
end
local function stand(s)
  if not s.xof or (not s.left and not s.entered) then return end
  local function slot(at) return string.format('%s%.0f', "doubt:", math.floor(at / 300000)) end
  local function wait(by)
    tally(s.counts, "unsent:" .. s.account, by)
    tally(s.counts, "unsent-xof:" .. s.account, by * s.xof)
  end
  local began = s.left == 'doubt' and slot(tonumber(s.since) or s.at)
  local begins = s.entered == 'doubt' and slot(s.at)
  if began ~= begins then
    if began then tally(s.counts, began, -s.xof) end
    if begins then tally(s.counts, begins, s.xof) end
  end
  if s.left ~= s.entered then
    if s.left == 'unsent' then wait(-1) end
    if s.entered == 'unsent' then wait(1) end
  end
end
local function write_standing(counts)
  local gone = {}
  for _, name in ipairs(write_sheet(counts)) do
    if string.sub(name, 1, #"doubt:") == "doubt:" then gone[#gone + 1] = name end
  end
  if #gone > 0 then redis.call('HDEL', counts.key, unpack(gone)) end
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
local function read_record(record)
  local flat, by = redis.call('HGETALL', record), {}
  for i = 1, #flat, 2 do by[flat[i]] = flat[i + 1] end
  return by
end
local function sort_fields(at, fields, set, drop)
  local n = #set
  for i = 1, #fields, 2 do
    local name, value = fields[i], fields[i + 1]
    if string.byte(name) == 64 then name = string.sub(name, 2); value = at + tonumber(value) end
    if value == '' then drop[#drop + 1] = name else set[n + 1] = name; set[n + 2] = value; n = n + 2 end
  end
end
local function given(fields, name)
  for i = 1, #fields, 2 do
    if fields[i] == name then return fields[i + 1] end
  end
end
local function write_fields(record, r, set, drop)
  local gone = {}
  for _, name in ipairs(drop) do
    if r[name] then gone[#gone + 1] = name end
  end
  if #gone > 0 then redis.call('HDEL', record, unpack(gone)) end
  redis.call('HSET', record, unpack(set))
end
local function begin_changes(at, keys, step)
  return {at = at, keys = keys, step = step, counts = sheet(keys.counts), made = 0, ids = {}, entered = {},
    members = {}, listed = {}, due = {}, over = {}}
end
local function pair(list, one, other)
  local n = #list
  list[n + 1] = one; list[n + 2] = other
end
local function due_after(at, c, nudged, unheard)
  local due = c.dueInMs and at + c.dueInMs
  if c.keepLeaseMs or not nudged then return due end
  if due then return math.min(due, at + c.nudgeAfterMs) end
  if unheard and c.nudgeAfterMs > 0 then return at + c.nudgeAfterMs end
end
local function note_change(all, c, r, created)
  local at, keys, step, counts = all.at, all.keys, all.step, all.counts
  local from, to, xof = step.from, step.to, c.xof
  all.made = all.made + 1
  if from ~= to then
    tally(counts, from, -1)
    tally(counts, to, 1)
    if xof then tally(counts, 'xof:' .. from, -xof); tally(counts, 'xof:' .. to, xof) end
    fly(counts, r.account, r.withdrawMode, from, to, xof)
    stand({counts = counts, account = r.account, at = at, since = r.since, left = step.stood, entered = step.stands,
      xof = xof})
    if keys.entered then pair(all.entered, at, c.id) end
    if keys.listedLeft then all.members[#all.members + 1] = c.member; pair(all.listed, created, c.member) end
  end
  all.ids[all.made] = c.id
end
local function change_record(all, c, stop)
  local at, step, record = all.at, all.step, c.record
  local from, to, fields = step.from, step.to, c.fields
  local r = read_record(record)
  if not r.state then return {'none'} end
  if r.op == c.op then return {'mine', r.state} end
  if r.state ~= from or (c.lease and r.lease ~= c.lease) then return {'not yours', r.state} end
  same_version(r.v)
  local rev = whole(given(fields, 'rev') or r.rev, 0, 'rev') + 1
  whole(r.en, 0, 'en')
  if c.eventType then whole(r.seq, 0, 'seq') end
  if not r.account then refuse('account') end
  local created = whole(r.createdAt, 0, 'createdAt')
  local nudged = r.hint ~= '' and r.hint
  local stopped = stop(c)
  if stopped then return stopped end
  local set, drop = {'state', to, 'op', c.op, 'updatedAt', at, 'rev', rev}, {}
  if from ~= to then pair(set, 'since', at); drop[1] = 'tries' end
  sort_fields(at, fields, set, drop)
  local unheard = not c.keepLeaseMs and nudged and not string.find(nudged, ',' .. to .. ',', 1, true)
  if unheard and c.nudgeAfterMs > 0 then pair(set, 'hintedAt', at) end
  if c.keepLeaseMs then pair(set, 'until', at + c.keepLeaseMs)
  else pair(drop, 'lease', 'until'); drop[#drop + 1] = 'hint' end
  local seq
  if c.eventType then
    seq = tonumber(given(fields, 'seq') or r.seq or '0') + 1
    pair(set, 'seq', seq)
  end
  evidence_fields(at, c.evidence, r.en, set)
  write_fields(record, r, set, drop)
  note_change(all, c, r, created)
  local due = due_after(at, c, nudged, unheard)
  if due then pair(all.due, due, c.id) else all.over[#all.over + 1] = c.id end
  if c.eventType then
    emit(record, {stream = all.keys.events, counts = all.counts, id = c.id, at = at, account = r.account,
      type = c.eventType, data = c.eventData, seq = c.toldAs or seq, trace = c.trace})
  end
  return {'applied', to, rev, at}, created, nudged
end
local function end_changes(all)
  if all.made == 0 then return end
  local keys, step, ids = all.keys, all.step, all.ids
  if step.from ~= step.to then
    redis.call('ZREM', keys.left, unpack(ids))
    if keys.entered then redis.call('ZADD', keys.entered, unpack(all.entered)) end
    if keys.listedLeft then
      redis.call('ZREM', keys.listedLeft, unpack(all.members))
      redis.call('ZADD', keys.listedEntered, unpack(all.listed))
    end
  end
  if keys.dueLeft ~= keys.dueEntered then redis.call('ZREM', keys.dueLeft, unpack(ids)) end
  if #all.due > 0 then redis.call('ZADD', keys.dueEntered, unpack(all.due)) end
  if #all.over > 0 then redis.call('ZREM', keys.dueEntered, unpack(all.over)) end
  write_standing(all.counts)
  if step.kept then for_history(all.counts, keys.history, all.at, ids) end
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
local function raise(heartbeat, known, effects)
  local counter = known.counter + (effects or 1)
  if known.name then redis.call('HSET', heartbeat, 'counter', counter, "process:" .. known.name, counter)
  else redis.call('HSET', heartbeat, 'counter', counter) end
  return counter
end
local function moment_of(created)
  local moment = base36(created)
  return string.rep('0', 8 - #moment) .. moment
end
local function add_names(names, created, id)
  if #names == 0 then return end
  local moment = moment_of(created)
  for _, name in ipairs(names) do redis.call('ZADD', name.bucket, 0, name.head .. moment .. id) end
end
local function remove_names(names, created, id)
  if #names == 0 then return end
  local moment = moment_of(created)
  for _, name in ipairs(names) do redis.call('ZREM', name.bucket, name.head .. moment .. id) end
end
local function why_of(failure) return type(failure) == 'table' and failure.err or failure end
-- <generated>
local function _given(word) if word ~= '' then return word end end
local events = KEYS[1]
local counts = KEYS[2]
local left = KEYS[3]
local dueLeft = KEYS[4]
local dueEntered = KEYS[5]
local history = KEYS[6]
local heartbeat = KEYS[7]
local book = KEYS[8]
local closedDays = KEYS[9]
local now = tonumber(ARGV[1])
local step = {from = ARGV[2], to = ARGV[3], stood = _given(ARGV[4]), stands = _given(ARGV[5]), kept = ARGV[6] == '1'}
local unlessHeld = _given(ARGV[7])
local hasEffect = ARGV[8] == '1'
local memory = {epoch = _given(ARGV[9]), counter = tonumber(ARGV[10]), name = _given(ARGV[11]), mark = tonumber(ARGV[12])}
local _arg, _key = 12, 9
local entered
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; entered = KEYS[_key] end
local listedLeft
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; listedLeft = KEYS[_key] end
local listedEntered
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; listedEntered = KEYS[_key] end
local account
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; account = KEYS[_key] end
local audit = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; audit[_i] = KEYS[_key] end
local act = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do act[_i] = ARGV[_arg + _i] end
_arg = _arg + #act
local changes = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {record = KEYS[_key + 1], id = ARGV[_arg + 1], lease = _given(ARGV[_arg + 2]), op = ARGV[_arg + 3], dueInMs = tonumber(ARGV[_arg + 4]), keepLeaseMs = tonumber(ARGV[_arg + 5]), nudgeAfterMs = tonumber(ARGV[_arg + 6]), inRecovery = tonumber(ARGV[_arg + 7]), eventType = _given(ARGV[_arg + 8]), eventData = _given(ARGV[_arg + 9]), toldAs = tonumber(ARGV[_arg + 10]), trace = _given(ARGV[_arg + 11]), xof = tonumber(ARGV[_arg + 12]), evidence = _given(ARGV[_arg + 13]), member = ARGV[_arg + 14], beneficiary = _given(ARGV[_arg + 15]), recounted = tonumber(ARGV[_arg + 16])}
  _arg, _key = _arg + 16, _key + 1
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; _one.callback = KEYS[_key] end
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; _one.claimed = KEYS[_key] end
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; _one.sums = KEYS[_key] end
_one.buckets = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; _one.buckets[_i] = KEYS[_key] end
_one.heads = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _one.heads[_i] = ARGV[_arg + _i] end
_arg = _arg + #_one.heads
_one.posts = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _one.posts[_i] = ARGV[_arg + _i] end
_arg = _arg + #_one.posts
_one.fields = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _one.fields[_i] = ARGV[_arg + _i] end
_arg = _arg + #_one.fields
  changes[_n] = _one
end
-- </generated>
local shut, known
if hasEffect then shut, known = guard(heartbeat, memory) end
local isHeld = account and redis.call('HEXISTS', account, 'held:' .. unlessHeld) == 1
local all = begin_changes(clock(now), {events = events, counts = counts, left = left, entered = entered,
  listedLeft = listedLeft, listedEntered = listedEntered, dueLeft = dueLeft, dueEntered = dueEntered,
  history = history}, step)
local forgotten, posted, sums_of, applied = {}, {}, {}, 0
local function refusal(c)
  local why = shut or (c.inRecovery and not_as_it_was(heartbeat, c.record, c.inRecovery)) or (isHeld and {'held'})
  if why and redis.call('HGET', c.record, 'op') ~= c.op then return why end
end
local function claim(c)
  if not c.claimed or redis.call('SET', c.claimed, c.id, 'NX', 'EX', 604800) then return end
  local owner = redis.call('GET', c.claimed)
  if owner ~= c.id then return {'claimed', owner} end
end
local function recount(c)
  local sum, own = unpack(redis.call('HMGET', c.sums, 'all', c.beneficiary))
  if not sum then return end
  local function after(before) return string.format('%.0f', math.max(0, tonumber(before or '0') + c.recounted)) end
  redis.call('HSET', c.sums, 'all', after(sum), c.beneficiary, after(own))
end
local function add_own_names(c, created)
  local names = {}
  for i, bucket in ipairs(c.buckets) do names[i] = {bucket = bucket, head = c.heads[i]} end
  add_names(names, created, c.id)
end
local function gather(posts)
  for i = 1, #posts, 2 do
    local name, by = posts[i], tonumber(posts[i + 1])
    local place = sums_of[name]
    if place then posted[place] = posted[place] + by
    else
      pair(posted, name, by)
      sums_of[name] = #posted
    end
  end
end
local function transition(c)
  local refused = refusal(c)
  if refused then return refused end
  if c.sums then
    for _, sum in ipairs(redis.call('HMGET', c.sums, 'all', c.beneficiary)) do whole(sum, 0, 'the sum of the day') end
  end
  local answer, created, nudged = change_record(all, c, claim)
  if answer[1] == 'claimed' then return answer end
  if answer[1] ~= 'applied' then return claim(c) or answer end
  if known then
    applied = applied + 1
    answer[5] = known.counter + applied
  end
  gather(c.posts)
  local agrees = not nudged or string.find(nudged, ',' .. step.to .. ',', 1, true)
  if c.callback and agrees then forgotten[#forgotten + 1] = c.callback end
  add_own_names(c, created)
  if c.sums then recount(c) end
  return answer
end
local answers = {}
for i, c in ipairs(changes) do
  local done, answer = pcall(transition, c)
  answers[i] = done and answer or {'failed', why_of(answer)}
end
end_changes(all)
if #forgotten > 0 then redis.call('DEL', unpack(forgotten)) end
post(book, closedDays, all.at, posted)
if applied > 0 then raise(heartbeat, known, applied) end
if all.made > 0 then
  audit_line(audit, act, all.at, audit_word('state', step.from), audit_word('state', step.to))
end
return answers
`);

/** Changes the state of records, and in the same step all that may stand in the way of it. Those that are changed
 * together are alike: of one kind and account, from one state to another. Each has an answer of its own, in their
 * order, and one that cannot be changed stops none of the others. */
export async function transition(redis: lua.ScriptHost, args: TransitionArgs): Promise<TransitionAnswer> {
  const keys: string[] = [args.events, args.counts, args.left, args.dueLeft, args.dueEntered, args.history, args.heartbeat, args.book, args.closedDays, ...(args.entered === undefined ? [] : [args.entered]), ...(args.listedLeft === undefined ? [] : [args.listedLeft]), ...(args.listedEntered === undefined ? [] : [args.listedEntered]), ...(args.account === undefined ? [] : [args.account]), ...args.audit];
  for (const one of args.changes) {
    keys.push(one.record);
    if (one.callback !== undefined) keys.push(one.callback);
    if (one.claimed !== undefined) keys.push(one.claimed);
    if (one.sums !== undefined) keys.push(one.sums);
    keys.push(...one.buckets);
  }
  const words: lua.Word[] = [args.now ?? '', args.step.from, args.step.to, args.step.stood ?? '', args.step.stands ?? '', args.step.kept ? 1 : 0, args.unlessHeld ?? '', args.hasEffect ? 1 : 0, args.memory.epoch ?? '', args.memory.counter, args.memory.name ?? '', args.memory.mark, args.entered === undefined ? 0 : 1, args.listedLeft === undefined ? 0 : 1, args.listedEntered === undefined ? 0 : 1, args.account === undefined ? 0 : 1, args.audit.length, ...lua.counted(args.act)];
  words.push(args.changes.length);
  for (const one of args.changes) words.push(one.id, one.lease ?? '', one.op, one.dueInMs ?? '', one.keepLeaseMs ?? '', one.nudgeAfterMs, one.inRecovery ?? '', one.eventType ?? '', one.eventData ?? '', one.toldAs ?? '', one.trace ?? '', one.xof ?? '', one.evidence ?? '', one.member, one.beneficiary ?? '', one.recounted ?? '', one.callback === undefined ? 0 : 1, one.claimed === undefined ? 0 : 1, one.sums === undefined ? 0 : 1, one.buckets.length, ...lua.counted(one.heads), ...lua.pairs(one.posts), ...lua.pairs(one.fields));
  return readTransitionAnswer(await lua.runScript(redis, transitionScript, keys, words));
}

export interface TrimSliceArgs {
  /** key */ readonly slice: string;
  /** key: where it would be looked at */ readonly due: readonly string[];
  /** key: their records */ readonly messages: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  /** as it was read */ readonly rev: number;
}

export type TrimSliceAnswer = boolean;

const readTrimSliceAnswer: lua.Read<TrimSliceAnswer> = lua.flag;

export const trimSliceScript = lua.defineScript('trim-slice', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local slice = KEYS[1]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local rev = tonumber(ARGV[3])
local _arg, _key = 3, 1
local due = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; due[_i] = KEYS[_key] end
local messages = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; messages[_i] = KEYS[_key] end
-- </generated>
local stood, state, lease, ends = unpack(redis.call('HMGET', slice, 'rev', 'state', 'lease', 'until'))
if state ~= 'settled' or tonumber(stood or '') ~= rev then return 0 end
if lease and tonumber(ends or '0') > clock(now) then return 0 end
for _, set in ipairs(due) do
  if redis.call('ZSCORE', set, id) then return 0 end
end
if #messages > 0 and redis.call('EXISTS', unpack(messages)) > 0 then return 0 end
return redis.call('UNLINK', slice)
`);

/** Takes a slice of single messages out of Redis that is over, once the last of its messages has left. What became of
 * each, and what it said, history has with the message. */
export async function trimSlice(redis: lua.ScriptHost, args: TrimSliceArgs): Promise<TrimSliceAnswer> {
  const keys: string[] = [args.slice, ...args.due, ...args.messages];
  const words: lua.Word[] = [args.now ?? '', args.id, args.rev, args.due.length, args.messages.length];
  return readTrimSliceAnswer(await lua.runScript(redis, trimSliceScript, keys, words));
}

export interface TrimArgs {
  /** key */ readonly record: string;
  /** key */ readonly stubs: string;
  /** key: what waits for history */ readonly waiting: string;
  /** key: where it, or one of its slices, would be looked at */ readonly due: readonly string[];
  /** key */ readonly listed: string;
  /** key */ readonly callback: string;
  /** key: of its reference, where that may not be the identity */ readonly mapping?: string | undefined;
  /** key: what leads to it, while it does */ readonly named?: string | undefined;
  /** key: how far each kind was taken out */ readonly trimmed: string;
  /** key: what nobody needs once it is gone */ readonly beside: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  readonly kind: string;
  /** SHA-1 of its fields and values in the order of HGETALL, each behind its length */ readonly digest: string;
  readonly stubName: string;
  /** of its state */ readonly letter: string;
  /** the stub */ readonly keepDays: number;
  /** how it stands in the list */ readonly member: string;
  /** in which its slices are over */ readonly over: readonly string[];
  readonly slices: readonly {
    /** key */ readonly slice: string;
    /** key */ readonly own: string;
    readonly sliceId: string;
    /** as it was compared */ readonly rev: number;
  }[];
  readonly lists: readonly {
    /** key */ readonly list: string;
    /** as it was compared with what history has of it */ readonly length: number;
  }[];
  readonly hashes: readonly {
    /** key */ readonly hash: string;
    /** as it was compared with what history has of it: its values never change */ readonly size: number;
  }[];
  readonly names: readonly {
    /** key */ readonly bucket: string;
    readonly head: string;
  }[];
}

export type TrimAnswer =
  | { readonly is: 'trimmed' }
  | { readonly is: 'changed' }
  | { readonly is: 'gone' };

function readTrimAnswer(value: unknown): TrimAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'trimmed':
      return { is: 'trimmed' };
    case 'changed':
      return { is: 'changed' };
    case 'gone':
      return { is: 'gone' };
  }
  return lua.unexpected(value);
}

export const trimScript = lua.defineScript('trim', `
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
local function moment_of(created)
  local moment = base36(created)
  return string.rep('0', 8 - #moment) .. moment
end
local function add_names(names, created, id)
  if #names == 0 then return end
  local moment = moment_of(created)
  for _, name in ipairs(names) do redis.call('ZADD', name.bucket, 0, name.head .. moment .. id) end
end
local function remove_names(names, created, id)
  if #names == 0 then return end
  local moment = moment_of(created)
  for _, name in ipairs(names) do redis.call('ZREM', name.bucket, name.head .. moment .. id) end
end
-- <generated>
local record = KEYS[1]
local stubs = KEYS[2]
local waiting = KEYS[3]
local listed = KEYS[4]
local callback = KEYS[5]
local trimmed = KEYS[6]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local kind = ARGV[3]
local digest = ARGV[4]
local stubName = ARGV[5]
local letter = ARGV[6]
local keepDays = tonumber(ARGV[7])
local member = ARGV[8]
local _arg, _key = 8, 6
local due = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; due[_i] = KEYS[_key] end
local mapping
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; mapping = KEYS[_key] end
local named
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; named = KEYS[_key] end
local beside = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; beside[_i] = KEYS[_key] end
local over = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do over[_i] = ARGV[_arg + _i] end
_arg = _arg + #over
local slices = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {slice = KEYS[_key + 1], own = KEYS[_key + 2], sliceId = ARGV[_arg + 1], rev = tonumber(ARGV[_arg + 2])}
  _arg, _key = _arg + 2, _key + 2
  slices[_n] = _one
end
local lists = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {list = KEYS[_key + 1], length = tonumber(ARGV[_arg + 1])}
  _arg, _key = _arg + 1, _key + 1
  lists[_n] = _one
end
local hashes = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {hash = KEYS[_key + 1], size = tonumber(ARGV[_arg + 1])}
  _arg, _key = _arg + 1, _key + 1
  hashes[_n] = _one
end
local names = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {bucket = KEYS[_key + 1], head = ARGV[_arg + 1]}
  _arg, _key = _arg + 1, _key + 1
  names[_n] = _one
end
-- </generated>
local at = clock(now)
local stored, r = redis.call('HGETALL', record), {}
if #stored == 0 then return {'gone'} end
local pieces = {}
local function piece(word) pieces[#pieces + 1] = #word .. ':' .. word end
for i = 1, #stored, 2 do
  piece(stored[i]); piece(stored[i + 1])
  r[stored[i]] = stored[i + 1]
end
if redis.sha1hex(table.concat(pieces)) ~= digest then return {'changed'} end
local function is_needed(one, lease, ends)
  if lease and lease ~= '' and tonumber(ends or '0') > at then return true end
  if redis.call('ZSCORE', waiting, one) then return true end
  for _, set in ipairs(due) do
    if redis.call('ZSCORE', set, one) then return true end
  end
  return false
end
if is_needed(id, r.lease, r['until']) then return {'changed'} end
for _, one in ipairs(slices) do
  local rev, state, lease, ends = unpack(redis.call('HMGET', one.slice, 'rev', 'state', 'lease', 'until'))
  if tonumber(rev or '') ~= one.rev or not contains(over, state) then return {'changed'} end
  if is_needed(one.sliceId, lease, ends) then return {'changed'} end
end
for _, one in ipairs(lists) do
  if redis.call('LLEN', one.list) ~= one.length then return {'changed'} end
end
for _, one in ipairs(hashes) do
  if redis.call('HLEN', one.hash) ~= one.size then return {'changed'} end
end
if #(r.fp or '') < 6 then return {'changed'} end
local created = tonumber(r.createdAt)
local last = base36(math.floor(at / 86400000) + keepDays)
local furthest = math.max(created, tonumber(redis.call('HGET', trimmed, kind) or '0'))
redis.call('HSET', stubs, stubName, string.sub(r.fp, 1, 6) .. letter .. last)
redis.call('UNLINK', record, callback)
for _, one in ipairs(slices) do redis.call('UNLINK', one.slice, one.own) end
for _, one in ipairs(lists) do redis.call('UNLINK', one.list) end
for _, one in ipairs(hashes) do redis.call('UNLINK', one.hash) end
if named and redis.call('GET', named) == id then redis.call('UNLINK', named) end
for _, one in ipairs(beside) do redis.call('UNLINK', one) end
redis.call('ZREM', listed, member)
remove_names(names, created, id)
if mapping then redis.call('EXPIRE', mapping, keepDays * 86400) end
redis.call('HINCRBY', trimmed, "left:" .. kind, 1)
redis.call('HSET', trimmed, kind, string.format('%.0f', furthest))
return {'trimmed'}
`);

/** Takes a record out of Redis that history has as it is, with all by which it was found, and leaves a stub: its
 * identity is taken for as long as that stands. The caller has read it back from history just now; `digest` is of the
 * record as it was compared there. What has still to be copied, is looked at once more, or is held by an attempt stays.
 * A campaign leaves with all of its slices, or not at all, and a batch with all of its rows. */
export async function trim(redis: lua.ScriptHost, args: TrimArgs): Promise<TrimAnswer> {
  const keys: string[] = [args.record, args.stubs, args.waiting, args.listed, args.callback, args.trimmed, ...args.due, ...(args.mapping === undefined ? [] : [args.mapping]), ...(args.named === undefined ? [] : [args.named]), ...args.beside];
  for (const one of args.slices) {
    keys.push(one.slice, one.own);
  }
  for (const one of args.lists) {
    keys.push(one.list);
  }
  for (const one of args.hashes) {
    keys.push(one.hash);
  }
  for (const one of args.names) {
    keys.push(one.bucket);
  }
  const words: lua.Word[] = [args.now ?? '', args.id, args.kind, args.digest, args.stubName, args.letter, args.keepDays, args.member, args.due.length, args.mapping === undefined ? 0 : 1, args.named === undefined ? 0 : 1, args.beside.length, ...lua.counted(args.over)];
  words.push(args.slices.length);
  for (const one of args.slices) words.push(one.sliceId, one.rev);
  words.push(args.lists.length);
  for (const one of args.lists) words.push(one.length);
  words.push(args.hashes.length);
  for (const one of args.hashes) words.push(one.size);
  words.push(args.names.length);
  for (const one of args.names) words.push(one.head);
  return readTrimAnswer(await lua.runScript(redis, trimScript, keys, words));
}
