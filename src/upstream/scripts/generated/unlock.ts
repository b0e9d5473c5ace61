// Generated from ../unlock.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface UnlockArgs {
  /** key */ readonly lock: string;
  readonly owner: string;
}

export type UnlockAnswer = boolean;

const read: lua.Read<UnlockAnswer> = lua.flag;

export const unlockScript = lua.defineScript('unlock', `
-- <generated>
local lock = KEYS[1]
local owner = ARGV[1]
-- </generated>
if redis.call('GET', lock) == owner then return redis.call('DEL', lock) end
return 0
`);

/** Lets go of a lock that is still the owner's. */
export async function unlock(redis: lua.ScriptHost, args: UnlockArgs): Promise<UnlockAnswer> {
  const keys = [args.lock];
  const words: lua.Word[] = [args.owner];
  return read(await lua.runScript(redis, unlockScript, keys, words));
}
