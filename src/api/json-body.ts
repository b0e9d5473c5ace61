/**
 * Bodies of JSON. Nearly all are short, whole and written as one would expect, and Express takes more time to find that
 * out than we take to accept what is in them; so those are read here, and everything else is left to Express.
 */
import type { IncomingHttpHeaders } from 'node:http';
import express, { type Request, type RequestHandler } from 'express';
import { JSON_MAX } from './openapi/pieces.ts';
import { ApiProblem } from './problem.ts';

/** Bytes. Longer ones are left to Express, which knows the limit. */
const SHORT = 65_536;
const PLAIN_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i;
const BYTE_ORDER_MARK = 0xfeff;

/** Leaves in `request.body` what `express.json` would leave there, and refuses what it would refuse. */
export function jsonBodies(): RequestHandler {
  const anyBody = express.json({ limit: JSON_MAX, strict: true });
  return (request, response, next) => {
    if (!isPlain(request.headers)) return anyBody(request, response, next);
    readWhole(request, (failed, text) => {
      if (failed) return next(failed);
      const body = parse(text);
      if (body === undefined) return next(new ApiProblem('malformed', 'The body is not JSON.'));
      request.body = body;
      next();
    });
  };
}

function isPlain(headers: IncomingHttpHeaders): boolean {
  const length = Number(headers['content-length'] ?? 0);
  return (
    length > 0 &&
    length <= SHORT &&
    headers['transfer-encoding'] === undefined &&
    headers['content-encoding'] === undefined &&
    PLAIN_TYPE.test(headers['content-type'] ?? '')
  );
}

/** `done` is told once. The parser of HTTP sees to it that there are as many bytes as were announced. */
function readWhole(request: Request, done: (failed: ApiProblem | undefined, text: string) => void): void {
  const chunks: Buffer[] = [];
  let isOver = false;
  const finish = (failed: ApiProblem | undefined): void => {
    // A caller that hangs up once its body is whole has asked all the same, whatever its stream still says.
    if (isOver) return;
    isOver = true;
    const [only] = chunks;
    done(failed, (only && chunks.length === 1 ? only : Buffer.concat(chunks)).toString());
  };
  request
    .on('data', (chunk: Buffer) => void chunks.push(chunk))
    .on('end', () => finish(undefined))
    .on('error', () => finish(new ApiProblem('malformed', 'The body broke off.')));
}

/** An object or an array; undefined: something else. */
function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
