/**
 * The body of a request, as its route declares it: a file is left to the handler; of JSON express collects the
 * bytes, and what they say is read by our own rules.
 */
import { isUtf8 } from 'node:buffer';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { readJson } from '../lib/json.ts';
import { check } from '../producer/problems.ts';
import { JSON_MAX } from './openapi/pieces.ts';
import { ApiProblem, invalid } from './problem.ts';
import type { BodyDeclaration, RouteDeclaration } from './route.ts';

export interface ReadBody {
  /** As it came; undefined where a file came, or nothing is declared. */
  readonly given: unknown;
  /** The media type of the file that came. */
  readonly type: string | undefined;
}

const JSON_TYPE = 'application/json';
const NO_BODY: ReadBody = { given: undefined, type: undefined };

export function bodyReader({
  body,
}: Pick<RouteDeclaration, 'body'>): (request: Request, response: Response) => Promise<ReadBody> {
  const { schema, files = {}, limit } = body ?? {};
  const types = [...(schema || !body ? [JSON_TYPE] : []), ...Object.keys(files)];
  return async (request, response) => {
    const type = typeOf(request, types, body === undefined || schema !== undefined);
    if (body === undefined) return NO_BODY;
    if (type !== JSON_TYPE || schema === undefined) return { given: undefined, type: plain(request, type) };
    return { given: await readJsonBody(request, response, limit), type: undefined };
  };
}

/** As the schema reads it, unless the acceptance does. */
export function checked({ schema, readBy }: BodyDeclaration, given: unknown): unknown {
  if (given === undefined || schema === undefined || readBy === 'acceptance') return given;
  const { data, problems } = check(schema, given);
  if (problems) throw invalid(problems);
  return data;
}

/** A body of another type would be skipped by the reader and look like an empty one. */
function typeOf({ headers }: Request, types: readonly string[], mayBeNone: boolean): string {
  const given = headers['content-type'] ?? '';
  if (types.includes(given)) return given;
  const bare = (given.split(';')[0] ?? '').trim().toLowerCase();
  if (types.includes(bare)) return bare;
  const hasBody = Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
  if (!hasBody && mayBeNone) return JSON_TYPE;
  throw new ApiProblem('unsupported-media-type', `Send the body as \`Content-Type: ${types.join('`, or `')}\`.`);
}

/** What is streamed is read as it comes. */
function plain(request: Request, type: string): string {
  if ((request.get('content-encoding') ?? 'identity') === 'identity') return type;
  throw new ApiProblem('unsupported-media-type', 'Send UTF-8, not encoded.');
}

const CHARSET = /;\s*charset="?([^\s";]*)/i;
const BYTE_ORDER_MARK = '\ufeff';

const collectors = new Map<string, RequestHandler>();

function collectorOf(limit: string): RequestHandler {
  const known = collectors.get(limit) ?? express.raw({ type: () => true, limit });
  collectors.set(limit, known);
  return known;
}

/** An object or a list; an empty object where nothing was sent. Rejects with the refusal. */
export function readJsonBody(request: Request, response: Response, limit: string = JSON_MAX): Promise<unknown> {
  const [, charset = 'utf-8'] = CHARSET.exec(request.headers['content-type'] ?? '') ?? [];
  if (charset.toLowerCase() !== 'utf-8') return Promise.reject(notPlain());
  return new Promise((resolve, reject) => {
    collectorOf(limit)(request, response, (error?: unknown) => {
      const body = error === undefined ? parse(request.body) : problemOf(error);
      if (body instanceof ApiProblem) reject(body);
      else resolve(body);
    });
  });
}

function notPlain(): ApiProblem {
  const detail = 'Send UTF-8, as it is or in one of the encodings gzip, deflate, br.';
  return new ApiProblem('unsupported-media-type', detail);
}

/** By the `type` of the errors of body-parser. */
function problemOf(error: unknown): ApiProblem {
  const { type, limit } = error as { readonly type?: string; readonly limit?: number };
  if (type === 'entity.too.large') return new ApiProblem('too-large', `This JSON body may have ${limit} bytes.`);
  if (type === 'encoding.unsupported') return notPlain();
  if (type === 'request.aborted') return new ApiProblem('malformed', 'The body broke off.');
  return new ApiProblem('malformed', 'The body is not compressed as it says, or is cut.');
}

/** An object or a list, and nothing for an empty body. */
function parse(bytes: unknown): unknown {
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) return {};
  if (!isUtf8(bytes)) return new ApiProblem('malformed', 'The body is not UTF-8.');
  const text = bytes.toString();
  const read = readJson(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  if ('wrong' in read) {
    return new ApiProblem('malformed', read.is === 'no JSON' ? 'The body is not JSON.' : `The body ${read.wrong}.`);
  }
  const { value } = read;
  return typeof value === 'object' && value !== null ? value : new ApiProblem('malformed', 'The body is not JSON.');
}
