-- Where history is kept, the counters of each kind say so, and what becomes final is noted here for it, by when it did.
-- `counts` is a sheet: one that was written has read that; where nothing was counted, it is asked now.
local function for_history(counts, waiting, at, ids)
  if #ids == 0 then return end
  if counts.history == nil then counts.history = redis.pcall('HGET', counts.key, HISTORY_FIELD) end
  if counts.history ~= '1' then return end
  local words = {}
  for _, id in ipairs(ids) do words[#words + 1] = at; words[#words + 1] = id end
  redis.call('ZADD', waiting, unpack(words))
end
