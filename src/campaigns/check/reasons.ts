/** Why a row is left out, as a person who made the file would want to read it. The code is for programs. */
export const skipReasons = {
  empty: 'The phone number is empty.',
  not_a_number: 'This is not a phone number: it holds letters or signs, or no digits at all.',
  too_short: 'The number has too few digits for its country.',
  too_long: 'The number has too many digits for its country.',
  wrong_length: 'No number of its country has this many digits.',
  unknown_country: 'No country has the calling code this number begins with.',
  no_country: 'The number has no country code, and no default country was given.',
  not_in_use: 'The length is right, but no operator of the country uses numbers that begin like this.',
  not_mobile: 'This is a fixed line or a special number; it cannot receive texts.',
  several_numbers: 'The cell holds more than one number; keep one per row.',
  old_numbering: 'The number is from before its country added two digits (Côte d’Ivoire 2021, Benin 2024).',
  spreadsheet_damage:
    'The spreadsheet changed this number (2,21771E+11, or a lost first zero); format the column as text and type it again.',
  duplicate: 'The same number is on an earlier row of this file.',
  already_in_campaign: 'The number is already in this campaign.',
  opted_out: 'The person has asked to get no texts.',
  empty_variable: 'A value that the text needs is empty on this row.',
  text_too_long: 'With the values of this row the text becomes too long to be sent.',
  extra_cells: 'The row has more cells than the header; a separator inside a value needs quotes around the value.',
  unreadable_row: 'The line cannot be read: it must be one JSON object whose values are plain texts and numbers.',
} as const satisfies Record<string, string>;

export type SkipReason = keyof typeof skipReasons;

/** Why nothing of a file can be used. Each says what to do about it. */
export const fileProblems = {
  empty_file: 'The file is empty.',
  no_rows: 'The file has a header and no rows below it.',
  spreadsheet_file: 'This is a spreadsheet, not a CSV file. In Excel: Save as, “CSV UTF-8”.',
  utf16_file: 'The file is written in UTF-16. Save it again as “CSV UTF-8”.',
  not_text: 'The file holds bytes that no text has.',
  mixed_encoding: 'Parts of the file are UTF-8 and parts are not. Save it again as “CSV UTF-8”.',
  no_header: 'The first line looks like a row, not like column names. Add a line such as: to;name.',
  no_phone_column: 'No column holds the phone numbers. Name it “to”.',
  several_phone_columns: 'More than one column could hold the phone numbers. Name the right one “to”.',
  missing_column: 'The text uses a variable that is not a column of the file.',
  duplicate_column: 'Two columns have the same name and the text uses it.',
  too_many_columns: 'The file has more than 100 columns.',
  row_too_long: 'A row is longer than 64 kB; most often a quote was opened and never closed.',
  unclosed_quote: 'A quote was opened and never closed before the end of the file.',
  unreadable_csv:
    'A row cannot be read as CSV; most often text follows a closing quote. Put quotes around the whole cell, and write each quote inside it twice.',
} as const satisfies Record<string, string>;

export type FileProblemCode = keyof typeof fileProblems;

export interface FileProblem {
  readonly code: FileProblemCode;
  readonly message: string;
  /** What it is about: a column, a variable, the place. */
  readonly detail?: string;
  /** The row as a spreadsheet numbers it (the header is row 1). */
  readonly row?: number;
}

export function fileProblem(code: FileProblemCode, more: { detail?: string; row?: number } = {}): FileProblem {
  return { code, message: fileProblems[code], ...more };
}

/** Thrown while reading, when no row of the file can be trusted. Carries every problem found so far. */
export class UnusableFile extends Error {
  readonly problems: readonly FileProblem[];

  constructor(problems: readonly FileProblem[], cause?: unknown) {
    super(problems.map(describeProblem).join('\n'), { cause });
    this.name = 'UnusableFile';
    this.problems = problems;
  }
}

function describeProblem({ message, detail, row }: FileProblem): string {
  const place = row === undefined ? '' : `Row ${row}: `;
  return `${place}${message}${detail === undefined ? '' : ` (${detail})`}`;
}
