/**
 * The life of a process: it beats, watches the others, and takes over the work of a dead or silent process. It reads
 * the counters of all lanes, and so detects a ledger that was restored from a backup.
 */
import { type Clock, type Moment, momentOf, msBetween } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import type { Memory } from './lane.ts';
import { type Place, isGone, lockSlot, ownPlace } from './place.ts';
import type { Database } from './pool.ts';

export interface ProcessesOptions {
  readonly database: Pick<Database, 'run' | 'transaction'>;
  /** Shared by the lanes of this process. */
  readonly memory: Memory;
  readonly clock: Clock;
  /** Never reused, unlike the slot: `processName`. */
  readonly name: string;
  /** Name of the deployment on this machine: a machine may run several. */
  readonly deployment: string;
  /** Preferred slot: a second process of the machine takes the next free number. */
  readonly slot: string;
  readonly version: string;
  readonly schemaVersion: number;
  readonly roles: readonly string[];
  /** Another process has taken over, or a recovery has ended: this process must exit. */
  readonly onFenced: (why: Fencing) => void;
  /** The ledger is behind the memory of this process. */
  readonly onRestored: (loss: Loss) => Promise<void>;
  readonly place?: Place;
}

/**
 * Why a process must exit. `silent`: another process has taken over its work. `epoch`: it missed a whole recovery.
 * `restored`: the ledger is older than the process.
 */
export type Fencing = 'silent' | 'epoch' | 'restored';

export interface LostLane {
  readonly lane: string;
  readonly known: string;
  /** Absent: the ledger has no such lane. */
  readonly found?: string;
}

export interface Loss {
  readonly lanes: readonly LostLane[];
  /** The epoch that this process remembers. */
  readonly epoch?: number | undefined;
  /** The epoch of the ledger in which the loss was found; in a later epoch the loss is already resolved. */
  readonly foundIn?: number | undefined;
}

interface Beaten {
  readonly beat: string;
  readonly deployment: string;
  readonly epoch: number;
  readonly recovering_at: Date | null;
  readonly recovering_why: string | null;
  readonly unwitnessed_at: Date | null;
  readonly lanes: readonly string[];
  readonly counters: readonly string[];
  readonly run: string;
  readonly compared: string | null;
  readonly at: Date;
}

export interface ProcessRow {
  readonly process: string;
  readonly slot: string;
  readonly boot_id: string;
  readonly pid_namespace: string;
  readonly pid: number;
  readonly pid_started: string;
  readonly version: string;
  readonly schema_version: number;
  readonly roles: readonly string[];
  readonly beat: string;
  readonly compared: string | null;
  readonly started_at: Date;
}

/** The state of the ledger at the last beat. */
export interface Standing {
  readonly deployment: string;
  readonly epoch: number;
  /** Undefined: no recovery is running. */
  readonly recovering: { readonly since: number; readonly because: string } | undefined;
  /** Since when no witness has confirmed the ledger, ms since the epoch. */
  readonly unwitnessedSince: number | undefined;
  /** Run of PostgreSQL: another one may be a restored copy. */
  readonly run: string;
  /** Run that this process has compared with what it and its witnesses remember. */
  readonly compared: string | undefined;
  /** Processes that have not compared it yet. */
  readonly uncompared: readonly string[];
  /** By the clock of PostgreSQL, ms since the epoch. */
  readonly at: number;
  /** Other processes whose beats were seen. */
  readonly alive: readonly ProcessRow[];
  /** Lane → counter, of every process that has not ended. */
  readonly marks: ReadonlyMap<string, bigint>;
}

const SILENT_MS = 10_000;
/** After this time without the ledger, an observer restarts its observation. */
const BLIND_MS = 5_000;
/** Claims that ran during the takeover are committed by then. */
const LATE_CLAIMS_MS = 15_000;
const SLOTS_MOST = 64;
const NAME_BYTES = 6;

export function processName(slot: string, random: Random): string {
  return `${slot.replaceAll(/[^\w.-]/g, '_').slice(0, SLOTS_MOST)}-${random.hex(NAME_BYTES)}`;
}

interface Watched {
  readonly beat: string;
  readonly since: Moment;
}

export class Processes {
  readonly #options: ProcessesOptions;
  readonly #place: Place;
  readonly name: string;
  #slot = '';
  #unlock: (() => Promise<void>) | undefined;
  #watched = new Map<string, Watched>();
  readonly #takenOver = new Map<string, Moment>();
  #lastSeen: Moment | undefined;
  #standing: Standing | undefined;
  #isFenced = false;

  constructor(options: ProcessesOptions) {
    this.#options = options;
    this.#place = options.place ?? ownPlace();
    this.name = options.name;
  }

  /** Absent until the first beat. */
  get standing(): Standing | undefined {
    return this.#standing;
  }

  get slot(): string {
    return this.#slot;
  }

  /** Takes a slot, joins the others, and takes over the work of dead processes on this machine. */
  async start(): Promise<void> {
    const { database, version, schemaVersion, roles } = this.#options;
    await this.#takeSlot();
    const { bootId, pidNamespace, pid, pidStarted } = this.#place;
    const place = [bootId, pidNamespace, pid, pidStarted];
    await database.run('register_process', [this.name, this.#slot, ...place, version, schemaVersion, roles]);
    await this.beat();
  }

  /** Call it each second. The caller reports database errors; they prove nothing about other processes. */
  async beat(): Promise<void> {
    if (this.#isFenced) return;
    const { database, memory, clock } = this.#options;
    // Remembered values were committed before this statement, so its answer must include them.
    const [known, epoch] = [memory.vector(), memory.epoch];
    const [beaten] = await database.run<Beaten>('beat', [this.name]);
    if (beaten === undefined) return this.#isReplaced(known);
    // A started recovery has raised the epoch. A process that missed a whole recovery has no valid memory.
    const isOpen = beaten.recovering_at === null;
    if (isOpen && (epoch ?? beaten.epoch) < beaten.epoch) return this.#fence('epoch');
    const lanes = await this.#lost(known, beaten);
    const isBefore = isOpen && (epoch ?? beaten.epoch) > beaten.epoch;
    if (lanes.length > 0 || isBefore) await this.#options.onRestored({ lanes, epoch, foundIn: beaten.epoch });
    // Another beat may have read a newer one meanwhile.
    if (!isBefore && memory.epoch === epoch) memory.epoch = beaten.epoch;
    const rows = await database.run<ProcessRow>('processes');
    await this.#observe(rows, momentOf(clock));
  }

  /** Other processes wait for it after a start of PostgreSQL: only this process may remember what a restored ledger lacks. */
  async noteCompared(): Promise<void> {
    const { run, compared } = this.#standing ?? {};
    if (run !== undefined && run !== compared) await this.#options.database.run('note_compared', [this.name, run]);
  }

  /** Ends cleanly: this process has no work in progress. */
  async end(): Promise<void> {
    if (!this.#isFenced) await this.#retire([this.name]);
    this.#isFenced = true;
    await this.#unlock?.();
    this.#unlock = undefined;
  }

  async #takeSlot(): Promise<void> {
    const { deployment, slot } = this.#options;
    for (let number = 1; number <= SLOTS_MOST; number += 1) {
      const name = number === 1 ? slot : `${slot}#${number}`;
      this.#unlock = await lockSlot(deployment, name);
      if (this.#unlock !== undefined) {
        this.#slot = name;
        return;
      }
    }
    // Without a lock the end of this process cannot be detected: others wait until it is silent.
    this.#slot = slot;
  }

  /** One lane behind is enough, however far the others are. An ended lane is compared one last time. */
  async #lost(known: ReadonlyMap<string, bigint>, beaten: Beaten): Promise<readonly LostLane[]> {
    const { database, memory } = this.#options;
    const marks = new Map(beaten.lanes.map((lane, at) => [lane, BigInt(beaten.counters[at] ?? 0)]));
    const { alive = [], uncompared = [] } = this.#standing ?? {};
    this.#standing = { ...standingOf(beaten), marks, alive, uncompared };
    const absent = [...known.keys()].filter((lane) => !marks.has(lane));
    const ended =
      absent.length === 0 ? [] : await database.run<{ lane: string; counter: string }>('retired', [absent]);
    const found = new Map([...marks, ...ended.map(({ lane, counter }) => [lane, BigInt(counter)] as const)]);
    const lost = [...known].flatMap(([lane, counter]) => lostOf(lane, counter, found.get(lane)));
    if (lost.length > 0) return lost;
    for (const { lane } of ended) memory.forget(lane);
    for (const [lane, counter] of marks) memory.remember(lane, counter);
    return [];
  }

  /** Its row is missing. A ledger without a record of its end is older than this process. */
  async #isReplaced(known: ReadonlyMap<string, bigint>): Promise<void> {
    const { database, memory, onRestored } = this.#options;
    const [ended] = await database.run('retired', [[this.name]]);
    if (ended === undefined) {
      const lanes = [...known].map(([lane, counter]) => ({ lane, known: String(counter) }));
      await onRestored({ lanes, epoch: memory.epoch, foundIn: memory.epoch });
    }
    this.#fence(ended === undefined ? 'restored' : 'silent');
  }

  #fence(why: Fencing): void {
    if (this.#isFenced) return;
    this.#isFenced = true;
    this.#options.onFenced(why);
  }

  async #observe(rows: readonly ProcessRow[], now: Moment): Promise<void> {
    const wasBlind = this.#lastSeen !== undefined && msBetween(this.#lastSeen, now) > BLIND_MS;
    this.#lastSeen = now;
    if (wasBlind) this.#watched.clear();
    const others = rows.filter(({ process }) => process !== this.name);
    const alive = others.filter(({ process, beat }) => (this.#watched.get(process)?.beat ?? beat) !== beat);
    const uncompared = rows.filter(({ compared }) => compared !== this.#standing?.run).map(({ process }) => process);
    if (this.#standing) this.#standing = { ...this.#standing, alive, uncompared };
    this.#watched = new Map(others.map(({ process, beat }) => [process, this.#watchedAs(process, beat, now)]));
    const doomed: ProcessRow[] = [];
    for (const row of others) if (await this.#isDead(row, now)) doomed.push(row);
    if (doomed.length > 0) await this.#takeOver(doomed, now);
    await this.#freeLateClaims(now);
  }

  #watchedAs(process: string, beat: string, now: Moment): Watched {
    const before = this.#watched.get(process);
    return before?.beat === beat ? before : { beat, since: now };
  }

  async #isDead(row: ProcessRow, now: Moment): Promise<boolean> {
    const { since } = this.#watched.get(row.process) ?? { since: now };
    if (msBetween(since, now) >= SILENT_MS) return true;
    const place = {
      bootId: row.boot_id,
      pidNamespace: row.pid_namespace,
      pid: row.pid,
      pidStarted: row.pid_started,
    };
    if (!isGone(place, this.#place)) return false;
    if (row.slot === this.#slot) return this.#unlock !== undefined;
    const unlock = await lockSlot(this.#options.deployment, row.slot);
    await unlock?.();
    return unlock !== undefined;
  }

  /**
   * One transaction: a process that beats again within it was not silent, and lanes end before their leases are
   * broken.
   */
  async #takeOver(doomed: readonly ProcessRow[], now: Moment): Promise<void> {
    const names = doomed.map(({ process }) => process);
    const beats = doomed.map(({ beat }) => beat);
    const taken = await this.#options.database.transaction(async (run) => {
      const locked = await run<{ process: string }>('lock_processes', [names, beats]);
      const processes = locked.map(({ process }) => process);
      if (processes.length === 0) return processes;
      await run('retire_processes', [processes, null]);
      await run('break_leases', [processes, null]);
      return processes;
    });
    for (const process of taken) this.#takenOver.set(process, now);
  }

  async #freeLateClaims(now: Moment): Promise<void> {
    const late = [...this.#takenOver].filter(([, at]) => msBetween(at, now) > LATE_CLAIMS_MS).map(([name]) => name);
    if (late.length === 0) return;
    await this.#options.database.run('break_leases', [late, null]);
    for (const name of late) this.#takenOver.delete(name);
  }

  async #retire(processes: readonly string[]): Promise<void> {
    await this.#options.database.transaction(async (run) => {
      await run('retire_processes', [processes, null]);
      await run('break_leases', [processes, null]);
    });
  }
}

function lostOf(lane: string, known: bigint, found: bigint | undefined): readonly LostLane[] {
  if (found !== undefined && found >= known) return [];
  return [{ lane, known: String(known), ...(found === undefined ? {} : { found: String(found) }) }];
}

function standingOf({ deployment, epoch, recovering_at, recovering_why, unwitnessed_at, run, compared, at }: Beaten) {
  return {
    deployment,
    epoch,
    recovering:
      recovering_at === null ? undefined : { since: recovering_at.getTime(), because: recovering_why ?? '' },
    unwitnessedSince: unwitnessed_at?.getTime(),
    run,
    compared: compared ?? undefined,
    at: at.getTime(),
  };
}
