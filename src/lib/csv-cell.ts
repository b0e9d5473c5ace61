/** What a spreadsheet takes for the beginning of a formula; the wide ones too, and with spaces in front. */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/;

/**
 * One cell of a CSV file that may be opened in a spreadsheet. A spreadsheet runs what begins like a formula; the
 * apostrophe makes it a text.
 */
export function csvCell(value: string | number): string {
  const text = typeof value === 'number' ? String(value) : value.replace(FORMULA, "'$&");
  return /[",;\r\n\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Whether a spreadsheet would run it. */
export function isFormula(text: string): boolean {
  return FORMULA.test(text);
}
