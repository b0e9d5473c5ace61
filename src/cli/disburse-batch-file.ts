import type { Encoding } from '../files/encodings.ts';
import { BYTES_MAX } from '../producer/batch/read-file.ts';
import { bytesFrom } from './asking.ts';
import { CommandFailed } from './failure.ts';
import { grouped } from '../messages/counts.ts';
import { contentTypeOf } from './recipients-file.ts';
import type { Shell } from './shell.ts';

export interface FileToSend {
  readonly bytes: Buffer;
  /** The media type of the upload. */
  readonly type: string;
}

export async function readFileToSend(
  path: string,
  encoding: Encoding | undefined,
  shell: Shell,
): Promise<FileToSend> {
  const bytes = await bytesFrom(path, shell);
  if (bytes.length > BYTES_MAX) {
    const { tooLarge, inParts } = shell.words.commands;
    throw new CommandFailed(tooLarge(path, grouped(bytes.length), grouped(BYTES_MAX)), { next: inParts });
  }
  return { bytes, type: contentTypeFor(bytes, encoding) };
}

/** A CSV header begins with neither bracket. */
export function contentTypeFor(bytes: Buffer, encoding: Encoding | undefined): string {
  const [begins] = /\S/.exec(bytes.toString('utf8', 0, 1_000).replace(/^\ufeff/, '')) ?? [];
  if (begins === '[') return 'application/json';
  // A workbook identifies itself; the media type only says that it is one.
  if (bytes.subarray(0, 2).toString('latin1') === 'PK') return contentTypeOf('xlsx', encoding);
  return contentTypeOf(begins === '{' ? 'ndjson' : 'csv', encoding);
}
