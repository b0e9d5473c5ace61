import type { Request, Response } from 'express';
import { type BatchFormat, BYTES_MAX } from '../producer/batch/read-file.ts';
import { ApiProblem } from './problem.ts';

const FORMATS = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/json': 'json',
} as const satisfies Record<string, BatchFormat>;

export function formatOf(request: Request): BatchFormat {
  const encoding = request.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') throw new ApiProblem('unsupported-media-type', 'Send UTF-8, not encoded.');
  const type = (request.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (Object.hasOwn(FORMATS, type)) return FORMATS[type as keyof typeof FORMATS];
  throw new ApiProblem('unsupported-media-type', `Send ${Object.keys(FORMATS).join(', ')}.`);
}

/** The bytes as they came: their hash is what is approved. No more than the limit is ever kept. */
export async function bytesOf(request: Request, response: Response): Promise<Buffer> {
  if (Number(request.get('content-length') ?? 0) > BYTES_MAX) throw tooLarge(request, response);
  const parts: Uint8Array[] = [];
  let length = 0;
  // Not destroyed when we turn away: the sender is to read why.
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
    length += part.byteLength;
    if (length > BYTES_MAX) throw tooLarge(request, response);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function tooLarge(request: Request, response: Response): ApiProblem {
  response.set('Connection', 'close');
  request.resume();
  return new ApiProblem('too-large', `A batch may have ${BYTES_MAX} bytes; send it in parts.`);
}
