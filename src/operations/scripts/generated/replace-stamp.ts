// Generated from ../replace-stamp.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface ReplaceStampArgs {
  /** key */ readonly stamp: string;
  /** JSON: as it was read; absent: there was none */ readonly before?: string | undefined;
  /** JSON */ readonly after: string;
}

export type ReplaceStampAnswer = boolean;

const read: lua.Read<ReplaceStampAnswer> = lua.flag;

export const replaceStampScript = lua.defineScript('replace-stamp', `
-- <generated>
local function _given(word) if word ~= '' then return word end end
local stamp = KEYS[1]
local before = _given(ARGV[1])
local after = ARGV[2]
-- </generated>
if (redis.call('GET', stamp) or nil) ~= before then return 0 end
redis.call('SET', stamp, after)
return 1
`);

/** Replaces the stamp that was read. One that is sent again after a lost reply finds its own stamp and says no; what
 * asks reads it and is content. */
export async function replaceStamp(redis: lua.ScriptHost, args: ReplaceStampArgs): Promise<ReplaceStampAnswer> {
  const keys = [args.stamp];
  const words: lua.Word[] = [args.before ?? '', args.after];
  return read(await lua.runScript(redis, replaceStampScript, keys, words));
}
