/** Errors as RFC 9457 `application/problem+json`: what is wrong, where, and what to do next. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Response } from 'express';
import type { Rule } from '../kinds/rules.ts';
import type { Problem } from '../producer/problems.ts';

/** Every kind of refusal, once: its status, its title, and the last part of its type. */
export const problemKinds = {
  malformed: {
    status: 400,
    title: 'The request cannot be read',
    next: 'Send JSON in UTF-8, each name once, and percent signs in a path only before two hex digits.',
  },
  'no-identity': {
    status: 400,
    title: 'The request needs an Idempotency-Key header or a reference',
    next: 'Send an `Idempotency-Key`, or a `reference` in the body: without one a retry would be a second request.',
  },
  unauthenticated: {
    status: 401,
    title: 'An API key is needed',
    next: 'Send `Authorization: Bearer <key>` with a key of API_KEYS.',
  },
  forbidden: {
    status: 403,
    title: 'This key may not do that',
    next: 'Use a key with the role, or for the account, that `detail` names.',
  },
  'sign-in-again': {
    status: 403,
    title: 'This needs a sign-in of the last five minutes',
    next: 'Show the key again with `POST /v1/session/confirm`, then do it.',
  },
  'not-found': {
    status: 404,
    title: 'There is no such thing',
    next: 'Look at the path and the id. What belongs to an account that the key may not use is as good as none.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'There is no such method here',
    next: 'Use one of the methods in the header `Allow`.',
  },
  conflict: {
    status: 409,
    title: 'This identity already stands for another request',
    next: 'Repeat the request of `existingId` as it was, or name this one anew.',
  },
  'wrong-state': {
    status: 409,
    title: 'Not possible in this state',
    next: 'Read the operation again: its state has changed.',
  },
  unreadable: {
    status: 409,
    title: 'This record cannot be read by this version; nobody acts on it',
    next: 'Run `relais doctor`: the record was written by another version, or is damaged.',
  },
  gone: { status: 410, title: 'These events are no longer kept', next: 'Take stock, then read on without a cursor.' },
  'ahead-of-the-stream': {
    status: 410,
    title: 'This cursor is of events that are not, or no longer, there',
    next: 'Take stock, then read on without a cursor: Redis was put back, or has lost something.',
  },
  'too-large': { status: 413, title: 'The body is too large', next: 'Send it in parts.' },
  'unsupported-media-type': {
    status: 415,
    title: 'The body is of a type that is not taken here',
    next: 'Send one of the types that `detail` names.',
  },
  invalid: {
    status: 422,
    title: 'The request is not valid; nothing was done',
    next: 'Correct what `problems` names, each with its place, and send it again.',
  },
  'too-many-requests': {
    status: 429,
    title: 'Too many requests with this key',
    next: 'Wait as long as `Retry-After` says.',
  },
  'no-answer': { status: 504, title: 'The service did not answer; nothing was changed', next: 'Try again.' },
  unavailable: {
    status: 503,
    title: 'Redis is not available, or did not answer in time',
    next: 'Try again as `Retry-After` says; with the same identity it is safe. Without one, look first what there is.',
  },
  'provider-away': {
    status: 503,
    title: 'The provider of identities did not answer; nobody was signed in',
    next: 'Try again later, or sign in with a key.',
  },
  'not-durable': {
    status: 503,
    title: 'Redis would not survive a power loss; nothing was accepted',
    next: 'Wait until Redis keeps what it answers again; docs/redis.md says what it needs.',
  },
  'memory-full': {
    status: 503,
    title: 'Redis is nearly full; nothing was accepted',
    next: 'Give Redis more memory, or wait until old records were removed.',
  },
  recovering: {
    status: 503,
    title: 'Redis may have lost something; nothing was done',
    next: 'Somebody must look first: `relais recover`.',
  },
  'upstream-refused': {
    status: 502,
    title: 'The service refused, or answered unreadably',
    next: '`code` says why. Repeat the same request only where `retryable` is true.',
  },
  'upstream-silent': {
    status: 504,
    title: 'The service did not answer in time',
    next: 'Repeat the same request where `retryable` is true; otherwise read what is recorded first.',
  },
  internal: {
    status: 500,
    title: 'Something went wrong on our side',
    next: 'Try again; the log says more under the same X-Request-Id.',
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
  const { host = '', 'x-forwarded-proto': proto } = headers;
  return /^[\w.:[\]-]{1,255}$/.test(host) ? `${proto === 'https' ? 'https' : 'http'}://${host}` : '';
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
  return new ApiProblem(
    'invalid',
    problems.map(({ pointer, message }) => `${pointer} ${message}`.trim()).join('; '),
    {
      problems,
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
