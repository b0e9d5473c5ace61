// Generated from ../reopen-slice.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface ReopenSliceArgs {
  /** key */ readonly slice: string;
  /** key */ readonly campaign: string;
  /** key: of slices */ readonly counts: string;
  /** key: the set of queued slices */ readonly queued: string;
  /** key */ readonly dueToSend: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  /** which retry of the campaign */ readonly retry: number;
  /** of the slice, as it was read */ readonly rev: number;
  /** the number of the request that is opened */ readonly next: number;
  /** the request: who waits again */ readonly becomes: string;
  /** fields of the campaign, and by how much they change */ readonly deltas: Readonly<Record<string, string | number>>;
}

export type ReopenSliceAnswer =
  | { readonly is: 'opened' }
  | { readonly is: 'done' }
  | { readonly is: 'stopped' }
  | { readonly is: 'changed' };

function read(value: unknown): ReopenSliceAnswer {
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
local now = tonumber(ARGV[1])
local id = ARGV[2]
local retry = tonumber(ARGV[3])
local rev = tonumber(ARGV[4])
local next = tonumber(ARGV[5])
local becomes = ARGV[6]
local _arg, _key = 6, 5
local deltas = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do deltas[_i] = ARGV[_arg + _i] end
_arg = _arg + #deltas
-- </generated>
local at = clock(now)
local goes, retries, cursor, campaign_version = unpack(redis.call('HMGET', campaign, 'state', 'retries', 'walk', 'v'))
if goes ~= 'running' or tonumber(retries or '') ~= retry or not cursor then return {'stopped'} end
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
redis.call('HSET', slice, 'since', at, 'updatedAt', at, 'retry', retry, 'rev', rev + 1, 'n', next + 1, 'r' .. next, becomes,
  'state', 'queued')
redis.call('HDEL', slice, 'tries', 'restored')
move({counts = counts, id = id, at = at, from = 'settled', to = 'queued', left = queued, entered = queued})
redis.call('ZADD', dueToSend, at, id)
return {'opened'}
`);

/** Opens a slice that is over again, for some of its recipients: once in each retry, however often it is asked for. */
export async function reopenSlice(redis: lua.ScriptHost, args: ReopenSliceArgs): Promise<ReopenSliceAnswer> {
  const keys = [args.slice, args.campaign, args.counts, args.queued, args.dueToSend];
  const words: lua.Word[] = [args.now ?? '', args.id, args.retry, args.rev, args.next, args.becomes, ...lua.pairs(args.deltas)];
  return read(await lua.runScript(redis, reopenSliceScript, keys, words));
}
