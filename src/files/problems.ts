import type { Detail } from '../messages/details.ts';
import { english } from '../messages/english.ts';

/** Why a file cannot be used, each with what to do. */
export const fileProblems = english.file.problems;

export type FileProblemCode = keyof typeof fileProblems;

export interface FileProblem {
  readonly code: FileProblemCode;
  readonly message: string;
  /** The subject: a column, a variable, the position. */
  readonly detail?: Detail;
  /** The row as a spreadsheet numbers it (the header is row 1). */
  readonly row?: number;
}

export function fileProblem(code: FileProblemCode, more: { detail?: Detail; row?: number } = {}): FileProblem {
  return { code, message: fileProblems[code], ...more };
}

/** Thrown while reading if the file as a whole is unusable. Contains every problem found so far. */
export class UnusableFile extends Error {
  readonly problems: readonly FileProblem[];

  constructor(problems: readonly FileProblem[], cause?: unknown) {
    super(problems.map(describeProblem).join('\n'), { cause });
    this.name = 'UnusableFile';
    this.problems = problems;
  }
}

export function unusable(
  code: FileProblemCode,
  more: { detail?: Detail; row?: number; cause?: unknown } = {},
): UnusableFile {
  const { cause, ...about } = more;
  return new UnusableFile([fileProblem(code, about)], cause);
}

function describeProblem({ message, detail, row }: FileProblem): string {
  const place = row === undefined ? '' : `Row ${row}: `;
  return `${place}${message}${detail === undefined ? '' : ` (${detail.message})`}`;
}
