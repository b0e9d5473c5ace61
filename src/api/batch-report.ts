import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { BatchRecord } from '../operations/record.ts';
import { Sums } from '../kinds/batch-rows.ts';
import type { Batches } from '../ledger/batches.ts';
import { reportCsvHead, reportCsvLine, type ReportLine, reportPages } from '../producer/batch/report.ts';
import type { Public } from '../lib/public.ts';

/** One line per row, as JSON or as CSV; page by page, so that a batch is never completely in memory. */
export async function sendReport(
  record: BatchRecord,
  batches: Public<Batches>,
  { request, response }: { request: Request; response: Response },
): Promise<void> {
  const csv = request.accepts(['json', 'csv']) === 'csv';
  const pages = reportPages(record, batches);
  // Read before the answer begins: an unreadable report is refused as a whole.
  const first = await pages.next();
  const all = withFirst(first.done ? [] : first.value, pages);
  response.type(csv ? 'text/csv' : 'application/json');
  try {
    await pipeline(Readable.from(csv ? csvOf(record, all) : jsonOf(record, all)), response);
  } catch (error) {
    // The client disconnected.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

type Pages = AsyncIterable<readonly ReportLine[]>;

async function* withFirst(first: readonly ReportLine[], rest: Pages): Pages {
  yield first;
  yield* rest;
}

async function* csvOf({ columns }: BatchRecord, pages: Pages): AsyncGenerator<string> {
  yield reportCsvHead(columns);
  for await (const page of pages) {
    yield page.map((line) => reportCsvLine(line, columns)).join('');
  }
}

/** The sums are those of the lines above, so that the two are consistent. */
async function* jsonOf(record: BatchRecord, pages: Pages): AsyncGenerator<string> {
  const { id, state, contentHash, totals, columns } = record;
  const head = JSON.stringify({ id, state, contentHash, totals, columns });
  yield `${head.slice(0, -1)},"items":[`;
  const states = new Sums();
  let first = true;
  for await (const page of pages) {
    for (const line of page) states.add(line.state, line.amount);
    const lines = page.map((line) => JSON.stringify(line)).join(',');
    if (lines !== '') yield `${first ? '' : ','}${lines}`;
    first = false;
  }
  yield `],"states":${JSON.stringify(states.read())}}`;
}
