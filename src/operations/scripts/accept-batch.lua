-- Writes the record of a batch together with its rows, or says which one stands for it already. One that was
-- invalid is judged again with the same bytes: a limit was raised or an account was added meanwhile. While a batch
-- of the same bytes is open under another name, there is no second one. One that history alone has stands as it left.
-- @key record  @key counts  @key index
-- @key stubs  what is left of it where history alone has it
-- @key invalid  the set of invalid ones
-- @key entered  the set of the state that it enters
-- @key due
-- @key staged  its rows, until it is accepted
-- @key rows
-- @key ofBytes  the batch of these bytes
-- @key other  the record of the batch that this named when it was read; its own where it named none
-- @key heartbeat  @key events
-- @keys audit
-- @arg now at?  @arg id text  @arg stubName text  @arg fingerprint text
-- @arg state invalid|awaiting_approval
-- @arg dueInMs ms?  @arg account text
-- @arg count int  of staged rows
-- @arg named text?  the batch of these bytes as it was read
-- @arg memory Memory
-- @arg eventData json?  told to the people who approve; absent: nobody is to
-- @arg act text[]
-- @arg fields pairs
-- @arrow new, invalid -> state
-- @returns accepted {id, state} | duplicate {id, state} | conflict {id} | open {id} | read again | unstaged
--   | recovering
--- @include "lib/audit"
--- @include "lib/clock"
--- @include "lib/emit"
--- @include "lib/heartbeat"
--- @include "lib/move"
--- @include "lib/stub"
--- @include "lib/version"

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
  if print and print ~= string.sub(fingerprint, 1, STUB_PRINT) then return {'conflict', id} end
  if print then return {'duplicate', id, ended} end
end
-- A primary that took over may have fewer: written without them, these bytes could never be paid.
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
