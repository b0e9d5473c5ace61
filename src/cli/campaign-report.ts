import { recipientBins } from '../kinds/recipient.ts';
import { type Command, Option } from 'commander';
import type { RecipientRow } from '../campaigns/recipient-row.ts';
import { recipientsCsv } from '../campaigns/recipients.ts';
import { withExample } from './flags.ts';
import type { ExitCode } from './io.ts';
import { printable } from './output.ts';
import type { Shell } from './shell.ts';
import { wordFor } from '../messages/languages.ts';

interface ReportFlags {
  readonly state?: string;
  readonly phone?: string;
  readonly csv?: true;
  readonly json?: true;
}

const PAGE = 1_000;
const TO_WIDTH = 16;
const STATE_WIDTH = 9;

export function addReport(group: Command, shell: Shell): void {
  const command = group
    .command('report')
    .description('Show the result for each campaign recipient')
    .argument('<id>')
    .option('--state <state>', `only recipients in this state, of ${recipientBins.join(',')}`)
    .option('--phone <number>', 'only this phone number, in any spelling')
    .addOption(new Option('--csv', 'print CSV for a spreadsheet').conflicts('json'))
    .option('--json', 'print a JSON array, one recipient a line')
    .action(shell.action((id: string, flags: ReportFlags) => report(id, flags, shell)));
  withExample(command, 'relais campaign report cmp_4n7q0c1w2e3r4t5y6z7a8b9c0d --state failed --csv > failed.csv');
}

/** Page by page: a million recipients are never in memory at once. */
async function report(id: string, flags: ReportFlags, shell: Shell): Promise<ExitCode> {
  const format = formatOf(flags, shell);
  shell.output.onlyReads();
  let rows: number | undefined;
  for await (const { items, columns } of pagesOf(id, flags, shell)) {
    if (rows === undefined) await shell.output.write(format.head(columns));
    if (items.length > 0) await shell.output.write(format.page(items, { columns, first: (rows ?? 0) === 0 }));
    rows = (rows ?? 0) + items.length;
  }
  await shell.output.write(format.tail);
  if (rows === 0) await shell.output.note(shell.words.campaign.none);
  return 0;
}

async function* pagesOf(id: string, { state, phone }: ReportFlags, { api }: Shell): AsyncGenerator<Page> {
  const path = `/v1/campaigns/${encodeURIComponent(id)}/recipients`;
  let after: string | undefined;
  do {
    const { body } = await api.get(path, { state, phone, after, limit: PAGE });
    const { items, columns } = body;
    yield {
      items: (Array.isArray(items) ? items : []) as Page['items'],
      columns: (Array.isArray(columns) ? columns : []) as Page['columns'],
    };
    const next = body['next'];
    // A cursor that does not advance would repeat the request for ever.
    after = typeof next === 'string' && next !== after ? next : undefined;
  } while (after !== undefined);
}

interface Page {
  readonly items: readonly RecipientRow[];
  /** Headings of the files. */
  readonly columns: readonly string[];
}

interface ReportFormat {
  readonly head: (columns: readonly string[]) => string;
  readonly page: (
    rows: readonly RecipientRow[],
    at: { readonly columns: readonly string[]; readonly first: boolean },
  ) => string;
  readonly tail: string;
}

function formatOf({ csv, json }: ReportFlags, { output, words }: Shell): ReportFormat {
  if (csv) {
    const head = (columns: readonly string[]): string => recipientsCsv([], { columns });
    return {
      head,
      page: (rows, { columns }) => recipientsCsv(rows, { columns }).slice(head(columns).length),
      tail: '',
    };
  }
  if (json) {
    const lines = (rows: readonly RecipientRow[]): string => rows.map((row) => JSON.stringify(row)).join(',\n');
    return { head: () => '[\n', page: (rows, { first }) => (first ? '' : ',\n') + lines(rows), tail: '\n]\n' };
  }
  const line = ({ to, state, row, code, reason }: RecipientRow): string => {
    const why = [code, reason].filter((part) => part !== undefined).map(printable);
    const shown = output.state(state, wordFor(words.states, state).padEnd(STATE_WIDTH));
    const columns = [printable(to).padEnd(TO_WIDTH), shown, words.file.row(row), ...why];
    return `${columns.join('  ')}\n`;
  };
  return { head: () => '', page: (rows) => rows.map(line).join(''), tail: '' };
}
