/** Texts about a file of recipients, before anything is sent. */
import { grouped, some } from './counts.ts';

export const englishFile = {
  /** Why a row is left out, for the author of the file. */
  reasons: {
    empty: 'The phone number is empty.',
    not_a_number: 'This is not a phone number: it holds letters or signs, or no digits at all.',
    too_short: 'The number has too few digits for its country.',
    too_long: 'The number has too many digits for its country.',
    wrong_length: 'No number of its country has this many digits.',
    unknown_country: 'No country has the calling code this number begins with.',
    no_country: 'The number has no country code, and no default country was given.',
    not_in_use: 'The length is right, but no operator of the country uses numbers that begin like this.',
    not_mobile: 'This is a fixed line or a special number; it cannot receive SMS.',
    several_numbers: 'The cell holds more than one number; keep one per row.',
    old_numbering: 'The number is from before its country added two digits (Côte d’Ivoire 2021, Benin 2024).',
    spreadsheet_damage:
      'The spreadsheet changed this number (2,21771E+11, a date, or a lost first zero); format the column as text and type it again.',
    duplicate: 'The same number is on an earlier row of this file.',
    already_in_campaign: 'The number is already in this campaign.',
    opted_out: 'The recipient opted out of SMS.',
    empty_variable: 'A value that the text needs is empty on this row.',
    spreadsheet_error:
      'The number, or a value that the text needs, is an error of the spreadsheet: #N/A, or a formula without its result.',
    unsendable_value:
      'A value that the text needs holds control characters or half of a character, which no SMS can carry.',
    no_value: 'A value that the text needs is a sign alone, or a word of programs for “nothing”, such as N/A.',
    damaged_value: 'A program has damaged a value that the text needs: wrong letters, HTML, codes for a new line.',
    empty_text: 'With the values of this row nothing of the text can be seen.',
    hidden_row: 'The row is hidden in the spreadsheet, by hand or by a filter.',
    text_too_long: 'With the values of this row the text becomes too long to be sent.',
    extra_cells: 'The row has more cells than the header; a separator inside a value needs quotes around the value.',
    unreadable_row: 'The line cannot be read: it must be one JSON object whose values are plain texts and numbers.',
  },
  /** Why a file cannot be used, and what to do. */
  problems: {
    empty_file: 'The file is empty.',
    no_rows: 'The file has a header and no rows below it.',
    old_workbook:
      'This is a workbook of the old kind (.xls), or one with a password. Save it as .xlsx, without a password.',
    locked_workbook: 'The workbook has a password. Save it without a password.',
    binary_workbook: 'This is a binary workbook (.xlsb). Save it as .xlsx.',
    numbers_file: 'This is a document of Apple Numbers. Choose File, Export to, Excel.',
    archive: 'This is an archive (.zip, .gz) and no spreadsheet. Unpack it and send the file that is in it.',
    web_page:
      'This is a web page or XML, whatever its name says. Open it in a spreadsheet program and save it as .xlsx.',
    pdf_file: 'This is a PDF. Ask for the spreadsheet or the CSV file that it was made from.',
    vcard_file: 'These are contacts of a phone (vCard). Export them as CSV instead.',
    json_array: 'This is a JSON array. Send JSON lines: one object a line, without brackets and commas around them.',
    broken_workbook: 'The workbook is damaged. Open it in a spreadsheet program and save it again as .xlsx.',
    workbook_too_large:
      'The workbook is too large to be unpacked. Delete sheets, pictures and formats, or save the list as CSV.',
    no_such_sheet: 'The workbook has no sheet of this name.',
    too_many_rows: 'The sheet says that it has more rows than a sheet can have. Save it again as .xlsx.',
    not_text: 'The file holds bytes that no text has.',
    mixed_encoding: 'Parts of the file are in another encoding than the rest. Save it again as “CSV UTF-8”.',
    unclear_encoding:
      'The file reads well in more than one encoding. Save it again as “CSV UTF-8”, or name its encoding (--encoding, charset).',
    no_header: 'The first line looks like a row, not like column names. Add a line such as: to;name.',
    no_phone_column: 'No column holds the phone numbers. Name it “to”, or say which one it is (--phone-column).',
    several_phone_columns:
      'More than one column could hold the phone numbers. Say which one it is (--phone-column), or name it “to”.',
    missing_column: 'The text uses a variable that is not a column of the file.',
    duplicate_column: 'Two columns have the same name and the text uses it.',
    too_many_columns: 'The file has more than 100 columns. Delete those that the text does not use.',
    row_too_long: 'A row is longer than 64 kB; most often a quote was opened and never closed.',
    unclosed_quote: 'A quote was opened and never closed before the end of the file.',
    unreadable_csv:
      'A row cannot be read as CSV; most often text follows a closing quote. Put quotes around the whole cell, and write each quote inside it twice.',
  },
  formats: { csv: 'CSV', ndjson: 'JSON lines', xlsx: 'a workbook (.xlsx)', ods: 'a workbook (.ods)' },
  why: { first: 'among the first', longest: 'the longest', dearest: 'the dearest', asked: 'asked for' },
  rows: (count: number) => some(count, 'row', 'rows'),
  recipients: (count: number) => some(count, 'recipient', 'recipients'),
  segments: (count: number) => some(count, 'segment', 'segments'),
  skipped: (count: number) => `${grouped(count)} skipped`,
  blank: (count: number) => ` (and ${grouped(count)} blank)`,
  headline: (rows: string, recipients: string, skipped: string) => `${rows}: ${recipients}, ${skipped}`,
  readAs: (format: string, how: string) => `read as ${format}${how}`,
  separator: (sign: string) => `, separator ${sign}`,
  tab: 'tab',
  sheet: (name: string) => `, sheet ${name}`,
  quoted: (text: string) => `“${text}”`,
  truncatedRows: (count: number) =>
    `${some(count, 'row has', 'rows have')} more beside the number than reports give back: 1 000 characters are kept`,
  titleRows: (count: number) => `${some(count, 'row', 'rows')} above the header: no data`,
  otherSheets: (names: string) => `not read: ${names}; --sheet NAME reads another sheet`,
  merged: (count: number) =>
    `${some(count, 'cell', 'cells')} merged over several rows: only the first of these has the value`,
  skippedTitle: 'Skipped',
  row: (row: number) => `row ${row}`,
  line: (row: number, what: string) => `row ${row}: ${what}`,
  nothing: '(empty)',
  renewed: (count: number) => `Renewed old numbers: ${grouped(count)}`,
  countries: 'Countries',
  noPrice: ', no price known',
  about: (xof: string) => `, about ${xof}`,
  preview: 'As they would go out',
  previewed: (row: number, to: string, why: string, size: string) => `row ${row} to ${to}, ${why}: ${size}`,
  size: (characters: number, encoding: string, segments: string) =>
    `${characters} characters of ${encoding}, ${segments}`,
  estimate: (segments: string, price: string) => `Estimate: ${segments}${price}`,
  texts: (count: string, one: boolean, segments: string) => `${count}  ${one ? 'text' : 'texts'} of ${segments}`,
  unpriced: (countries: string) => `not counted, for want of a price: ${countries}`,
  long: (count: number) => `${grouped(count)} texts are unusually long`,
  stopLink: (characters: number) => `the link of {{stop}} is counted with ${characters} characters`,
  stopGuess: ', a guess: PUBLIC_URL says how long it is',
  costly: (count: number) =>
    `${some(count, 'text', 'texts')} with a character that makes segments shorter (70 characters instead of 160):`,
  inText: 'in your text',
  inRows: 'in the rows',
  costlyLine: (character: string, point: string, place: string, advice: string) =>
    `“${character}” ${point}, ${place}: ${advice}`,
  noReplacement: 'no replacement',
  leaveOut: 'leave it out',
  write: (text: string) => `write “${text}”`,
  savesNothing: 'replacing them would save nothing',
  saves: (segments: string, money: string) => `replacing them saves ${segments}${money}`,
  /** Additional information for a reason or a problem. */
  details: {
    same_as_row: 'same number as row {row}',
    probably_today: 'today probably {number}',
    zero_gone: 'the first zero is gone: {number}',
    segments: '{segments} segments',
    no_json: 'it is not JSON',
    no_object: 'it is not an object',
    too_deep: 'it is nested too deep',
    name_twice: 'a name stands in it twice, or a number is not written in plain digits',
    not_plain: '“{name}” is not a plain value',
    other_sheets: 'read: {sheet}; other sheets: {others}',
    sheets: 'sheets: {sheets}',
    no_sheets: 'it has no sheets',
    sheet_missing: 'the sheet “{sheet}” is missing',
    part_missing: 'it has no {part}',
    part_changed: '{part} is not what was written',
    many_parts: 'it has {parts} parts',
    text_missing: 'it has no text {number}',
    repeated: 'something stands {times} times',
    no_xml: 'a part of it is no XML',
    cell_place: 'a cell stands at “{place}”, which is no place of a sheet',
    entities: 'it declares entities',
    endless: 'a part of it never ends',
    zero_byte: 'a zero byte behind “{before}”',
    half_character: 'half a character at the end',
    value: '“{value}”',
    value_meant: '“{value}”, probably “{meant}”',
    samples: 'read as {samples}',
    columns: 'columns: {columns}',
    column: '{column}',
    variable: '{variable}; columns: {columns}',
    price_country: '"{country}" is not a country (write two capital letters)',
    price_form: '{country}: the price must be XOF per segment, with at most two decimals',
    price_none: 'the table is empty',
    price_object: 'it must be an object with a price for each country',
  },
  decide: {
    title: 'To decide before the start',
    reasons: {
      no_country: (n: number) => some(n, 'number has no country code', 'numbers have no country code'),
      old_numbering: (n: number) =>
        some(n, 'number is from before two digits were added', 'numbers are from before two digits were added'),
      spreadsheet_damage: (n: number) =>
        some(n, 'number was damaged by a spreadsheet', 'numbers were damaged by a spreadsheet'),
      several_numbers: (n: number) => some(n, 'cell holds more than one number', 'cells hold more than one number'),
      hidden_row: (n: number) => some(n, 'row is hidden in the spreadsheet', 'rows are hidden in the spreadsheet'),
      empty_variable: (n: number) =>
        some(n, 'row lacks a value that the text needs', 'rows lack a value that the text needs'),
      spreadsheet_error: (n: number) =>
        some(
          n,
          'row has an error of the spreadsheet for a value',
          'rows have an error of the spreadsheet for a value',
        ),
      unsendable_value: (n: number) =>
        some(n, 'row has a value that no SMS can carry', 'rows have a value that no SMS can carry'),
      no_value: (n: number) =>
        some(n, 'row has a word for “nothing” as a value', 'rows have a word for “nothing” as a value'),
      damaged_value: (n: number) =>
        some(n, 'row has a value that a program damaged', 'rows have a value that a program damaged'),
      empty_text: (n: number) => some(n, 'row would get an empty text', 'rows would get an empty text'),
      extra_cells: (n: number) =>
        some(n, 'row has more cells than the header', 'rows have more cells than the header'),
      unreadable_row: (n: number) => some(n, 'line cannot be read', 'lines cannot be read'),
      text_too_long: (n: number) => some(n, 'text is too long to be sent', 'texts are too long to be sent'),
    },
    takesIn: {
      no_country: 'reads them as numbers of that country',
      old_numbering: 'renews them, and lists each before and after',
      hidden_row: 'takes them like any other',
      no_value: 'sends the values as they are',
      damaged_value: 'sends the values as they are',
    },
    leaves: 'leaves them out',
    leavesOrMend: 'leaves them out; or correct them in the file',
    inText: {
      not_a_variable: (written: string, meant = '') => `${written} is no variable; ${meant} would be`,
      touched_link: (written: string, meant = '') =>
        `A phone may take what touches a link into it: ${written}; write ${meant}`,
      damaged_text: (written: string, meant?: string) =>
        meant === undefined
          ? `Letters were lost at ${written}; write the text again`
          : `${written} is the trace of a program; ${meant === '' ? 'remove it' : `probably it is ${meant}`}`,
    },
    asWritten: 'keeps the text as written; or correct the text',
    atOnce: (reasons: string) => `To leave out all of these: --leave-out ${reasons}`,
  },
  cheaper: (segments: string, price: string) => `Cheaper by ${segments} segments${price}: --replace-costly`,
  nobody: 'No recipient would get an SMS.',
  rowsAreIn: (count: string, file: string) => `${count} skipped rows are in ${file}`,
  allSkipped: 'All skipped rows, for a spreadsheet: --csv FILE',
  unusable: (file: string) => `Nothing of ${file} can be used.`,
  checkAgain: 'Correct the file and check it again: relais campaign check FILE',
} as const;
