/**
 * The heartbeat: what tells a Redis that has lost something from one that has not. A counter only grows, so a process
 * that remembers a higher one than it finds has seen what this Redis has not. The scripts that accept, and those that
 * write down what is about to leave, ask for it themselves: a question asked before them would leave a window.
 */
import { OF_ANOTHER } from '../stamp.ts';
import { defineScript } from './script.ts';

/** Field of the heartbeat: the counter at the last act of one process. */
const MARK = 'process:';

/**
 * What a process remembers, in so many words: epoch, counter, its own name, and the counter at its last act ('' , 0, ''
 * and 0: nothing). Its own mark tells a loss that others have made up for since: they raise the counter, and not that.
 */
export const MEMORY_WORDS = 4;

/**
 * Whether nothing may be accepted or leave. `first` is the place of the words above in ARGV.
 * → nothing, what `raise` needs | {'recovering'}
 */
export const GUARD = `
local function guard(heartbeat, words, first)
  local epoch, counter, name, mark = words[first], tonumber(words[first + 1]), words[first + 2], tonumber(words[first + 3])
  local h = redis.call('HMGET', heartbeat, 'recovering', 'epoch', 'counter', '${MARK}' .. name)
  local now = whole(h[3], 0, 'counter of the heartbeat')
  if h[1] then return {'recovering'} end
  if epoch ~= '' and (h[2] ~= epoch or now < counter or whole(h[4], 0, 'mark of the heartbeat') < mark) then return {'recovering'} end
  return nil, {counter = now, name = name}
end
local function raise(heartbeat, known)
  local counter = known.counter + 1
  if known.name == '' then redis.call('HSET', heartbeat, 'counter', counter)
  else redis.call('HSET', heartbeat, 'counter', counter, '${MARK}' .. known.name, counter) end
  return counter
end
`;

/**
 * For what a recovery leads on without a lease. One that was ended by somebody else meanwhile leads on nothing: what is
 * there now may be new. And looks go on in it, so what was read may not be what is there.
 */
export const AS_IT_WAS = `
local function not_as_it_was(heartbeat, record, rev)
  if redis.call('HEXISTS', heartbeat, 'recovering') == 0 then return {'recovered'} end
  local r = redis.call('HMGET', record, 'rev', 'state')
  if r[1] ~= rev then return {'not yours', r[2] or ''} end
end
`;

/** A follower may have heard a little more than the last beat of a process has seen. */
const FLOOR_KNOWN_MS = 60_000;

/** Keys and words that the scripts below share; see `Heartbeat`. */
const SHARED = `
local heartbeat, recovery, schema, events, dispatch, counts, stamp = unpack(KEYS, 1, 7)
local function place_parts(place)
  local ms, seq = string.match(place or '', '^(%d+)-(%d+)$')
  return tonumber(ms or '0'), tonumber(seq or '0')
end
local function is_after(one, other)
  local ms, seq = place_parts(one)
  local other_ms, other_seq = place_parts(other)
  return ms > other_ms or (ms == other_ms and seq > other_seq)
end
local function among(list, one)
  return string.find(',' .. (list or '') .. ',', ',' .. one .. ',', 1, true) ~= nil
end
local function fields_of(flat)
  local fields = {}
  for i = 1, #flat, 2 do fields[flat[i]] = flat[i + 1] end
  return fields
end
-- The last id that the stream has given, kept or not.
local function last_place()
  local info = redis.pcall('XINFO', 'STREAM', events)
  if info.err then return '0-0' end
  return fields_of(info)['last-generated-id']
end
-- A cursor of ours that the stream has not come to: what it was given has been lost.
local function cursor_ahead(last)
  local cursor = redis.call('HGET', dispatch, 'cursor')
  if cursor and is_after(cursor, last) then return cursor end
  local groups = redis.pcall('XINFO', 'GROUPS', events)
  if groups.err then return end
  for _, group in ipairs(groups) do
    local at = fields_of(group)['last-delivered-id']
    if is_after(at, last) then return at end
  end
end
local function h_of(name)
  local r = redis.call('HMGET', heartbeat, 'recovering', 'epoch', 'counter', 'before', 'at', 'deployment', '${MARK}' .. name, 'recovered')
  return {mark = tonumber(r[7] or '0'), recovered = tonumber(r[8] or '0'), recovering = r[1], epoch = r[2], counter = tonumber(r[3] or '0'), before = r[4] or '', at = tonumber(r[5] or '0'),
    deployment = r[6]}
end
-- What a process knows of the time before it may be all that anybody knows.
local function add_knowledge(known)
  local r = redis.call('HMGET', recovery, 'epochs', 'knownCounter', 'lastEvent')
  if known.epoch ~= '' and not among(r[1], known.epoch) then
    redis.call('HSET', recovery, 'epochs', r[1] and r[1] .. ',' .. known.epoch or known.epoch)
  end
  if known.counter > tonumber(r[2] or '0') then redis.call('HSET', recovery, 'knownCounter', string.format('%.0f', known.counter)) end
  if is_after(known.event, r[3] or '0-0') then redis.call('HSET', recovery, 'lastEvent', known.event) end
end
-- Somebody remembers what this Redis has not: how far it had come, or a recovery of which it knows no end.
local function is_lost(h, known)
  if not h.recovering and known.recovering > h.recovered then return true end
  if known.epoch == '' then return false end
  if h.epoch == known.epoch then return h.counter < known.counter or h.mark < known.mark end
  return not among(h.before, known.epoch)
end
local function enter(at, h, because, known)
  redis.call('HSET', heartbeat, 'recovering', because)
  if not h.deployment and known.deployment ~= '' then redis.call('HSET', heartbeat, 'deployment', known.deployment) end
  redis.call('SET', schema, 1)
  if redis.call('EXISTS', recovery) == 0 then
    redis.call('HSET', recovery, 'since', at, 'because', because, 'epoch', h.epoch or '', 'counter',
      string.format('%.0f', h.counter), 'lastBeat', string.format('%.0f', h.at))
    add_knowledge(known)
    -- Whoever follows stands behind what was lost, and must hear of it all the same.
    local last, place = last_place(), '*'
    if is_after(known.event, last) then place = string.format('%.0f-0', place_parts(known.event) + ${FLOOR_KNOWN_MS}) end
    local data = cjson.encode({id = 'system', state = 'recovering', because = because})
    emit(events, heartbeat, counts, 'system', at, 'main', 'system.recovering', data, place)
  else
    redis.call('HSET', recovery, 'because', because)
    add_knowledge(known)
  end
  return {'recovering', redis.call('HGETALL', recovery)}
end
-- A proof that something was lost is worth more than a mere silence.
local function stay(at, h, proof, known)
  return enter(at, h, is_lost(h, known) and proof or h.recovering, known)
end
-- Whoever knows of it, and finds no recovery, is told by this that it has ended; a copy from before it does not say so.
local function leave(h)
  local since = tonumber(redis.call('HGET', recovery, 'since') or '0')
  redis.call('HSET', heartbeat, 'recovered', string.format('%.0f', math.max(h.recovered, since)))
  redis.call('HDEL', heartbeat, 'recovering')
  redis.call('DEL', recovery)
end
local function behind_cursor(at, h, known)
  local ahead = cursor_ahead(last_place())
  if not ahead then return end
  if is_after(ahead, known.event) then known.event = ahead end
  return enter(at, h, 'event_cursor', known)
end
local function beat(at, h, name)
  local counter = h.counter + 1
  redis.call('HSET', heartbeat, 'at', at, 'counter', counter, '${MARK}' .. name, counter)
  return {'beats', h.epoch, counter, at, last_place(), h.deployment}
end
`;

/**
 * Says that a process is at work, and notices what it must not work on.
 *
 * What answers after a reconnect may be another deployment's: where the epoch is not the one that this process knows,
 * its stamp is compared before anything is written.
 *
 * KEYS heartbeat, recovery, schema, events, dispatch, counts of the system, stamp
 * ARGV now, epoch, counter, own name and mark as above, last event and deployment that this process remembers (0-0 and '':
 *      nothing), why else a recovery is to begin ('' = not), when the recovery began that it knows of (0: none),
 *      which deployment it is of ('' = whichever)
 * → {'beats', epoch, counter, now, last event, deployment} | {'recovering', {field, value, …}}
 *   | {'another'} (these are the keys of another deployment)
 */
export const beatScript = defineScript(
  'beat',
  `${SHARED}${OF_ANOTHER}
local at = clock(ARGV[1])
local known = {epoch = ARGV[2], counter = tonumber(ARGV[3]), mark = tonumber(ARGV[5]), event = ARGV[6], deployment = ARGV[7],
  recovering = tonumber(ARGV[9])}
local h = h_of(ARGV[4])
if h.epoch ~= known.epoch and of_another(stamp, ARGV[10]) then return {'another'} end
if h.recovering then return stay(at, h, 'rolled_back', known) end
if ARGV[8] ~= '' then return enter(at, h, ARGV[8], known) end
if is_lost(h, known) then return enter(at, h, 'rolled_back', known) end
if not h.epoch then return enter(at, h, 'no_heartbeat', known) end
return behind_cursor(at, h, known) or beat(at, h, ARGV[4])
`,
);

const MARKS_MOST = 1_000;
/** A heartbeat that was written so much later than the witness says is of a time that the witness knows nothing of. */
const WITNESS_GRACE_MS = 5_000;
/** A clock may be set by so much; a heartbeat further in the future was written under another one. */
const FUTURE_GRACE_MS = 5_000;

/**
 * The first beat of a process, which knows no more than the witness tells it.
 *
 * A long silence while something is open may be a copy that was put back. It was only a silence where the witness knows
 * the very heartbeat that is found; and then a recovery that another process has begun for it is over too.
 *
 * KEYS as above, then every set of what is open
 * ARGV now, epoch, counter, last event and time of the beat that the witness tells ('' , 0, 0-0 and 0: no witness),
 *      deployment, silence limit ms, epoch to begin with, name of this process, which deployment it is of
 * → as above
 */
export const firstBeatScript = defineScript(
  'first beat',
  `${SHARED}${OF_ANOTHER}
if of_another(stamp, ARGV[10]) then return {'another'} end
local at = clock(ARGV[1])
local known = {epoch = ARGV[2], counter = tonumber(ARGV[3]), mark = 0, event = ARGV[4], deployment = ARGV[6], recovering = 0}
local witnessed, h = tonumber(ARGV[5]), h_of(ARGV[9])
local same = known.epoch ~= '' and h.epoch == known.epoch
local proven = same and h.counter >= known.counter and h.at - witnessed <= ${WITNESS_GRACE_MS}
if h.recovering then
  local r = redis.call('HMGET', recovery, 'epochs', 'knownCounter')
  local contradicted = tonumber(r[2] or '0') > h.counter or (r[1] and r[1] ~= h.epoch)
  local mere_silence = h.recovering == 'silence' or h.recovering == 'clock'
  if contradicted or not (proven and mere_silence) then return stay(at, h, 'witness', known) end
  leave(h)
  local data = cjson.encode({id = 'system', state = 'recovered', because = h.recovering, by = 'witness'})
  emit(events, heartbeat, counts, 'system', at, 'main', 'system.recovered', data)
end
if is_lost(h, known) then return enter(at, h, 'witness', known) end
-- A process that ends takes its mark away; those that were killed have left theirs.
local function forget_dead()
  if redis.call('HLEN', heartbeat) < ${MARKS_MOST} then return end
  local marks, flat = {}, redis.call('HGETALL', heartbeat)
  for i = 1, #flat, 2 do
    if string.sub(flat[i], 1, ${MARK.length}) == '${MARK}' then marks[#marks + 1] = {flat[i], tonumber(flat[i + 1])} end
  end
  table.sort(marks, function(one, other) return one[2] < other[2] end)
  for i = 1, math.floor(#marks / 2) do redis.call('HDEL', heartbeat, marks[i][1]) end
end
local open = false
for i = 8, #KEYS do if not open and redis.call('EXISTS', KEYS[i]) == 1 then open = true end end
if not h.epoch then
  -- The first start of a version that has a heartbeat finds none, and that is no loss; but only once.
  if open and redis.call('EXISTS', schema) == 1 then return enter(at, h, 'no_heartbeat', known) end
  h.epoch, h.deployment = ARGV[8], known.deployment
  redis.call('HSET', heartbeat, 'epoch', h.epoch, 'deployment', h.deployment)
elseif open and not proven then
  if at - h.at > tonumber(ARGV[7]) then return enter(at, h, 'silence', known) end
  if h.at - at > ${FUTURE_GRACE_MS} then return enter(at, h, 'clock', known) end
end
redis.call('SET', schema, 1)
forget_dead()
return behind_cursor(at, h, known) or beat(at, h, ARGV[9])
`,
);

/** Where nobody knows how far the events had come, they go on beyond what any clock can have given them. */
const FLOOR_UNKNOWN_MS = 86_400_000;

/**
 * Ends a recovery: a new epoch, in which events have greater ids than any follower can have seen.
 *
 * KEYS as above · ARGV now, new epoch, who ends it, what is known to be the last event besides ('' = nothing)
 * → {'left', epoch, place of the event} | {'none'} (nothing is under way)
 */
export const leaveRecoveryScript = defineScript(
  'leave recovery',
  `${SHARED}
local at, h = clock(ARGV[1]), h_of('')
if not h.recovering then return {'none'} end
local r = redis.call('HMGET', recovery, 'epochs', 'knownCounter', 'lastEvent')
local before = {}
for epoch in string.gmatch(h.before .. ',' .. (h.epoch or '') .. ',' .. (r[1] or ''), '[^,]+') do
  if not among(table.concat(before, ','), epoch) then before[#before + 1] = epoch end
end
local seen = r[3] or ''
if ARGV[4] ~= '' and (seen == '' or is_after(ARGV[4], seen)) then seen = ARGV[4] end
local floor = seen == '' and at + ${FLOOR_UNKNOWN_MS} or place_parts(seen) + ${FLOOR_KNOWN_MS}
local place, last = string.format('%.0f-0', floor), last_place()
if not is_after(place, last) then place = '*' end
local counter = math.max(h.counter, tonumber(r[2] or '0')) + 1
redis.call('HSET', heartbeat, 'epoch', ARGV[2], 'before', table.concat(before, ','), 'counter', string.format('%.0f', counter), 'at', at)
redis.call('HSETNX', heartbeat, 'deployment', ARGV[2])
leave(h)
local data = cjson.encode({id = 'system', state = 'recovered', because = h.recovering, by = ARGV[3]})
emit(events, heartbeat, counts, 'system', at, 'main', 'system.recovered', data, place)
return {'left', ARGV[2], last_place()}
`,
);

/**
 * Counts an effect for which no intent is written, and refuses it while nothing may leave.
 *
 * KEYS heartbeat · ARGV what this process remembers · → {'raised', counter} | {'recovering'}
 */
export const raiseScript = defineScript(
  'raise',
  `${GUARD}
local shut, known = guard(KEYS[1], ARGV, 1)
return shut or {'raised', raise(KEYS[1], known)}
`,
);

/** A process ends, and nobody will miss its mark. */
export const markOf = (name: string): string => `${MARK}${name}`;
