import { checkRecipients, type CheckOptions } from '../../../src/campaigns/check/check-recipients.ts';
import { UnusableFile } from '../../../src/files/problems.ts';
import type { CheckedRow, CheckSummary } from '../../../src/campaigns/check/report.ts';

export async function* pieces(...parts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part;
}

/** The bytes of French Excel. */
export function windows1252(text: string): Buffer {
  return Buffer.from(text.replaceAll('œ', '\x9c').replaceAll('’', '\x92').replaceAll('€', '\x80'), 'latin1');
}

export interface Checked {
  readonly rows: readonly CheckedRow[];
  readonly summary: CheckSummary;
}

export async function checkFile(file: string | Uint8Array, options: CheckOptions = {}): Promise<Checked> {
  return checkPieces(pieces(file), options);
}

export async function checkPieces(source: AsyncIterable<Uint8Array>, options: CheckOptions = {}): Promise<Checked> {
  const check = checkRecipients(source, options);
  const rows: CheckedRow[] = [];
  for await (const row of check) rows.push(row);
  return { rows, summary: check.summary() };
}

/** Codes of the problems for which a file is refused. */
export async function problemsOf(file: string | Uint8Array, options: CheckOptions = {}): Promise<readonly string[]> {
  try {
    await checkFile(file, options);
  } catch (error) {
    if (error instanceof UnusableFile) return error.problems.map(({ code }) => code);
    throw error;
  }
  return [];
}
