/**
 * Operations in the ledger: accept, claim, change, signal, read. One table has every kind, since all share one
 * lifecycle.
 */
import { statesOf } from '../kinds/index.ts';
import type { Opinions } from '../kinds/limits.ts';
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import type { DatabaseOptions } from './database.ts';
import { untilCompared } from './compared.ts';
import { AnswerLost, RuleRefused } from './errors.ts';
import type { Journal } from './journal.ts';
import { Lane, Memory } from './lane.ts';
import type {
  Change,
  Claimed,
  NewOperation,
  Recorded,
  Signal,
  Signalled,
  Wanted,
  Written,
} from './operation-items.ts';
import {
  acceptValues,
  changeValues,
  identityValues,
  limitsJson,
  signalValues,
  wantedValues,
} from './operation-values.ts';
import type { UniqueName } from './refused-changes.ts';
import { ownId, ownIdentity } from './shared-keys.ts';
import { Sharing, type SharingOptions } from './sharing.ts';

export type { NewOperation } from './operation-items.ts';

/** The schema version of written rows; `claim` skips rows of a newer one. */
export const SCHEMA_VERSION = 1;

/** The number of a statement is a UUID. */
const OP_BYTES = 16;
/** Maximum waiting items of one statement. */
const WAITING_MOST = 20_000;
const PATIENCE_MS = 10_000;
/**
 * How long a lost answer is queried while a caller waits. With the statement time-out this is less than the 30 s
 * after which an idle caller's connection ends. The caller repeats its request.
 */
const SETTLE_FOR_CALLER_MS = 5_000;
/** How long requests of an account at a limit are recorded one by one. */
const AT_LIMIT_MS = 1_000;
const DRY_RUN = 'DRY_RUN';

export interface LedgerOptions {
  readonly database: DatabaseOptions;
  /** Name of this process, unique among running processes. */
  readonly process: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly lanes?: number;
  /** Items in one statement. */
  readonly most?: number;
  /** Default: a memory for this instance alone. */
  readonly memory?: Memory;
  /** Money limits of this process, in addition to the shared limits. */
  readonly limits?: Opinions;
  /** How long an item waits for a lane, ms; after it, `DatabaseAway`. */
  readonly patience?: number;
  /** Receives requests that are about to leave, after the commit of the intent. Absent: no journal. */
  readonly journal?: Pick<Journal, 'intended'>;
  /** Gives the time instead of PostgreSQL, for tests. */
  readonly now?: (() => Date) | undefined;
}

interface Fresh {
  /** Null: only the counter. */
  readonly id: string | null;
  readonly fresh?: boolean;
  readonly state?: string;
  readonly version?: number;
  readonly counter: string;
  /** Absent: the answer was lost. */
  readonly at?: Date;
  /** For a lost answer: a change only reports that it was written. */
  readonly created_at?: Date;
}

type Settled = Omit<Fresh, 'at' | 'version'>;

interface Settling {
  readonly lane: Lane;
  readonly items: readonly { readonly id: string }[];
  readonly patienceMs?: number | undefined;
}

type Keys<Item> = Pick<SharingOptions<Item, unknown>, 'keysOf' | 'sumsOf'>;
type Run<Item, Answer> = SharingOptions<Item, Answer>['run'];

export class Operations {
  readonly memory: Memory;
  readonly #options: LedgerOptions;
  readonly #limits: string;
  readonly #lanes: Lane[] = [];
  readonly #accepting: Sharing<NewOperation, Recorded>;
  /** Requests of accounts at a limit, and dry runs: PostgreSQL aborts their statement, so they do not share one. */
  readonly #alone: Sharing<NewOperation & { readonly isDry?: boolean }, Recorded>;
  /** Separate from results, which are written during a recovery too. */
  readonly #intending: Sharing<Change, Written | undefined>;
  readonly #changing: Sharing<Change, Written | undefined>;
  readonly #signalling: Sharing<Signal, Signalled | undefined>;
  readonly #leasing: Sharing<Wanted, Claimed | undefined>;
  readonly #reading: Lane;
  readonly #atLimit = new Map<string, number>();
  /** Pending requests, by identity and content. */
  readonly #asked = new Map<string, Promise<Recorded>>();

  constructor(options: LedgerOptions) {
    const { lanes = 2, most = 200, memory = new Memory(), limits = {} } = options;
    this.memory = memory;
    this.#options = options;
    this.#limits = limitsJson(limits);
    this.#reading = this.#open('read');
    const open = (name: string) => Array.from({ length: lanes }, (_, at) => this.#open(`${name}${at}`));
    this.#accepting = this.#shared(open('accept'), most, ownIdentity, (lane, items) => this.#accept(lane, items));
    this.#alone = this.#shared([this.#open('alone')], 1, ownIdentity, (lane, items) => this.#accept(lane, items));
    this.#intending = this.#shared<Change, Written | undefined>(open('intend'), most, ownId, (lane, items) =>
      this.#change(lane, items, true),
    );
    this.#changing = this.#shared<Change, Written | undefined>(open('change'), most, ownId, (lane, items) =>
      this.#change(lane, items, false),
    );
    this.#signalling = this.#shared<Signal, Signalled | undefined>(open('signal'), most, ownId, (lane, items) =>
      this.#signal(lane, items),
    );
    this.#leasing = this.#shared<Wanted, Claimed | undefined>([this.#reading], most, ownId, async (lane, items) => {
      const of = [SCHEMA_VERSION, this.#now(), options.process, lane.name];
      return eachById(items, await lane.read<Claimed>('lease_operations', [...wantedValues(items), ...of]));
    });
  }

  /** Resolves after the commit. Rejects with `LedgerClosed` or `StatementRefused` if nothing was written. */
  async accept(one: NewOperation): Promise<Recorded> {
    refuseUnknownState(one);
    const same = `${one.id} ${one.fingerprint.toString('base64')}`;
    const asked = this.#asked.get(same);
    if (asked === undefined) {
      const recording = this.#record(one).finally(() => this.#asked.delete(same));
      this.#asked.set(same, recording);
      return recording;
    }
    // A caller that repeats a pending request gets its answer, so a hundred repeats are one statement.
    const recorded = await asked.catch(() => undefined);
    return recorded ? repeatedAs(recorded) : this.#record(one);
  }

  async #record(one: NewOperation): Promise<Recorded> {
    const { account } = one;
    const isAtLimit = (this.#atLimit.get(account) ?? 0) > this.#options.clock.monotonic();
    const sharing = isAtLimit ? this.#alone : this.#accepting;
    return sharing.ask(one).catch((error: unknown): Recorded => {
      if (!(error instanceof RuleRefused)) throw error;
      this.#atLimit.set(account, this.#options.clock.monotonic() + AT_LIMIT_MS);
      return refusedBy(one, error);
    });
  }

  /** The answer that `accept` would give. Nothing is recorded. */
  async dryRun(one: NewOperation): Promise<Recorded> {
    refuseUnknownState(one);
    return this.#alone.ask({ ...one, isDry: true }).catch((error: unknown): Recorded => {
      if (!(error instanceof RuleRefused)) throw error;
      const { rule, detail } = error;
      if (rule === DRY_RUN) return { outcome: 'accepted', id: one.id, state: detail, at: 0 };
      return refusedBy(one, error);
    });
  }

  /** Leases up to `most` due operations of a queue, accounts in turn. */
  async claim(
    queue: string,
    accounts: readonly string[],
    most: number,
    leaseMs: number,
  ): Promise<readonly Claimed[]> {
    const of = [SCHEMA_VERSION, this.#now(), this.#options.process, this.#reading.name];
    return this.#reading.read<Claimed>('claim', [queue, accounts, most, leaseMs, ...of]);
  }

  /** Undefined: it does not exist, is in another state, or another attempt holds it. */
  lease(one: Wanted): Promise<Claimed | undefined> {
    return this.#leasing.ask(one);
  }

  /** Releases unused leases. */
  async release(
    items: readonly { readonly id: string; readonly lease: string; readonly isOver?: boolean }[],
  ): Promise<void> {
    if (items.length === 0) return;
    await this.#reading.read('release_leases', [
      items.map(({ id }) => id),
      items.map(({ lease }) => lease),
      items.map(({ isOver = false }) => isOver),
    ]);
  }

  /** Undefined: another attempt holds the operation, and nothing was written. */
  async change(one: Change): Promise<Written | undefined> {
    if (one.sendMs !== undefined && one.sendMs > (one.keepMs ?? 0))
      throw new Error(`${one.id} leaves after its lease`);
    return (one.intends ? this.#intending : this.#changing).ask(one);
  }

  /** A callback makes the next check of the operation due. Undefined: there is no such operation. */
  signal(one: Signal): Promise<Signalled | undefined> {
    return this.#signalling.ask(one);
  }

  async appendEvidence(id: string, lines: readonly string[]): Promise<void> {
    if (lines.length > 0) await this.#reading.read('append_evidence', [id, lines.join('\n'), this.#now()]);
  }

  /** Due ids of a queue, longest due first. Their due time moves by `pushMs`. */
  async handOut(
    queue: string,
    most: number,
    pushMs: number,
  ): Promise<readonly { readonly id: string; readonly version: number }[]> {
    const rows = await this.#reading.read<{ id: string; version: number; was_due: Date }>('hand_out', [
      queue,
      most,
      pushMs,
      SCHEMA_VERSION,
      this.#now(),
    ]);
    return rows.toSorted((a, b) => a.was_due.getTime() - b.was_due.getTime());
  }

  read<Row extends object>(ids: readonly string[]): Promise<readonly Row[]> {
    return this.#reading.read<Row>('read', [ids]);
  }

  /** Tombstones and operations by identity, as in `accept`. */
  holdersOf(items: readonly NewOperation[]): Promise<ReadonlyMap<string, Holder>> {
    return holders(this.#reading, items);
  }

  /** The operation of the account with this provider reference. */
  async namedAs(account: string, { token, transactionId, providerRef }: UniqueName): Promise<string | undefined> {
    const names = [token, transactionId, providerRef];
    const [row] = await this.#reading.read<{ id: string }>('named_as', [account, ...names]);
    return row?.id;
  }

  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }

  #open(name: string): Lane {
    const { database, process, clock } = this.#options;
    const lane = new Lane({ database, memory: this.memory, name: `${process}/${name}`, clock });
    this.#lanes.push(lane);
    return lane;
  }

  #shared<Item extends { readonly id: string }, Answer>(
    lanes: readonly Lane[],
    most: number,
    keys: Keys<Item>,
    run: Run<Item, Answer>,
  ): Sharing<Item, Answer> {
    const { clock, patience = PATIENCE_MS } = this.#options;
    const bounds = { clock, patience, mostWaiting: WAITING_MOST };
    return new Sharing<Item, Answer>({ lanes, most, ...keys, orderBy: ({ id }) => id, run, ...bounds });
  }

  #now(): Date | null {
    return this.#options.now?.() ?? null;
  }

  async #accept(
    lane: Lane,
    items: readonly (NewOperation & { readonly isDry?: boolean })[],
  ): Promise<readonly (Recorded | Error)[]> {
    const isDry = items.some((one) => one.isDry);
    const values = acceptValues(items);
    const rows = await this.#settled({ lane, items, patienceMs: SETTLE_FOR_CALLER_MS }, (op) =>
      lane.write<Fresh>('accept', [op, SCHEMA_VERSION, this.#now(), this.#limits, isDry, ...values]),
    );
    const fresh = new Map(rows.filter((row) => row.fresh).map((row) => [row.id, row]));
    const known = items.filter(({ id }) => !fresh.has(id));
    // A recorded operation is accepted, even if the other operations are unreadable.
    const held = await holders(lane, known).catch((error: Error) => error);
    return items.map((one) => {
      const row = fresh.get(one.id);
      if (row) return acceptedAs(one, row);
      return held instanceof Error ? held : answerOf(one, held.get(one.id));
    });
  }

  async #change(lane: Lane, items: readonly Change[], intends: boolean): Promise<readonly (Written | undefined)[]> {
    const { clock } = this.#options;
    const values = changeValues(items);
    const isOfPeople = items.every(({ lease }) => lease === undefined);
    const patienceMs = isOfPeople ? SETTLE_FOR_CALLER_MS : undefined;
    const rows = await this.#settled({ lane, items, patienceMs }, (op) =>
      untilCompared(clock, () => lane.write<Fresh>('change', [op, intends, this.#now(), ...values])),
    );
    const done = new Map(rows.map((row) => [row.id, row]));
    if (intends) await this.#noteIntents(lane, rows, items);
    return items.map(({ id }) => {
      const row = done.get(id);
      if (row === undefined) return undefined;
      const { version, at } = row;
      return version === undefined || at === undefined
        ? { known: false }
        : { known: true, version, at: at.getTime() };
    });
  }

  async #signal(lane: Lane, items: readonly Signal[]): Promise<readonly (Signalled | undefined)[]> {
    return eachById(items, await lane.read<Signalled>('signal', [...signalValues(items), this.#now()]));
  }

  async #noteIntents(lane: Lane, rows: readonly Fresh[], items: readonly Change[]): Promise<void> {
    const { epoch } = this.memory;
    const [first] = rows;
    if (first === undefined || epoch === undefined) return;
    const written = new Set(rows.map(({ id }) => id));
    const noted = items.flatMap(({ id, journalItem }) => (written.has(id) ? (journalItem ?? []) : []));
    await this.#options.journal?.intended({ lane: lane.name, epoch, counter: first.counter }, noted);
  }

  /**
   * Runs a statement. If its answer is lost, rows with its number prove that it was committed; without rows nothing
   * was written, and it runs again.
   */
  async #settled(
    { lane, items, patienceMs }: Settling,
    run: (op: string) => Promise<readonly Fresh[]>,
  ): Promise<readonly Fresh[]> {
    const { random } = this.#options;
    const op = random.hex(OP_BYTES);
    try {
      return await run(op);
    } catch (error) {
      if (!(error instanceof AnswerLost)) throw error;
      const rows = await lane.settle<Settled>('written_by', [op, items.map(({ id }) => id)], patienceMs);
      const written = rows.filter(({ id }) => id !== null);
      return written.length > 0 ? written.map((row) => ({ ...row, fresh: true })) : run(random.hex(OP_BYTES));
    }
  }
}

function refuseUnknownState({ id, kind, state }: NewOperation): void {
  const states: readonly string[] = statesOf(kind);
  if (!states.includes(state)) throw new Error(`${id} cannot begin as ${state}: a ${kind} has no such state`);
}

const refusedBy = ({ id }: NewOperation, { rule, detail }: RuleRefused): Recorded => ({
  outcome: 'refused',
  id,
  rule,
  detail,
});

function acceptedAs({ id, state }: NewOperation, row: Fresh): Recorded {
  return { outcome: 'accepted', id, state: row.state ?? state, at: (row.at ?? row.created_at)?.getTime() ?? 0 };
}

/** The answer to a repeated request. */
function repeatedAs(recorded: Recorded): Recorded {
  if (recorded.outcome !== 'accepted') return recorded;
  const { id, state } = recorded;
  return { outcome: 'duplicate', id, state, buried: false };
}

function eachById<Answer extends { readonly id: string }>(
  items: readonly { readonly id: string }[],
  rows: readonly Answer[],
): readonly (Answer | undefined)[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return items.map(({ id }) => byId.get(id));
}

export interface Holder {
  readonly asked: string;
  readonly id: string;
  readonly fingerprint: Buffer;
  readonly state: string;
  readonly buried: boolean;
}

async function holders(lane: Lane, items: readonly NewOperation[]): Promise<ReadonlyMap<string, Holder>> {
  if (items.length === 0) return new Map();
  const rows = await lane.read<Holder>('identities', identityValues(items));
  const otherIds = new Map(items.map(({ id, otherId }) => [id, otherId]));
  const rank = ({ id, asked }: Holder): number => (id === asked ? 2 : id === otherIds.get(asked) ? 0 : 1);
  // The last one wins: the operation with the same id, otherwise that of the reference.
  const byId = rows.toSorted((a, b) => rank(a) - rank(b));
  return new Map(byId.map((row) => [row.asked, row]));
}

function answerOf({ id, fingerprint }: NewOperation, holder: Holder | undefined): Recorded | Error {
  if (holder === undefined) return new Error(`${id} was neither recorded nor found`);
  // The journal has no fingerprint for a payment that it restored.
  const isSame = holder.fingerprint.equals(fingerprint) || holder.fingerprint.length === 0;
  const outcome = holder.id === id && isSame ? 'duplicate' : 'conflict';
  return { outcome, id: holder.id, state: holder.state, buried: holder.buried };
}
