-- Lines of the audit, in the same step as the acts that they tell. `audit` holds the keys of the stream and of its
-- last line; each of `lines` has act, what the door says of it: by, person, role, door, request, act, target, facts and
-- mark; before and after, members of a JSON object. Without keys, and with an act that is empty, it is nobody's act. The
-- hash of a line is made of the hash of the line before it too, so that none can be changed, put in or taken out alone;
-- each word with its length before it.
local function audit_lines(audit, lines, at)
  if #lines == 0 then return end
  local stream, last = unpack(audit)
  local place, hash = nil, string.match(redis.call('GET', last) or '', '%x*$')
  for _, l in ipairs(lines) do
    local act, before, after = l.act, l.before, l.after
    if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
    local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
      'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
      'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
    local words = {hash}
    for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
    hash = redis.sha1hex(table.concat(words, ' '))
    line[#line + 1] = 'hash'; line[#line + 1] = hash
    place = redis.call('XADD', stream, '*', unpack(line))
  end
  redis.call('SET', last, place .. ' ' .. hash)
end
local function audit_line(audit, act, at, before, after)
  if #act > 0 then audit_lines(audit, {{act = act, before = before, after = after}}, at) end
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
