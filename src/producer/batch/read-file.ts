/** A file of disbursements, from bytes to rows. Nothing is judged here but whether it can be read at all. */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { csvRows } from './read-csv.ts';
import { jsonArrayRows, jsonLineRows } from './read-json.ts';
import { type Rows, unreadable } from './rows.ts';

export const BYTES_MAX = 5_000_000;

export type BatchFormat = 'csv' | 'ndjson' | 'json';

export interface BatchFile extends Rows {
  /** SHA-256 of the bytes as they came, in hex. */
  readonly contentHash: string;
}

const readers = { csv: csvRows, ndjson: jsonLineRows, json: jsonArrayRows } as const;

export function readBatchFile(bytes: Buffer, format: BatchFormat): BatchFile {
  const contentHash = createHash('sha256').update(bytes).digest('hex');
  const text = textOf(bytes);
  const read = typeof text === 'string' ? readers[format](text) : text;
  const empty = read.rows.length === 0 && read.problems.length === 0;
  return { contentHash, ...(empty ? unreadable('has no rows') : read) };
}

/** Guessing an encoding may change a name, and this is money: the file is asked for again. */
function textOf(bytes: Buffer): string | Rows {
  if (bytes.subarray(0, 4).toString('latin1') === 'PK\x03\x04') {
    return unreadable('is a workbook; save it as CSV UTF-8');
  }
  if (!isUtf8(bytes) || bytes.includes(0)) return unreadable('is not UTF-8 text; save it as CSV UTF-8');
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}
