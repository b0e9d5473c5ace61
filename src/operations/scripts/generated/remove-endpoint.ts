// Generated from ../remove-endpoint.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface RemoveEndpointArgs {
  /** key */ readonly record: string;
  /** key */ readonly endpoints: string;
  /** key */ readonly dispatch: string;
  /** key */ readonly due: string;
  /** key */ readonly deliveries: string;
  /** key */ readonly tries: string;
  /** key */ readonly undelivered: string;
  /** key */ readonly log: string;
  readonly id: string;
}

export type RemoveEndpointAnswer = boolean;

const read: lua.Read<RemoveEndpointAnswer> = lua.flag;

export const removeEndpointScript = lua.defineScript('remove-endpoint', `
-- <generated>
local record = KEYS[1]
local endpoints = KEYS[2]
local dispatch = KEYS[3]
local due = KEYS[4]
local deliveries = KEYS[5]
local tries = KEYS[6]
local undelivered = KEYS[7]
local log = KEYS[8]
local id = ARGV[1]
-- </generated>
if redis.call('SREM', endpoints, id) == 0 then return 0 end
redis.call('UNLINK', record, deliveries, tries, undelivered, log)
redis.call('ZREM', due, id)
redis.call('HINCRBY', dispatch, 'rev', 1)
return 1
`);

/** Takes an endpoint away, with all that waits for it. Answers whether it was there. */
export async function removeEndpoint(redis: lua.ScriptHost, args: RemoveEndpointArgs): Promise<RemoveEndpointAnswer> {
  const keys = [args.record, args.endpoints, args.dispatch, args.due, args.deliveries, args.tries, args.undelivered, args.log];
  const words: lua.Word[] = [args.id];
  return read(await lua.runScript(redis, removeEndpointScript, keys, words));
}
