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
  readonly campaigns: readonly SeenCampaign[];
  readonly messages: readonly BookedText[];
  /** Every sms.send that reached the wire, oldest first. */
  readonly sends: readonly SeenSend[];
  readonly attempts: Attempts;
  readonly canaries: Findings;
  readonly restores: readonly Restore[];
  /** When the clock of Redis moved, how far, and how far it was off from then on. */
  readonly steps: readonly { readonly at: number; readonly ms: number; readonly offMs: number }[];
  readonly codes: readonly SeenCode[];
  readonly credits: readonly SeenCredit[];
  /** Absent: nobody changed a limit in this storm. */
  readonly limits?: SeenLimits | undefined;
  /** Absent: there was no other deployment. */
  readonly neighbours?: SeenNeighbours | undefined;
  /** Absent: nobody was at the console. */
  readonly console?: SeenConsole | undefined;
  /** Absent: all stayed in Redis. */
  readonly history?: SeenHistory | undefined;
}

/** What the console was answered while the storm went on. Times on its clock. */
export interface SeenConsole {
  readonly answers: readonly ConsoleAnswer[];
  /** Every payment that an answer showed in a state, and what the report of a day said was paid. */
  readonly shown: readonly ShownState[];
  readonly streams: readonly ConsoleStream[];
  /** When the key of the first person was revoked; absent: nobody came to it. */
  readonly revokedAt?: number | undefined;
  /** Campaigns that were paused, and went on. */
  readonly acts: number;
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

/** What is in PostgreSQL after the storm, and what is still in Redis. */
export interface SeenHistory {
  /** Every row of an operation. */
  readonly rows: readonly HistoryRow[];
  readonly recipients: readonly RecipientRow[];
  /** Every event by its operation and number. */
  readonly events: readonly { readonly operation: string; readonly sequence: number }[];
  /** Every record in Redis that history keeps. */
  readonly standing: readonly StandingRecord[];
  /** Every slice in Redis that history keeps the people of. */
  readonly slices: readonly { readonly id: string; readonly rev: number; readonly count: number }[];
  /** Every row whose record is not in Redis, and the state of its stub. */
  readonly gone: readonly (Pick<HistoryRow, 'id' | 'state' | 'createdAt'> & { readonly stub?: string | undefined })[];
  /** How many stubs there are. */
  readonly stubs: number;
  /** Of how many the record is there again, beside its stub: the service said something more about them. */
  readonly returned: number;
  /** Payments that were asked for, and whose record is not in Redis any more. */
  readonly left: readonly Left[];
  /** How many wait to be copied. */
  readonly waiting: number;
  /** `relais.daily`, all of its days together. */
  readonly daily: readonly DailyRow[];
}

export interface HistoryRow {
  readonly kind: string;
  readonly id: string;
  readonly rev: number;
  readonly state: string;
  /** When it was accepted, by the clock of Redis, on that of the storm: what a copy forgot may be accepted anew. */
  readonly createdAt: number;
}

export type StandingRecord = HistoryRow;

export interface RecipientRow {
  readonly campaign: string;
  readonly row: number;
  readonly slice: string;
  readonly rev: number;
  readonly state: string;
}

/** A payment that was asked for and that left Redis, asked about and asked for once more at the end. */
export interface Left {
  readonly id: string;
  readonly disburseId: string;
  readonly reference: string;
  /** As its stub says it ended; without one, as history does. */
  readonly state: string;
  /** As it reads by its id, before it was asked for again and a while after that; absent: it could not be read. */
  readonly reads?: string | undefined;
  readonly readsThen?: string | undefined;
  /** What the same request was answered: its status, and the id that it names. */
  readonly again: { readonly status: number; readonly id?: string | undefined };
  /** What another amount under the same reference was answered. */
  readonly changed: number;
  /** How often the books say that money left for it, before it was asked for again and a while after that. */
  readonly paid: { readonly before: number; readonly after: number };
  /** How many tokens the service has given for it by then. */
  readonly tokens: { readonly before: number; readonly after: number };
}

/** In counts and XOF. */
export interface DailyRow {
  readonly withdrawMode: string | null;
  readonly succeeded: Sum;
  readonly reversed: Sum;
  readonly credited: Sum;
}

export interface Sum {
  readonly count: number;
  readonly xof: number;
}

/** Redis as it was at one time, put in the place of what it had become. Times on the clock of the storm. */
export interface Restore {
  readonly how: 'running' | 'stopped' | 'promoted';
  /** Of the copy: what was acknowledged later is not in it. */
  readonly copiedAt: number;
  /** When Redis went away, to come back as the copy. */
  readonly restoredAt: number;
  /** When it answered again: nothing can have been decided in the world of the copy before that. */
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

export interface SeenNeighbours {
  /** The process of another environment on the same keys: how it ended, and its last words. */
  readonly intruder: { readonly status: number | null; readonly said: string };
  /** What the two services were asked for by the deployment that is not theirs. */
  readonly strangersHere: readonly string[];
  readonly strangersThere: readonly string[];
  /** Of the one with a prefix of its own: asked for, paid, paid more than once, and not at rest in the end. */
  readonly asked: number;
  readonly paid: number;
  readonly paidTwice: number;
  readonly open: number;
}

export interface SeenAttempt {
  readonly worker: string;
  readonly queue: string;
  readonly id: string;
  readonly settlement: string;
  readonly durationMs: number;
  /** Of these, how long Redis was away. */
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
  /** The record as Redis kept it when the submit was on its way; absent: Redis could not be asked at that moment. */
  readonly image?: {
    readonly state: string;
    readonly token: string;
    readonly sends: number;
    /** ms since the intent was written down, by the clock of Redis. */
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

export interface BookedText {
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
  /** What stood in Redis about it when it was on its way; absent: Redis could not be asked at that moment. */
  readonly image?: {
    /** ms since the intent was written down, by the clock of Redis; absent: nobody was about to send this. */
    readonly ageMs?: number;
  };
}
