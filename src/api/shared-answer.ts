/** A public answer equal for every caller: its bytes are built once, even for concurrent requests. */
import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';

export class SharedAnswer {
  readonly type: string;
  readonly bytes: Buffer;
  readonly etag: string;

  constructor(type: string, text: string) {
    this.type = type;
    this.bytes = Buffer.from(text);
    this.etag = etagOf(this.bytes);
  }
}

export function etagOf(bytes: Buffer): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
}

/** A caller with the current bytes gets 304. */
export function sendShared(request: Request, response: Response, { type, bytes, etag }: SharedAnswer): void {
  response.set({ 'Content-Type': type, 'Cache-Control': 'no-cache', ETag: etag });
  sendUnlessKnown(request, response, bytes);
}

/** With the ETag that `response` already has. */
export function sendUnlessKnown(request: Request, response: Response, bytes: Buffer): void {
  if (request.fresh) response.status(304).end();
  else response.status(200).set('Content-Length', String(bytes.length)).end(bytes);
}
