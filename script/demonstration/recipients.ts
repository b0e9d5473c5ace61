/** The file of recipients, read by other means than relais reads it, so that the comparison is not circular. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { skipReasons } from '../../src/campaigns/check/report.ts';
import type { AskedLine } from './compare.ts';
import type { RecipientView, UploadReport } from './views.ts';

export const TEXT = 'Bonjour {{prenom}}, votre solde est de {{montant}} F.';
export const COUNTRY = 'SN';
const FILE = fileURLToPath(new URL('../../examples/recipients.csv', import.meta.url));

export const readFile = (): string => readFileSync(FILE, 'utf8');

/** What each row of the file asks for, with the state in which it is reported. Skipped rows ask for nothing. */
export function textsAsked(csv: string, reported: readonly RecipientView[]): readonly AskedLine[] {
  const byRow = new Map(reported.map((recipient) => [recipient.row, recipient.state]));
  const [, ...rows] = csv.trim().split(/\r?\n/);
  return rows.flatMap((line, index) => {
    const [number = '', name = '', amount = ''] = line.split(';');
    const state = byRow.get(index + 2) ?? 'no record';
    if (state === 'skipped') return [];
    const what = TEXT.replace('{{prenom}}', name.trim()).replace('{{montant}}', amount.trim());
    return [{ who: international(number), what, reported: state }];
  });
}

/** The numbers of the file that can be sent to are whole; only those of Senegal stand there without a country code. */
export function international(number: string): string {
  const digits = number.replace(/\D/g, '').replace(/^00/, '');
  return digits.length === 9 ? `221${digits}` : digits;
}

/** The whole of a run stands on a screen of thirty lines. */
const REASONS_SHOWN = 2;

/** What is wrong with the file, in a few lines: why rows are skipped, and the first of each. */
export function describeReport({ total, recipients, skipped, reasons, countries }: UploadReport): string {
  const wrong = Object.entries(reasons).sort(([, a], [, b]) => b.count - a.count);
  const shown = wrong.slice(0, REASONS_SHOWN).map(([reason, { count, examples }]) => {
    const first = examples.slice(0, 1).map(({ row, to }) => `, such as row ${row}${to && ` “${to}”`}`);
    return `${String(count).padStart(4)}  ${shortOf(reason)}${first.join('')}`;
  });
  const others = wrong.length - shown.length;
  const more = others > 0 ? [`   …  and ${others} more reasons`] : [];
  return [
    `${recipients} people in ${Object.keys(countries).length} countries; ${skipped} of ${total} rows are skipped:`,
    ...shown,
    ...more,
  ].join('\n');
}

/** The sentence as far as it says what is so, without what to do about it. */
function shortOf(reason: string): string {
  const sentences: Readonly<Record<string, string>> = skipReasons;
  return (sentences[reason] ?? reason).replace(/ \([^)]*\)/g, '').replace(/[.;].*$/, '');
}
