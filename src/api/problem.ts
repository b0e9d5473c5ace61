/** Errors as RFC 9457 `application/problem+json`: the problem, its position, and the next step. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Request, Response } from 'express';
import type { Rule } from '../kinds/rules.ts';
import { englishProblems } from '../messages/english-problems.ts';
import { type Language, languageAccepted } from '../messages/languages.ts';
import { type Message, message } from '../messages/message.ts';
import { textOf } from '../messages/texts.ts';
import { type Problem, problemTexts } from '../producer/problems.ts';

/** Every kind of refusal: its status, its title, and the last part of its type. */
export const problemKinds = {
  malformed: {
    status: 400,
    title: englishProblems.malformed,
    next: 'Send JSON in UTF-8, with each name once. In a path, write a percent sign only before two hexadecimal digits.',
  },
  'no-identity': {
    status: 400,
    title: englishProblems['no-identity'],
    next: 'Send an `Idempotency-Key` header or a `reference` in the body. Without an identity, a retry would create a second request.',
  },
  unauthenticated: {
    status: 401,
    title: englishProblems.unauthenticated,
    next: 'Send `Authorization: Bearer <key>` with a key of API_KEYS, or one created with `relais keys create`.',
  },
  forbidden: {
    status: 403,
    title: englishProblems.forbidden,
    next: 'Use an API key with the role or the account that `detail` names.',
  },
  'sign-in-again': {
    status: 403,
    title: englishProblems['sign-in-again'],
    next: 'Confirm the key with `POST /v1/session/confirm`, then send the request again.',
  },
  'not-found': {
    status: 404,
    title: englishProblems['not-found'],
    next: 'Check the path and the id. A resource of an account that the key is not allowed to use is reported as not found.',
  },
  'method-not-allowed': {
    status: 405,
    title: englishProblems['method-not-allowed'],
    next: 'Use one of the methods in the `Allow` header.',
  },
  conflict: {
    status: 409,
    title: englishProblems.conflict,
    next: 'Repeat the request of `existingId` unchanged, or use a new identity.',
  },
  'wrong-state': {
    status: 409,
    title: englishProblems['wrong-state'],
    next: 'Read the operation again: its state has changed.',
  },
  unreadable: {
    status: 409,
    title: englishProblems.unreadable,
    next: 'Run `relais doctor`: another version wrote the record, or it is damaged. No worker changes the record.',
  },
  gone: {
    status: 410,
    title: englishProblems.gone,
    next: 'Re-read the state of your operations, then read events without a cursor.',
  },
  removed: {
    status: 410,
    title: englishProblems.removed,
    next: 'Read its events or your own records. Its identity stays reserved for IDEMPOTENCY_KEEP.',
  },
  'ahead-of-the-stream': {
    status: 410,
    title: englishProblems['ahead-of-the-stream'],
    next: 'Re-read the state of your operations, then read events without a cursor: PostgreSQL was restored to an earlier point.',
  },
  'too-large': { status: 413, title: englishProblems['too-large'], next: 'Send the data in several requests.' },
  'unsupported-media-type': {
    status: 415,
    title: englishProblems['unsupported-media-type'],
    next: 'Use a content type that `detail` names.',
  },
  invalid: {
    status: 422,
    title: englishProblems.invalid,
    next: 'Correct each field that `problems` names, then send the request again.',
  },
  'too-many-requests': {
    status: 429,
    title: englishProblems['too-many-requests'],
    next: 'Wait for the time in `Retry-After`, then retry.',
  },
  'no-answer': { status: 504, title: englishProblems['no-answer'], next: 'Retry the request.' },
  unavailable: {
    status: 503,
    title: englishProblems.unavailable,
    next: 'Retry after the time in `Retry-After`. With the same identity, a retry is safe; without one, first check what was created.',
  },
  busy: {
    status: 503,
    title: englishProblems.busy,
    next: 'Wait as long as `Retry-After` says, then send it again. Send fewer uploads at the same time.',
  },
  'provider-away': {
    status: 503,
    title: englishProblems['provider-away'],
    next: 'Retry later, or sign in with an API key.',
  },
  recovering: {
    status: 503,
    title: englishProblems.recovering,
    next: 'Ask an operator to run `relais recover`. Nothing was done.',
  },
  'upstream-refused': {
    status: 502,
    title: englishProblems['upstream-refused'],
    next: 'Check `code`. Repeat the same request only if `retryable` is true.',
  },
  'upstream-silent': {
    status: 504,
    title: englishProblems['upstream-silent'],
    next: 'Repeat the same request if `retryable` is true; otherwise, read the stored record first.',
  },
  internal: {
    status: 500,
    title: englishProblems.internal,
    next: 'Retry the request. If it fails again, search the log for the `X-Request-Id` of the answer.',
  },
} as const satisfies Record<keyof typeof englishProblems, { status: number; title: string; next: string }>;

export type ProblemKind = keyof typeof problemKinds;

export const isProblemKind = (text: string): text is ProblemKind => Object.hasOwn(problemKinds, text);

/** The `type` of an answer: programs compare the last part, and users open the address. */
export function typeOf(kind: ProblemKind, address: string): string {
  return `${address}/problems/${kind}`;
}

/** The address of this API as the caller wrote it: only the request shows the name and proxy in use. */
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

/** Defaults for routes that name no rule. */
const usualRules: Partial<Record<ProblemKind, Rule>> = {
  conflict: 'identity',
  'sign-in-again': 'sign-in-again',
  'wrong-state': 'state',
  unreadable: 'unreadable',
};

type More = Readonly<Record<string, unknown>> & { readonly rule?: Rule; readonly problems?: readonly Problem[] };

/** Thrown by a route; the last handler turns it into the answer. Its own text is English, for logs. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly kind: ProblemKind;
  readonly detail: Message;
  readonly more: More;

  constructor(kind: 'forbidden', detail: Message, more: More & { readonly rule: Rule });
  constructor(kind: Exclude<ProblemKind, 'forbidden'>, detail: Message, more?: More);
  constructor(kind: ProblemKind, detail: Message, more: More = {}) {
    super(textOf(detail));
    this.kind = kind;
    this.detail = detail;
    const rule = usualRules[kind];
    this.more = rule === undefined ? more : { rule, ...more };
  }
}

export function invalid(problems: readonly Problem[]): ApiProblem {
  const rule = problems.find((problem) => problem.rule !== undefined)?.rule;
  const listed = problems.map(({ pointer, message: said }) =>
    pointer === '' ? said : message('problem_at', { pointer, problem: said }),
  );
  return new ApiProblem('invalid', message('problem_list', { problems: listed }), {
    problems,
    ...(rule && { rule }),
  });
}

/** `detail` and its additional members, which are equal in each language. */
export function membersOf({ detail, more: { problems, ...more } }: ApiProblem, language: Language) {
  return {
    detail: textOf(detail, language),
    ...more,
    ...(problems === undefined ? {} : { problems: problemTexts(problems, language) }),
  };
}

/** In the language of `Accept-Language`. */
export function sendProblem(response: Response, problem: ApiProblem): void {
  const { kind } = problem;
  const language = languageFor(response.req);
  const body = {
    type: typeOf(kind, addressAskedFor(response.req.headers)),
    title: textOf({ code: kind }, language),
    status: statusOf(kind),
    ...membersOf(problem, language),
  };
  response
    .status(body.status)
    .set({ 'Content-Language': language, Vary: 'Accept-Language' })
    .type('application/problem+json')
    .send(JSON.stringify(body));
}

/** The language of an answer for a user; programs without a preference get English. */
export function languageFor(request: Request): Language {
  return languageAccepted(request.get('accept-language')) ?? 'en';
}
