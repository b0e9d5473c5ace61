/**
 * The heartbeat: what tells a Redis that has lost something from one that has not. A counter only grows, so a process
 * that remembers a higher one than it finds has seen what this Redis has not. The scripts that accept, and those that
 * write down what is about to leave, ask for it themselves: a question asked before them would leave a window.
 */
import { MARK } from '../keys.ts';

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
