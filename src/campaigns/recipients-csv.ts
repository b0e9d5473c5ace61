import { csvCell } from '../files/csv.ts';
import type { RecipientRow } from './recipients.ts';

const COLUMNS = ['to', 'row', 'state', 'code', 'reason', 'chunk', 'sentAt', 'segments', 'resent'] as const;

/** Safe to open in a spreadsheet; the byte order mark tells it that this is UTF-8. */
export function recipientsCsv(rows: readonly RecipientRow[]): string {
  const lines = rows.map((row) => COLUMNS.map((name) => csvCell(row[name] ?? '')).join(';'));
  return `\ufeff${[COLUMNS.join(';'), ...lines].join('\r\n')}\r\n`;
}
