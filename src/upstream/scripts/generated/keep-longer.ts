// Generated from ../keep-longer.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface KeepLongerArgs {
  /** key */ readonly pause: string;
  /** ms */ readonly forMs: number;
}

export type KeepLongerAnswer = boolean;

const read: lua.Read<KeepLongerAnswer> = lua.flag;

export const keepLongerScript = lua.defineScript('keep-longer', `
-- <generated>
local pause = KEYS[1]
local forMs = tonumber(ARGV[1])
-- </generated>
if redis.call('PTTL', pause) < forMs then redis.call('SET', pause, '1', 'PX', forMs) end
return 1
`);

/** Writes down a pause; a shorter one never replaces a longer one. */
export async function keepLonger(redis: lua.ScriptHost, args: KeepLongerArgs): Promise<KeepLongerAnswer> {
  const keys = [args.pause];
  const words: lua.Word[] = [args.forMs];
  return read(await lua.runScript(redis, keepLongerScript, keys, words));
}
