-- Changes how a campaign is sent, from the next request on. What belongs to an approval that was given stays as it was,
-- and so does what the values of its recipients were taken for, from the first upload on.
-- @key campaign
-- @key due  of campaigns
-- @keys audit
-- @arg now at?  @arg id text
-- @arg over state[]  states in which nothing is changed any more
-- @arg act text[]
-- @arg fields pairs  '' deletes the field
-- @arg by text  whose hand it is
-- @returns applied {rev int} | refused {state} | approved | filled
--- @include "lib/audit"
--- @include "lib/clock"
--- @include "lib/contains"
--- @include "lib/version"

local at = clock(now)
local state, version, rev, approved = unpack(redis.call('HMGET', campaign, 'state', 'v', 'rev', 'approvedBy'))
if not state or contains(over, state) then return {'refused', state or ''} end
same_version(version)
whole(rev, 0, 'rev')
for i = 1, #fields, 2 do
  if approved and APPROVED_WITH[fields[i]] then return {'approved'} end
  if state ~= 'draft' and DRAFTED[fields[i]] then return {'filled'} end
end
redis.call('HSETNX', campaign, HAND .. by, at)
local before, after = {}, {}
for i = 1, #fields, 2 do
  local name, value = fields[i], fields[i + 1]
  local was = redis.call('HGET', campaign, name) or ''
  if was ~= value then before[#before + 1] = audit_word(name, was); after[#after + 1] = audit_word(name, value) end
  if value == '' then redis.call('HDEL', campaign, name) else redis.call('HSET', campaign, name, value) end
  -- A slow pace has put the next recipient far off.
  if name == 'perSecond' then redis.call('HDEL', campaign, 'paceAt') end
end
redis.call('HSET', campaign, 'updatedAt', at)
if state == 'running' or state == 'held' then redis.call('ZADD', due, at, id) end
-- Sent again after a lost reply it finds nothing to change.
if #after > 0 then audit_line(audit, act, at, table.concat(before, ','), table.concat(after, ',')) end
return {'applied', redis.call('HINCRBY', campaign, 'rev', 1)}
