import type { Redis } from 'ioredis';
import type { AccountBook } from '../../accounts.ts';
import type { Config } from '../../config.ts';
import { type Clock, describeMs } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import { type Opinions, reasonsFor } from '../../kinds/limits.ts';
import { type SharedLimits } from '../../operations/limits.ts';
import type { Recovery } from '../../operations/heartbeat.ts';
import { compareStamp } from '../../operations/stamp.ts';
import { namedUnreadable } from '../../operations/record.ts';
import { RedisUnavailable, closeConnection, openCommands, waitUntilReady } from '../../redis/connections.ts';
import {
  type Durability,
  checkDurability,
  MEMORY_SHARE_MAX,
  refuseWrongKind,
  WrongRedis,
} from '../../redis/durability.ts';
import { list, text } from '../../redis/scripts.ts';
import { nodesFollowed } from '../../redis/slot.ts';
import { targetOf } from '../container.ts';
import { deploymentOf, problemsOf } from '../deployment.ts';
import { type Finding, fault, ok } from './finding.ts';
import { type Said, readBack, said } from '../../words/said.ts';

const READY_WAIT_MS = 5_000;
const OLDEST = [6, 2] as const;
/** Due times are by the clock of Redis; what callers are told and ask for (notBefore, expiresAt) is by theirs. */
const CLOCKS_APART_MAX_MS = 2_000;

/** A connection that is ready, or why there is none. */
export async function reachRedis(config: Config): Promise<Redis | Finding> {
  // What goes wrong while connecting is in the error that waiting ends with.
  const redis = openCommands(targetOf(config), { name: 'relais-doctor', onError: () => undefined });
  try {
    await waitUntilReady(redis, READY_WAIT_MS);
    await refuseWrongKind(redis);
    return redis;
  } catch (error) {
    await closeConnection(redis);
    if (error instanceof WrongRedis) {
      const [says = '', fix = ''] = error.message.split(/: (?=point |name )/);
      return fault('redis', says, fix);
    }
    if (!(error instanceof RedisUnavailable)) throw error;
    const [, says = error.message, fix = 'Start it.'] =
      /^(.*?)\. ((?:Start it|Mend|Point)\b.*)$/s.exec(error.message) ?? [];
    return fault('redis', says, fix);
  }
}

export async function examineRedis(redis: Redis, config: Config, clock: Clock): Promise<readonly Finding[]> {
  const askedMono = clock.monotonic();
  const [seconds, micros] = await redis.time();
  const tookMs = clock.monotonic() - askedMono;
  const aheadMs = clock.now() - tookMs / 2 - (Number(seconds) * 1_000 + Number(micros) / 1_000);
  const verdict = await checkDurability(redis, {
    asserted: config.DURABILITY === 'asserted',
    replicas: config.REDIS_WAIT_REPLICAS,
  });
  return [
    examineVersion(verdict.version, tookMs),
    ...examineDurability(verdict),
    examineMemory(verdict.usedMemoryShare),
    examineClock(aheadMs),
  ];
}

function examineVersion(version: string, tookMs: number): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const tooOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
  if (tooOld)
    return fault(
      'redis',
      said('it is version {version}', { version }),
      said('Use {oldest} or newer.', { oldest: OLDEST.join('.') }),
    );
  return ok('redis', said('version {version}, answers in {ms} ms', { version, ms: tookMs.toFixed(1) }));
}

/** Each reason carries its remedy, after its colon. */
function examineDurability({ durable, reasons, version }: Durability): readonly Finding[] {
  if (durable && reasons.length === 0) {
    return [ok('durability', afterPowerLoss(version))];
  }
  if (durable)
    return [ok('durability', said('asserted by DURABILITY, though {reasons}', { reasons: reasons.join('; ') }))];
  return reasons.map((reason) => {
    const [what = '', ...remedy] = reason.split(': ');
    return fault('durability', what, remedy.join(': '));
  });
}

/** Measured with 7.0: an end that is merely cut off is dropped, one of zeros or rubbish stops the start. */
function afterPowerLoss(version: string): string {
  if (!version.startsWith('7.0.')) return 'what it answered survives a power loss';
  return 'what it answered survives a power loss; should it then refuse to start, copy its folder and use redis-check-aof --fix on the manifest';
}

function examineMemory(share: number | null): Finding {
  if (share === null) return ok('memory', 'no maxmemory is set: the machine is the limit');
  const percent = Math.round(share * 100);
  if (share <= MEMORY_SHARE_MAX) return ok('memory', said('{percent} % of maxmemory is used', { percent }));
  const full = said('{percent} % of maxmemory is used, so nothing new is accepted', { percent });
  return fault('memory', full, 'Give Redis more memory, or wait.');
}

function examineClock(aheadMs: number): Finding {
  const apart = describeMs(Math.abs(aheadMs));
  if (Math.abs(aheadMs) <= CLOCKS_APART_MAX_MS)
    return ok('clock', said('this machine and Redis are {apart} apart', { apart }));
  const off =
    aheadMs > 0
      ? said('this machine is {apart} ahead of Redis', { apart })
      : said('this machine is {apart} behind Redis', { apart });
  return fault('clock', off, 'Let NTP set both clocks.');
}

/**
 * Whether the Redis user may do what relais and BullMQ do. Each command is tried once on keys that exist for the length
 * of one script, so nothing is left and nobody sees it; what a command answers does not matter, unless it is refused.
 */

/** Commands with arguments that Redis accepts. KEY and OTHER are the two keys; words after them are taken as they are. */
export const PROBES: readonly string[] = `
  EXISTS KEY, TYPE KEY, TTL KEY, PTTL KEY, EXPIRE KEY 60, PEXPIRE KEY 60000, PEXPIREAT KEY 9999999999999, PERSIST KEY,
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
local key, other = unpack(KEYS)
local said = {}
redis.pcall('UNLINK', key, other)
for _, probe in ipairs(ARGV) do
  local words = {}
  for word in string.gmatch(probe, '%S+') do
    words[#words + 1] = word == 'KEY' and key or word == 'OTHER' and other or word
  end
  local answer = redis.pcall(unpack(words))
  if type(answer) == 'table' and answer.err then said[#said + 1] = words[1] .. ' ' .. answer.err end
  -- What the one has made is in the way of the next, which wants another type. A group needs its stream.
  if string.sub(words[1], 1, 1) ~= 'X' then redis.pcall('UNLINK', key, other) end
end
redis.pcall('DEL', key, other)
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
    ...(nodesFollowed(redis) ? { CLUSTER: () => redis.cluster('INFO') } : {}),
    ...(replicas > 0 ? { WAIT: () => redis.wait(0, 1) } : {}),
  };
  const refused: string[] = [];
  for (const [command, probe] of Object.entries(probes)) {
    const answer = await probe().then(
      () => '',
      (error: unknown) => String(error),
    );
    if (REFUSED.test(answer)) refused.push(command);
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
    const inside = (await tryInside(redis, random)).filter((one) => REFUSED.test(one));
    refused.push(...inside.map((one) => one.split(' ')[0] ?? ''));
  } catch (error) {
    const answer = String(error);
    // Of 7.0, and of later ones and Valkey.
    if (/one of the keys|access a key/i.test(answer)) {
      return [
        fault(
          'permissions',
          said('the user {user} may not use keys that begin with {prefix}', { user, prefix }),
          fixed(`~${prefix}:*`),
        ),
      ];
    }
    if (!REFUSED.test(answer)) throw error;
    refused.push('EVAL');
  }
  if (refused.length === 0) return [ok('permissions', said('the user {user} may do all that relais does', { user }))];
  const says = said('the user {user} may not run {commands}', { user, commands: refused.join(', ') });
  return [fault('permissions', says, fixed(refused.map((command) => `+${command.toLowerCase()}`).join(' ')))];
}

/** As Redis calls a user without a name. */
function userOf({ REDIS_URL: url }: Config): string {
  return decodeURIComponent(new URL(url).username) || 'default';
}

/** Whose the keys are that these settings would use. */
export async function examineDeployment(
  redis: Redis,
  config: Config,
  book: AccountBook,
): Promise<readonly Finding[]> {
  const { REDIS_PREFIX: prefix } = config;
  const compared = await compareStamp(redis, deploymentOf(config, book));
  if (compared === undefined)
    return [ok('deployment', said('no process has started on the keys {prefix}:* yet', { prefix }))];
  const { stamp, differences } = compared;
  const faults = problemsOf(differences, config).map((problem) => {
    const [says = '', fix = ''] = problem.split(/\. (.*)/s);
    return fault('deployment', says, fix);
  });
  if (faults.length > 0) return faults;
  const accounts = Object.entries(stamp.accounts).map(([name, mode]) => `${name} (${mode})`);
  return [
    ok(
      'deployment',
      said('the keys {prefix}:* are of {environment}: {accounts}', {
        prefix,
        environment: stamp.environment,
        accounts: accounts.join(', ') || '–',
      }),
    ),
  ];
}

/** Whether a process with these settings would be ready, or asks for more than the limits of money that hold. */

export async function examineLimits(
  limits: Pick<SharedLimits, 'list'>,
  own: Opinions,
  now: number,
): Promise<readonly Finding[]> {
  const reasons = reasonsFor(own, await limits.list(now));
  if (reasons.size === 0) return [ok('limits', 'no setting is looser than what holds')];
  return [...reasons.values()].map((reason) => {
    const [says = '', fix = ''] = reason.split(/\. (.*)/s);
    return fault('limits', saidOf(says), saidOf(fix));
  });
}

/** The log says them whole; what a person reads has its French under them. */
const OF_LIMITS = [
  '{name} of this process is {own}, and {value} holds, by {by}',
  '{name} of this process is {own}, and {value} holds',
  'Set it to that or leave it out; or have two people with the role approve give the command: {command}',
];

function saidOf(told: string): Said | string {
  const [found] = OF_LIMITS.flatMap((sentence) => {
    const values = readBack(sentence, told);
    return values ? [{ sentence, values }] : [];
  });
  return found ?? told;
}

/** Records that somebody met and could not read: nobody acts on them until a person has looked. */

const NAMED_MOST = 20;

export async function examineRecords(redis: Redis): Promise<readonly Finding[]> {
  const unreadable = await namedUnreadable(redis);
  if (unreadable.length === 0) return [ok('records', 'none was met that cannot be read')];
  const more = unreadable.length > NAMED_MOST ? [`and ${unreadable.length - NAMED_MOST} more`] : [];
  const told = [...unreadable.slice(0, NAMED_MOST).map(({ message }) => message), ...more];
  return [
    fault('records', told.join('; '), 'Run the version that wrote it, or restore the field from a copy of Redis.'),
  ];
}

export async function examineRecovery(recovery: Pick<Recovery, 'state'>): Promise<readonly Finding[]> {
  const state = await recovery.state();
  if (!state) return [ok('recovery', 'Redis is not known to have lost anything')];
  const since = new Date(state.since).toISOString();
  const says = said(
    'since {since} nothing is accepted and nothing leaves: Redis may have lost something ({because})',
    {
      since,
      because: state.because,
    },
  );
  return [fault('recovery', says, 'See what is open, and say what became of it: relais recover.')];
}
