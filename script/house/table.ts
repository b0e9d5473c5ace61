/** The answers, as rows for a table or for another program. */
import type { Worker } from './coverage.ts';
import type { House, Question } from './questions.ts';
import type { Walks } from './walks.ts';

export interface Row {
  readonly question: string;
  /** null: it could not be counted, and `why` says why. */
  readonly today: number | null;
  /** At most. null: none is set. */
  readonly goal: number | null;
  readonly why?: string;
  readonly where: readonly string[];
}

export function answer(questions: readonly Question[], house: House): readonly Row[] {
  return questions.map(({ question, goal = null, neverNone, count }) => {
    try {
      const { today, where } = count(house);
      if (today > 0 || !neverNone) return { question, today, goal, where };
      return { question, today: null, goal, why: 'nothing found: what the counter looks for is gone', where: [] };
    } catch (error) {
      return { question, today: null, goal, why: error instanceof Error ? error.message : String(error), where: [] };
    }
  });
}

const WALKS: readonly (readonly [walk: keyof Walks, question: string, goal: number])[] = [
  ['disbursement', 'files that work for one disbursement, door to event', 32],
  ['recipient', 'files that work for one row of a CSV, upload to sent and event', 45],
];

/** `walks`: what was measured, or why it could not be. */
export function rowsOfWalks(walks: Walks | string): readonly Row[] {
  return WALKS.flatMap(([walk, question, goal]): readonly Row[] => {
    const lines = '… lines of them that ran for it';
    const files = typeof walks === 'string' ? [] : walks[walk];
    if (files.length === 0) {
      const why = typeof walks === 'string' ? walks : 'nothing ran for it';
      const absent = { today: null, why, where: [] };
      return [
        { question, goal, ...absent },
        { question: lines, goal: null, ...absent },
      ];
    }
    const where = files.map(({ path, lines: ran }) => `${path} ${ran}`);
    return [
      { question, today: files.length, goal, where },
      { question: lines, today: linesOf(files), goal: null, where: [] },
    ];
  });
}

const linesOf = (files: readonly Worker[]): number => files.reduce((sum, { lines }) => sum + lines, 0);

export interface RenderOptions {
  /** Under each figure, the places that it counts. */
  readonly where: boolean;
}

export function render(rows: readonly Row[], { where }: RenderOptions): string {
  const cells = rows.map(({ question, today, goal }) => [
    question,
    today === null ? '?' : today.toLocaleString('en'),
    goal === null ? '–' : goal === 0 ? '0' : `≤ ${goal.toLocaleString('en')}`,
  ]);
  const head = ['question', 'today', 'goal'];
  const widths = head.map((title, at) => Math.max(...[head, ...cells].map((row) => (row[at] ?? title).length)));
  const line = ([question = '', today = '', goal = '']: readonly string[]): string =>
    `| ${question.padEnd(widths[0] ?? 0)} | ${today.padStart(widths[1] ?? 0)} | ${goal.padStart(widths[2] ?? 0)} |`;
  const rule = `| ${'-'.repeat(widths[0] ?? 0)} | ${'-'.repeat((widths[1] ?? 1) - 1)}: | ${'-'.repeat((widths[2] ?? 1) - 1)}: |`;
  const lost = rows.flatMap(({ question, why }) => (why === undefined ? [] : `not counted: ${question}: ${why}`));
  const listed = where
    ? rows.flatMap((row) => (row.where.length > 0 ? ['', row.question, ...row.where.map(indent)] : []))
    : [];
  return [line(head), rule, ...cells.map(line), ...(lost.length > 0 ? ['', ...lost] : []), ...listed].join('\n');
}

const indent = (text: string): string => `  ${text}`;
