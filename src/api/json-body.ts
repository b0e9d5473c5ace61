/**
 * The only reader of JSON bodies. Nearly all are short, whole and written as one would expect, and a parser for every
 * kind of body takes more time to find that out than we take to accept what is in them.
 */
import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Request } from 'express';
import { readJson } from '../lib/json.ts';
import { JSON_MAX } from './openapi/pieces.ts';
import { ApiProblem } from './problem.ts';

const UNITS = { kb: 1_024, mb: 1_048_576 } as const;
const CHARSET = /;\s*charset="?([^\s";]*)/i;
const BYTE_ORDER_MARK = '\ufeff';
const UNPACKERS = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress } as const;

/** An object or a list; an empty object where nothing was sent. Rejects with the refusal. */
export function readJsonBody(request: Request, limit: string = JSON_MAX): Promise<unknown> {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
    return Promise.resolve({});
  }
  const [, charset = 'utf-8'] = CHARSET.exec(headers['content-type'] ?? '') ?? [];
  const plain = charset.toLowerCase() === 'utf-8' ? unpacked(request) : undefined;
  if (!plain) return Promise.reject(notPlain());
  return new Promise((resolve, reject) => {
    readWhole({ request, plain, bytesMax: bytesIn(limit) }, (read) => {
      const body = read instanceof ApiProblem ? read : parse(read);
      if (body instanceof ApiProblem) reject(body);
      else resolve(body);
    });
  });
}

function bytesIn(limit: string): number {
  const [, count = '', unit = 'kb'] = /^(\d+)(kb|mb)$/.exec(limit) ?? [];
  return Number(count) * UNITS[unit as keyof typeof UNITS];
}

function notPlain(): ApiProblem {
  const known = Object.keys(UNPACKERS).join(', ');
  return new ApiProblem('unsupported-media-type', `Send UTF-8, as it is or in one of the encodings ${known}.`);
}

function unpacked(request: Request): Readable | undefined {
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding === 'identity') return request;
  if (!Object.hasOwn(UNPACKERS, encoding)) return undefined;
  return request.pipe(UNPACKERS[encoding as keyof typeof UNPACKERS]());
}

interface Source {
  readonly request: Request;
  /** The bytes of the body itself: the request, or what unpacks it. */
  readonly plain: Readable;
  readonly bytesMax: number;
}

/** `done` is told once. The parser of HTTP sees to it that there are as many bytes as were announced. */
function readWhole({ request, plain, bytesMax }: Source, done: (read: ApiProblem | Buffer) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isOver = false;
  const finish = (read: ApiProblem | Buffer): void => {
    // A caller that hangs up once its body is whole has asked all the same, whatever its stream still says.
    if (isOver) return;
    isOver = true;
    done(read);
  };
  /** The sender is told when it has sent all: an answer in the middle may never be read. */
  const refuse = (problem: ApiProblem): void => {
    chunks.length = 0;
    if (plain === request) return;
    request.unpipe();
    plain.destroy();
    if (request.readableEnded) return finish(problem);
    request.once('end', () => finish(problem)).resume();
  };
  plain
    .on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) chunks.push(chunk);
      else refuse(tooLarge(bytesMax));
    })
    .on('end', () => finish(bytes > bytesMax ? tooLarge(bytesMax) : wholeOf(chunks)));
  if (plain !== request) {
    plain.on('error', () => refuse(new ApiProblem('malformed', 'The body is not compressed as it says, or is cut.')));
  }
  request.on('error', () => finish(new ApiProblem('malformed', 'The body broke off.')));
}

function wholeOf(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks;
  return only && chunks.length === 1 ? only : Buffer.concat(chunks);
}

function tooLarge(bytesMax: number): ApiProblem {
  return new ApiProblem('too-large', `This JSON body may have ${bytesMax} bytes.`);
}

/** An object or a list, and nothing for an empty body. */
function parse(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  if (!isUtf8(bytes)) return new ApiProblem('malformed', 'The body is not UTF-8.');
  const text = bytes.toString();
  const read = readJson(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  if ('wrong' in read) {
    return new ApiProblem('malformed', read.is === 'no JSON' ? 'The body is not JSON.' : `The body ${read.wrong}.`);
  }
  const { value } = read;
  return typeof value === 'object' && value !== null ? value : new ApiProblem('malformed', 'The body is not JSON.');
}
