import type { Redis } from 'ioredis';
import type { Config } from '../../config.ts';
import { type Clock, describeMs } from '../../lib/clock.ts';
import { RedisUnavailable, closeConnection, openCommands, waitUntilReady } from '../../redis/connections.ts';
import { type Durability, checkDurability, MEMORY_SHARE_MAX } from '../../redis/durability.ts';
import { targetOf } from '../container.ts';
import { type Finding, fault, ok } from './finding.ts';

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
    return redis;
  } catch (error) {
    await closeConnection(redis);
    if (!(error instanceof RedisUnavailable)) throw error;
    const [, says = error.message, fix = 'Start it.'] =
      /^(.*?)\. ((?:Start it|Mend)\b.*)$/s.exec(error.message) ?? [];
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
  if (tooOld) return fault('redis', `it is version ${version}`, `Use ${OLDEST.join('.')} or newer.`);
  return ok('redis', `version ${version}, answers in ${tookMs.toFixed(1)} ms`);
}

/** Each reason carries its remedy, after its colon. */
function examineDurability({ durable, reasons, version }: Durability): readonly Finding[] {
  if (durable && reasons.length === 0) {
    return [ok('durability', `what it answered survives a power loss${afterPowerLoss(version)}`)];
  }
  if (durable) return [ok('durability', `asserted by DURABILITY, though ${reasons.join('; ')}`)];
  return reasons.map((reason) => {
    const [what = '', ...remedy] = reason.split(': ');
    return fault('durability', what, remedy.join(': '));
  });
}

/** Measured with 7.0: an end that is merely cut off is dropped, one of zeros or rubbish stops the start. */
function afterPowerLoss(version: string): string {
  if (!version.startsWith('7.0.')) return '';
  return '; should it then refuse to start, copy its folder and use redis-check-aof --fix on the manifest';
}

function examineMemory(share: number | null): Finding {
  if (share === null) return ok('memory', 'no maxmemory is set: the machine is the limit');
  const used = `${Math.round(share * 100)} % of maxmemory is used`;
  if (share <= MEMORY_SHARE_MAX) return ok('memory', used);
  return fault('memory', `${used}, so nothing new is accepted`, 'Give Redis more memory, or wait.');
}

function examineClock(aheadMs: number): Finding {
  const apart = describeMs(Math.abs(aheadMs));
  if (Math.abs(aheadMs) <= CLOCKS_APART_MAX_MS) return ok('clock', `this machine and Redis are ${apart} apart`);
  const how = aheadMs > 0 ? 'ahead of' : 'behind';
  return fault('clock', `this machine is ${apart} ${how} Redis`, 'Let NTP set both clocks.');
}
