// Generated from ../commit-upload.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface CommitUploadArgs {
  /** key */ readonly campaign: string;
  /** key: of campaigns */ readonly counts: string;
  /** key */ readonly draft: string;
  /** key: sets of these states */ readonly ready: string;
  /** key */ readonly chunkCounts: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  /** JSON: uploads as they were read */ readonly before: string;
  /** JSON: as they become */ readonly after: string;
  readonly recipients: number;
  readonly skipped: number;
  readonly chunks: number;
  readonly segments: number;
}

export type CommitUploadAnswer =
  | { readonly is: 'committed' }
  | { readonly is: 'changed'; readonly state: string };

function read(value: unknown): CommitUploadAnswer {
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
local campaign = KEYS[1]
local counts = KEYS[2]
local draft = KEYS[3]
local ready = KEYS[4]
local chunkCounts = KEYS[5]
local now = tonumber(ARGV[1])
local before = ARGV[2]
local after = ARGV[3]
local recipients = tonumber(ARGV[4])
local skipped = tonumber(ARGV[5])
local chunks = tonumber(ARGV[6])
local segments = tonumber(ARGV[7])
-- </generated>
local at = clock(now)
local r = redis.call('HMGET', campaign, 'state', 'uploads', 'id', 'v', 't:queued', 't:skipped', 't:total', 'chunks',
  'segments', 'rev')
local state, uploads, id, version = unpack(r, 1, 4)
if (state ~= 'draft' and state ~= 'ready') or (uploads or '[]') ~= before then return {'changed', state or ''} end
same_version(version)
for i = 5, 10 do whole(r[i], 0, 'a count') end
if not id then refuse('id') end
redis.call('HSET', campaign, 'uploads', after, 'updatedAt', at)
redis.call('HINCRBY', campaign, 't:queued', recipients)
redis.call('HINCRBY', campaign, 't:skipped', skipped)
redis.call('HINCRBY', campaign, 't:total', recipients + skipped)
redis.call('HINCRBY', campaign, 'chunks', chunks)
redis.call('HINCRBY', campaign, 'segments', segments)
redis.call('HINCRBY', campaign, 'rev', 1)
tally(chunkCounts, 'queued', chunks)
if state == 'draft' then
  redis.call('HSET', campaign, 'state', 'ready', 'since', at)
  move({counts = counts, id = id, at = at, from = 'draft', to = 'ready', left = draft, entered = ready})
end
return {'committed'}
`);

/** Counts a whole upload, or nothing of it. */
export async function commitUpload(redis: lua.ScriptHost, args: CommitUploadArgs): Promise<CommitUploadAnswer> {
  const keys = [args.campaign, args.counts, args.draft, args.ready, args.chunkCounts];
  const words: lua.Word[] = [args.now ?? '', args.before, args.after, args.recipients, args.skipped, args.chunks, args.segments];
  return read(await lua.runScript(redis, commitUploadScript, keys, words));
}
