// Generated from ../retry-campaign.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface RetryCampaignArgs {
  /** key */ readonly campaign: string;
  /** key: of campaigns */ readonly counts: string;
  /** key: the set of that state */ readonly running: string;
  /** key: of campaigns */ readonly due: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  /** of the request */ readonly key?: string | undefined;
  readonly includeUnknown: boolean;
}

export type RetryCampaignAnswer =
  | { readonly is: 'applied'; readonly rev: number }
  | { readonly is: 'replayed' }
  | { readonly is: 'under way' }
  | { readonly is: 'nobody' }
  | { readonly is: 'refused'; readonly state: string };

function read(value: unknown): RetryCampaignAnswer {
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
    case 'refused':
      return { is: 'refused', state: lua.text(answer[1]) };
  }
  return lua.unexpected(value);
}

export const retryCampaignScript = lua.defineScript('retry-campaign', `
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
local campaign = KEYS[1]
local counts = KEYS[2]
local running = KEYS[3]
local due = KEYS[4]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local key = _given(ARGV[3])
local includeUnknown = ARGV[4] == '1'
-- </generated>
local at = clock(now)
local state, keys, failed, unknown, sent, retries, retried_unknown, version, rev = unpack(redis.call('HMGET', campaign,
  'state', 'retryKeys', 't:failed', 't:unknown', 't:sent', 'retries', 'retryUnknown', 'v', 'rev'))
if state then same_version(version) end
failed, unknown, sent = whole(failed, 0, 'a count'), whole(unknown, 0, 'a count'), whole(sent, 0, 'a count')
whole(retries, 0, 'a count')
whole(rev, 0, 'a count')
local unknown_too = includeUnknown and '1' or '0'
local decoded, known = pcall(cjson.decode, keys or '[]')
if not decoded or type(known) ~= 'table' then refuse('retryKeys') end
if key and contains(known, key) then return {'replayed'} end
if state == 'running' and retries and (retried_unknown or '0') == unknown_too then return {'under way'} end
if state ~= 'finished' then return {'refused', state or ''} end
if failed + (includeUnknown and unknown or 0) == 0 then return {'nobody'} end
if key then
  known[#known + 1] = key
  if #known > 20 then table.remove(known, 1) end
  redis.call('HSET', campaign, 'retryKeys', cjson.encode(known))
end
redis.call('HSET', campaign, 'state', 'running', 'since', at, 'updatedAt', at, 'walk', 0, 'walkUnknown', unknown_too,
  'retryUnknown', unknown_too, 'extra', 0)
redis.call('HSET', campaign, 'judgedFailed', failed, 'judgedUnknown', unknown, 'judgedOver', sent + failed + unknown)
redis.call('HINCRBY', campaign, 'retries', 1)
move({counts = counts, id = id, at = at, from = 'finished', to = 'running', left = running, entered = running})
redis.call('ZADD', due, at, id)
return {'applied', redis.call('HINCRBY', campaign, 'rev', 1)}
`);

/** Lets a finished campaign run again for those who failed, and where that is asked for, those who are unknown. From
 * here on `walk` is the place of the next chunk to be looked through; while it is there the campaign is not over. */
export async function retryCampaign(redis: lua.ScriptHost, args: RetryCampaignArgs): Promise<RetryCampaignAnswer> {
  const keys = [args.campaign, args.counts, args.running, args.due];
  const words: lua.Word[] = [args.now ?? '', args.id, args.key ?? '', args.includeUnknown ? 1 : 0];
  return read(await lua.runScript(redis, retryCampaignScript, keys, words));
}
