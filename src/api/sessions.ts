/** Sign-in from a browser: a key is exchanged for a session, which ends with the key. */
import type { Request } from 'express';
import { z } from 'zod';
import type { Session } from '../ledger/sessions.ts';
import { languageAccepted } from '../messages/languages.ts';
import type { ApiKey } from './keys.ts';
import { sessionAnswer } from './openapi/answers-console.ts';
import { ApiProblem, invalid } from './problem.ts';
import { type AnyAsked, answer, route } from './route.ts';
import { clearing, isOfConsole, mustBeSecure, sessionCookieIn, setting } from './session-cookie.ts';
import { message } from '../messages/message.ts';

const about = { tag: 'Console', scope: 'none' } as const;
const ofSession = { ...about, session: true } as const;

const shownKey = {
  schema: z
    .strictObject({
      key: z.string().min(1).max(512).meta({ description: 'The secret of a key.', example: 'rk_3f9a1c2e77b04d15' }),
    })
    .meta({ id: 'SessionRequest' }),
  limit: '10kb',
} as const;

const createSession = route(
  {
    ...about,
    method: 'post',
    path: '/v1/session',
    id: 'createSession',
    summary: 'Sign in with an API key',
    description:
      'Only from a page of the same origin, with `X-Relais-Console: 1`. The session ends after thirty minutes ' +
      'without a request, after eight hours, on sign-out, and within three seconds after its key is revoked. Its ' +
      'roles and accounts are always those of the key.',
    body: shownKey,
    answers: {
      200: {
        ...answer('Signed in.', sessionAnswer),
        headers: { 'Set-Cookie': 'HttpOnly, SameSite=Strict; `__Host-relais` and Secure off this machine.' },
      },
    },
    problems: ['unauthenticated', 'forbidden', 'too-many-requests', 'unavailable', 'internal'],
  },
  async ({ context, request, response, body, keyOf, act }) => {
    const isSecure = requireConsole(request);
    const key = await keyOf(body.key);
    const had = sessionCookieIn(request.headers);
    const before = had && (await context.sessions.find(had.id));
    const { id, session } = await context.sessions.begin(key, { ...act(), ...byKey(key) }, { before });
    response.set('Set-Cookie', setting({ id, isSecure }));
    return view(key, session, request);
  },
);

const readSession = route(
  {
    ...ofSession,
    method: 'get',
    path: '/v1/session',
    id: 'readSession',
    summary: 'Get the current session',
    description:
      'With `X-Relais-Console: background`, this request does not extend the session; the same applies to every ' +
      'other request.',
    answers: { 200: answer('The session.', sessionAnswer) },
  },
  ({ key, request }) => view(key, sessionOf(key), request),
);

const confirmSession = route(
  {
    ...ofSession,
    method: 'post',
    path: '/v1/session/confirm',
    id: 'confirmSession',
    summary: 'Confirm the API key of a session',
    description:
      'For requests that need a sign-in of the last five minutes. The key of another session is refused (422).',
    body: shownKey,
    answers: { 200: answer('Confirmed.', sessionAnswer) },
  },
  async ({ context, key, request, body, keyOf, act }) => {
    const { isOf } = sessionOf(key);
    await keyOf(body.key, isOf).catch((error: unknown) => {
      if (!(error instanceof ApiProblem) || error.kind !== 'unauthenticated') throw error;
      throw invalid([{ pointer: '/key', message: message('key_of_session') }]);
    });
    const session = await context.sessions.confirm(cookieOf(request).id, act());
    if (!session) throw isOver();
    return view(key, session, request);
  },
);

const endSession = route(
  {
    ...ofSession,
    method: 'delete',
    path: '/v1/session',
    id: 'endSession',
    summary: 'Sign out of the session',
    description: 'In every tab of the browser and in every process.',
    answers: { 204: { says: 'It is over.' } },
  },
  async ({ context, request, response, act }) => {
    const cookie = cookieOf(request);
    await context.sessions.end(cookie.id, act());
    response.set('Set-Cookie', clearing(cookie));
    return undefined;
  },
);

/** Whether the cookie must be limited to https. */
export function requireConsole(request: Request): boolean {
  const isSecure = mustBeSecure(request.headers);
  if (isOfConsole(request) && isSecure !== undefined) return isSecure;
  throw new ApiProblem('forbidden', message('console_only'), { rule: 'origin' });
}

export const byKey = ({ name, person = '' }: ApiKey) => ({ by: name, person, source: 'console' as const });
const isOver = (): ApiProblem => new ApiProblem('unauthenticated', message('session_expired'));

/** Both exist in a request with a session. */
function sessionOf({ session }: AnyAsked['key']): Session {
  if (session) return session;
  throw isOver();
}

function cookieOf({ headers }: Request) {
  const cookie = sessionCookieIn(headers);
  if (cookie) return cookie;
  throw isOver();
}

function view(key: ApiKey, session: Session, request: Request) {
  const { name, person, roles, accounts, expiresAt: keyEnds = Infinity } = key;
  const { expiresAt, idleUntil, confirmedUntil } = session;
  const time = (ms: number): string => new Date(Math.min(ms, keyEnds)).toISOString();
  return {
    name,
    person: person ?? null,
    roles: [...roles],
    accounts: accounts ? [...accounts] : null,
    signedInBy: session.provider ? ('provider' as const) : ('key' as const),
    language: languageAccepted(request.get('accept-language')) ?? null,
    expiresAt: time(expiresAt),
    idleUntil: time(idleUntil),
    confirmedUntil: time(confirmedUntil),
  };
}

export const sessionRoutes = [createSession, readSession, confirmSession, endSession];
