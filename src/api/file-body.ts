/** A file as a request body: the meaning of its media type. */
import type { Request } from 'express';
import type { FileFormat } from '../files/rows.ts';
import { type Encoding, encodingOf } from '../files/encodings.ts';
import { charsetOf, codingOf, unknownCharset } from './media.ts';
import { ApiProblem } from './problem.ts';
import { message } from '../messages/message.ts';

export const FORMATS = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  // Browsers on Windows send this type for a CSV file, and for other files that open in Excel.
  'application/vnd.ms-excel': 'csv',
} as const satisfies Record<string, FileFormat>;

export interface FileBody {
  readonly format: FileFormat;
  /** Encoding that the `charset` names. Absent: relais detects it. */
  readonly encoding?: Encoding;
}

/** Undefined: the body is not a file. */
function fileBodyOf(request: Request): FileBody | undefined {
  const type = (request.get('content-type') ?? '').split(';')[0]?.trim() ?? '';
  const format = FORMATS[type.toLowerCase() as keyof typeof FORMATS] as FileFormat | undefined;
  if (format === undefined) return undefined;
  const charset = charsetOf(request.headers);
  if (charset === undefined) return { format };
  const encoding = encodingOf(charset);
  if (encoding) return { format, encoding };
  throw unknownCharset(charset);
}

/** `others`: additional accepted types. */
export function requireFileBody(request: Request, others: readonly string[] = []): FileBody {
  if (codingOf(request.headers) !== undefined) {
    throw new ApiProblem('unsupported-media-type', message('send_file_plain'));
  }
  const body = fileBodyOf(request);
  if (body) return body;
  throw new ApiProblem(
    'unsupported-media-type',
    message('send_type', { types: [...others, ...Object.keys(FORMATS).slice(0, 4)].join(', ') }),
  );
}
