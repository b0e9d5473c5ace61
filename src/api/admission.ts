/** The caller of a request: an API key in the header, or a console session of a key. Limits the request rate. */
import type { Request, Response } from 'express';
import { clientAddressOf } from '../lib/bounded-server.ts';
import type { ApiContext } from './context.ts';
import { limitRate } from './gates.ts';
import { type ApiKey, WrongKeys } from './keys.ts';
import { ApiProblem } from './problem.ts';
import { isBackground, isOfConsole, sessionCookieIn } from './session-cookie.ts';
import { message } from '../messages/message.ts';

interface Asked {
  readonly request: Request;
  readonly response: Response;
}

export interface Admission {
  /** Requires a key, within its rate limit. */
  readonly byRequest: (request: Request, response: Response) => ApiKey | Promise<ApiKey>;
  /** The key of a secret in a body; a wrong one is refused like one in a header. */
  readonly bySecret: (secret: string, asked: Asked, isRight?: (key: ApiKey) => boolean) => Promise<ApiKey>;
}

export function admissionTo(context: ApiContext): Admission {
  const limit = limitRate(context);
  const wrongKeys = new WrongKeys(context.clock);
  const refused = (asked: Asked, wasSent: boolean) => refusedKey(context, wrongKeys, { ...asked, wasSent });
  const within = (asked: Asked, key: ApiKey | undefined, wasSent: boolean): ApiKey => {
    if (!key) throw refused(asked, wasSent);
    limit(key, asked.response);
    return key;
  };
  return {
    byRequest: (request, response) => {
      const { authorization } = request.headers;
      if (authorization === undefined && context.console && isOfConsole(request))
        return bySession(context, limit, { request, response });
      const [, secret] = /^Bearer +(.{1,512})$/i.exec(authorization ?? '') ?? [];
      const found = secret === undefined ? undefined : context.keyRing.find(secret);
      const asked = { request, response };
      return found instanceof Promise
        ? found.then((key) => within(asked, key, true))
        : within(asked, found, secret !== undefined);
    },
    bySecret: async (secret, asked, isRight = () => true) => {
      const found = await context.keyRing.find(secret);
      const key = within(asked, found && isRight(found) ? found : undefined, true);
      limitSignIns(context, key, asked.response);
      return key;
    },
  };
}

/**
 * Wrong sessions are not counted: 256 bits cannot be guessed, and a page with an expired session repeats requests.
 */
async function bySession(
  { sessions, keyRing, provider }: ApiContext,
  limit: ReturnType<typeof limitRate>,
  { request, response }: Asked,
): Promise<ApiKey> {
  const cookie = sessionCookieIn(request.headers);
  const session = cookie && (await sessions.find(cookie.id));
  const key = session && (session.provider ? provider?.keyOf(session) : (await keyRing.current()).find(session.isOf));
  if (!cookie || !session || !key) {
    response.set('Connection', 'close');
    throw new ApiProblem('unauthenticated', message('no_session'));
  }
  limit(key, response);
  if (!isBackground(request)) await sessions.use(cookie.id, session);
  return { ...key, session };
}

export function limitSignIns(
  { signIns }: Pick<ApiContext, 'signIns'>,
  { name }: Pick<ApiKey, 'name'>,
  response: Response,
): void {
  const waitMs = signIns.take(name);
  if (waitMs === 0) return;
  response.set('Retry-After', String(Math.ceil(waitMs / 1_000)));
  throw new ApiProblem('too-many-requests', message('key_sent_too_often'));
}

function refusedKey(
  { onWrongKey }: ApiContext,
  wrongKeys: WrongKeys,
  { request, response, wasSent }: Asked & { readonly wasSent: boolean },
): ApiProblem {
  // Unknown clients do not keep the connection.
  response.set('Connection', 'close');
  const waitMs = wrongKeys.refused(clientAddressOf(request));
  onWrongKey(waitMs === 0 ? '401' : '429');
  if (waitMs > 0) {
    response.set('Retry-After', String(Math.ceil(waitMs / 1_000)));
    return new ApiProblem('too-many-requests', message('too_many_wrong_keys'));
  }
  response.set('WWW-Authenticate', 'Bearer');
  return new ApiProblem('unauthenticated', wasSent ? message('key_unknown') : message('key_missing'));
}
