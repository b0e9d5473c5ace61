/** The errors of a file, as a file, written while it is read. */
import type { Language } from '../../messages/languages.ts';
import type { Check } from './check-recipients.ts';
import { reportCsvHead, reportCsvLine } from './report.ts';

const CHARACTERS_AT_ONCE = 65_536;

export async function* skippedCsv(check: Check, language: Language): AsyncGenerator<string, void, undefined> {
  let csv: string | undefined;
  for await (const row of check) {
    csv ??= reportCsvHead(check.columns());
    if (row.is === 'skipped') csv += reportCsvLine(row, check.columns(), language);
    if (csv.length < CHARACTERS_AT_ONCE) continue;
    yield csv;
    csv = '';
  }
  yield csv ?? reportCsvHead(check.columns());
}
