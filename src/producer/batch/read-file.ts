/** A file of disbursements, from bytes to rows. Nothing is judged here but whether it can be read at all. */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { FileFormat } from '../../files/rows.ts';
import { jsonArrayRows, jsonLineRows } from './read-json.ts';
import { type TableReading, tableRows } from './read-table.ts';
import { type Rows, unreadable } from './rows.ts';

export const BYTES_MAX = 5_000_000;

export type BatchFormat = FileFormat | 'json';

export interface BatchReading extends Omit<TableReading, 'format'> {
  readonly format: BatchFormat;
}

export interface BatchFile extends Rows {
  /** SHA-256 of the bytes as they came, in hex. */
  readonly contentHash: string;
}

export async function readBatchFile(bytes: Buffer, { format, ...reading }: BatchReading): Promise<BatchFile> {
  const contentHash = createHash('sha256').update(bytes).digest('hex');
  const read =
    format === 'json' || format === 'ndjson'
      ? jsonRows(bytes, format)
      : await tableRows(bytes, { format, ...reading });
  const empty = read.rows.length === 0 && read.problems.length === 0;
  return { contentHash, ...(empty ? unreadable('has no rows') : read) };
}

function jsonRows(bytes: Buffer, format: 'json' | 'ndjson'): Rows {
  if (!isUtf8(bytes) || bytes.includes(0)) return unreadable('is not UTF-8 text');
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  return format === 'json' ? jsonArrayRows(text) : jsonLineRows(text);
}
