/** Sign-in with the identity provider: the browser is redirected there, and returns with a verified answer. */
import { z } from 'zod';
import { acts } from '../kinds/acts.ts';
import { limitSignIns } from './admission.ts';
import type { ApiContext } from './context.ts';
import { providerAnswer, sendingAnswer } from './openapi/answers-console.ts';
import { ApiProblem } from './problem.ts';
import { NotSignedIn, type ProviderDoor, type WhyNot } from './provider.ts';
import { type AnyAsked, answer, route } from './route.ts';
import { sessionCookieIn, setting, settingBegun } from './session-cookie.ts';
import { byKey, requireConsole } from './sessions.ts';
import { message } from '../messages/message.ts';
import { says } from '../messages/schemas.ts';

const about = { tag: 'Console', scope: 'none' } as const;

const readProvider = route(
  {
    ...about,
    method: 'get',
    path: '/v1/session/provider',
    id: 'readProvider',
    summary: 'Get the identity provider',
    description: 'The identity provider of OIDC_ISSUER, if one is configured.',
    answers: { 200: answer('The provider, if there is one.', providerAnswer) },
  },
  ({ context: { provider } }) => ({ host: provider?.host ?? null }),
);

const wish = z
  .strictObject({
    at: z
      .string()
      .max(500)
      .regex(/^\/[\x21-\x7e]*$/, says('console_path'))
      .default('/')
      .meta({ description: 'The page of the console to go on with, without `/console`.', example: '/approvals' }),
    again: z.boolean().default(false).meta({
      description: 'The provider asks who it is, however lately it did: for what asks for a fresh sign-in.',
    }),
  })
  .meta({ id: 'ProviderSignInRequest' });

const beginSignIn = route(
  {
    ...about,
    method: 'post',
    path: '/v1/session/provider',
    id: 'beginSignIn',
    summary: 'Start sign-in with the identity provider',
    description:
      'Only from a page of the same origin, with `X-Relais-Console: 1`. The browser goes to `url` and returns to ' +
      '`/v1/session/callback` of the requesting origin: register that address with the identity provider.',
    body: { schema: wish, limit: '10kb' },
    answers: {
      200: {
        ...answer('Where the browser goes.', sendingAnswer),
        headers: {
          'Set-Cookie': 'What has to come back with the browser; sealed, HttpOnly, SameSite=Lax, ten minutes.',
        },
      },
    },
    problems: ['forbidden', 'not-found', 'provider-away', 'unavailable', 'internal'],
  },
  async ({ context, request, response, body: { at, again } }) => {
    const isSecure = requireConsole(request);
    const provider = providerOf(context);
    const had = sessionCookieIn(request.headers);
    const before = had && (await context.sessions.find(had.id));
    const origin = request.get('origin') ?? '';
    const { url, cookie } = await provider.begin({ origin, at, again, before }).catch((error: unknown) => {
      if (!(error instanceof NotSignedIn)) throw error;
      throw new ApiProblem('provider-away', message('identity_provider_silent', { host: provider.host }));
    });
    response.set('Set-Cookie', settingBegun({ id: cookie, isSecure }));
    return { url };
  },
);

const word = (description: string) => z.string().max(4_000).optional().meta({ description });

const finishSignIn = route(
  {
    ...about,
    method: 'get',
    path: '/v1/session/callback',
    id: 'finishSignIn',
    summary: 'Finish sign-in with the identity provider',
    description:
      'The browser returns here from the identity provider. With a session, it continues to the requested page; ' +
      'otherwise to the sign-in page, which shows the reason (`not-signed-in`). Parameters that providers add are ' +
      'ignored.',
    query: {
      code: word('What the provider gives for a person.'),
      state: word('As it was sent.'),
      iss: word('Which provider says so.'),
      error: word('Why there is no code.'),
    },
    othersInQuery: 'ignored',
    answers: {
      303: {
        says: 'To a page of the console.',
        headers: { Location: 'The page.', 'Set-Cookie': 'The session, as with `POST /v1/session`, where it began.' },
      },
    },
    problems: ['not-found', 'unavailable', 'internal'],
  },
  async (asked) => {
    const { response, context } = asked;
    const provider = providerOf(context);
    response.location(`/console${await wayOn(asked, provider)}`);
    return undefined;
  },
);

/** The page that follows a sign-in or its failure. */
async function wayOn(asked: AnyAsked, provider: ProviderDoor): Promise<string> {
  try {
    return await signIn(asked, provider);
  } catch (error) {
    const why = whyNot(error);
    if (why === undefined) throw error;
    return `/?not-signed-in=${why}`;
  }
}

async function signIn({ context, request, response, act }: AnyAsked, provider: ProviderDoor): Promise<string> {
  const { key, group, subject, at, before, confirmedAt, isSecure } = await provider.finish(request);
  limitSignIns(context, key, response);
  const told = { ...act('', { group }), ...byKey(key), act: acts.createSession.act };
  const from = { before, confirmedAt, provider: { person: key.person ?? key.name, group, subject } };
  const { id } = await context.sessions.begin(key, told, from);
  response.set('Set-Cookie', [setting({ id, isSecure }), settingBegun({ id: '', isSecure })]);
  return at;
}

function whyNot(error: unknown): WhyNot | undefined {
  if (error instanceof NotSignedIn) return error.why;
  return error instanceof ApiProblem && error.kind === 'too-many-requests' ? 'too-many' : undefined;
}

function providerOf({ provider }: ApiContext): ProviderDoor {
  if (provider) return provider;
  throw new ApiProblem('not-found', message('no_identity_provider'));
}

export const providerRoutes = [readProvider, beginSignIn, finishSignIn];
