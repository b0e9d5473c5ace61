-- One line of the audit, in the same step as the act that it tells. `audit` holds the keys of the stream and of its
-- last line; `act` what the door says of it: by, person, role, door, request, act, target, facts and mark. Both empty: it is
-- nobody's act. `before` and `after` are members of a JSON object. The hash of a line is made of the hash of the line
-- before it too, so that none can be changed, put in or taken out alone; each word with its length before it.
local function audit_line(audit, act, at, before, after)
  if #act == 0 then return end
  local stream, last = unpack(audit)
  if act[8] ~= '' then after = after and after .. ',' .. act[8] or act[8] end
  local line = {'at', string.format('%.0f', at), 'by', act[1], 'person', act[2], 'role', act[3], 'door', act[4],
    'requestId', act[5], 'act', act[6], 'target', act[7], 'before', before and '{' .. before .. '}' or '',
    'after', after and '{' .. after .. '}' or '', 'mark', act[9]}
  local words = {string.match(redis.call('GET', last) or '', '%x*$')}
  for i = 2, #line, 2 do words[#words + 1] = #line[i] .. ':' .. line[i] end
  local hash = redis.sha1hex(table.concat(words, ' '))
  line[#line + 1] = 'hash'; line[#line + 1] = hash
  redis.call('SET', last, redis.call('XADD', stream, '*', unpack(line)) .. ' ' .. hash)
end
local function audit_word(name, value)
  if value then return '"' .. name .. '":' .. cjson.encode(value) end
end
