import type { BatchNotify, BatchOutcome, BatchTotals, Finding, Findings, Sum } from '../kinds/batch.ts';
import { toldInOrder } from '../kinds/batch-outcome.ts';
import { counted, money } from '../messages/figures.ts';
import type { JsonObject } from './client.ts';
import { type Words, wordFor } from '../messages/languages.ts';
import { grouped } from '../messages/counts.ts';
import { printable, type Row } from './output.ts';
import type { Shell } from './shell.ts';

export const BATCHES = '/v1/disbursement-batches';

type BatchWords = Words['batch'] & Pick<Words, 'figures' | 'states'>;

const batchWords = ({ batch, figures, states }: Words): BatchWords => ({ ...batch, figures, states });

/** In order of interest: id, state, amounts, countries, people. */
function batchFacts(body: JsonObject, words: BatchWords): Row {
  const totals = body['totals'] as BatchTotals | undefined;
  const { labels } = words;
  return [
    [labels.id, body['id']],
    [labels.state, wordFor(words.states, printable(body['state']))],
    [labels.file, body['fileName']],
    [labels.retryOf, body['retryOf']],
    [labels.account, body['account']],
    ...notifyFacts(body['notify'], words),
    [labels.hash, body['contentHash']],
    ...(totals ? totalFacts(totals, words) : []),
    [labels.outcome, outcomeIn(body['outcome'], words)],
    ...sumFacts((body['states'] ?? {}) as Readonly<Record<string, Sum>>, words),
    [labels.uploadedBy, body['uploadedBy']],
    [labels.approvedBy, body['approvedBy']],
    [labels.expires, body['expiresAt']],
    [labels.created, body['createdAt']],
  ];
}

/** The SMS text for each state that is reported to payees. */
function notifyFacts(notify: unknown, { labels, states }: BatchWords): Row {
  const { text, failedText = text, on = [] } = (notify ?? {}) as Partial<BatchNotify>;
  return on.map((state) => [
    `${labels.notify}, ${wordFor(states, state)}`,
    printable(state === 'failed' ? failedText : text),
  ]);
}

/** `197 paid 45 013 500 XOF · 3 not paid 664 000 XOF` */
function outcomeIn(outcome: unknown, { outcomes, figures }: BatchWords): string | undefined {
  const sums = (outcome ?? {}) as Partial<Readonly<Record<BatchOutcome, Sum>>>;
  const parts = toldInOrder.flatMap((one) => {
    const { count, xof } = sums[one] ?? { count: 0, xof: 0 };
    return count === 0 ? [] : [`${outcomes[one](counted(count, figures), count)} ${money(xof, figures)}`];
  });
  return parts.length === 0 ? undefined : parts.join(' · ');
}

function totalFacts({ count, xof, countries, modes }: BatchTotals, words: BatchWords): Row {
  const inAll = [words.labels.inAll, describeSum({ count, xof }, words)] as const;
  return [inAll, ...sumFacts(countries, words), ...sumFacts(modes, words)];
}

function sumFacts(sums: Readonly<Record<string, Sum>>, words: BatchWords): Row {
  return Object.entries(sums).map(
    ([name, sum]) => [`  ${wordFor(words.states, name)}`, describeSum(sum, words)] as const,
  );
}

function describeSum({ count, xof }: Sum, words: BatchWords): string {
  return words.sum(counted(count, words.figures), count === 1, money(xof, words.figures));
}

/** `✗ row 3, amount: must be …`, one per line, and the number of lines not shown. */
function findingLines({ count, list }: Findings, mark: string, { words: all }: Shell): string {
  const words = batchWords(all);
  const lines = list.map((finding) => {
    return `${mark} ${placeOf(finding, words)} ${printable(finding.reason)}\n`;
  });
  const more = count - list.length;
  return lines.join('') + (more > 0 ? `${mark} ${words.more(grouped(more))}\n` : '');
}

function placeOf({ row, column }: Finding, words: BatchWords): string {
  const parts = [row === null ? words.theFile : words.row(row), ...(column === null ? [] : [printable(column)])];
  return words.place(parts.join(', '));
}

/** Problems and warnings of an API answer. */
function findingsOf(body: JsonObject, shell: Shell): string {
  const { output } = shell;
  const read = (list: unknown, count: unknown): Findings => ({
    list: Array.isArray(list) ? (list as Finding[]) : [],
    count: typeof count === 'number' ? count : 0,
  });
  return (
    findingLines(read(body['problems'], body['problemCount']), output.styled('red', '✗'), shell) +
    findingLines(read(body['warnings'], body['warningCount']), output.styled('yellow', '!'), shell)
  );
}

export async function printBatch(body: JsonObject, shell: Shell): Promise<void> {
  await shell.output.facts(batchFacts(body, batchWords(shell.words)));
  await shell.output.ask(findingsOf(body, shell));
}

interface TableRead {
  readonly fields?: Readonly<Record<string, string>>;
  readonly wallets?: readonly { readonly name: string; readonly rows: number; readonly mode: string | null }[];
}

/** The columns that a check has recognised, and names of wallets that have no withdraw mode yet. */
export async function printReading({ table }: JsonObject, { output, words }: Shell): Promise<void> {
  const { fields = {}, wallets = [] } = (table ?? {}) as TableRead;
  const read = Object.entries(fields).filter(([field, heading]) => field !== heading);
  const lines = read.map(([field, heading]) => words.batch.columnRead(field, printable(heading)));
  const unknown = wallets
    .filter(({ mode }) => mode === null)
    .map(({ name, rows }) => words.batch.walletUnknown(printable(name), grouped(rows)));
  for (const line of [...lines, ...unknown]) await output.ask(`${line}\n`);
}
