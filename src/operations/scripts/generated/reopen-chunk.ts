// Generated from ../reopen-chunk.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface ReopenChunkArgs {
  /** key */ readonly chunk: string;
  /** key */ readonly campaign: string;
  /** key: of chunks */ readonly counts: string;
  /** key: the set of that state */ readonly queued: string;
  /** key: of chunks */ readonly due: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  /** which one */ readonly retry: number;
  /** of the chunk, as it was read */ readonly rev: number;
  readonly outcome: string;
  /** as they become */ readonly again?: string | undefined;
  /** fields of the campaign, and by how much each changes */ readonly deltas: Readonly<Record<string, string | number>>;
}

export type ReopenChunkAnswer =
  | { readonly is: 'opened' }
  | { readonly is: 'done' }
  | { readonly is: 'stopped' }
  | { readonly is: 'changed' };

function read(value: unknown): ReopenChunkAnswer {
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

export const reopenChunkScript = lua.defineScript('reopen-chunk', `
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
local function _given(word) if word ~= '' then return word end end
local chunk = KEYS[1]
local campaign = KEYS[2]
local counts = KEYS[3]
local queued = KEYS[4]
local due = KEYS[5]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local retry = tonumber(ARGV[3])
local rev = tonumber(ARGV[4])
local outcome = ARGV[5]
local again = _given(ARGV[6])
local _arg, _key = 6, 5
local deltas = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do deltas[_i] = ARGV[_arg + _i] end
_arg = _arg + #deltas
-- </generated>
local at = clock(now)
local c = redis.call('HMGET', campaign, 'state', 'retries', 'walk', 'v', 'settled', 'out', 'judgedFailed',
  'judgedUnknown', 'judgedOver')
if c[1] ~= 'running' or tonumber(c[2] or '') ~= retry or not c[3] then return {'stopped'} end
local state, revision, retried, version = unpack(redis.call('HMGET', chunk, 'state', 'rev', 'retry', 'v'))
if state ~= 'settled' or tonumber(retried or '') == retry then return {'done'} end
if tonumber(revision or '') ~= rev then return {'changed'} end
same_version(version)
same_version(c[4])
whole(revision, 0, 'rev')
for i = 5, 9 do whole(c[i], 0, 'a count') end
for i = 1, #deltas, 2 do whole(redis.call('HGET', campaign, deltas[i]), 0, deltas[i]) end
redis.call('HSET', chunk, 'state', 'queued', 'since', at, 'updatedAt', at, 'retry', retry, 'outcome', outcome)
if again then redis.call('HSET', chunk, 'again', again) else redis.call('HDEL', chunk, 'again') end
redis.call('HDEL', chunk, 'plan', 'refusedAs', 'looks', 'resends', 'tries', 'firstSentAt', 'restored')
redis.call('HINCRBY', chunk, 'rev', 1)
move({counts = counts, id = id, at = at, from = 'settled', to = 'queued', left = queued, entered = queued})
redis.call('ZADD', due, at, id)
redis.call('HINCRBY', campaign, 'settled', -1)
redis.call('HINCRBY', campaign, 'out', 1)
local judged = {['t:failed'] = 'judgedFailed', ['t:unknown'] = 'judgedUnknown'}
for i = 1, #deltas, 2 do
  local field, delta = deltas[i], deltas[i + 1]
  redis.call('HINCRBY', campaign, field, delta)
  if judged[field] then
    redis.call('HINCRBY', campaign, judged[field], delta)
    redis.call('HINCRBY', campaign, 'judgedOver', delta)
  end
end
return {'opened'}
`);

/** Opens a chunk that is over again, for some of its recipients: once in each retry, whatever asks and however often.
 * Answers `done`: there is nothing to open; `stopped`: the retry does not go on at this moment; `changed`: it is not as
 * it was read. */
export async function reopenChunk(redis: lua.ScriptHost, args: ReopenChunkArgs): Promise<ReopenChunkAnswer> {
  const keys = [args.chunk, args.campaign, args.counts, args.queued, args.due];
  const words: lua.Word[] = [args.now ?? '', args.id, args.retry, args.rev, args.outcome, args.again ?? '', ...lua.pairs(args.deltas)];
  return read(await lua.runScript(redis, reopenChunkScript, keys, words));
}
