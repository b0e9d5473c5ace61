/**
 * The cookie of a session: when one counts, and how it is set. What a page of another origin sends never counts,
 * whatever the cookie is: browsers say where a request comes from, and no page can say otherwise.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isLoopbackHost } from '../events/outgoing/endpoint.ts';

/** A browser takes one of this name over https only, for this host and path alone, and from no sibling of the host. */
const SECURE = '__Host-relais';
/** On this machine, where there is no https. */
const PLAIN = 'relais';
/** What follows either name where a sign-in by a provider of identities was begun. */
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
 * From a page of this origin; what changes something, with a header that no form can send and no page of another origin
 * without asking first, which is refused.
 */
export function isOfConsole({ method, headers }: Asking): boolean {
  if (headers['sec-fetch-site'] !== 'same-origin') return false;
  return method === 'GET' || method === 'HEAD' || headers['x-relais-console'] === '1';
}

/** Asked by the page itself, and not since somebody is there. So is the stream of events: it comes back after each break. */
export const isBackground = ({ headers }: Asking): boolean =>
  headers['x-relais-console'] === 'background' || headers.accept === 'text/event-stream';

export const sessionCookieIn = (headers: IncomingHttpHeaders): SessionCookie | undefined =>
  cookieIn(headers, '', /^[0-9a-f]{64}$/);

/** Of a person sent to the provider of identities, and back again: it is there on the way from another site too. */
export const begunCookieIn = (headers: IncomingHttpHeaders): SessionCookie | undefined =>
  cookieIn(headers, BEGUN, /^[\w-]{1,3800}$/);

/** One that is there twice was put there by somebody else too, and is none. */
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
 * Whether a cookie for the page that asks must be kept from plain connections. Undefined: a browser would not keep it,
 * or no browser asks. The browser says where the page is, so that no proxy between has to.
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

/** Lax: a person who comes back comes from another site. Of the session itself no other site has anything sent. */
export function settingBegun({ id, isSecure }: SessionCookie): string {
  const name = isSecure ? `${SECURE}${BEGUN}=${id}; Secure` : `${PLAIN}${BEGUN}=${id}`;
  return `${name}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${id === '' ? 0 : BEGUN_S}`;
}

export const clearing = ({ isSecure }: SessionCookie): string => `${setting({ id: '', isSecure })}; Max-Age=0`;
