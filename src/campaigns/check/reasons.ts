/** Why a row is left out, in words for the author of the file. The code is for programs. */
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
  spreadsheet_error:
    'The number, or a value that the text needs, is an error of the spreadsheet: #N/A, or a formula without its result.',
  hidden_row: 'The row is hidden in the spreadsheet, by hand or by a filter.',
  text_too_long: 'With the values of this row the text becomes too long to be sent.',
  extra_cells: 'The row has more cells than the header; a separator inside a value needs quotes around the value.',
  unreadable_row: 'The line cannot be read: it must be one JSON object whose values are plain texts and numbers.',
} as const satisfies Record<string, string>;

export type SkipReason = keyof typeof skipReasons;
