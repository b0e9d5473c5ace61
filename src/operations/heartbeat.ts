/**
 * What this process remembers of Redis: how far it had come. Whatever is accepted or about to leave carries it into
 * its script, which refuses where Redis has not come so far: then it has lost something, and this process knows.
 *
 * Only what would survive a failover is remembered. A write that no replica has yet may be gone after one, and that is
 * no loss: nobody has acted on it.
 */
import type { Redis } from 'ioredis';
import { kinds, isFinal, statesOf } from '../kinds/index.ts';
import { isAfter } from '../lib/ids.ts';
import { recoveryCauses, type RecoveryCause } from '../kinds/system.ts';
import type { Random } from '../lib/random.ts';
import { serverOf } from '../redis/durability.ts';
import { type Act, told } from './audit.ts';
import { FOUND_FOR_MS, MARK, ON_NOTHING_FIELD, keys } from './keys.ts';
import type { Fields } from './record.ts';
import {
  type BeatAnswer,
  beat,
  countEffect,
  firstBeat,
  type TransitionArgs,
  type LeaveRecoveryAnswer,
  leaveRecovery,
} from './scripts/generated/scripts.ts';
import { type Deployment, KeysOfAnother, wordOfDeployment } from './stamp.ts';
import type { Beat } from './witness-word.ts';

/** Counters that processes have written down where their death does not reach them. Neither throws. */
export interface Marks {
  /** It is about to let something leave, as this counter of the epoch. */
  keep(epoch: string, counter: number): void;
  /** The highest of all processes that write there, living and dead; 0: none. */
  highest(epoch: string): number;
}

interface HeartbeatOptions {
  readonly redis: Redis;
  readonly random: Random;
  /** Gives the time instead of Redis, for tests that turn the clock by hand. */
  readonly now?: () => number;
  /** Resolves true when what was written before has reached the replicas that must have it. Absent: there are none. */
  readonly fence?: (() => Promise<boolean>) | undefined;
  /** Nothing is written where the keys are of another one. Absent: they are ours, whatever they say. */
  readonly ours?: Deployment | undefined;
  /** So long nobody may have been at work here, with something open. */
  readonly silenceMs: number;
  readonly onError?: (error: unknown) => void;
}

type Listener = (recovering: RecoveryState | undefined) => void;

/** What the scripts that accept, or let something leave, are told. Its own mark is the counter at its last act. */
type Remembered = TransitionArgs['memory'];

/** What is handed to the caller that runs such a script. */
export type Guard = Pick<Heartbeat, 'remembered' | 'refused'>;

const NOTHING: Beat = { deployment: '', epoch: '', counter: 0, event: '0-0', at: 0 };

/** For processes that remember nothing: the scripts ask only whether a recovery is under way. */
export const NO_MEMORY: Guard = { remembered: () => ({ counter: 0, mark: 0 }), refused: () => new Recovering() };

/** Nothing in any of these: nothing is open. */
const openSets = kinds.flatMap((kind) =>
  statesOf(kind).flatMap((state) => (isFinal(kind, state) ? [] : [keys.state(kind, state)])),
);

export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #name: string;
  readonly #ours: string | undefined;
  #known: Beat = NOTHING;
  /** The counter at the last act of this process. */
  #mark = 0;
  /** Its mark is gone from Redis, and that is no loss, whatever it still has to write down. */
  #ended = false;
  #recovering: RecoveryState | undefined;
  #beating: Promise<void> | undefined;
  #writtenDown: Marks | undefined;
  readonly #listeners = new Set<Listener>();

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#name = options.random.hex(4);
    this.#ours = wordOfDeployment(options.ours);
  }

  /** Undefined: none is under way, as far as this process has heard. */
  recovering(): RecoveryState | undefined {
    return this.#recovering;
  }

  /** Told when a recovery begins (with its state) and when it is over (without), until what is returned is called. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** What this process knows to be kept. */
  known(): Beat {
    return this.#known;
  }

  remembered(): Remembered {
    const { epoch, counter } = this.#known;
    return { epoch, counter, name: this.#name, mark: this.#ended ? 0 : this.#mark };
  }

  /** A counter that a script gave, once what was written with it is kept. */
  remember(counter: number): void {
    this.#mark = Math.max(this.#mark, counter);
    this.#raiseTo(counter);
    this.#writtenDown?.keep(this.#known.epoch, counter);
  }

  /** From now on what is remembered is written down too, and what is written down there is remembered. */
  writeDownIn(marks: Marks): void {
    this.#writtenDown = marks;
  }

  /** Takes in what others have written down: those that have died cannot say it any more. */
  learn(): void {
    const { epoch } = this.#known;
    if (epoch !== '') this.#raiseTo(this.#writtenDown?.highest(epoch) ?? 0);
  }

  #raiseTo(counter: number): void {
    if (counter > this.#known.counter) this.#known = { ...this.#known, counter };
  }

  /** A script has refused: what stands behind it is found out, and everybody told. The error to throw. */
  refused(): Recovering {
    this.beat().catch((error: unknown) => this.#options.onError?.(error));
    return new Recovering();
  }

  /** How far the events are kept, of those up to this place. */
  async keptUpTo(place: string): Promise<string> {
    const { fence } = this.#options;
    if (!fence || !isAfter(place, this.#known.event)) return place;
    // A beat writes, and the fence behind it covers all that was written before.
    await this.beat();
    if (this.#recovering && (await fence())) return place;
    return this.#known.event;
  }

  /** Somebody was given an event at this place, and the stream has not come so far: what it was is lost. */
  lost(place: string): void {
    const { redis, onError } = this.#options;
    const nothing = { memory: NO_MEMORY.remembered(), event: place, because: 'event_cursor' };
    const entered = beat(redis, { ...heartbeatKeys, now: this.#now(), ...nothing, ours: this.#ours });
    entered.then((answer) => this.#take(answer)).catch((error: unknown) => onError?.(error));
  }

  /** Counts an effect for which no intent is written. False: it must not happen. */
  async raise(): Promise<boolean> {
    const asked = { heartbeat: keys.heartbeat, memory: this.remembered() };
    const raised = (await countEffect(this.#options.redis, asked)).is === 'raised';
    if (!raised) this.refused();
    return raised;
  }

  /** The first beat, with what the witness tells of the time before this process. */
  async begin(witness: Beat | undefined): Promise<void> {
    const { redis, random, silenceMs } = this.#options;
    const { epoch, event, at, deployment, counter: witnessed, beaten = witnessed } = witness ?? NOTHING;
    const counter = Math.max(witnessed, this.#writtenDown?.highest(epoch) ?? 0);
    const answer = await firstBeat(redis, {
      ...heartbeatKeys,
      open: openSets,
      now: this.#now(),
      epoch,
      counter,
      event,
      witnessed: at,
      told: beaten,
      deployment: deployment || random.hex(EPOCH_BYTES),
      silenceMs,
      newEpoch: random.hex(EPOCH_BYTES),
      name: this.#name,
      ours: this.#ours,
    });
    await this.#take(answer);
  }

  /**
   * Says that this process is at work, and finds out whether it may be. Callers that ask meanwhile share the next one.
   * Throws `KeysOfAnother` where the keys are of another deployment.
   */
  beat(): Promise<void> {
    this.#beating ??= this.#beat().finally(() => (this.#beating = undefined));
    return this.#beating;
  }

  /**
   * A witness that is heard after the start. What it says of another deployment says nothing about this one, but where
   * that was in this place, and this one has begun on nothing.
   */
  async compare(
    { epoch, counter, event, deployment, at, beaten = counter }: Beat,
    isOfThisPlace = false,
  ): Promise<void> {
    const { redis } = this.#options;
    if (epoch === '') return;
    const isOurs = deployment === (await this.deployment()) || (isOfThisPlace && (await this.beganOnNothing()));
    if (!isOurs) return;
    const memory = { epoch, counter, name: this.#name, mark: 0 };
    const recovering = this.#recovering?.since;
    const asked = { ...heartbeatKeys, now: this.#now(), memory, event, deployment, recovering, ours: this.#ours };
    await this.#take(await beat(redis, { ...asked, witnessed: at, told: beaten }));
  }

  /** This process is about to end. */
  async end(): Promise<void> {
    await this.beat();
    this.#ended = true;
    await this.#options.redis.hdel(keys.heartbeat, `${MARK}${this.#name}`);
  }

  /** The deployment that this Redis belongs to; undefined: nobody has ever been at work here. */
  async deployment(): Promise<string | undefined> {
    return (await this.#options.redis.hget(keys.heartbeat, 'deployment')) ?? undefined;
  }

  /**
   * There was nothing here when the first process began, in the last week, and it had no witness to tell it what should
   * be.
   */
  async beganOnNothing(): Promise<boolean> {
    const [begun, at] = await this.#options.redis.hmget(keys.heartbeat, ON_NOTHING_FIELD, 'at');
    return begun != null && Number(at) - Number(begun) < FOUND_FOR_MS;
  }

  async #beat(): Promise<void> {
    const { event, deployment } = this.#known;
    const answer = await beat(this.#options.redis, {
      ...heartbeatKeys,
      now: this.#now(),
      memory: this.remembered(),
      event,
      deployment,
      recovering: this.#recovering?.since,
      ours: this.#ours,
    });
    await this.#take(answer);
  }

  async #take(answer: BeatAnswer): Promise<void> {
    if (answer.is === 'another') throw new KeysOfAnother();
    if (answer.is === 'recovering') return this.#show(readRecovery(answer.fields));
    this.#show(undefined);
    if (this.#options.fence && !(await this.#options.fence())) return;
    const { epoch, counter, at, event, deployment = '' } = answer;
    // Another epoch counts on from where nobody has been; what was remembered of the one before says nothing about it.
    const isKnown = epoch === this.#known.epoch;
    this.#mark = isKnown ? Math.max(counter, this.#mark) : counter;
    this.#known = { epoch, at, event, deployment, counter: Math.max(counter, this.#known.counter), beaten: counter };
    // What was written down while this was asked: the process that did may be dead by now, and Redis another one.
    if (!isKnown) this.learn();
  }

  #show(state: RecoveryState | undefined): void {
    const changed = state?.since !== this.#recovering?.since || state?.because !== this.#recovering?.because;
    this.#recovering = state;
    if (changed) for (const listener of this.#listeners) listener(state);
  }

  #now(): number | undefined {
    return this.#options.now?.();
  }
}

/**
 * What is true of relais after its Redis has turned out to be older than it should be, or may be: nothing is accepted
 * and nothing leaves until somebody has said what became of what was lost.
 */

interface RecoveryState {
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

  /** The server that answers now, as it names itself: another one, or the same started again, has another name. */
  server(): Promise<string> {
    return serverOf(this.#redis);
  }

  /**
   * Ends it: events with greater ids than any follower has seen, `system.recovered`. What people must look at is
   * written down before. `lastEvent`: what else is known of how far the events had come.
   */
  async leave({ by, ledOn, since, lastEvent, act }: Leaving): Promise<Left> {
    const { heartbeat, recovery, events, counts } = heartbeatKeys;
    const epoch = this.#random.hex(EPOCH_BYTES);
    const how = { now: this.#now(), epoch, ledOn, since, by, lastEvent, ...told(act) };
    return (await leaveRecovery(this.#redis, { heartbeat, recovery, events, counts, ...how })).is;
  }
}

/**
 * `lost`: it is proven that something was, so it was no mere silence. `another`: another server answers than the one
 * that was led on, or more was lost than that. `none`: none is under way.
 */
export type Left = LeaveRecoveryAnswer['is'];

export interface Leaving {
  readonly by: string;
  /** The server on which everything that was open has been led on. Absent: nothing was lost, so nothing was. */
  readonly ledOn?: string;
  /** When the lost time ended that was led on. */
  readonly since?: number;
  readonly lastEvent?: string;
  readonly act?: Act | undefined;
}

const EPOCH_BYTES = 16;

/** As the scripts of the heartbeat take them. */
const heartbeatKeys = {
  heartbeat: keys.heartbeat,
  recovery: keys.recovery,
  schema: keys.schema,
  events: keys.events,
  dispatch: keys.dispatch,
  counts: keys.counts('system'),
  stamp: keys.stamp,
};

function readRecovery(fields: Fields): RecoveryState {
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
