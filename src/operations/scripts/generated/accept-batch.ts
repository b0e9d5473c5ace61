// Generated from ../accept-batch.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface AcceptBatchArgs {
  /** key */ readonly record: string;
  /** key */ readonly counts: string;
  /** key */ readonly index: string;
  /** key: the set of invalid ones */ readonly invalid: string;
  /** key: the set of the state that it enters */ readonly entered: string;
  /** key */ readonly due: string;
  /** key: its rows, until it is accepted */ readonly staged: string;
  /** key */ readonly rows: string;
  /** key: the batch of these bytes */ readonly ofBytes: string;
  /** key: the record of the batch that this named when it was read; its own where it named none */ readonly other: string;
  /** key */ readonly heartbeat: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  readonly fingerprint: string;
  readonly state: 'invalid' | 'awaiting_approval';
  /** ms */ readonly dueInMs?: number | undefined;
  readonly account: string;
  /** of staged rows */ readonly count: number;
  /** the batch of these bytes as it was read */ readonly named?: string | undefined;
  readonly memory: { readonly epoch?: string | undefined; readonly counter: number; readonly name?: string | undefined; readonly mark: number };
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

function read(value: unknown): AcceptBatchAnswer {
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
local function tally(key, field, delta)
  redis.pcall('HINCRBY', key, field, delta)
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
local record = KEYS[1]
local counts = KEYS[2]
local index = KEYS[3]
local invalid = KEYS[4]
local entered = KEYS[5]
local due = KEYS[6]
local staged = KEYS[7]
local rows = KEYS[8]
local ofBytes = KEYS[9]
local other = KEYS[10]
local heartbeat = KEYS[11]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local fingerprint = ARGV[3]
local state = ARGV[4]
local dueInMs = tonumber(ARGV[5])
local account = ARGV[6]
local count = tonumber(ARGV[7])
local named = _given(ARGV[8])
local memory = {epoch = _given(ARGV[9]), counter = tonumber(ARGV[10]), name = _given(ARGV[11]), mark = tonumber(ARGV[12])}
local _arg, _key = 12, 11
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
return {'accepted', id, state}
`);

/** Writes the record of a batch together with its rows, or says which one stands for it already. One that was
 * invalid is judged again with the same bytes: a limit was raised or an account was added meanwhile. While a batch
 * of the same bytes is open under another name, there is no second one. */
export async function acceptBatch(redis: lua.ScriptHost, args: AcceptBatchArgs): Promise<AcceptBatchAnswer> {
  const keys = [args.record, args.counts, args.index, args.invalid, args.entered, args.due, args.staged, args.rows, args.ofBytes, args.other, args.heartbeat];
  const words: lua.Word[] = [args.now ?? '', args.id, args.fingerprint, args.state, args.dueInMs ?? '', args.account, args.count, args.named ?? '', args.memory.epoch ?? '', args.memory.counter, args.memory.name ?? '', args.memory.mark, ...lua.pairs(args.fields)];
  return read(await lua.runScript(redis, acceptBatchScript, keys, words));
}
