/** A recovery for readers: the evidence and the results. */
import { recoveryProofs } from '../kinds/system.ts';
import type { ReportRow } from './recovery-report.ts';
import type { Gathered, RecoveryRow } from './evidence.ts';

/** All times are ms since the epoch. */
export interface UnderWay {
  readonly since: number;
  readonly because: string;
  /** Until when the restored ledger is known to be complete. */
  readonly lastBeat: number;
  readonly counter: number;
  readonly knownCounter?: number;
}

interface Named {
  readonly count: number;
  readonly ids: readonly string[];
}

interface LostAction {
  readonly at: number;
  readonly act: string;
}

export interface RecoveryReport {
  readonly at: number;
  readonly by: string;
  readonly because: string;
  readonly lastBeat: number;
  readonly items: readonly ReportRow[];
  readonly unreadable: Named;
  readonly heldCampaigns: readonly { readonly id: string; readonly name: string }[];
  /** Number of operations restored from the journal, by kind. */
  readonly restored: Readonly<Record<string, number>>;
  /** Acts in the data-loss window that an operator must repeat. */
  readonly lostActions: readonly LostAction[];
  /** Why the journal does not prove that unnamed operations never left; absent: it proves it. */
  readonly broken?: string;
}

/** State collected over the turns of one recovery. */
export interface Work extends Gathered {
  readonly number: string;
  replayed: number;
  readonly restored: Record<string, number>;
  readonly lostActions: LostAction[];
  areActsDone: boolean;
  /** Repeated erasures, and the position of the running one. */
  readonly erasing: { done: number; after: string; open: number };
  readonly unreadable: string[];
  readonly held: { readonly id: string; readonly name: string }[];
}

const NAMED_MOST = 100;
const proofs: ReadonlySet<string> = new Set(recoveryProofs);

export function isProven({ because, counter, knownCounter = 0 }: UnderWay): boolean {
  return proofs.has(because) || knownCounter > counter;
}

export function underWayOf({ because, since, last_beat, marks, known }: RecoveryRow): UnderWay {
  const missing = Object.entries(known).map(([lane, counter]) => Math.max(0, counter - (marks[lane] ?? 0)));
  const counter = sum(Object.values(marks));
  return {
    since: since.getTime(),
    because,
    lastBeat: last_beat.getTime(),
    counter,
    ...(missing.length === 0 ? {} : { knownCounter: counter + sum(missing) }),
  };
}

const sum = (counts: readonly number[]): number => counts.reduce((total, one) => total + one, 0);

export function reportFrom(
  { because, last_beat }: RecoveryRow,
  { unreadable, held, restored, lostActions, broken }: Work,
  told: Pick<RecoveryReport, 'at' | 'by' | 'items'>,
): RecoveryReport {
  return {
    ...told,
    because,
    lastBeat: last_beat.getTime(),
    unreadable: { count: unreadable.length, ids: unreadable.slice(0, NAMED_MOST) },
    heldCampaigns: held.slice(0, NAMED_MOST),
    restored,
    lostActions: lostActions.slice(0, NAMED_MOST),
    ...(broken === undefined ? {} : { broken }),
  };
}
