// Generated from ../first-beat.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface FirstBeatArgs {
  /** key */ readonly heartbeat: string;
  /** key */ readonly recovery: string;
  /** key */ readonly schema: string;
  /** key */ readonly events: string;
  /** key */ readonly dispatch: string;
  /** key */ readonly counts: string;
  /** key */ readonly stamp: string;
  /** key: every set of what is open */ readonly open: readonly string[];
  /** ms since the epoch */ readonly now?: number | undefined;
  /** of the beat that the witness tells; absent: no witness */ readonly epoch?: string | undefined;
  readonly counter: number;
  readonly event: string;
  /** ms since the epoch */ readonly witnessed: number;
  readonly deployment?: string | undefined;
  /** ms: for so long nobody may have been at work */ readonly silenceMs: number;
  /** to begin with */ readonly newEpoch: string;
  /** of this process */ readonly name: string;
  /** JSON: which deployment it is of; absent: whichever */ readonly ours?: string | undefined;
}

export type FirstBeatAnswer =
  | { readonly is: 'beats'; readonly epoch: string; readonly counter: number; readonly at: number; readonly event: string; readonly deployment?: string | undefined }
  | { readonly is: 'recovering'; readonly fields: Readonly<Record<string, string>> }
  | { readonly is: 'another' };

function read(value: unknown): FirstBeatAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'beats':
      return { is: 'beats', epoch: lua.text(answer[1]), counter: lua.number(answer[2]), at: lua.number(answer[3]), event: lua.text(answer[4]), deployment: lua.optional(lua.text, answer[5]) };
    case 'recovering':
      return { is: 'recovering', fields: lua.hash(answer[1]) };
    case 'another':
      return { is: 'another' };
  }
  return lua.unexpected(value);
}

export const firstBeatScript = lua.defineScript('first-beat', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function of_another(stamp, ours)
  local text = ours and redis.call('GET', stamp)
  if not text then return false end
  local stamped, own = cjson.decode(text), cjson.decode(ours)
  if stamped.environment ~= own.environment then return true end
  for _, of in ipairs({'addresses', 'accounts'}) do
    for name, value in pairs(own[of] or {}) do
      if (stamped[of][name] or value) ~= value then return true end
    end
  end
  return false
end
local function tally(key, field, delta)
  redis.pcall('HINCRBY', key, field, delta)
end
local function emit(record, e)
  local seq = redis.call('HINCRBY', record, 'seq', 1)
  tally(e.counts, "event:" .. e.type, 1)
  redis.call('XADD', e.stream, e.place or '*', 'op', e.id, 'seq', seq, 'at', e.at, 'account', e.account, 'type', e.type,
    'data', e.data)
end
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
local function last_place(events)
  local info = redis.pcall('XINFO', 'STREAM', events)
  if info.err then return '0-0' end
  return fields_of(info)['last-generated-id']
end
local function cursor_ahead(k, last)
  local cursor = redis.call('HGET', k.dispatch, 'cursor')
  if cursor and is_after(cursor, last) then return cursor end
  local groups = redis.pcall('XINFO', 'GROUPS', k.events)
  if groups.err then return end
  for _, group in ipairs(groups) do
    local at = fields_of(group)['last-delivered-id']
    if is_after(at, last) then return at end
  end
end
local function read_heartbeat(heartbeat, name)
  local recovering, epoch, counter, before, at, deployment, mark, recovered = unpack(redis.call('HMGET', heartbeat,
    'recovering', 'epoch', 'counter', 'before', 'at', 'deployment', "process:" .. (name or ''), 'recovered'))
  return {mark = tonumber(mark or '0'), recovered = tonumber(recovered or '0'), recovering = recovering, epoch = epoch,
    counter = tonumber(counter or '0'), before = before or '', at = tonumber(at or '0'), deployment = deployment}
end
local function add_knowledge(recovery, known)
  local epochs, counter, event = unpack(redis.call('HMGET', recovery, 'epochs', 'knownCounter', 'lastEvent'))
  if known.epoch and not among(epochs, known.epoch) then
    redis.call('HSET', recovery, 'epochs', epochs and epochs .. ',' .. known.epoch or known.epoch)
  end
  if known.counter > tonumber(counter or '0') then
    redis.call('HSET', recovery, 'knownCounter', string.format('%.0f', known.counter))
  end
  if is_after(known.event, event or '0-0') then redis.call('HSET', recovery, 'lastEvent', known.event) end
end
local function is_lost(h, known)
  if not h.recovering and known.recovering > h.recovered then return true end
  if not known.epoch then return false end
  if h.epoch == known.epoch then return h.counter < known.counter or h.mark < known.mark end
  return not among(h.before, known.epoch)
end
local function tell(k, at, state, data, place)
  data.id, data.state = 'system', state
  emit(k.heartbeat, {stream = k.events, counts = k.counts, id = 'system', at = at, account = 'main',
    type = 'system.' .. state, data = cjson.encode(data), place = place})
end
local function enter(k, at, h, because, known)
  redis.call('HSET', k.heartbeat, 'recovering', because)
  if not h.deployment and known.deployment then redis.call('HSET', k.heartbeat, 'deployment', known.deployment) end
  redis.call('SET', k.schema, 1)
  if redis.call('EXISTS', k.recovery) == 0 then
    redis.call('HSET', k.recovery, 'since', at, 'because', because, 'epoch', h.epoch or '', 'counter',
      string.format('%.0f', h.counter), 'lastBeat', string.format('%.0f', h.at))
    add_knowledge(k.recovery, known)
    local place = '*'
    if is_after(known.event, last_place(k.events)) then
      place = string.format('%.0f-0', place_parts(known.event) + 60000)
    end
    tell(k, at, 'recovering', {because = because}, place)
  else
    redis.call('HSET', k.recovery, 'because', because)
    add_knowledge(k.recovery, known)
  end
  return {'recovering', redis.call('HGETALL', k.recovery)}
end
local function stay(k, at, h, proof, known)
  return enter(k, at, h, is_lost(h, known) and proof or h.recovering, known)
end
local function leave(k, h)
  local since = tonumber(redis.call('HGET', k.recovery, 'since') or '0')
  redis.call('HSET', k.heartbeat, 'recovered', string.format('%.0f', math.max(h.recovered, since)))
  redis.call('HDEL', k.heartbeat, 'recovering')
  redis.call('DEL', k.recovery)
end
local function behind_cursor(k, at, h, known)
  local ahead = cursor_ahead(k, last_place(k.events))
  if not ahead then return end
  if is_after(ahead, known.event) then known.event = ahead end
  return enter(k, at, h, 'event_cursor', known)
end
local function write_beat(k, at, h, name)
  local counter = h.counter + 1
  redis.call('HSET', k.heartbeat, 'at', at, 'counter', counter, "process:" .. (name or ''), counter)
  return {'beats', h.epoch, counter, at, last_place(k.events), h.deployment}
end
-- <generated>
local function _given(word) if word ~= '' then return word end end
local heartbeat = KEYS[1]
local recovery = KEYS[2]
local schema = KEYS[3]
local events = KEYS[4]
local dispatch = KEYS[5]
local counts = KEYS[6]
local stamp = KEYS[7]
local now = tonumber(ARGV[1])
local epoch = _given(ARGV[2])
local counter = tonumber(ARGV[3])
local event = ARGV[4]
local witnessed = tonumber(ARGV[5])
local deployment = _given(ARGV[6])
local silenceMs = tonumber(ARGV[7])
local newEpoch = ARGV[8]
local name = ARGV[9]
local ours = _given(ARGV[10])
local _arg, _key = 10, 7
local open = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do _key = _key + 1; open[_i] = KEYS[_key] end
-- </generated>
if of_another(stamp, ours) then return {'another'} end
local at = clock(now)
local k = {heartbeat = heartbeat, recovery = recovery, schema = schema, events = events, dispatch = dispatch, counts = counts}
local known = {epoch = epoch, counter = counter, mark = 0, event = event, deployment = deployment, recovering = 0}
local h = read_heartbeat(heartbeat, name)
local same = known.epoch and h.epoch == known.epoch
local proven = same and h.counter >= known.counter and h.at - witnessed <= 5000
if h.recovering then
  local epochs, seen = unpack(redis.call('HMGET', recovery, 'epochs', 'knownCounter'))
  local contradicted = tonumber(seen or '0') > h.counter or (epochs and epochs ~= h.epoch)
  local mere_silence = h.recovering == 'silence' or h.recovering == 'clock'
  if contradicted or not (proven and mere_silence) then return stay(k, at, h, 'witness', known) end
  leave(k, h)
  tell(k, at, 'recovered', {because = h.recovering, by = 'witness'})
end
if is_lost(h, known) then return enter(k, at, h, 'witness', known) end
local function forget_dead()
  if redis.call('HLEN', heartbeat) < 1000 then return end
  local marks, flat = {}, redis.call('HGETALL', heartbeat)
  for i = 1, #flat, 2 do
    if string.sub(flat[i], 1, #"process:") == "process:" then marks[#marks + 1] = {flat[i], tonumber(flat[i + 1])} end
  end
  table.sort(marks, function(one, other) return one[2] < other[2] end)
  for i = 1, math.floor(#marks / 2) do redis.call('HDEL', heartbeat, marks[i][1]) end
end
local is_open = false
for _, set in ipairs(open) do if not is_open and redis.call('EXISTS', set) == 1 then is_open = true end end
if not h.epoch then
  if is_open and redis.call('EXISTS', schema) == 1 then return enter(k, at, h, 'no_heartbeat', known) end
  h.epoch, h.deployment = newEpoch, known.deployment
  redis.call('HSET', heartbeat, 'epoch', h.epoch, 'deployment', h.deployment)
elseif is_open and not proven then
  if at - h.at > silenceMs then return enter(k, at, h, 'silence', known) end
  if h.at - at > 5000 then return enter(k, at, h, 'clock', known) end
end
redis.call('SET', schema, 1)
forget_dead()
return behind_cursor(k, at, h, known) or write_beat(k, at, h, name)
`);

/** The first beat of a process, which knows no more than the witness tells it. A long silence while something is
 * open may be a copy that was put back. It was only a silence where the witness knows the very heartbeat that is
 * found; and then a recovery that another process has begun for it is over too. */
export async function firstBeat(redis: lua.ScriptHost, args: FirstBeatArgs): Promise<FirstBeatAnswer> {
  const keys = [args.heartbeat, args.recovery, args.schema, args.events, args.dispatch, args.counts, args.stamp, ...args.open];
  const words: lua.Word[] = [args.now ?? '', args.epoch ?? '', args.counter, args.event, args.witnessed, args.deployment ?? '', args.silenceMs, args.newEpoch, args.name, args.ours ?? '', args.open.length];
  return read(await lua.runScript(redis, firstBeatScript, keys, words));
}
