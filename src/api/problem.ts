/** Errors as RFC 9457 `application/problem+json`: what is wrong, where, and what to do next. */
import type { Response } from 'express';
import type { Problem } from '../producer/problems.ts';

/** Every kind of refusal, once: its status, its title, and the last part of its type. */
export const problemKinds = {
  malformed: { status: 400, title: 'The request cannot be read' },
  'no-identity': { status: 400, title: 'The request needs an Idempotency-Key header or a reference' },
  unauthenticated: { status: 401, title: 'An API key is needed' },
  forbidden: { status: 403, title: 'This key may not do that' },
  'not-found': { status: 404, title: 'There is no such thing' },
  'method-not-allowed': { status: 405, title: 'There is no such method here' },
  conflict: { status: 409, title: 'This identity already stands for another request' },
  'wrong-state': { status: 409, title: 'Not possible in this state' },
  unreadable: { status: 409, title: 'This record cannot be read by this version; nobody acts on it' },
  gone: { status: 410, title: 'These events are no longer kept' },
  'ahead-of-the-stream': { status: 410, title: 'This cursor is of events that are not, or no longer, there' },
  'too-large': { status: 413, title: 'The body is too large' },
  'unsupported-media-type': { status: 415, title: 'The body is of a type that is not taken here' },
  invalid: { status: 422, title: 'The request is not valid; nothing was done' },
  'too-many-requests': { status: 429, title: 'Too many requests with this key' },
  'no-answer': { status: 504, title: 'The service did not answer; nothing was changed' },
  unavailable: { status: 503, title: 'Redis is away; nothing was accepted' },
  'not-durable': { status: 503, title: 'Redis would not survive a power loss; nothing was accepted' },
  'memory-full': { status: 503, title: 'Redis is nearly full; nothing was accepted' },
  recovering: { status: 503, title: 'Redis may have lost something; nothing was done' },
  'upstream-refused': { status: 502, title: 'The service refused, or answered unreadably' },
  'upstream-silent': { status: 504, title: 'The service did not answer in time' },
  internal: { status: 500, title: 'Something went wrong on our side' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemKind = keyof typeof problemKinds;

/** The `type` of an answer, which programs compare. It names a kind and leads nowhere. */
export function typeOf(kind: ProblemKind): string {
  return `https://relais.invalid/problems/${kind}`;
}

export function statusOf(kind: ProblemKind): number {
  return problemKinds[kind].status;
}

/** Thrown by a route; the last handler turns it into the answer. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly kind: ProblemKind;
  readonly more: Readonly<Record<string, unknown>>;

  constructor(kind: ProblemKind, detail: string, more: Readonly<Record<string, unknown>> = {}) {
    super(detail);
    this.kind = kind;
    this.more = more;
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
  response
    .status(status)
    .type('application/problem+json')
    .send(JSON.stringify({ type: typeOf(kind), title, status, detail: message, ...more }));
}
