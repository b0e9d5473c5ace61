// Generated from ../add-endpoint.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface AddEndpointArgs {
  /** key */ readonly record: string;
  /** key */ readonly endpoints: string;
  /** key */ readonly dispatch: string;
  /** key */ readonly events: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly id: string;
  /** there may be so many */ readonly most: number;
  readonly fields: Readonly<Record<string, string | number>>;
}

export type AddEndpointAnswer =
  | { readonly is: 'added' }
  | { readonly is: 'too many' };

function read(value: unknown): AddEndpointAnswer {
  const answer = lua.items(value);
  switch (answer[0]) {
    case 'added':
      return { is: 'added' };
    case 'too many':
      return { is: 'too many' };
  }
  return lua.unexpected(value);
}

export const addEndpointScript = lua.defineScript('add-endpoint', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local record = KEYS[1]
local endpoints = KEYS[2]
local dispatch = KEYS[3]
local events = KEYS[4]
local now = tonumber(ARGV[1])
local id = ARGV[2]
local most = tonumber(ARGV[3])
local _arg, _key = 3, 4
local fields = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do fields[_i] = ARGV[_arg + _i] end
_arg = _arg + #fields
-- </generated>
local at = clock(now)
local count = redis.call('SCARD', endpoints)
if count >= most then return {'too many'} end
local last = redis.call('XREVRANGE', events, '+', '-', 'COUNT', 1)
local place = last[1] and last[1][1] or '0-0'
local set = {'id', id, 'kind', 'endpoint', 'state', 'enabled', 'rev', 1, 'createdAt', at, 'from', place}
for _, word in ipairs(fields) do set[#set + 1] = word end
redis.call('HSET', record, unpack(set))
redis.call('SADD', endpoints, id)
redis.call('HINCRBY', dispatch, 'rev', 1)
if count == 0 then redis.call('HSET', dispatch, 'cursor', place) end
return {'added'}
`);

/** Adds an endpoint. It gets the events after this moment. Without any endpoint nobody moves the cursor, so the
 * first one moves it here. */
export async function addEndpoint(redis: lua.ScriptHost, args: AddEndpointArgs): Promise<AddEndpointAnswer> {
  const keys = [args.record, args.endpoints, args.dispatch, args.events];
  const words: lua.Word[] = [args.now ?? '', args.id, args.most, ...lua.pairs(args.fields)];
  return read(await lua.runScript(redis, addEndpointScript, keys, words));
}
