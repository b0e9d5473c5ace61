// Generated from ../count-effect.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface CountEffectArgs {
  /** key */ readonly heartbeat: string;
  readonly memory: { readonly epoch?: string | undefined; readonly counter: number; readonly name?: string | undefined; readonly mark: number };
}

export type CountEffectAnswer =
  | { readonly is: 'raised'; readonly counter: number }
  | { readonly is: 'recovering' };

function read(value: unknown): CountEffectAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'raised':
      return { is: 'raised', counter: lua.number(answer[1]) };
    case 'recovering':
      return { is: 'recovering' };
  }
  return lua.unexpected(value);
}

export const countEffectScript = lua.defineScript('count-effect', `
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
-- <generated>
local function _given(word) if word ~= '' then return word end end
local heartbeat = KEYS[1]
local memory = {epoch = _given(ARGV[1]), counter = tonumber(ARGV[2]), name = _given(ARGV[3]), mark = tonumber(ARGV[4])}
-- </generated>
local shut, known = guard(heartbeat, memory)
return shut or {'raised', raise(heartbeat, known)}
`);

/** Counts an effect for which no intent is written, and refuses it while nothing may leave. */
export async function countEffect(redis: lua.ScriptHost, args: CountEffectArgs): Promise<CountEffectAnswer> {
  const keys = [args.heartbeat];
  const words: lua.Word[] = [args.memory.epoch ?? '', args.memory.counter, args.memory.name ?? '', args.memory.mark];
  return read(await lua.runScript(redis, countEffectScript, keys, words));
}
