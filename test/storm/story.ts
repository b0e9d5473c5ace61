/**
 * The results of a storm as plain data: requests, wire traffic, the provider's actions, the reports of relais. The
 * checks read nothing else, so that each can be tested with a broken story.
 */
import type { Attempts } from './attempts.ts';
import type { Findings } from './canaries.ts';
import type { Mode } from './options.ts';

export interface Story {
  readonly rules: Rules;
  readonly asked: readonly Asked[];
  readonly records: readonly SeenRecord[];
  readonly events: readonly SeenEvent[];
  readonly ledger: readonly LedgerEntry[];
  /** Every submit-invoice that reached the wire, oldest first. */
  readonly submits: readonly SeenSubmit[];
  /** Every check-status that reached the wire, oldest first. */
  readonly looks: readonly SeenLook[];
  /** Disbursements by state, from the metrics page. */
  readonly counted: Readonly<Record<string, number>>;
  /** XOF that the daily reports show as paid and not returned. */
  readonly reportedXof: number;
  readonly campaigns: readonly SeenCampaign[];
  readonly messages: readonly BookedSms[];
  /** Every sms.send that reached the wire, oldest first. */
  readonly sends: readonly SeenSend[];
  readonly attempts: Attempts;
  readonly canaries: Findings;
  readonly restores: readonly Restore[];
  readonly codes: readonly SeenCode[];
  readonly credits: readonly SeenCredit[];
  /** Absent: no limit was changed in this storm. */
  readonly limits?: SeenLimits | undefined;
}

/** PostgreSQL restored from a backup. Times on the clock of the storm. */
export interface Restore {
  readonly how: 'running' | 'stopped';
  /** The time of the backup: later acknowledgements are not in it. */
  readonly copiedAt: number;
  /** When PostgreSQL was stopped for the restore. */
  readonly restoredAt: number;
  /** When it answered again: the restored ledger decided nothing before. */
  readonly backAt: number;
  /** When an operator was asked for a decision, and when relais resumed; absent: never. */
  readonly noticedAt?: number | undefined;
  readonly recoveredAt?: number | undefined;
  /** Number of requests to continue until it was finished. */
  readonly turns?: number | undefined;
}

/** A code with an expiry, as requested. */
export interface SeenCode {
  readonly text: string;
  /** On the clock of the storm. */
  readonly expiresAt: number;
}

/** A direct credit: the provider has no reference, so it cannot refuse a second one. */
export interface SeenCredit {
  readonly accountAlias: string;
  /** When it was requested. */
  readonly askedAt: number;
  /** Its number of entries in the records. */
  readonly times: number;
}

export interface SeenLimits {
  /** The strictest requested limit over time. Looser ones only with two people. */
  readonly inForce: readonly { readonly from: number; readonly amount: number }[];
  /** Payments above it, and their results. */
  readonly greedy: readonly {
    readonly at: number;
    readonly amount: number;
    /** The HTTP status; absent: no answer. */
    readonly status?: number | undefined;
    /** How often it was paid, by the records. */
    readonly times: number;
  }[];
  /** The state of the request after two people had agreed; absent: they did not get to it. */
  readonly afterTwo?: string | undefined;
}

export interface SeenAttempt {
  readonly worker: string;
  readonly queue: string;
  readonly id: string;
  readonly settlement: string;
  readonly durationMs: number;
  /** Within it, the duration of PostgreSQL's outage. */
  readonly darkMs: number;
  /** Its process was frozen meanwhile. */
  readonly stoodStill: boolean;
}

export interface Rules {
  readonly mode: Mode;
  /** ms between the end of a submit and a `created` that may count. */
  readonly quietMs: number;
  /** The time-out of a submit's answer, ms. */
  readonly patienceMs: number;
  /** ms after which a decided request is no longer sent. */
  readonly sendWithinMs: number;
  /** ms for which a job is locked. */
  readonly lockMs: number;
  /** How many times slower this machine is than an idle one. */
  readonly slowness: number;
}

/** A disbursement as its caller requested it. */
export interface Asked {
  readonly reference: string;
  readonly id: string;
  readonly disburseId: string;
  readonly amount: number;
  readonly accountAlias: string;
  readonly withdrawMode: string;
  /** Part of the request; without it the request would be another one. */
  readonly notBefore?: string;
  /** A 202 arrived at least one time. */
  readonly acknowledged: boolean;
  /** Ids in 202 answers; more than one distinct id is an error. */
  readonly answeredIds: readonly string[];
  /** The HTTP status of another amount with the same reference; absent: not tried. */
  readonly changedRequestStatus?: number;
  /** When it was requested again, because a restore may have lost it. */
  readonly askedAgainAt?: readonly number[];
  /** When its caller received the cancellation. */
  readonly cancelledAt?: number;
}

export interface SeenRecord {
  readonly id: string;
  readonly state: string;
  readonly reference: string | null;
  readonly amount: number;
  readonly accountAlias: string;
  readonly withdrawMode: string;
  readonly disburseId: string;
  readonly token: string | null;
  readonly reason: string | null;
  readonly history: readonly HistoryLine[];
  readonly historyDropped?: number;
  /** Absent: its payee gets no SMS. */
  readonly notify?: {
    readonly messages?: readonly { readonly on: string; readonly id: string; readonly state: string }[];
  };
}

export interface HistoryLine {
  readonly at: string;
  readonly operation: string;
  readonly code: string;
  readonly detail?: string;
}

export interface SeenEvent {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly data: { readonly id: string; readonly state?: string };
}

/** A token in the provider's records. */
export interface LedgerEntry {
  readonly token: string;
  readonly disburseId?: string;
  readonly accountAlias: string;
  readonly amount: number;
  readonly withdrawMode: string;
  readonly status: string;
  /** How often money left for it. */
  readonly effects: number;
  /** When its status last changed, on the clock of the storm. */
  readonly doneAt?: number;
}

export interface SeenSubmit {
  /** ms on the clock of the storm. */
  readonly at: number;
  /** When the connection ended. */
  readonly endedAt: number;
  readonly token: string;
  readonly disburseId: string;
  /** The committed row during the submit; absent: PostgreSQL could not be read at that moment. */
  readonly image?: {
    readonly state: string;
    readonly token: string;
    readonly sends: number;
    /** ms since the intent was written. */
    readonly ageMs: number;
  };
}

export interface SeenLook {
  readonly at: number;
  readonly token: string;
  /** As relais received it; absent: no readable answer. */
  readonly status?: string;
  /** The names in the answer. */
  readonly names?: {
    readonly token?: string | undefined;
    readonly disburseId?: string | undefined;
    readonly amount?: string | undefined;
  };
}

export interface SeenCampaign {
  readonly id: string;
  readonly state: string;
  /** Uploaded rows. */
  readonly uploaded: number;
  readonly text: string;
  readonly totals: Readonly<Record<string, number>>;
  readonly recipients: readonly SeenRecipient[];
  /** When the answer to `cancel` arrived, on the clock of the storm. */
  readonly cancelledAt?: number;
}

export interface SeenRecipient {
  readonly to: string;
  readonly row: number;
  readonly state: string;
}

/** The SMS to the payee of a payment; no text is the beginning of another. */
export const toldText = (state: 'succeeded' | 'failed', reference: string): string => `${reference}: ${state}.`;

export interface BookedSms {
  readonly to: string;
  readonly text: string;
  /** How often it was sent. */
  readonly times: number;
}

export interface SeenSend {
  readonly at: number;
  readonly items: readonly { readonly to: string; readonly text: string }[];
  /** The code of a readable answer, or the HTTP status as text; absent: no answer. */
  readonly answer?: string;
}
