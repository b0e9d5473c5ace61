import type { Request, Response } from 'express';
import { type BatchReading, BYTES_MAX } from '../producer/batch/read-file.ts';
import { requireFileBody } from './mount.ts';
import { ApiProblem } from './problem.ts';

export function readingOf(request: Request): BatchReading {
  const type = (request.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  const encoded = (request.get('content-encoding') ?? 'identity') !== 'identity';
  return type === 'application/json' && !encoded
    ? { format: 'json' }
    : requireFileBody(request, ['application/json']);
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
