-- Which person somebody is who comes by a provider of identities: bound when they first come to what the provider calls
-- them, which never changes. A name that is somebody else's is not given again. Every address that they came with is
-- kept: who is called so by a key may be the same one.
-- @key persons  by subject
-- @key subjects  by the provider, and the name of the person
-- @key called  the person, and an address, of each who came with another one than that
-- @arg subject text  the provider, and what it calls them
-- @arg provider text
-- @arg address text?  one that the provider has verified
-- @arg names text[]  what they may be called, the best first; the last is given in any case
-- @returns {person}

local person = redis.call('HGET', persons, subject)
if not person then
  for i, name in ipairs(names) do
    local owner = redis.call('HGET', subjects, provider .. ' ' .. name)
    if not person and (i == #names or not owner or owner == subject) then person = name end
  end
  redis.call('HSET', persons, subject, person)
  redis.call('HSET', subjects, provider .. ' ' .. person, subject)
end
if address and address ~= person then redis.call('SADD', called, person .. '\n' .. address) end
return {person}
