import { readJson } from '../lib/json.ts';
import { MAX_ROW_BYTES } from './csv.ts';
import { type UnusableFile, unusable } from './problems.ts';

const LINE_FEED = 0x0a;

/** Yields the lines in the batches in which they arrive, each no longer than a row may be. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string[], void, undefined> {
  let rest = Buffer.alloc(0);
  let before = 0;
  for await (const chunk of chunks) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const { lines, used } = cutLines(bytes, before);
    if (bytes.length - used > MAX_ROW_BYTES) throw tooLong(before + lines.length + 1);
    rest = Buffer.from(bytes.subarray(used));
    before += lines.length;
    if (lines.length > 0) yield lines;
  }
  if (rest.length > 0) yield [rest.toString('utf8')];
}

function cutLines(bytes: Buffer, before: number): { readonly lines: string[]; readonly used: number } {
  const lines: string[] = [];
  let used = 0;
  for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, used)) {
    if (end - used > MAX_ROW_BYTES) throw tooLong(before + lines.length + 1);
    lines.push(bytes.toString('utf8', used, end));
    used = end + 1;
  }
  return { lines, used };
}

function tooLong(row: number): UnusableFile {
  return unusable('row_too_long', { row });
}

/** The plain values of one JSON line, or what is wrong with it. */
export function readLine(
  line: string,
): { readonly values: readonly (readonly [string, string])[] } | { wrong: string } {
  const read = readJson(line);
  if ('wrong' in read) return read;
  const { value } = read;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { wrong: 'not an object' };
  const values: (readonly [string, string])[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'object' && member !== null)
      return { wrong: `“${name.slice(0, 40)}” is not a plain value` };
    values.push([name, member === null ? '' : String(member).trim()]);
  }
  return { values };
}
