-- Marks of texts, all as long, so that many of them are one word.
local function marks_in(word)
  local marks = {}
  for i = 1, #(word or ''), MARK_LENGTH do marks[#marks + 1] = string.sub(word, i, i + MARK_LENGTH - 1) end
  return marks
end
-- Those of them that are open, and not by `own`, joined. An entry that was left behind stops nothing for ever.
local function open_elsewhere(open, marks, own, at)
  if #marks == 0 then return '' end
  local found = {}
  for i, since in ipairs(redis.call('HMGET', open, unpack(marks))) do
    if since and not own[marks[i]] and tonumber(since) > at - OPEN_KEPT_MS then found[#found + 1] = marks[i] end
  end
  return table.concat(found)
end
local function mark_open(open, marks, at)
  if #marks == 0 then return end
  -- As text, or Redis would write the number out for each of them.
  local set, since = {}, string.format('%d', at)
  for i, mark in ipairs(marks) do set[2 * i - 1] = mark; set[2 * i] = since end
  redis.call('HSET', open, unpack(set))
end
local function unmark(open, marks)
  if #marks > 0 then redis.call('HDEL', open, unpack(marks)) end
end
local function mark_sent(sent, marks)
  if #marks == 0 then return end
  redis.call('SADD', sent, unpack(marks))
  if redis.call('TTL', sent) < 0 then redis.call('EXPIRE', sent, MARKS_KEPT_S) end
end
