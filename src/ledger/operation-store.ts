/**
 * Operations for acceptance, processors and callbacks. Due operations are leased in bulk; an attempt receives its row
 * without another query.
 */
import type { QueueName } from '../kinds/due-queues.ts';
import {
  type Kind,
  assertArrow,
  carriedBy,
  isOver,
  lookQueueOf,
  queueOf,
  statesInQueue,
  statesOf,
} from '../kinds/index.ts';
import { limitNamed } from '../kinds/limits.ts';
import { type Clock, type Moment, momentOf } from '../lib/clock.ts';
import { canonicalJson } from '../lib/ids.ts';
import { type SpanDraft, type Traces, sentTo, traced } from '../lib/traces.ts';
import type { AcceptedAt, NewOperation as AskedOperation } from '../operations/accepting.ts';
import { type AskedFields, differing } from '../operations/differing.ts';
import { type RecordAt, type RecordBase, UnreadableRecord } from '../operations/record.ts';
import type { Change, EvidenceDraft, Posted, Said, TransitionResult } from '../operations/transition.ts';
import { actOf, actToJson } from './acts.ts';
import { changeOf, evidenceLine, evidenceLines } from './changes.ts';
import type { OnCommitted } from './committed.ts';
import { LedgerClosed } from './errors.ts';
import type { Claimed, NewOperation, Recorded } from './operation-items.ts';
import { type Operations, SCHEMA_VERSION } from './operations.ts';
import { collisionIn, isOfItself, reviewed } from './refused-changes.ts';
import { type LedgerKind, type OperationRow, columnsOfNew, isLedgerKind, readRow } from './records.ts';
import { storableText } from './storable.ts';

interface StoreOptions {
  readonly operations: Operations;
  readonly clock: Clock;
  /** Accounts that this process handles. */
  readonly accounts: readonly string[];
  /** The lease of operations from `take`, ms. */
  readonly leaseMs: number;
  readonly traces?: Traces | undefined;
  readonly onCommitted?: OnCommitted;
  /** Every rule judges the request, and nothing is recorded. */
  readonly dryRun?: boolean;
}

/** A record's lease, or why there is none. */
type Acquired<K extends Kind> =
  | {
      readonly is: 'acquired';
      readonly record: RecordAt<K>;
      readonly lease: string;
      /** Clock of PostgreSQL when the lease was given. */
      readonly at: number;
      readonly leasedSince: Moment;
    }
  | { readonly is: 'none' | 'final' | 'elsewhere' | 'leased' | 'other version' };

/** The result of a callback, and the trace of its operation. */
export type Signalled = (
  | { readonly is: 'none' | 'noted' }
  | { readonly is: 'final' | 'look'; readonly state: string }
) & { readonly trace?: string | undefined };

interface Taken {
  readonly row: Claimed;
  readonly queue: QueueName;
  readonly since: Moment;
}

/** `read` also returns these columns. */
interface StoredRow extends OperationRow {
  readonly lease: string | null;
  readonly last_lease: string | null;
  readonly schema_version: number;
}

/** A lease must have at least this share of its length left when an attempt begins. */
const FRESH = 0.25;
const NOTHING_POSTED: Posted = { redacted: '', agreesWith: [] };

export class OperationStore {
  readonly #options: StoreOptions;
  readonly #taken = new Map<string, Taken>();

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  async accept<K extends Kind>(operation: AskedOperation<K>): Promise<AcceptedAt> {
    const { traces } = this.#options;
    return traced(
      traces,
      () => acceptanceOf(operation),
      async (span) => {
        const accepted = await this.#accept(operation, traces?.mark());
        span?.says({ 'relais.outcome': accepted.outcome });
        return accepted;
      },
    );
  }

  async #accept<K extends Kind>(operation: AskedOperation<K>, trace: string | undefined): Promise<AcceptedAt> {
    const { operations, dryRun = false } = this.#options;
    const asked = newRow(operation, trace);
    const recorded = await (dryRun ? operations.dryRun(asked) : operations.accept(asked));
    if (recorded.outcome !== 'conflict') return answerOf(recorded);
    const { id, buried } = recorded;
    return { outcome: 'conflict', id, differs: buried ? [] : await this.differs(id, operation) };
  }

  /** Fields that differ from the recorded request with the same identity, as JSON pointers. */
  async differs(id: string, asked: AskedFields): Promise<readonly string[]> {
    const row = await this.#read(id);
    return row === undefined ? [] : differing(asked, askedIn(row));
  }

  /** Due ids of this queue. Each is leased for the attempt that `acquire` begins. */
  async take(queue: QueueName, atMost: number): Promise<readonly string[]> {
    const { operations, clock, accounts, leaseMs } = this.#options;
    const since = momentOf(clock);
    const rows = await operations.claim(queue, accounts, atMost, leaseMs);
    for (const [id, taken] of this.#taken) if (since.mono - taken.since.mono > leaseMs) this.#taken.delete(id);
    for (const row of rows) this.#taken.set(row.id, { row, queue, since });
    return rows.map(({ id }) => id);
  }

  /** The row leased by `take`, for work without `acquire`. Undefined: another kind, or not leased here. */
  taken(kind: LedgerKind, id: string): Claimed | undefined {
    const row = this.#taken.get(id)?.row;
    if (row?.kind !== kind) return undefined;
    this.#taken.delete(id);
    return row;
  }

  /** Releases operations that were taken and not started. */
  async handBack(_queue: QueueName, ids: readonly string[]): Promise<void> {
    const { operations } = this.#options;
    const back = ids.flatMap((id) => {
      const taken = this.#taken.get(id);
      this.#taken.delete(id);
      return taken ? [{ id, lease: taken.row.lease }] : [];
    });
    await operations.release(back);
  }

  /** Due ids of this queue, for one job each, with the version that names the job. */
  async claim(queue: QueueName, atMost: number, pushMs: number): Promise<{ id: string; rev: string }[]> {
    const rows = await this.#options.operations.handOut(queue, atMost, pushMs);
    return rows.map(({ id, version }) => ({ id, rev: String(version) }));
  }

  /** The record for an attempt in this queue, and its lease. */
  async acquire<K extends Kind>(kind: K, id: string, queue: QueueName, leaseMs: number): Promise<Acquired<K>> {
    const { operations, clock } = this.#options;
    const taken = this.#taken.get(id);
    this.#taken.delete(id);
    const now = momentOf(clock);
    const isFresh = taken !== undefined && now.mono - taken.since.mono < leaseMs * FRESH;
    const lookedAt = statesInQueue(kind, queue);
    const row = isFresh ? taken.row : await operations.lease({ id, lookedAt, leaseMs, known: taken?.row.lease });
    if (row === undefined) return { is: await this.#whyNot(kind, id, lookedAt) };
    if (!lookedAt.includes(row.state)) return { is: await this.#leave(kind, row) };
    const record = readRow(ledgerKind(kind), row);
    if (record instanceof UnreadableRecord) throw record;
    const leasedSince = isFresh ? taken.since : now;
    // The kind of the row was compared with `kind`, which the compiler cannot follow.
    return { is: 'acquired', record, lease: row.lease, at: row.at.getTime(), leasedSince } as unknown as Acquired<K>;
  }

  async #whyNot(kind: Kind, id: string, lookedAt: readonly string[]) {
    const row = await this.#read(id);
    if (row === undefined) return 'none';
    if (row.schema_version > SCHEMA_VERSION) return 'other version';
    const states: readonly string[] = statesOf(kind);
    if (states.includes(row.state) && isOver(kind, row.state)) return 'final';
    return lookedAt.includes(row.state) ? 'leased' : 'elsewhere';
  }

  async #leave(kind: Kind, { id, lease, state }: Claimed): Promise<'final' | 'elsewhere'> {
    const over = isOver(kind, state);
    await this.#options.operations.release([{ id, lease, isOver: over }]);
    return over ? 'final' : 'elsewhere';
  }

  /** Without a lease: a user's act. A running attempt finds the record changed. */
  async transition<K extends Kind>(
    record: RecordBase<K>,
    lease: string | undefined,
    change: Change<K>,
  ): Promise<TransitionResult> {
    const { operations, traces, onCommitted } = this.#options;
    assertArrow(record.kind, record.state, change.to);
    const of = ledgerRecord(record);
    const trace = change.act ? traces?.mark() : undefined;
    if (change.act) traces?.linksTo(record.trace);
    const asked = changeOf(of, lease, change as Change<LedgerKind>, trace);
    try {
      const written = await operations.change(asked);
      if (written === undefined) return await this.#whyUnchanged(record, lease, change);
      const { op = lease ?? '' } = change;
      if (change.to === 'cancelled' && change.act)
        await onCommitted?.('operation.cancelled', { id: record.id, kind: record.kind, account: record.account });
      if (!written.known) return { is: 'mine', op, rev: record.rev + 1, at: 0 };
      return { is: 'applied', op, rev: written.version, at: written.at };
    } catch (error) {
      if (asked.intends && error instanceof LedgerClosed && CLOSED.includes(error.reason))
        return { is: 'recovering' };
      const collision = change.claims === undefined ? undefined : collisionIn(error, asked);
      const by = collision && (await operations.namedAs(record.account, collision));
      if (by !== undefined && by !== record.id) return { is: 'claimed', by };
      if (!isOfItself(error)) throw error;
      return this.#review(of, asked, error);
    }
  }

  /** A change that PostgreSQL cannot store must not be lost: the operation needs review, with the storable part. */
  async #review(
    record: RecordBase<LedgerKind>,
    asked: Parameters<typeof reviewed>[1],
    error: unknown,
  ): Promise<TransitionResult> {
    const minimal = reviewed(record, asked, error);
    if (minimal === undefined) throw error;
    await this.#options.operations.change(minimal);
    return { is: 'not yours', state: minimal.state };
  }

  async #whyUnchanged<K extends Kind>(
    record: RecordBase<K>,
    lease: string | undefined,
    { to, unlessHeld, inRecovery, op }: Change<K>,
  ): Promise<TransitionResult> {
    const row = await this.#read(record.id);
    if (row === undefined) return { is: 'none' };
    const { state, version: rev, last_lease, updated_at } = row;
    // The change that ends an attempt is named after its lease, and can be retried.
    const isLast = op !== undefined && op === lease && last_lease === lease;
    if (isLast && state === to) return { is: 'mine', op, rev, at: updated_at.getTime() };
    const isSame = state === record.state && (lease === undefined || row.lease === lease);
    if (!isSame) return { is: 'not yours', state };
    if (inRecovery === undefined) return unlessHeld === undefined ? { is: 'not yours', state } : { is: 'held' };
    return rev === record.rev ? { is: 'recovered' } : { is: 'not yours', state };
  }

  /** Stores a callback, and makes the next check due. `final`: no check is needed. */
  async nudge(
    kind: Parameters<typeof lookQueueOf>[0],
    id: string,
    evidence: EvidenceDraft,
    intervalMs: number,
    posted: Posted = NOTHING_POSTED,
  ): Promise<Signalled> {
    const { operations } = this.#options;
    const queue = lookQueueOf(kind);
    const signalled = await operations.signal({
      id,
      queue,
      lookedAt: statesInQueue(kind, queue),
      agrees: posted.agreesWith,
      // Untrusted bytes: one body must not make PostgreSQL refuse the statement of others.
      line: storableText(evidenceLine(evidence)),
      posted: storableText(posted.redacted),
      intervalMs,
    });
    if (signalled === undefined) return this.#buried(kind, id);
    const { state } = signalled;
    const trace = signalled.trace ?? undefined;
    if (signalled.looks) return { is: 'look', state, trace };
    if (isOver(kind, state) || posted.agreesWith.includes(state)) return { is: 'final', state, trace };
    return { is: 'noted', trace };
  }

  async #buried(kind: Kind, id: string): Promise<Signalled> {
    const named = { id, kind, account: '', fingerprint: NO_FINGERPRINT, state: '', request: {}, createdBy: '' };
    const holder = (await this.#options.operations.holdersOf([named])).get(id);
    return holder ? { is: 'final', state: holder.state } : { is: 'none' };
  }

  /** Stores evidence of an operation, whichever attempt holds it. Changes nothing else. */
  async appendEvidence(id: string, said: Said): Promise<void> {
    await this.#options.operations.appendEvidence(id, evidenceLines(said));
  }

  async #read(id: string): Promise<StoredRow | undefined> {
    const [row] = await this.#options.operations.read<StoredRow>([id]);
    return row;
  }
}

const NO_FINGERPRINT = Buffer.alloc(0);
/** Reasons that refuse every intent of this process. */
const CLOSED: readonly LedgerClosed['reason'][] = ['recovering', 'restored', 'not compared'];

function ledgerKind(kind: Kind): LedgerKind {
  if (isLedgerKind(kind)) return kind;
  throw new Error(`a ${kind} is no row of the table of operations`);
}

function ledgerRecord<K extends Kind>(record: RecordBase<K>): RecordBase<LedgerKind> {
  ledgerKind(record.kind);
  return record as unknown as RecordBase<LedgerKind>;
}

/** Attempts, callbacks and deliveries of an operation belong to this span. */
function acceptanceOf<K extends Kind>({ kind, id, account, state, fields }: AskedOperation<K>): SpanDraft {
  const queue = queueOf(kind, state, laneOf(fields));
  return {
    name: queue === undefined ? `accept ${kind}` : `send ${queue}`,
    kind: 'producer',
    begins: true,
    attributes: { ...(queue && sentTo(queue)), 'relais.id': id, 'relais.account': account },
  };
}

const laneOf = ({ lane }: Readonly<Record<string, unknown>>): string | undefined =>
  typeof lane === 'string' ? lane : undefined;

function newRow<K extends Kind>(asked: AskedOperation<K>, trace: string | undefined): NewOperation {
  const { id, account, state, reference, idOfReference, xof, beneficiary, phone, act, fields, metadata } = asked;
  const kind = ledgerKind(asked.kind);
  const { columns, request, facts } = columnsOfNew(kind, fields);
  const { amount, payee_name, purpose, provider_id, not_before, batch, created_by, approved_by } = columns;
  const textOf = (value: string | number | undefined) => (value === undefined ? undefined : String(value));
  return {
    id,
    kind,
    account,
    reference,
    otherId: idOfReference === id ? undefined : idOfReference,
    fingerprint: Buffer.from(asked.fingerprint),
    state,
    queue: queueOf(kind, state, laneOf(fields)),
    amount: xof ?? (amount === undefined ? undefined : Number(amount)),
    counted: xof !== undefined,
    beneficiary: beneficiary ?? phone,
    meantAgain: asked.meantAgain,
    approval: asked.approval,
    request,
    facts,
    metadata,
    payeeName: textOf(payee_name),
    purpose: textOf(purpose),
    providerId: textOf(provider_id),
    notBefore: dateOf(asked.notBefore ?? not_before),
    batch: textOf(batch),
    createdBy: textOf(created_by) ?? '',
    approvedBy: textOf(approved_by),
    trace,
    dueMs: asked.dueInMs,
    event: kind === 'disbursement' ? awaitingApproval(asked) : undefined,
    act: act && actToJson(actOf(act, { facts: xof === undefined ? { account } : { account, amount: xof } })),
  };
}

const dateOf = (ms: string | number | undefined): Date | undefined =>
  ms === undefined ? undefined : new Date(Number(ms));

function awaitingApproval({ id, fields, reference, metadata }: Omit<AskedOperation, 'kind' | 'state'>) {
  const state = 'awaiting_approval';
  const carried = carriedBy({ ...fields, kind: 'disbursement', reference, metadata } as { readonly kind: Kind });
  return { when: state, type: `disbursement.${state}`, data: { id, state, ...carried } };
}

function answerOf(recorded: Exclude<Recorded, { outcome: 'conflict' }>): AcceptedAt {
  const { outcome, id } = recorded;
  if (outcome === 'refused') return { outcome: 'limited', limit: limitNamed(recorded.rule), detail: recorded.detail };
  if (outcome === 'accepted') return { outcome, id, state: recorded.state, at: recorded.at };
  return { outcome: 'duplicate', id, state: recorded.state };
}

/** The request fields as texts by name. */
function askedIn(row: OperationRow): Readonly<Record<string, string>> {
  const { kind, reference, amount, not_before, request, payee_name, purpose, metadata } = row;
  const amountField = AMOUNT_FIELDS[kind] ?? 'amount';
  const timeField = kind === 'message' ? 'sendAt' : 'notBefore';
  const texts = Object.entries(request).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : canonicalJson(value),
  ]);
  return {
    kind,
    ...(reference === null ? {} : { reference }),
    ...(amount === null ? {} : { [amountField]: amount }),
    ...(payee_name === null ? {} : { payeeName: payee_name }),
    ...(purpose === null ? {} : { purpose }),
    ...(metadata === null ? {} : { metadata: canonicalJson(metadata) }),
    ...(not_before === null ? {} : { [timeField]: String(not_before.getTime()) }),
    ...(Object.fromEntries(texts) as Record<string, string>),
  };
}

const AMOUNT_FIELDS: Readonly<Record<string, string>> = { invoice: 'totalAmount', payment_request: 'askedAmount' };
