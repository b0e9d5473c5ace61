import { finished } from 'node:stream/promises';
import { CsvError, type Parser, parse } from 'csv-parse';
import { fileProblem, UnusableFile } from './reasons.ts';

/** No honest row of a recipient file comes near; a quote that is never closed does, and would swallow the file. */
export const MAX_ROW_BYTES = 65_536;

const DELIMITERS = [';', ',', '\t'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** The separator that stands most often in the header, outside quotes. A header with none is a single column. */
export function detectDelimiter(header: string): Delimiter {
  const bare = header.replace(/"(?:[^"]|"")*"/g, '');
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** Yields the records (the header first) in the batches in which they arrive. A record is its cells, trimmed. */
export async function* csvRecords(
  chunks: AsyncIterable<Buffer>,
  delimiter: Delimiter,
): AsyncGenerator<string[][], void, undefined> {
  const parser = openParser(delimiter);
  let batch: string[][] = [];
  parser.on('data', (cells: string[]) => batch.push(cells));
  const failure = finished(parser).then(
    () => undefined,
    (error: unknown) => error,
  );
  try {
    for await (const chunk of chunks) {
      if (!(await written(parser, chunk))) break;
      if (batch.length > 0) yield batch;
      batch = [];
    }
    parser.end();
    const error = await failure;
    if (batch.length > 0) yield batch;
    if (error !== undefined) throw explain(error, parser);
  } finally {
    parser.destroy();
  }
}

function openParser(delimiter: Delimiter): Parser {
  return parse({
    delimiter,
    // Named, not discovered: a file put together from two machines has both.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // People write 5" and "so-called" in plain cells; that is no reason to refuse a file.
    relax_quotes: true,
    trim: true,
    max_record_size: MAX_ROW_BYTES,
  });
}

/** False when the parser gave up; why is told by the stream itself. */
function written(parser: Parser, chunk: Buffer): Promise<boolean> {
  return new Promise((resolve) => parser.write(chunk, (error) => resolve(!error)));
}

function explain(error: unknown, parser: Parser): unknown {
  if (!(error instanceof CsvError)) return error;
  const row = parser.info.records + 1;
  if (error.code === 'CSV_MAX_RECORD_SIZE') return new UnusableFile([fileProblem('row_too_long', { row })], error);
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return new UnusableFile([fileProblem('unclosed_quote', { row })], error);
  return new UnusableFile([fileProblem('unreadable_csv', { row })], error);
}
