/** The verdict for people: a table, and one sentence that is computed and never just claimed. */
import type { Verdict } from './compare.ts';

export interface Verdicts {
  readonly texts: Verdict;
  readonly disbursements: Verdict;
}

const HEADINGS = ['', 'asked', 'took effect once', 'twice', 'never', 'reported as'] as const;
const PROBLEMS_SHOWN = 10;

/** 0: every request took effect as it was reported, and none twice. */
export function exitCodeOf({ texts, disbursements }: Verdicts): 0 | 1 {
  return texts.problems.length + disbursements.problems.length === 0 ? 0 : 1;
}

export function renderTable({ texts, disbursements }: Verdicts): string {
  const rows = [HEADINGS, rowOf('texts', texts), rowOf('disbursements', disbursements)];
  const widths = HEADINGS.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lastColumn = HEADINGS.length - 1;
  // Numbers stand under each other by their last digit, words by their first letter.
  const pad = (cell: string, at: number): string =>
    at === 0 || at === lastColumn ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0);
  return rows.map((row) => `  ${row.map(pad).join('   ').trimEnd()}`).join('\n');
}

function rowOf(name: string, { asked, once, twice, never, reported }: Verdict): readonly string[] {
  const states = Object.entries(reported).sort(([, a], [, b]) => b - a);
  return [
    name,
    ...[asked, once, twice, never].map(String),
    states.map(([state, count]) => `${count} ${state}`).join(', '),
  ];
}

/** One sentence; below it, where there are any, what is in doubt and what is wrong. */
export function renderSentence(verdicts: Verdicts): string {
  const { texts, disbursements } = verdicts;
  const doubt = [doubtOf('texts', texts), doubtOf('disbursements', disbursements)].flat();
  const problems = [...texts.problems, ...disbursements.problems];
  if (problems.length === 0) return [exactSentence(verdicts), ...doubt].join('\n');
  const shown = problems.slice(0, PROBLEMS_SHOWN).map((problem) => `  - ${problem}`);
  const more = problems.length > shown.length ? [`  - and ${problems.length - shown.length} more`] : [];
  const count = problems.length === 1 ? 'one line is' : `${problems.length} lines are`;
  return [`NOT as reported: ${count} wrong.`, ...shown, ...more, ...doubt].join('\n');
}

function exactSentence({ texts, disbursements }: Verdicts): string {
  const refused = texts.never + disbursements.never;
  const rest = refused === 0 ? '' : `; the ${refused} that failed did not`;
  return `Nothing took effect twice: ${texts.once} SMS and ${disbursements.once} payments took effect${rest}.`;
}

/** Honest about what we do not know, although the books of this service could be asked. */
function doubtOf(name: string, { inDoubt: { once, never } }: Verdict): string[] {
  if (once + never === 0) return [];
  const books = `by the books ${once} took effect once and ${never} never`;
  return [`We do not know the end of ${once + never} ${name} and say so; ${books}.`];
}
