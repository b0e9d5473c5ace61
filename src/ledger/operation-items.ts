/** What the shared statements of operations take and answer, one item for each operation. Money in whole XOF. */
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
  /** The id that the reference alone would give, where the request has another one: it must be free. */
  readonly otherId?: string | undefined;
  /** Of the request: the same identity with another one is a conflict. */
  readonly fingerprint: Buffer;
  readonly state: string;
  readonly queue?: string | undefined;
  readonly amount?: number | undefined;
  /** Money that leaves: limits hold for it, and the sums of the day count it. */
  readonly counted?: boolean | undefined;
  readonly beneficiary?: string | undefined;
  /** The same amount to the same beneficiary again is meant. */
  readonly meantAgain?: boolean | undefined;
  /** `given`: with the batch that it is a row of. `impossible`: it is refused if it would need one. */
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
  /** When it is due, ms from now, and not before `notBefore`. Absent: nothing is due. */
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
  /** `buried`: retention has removed the operation; what is known of it is here. */
  | {
      readonly outcome: 'duplicate' | 'conflict';
      readonly id: string;
      readonly state: string;
      readonly buried: boolean;
    }
  /** `detail`: the value of the limit, or the earlier operation with the same payment. */
  | { readonly outcome: 'refused'; readonly id: string; readonly rule: string; readonly detail: string };

/** An operation with the lease that one attempt has of it. */
export interface Claimed extends OperationRow {
  readonly lease: string;
  /** For the journal: a ledger that never had the operation compares a repeated request with it. */
  readonly fingerprint: Buffer;
  readonly at: Date;
}

/** Names an operation to lease. */
export interface Wanted {
  readonly id: string;
  /** States in which it is leased. */
  readonly lookedAt: readonly string[];
  readonly leaseMs: number;
  /** The lease that the asker has of it already. */
  readonly known?: string | undefined;
}

/** Result of an attempt, or the act of a person. Durations in ms, from the time of the statement. */
export interface Change {
  readonly id: string;
  /** Absent: the act of a person; the attempt that is under way finds the state changed. */
  readonly lease?: string | undefined;
  readonly was: string;
  readonly state: string;
  /** Only while it has this version. */
  readonly rev?: number | undefined;
  readonly inRecovery?: boolean | undefined;
  /** Nothing is changed while the account is held so, as `area.reason`. */
  readonly unlessHeld?: string | undefined;
  /** In which the state is checked. Absent: nothing is ever due. */
  readonly queue?: string | undefined;
  /** When it is due again. Absent: it waits for a person or a callback, or is final. */
  readonly dueMs?: number | undefined;
  /** The attempt goes on under its lease for so long. */
  readonly keepMs?: number | undefined;
  /** A callback that came meanwhile makes the next check due after this. */
  readonly nudgeMs?: number | undefined;
  /** No byte of the intent leaves later than this, counted from asking; at most `keepMs`. */
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
  /** A null removes the fact. */
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
  /** The last posted callback says no more than the new state. */
  readonly forgetsCallback?: boolean | undefined;
  /** Added to the totals of the day, beside those of the arrow: only an SMS has them. */
  readonly totals?: Posts | undefined;
  /** It lets a request leave: refused while the ledger is recovering. */
  readonly intends?: boolean | undefined;
  /** For a restored ledger: what records this operation again. Only with an intent whose bytes follow. */
  readonly journalItem?: JournalItem | undefined;
}

/** `known` is false when the answer was lost, and the ledger knows only that the change was made. */
export type Written =
  | { readonly known: true; readonly version: number; readonly at: number }
  | { readonly known: false };

/** A callback about an operation. */
export interface Signal {
  readonly id: string;
  /** In which the operation is checked. */
  readonly queue: string;
  /** States that are checked in that queue. */
  readonly lookedAt: readonly string[];
  /** States that say as much as the callback. */
  readonly agrees?: readonly string[] | undefined;
  /** Evidence, without secrets and full phone numbers. */
  readonly line: string;
  /** The body, without data of a person. */
  readonly posted?: string | undefined;
  /** One check at most in this time. */
  readonly intervalMs: number;
}

export interface Signalled {
  readonly id: string;
  readonly state: string;
  /** A check is due now, because of this callback. */
  readonly looks: boolean;
  readonly trace: string | null;
}
