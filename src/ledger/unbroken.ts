/** Whether witness and journal together prove that no other request left. Pure. */
import { type Acted, type Entry, type Intended, KEPT_MS } from './journal.ts';
import type { LaneWord, Word } from './witness.ts';

export interface Evidence {
  /** Lane → counter in the restored ledger. */
  readonly marks: ReadonlyMap<string, bigint>;
  /** Lanes that had ended at `lastBeat`. */
  readonly ended: ReadonlySet<string>;
  /** Lanes that any process or witness remembers. */
  readonly known: Iterable<string>;
  readonly witness: Word | undefined;
  readonly entries: readonly Entry[];
  /** Until when the backup is known to be complete, and when the recovery began: ms since the epoch. */
  readonly lastBeat: number;
  readonly since: number;
  /** Epochs of the backup and of the recovery. */
  readonly copied: number;
  readonly epoch: number;
}

/** Maximum clock difference between Redis and PostgreSQL (ms). */
const CLOCKS_MS = 60_000;

/** Why the journal proves nothing; undefined: it has no gap. */
export function whyBroken(evidence: Evidence): string | undefined {
  const { witness, lastBeat, marks, known, ended, entries, since, copied } = evidence;
  if (witness === undefined) return 'no witness';
  if (witness.since > lastBeat) return 'the witness began after the backup';
  if (lastBeat < since - KEPT_MS + CLOCKS_MS) return 'the backup is older than the journal';
  // Within an epoch the counter of a lane only grows. Entries of an earlier epoch would hide a gap.
  const intended = entries.filter((one) => one.is === 'intended').filter(({ epoch }) => epoch >= copied);
  if (evidence.epoch > copied + 1 || intended.some(({ epoch }) => epoch > copied))
    return 'the lost time contains another recovery';
  const lanes = new Set([
    ...marks.keys(),
    ...known,
    ...Object.keys(witness.lanes),
    ...intended.map(({ lane }) => lane),
  ]);
  for (const lane of lanes) {
    if (ended.has(lane)) continue;
    const told = witness.lanes[lane];
    if (told === undefined) return `no witness of ${lane}`;
    // A process that was killed may have sent more than it could record.
    if (!told.ended && told.at < since) return `${lane} did not end in good order`;
    if (
      !isCovered(
        intended.filter((one) => one.lane === lane),
        marks.get(lane) ?? 0n,
        told,
      )
    )
      return `a hole in ${lane}`;
  }
  const acts = entries.filter((one) => one.is === 'acted');
  return areActsWhole(acts, witness, lastBeat) ? undefined : 'an act is missing';
}

function isCovered(entries: readonly Intended[], from: bigint, { sent }: LaneWord): boolean {
  let reached = from;
  for (const { after, counter } of entries.toSorted((a, b) => (BigInt(a.counter) < BigInt(b.counter) ? -1 : 1))) {
    if (BigInt(after) > reached) return false;
    if (BigInt(counter) > reached) reached = BigInt(counter);
  }
  return reached >= BigInt(sent ?? 0);
}

/** The lane name under which a process reports its number of acts. */
export const ACTS = 'acts';

/** Each act since the backup is present: the last one of each process, and the predecessor of each. */
function areActsWhole(acts: readonly Acted[], { lanes }: Word, lastBeat: number): boolean {
  const here = new Set(acts.map(({ process, n }) => `${process}/${ACTS} ${n}`));
  const isOld = (at: number): boolean => at < lastBeat - CLOCKS_MS;
  const areLast = Object.entries(lanes).every(
    ([lane, { counter, lastActAt }]) => lastActAt === undefined || isOld(lastActAt) || here.has(`${lane} ${counter}`),
  );
  return (
    areLast &&
    acts.every(
      ({ process, n, before }) => before === undefined || isOld(before) || here.has(`${process}/${ACTS} ${n - 1}`),
    )
  );
}
