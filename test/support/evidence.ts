import { evidenceLines } from '../../src/ledger/changes.ts';
import type { EvidenceLines } from '../../src/operations/record.ts';
import type { EvidenceDraft } from '../../src/operations/transition.ts';

/** As the ledger stores these lines, a second apart. */
export function evidenceOf(said: readonly EvidenceDraft[], firstAt: number): EvidenceLines {
  const lines = evidenceLines(said).map((line, at) => `${new Date(firstAt + at * 1_000).toISOString()} ${line}`);
  return { lines, total: lines.length };
}
