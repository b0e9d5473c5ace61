-- Lets a finished campaign run again for those who failed, and where that is asked for, those who are unknown. From
-- here on `walk` is the place of the next slice to be looked through; while it is there the campaign is not over. One
-- that is above what leaves on the word of one key, and was never approved, is not retried. In a recovery it is the
-- retry of a lost time that is begun again: it was allowed then, and nothing of it is due.
-- @key campaign
-- @key counts  of campaigns
-- @key running  the set of that state
-- @key due  of campaigns
-- @key limits
-- @key history  what waits for it
-- @key heartbeat
-- @keys audit
-- @arg now at?  @arg id text
-- @arg key text?  of the request
-- @arg includeUnknown flag
-- @arg inRecovery flag  only while one is under way
-- @arg act text[]
-- @arg asked pairs  what the process itself asks for of each limit
-- @arrow campaign finished -> running
-- @returns applied {rev int} | replayed | under way | nobody | unapproved | refused {state}
--- @include "lib/above-approval"
--- @include "lib/audit"
--- @include "lib/clock"
--- @include "lib/contains"
--- @include "lib/history"
--- @include "lib/move"
--- @include "lib/version"

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
-- Whatever it was answered, a key that was heard begins nothing later.
local function keep_key()
  if not key then return end
  known[#known + 1] = key
  if #known > RETRY_KEYS_KEPT then table.remove(known, 1) end
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
-- What failed or is in doubt before it is retried is not held against it again.
redis.call('HSET', campaign, 'judgedFailed', failed, 'judgedUnknown', unknown, 'judgedOver', sent + failed + unknown)
redis.call('HINCRBY', campaign, 'retries', 1)
local counted = sheet(counts)
move({counts = counted, id = id, at = at, from = 'finished', to = 'running', left = running, entered = running})
write_sheet(counted)
for_history(counted, history, at, {id})
if not inRecovery then redis.call('ZADD', due, at, id) end
audit_line(audit, act, at, audit_word('state', state), audit_word('state', 'running'))
return {'applied', redis.call('HINCRBY', campaign, 'rev', 1)}
