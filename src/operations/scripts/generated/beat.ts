// Generated from ../beat.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface BeatArgs {
  /** key */ readonly heartbeat: string;
  /** key */ readonly recovery: string;
  /** key */ readonly schema: string;
  /** key */ readonly events: string;
  /** key */ readonly dispatch: string;
  /** key */ readonly counts: string;
  /** key */ readonly stamp: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly memory: { readonly epoch?: string | undefined; readonly counter: number; readonly name?: string | undefined; readonly mark: number };
  /** the last event that it remembers; 0-0: none */ readonly event: string;
  readonly deployment?: string | undefined;
  /** why else a recovery is to begin */ readonly because?: string | undefined;
  /** ms since the epoch: when the recovery began that it knows of */ readonly recovering?: number | undefined;
  /** JSON: which deployment it is of; absent: whichever */ readonly ours?: string | undefined;
}

export type BeatAnswer =
  | { readonly is: 'beats'; readonly epoch: string; readonly counter: number; readonly at: number; readonly event: string; readonly deployment?: string | undefined }
  | { readonly is: 'recovering'; readonly fields: Readonly<Record<string, string>> }
  | { readonly is: 'another' };

function read(value: unknown): BeatAnswer {
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

export const beatScript = lua.defineScript('beat', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
local function refuse(what)
  error("UNREADABLE" .. ' ' .. what, 0)
end
local function whole(value, absent, what)
  if not value then
    if absent then return absent end
    refuse(what)
  end
  if #value > 16 or not string.find(value, '^%-?%d+$') then refuse(what) end
  return tonumber(value)
end
local function guard(heartbeat, memory)
  local h = redis.call('HMGET', heartbeat, 'recovering', 'epoch', 'counter', "process:" .. (memory.name or ''))
  local now = whole(h[3], 0, 'counter of the heartbeat')
  if h[1] then return {'recovering'} end
  local behind = memory.epoch
    and (h[2] ~= memory.epoch or now < memory.counter or whole(h[4], 0, 'mark of the heartbeat') < memory.mark)
  if behind then return {'recovering'} end
  return nil, {counter = now, name = memory.name}
end
local function raise(heartbeat, known)
  local counter = known.counter + 1
  if known.name then redis.call('HSET', heartbeat, 'counter', counter, "process:" .. known.name, counter)
  else redis.call('HSET', heartbeat, 'counter', counter) end
  return counter
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
local memory = {epoch = _given(ARGV[2]), counter = tonumber(ARGV[3]), name = _given(ARGV[4]), mark = tonumber(ARGV[5])}
local event = ARGV[6]
local deployment = _given(ARGV[7])
local because = _given(ARGV[8])
local recovering = tonumber(ARGV[9])
local ours = _given(ARGV[10])
-- </generated>
local at = clock(now)
local k = {heartbeat = heartbeat, recovery = recovery, schema = schema, events = events, dispatch = dispatch, counts = counts}
local known = {epoch = memory.epoch, counter = memory.counter, mark = memory.mark, event = event, deployment = deployment,
  recovering = recovering or 0}
local h = read_heartbeat(heartbeat, memory.name)
if h.epoch ~= known.epoch and of_another(stamp, ours) then return {'another'} end
if h.recovering then return stay(k, at, h, 'rolled_back', known) end
if because then return enter(k, at, h, because, known) end
if is_lost(h, known) then return enter(k, at, h, 'rolled_back', known) end
if not h.epoch then return enter(k, at, h, 'no_heartbeat', known) end
return behind_cursor(k, at, h, known) or write_beat(k, at, h, memory.name)
`);

/** Says that a process is at work, and notices what it must not work on. What answers after a reconnect may be
 * another deployment's: where the epoch is not the one that this process knows, its stamp is compared before
 * anything is written. */
export async function beat(redis: lua.ScriptHost, args: BeatArgs): Promise<BeatAnswer> {
  const keys = [args.heartbeat, args.recovery, args.schema, args.events, args.dispatch, args.counts, args.stamp];
  const words: lua.Word[] = [args.now ?? '', args.memory.epoch ?? '', args.memory.counter, args.memory.name ?? '', args.memory.mark, args.event, args.deployment ?? '', args.because ?? '', args.recovering ?? '', args.ours ?? ''];
  return read(await lua.runScript(redis, beatScript, keys, words));
}
