// Generated from ../reseal-endpoint-secrets.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface ResealEndpointSecretsArgs {
  /** key */ readonly record: string;
  /** as they were read, the newest first */ readonly kept: readonly string[];
  /** the same, sealed anew */ readonly again: readonly string[];
}

export type ResealEndpointSecretsAnswer = boolean;

const read: lua.Read<ResealEndpointSecretsAnswer> = lua.flag;

export const resealEndpointSecretsScript = lua.defineScript('reseal-endpoint-secrets', `
-- <generated>
local record = KEYS[1]
local _arg, _key = 0, 1
local kept = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do kept[_i] = ARGV[_arg + _i] end
_arg = _arg + #kept
local again = {}
_arg = _arg + 1
for _i = 1, tonumber(ARGV[_arg]) do again[_i] = ARGV[_arg + _i] end
_arg = _arg + #again
-- </generated>
local names = {'secret', 'oldSecret'}
local stored = redis.call('HMGET', record, unpack(names))
for i = 1, #names do
  if (stored[i] or nil) ~= kept[i] then return 0 end
end
for i, secret in ipairs(again) do redis.call('HSET', record, names[i], secret) end
return #again > 0 and 1 or 0
`);

/** The same secrets under another seal, unless one of them was changed since it was read. Answers whether it was
 * done. */
export async function resealEndpointSecrets(redis: lua.ScriptHost, args: ResealEndpointSecretsArgs): Promise<ResealEndpointSecretsAnswer> {
  const keys = [args.record];
  const words: lua.Word[] = [...lua.counted(args.kept), ...lua.counted(args.again)];
  return read(await lua.runScript(redis, resealEndpointSecretsScript, keys, words));
}
