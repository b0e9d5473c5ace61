/**
 * Witnesses of the ledger's counters outside PostgreSQL: a hash in Redis, and a file for each process. They can prove
 * that a ledger is behind. A witness with less data proves neither a loss nor its absence.
 */
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { newestIntents } from './journal.ts';

/** The record of one lane. */
const laneWord = z.object({
  counter: z.string().regex(/^\d+$/),
  /** The epoch of the ledger with this counter: a recovery may reduce the counter. */
  epoch: z.number().int(),
  /** The counter of the last intent whose bytes were allowed to leave; absent: none. */
  sent: z.string().regex(/^\d+$/).optional(),
  /** Its process has ended cleanly, so nothing followed. */
  ended: z.boolean().default(false),
  /** The time of the last act that the journal counts under this number. */
  lastActAt: z.number().optional(),
  /** By the clock of PostgreSQL, ms since the epoch. */
  at: z.number(),
});
export type LaneWord = Readonly<z.output<typeof laneWord>>;

const word = z.object({
  deployment: z.string(),
  epoch: z.number().int(),
  lanes: z.record(z.string(), laneWord),
  /** When this witness began, as `at`; a witness younger than a backup does not know everything since. */
  since: z.number(),
});
export type Word = Readonly<z.output<typeof word>>;

export interface OwnWord extends Omit<Word, 'since'> {
  /** Names of lanes. */
  readonly others?: readonly string[];
}

/** One witness. Both calls reject if it cannot be reached. */
export interface Witness {
  readonly name: string;
  /** Undefined: it has no data of this deployment. */
  hear(deployment: string): Promise<Word | undefined>;
  /**
   * Adds one process's counters of its own lanes, and the names of other lanes, whose processes may not reach this
   * witness.
   */
  note(own: OwnWord, at: number): Promise<void>;
  /** Removes lanes whose end the ledger knows. */
  forget(deployment: string, lanes: readonly string[]): Promise<void>;
}

const EPOCH = 'epoch';
const SINCE = 'since';
const LANE = 'lane:';

export class RedisWitness implements Witness {
  readonly name = 'Redis';
  readonly #redis: Redis;
  /** Lanes of other processes that this one has recorded. */
  readonly #named = new Set<string>();

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  async hear(deployment: string): Promise<Word | undefined> {
    const fields = await this.#redis.hgetall(keyOf(deployment));
    if (fields[EPOCH] === undefined) return undefined;
    const lanes = Object.entries(fields).flatMap(([field, value]) => {
      const one = field.startsWith(LANE) ? readLane(value) : undefined;
      return one === undefined ? [] : [[field.slice(LANE.length), one] as const];
    });
    const told = {
      deployment,
      epoch: Number(fields[EPOCH]),
      since: Number(fields[SINCE] ?? Number.POSITIVE_INFINITY),
      lanes: Object.fromEntries(lanes),
    };
    const left = (await newestIntents(this.#redis, deployment)).map(
      ({ lane, epoch, counter, at }): Word => ({
        ...told,
        epoch,
        lanes: { [lane]: { counter, sent: counter, epoch, ended: false, at } },
      }),
    );
    return together([told, ...left]);
  }

  async note({ deployment, epoch, lanes, others = [] }: OwnWord, at: number): Promise<void> {
    const key = keyOf(deployment);
    const told = Object.entries(lanes).map(([lane, value]) => [`${LANE}${lane}`, JSON.stringify(value)] as const);
    const isNew = (await this.#redis.hsetnx(key, SINCE, String(at))) === 1;
    await this.#redis.hset(key, Object.fromEntries([[EPOCH, String(epoch)], ...told]));
    if (isNew) this.#named.clear();
    for (const lane of others) {
      if (this.#named.has(lane)) continue;
      // Its own process knows more about the lane: only fill in a missing value.
      await this.#redis.hsetnx(key, `${LANE}${lane}`, JSON.stringify(namedAt(epoch, at)));
      this.#named.add(lane);
    }
  }

  async forget(deployment: string, lanes: readonly string[]): Promise<void> {
    if (lanes.length > 0) await this.#redis.hdel(keyOf(deployment), ...lanes.map((lane) => `${LANE}${lane}`));
  }
}

const keyOf = (deployment: string): string => `witness:${deployment}`;

function readLane(text: string): LaneWord | undefined {
  try {
    return laneWord.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

interface FileWitnessOptions {
  /** `WITNESS_FILE`: each process writes its own file next to it. */
  readonly path: string;
  readonly process: string;
}

/** Files that no process has written for this time are removed (ms). */
const FORGOTTEN_MS = 30 * 86_400_000;

export class FileWitness implements Witness {
  readonly name = 'WITNESS_FILE';
  readonly #options: FileWitnessOptions;
  #since: number | undefined;
  /** Time of the last record, ms since the epoch. */
  #latest = 0;

  constructor(options: FileWitnessOptions) {
    this.#options = options;
  }

  async hear(deployment: string): Promise<Word | undefined> {
    const told = (await this.#all()).filter((one) => one.deployment === deployment);
    if (told.length === 0) return undefined;
    return together(told);
  }

  /** The file is replaced atomically, so that a crash leaves the old or the new one. */
  async note({ others = [], ...own }: OwnWord, at: number): Promise<void> {
    this.#since ??= at;
    this.#latest = at;
    const named = others.map((lane) => [lane, namedAt(own.epoch, at)] as const);
    const lanes = { ...Object.fromEntries(named), ...own.lanes };
    const { path, process } = this.#options;
    await mkdir(dirname(path), { recursive: true });
    const draft = `${path}.draft-${process}`;
    await writeFile(draft, `${JSON.stringify({ ...own, lanes, since: this.#since })}\n`, {
      mode: 0o600,
      flush: true,
    });
    await rename(draft, `${path}.${process}`);
  }

  /** Only whole files that no process has written for a month. */
  async forget(deployment: string, lanes: readonly string[]): Promise<void> {
    const [over, old] = [new Set(lanes), this.#latest - FORGOTTEN_MS];
    for (const file of await this.#files()) {
      const told = await this.#read(file);
      const isOver = told?.deployment === deployment && Object.keys(told.lanes).every((lane) => over.has(lane));
      if (isOver || (await isOlder(file, old))) await rm(file, { force: true });
    }
  }

  async #all(): Promise<readonly Word[]> {
    const told = await Promise.all((await this.#files()).map((file) => this.#read(file)));
    return told.filter((one) => one !== undefined);
  }

  /** Undefined: another process has removed it. */
  async #read(file: string): Promise<Word | undefined> {
    const text = await readFile(file, 'utf8').catch(undefinedIfAbsent);
    return text === undefined ? undefined : word.parse(JSON.parse(text));
  }

  async #files(): Promise<readonly string[]> {
    const folder = dirname(this.#options.path);
    const names = (await readdir(folder).catch(undefinedIfAbsent)) ?? [];
    const start = `${basename(this.#options.path)}.`;
    return names
      .filter((name) => name.startsWith(start) && !name.startsWith(`${start}draft-`))
      .map((name) => join(folder, name));
  }
}

/** A lane of which only the name is known. */
const namedAt = (epoch: number, at: number): LaneWord => ({ counter: '1', epoch, ended: false, at });

function undefinedIfAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

async function isOlder(file: string, ms: number): Promise<boolean> {
  const found = await stat(file).catch(undefinedIfAbsent);
  return found !== undefined && found.mtimeMs < ms;
}

/** Combines several witnesses: for each lane the newest epoch, and within it the highest counter. */
export function together(words: readonly Word[]): Word | undefined {
  const [first] = words;
  if (first === undefined) return undefined;
  const lanes = new Map<string, LaneWord>();
  for (const { lanes: told } of words) {
    for (const [lane, value] of Object.entries(told)) {
      const known = lanes.get(lane);
      if (known === undefined || isNewer(value, known)) lanes.set(lane, value);
    }
  }
  return {
    deployment: first.deployment,
    epoch: Math.max(...words.map(({ epoch }) => epoch)),
    since: Math.min(...words.map(({ since }) => since)),
    lanes: Object.fromEntries(lanes),
  };
}

function isNewer(one: LaneWord, other: LaneWord): boolean {
  if (one.epoch !== other.epoch) return one.epoch > other.epoch;
  const [mine, theirs] = [BigInt(one.counter), BigInt(other.counter)];
  if (mine !== theirs) return mine > theirs;
  return one.ended === other.ended ? one.at > other.at : one.ended;
}
