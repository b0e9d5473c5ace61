// Generated from ../accept-messages.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface AcceptMessagesArgs {
  /** key */ readonly chunk: string;
  /** key */ readonly due: string;
  /** key */ readonly messageCounts: string;
  /** key */ readonly chunkCounts: string;
  /** key: the set of queued chunks */ readonly queued: string;
  /** key */ readonly heartbeat: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly chunkId: string;
  readonly account: string;
  readonly lane: 'otp' | 'normal';
  /** in a chunk */ readonly most: number;
  /** ms: from the creation of the chunk */ readonly dueInMs: number;
  readonly memory: { readonly epoch?: string | undefined; readonly counter: number; readonly name?: string | undefined; readonly mark: number };
  readonly messages: readonly {
    /** key */ readonly record: string;
    /** key: of its reference */ readonly mapping?: string | undefined;
    /** key: the record that the reference alone would have, where that is another one */ readonly other?: string | undefined;
    readonly id: string;
    readonly fingerprint: string;
    readonly reference?: string | undefined;
    readonly otherId?: string | undefined;
    readonly to: string;
    readonly text: string;
    readonly from?: string | undefined;
    /** ms since the epoch */ readonly expiresAt?: number | undefined;
  }[];
}

export type AcceptMessagesVerdict =
  | { readonly is: 'accepted'; readonly state: string }
  | { readonly is: 'duplicate'; readonly state: string }
  | { readonly is: 'conflict'; readonly id: string }
  | { readonly is: 'full' };

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
  }
  return lua.unexpected(value);
}

function read(value: unknown): AcceptMessagesAnswer {
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
local function tally(key, field, delta)
  redis.pcall('HINCRBY', key, field, delta)
end
-- <generated>
local function _given(word) if word ~= '' then return word end end
local chunk = KEYS[1]
local due = KEYS[2]
local messageCounts = KEYS[3]
local chunkCounts = KEYS[4]
local queued = KEYS[5]
local heartbeat = KEYS[6]
local now = tonumber(ARGV[1])
local chunkId = ARGV[2]
local account = ARGV[3]
local lane = ARGV[4]
local most = tonumber(ARGV[5])
local dueInMs = tonumber(ARGV[6])
local memory = {epoch = _given(ARGV[7]), counter = tonumber(ARGV[8]), name = _given(ARGV[9]), mark = tonumber(ARGV[10])}
local _arg, _key = 10, 6
local messages = {}
_arg = _arg + 1
for _n = 1, tonumber(ARGV[_arg]) do
  local _one = {record = KEYS[_key + 1], id = ARGV[_arg + 1], fingerprint = ARGV[_arg + 2], reference = _given(ARGV[_arg + 3]), otherId = _given(ARGV[_arg + 4]), to = ARGV[_arg + 5], text = ARGV[_arg + 6], from = _given(ARGV[_arg + 7]), expiresAt = tonumber(ARGV[_arg + 8])}
  _arg, _key = _arg + 8, _key + 1
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; _one.mapping = KEYS[_key] end
_arg = _arg + 1
if ARGV[_arg] == '1' then _key = _key + 1; _one.other = KEYS[_key] end
  messages[_n] = _one
end
-- </generated>
local shut = guard(heartbeat, memory)
if shut then return shut end
local at = clock(now)
local state, lease, count, version, packed = unpack(redis.call('HMGET', chunk, 'state', 'lease', 'count', 'v', 'items'))
count = whole(count, 0, 'count')
local takes = not state or (state == 'queued' and not lease and version == "1" and packed)
local verdicts, items = {}, {}
local function write(m)
  claim_reference(m)
  local set = {'id', m.id, 'kind', 'message', 'v', "1", 'state', 'queued', 'fp', m.fingerprint, 'rev', 1,
    'createdAt', at, 'updatedAt', at, 'since', at, 'account', account, 'lane', lane, 'chunk', chunkId, 'to', m.to,
    'text', m.text}
  if m.from then set[#set + 1] = 'from'; set[#set + 1] = m.from end
  if m.expiresAt then set[#set + 1] = 'expiresAt'; set[#set + 1] = m.expiresAt end
  if m.reference then set[#set + 1] = 'reference'; set[#set + 1] = m.reference end
  redis.call('HSET', m.record, unpack(set))
  items[#items + 1] = cjson.encode({m.id, m.to, m.from or '', m.text, m.expiresAt or 0})
end
for i, m in ipairs(messages) do
  local known, detail = standing(m)
  if known then
    verdicts[i] = {known, detail}
  elseif takes and count + #items < most then
    write(m)
    verdicts[i] = {'accepted', 'queued'}
  else
    verdicts[i] = {'full'}
  end
end
if #items == 0 then return {'accepted', count, verdicts} end
local joined = table.concat(items, ',')
count = count + #items
tally(messageCounts, 'queued', #items)
if state then
  redis.call('HSET', chunk, 'count', count, 'items', packed .. ',' .. joined)
else
  redis.call('HSET', chunk, 'id', chunkId, 'kind', 'chunk', 'v', "1", 'state', 'queued', 'rev', 1, 'createdAt', at,
    'updatedAt', at, 'since', at, 'account', account, 'lane', lane, 'count', count, 'items', joined)
  redis.call('ZADD', due, at + dueInMs, chunkId)
  tally(chunkCounts, 'queued', 1)
  redis.call('ZADD', queued, at, chunkId)
end
return {'accepted', count, verdicts}
`);

/** Accepts messages and puts them into the chunk that this process is filling, which is created with the first of
 * them. Each has a verdict of its own, in their order; the chunk is read once and written once for all of them, its
 * items in the form of chunk-items.ts. */
export async function acceptMessages(redis: lua.ScriptHost, args: AcceptMessagesArgs): Promise<AcceptMessagesAnswer> {
  const keys = [args.chunk, args.due, args.messageCounts, args.chunkCounts, args.queued, args.heartbeat, ...args.messages.flatMap((one) => [one.record, ...(one.mapping === undefined ? [] : [one.mapping]), ...(one.other === undefined ? [] : [one.other])])];
  const words: lua.Word[] = [args.now ?? '', args.chunkId, args.account, args.lane, args.most, args.dueInMs, args.memory.epoch ?? '', args.memory.counter, args.memory.name ?? '', args.memory.mark, args.messages.length, ...args.messages.flatMap((one) => [one.id, one.fingerprint, one.reference ?? '', one.otherId ?? '', one.to, one.text, one.from ?? '', one.expiresAt ?? '', one.mapping === undefined ? 0 : 1, one.other === undefined ? 0 : 1])];
  return read(await lua.runScript(redis, acceptMessagesScript, keys, words));
}
