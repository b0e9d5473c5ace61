/** Parameters and results of the shared statements, one item per operation. Money in whole XOF. */
import type { Posts } from '../kinds/day-totals.ts';
import type { Kind } from '../kinds/index.ts';
import type { JournalItem } from './journal.ts';
import type { OperationRow } from './records.ts';

export type Json = Readonly<Record<string, unknown>>;

/** A request as the ledger records it. */
export interface NewOperation {
  readonly id: string;
  readonly kind: Kind;
  readonly account: string;
  readonly reference?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** The id derived from the reference alone, if the request has another id: it must be unused. */
  readonly otherId?: string | undefined;
  /** Fingerprint of the request: the same identity with another fingerprint is a conflict. */
  readonly fingerprint: Buffer;
  readonly state: string;
  readonly queue?: string | undefined;
  readonly amount?: number | undefined;
  /** Outgoing money: limits apply, and the daily sums count it. */
  readonly counted?: boolean | undefined;
  readonly beneficiary?: string | undefined;
  /** The caller confirms a second payment of the same amount to the same beneficiary. */
  readonly meantAgain?: boolean | undefined;
  /** `given`: with the batch of this row. `impossible`: refused if approval would be required. */
  readonly approval?: 'given' | 'impossible' | undefined;
  readonly request: Json;
  readonly facts?: Json | undefined;
  readonly metadata?: Json | undefined;
  readonly payeeName?: string | undefined;
  readonly purpose?: string | undefined;
  readonly providerId?: string | undefined;
  readonly notBefore?: Date | undefined;
  readonly batch?: string | undefined;
  readonly createdBy: string;
  readonly approvedBy?: string | undefined;
  readonly trace?: string | undefined;
  /** When it is due, ms from now, and not before `notBefore`. Absent: not due. */
  readonly dueMs?: number | undefined;
  /** Reported when the operation is recorded in the state `when`. */
  readonly event?: NewEvent | undefined;
  readonly act?: Json | undefined;
}

interface NewEvent {
  readonly when: string;
  readonly type: string;
  readonly data: Json;
}

export type Recorded =
  | { readonly outcome: 'accepted'; readonly id: string; readonly state: string; readonly at: number }
  | NotRecorded;

type NotRecorded =
  /** `buried`: retention has removed the operation; this is its tombstone. */
  | {
      readonly outcome: 'duplicate' | 'conflict';
      readonly id: string;
      readonly state: string;
      readonly buried: boolean;
    }
  /** `detail`: the value of the limit, or the earlier operation with the same payment. */
  | { readonly outcome: 'refused'; readonly id: string; readonly rule: string; readonly detail: string };

/** An operation with the lease of one attempt. */
export interface Claimed extends OperationRow {
  readonly lease: string;
  /** For the journal: a restored ledger compares a repeated request with it. */
  readonly fingerprint: Buffer;
  readonly at: Date;
}

/** Identifies an operation to lease. */
export interface Wanted {
  readonly id: string;
  /** States in which it can be leased. */
  readonly lookedAt: readonly string[];
  readonly leaseMs: number;
  /** The caller's existing lease. */
  readonly known?: string | undefined;
}

/** The result of an attempt, or a user's act. Durations in ms, from the time of the statement. */
export interface Change {
  readonly id: string;
  /** Absent: a user's act; a running attempt finds the state changed. */
  readonly lease?: string | undefined;
  readonly was: string;
  readonly state: string;
  /** Only in this version. */
  readonly rev?: number | undefined;
  readonly inRecovery?: boolean | undefined;
  /** Nothing changes while the account has this hold, as `area.reason`. */
  readonly unlessHeld?: string | undefined;
  /** The queue that checks the new state. Absent: never due. */
  readonly queue?: string | undefined;
  /** When it is due again. Absent: it waits for a user or a callback, or is final. */
  readonly dueMs?: number | undefined;
  /** The attempt keeps its lease for this time. */
  readonly keepMs?: number | undefined;
  /** If a callback arrived meanwhile, the next check is due after this time. */
  readonly nudgeMs?: number | undefined;
  /** No byte of the intent leaves later than this after the request for the write; at most `keepMs`. */
  readonly sendMs?: number | undefined;
  readonly token?: string | undefined;
  readonly transactionId?: string | undefined;
  readonly providerRef?: string | undefined;
  readonly sends?: number | undefined;
  readonly tries?: number | undefined;
  readonly reason?: string | undefined;
  readonly tokenMs?: number | undefined;
  readonly sentMs?: number | undefined;
  readonly quietMs?: number | undefined;
  /** Columns to empty. */
  readonly cleared?: readonly string[] | undefined;
  /** Columns that few changes set: `note`, `trace`, `approved_by`, `rejected_by`, `approved_ms`. */
  readonly more?: Json | undefined;
  /** Null removes the fact. */
  readonly facts?: Json | undefined;
  /** Facts that are times. */
  readonly factTimes?: Readonly<Record<string, number>> | undefined;
  /** Names to remove from the request. */
  readonly erased?: readonly string[] | undefined;
  /** Evidence, without secrets and full phone numbers. */
  readonly lines?: readonly string[] | undefined;
  readonly event?: { readonly type: string; readonly data: Json } | undefined;
  readonly act?: Json | undefined;
  readonly finished?: boolean | undefined;
  /** The new state covers the last stored callback, which is removed. */
  readonly forgetsCallback?: boolean | undefined;
  /** Added to the daily totals, besides those of the arrow: only for SMS. */
  readonly totals?: Posts | undefined;
  /** Allows a request to leave: refused while the ledger is recovering. */
  readonly intends?: boolean | undefined;
  /** For a restored ledger: the data to record this operation again. Only with an intent whose bytes follow. */
  readonly journalItem?: JournalItem | undefined;
}

/** `known` is false when the answer was lost: the ledger knows only that the change was written. */
export type Written =
  | { readonly known: true; readonly version: number; readonly at: number }
  | { readonly known: false };

/** A callback about an operation. */
export interface Signal {
  readonly id: string;
  /** The queue of the operation's checks. */
  readonly queue: string;
  /** States that are checked in that queue. */
  readonly lookedAt: readonly string[];
  /** States that already cover the callback. */
  readonly agrees?: readonly string[] | undefined;
  /** Evidence, without secrets and full phone numbers. */
  readonly line: string;
  /** The body, without personal data. */
  readonly posted?: string | undefined;
  /** At most one check in this interval. */
  readonly intervalMs: number;
}

export interface Signalled {
  readonly id: string;
  readonly state: string;
  /** The callback makes a check due now. */
  readonly looks: boolean;
  readonly trace: string | null;
}
