/**
 * What a storm left behind, as plain data: what was asked, what went over the wire, what the service did, what relais
 * says. The checks read nothing else, so that each can be shown a broken story.
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
  /** Disbursements by state, as the metrics page counts them. */
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
  /** Absent: nobody changed a limit in this storm. */
  readonly limits?: SeenLimits | undefined;
  /** Absent: nobody was at the console. */
  readonly console?: SeenConsole | undefined;
}

/** What the console was answered while the storm went on. Times on its clock. */
export interface SeenConsole {
  readonly answers: readonly ConsoleAnswer[];
  /** Every payment that an answer showed in a state, and what the report of a day said was paid. */
  readonly shown: readonly ShownState[];
  readonly streams: readonly ConsoleStream[];
  /** When the key of the first person was revoked; absent: nobody came to it. */
  readonly revokedAt?: number | undefined;
}

export interface ConsoleAnswer {
  /** Who asked: the key of the `first` is revoked in the middle. */
  readonly sitting: string;
  /** When that person had signed in; absent: not yet. */
  readonly since?: number | undefined;
  /** When it was asked, and when it was answered. */
  readonly at: number;
  readonly until?: number;
  readonly route: string;
  readonly status: number;
  /** The last part of the type of a refusal; absent: it is none of relais. */
  readonly problem?: string | undefined;
}

export interface ShownState {
  readonly at: number;
  readonly id: string;
  readonly state: string;
  /** Of a report: what it says was paid in all. */
  readonly xof?: number;
}

export interface ConsoleStream {
  readonly sitting: string;
  readonly openedAt: number;
  endedAt: number | undefined;
  /** 0: nobody answered. */
  status: number;
  events: number;
}

/** PostgreSQL restored from an earlier copy. Times on the clock of the storm. */
export interface Restore {
  readonly how: 'running' | 'stopped';
  /** Of the copy: what was acknowledged later is not in it. */
  readonly copiedAt: number;
  /** When PostgreSQL went away, to come back as the copy. */
  readonly restoredAt: number;
  /** When it answered again: nothing was decided by the restored ledger before that. */
  readonly backAt: number;
  /** When somebody was told that something is to be decided, and when relais went on; absent: never. */
  readonly noticedAt?: number | undefined;
  readonly recoveredAt?: number | undefined;
  /** How often somebody had it go on until it was over. */
  readonly turns?: number | undefined;
}

/** A code with an end, as its caller asked for it. */
export interface SeenCode {
  readonly text: string;
  /** On the clock of the storm. */
  readonly expiresAt: number;
}

/** A direct credit: the service keeps no reference, so nothing of it refuses a second one. */
export interface SeenCredit {
  readonly accountAlias: string;
  /** When it was asked for. */
  readonly askedAt: number;
  /** How often it stands in the books. */
  readonly times: number;
}

export interface SeenLimits {
  /** What the strictest opinion was, from when on. Looser ones only with two people behind them. */
  readonly inForce: readonly { readonly from: number; readonly amount: number }[];
  /** Payments above it, and what became of them. */
  readonly greedy: readonly {
    readonly at: number;
    readonly amount: number;
    /** The HTTP status; absent: no answer. */
    readonly status?: number | undefined;
    /** How often the books say it was paid. */
    readonly times: number;
  }[];
  /** The state of what was asked for after two people had said yes; absent: they did not come to it. */
  readonly afterTwo?: string | undefined;
}

export interface SeenAttempt {
  readonly worker: string;
  readonly queue: string;
  readonly id: string;
  readonly settlement: string;
  readonly durationMs: number;
  /** Of these, how long PostgreSQL was away. */
  readonly darkMs: number;
  /** Its process was frozen meanwhile. */
  readonly stoodStill: boolean;
}

export interface Rules {
  readonly mode: Mode;
  /** ms between the end of a submit and a `created` that may count. */
  readonly quietMs: number;
  /** ms after which nobody waits for the answer of a submit any more. */
  readonly patienceMs: number;
  /** ms after which nothing that was decided before is still sent. */
  readonly sendWithinMs: number;
  /** ms for which a job is locked. */
  readonly lockMs: number;
  /** How many times slower this machine is than one with nothing else to do. */
  readonly slowness: number;
}

/** A disbursement as a caller asked for it. */
export interface Asked {
  readonly reference: string;
  readonly id: string;
  readonly disburseId: string;
  readonly amount: number;
  readonly accountAlias: string;
  readonly withdrawMode: string;
  /** It was asked for so, and is another request without. */
  readonly notBefore?: string;
  /** A 202 came back at least once. */
  readonly acknowledged: boolean;
  /** Ids that 202 answers named; more than one kind is a fault. */
  readonly answeredIds: readonly string[];
  /** Another amount under the same reference was answered with this HTTP status; absent: not tried. */
  readonly changedRequestStatus?: number;
  /** When it was asked for once more, because a restored copy may have lost it. */
  readonly askedAgainAt?: readonly number[];
  /** When its caller was told that it is cancelled. */
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

/** A token in the books of the service. */
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
  /** When the connection was over. */
  readonly endedAt: number;
  readonly token: string;
  readonly disburseId: string;
  /** The committed row when the submit was on its way; absent: PostgreSQL could not be asked at that moment. */
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
  /** As relais heard it; absent: no readable answer. */
  readonly status?: string;
  /** What the answer says it is about. */
  readonly names?: {
    readonly token?: string | undefined;
    readonly disburseId?: string | undefined;
    readonly amount?: string | undefined;
  };
}

export interface SeenCampaign {
  readonly id: string;
  readonly state: string;
  /** Rows that were uploaded. */
  readonly uploaded: number;
  readonly text: string;
  readonly totals: Readonly<Record<string, number>>;
  readonly recipients: readonly SeenRecipient[];
  /** When the answer to `cancel` came, on the clock of the storm. */
  readonly cancelledAt?: number;
}

export interface SeenRecipient {
  readonly to: string;
  readonly row: number;
  readonly state: string;
}

export interface BookedSms {
  readonly to: string;
  readonly text: string;
  /** How often it went out. */
  readonly times: number;
}

export interface SeenSend {
  readonly at: number;
  readonly items: readonly { readonly to: string; readonly text: string }[];
  /** The code of a readable answer, or the HTTP status as text; absent: no answer. */
  readonly answer?: string;
}
