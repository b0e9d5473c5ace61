/** The file of recipients, read by other means than relais reads it, so that the comparison is not circular. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { skipReasons } from '../../src/campaigns/check/report.ts';
import type { AskedLine } from './compare.ts';
import type { RecipientView, UploadReport } from './views.ts';

export const TEXT = 'Bonjour {{prenom}}, votre solde est de {{montant}} F.';
export const COUNTRY = 'SN';
const FILE = fileURLToPath(new URL('../../examples/recipients.csv', import.meta.url));
const EXAMPLES_SHOWN = 3;

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

/** What is wrong with the file, in a few lines. */
/** The whole of a run stands on a screen of thirty lines. */
const REASONS_SHOWN = 3;

export function describeReport({ total, recipients, skipped, reasons, countries, segments }: UploadReport): string {
  const where = Object.entries(countries).map(([country, { recipients: count }]) => `${country} ${count}`);
  const wrong = Object.entries(reasons).sort(([, a], [, b]) => b.count - a.count);
  const people = `${recipients} people (${where.join(', ')}), ${segments?.total ?? 0} segments`;
  return [
    `${total} rows: ${people}; ${skipped} rows are skipped:`,
    ...wrong.slice(0, REASONS_SHOWN).map(([reason, { count, examples }]) => {
      const shown = examples.slice(0, EXAMPLES_SHOWN).map(({ row, to }) => `row ${row}${to && ` “${to}”`}`);
      const more = count > shown.length ? ', …' : '';
      return `${String(count).padStart(4)}  ${sentenceOf(reason)} ${shown.join(', ')}${more}`;
    }),
    ...(wrong.length > REASONS_SHOWN ? [`   …  and ${wrong.length - REASONS_SHOWN} more reasons`] : []),
  ].join('\n');
}

function sentenceOf(reason: string): string {
  const sentences: Readonly<Record<string, string>> = skipReasons;
  return sentences[reason] ?? reason;
}
