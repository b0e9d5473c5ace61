// Generated from ../purge-message.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface PurgeMessageArgs {
  /** key */ readonly message: string;
  readonly state: string;
  /** as they were read */ readonly to: string;
  /** the number */ readonly becomes: string;
}

export type PurgeMessageAnswer = boolean;

const read: lua.Read<PurgeMessageAnswer> = lua.flag;

export const purgeMessageScript = lua.defineScript('purge-message', `
-- <generated>
local message = KEYS[1]
local state = ARGV[1]
local to = ARGV[2]
local becomes = ARGV[3]
-- </generated>
local stood, number, version = unpack(redis.call('HMGET', message, 'state', 'to', 'v'))
if stood ~= state or number ~= to or version ~= "1" then return 0 end
redis.call('HSET', message, 'to', becomes, 'text', '')
return 1
`);

/** Forgets the number and the text of a message, as it was read. Answers whether it was done. */
export async function purgeMessage(redis: lua.ScriptHost, args: PurgeMessageArgs): Promise<PurgeMessageAnswer> {
  const keys = [args.message];
  const words: lua.Word[] = [args.state, args.to, args.becomes];
  return read(await lua.runScript(redis, purgeMessageScript, keys, words));
}
