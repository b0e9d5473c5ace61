/** JSON bodies: express collects longer bodies, and relais parses them with its own rules. */
import { isUtf8 } from 'node:buffer';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { Holding } from '../lib/held-bytes.ts';
import { readJson } from '../lib/json.ts';
import { codingOf, requireUtf8 } from './media.ts';
import { ApiProblem } from './problem.ts';
import { JSON_MAX } from './route.ts';
import { message } from '../messages/message.ts';

const BYTE_ORDER_MARK = '\ufeff';

const collectors = new Map<string, RequestHandler>();

function collectorOf(limit: string): RequestHandler {
  const known = collectors.get(limit) ?? express.raw({ type: () => true, limit });
  collectors.set(limit, known);
  return known;
}

export interface JsonReading {
  /** As text. */
  readonly limit?: string | undefined;
  /** Counts the bytes. Absent: the limit is too low to count. */
  readonly hold?: (() => Holding) | undefined;
}

/** An object or a list; an empty object for an empty body. Rejects with the refusal. */
export async function readJsonBody(
  request: Request,
  response: Response,
  { limit = JSON_MAX, hold }: JsonReading = {},
): Promise<unknown> {
  requireUtf8(request.headers);
  if (!isShort(request)) hold?.().take(mostOf(request));
  const body = parse(await (isShort(request) ? shortBody(request) : anyBody(request, response, limit)));
  if (body instanceof ApiProblem) throw body;
  return body;
}

/** Less than any limit. */
export const SHORT_BYTES = 4_096;

/**
 * Nearly all bodies are short and uncompressed: express's general reader would take a twentieth of the request's
 * time.
 */
function isShort({ headers }: Request): boolean {
  return codingOf(headers) === undefined && Number(headers['content-length']) <= SHORT_BYTES;
}

const MOST_BYTES = 1_048_576;

/** The maximum bytes of a body. A compressed body, or one without its length, counts as the limit. */
function mostOf({ headers }: Request): number {
  const { 'content-length': length = MOST_BYTES } = headers;
  return codingOf(headers) === undefined ? Math.min(Number(length), MOST_BYTES) : MOST_BYTES;
}

function shortBody(request: Request): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => resolve(Buffer.concat(parts)));
    request.on('error', () => reject(brokenOff()));
  });
}

function anyBody(request: Request, response: Response, limit: string): Promise<unknown> {
  // express supports only the usual names.
  request.headers['content-encoding'] = codingOf(request.headers) ?? 'identity';
  return new Promise((resolve, reject) => {
    collectorOf(limit)(request, response, (error?: unknown) => {
      if (error === undefined) resolve(request.body);
      else reject(problemOf(error));
    });
  });
}

const brokenOff = (): ApiProblem => new ApiProblem('malformed', message('body_ended'));

function notPlain(): ApiProblem {
  const detail = message('send_utf8_or_compressed');
  return new ApiProblem('unsupported-media-type', detail);
}

/** By the `type` of body-parser's errors. */
function problemOf(error: unknown): ApiProblem {
  const { type, limit = 0 } = error as { readonly type?: string; readonly limit?: number };
  if (type === 'entity.too.large') return new ApiProblem('too-large', message('json_too_large', { bytes: limit }));
  if (type === 'encoding.unsupported') return notPlain();
  if (type === 'request.aborted') return brokenOff();
  return new ApiProblem('malformed', message('body_coding'));
}

/** An object or a list; an empty body is an empty object. */
function parse(bytes: unknown): unknown {
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) return {};
  if (!isUtf8(bytes)) return new ApiProblem('malformed', message('body_not_utf8'));
  const text = bytes.toString();
  const read = readJson(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  if ('wrong' in read) {
    return new ApiProblem('malformed', message('body_wrong', { what: read.wrong }));
  }
  const { value } = read;
  return typeof value === 'object' && value !== null ? value : new ApiProblem('malformed', message('body_not_json'));
}
