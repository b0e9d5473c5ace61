-- Writes a record again that history alone has, as it left, since something was said about it. Never over one that is
-- there, and only where its stub says that it left. Its stub stays: it says nothing while the record is there.
-- @key record  @key stubs
-- @key mapping?  of its reference, where that may not be the identity: it was to be forgotten with the stub
-- @key listed
-- @arg id text  @arg stubName text  @arg created at  @arg member text
-- @each names
--   @key bucket  @arg head text
-- @arg fields pairs
-- @returns flag
--- @include "lib/names"
--- @include "lib/stub"

if redis.call('EXISTS', record) == 1 or not stub_of(stubs, stubName) then return 0 end
redis.call('HSET', record, unpack(fields))
redis.call('ZADD', listed, created, member)
add_names(names, created, id)
if mapping and redis.call('GET', mapping) == id then redis.call('PERSIST', mapping) end
return 1
