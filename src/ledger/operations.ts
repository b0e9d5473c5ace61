/** Operations in the ledger: accept, claim, change, signal, read. One table holds every kind, since all live one life. */
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import type { Kind } from '../kinds/index.ts';
import type { DatabaseOptions } from './database.ts';
import { AnswerLost, RuleRefused, ValueRefused } from './errors.ts';
import type { Journal, JournalItem } from './journal.ts';
import { Lane, Memory } from './lane.ts';
import { Sharing } from './sharing.ts';

/** The version of the schema that rows are written with; `claim` leaves rows of a newer one alone. */
const SCHEMA_VERSION = 1;

/** The number of a statement is a UUID. */
const OP_BYTES = 16;

type Json = Readonly<Record<string, unknown>>;

/** A request as the ledger records it. Money in whole XOF. */
export interface NewOperation {
  readonly id: string;
  readonly kind: Kind;
  readonly account: string;
  readonly reference?: string;
  readonly idempotencyKey?: string;
  /** SHA-256 of the request: the same identity with another one is a conflict. */
  readonly fingerprint: Buffer;
  readonly state: string;
  readonly queue?: string;
  readonly amount?: number;
  readonly beneficiary?: string;
  readonly request: Json;
  readonly metadata?: Json;
  readonly payeeName?: string;
  readonly purpose?: string;
  readonly providerId?: string;
  readonly notBefore?: Date;
  readonly batch?: string;
  readonly createdBy: string;
  readonly trace?: string;
  /** Default: now, when it has a queue. */
  readonly dueAt?: Date;
  /** It counts towards the sums of the day: money that leaves. */
  readonly counted?: boolean;
  /** Whole XOF. Absent: no limit. */
  readonly dayLimit?: number;
  readonly beneficiaryLimit?: number;
  /** The same amount to the same beneficiary since then is refused. */
  readonly twinSince?: Date;
  readonly event?: { readonly type: string; readonly data: Json };
  readonly act?: Json;
}

export type Acceptance =
  | { readonly outcome: 'accepted'; readonly id: string }
  /** `buried`: retention has removed the operation; what is known of it is here. */
  | {
      readonly outcome: 'duplicate' | 'conflict';
      readonly id: string;
      readonly state: string;
      readonly buried: boolean;
    }
  | { readonly outcome: 'refused'; readonly id: string; readonly rule: string };

export interface Claimed {
  readonly id: string;
  readonly kind: Kind;
  readonly account: string;
  readonly state: string;
  readonly lease: string;
  readonly version: number;
  readonly token: string | null;
  readonly request: Json;
  readonly observations: readonly Json[];
}

/** Result of an attempt. Durations in ms, from the time of the statement. */
export interface Change {
  readonly id: string;
  readonly lease: string;
  readonly was: string;
  readonly state: string;
  readonly queue?: string;
  /** When it is due again. Absent: it waits for a person or a callback, or is final. */
  readonly dueMs?: number;
  /** The attempt goes on under its lease for so long. */
  readonly keepMs?: number;
  readonly token?: string;
  readonly transactionId?: string;
  readonly providerRef?: string;
  readonly sends?: number;
  readonly tries?: number;
  /** No byte of the intent leaves later than this, counted from asking; at most `keepMs`. */
  readonly sendMs?: number;
  readonly quietMs?: number;
  readonly sent?: boolean;
  readonly reason?: string;
  readonly observations?: readonly Json[];
  readonly facts?: Json;
  /** A line of evidence, without secrets and full phone numbers. */
  readonly line?: string;
  readonly event?: { readonly type: string; readonly data: Json };
  readonly finished?: boolean;
  /** It lets a request leave: refused while the ledger is recovering. */
  readonly intends?: boolean;
  /** For a restored ledger: what records this operation again. Only with an intent whose bytes follow. */
  readonly journalItem?: JournalItem;
}

export interface Signal {
  readonly id: string;
  /** In which an operation is checked that is in none. */
  readonly queue: string;
  /** A line of evidence, without secrets and full phone numbers. */
  readonly line: string;
}

export interface LedgerOptions {
  readonly database: DatabaseOptions;
  /** Name of this process, unique while it lives. */
  readonly process: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly lanes?: number;
  readonly most?: number;
  /** Of this process. Default: its own. */
  readonly memory?: Memory;
  /** Told of what is about to leave, after the commit of the intent. Absent: nobody writes it down. */
  readonly journal?: Pick<Journal, 'intended'>;
}

interface Fresh {
  /** Null: the counter alone. */
  readonly id: string | null;
  readonly fresh: boolean;
  readonly counter: string;
}

export class Operations {
  readonly #lanes: Lane[] = [];
  readonly #accepting: Sharing<NewOperation, Acceptance>;
  /** Apart from results: those are written while the ledger is recovering, too. */
  readonly #intending: Sharing<Change, boolean>;
  readonly #changing: Sharing<Change, boolean>;
  readonly #signalling: Sharing<Signal, boolean>;
  readonly #reading: Lane;
  readonly #random: Random;
  readonly #process: string;
  readonly #journal: Pick<Journal, 'intended'> | undefined;
  readonly memory: Memory;

  constructor(options: LedgerOptions) {
    const { database, process, clock, random, lanes = 2, most = 200, memory = new Memory(), journal } = options;
    this.#journal = journal;
    this.memory = memory;
    this.#random = random;
    this.#process = process;
    const open = (name: string): Lane => {
      const lane = new Lane({ database, memory: this.memory, name: `${process}/${name}`, clock });
      this.#lanes.push(lane);
      return lane;
    };
    const shared = <Item extends { readonly id: string }, Answer>(
      name: string,
      keysOf: (item: Item) => readonly string[],
      run: (lane: Lane, items: readonly Item[]) => Promise<readonly (Answer | Error)[]>,
    ) => {
      const own = Array.from({ length: lanes }, (_, at) => open(`${name}${at}`));
      return new Sharing<Item, Answer>({ lanes: own, most, keysOf, orderBy: ({ id }) => id, run });
    };
    const oneId = ({ id }: { readonly id: string }): readonly string[] => [id];
    this.#reading = open('read');
    this.#accepting = shared('accept', identityKeys, (lane, items) => this.#accept(lane, items));
    this.#intending = shared<Change, boolean>('intend', oneId, (lane, items) => this.#change(lane, items, true));
    this.#changing = shared<Change, boolean>('change', oneId, (lane, items) => this.#change(lane, items, false));
    this.#signalling = shared('signal', oneId, signalled);
  }

  /** Resolves once it is committed, or known not to be. Rejects with `LedgerClosed` or `StatementRefused`. */
  async accept(one: NewOperation): Promise<Acceptance> {
    if (!areLimitsHeld(one)) throw new Error(`${one.id} has limits that cannot be held`);
    return this.#accepting.ask(one).catch((error: unknown): Acceptance => {
      if (error instanceof RuleRefused) return { outcome: 'refused', id: one.id, rule: error.rule };
      throw error;
    });
  }

  /** Leases up to `most` due operations of a queue, accounts in turn. `now` is for tests. */
  async claim(
    queue: string,
    accounts: readonly string[],
    most: number,
    leaseMs: number,
    now?: Date,
  ): Promise<readonly Claimed[]> {
    const values = [queue, accounts, most, leaseMs, SCHEMA_VERSION, now, this.#process];
    return this.#reading.read<Claimed>('claim', values);
  }

  /** False when another attempt holds the operation by now: nothing was written. */
  async change(one: Change): Promise<boolean> {
    if (one.sendMs !== undefined && one.sendMs > (one.keepMs ?? 0))
      throw new Error(`${one.id} leaves after its lease`);
    return (one.intends ? this.#intending : this.#changing).ask(one);
  }

  /** Makes the next check of an operation due because of a callback. False: there is no such operation. */
  signal(one: Signal): Promise<boolean> {
    return this.#signalling.ask(one);
  }

  read<Row extends object>(ids: readonly string[]): Promise<readonly Row[]> {
    return this.#reading.read<Row>('read', [ids]);
  }

  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }

  async #accept(lane: Lane, items: readonly NewOperation[]): Promise<readonly (Acceptance | Error)[]> {
    const rows = await settled(lane, this.#random, (op) => lane.write<Fresh>('accept', acceptValues(op, items)));
    const fresh = new Set(rows.filter((row) => row.fresh).map(({ id }) => id));
    const known = items.filter(({ id }) => !fresh.has(id));
    // A recorded operation is accepted, even if the other operations cannot be read.
    const held = await holders(lane, known).catch((error: Error) => error);
    return items.map((one) => {
      if (fresh.has(one.id)) return { outcome: 'accepted', id: one.id };
      return held instanceof Error ? held : answerOf(one, held.get(one.id));
    });
  }

  async #change(lane: Lane, items: readonly Change[], intends: boolean): Promise<readonly boolean[]> {
    const rows = await settled(lane, this.#random, (op) =>
      lane.write<Fresh>('change', changeValues(op, items, intends)),
    );
    const done = new Set(rows.map(({ id }) => id));
    if (intends)
      await this.#noteIntents(
        lane,
        rows,
        items.filter(({ id }) => done.has(id)),
      );
    return items.map(({ id }) => done.has(id));
  }

  async #noteIntents(lane: Lane, rows: readonly Fresh[], written: readonly Change[]): Promise<void> {
    const { epoch } = this.memory;
    const [first] = rows;
    if (first === undefined || epoch === undefined) return;
    const items = written.flatMap(({ journalItem }) => journalItem ?? []);
    await this.#journal?.intended({ lane: lane.name, epoch, counter: first.counter }, items);
  }
}

async function signalled(lane: Lane, items: readonly Signal[]): Promise<readonly boolean[]> {
  const rows = await lane.read<{ id: string }>('signal', [
    items.map(({ id }) => id),
    items.map(({ queue }) => queue),
    items.map(({ line }) => line),
    null,
  ]);
  const found = new Set(rows.map(({ id }) => id));
  return items.map(({ id }) => found.has(id));
}

/**
 * Runs a statement, and settles it when its answer is lost: rows that carry its own number were committed. When there
 * are none, nothing was written, and it is run once more.
 */
async function settled(
  lane: Lane,
  random: Random,
  run: (op: string) => Promise<readonly Fresh[]>,
): Promise<readonly Fresh[]> {
  const op = random.hex(OP_BYTES);
  try {
    return await run(op);
  } catch (error) {
    if (!(error instanceof AnswerLost)) throw error;
    const rows = await lane.settle(op);
    return rows.length > 0 ? rows.map((id) => ({ id, fresh: true, counter: '0' })) : run(random.hex(OP_BYTES));
  }
}

/** Requests that share one of these keys run one after the other: the second can depend on the first. */
const identityKeys = ({
  id,
  account,
  kind,
  reference,
  idempotencyKey,
  beneficiary,
  twinSince,
}: NewOperation): readonly string[] => [
  id,
  ...(reference === undefined ? [] : [`r ${account} ${kind} ${reference}`]),
  ...(idempotencyKey === undefined ? [] : [`k ${account} ${kind} ${idempotencyKey}`]),
  ...(beneficiary === undefined || twinSince === undefined ? [] : [`b ${account} ${kind} ${beneficiary}`]),
];

interface Holder {
  readonly asked: string;
  readonly id: string;
  readonly fingerprint: Buffer;
  readonly state: string;
  readonly buried: boolean;
}

async function holders(lane: Lane, items: readonly NewOperation[]): Promise<ReadonlyMap<string, Holder>> {
  if (items.length === 0) return new Map();
  const rows = await lane.read<Holder>('identities', [
    items.map(({ id }) => id),
    items.map(({ kind }) => kind),
    items.map(({ account }) => account),
    items.map(({ reference }) => reference),
    items.map(({ idempotencyKey }) => idempotencyKey),
  ]);
  // The last one counts: that of the same id, where there is one.
  const byId = rows.toSorted((a, b) => Number(a.id === a.asked) - Number(b.id === b.asked));
  return new Map(byId.map((row) => [row.asked, row]));
}

function answerOf({ id, fingerprint }: NewOperation, holder: Holder | undefined): Acceptance | Error {
  if (holder === undefined) return new Error(`${id} was neither recorded nor found`);
  const outcome = holder.id === id && holder.fingerprint.equals(fingerprint) ? 'duplicate' : 'conflict';
  return { outcome, id: holder.id, state: holder.state, buried: holder.buried };
}

function json(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new ValueRefused('a value cannot be written as JSON', { cause });
  }
}

/** The sums of the day hold limits and duplicate window: what is not in them would pass unseen. */
function areLimitsHeld({ counted, beneficiary, dayLimit, beneficiaryLimit, twinSince }: NewOperation): boolean {
  const isOfBeneficiary = beneficiaryLimit !== undefined || twinSince !== undefined;
  if (isOfBeneficiary && beneficiary === undefined) return false;
  return counted === true || (!isOfBeneficiary && dayLimit === undefined);
}

function acceptValues(op: string, items: readonly NewOperation[]): readonly unknown[] {
  const column = (read: (one: NewOperation) => unknown): readonly unknown[] => items.map((one) => read(one) ?? null);
  return [
    op,
    SCHEMA_VERSION,
    null,
    column(({ id }) => id),
    column(({ kind }) => kind),
    column(({ account }) => account),
    column(({ reference }) => reference),
    column(({ idempotencyKey }) => idempotencyKey),
    column(({ fingerprint }) => fingerprint),
    column(({ state }) => state),
    column(({ queue }) => queue),
    column(({ amount }) => amount),
    column(({ beneficiary }) => beneficiary),
    column(({ request }) => json(request)),
    column(({ metadata }) => metadata && json(metadata)),
    column(({ payeeName }) => payeeName),
    column(({ purpose }) => purpose),
    column(({ providerId }) => providerId),
    column(({ notBefore }) => notBefore),
    column(({ batch }) => batch),
    column(({ createdBy }) => createdBy),
    column(({ trace }) => trace),
    column(({ dueAt }) => dueAt),
    column(({ dayLimit }) => dayLimit),
    column(({ beneficiaryLimit }) => beneficiaryLimit),
    column(({ twinSince }) => twinSince),
    column(({ event }) => event && json(event)),
    column(({ act }) => act && json(act)),
    column(({ counted }) => counted ?? false),
  ];
}

function changeValues(op: string, items: readonly Change[], intends: boolean): readonly unknown[] {
  const column = (read: (one: Change) => unknown): readonly unknown[] => items.map((one) => read(one) ?? null);
  return [
    op,
    intends,
    null,
    column(({ id }) => id),
    column(({ lease }) => lease),
    column(({ was }) => was),
    column(({ state }) => state),
    column(({ queue }) => queue),
    column(({ dueMs }) => dueMs),
    column(({ keepMs }) => keepMs),
    column(({ token }) => token),
    column(({ transactionId }) => transactionId),
    column(({ providerRef }) => providerRef),
    column(({ sends }) => sends),
    column(({ tries }) => tries),
    column(({ sendMs }) => sendMs),
    column(({ quietMs }) => quietMs),
    column(({ sent }) => sent ?? false),
    column(({ reason }) => reason),
    column(({ observations }) => observations && json(observations)),
    column(({ facts }) => facts && json(facts)),
    column(({ line }) => line),
    column(({ event }) => event && json(event)),
    column(({ finished }) => finished ?? false),
  ];
}
