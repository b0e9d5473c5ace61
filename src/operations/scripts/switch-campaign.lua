-- Moves a campaign from one state to another. One that is to run and may not yet is `scheduled` instead, and starts by
-- itself when its time has come; one that is above what leaves on the word of one key, and was not approved, waits for
-- a different person instead. Whose hand was in it is noted: none of them may approve it. In a recovery its numbers
-- go on beyond those that were given in the time that was lost.
-- @key campaign  @key events
-- @key counts  of campaigns
-- @key due  of campaigns
-- @key parked
-- @key dueSlices
-- @key entered?  the set of the state that it is to enter; what is over stands in none
-- @key scheduled  @key awaiting  the sets of these states
-- @key limits
-- @key history  what waits for it
-- @key heartbeat
-- @keys left  the sets of the states of `from`
-- @keys audit
-- @arg now at?  @arg id text
-- @arg from state[]  the states that it may be left from
-- @arg to state
-- @arg eventType text?
-- @arg reason text?
-- @arg only text?  only if it is held for this reason
-- @arg asRead int?  only in this revision; absent: in any
-- @arg againInMs ms?  look again; absent: not
-- @arg by text?  whose hand it is
-- @arg approves int?  exactly what this revision of it says; absent: it is no approval
-- @arg inRecovery flag  only while one is under way
-- @arg eventsLost int  @arg revisionsLost int  so many may have been given since a copy was made, at the most
-- @arg trace text?  of who asks for it: what becomes of it belongs to that
-- @arg act text[]
-- @arg asked pairs  what the process itself asks for of each limit
-- @arrow from -> to
-- @arrow campaign ready, scheduled, paused, held -> awaiting_approval
-- @returns applied {from state, rev int, to state} | refused {state} | own
--- @include "lib/above-approval"
--- @include "lib/audit"
--- @include "lib/clock"
--- @include "lib/emit"
--- @include "lib/history"
--- @include "lib/move"
--- @include "lib/version"

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
  if redis.call('HEXISTS', campaign, HAND .. by) == 1 then return {'own'} end
end
if to == 'running' and must_be_approved() then
  to, eventType, entered = 'awaiting_approval', 'campaign.awaiting_approval', awaiting
elseif to == 'running' and send_at and tonumber(send_at) > at then to = 'scheduled'; entered = scheduled end
if stood == to then return {'applied', stood, tonumber(redis.call('HGET', campaign, 'rev')), to} end
redis.call('HSET', campaign, 'state', to, 'since', at, 'updatedAt', at)
if trace then redis.call('HSET', campaign, 'trace', trace) end
if approves then redis.call('HSET', campaign, 'approvedBy', by, 'approvedAt', at)
elseif by then redis.call('HSETNX', campaign, HAND .. by, at) end
if reason then redis.call('HSET', campaign, 'reason', reason) else redis.call('HDEL', campaign, 'reason') end
local counted = sheet(counts)
move({counts = counted, id = id, at = at, from = stood, to = to, left = set, entered = entered})

local function unpark()
  for _, slice in ipairs(redis.call('SMEMBERS', parked)) do redis.call('ZADD', dueSlices, at, slice) end
  redis.call('DEL', parked)
end
local function run()
  redis.call('HSETNX', campaign, 'startedAt', at)
  -- Somebody, or time, has said "go on": what failed or is in doubt before that is not held against it again.
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
  -- Some of these were to go out a second time: what became of the first one is written down for them again.
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
