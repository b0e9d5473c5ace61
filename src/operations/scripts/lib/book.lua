-- The book of the day: what was accepted and how things ended, counted by the scripts that make it so. `book` is a
-- hash with the sums of the day that is open, and until when it is; `closed` holds the days before it, one text each,
-- which nothing changes any more. What comes late is written into the day in which it comes; a day is never opened
-- again, whatever clock a new primary has.
-- How far the clock of the zone is from UTC at that time: `from:offset`, ms, in the order of time.
local function offset_at(at, offsets)
  local offset = 0
  for from, ms in string.gmatch(offsets or '', '(%d+):(%-?%d+)') do
    if tonumber(from) <= at then offset = tonumber(ms) end
  end
  return offset
end
local function day_at(at, offsets) return math.floor((at + offset_at(at, offsets)) / DAY_MS) end
local function end_of(day, at, offsets)
  local midnight = (day + 1) * DAY_MS
  return midnight - offset_at(midnight - offset_at(at, offsets), offsets)
end
-- What stands (its measure begins with `=`) goes on, and is noted as it stood when the day began (`<`).
local function open_day(book, closed, at)
  local stored = redis.call('HGETALL', book)
  local before, offsets, keep, lines, set, over = nil, nil, BOOK_KEPT_DAYS, {}, {}, {}
  for i = 1, #stored, 2 do
    local name, value = stored[i], stored[i + 1]
    if name == 'day' then before = tonumber(value)
    elseif name == 'offsets' then offsets = value
    elseif name == 'keep' then keep = tonumber(value)
    elseif name ~= 'until' then
      lines[#lines + 1] = name .. ' ' .. value
      local head, measure = string.match(name, '^(.*|)=(%w+)$')
      if head and value ~= '0' then
        set[#set + 1] = name; set[#set + 1] = value
        set[#set + 1] = head .. '<' .. measure; set[#set + 1] = value
      else over[name] = true end
    end
  end
  local day = day_at(at, offsets)
  -- As a zone that moves west begins its day once more: that day is longer, and the next are as they should be.
  if before and day <= before then day = before + 1 end
  local ends = math.max(end_of(day, at, offsets), at + 1)
  if before then redis.call('HSET', closed, before, table.concat(lines, '\n')) end
  for _, old in ipairs(redis.call('HKEYS', closed)) do
    if tonumber(old) < day - keep then redis.call('HDEL', closed, old) end
  end
  set[#set + 1] = 'day'; set[#set + 1] = day
  set[#set + 1] = 'until'; set[#set + 1] = string.format('%.0f', ends)
  set[#set + 1] = 'keep'; set[#set + 1] = keep
  if offsets then set[#set + 1] = 'offsets'; set[#set + 1] = offsets end
  redis.call('HSET', book, unpack(set))
  -- Never without a field: a key that is gone is not made again while a cluster moves its slot.
  for i = 1, #set, 2 do over[set[i]] = nil end
  for name in pairs(over) do redis.call('HDEL', book, name) end
end
-- `posts`: names and by how much they change, in turn. A sum that is damaged stays as it is: it must not stop what it
-- counts half way.
local function post(book, closed, at, posts)
  if #posts == 0 then return end
  local names = {'until'}
  for i = 1, #posts, 2 do names[#names + 1] = posts[i] end
  local read = redis.pcall('HMGET', book, unpack(names))
  if read.err then return end
  if at >= (tonumber(read[1] or '0') or 0) then
    open_day(book, closed, at)
    read = redis.call('HMGET', book, unpack(names))
  end
  local set = {}
  for i = 2, #names do
    local sum = tonumber(read[i] or '0')
    if sum then
      set[#set + 1] = names[i]; set[#set + 1] = string.format('%.0f', sum + tonumber(posts[2 * i - 2]))
    end
  end
  if #set > 0 then redis.call('HSET', book, unpack(set)) end
end
