/**
 * What is true of relais after its Redis has turned out to be older than it should be, or may be: nothing is accepted
 * and nothing leaves until somebody has said what became of what was lost.
 */
import type { Redis } from 'ioredis';
import type { Random } from '../lib/random.ts';
import { type Act, told } from './audit.ts';
import { keys } from './keys.ts';
import type { Fields } from './record.ts';
import { beat, leaveRecovery } from './scripts/generated/scripts.ts';

/** Why a recovery began; the first two may be no more than a long stop. */
const recoveryCauses = [
  /** Nobody was at work for longer than SILENCE_LIMIT, and something is open. */
  'silence',
  /** The last beat lies in the future. */
  'clock',
  /** Something is open, and there is no heartbeat. */
  'no_heartbeat',
  /** A process remembers what this Redis does not. */
  'rolled_back',
  /** The witness file does. */
  'witness',
  /** A cursor of events lies beyond the last one. */
  'event_cursor',
] as const;
export type RecoveryCause = (typeof recoveryCauses)[number];

export interface RecoveryState {
  /** ms since the epoch, by the clock of Redis. */
  readonly since: number;
  readonly because: RecoveryCause;
  /** As Redis tells them: '' and 0 where it has none. */
  readonly epoch: string;
  readonly counter: number;
  /** ms since the epoch. */
  readonly lastBeat: number;
  /** What processes and the witness remember: the highest counter, the last event, the epochs. */
  readonly knownCounter?: number;
  readonly knownLastEvent?: string;
  readonly knownEpochs: readonly string[];
}

/** Thrown by whatever accepts or lets something leave, while a recovery is under way. */
export class Recovering extends Error {
  override readonly name = 'Recovering';

  constructor() {
    super(RECOVERING);
  }
}

export const RECOVERING =
  'Redis may have lost what it was told, so nothing is accepted and nothing leaves until somebody has looked: relais recover';

export class Recovery {
  readonly #redis: Redis;
  readonly #random: Random;
  readonly #now: () => number | undefined;

  constructor({ redis, random, now }: { redis: Redis; random: Random; now?: () => number }) {
    this.#redis = redis;
    this.#random = random;
    this.#now = () => now?.();
  }

  /** Undefined: none is under way. */
  async state(): Promise<RecoveryState | undefined> {
    const fields: Fields = await this.#redis.hgetall(keys.recovery);
    return fields['because'] === undefined ? undefined : readRecovery(fields);
  }

  /** Begins one, or adds to what is known about the one that is under way; `lastEvent`: a place that was seen. */
  async enter(because: RecoveryCause, lastEvent = '0-0'): Promise<void> {
    const memory = { counter: 0, mark: 0 };
    await beat(this.#redis, { ...heartbeatKeys, now: this.#now(), memory, event: lastEvent, because });
  }

  /**
   * Ends it: a new epoch, events with greater ids than any follower has seen, `system.recovered`. What is proven, and
   * what people must look at, is written down before. `lastEvent`: what else is known of how far the events had come.
   * False: none is under way.
   */
  async leave({ by, lastEvent, act }: Leaving): Promise<boolean> {
    const { heartbeat, recovery, events, counts } = heartbeatKeys;
    const epoch = this.#random.hex(EPOCH_BYTES);
    const how = { now: this.#now(), epoch, by, lastEvent, ...told(act) };
    return (await leaveRecovery(this.#redis, { heartbeat, recovery, events, counts, ...how })).is === 'left';
  }
}

export interface Leaving {
  readonly by: string;
  readonly lastEvent?: string;
  readonly act?: Act | undefined;
}

export const EPOCH_BYTES = 16;

/** As the scripts of the heartbeat take them. */
export const heartbeatKeys = {
  heartbeat: keys.heartbeat,
  recovery: keys.recovery,
  schema: keys.schema,
  events: keys.events,
  dispatch: keys.dispatch,
  counts: keys.counts('system'),
  stamp: keys.stamp,
};

export function readRecovery(fields: Fields): RecoveryState {
  const { knownCounter, lastEvent } = fields;
  return {
    since: Number(fields['since']),
    // Nobody but the scripts writes it, with one of these words.
    because: recoveryCauses.find((cause) => cause === fields['because']) ?? 'no_heartbeat',
    epoch: fields['epoch'] ?? '',
    counter: Number(fields['counter'] ?? 0),
    lastBeat: Number(fields['lastBeat'] ?? 0),
    knownEpochs: (fields['epochs'] ?? '').split(',').filter((epoch) => epoch !== ''),
    ...(knownCounter === undefined ? {} : { knownCounter: Number(knownCounter) }),
    ...(lastEvent === undefined ? {} : { knownLastEvent: lastEvent }),
  };
}
