import { isIP } from 'node:net';
import { isLoopbackAddress, isPublicAddress } from './addresses.ts';

/** Why an endpoint is not one we post to, with the sentence its owner reads. */
export const endpointProblems = {
  not_a_url: 'It is not a URL.',
  too_long: 'It is longer than 2048 characters.',
  not_https: 'It must begin with https://.',
  has_credentials: 'It must not carry a user name or a password.',
  port_not_allowed: 'Its port is not one of those allowed.',
  local_name: 'Its host is a name of a local network.',
  address_not_public: 'Its host is not a public address.',
} as const satisfies Record<string, string>;

export type EndpointProblem = keyof typeof endpointProblems;

export interface EndpointRules {
  /** For trying things out on one machine: `localhost`, 127.0.0.0/8 and ::1, over http too and on any port. */
  readonly allowLoopback: boolean;
  /** Defaults to 443 alone: a POST to another port is how one talks to a mail server or a Redis. */
  readonly ports?: readonly number[];
}

const LONGEST = 2_048;
const LOCAL_ENDINGS = /(?:^|\.)(?:localhost|local|internal|intranet|private|lan|home|corp|arpa|onion|invalid)$/;

/**
 * What is wrong with a URL, judged by its letters alone. Asked when an endpoint is registered, and again before each
 * delivery: an address written as such is connected to without a lookup, so here is the only place to see it.
 */
export function checkEndpointUrl(url: string, rules: EndpointRules): EndpointProblem | undefined {
  if (url.length > LONGEST) return 'too_long';
  // The URL parser writes every form of an IPv4 address (0x7f.1, 2130706433, 0177.0.0.1, full-width digits) as one.
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined) return 'not_a_url';
  if (parsed.username !== '' || parsed.password !== '') return 'has_credentials';

  const host = hostOf(parsed);
  if (rules.allowLoopback && isLoopbackHost(host)) {
    return parsed.protocol === 'http:' || parsed.protocol === 'https:' ? undefined : 'not_https';
  }
  if (parsed.protocol !== 'https:') return 'not_https';
  const isAddress = isIP(host) !== 0;
  if (isAddress && !isPublicAddress(host)) return 'address_not_public';
  if (!isAddress && isLocalName(host)) return 'local_name';
  const allowed = rules.ports ?? [443];
  return allowed.includes(Number(parsed.port || 443)) ? undefined : 'port_not_allowed';
}

/** `localhost` in any of its spellings, or a loopback address. */
export function isLoopbackHost(host: string): boolean {
  return isLoopbackAddress(host) || /^(?:[^.]+\.)*localhost\.?$/i.test(host);
}

/** The host without the brackets of an IPv6 address or the final dot of a name. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

function isLocalName(host: string): boolean {
  return !host.includes('.') || LOCAL_ENDINGS.test(host);
}
