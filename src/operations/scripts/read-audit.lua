-- Lines of the audit as one text, the oldest first: [[id, [name, value, …]], …]. A client that reads each word of an
-- answer by itself takes five times as long as for this.
-- @key stream
-- @arg from text  @arg upto text  @arg most int
-- @returns json

local lines = redis.call('XRANGE', stream, from, upto, 'COUNT', most)
return #lines > 0 and cjson.encode(lines) or '[]'
