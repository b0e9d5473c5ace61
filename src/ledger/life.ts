/**
 * The state of the ledger as a process knows it: whether PostgreSQL answers, whether the ledger is older than any
 * memory of it, and whether a recovery is running. It beats each second and informs the witnesses.
 */
import { type Clock, type Moment, momentOf, msBetween } from '../lib/clock.ts';
import { untilCompared } from './compared.ts';
import type { DatabaseOptions } from './database.ts';
import { LedgerClosed } from './errors.ts';
import type { Journal } from './journal.ts';
import { Lane, type Memory } from './lane.ts';
import type { Database } from './pool.ts';
import { enterRecovery } from './recovering.ts';
import { type Fencing, type Loss, type ProcessRow, Processes, type Standing } from './processes.ts';
import { ACTS } from './unbroken.ts';
import { type LaneWord, type Witness, type Word, together } from './witness.ts';

export interface LifeOptions {
  readonly database: Database;
  /** For the lane of effects without an intent. */
  readonly at: DatabaseOptions;
  readonly memory: Memory;
  readonly clock: Clock;
  readonly name: string;
  readonly deployment: string;
  readonly slot: string;
  readonly version: string;
  readonly schemaVersion: number;
  readonly roles: readonly string[];
  readonly witnesses: readonly Witness[];
  /** False: an operator guarantees that no earlier backup was restored (`WITNESS=none`). */
  readonly needsWitness: boolean;
  /** How long nothing is sent after a clock step: a lease and a settle delay, ms. */
  readonly suspendMs: number;
  /** This process must exit. */
  readonly onFenced: (why: Fencing) => void;
  readonly quietly: (message: string, error: unknown) => void;
}

export interface RecoveringState {
  readonly since: number;
  readonly because: string;
}

interface Compare {
  readonly confirms: boolean;
  readonly deployment: string;
}

interface Compared {
  readonly epoch: number;
  readonly lost: readonly string[];
  readonly known: readonly string[];
  readonly over: readonly string[];
}

type Listener = (recovering: RecoveringState | undefined) => void;

const BEAT_EVERY_MS = 1_000;
const STEP_MS = 5_000;
/** A process that is gone is known as gone by then. */
const COMPLAINT_MS = 20_000;
/** A witness may lose data, so every value is written again after this many beats. */
const REPEAT_EVERY = 30;

export class Life {
  readonly #options: LifeOptions;
  readonly #processes: Processes;
  readonly #listeners = new Set<Listener>();
  readonly #effects: Lane;
  /** By witness: the last value it received. */
  readonly #told = new Map<string, string>();
  /** Witnesses that were not read yet: writing there first would hide their earlier knowledge. */
  readonly #unheard: Set<Witness>;
  #journal: Journal | undefined;
  #recovering: RecoveringState | undefined;
  #beats = 0;
  #trouble: unknown;
  #isAsking = false;
  /** Number of recoveries begun by this process. */
  #entered = 0;
  /** The last beat: the time of PostgreSQL, and when this process sent the query and got the answer. */
  #timed: { readonly at: number; readonly asked: Moment; readonly answered: Moment } | undefined;
  #steppedAt: Moment | undefined;
  /** When every process had compared what it remembers, as far as this process knows. */
  #comparedMono: number;
  #cancel = (): void => undefined;
  #underWay: Promise<void> = Promise.resolve();

  constructor(options: LifeOptions) {
    this.#options = options;
    const { at, memory, clock } = options;
    this.#comparedMono = clock.monotonic();
    this.#unheard = new Set(options.witnesses);
    this.#processes = new Processes({ ...options, onRestored: (loss) => this.enterRecovery('rolled_back', loss) });
    memory.onClosed = () => this.refused();
    this.#effects = new Lane({ database: at, memory, name: `${this.name}/effects`, clock });
  }

  /** Never reused; lanes of this process are named after it. */
  get name(): string {
    return this.#processes.name;
  }

  get slot(): string {
    return this.#processes.slot;
  }

  get standing(): Standing | undefined {
    return this.#processes.standing;
  }

  /** Reports the journal's counters to the witnesses from now on. */
  journalIn(journal: Journal): void {
    this.#journal = journal;
  }

  /** Undefined: no recovery is running, as far as this process knows. */
  recovering(): RecoveringState | undefined {
    return this.#recovering;
  }

  /** No witness has confirmed this ledger: requests that cannot be repeated safely wait. */
  get isUnwitnessed(): boolean {
    return this.unwitnessedSince !== undefined;
  }

  /** Since when, ms since the epoch: earlier requests may have been sent already. */
  get unwitnessedSince(): number | undefined {
    return this.#options.needsWitness ? this.standing?.unwitnessedSince : undefined;
  }

  /** The error of the last beat. Undefined: it succeeded. */
  get trouble(): unknown {
    return this.#trouble;
  }

  /**
   * The clock of PostgreSQL was set while this process watched. Leases and deadlines in the ledger are unreliable for
   * a while, so nothing is sent.
   */
  get isSuspended(): boolean {
    const { clock, suspendMs } = this.#options;
    return this.#steppedAt !== undefined && msBetween(this.#steppedAt, momentOf(clock)) < suspendMs;
  }

  /**
   * Called at the start of a recovery (with its state) and at its end (without). Call the returned function to stop.
   */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Call it before anything is accepted or sent. */
  async start(): Promise<void> {
    await this.#processes.start();
    await this.#hear();
    const { needsWitness, database } = this.#options;
    if (!needsWitness) await database.run('note_witnessed');
    await this.beat();
    this.#cancel = this.#options.clock.after(BEAT_EVERY_MS, () => this.#next());
  }

  async beat(): Promise<void> {
    const entered = this.#entered;
    const asked = momentOf(this.#options.clock);
    await this.#processes.beat();
    this.#noticeStep(asked);
    // The answer of this beat does not include a recovery that the beat itself began.
    if (this.#entered === entered) this.#show(this.standing?.recovering);
    const isOther = this.standing?.run !== this.standing?.compared;
    this.#complain();
    if (this.#beats > 0 && (isOther || this.#unheard.size > 0 || this.#beats % REPEAT_EVERY === 1))
      await this.#hear();
    await this.#confirmedByPeers();
    await this.#processes.noteCompared();
    this.#beats += 1;
    await this.#tell(false);
  }

  /** Nothing leaves meanwhile, so that an operator can read why. */
  #complain(): void {
    const { clock, quietly } = this.#options;
    const { uncompared = [] } = this.standing ?? {};
    if (uncompared.length === 0) this.#comparedMono = clock.monotonic();
    if (clock.monotonic() - this.#comparedMono < COMPLAINT_MS || this.#beats % REPEAT_EVERY !== 0) return;
    const why = 'PostgreSQL was started anew, and a process has not compared what it remembers: nothing is sent';
    quietly(why, new Error(`end or restart ${uncompared.join(', ')}`));
  }

  /** Counts an effect without an intent. False: it must not happen. */
  async raise(): Promise<boolean> {
    try {
      await untilCompared(this.#options.clock, () => this.#effects.write('raise_lane', []));
      return true;
    } catch (error) {
      if (!(error instanceof LedgerClosed)) throw error;
      return false;
    }
  }

  /** The ledger refused a statement: finds the cause in the background. */
  refused(): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.beat()
      .catch((error: unknown) => this.#options.quietly('the beat', error))
      .finally(() => (this.#isAsking = false));
  }

  /** From now on no process accepts or sends anything. */
  async enterRecovery(because: string, loss: Loss = { lanes: [] }): Promise<void> {
    const { database, memory } = this.#options;
    const { epoch, foundIn } = loss;
    const lanes = Object.fromEntries(loss.lanes.map(({ lane, known }) => [lane, known]));
    const isEntered = await database.transaction((run) => enterRecovery(run, because, { lanes, epoch, foundIn }));
    if (!isEntered) return;
    // It is recorded now. Checks of sent requests continue, so results must be written during the recovery.
    for (const { lane, found } of loss.lanes) memory.restore(lane, found);
    this.#entered += 1;
    // The first cause stands: a witness that knows of more comes later.
    const { because: first } = this.#recovering ?? {};
    this.#show({ since: this.standing?.at ?? this.#options.clock.now(), because: first || because });
  }

  /** Ends cleanly: this process has no work in progress. */
  async end(): Promise<void> {
    this.#cancel();
    await this.#underWay;
    await this.#effects.close();
    await this.beat().catch((error: unknown) => this.#options.quietly('the last beat', error));
    await this.#tell(true);
    await this.#processes.end();
  }

  #next(): void {
    const { clock, quietly } = this.#options;
    this.#underWay = this.beat()
      .then(() => (this.#trouble = undefined))
      .catch((error: unknown) => {
        this.#trouble = error;
        quietly('the beat', error);
      })
      .finally(() => (this.#cancel = clock.after(BEAT_EVERY_MS, () => this.#next())));
  }

  /**
   * A ledger behind a witness starts a recovery; otherwise it is complete up to now. Repeated regularly, so that a
   * recovery knows since when data may be missing.
   */
  async #hear(): Promise<void> {
    const { standing } = this;
    if (standing === undefined) return;
    const word = together(await this.#words(standing.deployment));
    const confirms = word !== undefined && isBefore(word, standing);
    if (word) await this.#compare(word, { confirms, deployment: standing.deployment });
    if (!confirms && this.#beats === 0 && (await this.#isUsed(standing)))
      await this.#options.database.run('note_unwitnessed', [null]);
  }

  async #words(deployment: string): Promise<readonly Word[]> {
    const words: Word[] = [];
    for (const witness of this.#options.witnesses) {
      try {
        const heard = await witness.hear(deployment);
        this.#unheard.delete(witness);
        if (heard) words.push(heard);
      } catch (error) {
        this.#options.quietly(`the witness in ${witness.name}`, error);
      }
    }
    return words;
  }

  /** Another process has used this ledger before. */
  async #isUsed({ marks }: Standing): Promise<boolean> {
    const isOther = ([lane, counter]: readonly [string, bigint]): boolean =>
      counter > FIRST && !lane.startsWith(`${this.name}/`);
    if ([...marks].some(isOther)) return true;
    const [ended] = await this.#options.database.run<{ used: boolean }>('used_before');
    return ended?.used === true;
  }

  /** A process that has lived for longer remembers the whole ledger. */
  async #confirmedByPeers(): Promise<void> {
    const { unwitnessedSince, alive = [] } = this.standing ?? {};
    if (unwitnessedSince === undefined) return;
    const isOlder = ({ started_at }: ProcessRow): boolean => started_at.getTime() < unwitnessedSince - STARTS_MS;
    if (alive.some(isOlder)) await this.#options.database.run('note_witnessed');
  }

  /** The ledger is read after the witness, because other processes continue after the last beat. */
  async #compare(word: Word, { confirms, deployment }: Compare): Promise<void> {
    const told = Object.entries(word.lanes).filter(([lane]) => !lane.endsWith(`/${ACTS}`));
    const [compared] = await this.#options.database.run<Compared>('compare_witness', [
      told.map(([lane]) => lane),
      told.map(([, { counter }]) => counter),
      told.map(([, { epoch }]) => epoch),
      word.epoch,
      confirms,
    ]);
    if (compared === undefined) return;
    const lanes = compared.lost.map((lane, at) => ({ lane, known: compared.known[at] ?? '0' }));
    if (lanes.length > 0 || word.epoch > compared.epoch)
      await this.enterRecovery('witness', { lanes, epoch: word.epoch, foundIn: compared.epoch });
    else if (compared.over.length > 0) await this.#forget(compared.over, deployment);
  }

  async #forget(lanes: readonly string[], deployment: string): Promise<void> {
    const { witnesses, quietly } = this.#options;
    for (const witness of witnesses) {
      await witness
        .forget(deployment, lanes)
        .catch((error: unknown) => quietly(`the witness in ${witness.name}`, error));
    }
  }

  /** Own lanes only: no other process writes them, so their counters never decrease within an epoch. */
  async #tell(ended: boolean): Promise<void> {
    const { standing } = this;
    if (standing === undefined) return;
    const { witnesses, quietly } = this.#options;
    const { deployment, epoch, at } = standing;
    const lanes = this.#ownLanes({ at, epoch }, ended);
    const others = [...standing.marks.keys()].filter((lane) => !lane.startsWith(`${this.name}/`));
    const isDue = ended || this.#recovering !== undefined || this.#beats % REPEAT_EVERY === 0;
    const now = JSON.stringify(Object.entries(lanes).map(([lane, { counter, sent }]) => [lane, counter, sent]));
    for (const witness of witnesses) {
      if (this.#unheard.has(witness) || (!isDue && this.#told.get(witness.name) === now)) continue;
      try {
        await witness.note({ deployment, epoch, lanes, others }, at);
        this.#told.set(witness.name, now);
      } catch (error) {
        quietly(`the witness in ${witness.name}`, error);
      }
    }
  }

  #ownLanes({ at, epoch }: Pick<Standing, 'at' | 'epoch'>, ended: boolean): Readonly<Record<string, LaneWord>> {
    const journal = this.#journal;
    const own = [...this.#options.memory.vector()].filter(([lane]) => lane.startsWith(`${this.name}/`));
    const told = own.map(([lane, counter]) => {
      // Without a journal, everything that its lanes wrote may have left.
      const sent = journal === undefined ? String(counter) : journal.sentOn(lane);
      return [lane, { counter: String(counter), epoch, ended, at, ...(sent === undefined ? {} : { sent }) }] as const;
    });
    const last = journal?.lastAct;
    const acts = last && { counter: String(last.n), lastActAt: last.at, epoch, ended, at };
    return Object.fromEntries(acts ? [...told, [`${this.name}/${ACTS}`, acts] as const] : told);
  }

  /** Between two beats, the clock of PostgreSQL must advance as much as that of this process. */
  #noticeStep(asked: Moment): void {
    const at = this.standing?.at;
    if (at === undefined) return;
    const [before, now] = [this.#timed, { at, asked, answered: momentOf(this.#options.clock) }];
    this.#timed = now;
    if (before === undefined) return;
    const passed = at - before.at;
    const [least, most] = [msBetween(before.answered, asked), msBetween(before.asked, now.answered)];
    if (passed < least - STEP_MS || passed > most + STEP_MS) this.#steppedAt = now.answered;
  }

  #show(state: RecoveringState | undefined): void {
    const changed = (state === undefined) !== (this.#recovering === undefined);
    this.#recovering = state;
    if (changed) for (const listener of this.#listeners) listener(state);
  }
}

/** A lane that was only opened has written nothing that could be missing. */
const FIRST = 1n;

/** Processes that start together know nothing about the time before. */
const STARTS_MS = 60_000;

/** The witness was written before this ledger was first found without a witness. */
function isBefore({ lanes }: Word, { unwitnessedSince }: Standing): boolean {
  return unwitnessedSince === undefined || Object.values(lanes).some(({ at }) => at < unwitnessedSince);
}
