/**
 * The session cookie: when it counts, and how it is set. A request from a page of another origin never counts:
 * browsers send the origin, and pages cannot forge it.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isLoopbackHost } from '../events/outgoing/endpoint.ts';

/** Browsers accept a cookie of this name only over https, for this host and path, and never from a sibling host. */
const SECURE = '__Host-relais';
/** On this machine, without https. */
const PLAIN = 'relais';
/** Suffix of either name while a sign-in with the identity provider is in progress. */
const BEGUN = '-sign-in';
const BEGUN_S = 600;

interface Asking {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

export interface SessionCookie {
  readonly id: string;
  readonly isSecure: boolean;
}

/**
 * From a page of this origin. Changes need a header that no form can send, and that another origin can send only
 * after a preflight, which is refused.
 */
export function isOfConsole({ method, headers }: Asking): boolean {
  if (headers['sec-fetch-site'] !== 'same-origin') return false;
  return method === 'GET' || method === 'HEAD' || headers['x-relais-console'] === '1';
}

/** Sent by the page itself without a user action, like the event stream that reconnects after each break. */
export const isBackground = ({ headers }: Asking): boolean =>
  headers['x-relais-console'] === 'background' || headers.accept === 'text/event-stream';

export const sessionCookieIn = (headers: IncomingHttpHeaders): SessionCookie | undefined =>
  cookieIn(headers, '', /^[0-9a-f]{64}$/);

/** For a sign-in with the identity provider: the cookie is also sent on the way back from another site. */
export const begunCookieIn = (headers: IncomingHttpHeaders): SessionCookie | undefined =>
  cookieIn(headers, BEGUN, /^[\w-]{1,3800}$/);

/** A duplicate cookie may have been set by an attacker, so it is ignored. */
function cookieIn(
  { cookie = '', host = '' }: IncomingHttpHeaders,
  suffix: string,
  form: RegExp,
): SessionCookie | undefined {
  const all = cookie.split(';').map((one) => one.trim());
  const named = (name: string): string[] =>
    all.flatMap((one) => (one.startsWith(`${name}=`) ? [one.slice(name.length + 1)] : []));
  const secure = named(SECURE + suffix);
  const [id = '', ...others] = secure.length === 0 && isHere(`http://${host}`) ? named(PLAIN + suffix) : secure;
  return !form.test(id) || others.length > 0 ? undefined : { id, isSecure: secure.length > 0 };
}

/**
 * Whether the cookie for the page must be limited to https. Undefined: a browser would not store it, or no browser
 * asks. The browser names the page's origin, so no proxy has to.
 */
export function mustBeSecure({ origin = '' }: IncomingHttpHeaders): boolean | undefined {
  if (!URL.canParse(origin)) return undefined;
  if (new URL(origin).protocol === 'https:') return true;
  return isHere(origin) ? false : undefined;
}

function isHere(url: string): boolean {
  return URL.canParse(url) && new URL(url).protocol === 'http:' && isLoopbackHost(new URL(url).hostname);
}

export function setting({ id, isSecure }: SessionCookie): string {
  const name = isSecure ? `${SECURE}=${id}; Secure` : `${PLAIN}=${id}`;
  return `${name}; Path=/; HttpOnly; SameSite=Strict`;
}

/** Lax: a returning user comes from another site. The session cookie itself is never sent from other sites. */
export function settingBegun({ id, isSecure }: SessionCookie): string {
  const name = isSecure ? `${SECURE}${BEGUN}=${id}; Secure` : `${PLAIN}${BEGUN}=${id}`;
  return `${name}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${id === '' ? 0 : BEGUN_S}`;
}

export const clearing = ({ isSecure }: SessionCookie): string => `${setting({ id: '', isSecure })}; Max-Age=0`;
