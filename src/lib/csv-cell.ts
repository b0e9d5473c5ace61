/**
 * One cell of a CSV file that may be opened in a spreadsheet. A spreadsheet runs what begins like a formula; the
 * apostrophe makes it a text.
 */
export function csvCell(value: string | number): string {
  const text = typeof value === 'number' ? String(value) : value.replace(/^[=+\-@\t\r\n]/, "'$&");
  return /[",;\r\n\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
