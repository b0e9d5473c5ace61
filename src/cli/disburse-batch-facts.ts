import type { BatchTotals, Finding, Findings, Sum } from '../kinds/batch.ts';
import { describeXof } from '../lib/money.ts';
import type { JsonObject } from './client.ts';
import { grouped, type Output, printable, type Row } from './output.ts';

export const BATCHES = '/v1/disbursement-batches';

/** In the order a person asks: which, how is it, how much, to where, who. */
function batchFacts(body: JsonObject): Row {
  const totals = body['totals'] as BatchTotals | undefined;
  return [
    ['id', body['id']],
    ['state', body['state']],
    ['account', body['account']],
    ['hash', body['contentHash']],
    ...(totals ? totalFacts(totals) : []),
    ...sumFacts((body['states'] ?? {}) as Readonly<Record<string, Sum>>),
    ['uploaded by', body['uploadedBy']],
    ['approved by', body['approvedBy']],
    ['expires', body['expiresAt']],
    ['created', body['createdAt']],
  ];
}

function totalFacts({ count, xof, countries, modes }: BatchTotals): Row {
  return [['in all', describeSum({ count, xof })], ...sumFacts(countries), ...sumFacts(modes)];
}

function sumFacts(sums: Readonly<Record<string, Sum>>): Row {
  return Object.entries(sums).map(([name, sum]) => [`  ${name}`, describeSum(sum)] as const);
}

function describeSum({ count, xof }: Sum): string {
  return `${grouped(count)} ${count === 1 ? 'row' : 'rows'}, ${describeXof(xof)}`;
}

/** `✗ row 3, amount: must be …`, one a line, and how many are not shown. */
function findingLines({ count, list }: Findings, mark: string): string {
  const lines = list.map((finding) => `${mark} ${placeOf(finding)} ${printable(finding.reason)}\n`);
  const more = count - list.length;
  return lines.join('') + (more > 0 ? `${mark} … and ${grouped(more)} more\n` : '');
}

function placeOf({ row, column }: Finding): string {
  const parts = [row === null ? 'the file' : `row ${row}`, ...(column === null ? [] : [printable(column)])];
  return `${parts.join(', ')}:`;
}

/** Problems and warnings of an answer of the API. */
function findingsOf(body: JsonObject, output: Output): string {
  const read = (list: unknown, count: unknown): Findings => ({
    list: Array.isArray(list) ? (list as Finding[]) : [],
    count: typeof count === 'number' ? count : 0,
  });
  return (
    findingLines(read(body['problems'], body['problemCount']), output.styled('red', '✗')) +
    findingLines(read(body['warnings'], body['warningCount']), output.styled('yellow', '!'))
  );
}

export async function printBatch(body: JsonObject, output: Output): Promise<void> {
  await output.facts(batchFacts(body));
  await output.ask(findingsOf(body, output));
}
