// Generated from ../rotate-endpoint-secret.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface RotateEndpointSecretArgs {
  /** key */ readonly record: string;
  /** ms since the epoch */ readonly now?: number | undefined;
  readonly secret: string;
  /** ms */ readonly bothForMs: number;
}

export type RotateEndpointSecretAnswer = boolean;

const read: lua.Read<RotateEndpointSecretAnswer> = lua.flag;

export const rotateEndpointSecretScript = lua.defineScript('rotate-endpoint-secret', `
local function clock(given)
  if given then return given end
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
-- <generated>
local record = KEYS[1]
local now = tonumber(ARGV[1])
local secret = ARGV[2]
local bothForMs = tonumber(ARGV[3])
-- </generated>
local at = clock(now)
local old = redis.call('HGET', record, 'secret')
if not old then return 0 end
redis.call('HSET', record, 'secret', secret, 'oldSecret', old, 'oldUntil', at + bothForMs)
return 1
`);

/** Gives an endpoint another secret; the one before still signs for a while. Answers whether there is such an
 * endpoint. */
export async function rotateEndpointSecret(redis: lua.ScriptHost, args: RotateEndpointSecretArgs): Promise<RotateEndpointSecretAnswer> {
  const keys = [args.record];
  const words: lua.Word[] = [args.now ?? '', args.secret, args.bothForMs];
  return read(await lua.runScript(redis, rotateEndpointSecretScript, keys, words));
}
