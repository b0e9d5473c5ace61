// Generated from ../look-up-token.lua. UPDATE_DOCS=1 npx vitest run --project unit writes it anew.
import * as lua from '../../../redis/scripts.ts';

export interface LookUpTokenArgs {
  /** key */ readonly token: string;
  /** key */ readonly pause: string;
}

export type LookUpTokenAnswer = { readonly generation?: number | undefined; readonly sealed?: string | undefined; readonly remainingMs: number; readonly usableMs?: number | undefined; readonly why?: string | undefined; readonly pausedMs: number };

const read: lua.Read<LookUpTokenAnswer> = (value) => {
  const answer = lua.items(value);
  return { generation: lua.optional(lua.number, answer[0]), sealed: lua.optional(lua.text, answer[1]), remainingMs: lua.number(answer[2]), usableMs: lua.optional(lua.number, answer[3]), why: lua.optional(lua.text, answer[4]), pausedMs: lua.number(answer[5]) };
};

export const lookUpTokenScript = lua.defineScript('look-up-token', `
-- <generated>
local token = KEYS[1]
local pause = KEYS[2]
-- </generated>
local generation, sealed, usable = unpack(redis.call('HMGET', token, 'generation', 'sealed', 'usable'))
return {generation, sealed, redis.call('PTTL', token), usable, redis.call('GET', pause), redis.call('PTTL', pause)}
`);

/** What is stored of a bearer, and why nothing logs in for a while. */
export async function lookUpToken(redis: lua.ScriptHost, args: LookUpTokenArgs): Promise<LookUpTokenAnswer> {
  const keys = [args.token, args.pause];
  const words: lua.Word[] = [];
  return read(await lua.runScript(redis, lookUpTokenScript, keys, words));
}
