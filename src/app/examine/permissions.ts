/**
 * Whether the Redis user may do what relais and BullMQ do. Each command is tried once on keys that exist for the length
 * of one script, so nothing is left and nobody sees it; what a command answers does not matter, unless it is refused.
 */
import type { Redis } from 'ioredis';
import type { Config } from '../../config.ts';
import type { Random } from '../../lib/random.ts';
import { list, text } from '../../redis/scripts.ts';
import { type Finding, fault, ok } from './finding.ts';

/** Commands with arguments that Redis accepts. KEY and OTHER are the two keys; words after them are taken as they are. */
export const PROBES: readonly string[] = `
  EXISTS KEY, TYPE KEY, PTTL KEY, EXPIRE KEY 60, PEXPIRE KEY 60000, PEXPIREAT KEY 9999999999999, PERSIST KEY,
  GET KEY, SET KEY 1, INCR KEY, INCRBY KEY 1, RENAME KEY OTHER, DEL KEY, TIME, HSET KEY f 1, HSETNX KEY f 1,
  HMSET KEY f 1, HINCRBY KEY f 1, HGET KEY f, HMGET KEY f, HGETALL KEY, HKEYS KEY, HLEN KEY, HEXISTS KEY f,
  HDEL KEY f, RPUSH KEY x, LPUSH KEY x, LLEN KEY, LINDEX KEY 0, LRANGE KEY 0 0, LPOS KEY x, LSET KEY 0 x,
  LREM KEY 0 x, LTRIM KEY 0 1, RPOPLPUSH KEY OTHER, LPOP KEY, RPOP KEY, SADD KEY x, SCARD KEY, SISMEMBER KEY x,
  SMISMEMBER KEY x, SMEMBERS KEY, SSCAN KEY 0, SREM KEY x, ZADD KEY 1 x, ZCARD KEY, ZCOUNT KEY 0 1,
  ZLEXCOUNT KEY - +, ZRANGE KEY 0 0, ZREVRANGE KEY 0 0, ZRANGEBYSCORE KEY 0 1, ZREVRANGEBYSCORE KEY 1 0,
  ZRANGEBYLEX KEY - +, ZSCORE KEY x, ZMSCORE KEY x, ZRANK KEY x, ZREM KEY x, ZREMRANGEBYRANK KEY 0 0,
  ZREMRANGEBYSCORE KEY 0 1, ZPOPMIN KEY, XADD KEY * f 1, XLEN KEY, XRANGE KEY - +, XREVRANGE KEY + -,
  XTRIM KEY MAXLEN 1, XREAD COUNT 1 STREAMS KEY 0, XINFO STREAM KEY, XGROUP CREATE KEY g 0, XPENDING KEY g,
  XACK KEY g 1-1, XREADGROUP GROUP g c COUNT 1 STREAMS KEY 0, XCLAIM KEY g c 0 1-1, XDEL KEY 1-1,
  UNLINK KEY OTHER
`
  .trim()
  .split(/,\s+/);

/** Refused commands, with the error of each; and errors that say that a probe itself is wrong. */
const SCRIPT = `
local said = {}
redis.pcall('UNLINK', KEYS[1], KEYS[2])
for _, probe in ipairs(ARGV) do
  local words = {}
  for word in string.gmatch(probe, '%S+') do
    words[#words + 1] = word == 'KEY' and KEYS[1] or word == 'OTHER' and KEYS[2] or word
  end
  local answer = redis.pcall(unpack(words))
  if type(answer) == 'table' and answer.err then said[#said + 1] = words[1] .. ' ' .. answer.err end
  -- What the one has made is in the way of the next, which wants another type. A group needs its stream.
  if string.sub(words[1], 1, 1) ~= 'X' then redis.pcall('UNLINK', KEYS[1], KEYS[2]) end
end
redis.pcall('DEL', KEYS[1], KEYS[2])
return said
`;

/** As servers of several versions say it, to a command of its own and to one inside a script. */
const REFUSED = /NOPERM|ACL failure|no permission|executing the script can't/i;

/** What is not done inside scripts. EVALSHA comes first: where it is refused the rest cannot be tried. */
async function tryOutside(redis: Redis, replicas: number): Promise<readonly string[]> {
  const probes: Readonly<Record<string, () => Promise<unknown>>> = {
    EVALSHA: () => redis.evalsha('0'.repeat(40), 0),
    MULTI: () => redis.multi().time().exec(),
    BZPOPMIN: () => redis.bzpopmin('doctor:nothing', 0.01),
    SCAN: () => redis.scan(0, 'COUNT', 1),
    INFO: () => redis.info('server'),
    CLIENT: () => redis.call('CLIENT', 'SETNAME', 'relais-doctor'),
    ...(replicas > 0 ? { WAIT: () => redis.wait(0, 1) } : {}),
  };
  const refused: string[] = [];
  for (const [command, probe] of Object.entries(probes)) {
    const said = await probe().then(
      () => '',
      (error: unknown) => String(error),
    );
    if (REFUSED.test(said)) refused.push(command);
  }
  return refused;
}

/** Answers of Redis to the probes that were errors: `HSET NOPERM …`. */
export async function tryInside(redis: Redis, random: Random): Promise<readonly string[]> {
  const key = `doctor:${random.hex(8)}`;
  return list(text)(await redis.eval(SCRIPT, 2, key, `${key}:other`, ...PROBES));
}

export async function examinePermissions(redis: Redis, config: Config, random: Random): Promise<readonly Finding[]> {
  const user = userOf(config);
  const prefix = config.REDIS_PREFIX;
  const fixed = (rules: string): string => `ACL SETUSER ${user} ${rules}`;
  const refused = [...(await tryOutside(redis, config.REDIS_WAIT_REPLICAS))];
  try {
    const inside = (await tryInside(redis, random)).filter((said) => REFUSED.test(said));
    refused.push(...inside.map((said) => said.split(' ')[0] ?? ''));
  } catch (error) {
    const said = String(error);
    if (/one of the keys/i.test(said)) {
      return [
        fault('permissions', `the user ${user} may not use keys that begin with ${prefix}`, fixed(`~${prefix}:*`)),
      ];
    }
    if (!REFUSED.test(said)) throw error;
    refused.push('EVAL');
  }
  if (refused.length === 0) return [ok('permissions', `the user ${user} may do all that relais does`)];
  const says = `the user ${user} may not run ${refused.join(', ')}`;
  return [fault('permissions', says, fixed(refused.map((command) => `+${command.toLowerCase()}`).join(' ')))];
}

/** As Redis calls a user without a name. */
function userOf({ REDIS_URL: url }: Config): string {
  return decodeURIComponent(new URL(url).username) || 'default';
}
