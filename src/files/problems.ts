/** Why nothing of a file can be used. Each says what to do about it. */
export const fileProblems = {
  empty_file: 'The file is empty.',
  no_rows: 'The file has a header and no rows below it.',
  old_workbook:
    'This is a workbook of the old kind (.xls), or one with a password. Save it as .xlsx, without a password.',
  binary_workbook: 'This is a binary workbook (.xlsb). Save it as .xlsx.',
  numbers_file: 'This is a document of Apple Numbers. Choose File, Export to, Excel.',
  archive: 'This is an archive (.zip, .gz) and no spreadsheet. Unpack it and send the file that is in it.',
  web_page:
    'This is a web page or XML, whatever its name says. Open it in a spreadsheet program and save it as .xlsx.',
  pdf_file: 'This is a PDF. Ask for the spreadsheet or the CSV file that it was made from.',
  vcard_file: 'These are contacts of a telephone (vCard). Export them as CSV instead.',
  json_array: 'This is a JSON array. Send JSON lines: one object a line, without brackets and commas around them.',
  broken_workbook: 'The workbook is damaged. Open it in a spreadsheet program and save it again as .xlsx.',
  workbook_too_large:
    'The workbook is too large to be unpacked. Delete sheets, pictures and formats, or save the list as CSV.',
  no_such_sheet: 'The workbook has no sheet of this name.',
  too_many_rows: 'The sheet says that it has more rows than a sheet can have. Save it again as .xlsx.',
  not_text: 'The file holds bytes that no text has.',
  mixed_encoding: 'Parts of the file are in another encoding than the rest. Save it again as “CSV UTF-8”.',
  no_header: 'The first line looks like a row, not like column names. Add a line such as: to;name.',
  no_phone_column: 'No column holds the phone numbers. Name it “to”, or say which one it is (--phone-column).',
  several_phone_columns:
    'More than one column could hold the phone numbers. Say which one it is (--phone-column), or name it “to”.',
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

export function unusable(
  code: FileProblemCode,
  more: { detail?: string; row?: number; cause?: unknown } = {},
): UnusableFile {
  const { cause, ...about } = more;
  return new UnusableFile([fileProblem(code, about)], cause);
}

function describeProblem({ message, detail, row }: FileProblem): string {
  const place = row === undefined ? '' : `Row ${row}: `;
  return `${place}${message}${detail === undefined ? '' : ` (${detail})`}`;
}
