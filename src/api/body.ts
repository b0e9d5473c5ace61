/** The body of a request, as its route declares it: JSON is read here, a file is left to the handler. */
import type { Request } from 'express';
import { problemsOf } from '../producer/problems.ts';
import { readJsonBody } from './json-body.ts';
import { ApiProblem, invalid } from './problem.ts';
import type { RouteDeclaration } from './route.ts';

export interface ReadBody {
  /** Undefined where a file came, or nothing is declared. */
  readonly body: unknown;
  /** The media type of the file that came. */
  readonly type: string | undefined;
}

const JSON_TYPE = 'application/json';
const NO_BODY: ReadBody = { body: undefined, type: undefined };

export function bodyReader({ body }: Pick<RouteDeclaration, 'body'>): (request: Request) => Promise<ReadBody> {
  const { schema, files = {}, limit, readBy } = body ?? {};
  const types = [...(schema || !body ? [JSON_TYPE] : []), ...Object.keys(files)];
  return async (request) => {
    const type = typeOf(request, types, body === undefined || schema !== undefined);
    if (body === undefined) return NO_BODY;
    if (type !== JSON_TYPE || schema === undefined) return { body: undefined, type: plain(request, type) };
    const given = await readJsonBody(request, limit);
    if (readBy === 'acceptance') return { body: given, type: undefined };
    const { data, error } = schema.safeParse(given);
    if (error) throw invalid(problemsOf(error));
    return { body: data, type: undefined };
  };
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
