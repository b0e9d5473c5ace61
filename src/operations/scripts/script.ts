import { type Script, defineScript as define } from '../../redis/scripts.ts';
import { EVIDENCE_SLOTS, LINE_END } from '../transition.ts';
import { EVENT_FIELD, flightField } from '../keys.ts';
import { statesThatAre } from '../../kinds/states.ts';
import { RECORD_VERSION, UNREADABLE } from '../record.ts';

/** Until each of these scripts is a file of its own. */
export { type Script, runScript } from '../../redis/scripts.ts';

/**
 * Words every script may use. The one clock is Redis's own TIME, so that processes on several machines agree; a test
 * that turns the clock by hand passes the time instead.
 */
const PRELUDE = `
local VERSION = '${RECORD_VERSION}'
local function refuse(what)
  error('${UNREADABLE} ' .. what, 0)
end
-- Asked for before the first write: a script that fails half way would leave a state without its count and event.
local function whole(value, absent, what)
  if not value then
    if absent then return absent end
    refuse(what)
  end
  if #value > 16 or not string.find(value, '^%-?%d+$') then refuse(what) end
  return tonumber(value)
end
local function same_version(v)
  if v ~= VERSION then refuse('version') end
end
local function clock(given)
  if given ~= '' then return tonumber(given) end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function base36(n)
  local digits, text = '0123456789abcdefghijklmnopqrstuvwxyz', ''
  n = math.floor(n)
  repeat
    local d = n % 36
    text = string.sub(digits, d + 1, d + 1) .. text
    n = (n - d) / 36
  until n == 0
  return text
end
local function evidence_fields(at, lines, count, set)
  if lines == '' then return end
  local n = tonumber(count or '0')
  for line in string.gmatch(lines, '[^${LINE_END}]+') do
    n = n + 1
    local slot = n
    local send, rest = string.match(line, '^(%d)!(.*)$')
    if send then line = rest end
    if n > ${EVIDENCE_SLOTS.first} then
      if send then slot = ${EVIDENCE_SLOTS.first + EVIDENCE_SLOTS.last} + send
      else slot = ${EVIDENCE_SLOTS.first + 1} + (n - ${EVIDENCE_SLOTS.first + 1}) % ${EVIDENCE_SLOTS.last} end
    end
    set[#set + 1] = 'e' .. slot; set[#set + 1] = base36(at) .. '|' .. line
  end
  set[#set + 1] = 'en'; set[#set + 1] = n
end
local function add_evidence(record, at, lines)
  if lines == '' then return end
  local set = {}
  evidence_fields(at, lines, redis.call('HGET', record, 'en'), set)
  redis.call('HSET', record, unpack(set))
end
-- A counter of the whole that is damaged stays as it is: it must not stop what it counts half way.
local function tally(key, field, delta)
  redis.pcall('HINCRBY', key, field, delta)
end
local function emit(stream, record, counts, id, at, account, type, data, place)
  local seq = redis.call('HINCRBY', record, 'seq', 1)
  tally(counts, '${EVENT_FIELD}' .. type, 1)
  redis.call('XADD', stream, place or '*', 'op', id, 'seq', seq, 'at', at, 'account', account, 'type', type, 'data', data)
end
local function move(counts, from_zset, to_zset, id, at, from, to, xof)
  if from == to then return end
  if from ~= '' then
    tally(counts, from, -1)
    if xof ~= '' then tally(counts, 'xof:' .. from, '-' .. xof) end
    redis.call('ZREM', from_zset, id)
  end
  tally(counts, to, 1)
  if xof ~= '' then tally(counts, 'xof:' .. to, xof) end
  if to_zset ~= '' then redis.call('ZADD', to_zset, at, id) end
end
local function fly(counts, account, mode, from, to, xof)
  if not mode or xof == '' then return end
  local flying = ',${statesThatAre('disbursement', 'in flight').join(',')},'
  local was, is = string.find(flying, ',' .. from .. ',', 1, true), string.find(flying, ',' .. to .. ',', 1, true)
  if (was == nil) == (is == nil) then return end
  tally(counts, '${flightField("' .. account .. '", "' .. mode .. '")}', is and xof or '-' .. xof)
end
`;

export function defineScript(name: string, body: string): Script {
  return define(name, PRELUDE + body);
}
