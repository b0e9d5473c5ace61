/**
 * Body headers by the grammar of HTTP. Names are case-insensitive, known aliases work, and an empty value counts as
 * absent.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { encodingOf } from '../files/encodings.ts';
import { ApiProblem } from './problem.ts';
import { message } from '../messages/message.ts';

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/i;

/** Undefined: not declared. */
export function charsetOf({ 'content-type': type = '' }: IncomingHttpHeaders): string | undefined {
  return CHARSET.exec(type)?.[1] || undefined;
}

/** JSON is UTF-8, which includes ASCII. */
export function requireUtf8(headers: IncomingHttpHeaders): void {
  const charset = charsetOf(headers);
  if (charset !== undefined && encodingOf(charset) !== 'utf-8') throw unknownCharset(charset);
}

export function unknownCharset(charset: string): ApiProblem {
  const detail = message('charset_not_supported', { charset: charset.slice(0, 40) });
  return new ApiProblem('unsupported-media-type', detail);
}

/** Undefined: the body is not encoded. */
export function codingOf({ 'content-encoding': coding = '' }: IncomingHttpHeaders): string | undefined {
  const name = coding
    .trim()
    .toLowerCase()
    .replace(/^x-gzip$/, 'gzip');
  return name === '' || name === 'identity' ? undefined : name;
}
