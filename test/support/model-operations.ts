/**
 * The statements about operations, in memory: `accept`, `claim`, `change`, `signal` and related ones, each atomic.
 * test/ledger/model.parts.test.ts compares it with PostgreSQL, row by row. Without limits, approvals and recoveries.
 */
import { type Kind, recountOf } from '../../src/kinds/index.ts';
import { StatementRefused } from '../../src/ledger/errors.ts';
import type {
  Change,
  Claimed,
  NewOperation,
  Recorded,
  Signal,
  Signalled,
  Wanted,
  Written,
} from '../../src/ledger/operation-items.ts';
import type { Holder } from '../../src/ledger/operations.ts';
import type { UniqueName } from '../../src/ledger/refused-changes.ts';
import type { OperationRow } from '../../src/ledger/records.ts';

/** A row as `read` returns it, and its other columns. */
export interface Row extends OperationRow {
  readonly queue: string | null;
  readonly beneficiary: string | null;
  readonly finished_at: Date | null;
  readonly due_at: Date | null;
  readonly lease: string | null;
  readonly lease_until: Date | null;
  readonly last_lease: string | null;
  readonly schema_version: number;
  readonly signalled: string | null;
  readonly fingerprint: Buffer;
}

export interface ReportedEvent {
  readonly id: string;
  readonly subject: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly at: number;
}

/** Comparisons of the statements. A simulation removes one to prove that it is needed. */
export interface Guards {
  /** A change is refused under another lease. */
  readonly lease: boolean;
  /** A change is refused in another state. */
  readonly state: boolean;
  /** Claimed operations stay due, for the end of their lease. */
  readonly staysDue: boolean;
  /** The event belongs to the transaction of its change. */
  readonly eventInside: boolean;
  /** A token belongs to one operation. */
  readonly uniqueToken: boolean;
}

export const ALL_GUARDS: Guards = { lease: true, state: true, staysDue: true, eventInside: true, uniqueToken: true };

const UNIQUE = '23505';
const EVIDENCE_MOST = 50;
const CALLBACKS_MOST = 20;
const SCHEMA_VERSION = 1;

export class ModelOperations {
  readonly rows = new Map<string, Row>();
  readonly events: ReportedEvent[] = [];
  /** Outgoing XOF, by account. */
  readonly spent = new Map<string, number>();
  readonly #now: () => number;
  readonly #guards: Guards;
  readonly #isHeld: (account: string, hold: string) => boolean;
  #leases = 0;

  constructor(
    now: () => number,
    {
      guards = ALL_GUARDS,
      isHeld = () => false,
    }: { guards?: Guards; isHeld?: (account: string, hold: string) => boolean } = {},
  ) {
    this.#now = now;
    this.#guards = guards;
    this.#isHeld = isHeld;
  }

  accept(asked: NewOperation): Recorded {
    const { id, state, fingerprint, account, amount = 0, counted } = asked;
    const holder = this.rows.get(id) ?? this.#byReference(asked);
    if (holder !== undefined) {
      const isSame = holder.id === id && holder.fingerprint.equals(fingerprint);
      return { outcome: isSame ? 'duplicate' : 'conflict', id: holder.id, state: holder.state, buried: false };
    }
    const at = new Date(this.#now());
    this.rows.set(id, newRow(asked, at));
    if (counted) this.spent.set(account, (this.spent.get(account) ?? 0) + amount);
    return { outcome: 'accepted', id, state, at: at.getTime() };
  }

  claim(queue: string, accounts: readonly string[], most: number, leaseMs: number): readonly Claimed[] {
    const at = this.#now();
    const turns = accounts.flatMap((account) => {
      const due = [...this.rows.values()].filter((row) => {
        const isFree = row.lease_until === null || row.lease_until.getTime() <= at;
        return row.queue === queue && row.account === account && isFree && isBy(row.due_at, at);
      });
      const inOrder = due.toSorted((a, b) => dueOf(a) - dueOf(b) || (a.id < b.id ? -1 : 1)).slice(0, most);
      return inOrder.map((row, turn) => ({ row, turn }));
    });
    const next = turns.toSorted((a, b) => a.turn - b.turn || dueOf(a.row) - dueOf(b.row)).slice(0, most);
    if (next.length === 0) return [];
    const lease = this.#nextLease();
    return next.map(({ row }) =>
      this.#leased(row, { lease, leaseMs, due_at: this.#guards.staysDue ? row.due_at : null }),
    );
  }

  lease({ id, lookedAt, leaseMs, known }: Wanted): Claimed | undefined {
    const row = this.rows.get(id);
    if (row === undefined || !lookedAt.includes(row.state)) return undefined;
    const at = this.#now();
    const isFree = row.lease_until === null || row.lease_until.getTime() <= at || row.lease === known;
    if (!isFree) return undefined;
    const due_at = row.queue === null ? null : new Date(at + leaseMs);
    return this.#leased(row, { lease: this.#nextLease(), leaseMs, due_at });
  }

  release(items: readonly { readonly id: string; readonly lease: string; readonly isOver?: boolean }[]): void {
    for (const { id, lease, isOver = false } of items) {
      const row = this.rows.get(id);
      if (row === undefined || row.lease !== lease) continue;
      this.rows.set(id, { ...row, lease: null, lease_until: null, due_at: isOver ? null : row.due_at });
    }
  }

  /** `report` stores the event; a simulation can separate it from the change. */
  change(one: Change, report = (event: ReportedEvent): unknown => this.events.push(event)): Written | undefined {
    const row = this.rows.get(one.id);
    if (row === undefined || !this.#mayChange(row, one)) return undefined;
    this.#refuseTaken(row, one);
    const at = this.#now();
    const next = changed(row, one, at);
    this.rows.set(row.id, next);
    const { account, amount, kind } = row;
    const { version } = next;
    const recount = recountOf(kind as Kind, one.was, one.state);
    if (recount !== 0 && amount !== null)
      this.spent.set(account, Math.max(0, (this.spent.get(account) ?? 0) + recount * Number(amount)));
    if (one.event !== undefined) report({ id: `${row.id}.${version}`, subject: row.id, at, ...one.event });
    return { known: true, version, at };
  }

  signal({ id, queue, lookedAt, agrees = [], line, posted = '', intervalMs }: Signal): Signalled | undefined {
    const row = this.rows.get(id);
    if (row === undefined) return undefined;
    const at = this.#now();
    const hinted = row.facts['hintedAt'] === undefined ? undefined : Number(row.facts['hintedAt']);
    const due = Math.max(at, hinted === undefined ? at : hinted + intervalMs);
    const isLooked = lookedAt.includes(row.state) && !agrees.includes(row.state);
    const isLeased = row.lease_until !== null && row.lease_until.getTime() > at;
    const isSooner = isLooked && !isLeased && (row.due_at === null || row.due_at.getTime() > due);
    const seenAt = isSooner ? due : at;
    const before = row.signalled?.split(',').filter((name) => name !== '');
    const names = posted === '' ? [] : agrees.filter((name) => before === undefined || before.includes(name));
    const callbacks = row.evidence.filter((one) => one.slice(25).startsWith('callback|')).length;
    this.rows.set(id, {
      ...row,
      signalled: `,${names.map((name) => `${name},`).join('')}`,
      queue: isSooner ? queue : row.queue,
      due_at: isSooner ? new Date(due) : row.due_at,
      facts: isLooked && seenAt > (hinted ?? 0) ? { ...row.facts, hintedAt: seenAt } : row.facts,
      evidence: callbacks >= CALLBACKS_MOST ? row.evidence : withLines(row.evidence, stamped([line], at)),
      evidence_total: row.evidence_total + 1,
    });
    return { id, state: row.state, looks: isSooner && due === at, trace: row.trace };
  }

  appendEvidence(id: string, lines: readonly string[]): void {
    const row = this.rows.get(id);
    if (row === undefined || lines.length === 0) return;
    const evidence = withLines(row.evidence, stamped(lines, this.#now()));
    this.rows.set(id, { ...row, evidence, evidence_total: row.evidence_total + lines.length });
  }

  read(ids: readonly string[]): readonly Row[] {
    return ids.flatMap((id) => this.rows.get(id) ?? []);
  }

  /** The operation of this id: retention removes nothing here. */
  holdersOf(items: readonly NewOperation[]): ReadonlyMap<string, Holder> {
    const found = items.flatMap(({ id: asked }) => {
      const row = this.rows.get(asked);
      return row === undefined
        ? []
        : [{ asked, id: row.id, fingerprint: row.fingerprint, state: row.state, buried: false }];
    });
    return new Map(found.map((holder) => [holder.asked, holder]));
  }

  namedAs(account: string, names: UniqueName): string | undefined {
    return [...this.rows.values()].find((row) => row.account === account && isNamed(row, names))?.id;
  }

  #byReference({ reference, account, kind }: NewOperation): Row | undefined {
    if (reference === undefined) return undefined;
    const all = [...this.rows.values()];
    return all.find((row) => row.reference === reference && row.account === account && row.kind === kind);
  }

  #nextLease(): string {
    this.#leases += 1;
    return String(this.#leases);
  }

  #leased(row: Row, { lease, leaseMs, due_at }: { lease: string; leaseMs: number; due_at: Date | null }): Claimed {
    const at = new Date(this.#now());
    const leased = { ...row, lease, lease_until: new Date(at.getTime() + leaseMs), signalled: null, due_at };
    this.rows.set(row.id, leased);
    return { ...leased, at };
  }

  #mayChange(row: Row, { lease, was, rev, unlessHeld, inRecovery = false }: Change): boolean {
    const { lease: comparesLease, state: comparesState } = this.#guards;
    if (comparesLease && lease !== undefined && lease !== row.lease) return false;
    if (comparesState && was !== row.state) return false;
    if (rev !== undefined && rev !== row.version) return false;
    return !inRecovery && (unlessHeld === undefined || !this.#isHeld(row.account, unlessHeld));
  }

  #refuseTaken({ id, account }: Row, { token, transactionId }: Change): void {
    for (const other of this.rows.values()) {
      if (other.id === id || other.account !== account) continue;
      const isTaken = this.#guards.uniqueToken && token !== undefined && other.token === token;
      if (isTaken) throw new StatementRefused(UNIQUE, 'operation_token');
      if (transactionId !== undefined && other.transaction_id === transactionId)
        throw new StatementRefused(UNIQUE, 'operation_transaction');
    }
  }
}

const dueOf = ({ due_at }: Row): number => due_at?.getTime() ?? Number.POSITIVE_INFINITY;
const isBy = (time: Date | null, at: number): boolean => time !== null && time.getTime() <= at;

function isNamed(row: Row, { token, transactionId }: UniqueName): boolean {
  return (
    (token !== undefined && row.token === token) ||
    (transactionId !== undefined && row.transaction_id === transactionId)
  );
}

const stamped = (lines: readonly string[], at: number): readonly string[] =>
  lines.map((line) => `${new Date(at).toISOString()} ${line}`);

/** The first and last lines stay, and the intents between them. */
function withLines(evidence: readonly string[], more: readonly string[]): readonly string[] {
  const all = [...evidence, ...more];
  if (all.length <= EVIDENCE_MOST) return all;
  const stays = (n: number): boolean => n < 12 || n >= all.length - 26;
  const intents = all.flatMap((line, n) => (!stays(n) && line.slice(25).includes('|intended') ? [n] : [])).slice(-12);
  return all.filter((_, n) => stays(n) || intents.includes(n));
}

function newRow(asked: NewOperation, at: Date): Row {
  const { reference = null, amount, beneficiary = null, batch = null, trace = null } = asked;
  return {
    ...EMPTY,
    id: asked.id,
    kind: asked.kind,
    account: asked.account,
    reference,
    state: asked.state,
    queue: asked.queue ?? null,
    amount: amount === undefined ? null : String(amount),
    beneficiary,
    request: asked.request,
    metadata: (asked.metadata as Row['metadata']) ?? null,
    payee_name: asked.payeeName ?? null,
    purpose: asked.purpose ?? null,
    provider_id: asked.providerId ?? null,
    facts: asked.facts ?? {},
    not_before: asked.notBefore ?? null,
    batch,
    created_by: asked.createdBy,
    approved_by: asked.approvedBy ?? null,
    trace,
    created_at: at,
    updated_at: at,
    since: at,
    due_at: asked.queue === undefined || asked.dueMs === undefined ? null : firstDue(asked, at),
    fingerprint: asked.fingerprint,
  };
}

function firstDue({ dueMs = 0, notBefore }: NewOperation, at: Date): Date {
  return new Date(Math.max(at.getTime() + dueMs, notBefore?.getTime() ?? 0));
}

const EMPTY = {
  token: null,
  transaction_id: null,
  provider_ref: null,
  evidence: [],
  evidence_total: 0,
  reason: null,
  sends: 0,
  tries: 0,
  token_at: null,
  sent_at: null,
  quiet_until: null,
  approved_at: null,
  rejected_by: null,
  note: null,
  finished_at: null,
  version: 1,
  lease: null,
  lease_until: null,
  last_lease: null,
  schema_version: SCHEMA_VERSION,
  signalled: null,
} as const;

/** The row after an accepted change. */
function changed(row: Row, one: Change, at: number): Row {
  const { keepMs, nudgeMs = 0, cleared = [], queue, more = {}, lines = [] } = one;
  const moment = new Date(at);
  const later = (ms: number): Date => new Date(at + ms);
  const timeOr = (ms: number | undefined, column: string, stored: Date | null): Date | null =>
    ms !== undefined ? later(ms) : cleared.includes(column) ? null : stored;
  const textOr = (text: string | undefined, column: string, stored: string | null): string | null =>
    text ?? (cleared.includes(column) ? null : stored);
  const isUnheard = row.signalled !== null && !row.signalled.includes(`,${one.state},`) && keepMs === undefined;
  const hints = isUnheard && nudgeMs > 0;
  const kept = keepMs !== undefined;
  return {
    ...row,
    state: one.state,
    version: row.version + 1,
    updated_at: moment,
    queue: queue ?? null,
    since: one.state === row.state ? row.since : moment,
    finished_at: one.finished ? (row.finished_at ?? moment) : null,
    due_at: queue === undefined ? null : dueAfter(row, one, at, hints),
    signalled: kept ? row.signalled : null,
    lease: kept ? row.lease : null,
    lease_until: kept && row.lease !== null ? later(keepMs) : null,
    last_lease: kept ? row.last_lease : (one.lease ?? null),
    token: textOr(one.token, 'token', row.token),
    transaction_id: textOr(one.transactionId, 'transaction_id', row.transaction_id),
    provider_ref: textOr(one.providerRef, 'provider_ref', row.provider_ref),
    sends: one.sends ?? row.sends,
    tries: one.tries ?? (one.state !== row.state || cleared.includes('tries') ? 0 : row.tries),
    reason: textOr(one.reason, 'reason', row.reason),
    token_at: timeOr(one.tokenMs, 'token_at', row.token_at),
    sent_at: timeOr(one.sentMs, 'sent_at', row.sent_at),
    quiet_until: timeOr(one.quietMs, 'quiet_until', row.quiet_until),
    note: 'note' in more ? (more['note'] as string | null) : row.note,
    request: Object.fromEntries(Object.entries(row.request).filter(([name]) => !one.erased?.includes(name))),
    facts: factsAfter(row, one, at, hints),
    evidence: lines.length === 0 ? row.evidence : withLines(row.evidence, stamped(lines, at)),
    evidence_total: row.evidence_total + lines.length,
  };
}

function dueAfter(row: Row, { keepMs, dueMs, nudgeMs = 0 }: Change, at: number, hints: boolean): Date | null {
  if (keepMs !== undefined) return isBy(row.due_at, at) ? row.due_at : new Date(at + (dueMs ?? keepMs));
  if (dueMs !== undefined) return new Date(at + (row.signalled === null ? dueMs : Math.min(dueMs, nudgeMs)));
  return hints ? new Date(at + nudgeMs) : null;
}

function factsAfter({ facts }: Row, one: Change, at: number, hints: boolean): OperationRow['facts'] {
  if (one.facts === undefined && one.factTimes === undefined && !hints) return facts;
  const times = Object.entries(one.factTimes ?? {}).map(([name, ms]) => [name, at + Math.round(ms)] as const);
  const all = { ...facts, ...one.facts, ...Object.fromEntries(times), ...(hints ? { hintedAt: at } : {}) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}
