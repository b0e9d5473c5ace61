/** The body of a request, as its route declares it: JSON is read here, a file is left to the handler. */
import type { Request } from 'express';
import { check } from '../producer/problems.ts';
import { readJsonBody } from './json-body.ts';
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

export function bodyReader({ body }: Pick<RouteDeclaration, 'body'>): (request: Request) => Promise<ReadBody> {
  const { schema, files = {}, limit } = body ?? {};
  const types = [...(schema || !body ? [JSON_TYPE] : []), ...Object.keys(files)];
  return async (request) => {
    const type = typeOf(request, types, body === undefined || schema !== undefined);
    if (body === undefined) return NO_BODY;
    if (type !== JSON_TYPE || schema === undefined) return { given: undefined, type: plain(request, type) };
    return { given: await readJsonBody(request, limit), type: undefined };
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
