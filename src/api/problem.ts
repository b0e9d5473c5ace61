/** Errors as RFC 9457 `application/problem+json`: what is wrong, where, and what to do next. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Response } from 'express';
import type { Rule } from '../kinds/rules.ts';
import type { Problem } from '../producer/problems.ts';

/** Every kind of refusal, once: its status, its title, and the last part of its type. */
export const problemKinds = {
  malformed: {
    status: 400,
    title: 'Cannot read the request',
    next: 'Send JSON in UTF-8, with each name once. In a path, write a percent sign only before two hexadecimal digits.',
  },
  'no-identity': {
    status: 400,
    title: 'Missing Idempotency-Key header or reference',
    next: 'Send an `Idempotency-Key` header or a `reference` in the body. Without an identity, a retry would create a second request.',
  },
  unauthenticated: {
    status: 401,
    title: 'Missing or unknown API key',
    next: 'Send `Authorization: Bearer <key>` with a key of API_KEYS, or one created with `relais keys create`.',
  },
  forbidden: {
    status: 403,
    title: 'Insufficient rights of the API key',
    next: 'Use an API key with the role or the account that `detail` names.',
  },
  'sign-in-again': {
    status: 403,
    title: 'Sign-in older than five minutes',
    next: 'Confirm the key with `POST /v1/session/confirm`, then send the request again.',
  },
  'not-found': {
    status: 404,
    title: 'Resource not found',
    next: 'Check the path and the id. A resource of an account that the key is not allowed to use is reported as not found.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    next: 'Use one of the methods in the `Allow` header.',
  },
  conflict: {
    status: 409,
    title: 'Identity already used by another request',
    next: 'Repeat the request of `existingId` unchanged, or use a new identity.',
  },
  'wrong-state': {
    status: 409,
    title: 'Cannot do this in the current state',
    next: 'Read the operation again: its state has changed.',
  },
  unreadable: {
    status: 409,
    title: 'Cannot read this record with this version',
    next: 'Run `relais doctor`: another version wrote the record, or it is damaged. No worker changes the record.',
  },
  gone: {
    status: 410,
    title: 'Events no longer stored',
    next: 'Re-read the state of your operations, then read events without a cursor.',
  },
  removed: {
    status: 410,
    title: 'Operation removed at the end of its retention time',
    next: 'Read its events or your own records. Its identity stays reserved for IDEMPOTENCY_KEEP.',
  },
  'ahead-of-the-stream': {
    status: 410,
    title: 'Cursor of unknown events',
    next: 'Re-read the state of your operations, then read events without a cursor: PostgreSQL was restored to an earlier point.',
  },
  'too-large': { status: 413, title: 'Request body too large', next: 'Send the data in several requests.' },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported content type',
    next: 'Use a content type that `detail` names.',
  },
  invalid: {
    status: 422,
    title: 'Invalid request; nothing was done',
    next: 'Correct each field that `problems` names, then send the request again.',
  },
  'too-many-requests': {
    status: 429,
    title: 'Too many requests with this key',
    next: 'Wait for the time in `Retry-After`, then retry.',
  },
  'no-answer': { status: 504, title: 'No answer from the provider; nothing was changed', next: 'Retry the request.' },
  unavailable: {
    status: 503,
    title: 'PostgreSQL unavailable or too slow',
    next: 'Retry after the time in `Retry-After`. With the same identity, a retry is safe; without one, first check what was created.',
  },
  busy: {
    status: 503,
    title: 'Too many uploads at the same time; nothing was done',
    next: 'Wait as long as `Retry-After` says, then send it again. Send fewer uploads at the same time.',
  },
  'provider-away': {
    status: 503,
    title: 'Cannot sign in: no answer from the identity provider',
    next: 'Retry later, or sign in with an API key.',
  },
  recovering: {
    status: 503,
    title: 'Cannot continue: PostgreSQL may be restored to an earlier point',
    next: 'Ask an operator to run `relais recover`. Nothing was done.',
  },
  'upstream-refused': {
    status: 502,
    title: 'Refusal or unreadable answer of the provider',
    next: 'Check `code`. Repeat the same request only if `retryable` is true.',
  },
  'upstream-silent': {
    status: 504,
    title: 'No timely answer from the provider',
    next: 'Repeat the same request if `retryable` is true; otherwise, read the stored record first.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    next: 'Retry the request. If it fails again, search the log for the `X-Request-Id` of the answer.',
  },
} as const satisfies Record<string, { status: number; title: string; next: string }>;

export type ProblemKind = keyof typeof problemKinds;

export const isProblemKind = (text: string): text is ProblemKind => Object.hasOwn(problemKinds, text);

/** The `type` of an answer: programs compare what follows the last stroke, people open it. */
export function typeOf(kind: ProblemKind, address: string): string {
  return `${address}/problems/${kind}`;
}

/** The address of this API as the caller wrote it. Nothing else knows which name and which proxy lead here. */
export function addressAskedFor(headers: IncomingHttpHeaders): string {
  const { host = '' } = headers;
  // The caller reached the first of several proxies.
  const [proto = ''] = [headers['x-forwarded-proto'] ?? ''].flat().join(',').split(',');
  return /^[\w.:[\]-]{1,255}$/.test(host)
    ? `${proto.trim().toLowerCase() === 'https' ? 'https' : 'http'}://${host}`
    : '';
}

export function statusOf(kind: ProblemKind): number {
  return problemKinds[kind].status;
}

/** Where a route names no other. */
const usualRules: Partial<Record<ProblemKind, Rule>> = {
  conflict: 'identity',
  'sign-in-again': 'sign-in-again',
  'wrong-state': 'state',
  unreadable: 'unreadable',
};

type More = Readonly<Record<string, unknown>> & { readonly rule?: Rule };

/** Thrown by a route; the last handler turns it into the answer. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly kind: ProblemKind;
  readonly more: More;

  constructor(kind: 'forbidden', detail: string, more: More & { readonly rule: Rule });
  constructor(kind: Exclude<ProblemKind, 'forbidden'>, detail: string, more?: More);
  constructor(kind: ProblemKind, detail: string, more: More = {}) {
    super(detail);
    this.kind = kind;
    const rule = usualRules[kind];
    this.more = rule === undefined ? more : { rule, ...more };
  }
}

export function invalid(problems: readonly Problem[]): ApiProblem {
  const rule = problems.find((problem) => problem.rule !== undefined)?.rule;
  return new ApiProblem(
    'invalid',
    problems.map(({ pointer, message }) => `${pointer} ${message}`.trim()).join('; '),
    {
      problems: problems.map(({ rule: _rule, ...problem }) => problem),
      ...(rule && { rule }),
    },
  );
}

export function sendProblem(response: Response, { kind, message, more }: ApiProblem): void {
  const { status, title } = problemKinds[kind];
  const type = typeOf(kind, addressAskedFor(response.req.headers));
  response
    .status(status)
    .type('application/problem+json')
    .send(JSON.stringify({ type, title, status, detail: message, ...more }));
}
