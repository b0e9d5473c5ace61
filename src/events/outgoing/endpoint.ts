import { isIP, BlockList } from 'node:net';
import { type WebhookHosts, hostOf } from '../../lib/webhook-hosts.ts';

/** Problems of the address of an endpoint: `endpoint_…` of the catalogue. */
export type EndpointProblem =
  | 'not_a_url'
  | 'too_long'
  | 'not_https'
  | 'has_credentials'
  | 'port_not_allowed'
  | 'local_name'
  | 'address_not_public';

export interface EndpointRules {
  /** For trials on one machine: `localhost`, 127.0.0.0/8 and ::1, also over http and on any port. */
  readonly allowLoopback: boolean;
  /** Hosts of the operator's own network, also over http. None: only public ones. */
  readonly hosts?: WebhookHosts;
  /** Default: only 443, because a POST to another port can reach a mail server or a Redis. */
  readonly ports?: readonly number[];
}

const LONGEST = 2_048;
const LOCAL_ENDINGS = /(?:^|\.)(?:localhost|local|internal|intranet|private|lan|home|corp|arpa|onion|invalid)$/;

/** The rule that allows an endpoint. It decides which addresses its name can resolve to. */
export type Reach = 'public' | 'loopback' | 'listed';

/** The problem with a URL, by its text alone. For the registration of an endpoint. */
export function checkEndpointUrl(url: string, rules: EndpointRules): EndpointProblem | undefined {
  const judged = reachOf(url, rules);
  return 'problem' in judged ? judged.problem : undefined;
}

/**
 * Repeated before each delivery: a socket connects to a literal address without a lookup, so only this check sees it.
 */
export function reachOf(
  url: string,
  rules: EndpointRules,
): { readonly reach: Reach } | { readonly problem: EndpointProblem } {
  if (url.length > LONGEST) return { problem: 'too_long' };
  // The URL parser normalises every form of an IPv4 address (0x7f.1, 2130706433, 0177.0.0.1, full-width digits).
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined) return { problem: 'not_a_url' };
  if (parsed.username !== '' || parsed.password !== '') return { problem: 'has_credentials' };

  const reach = exceptionFor(parsed, rules);
  const problem = reach === undefined ? publicProblem(parsed, rules) : exceptionProblem(parsed, reach);
  return problem === undefined ? { reach: reach ?? 'public' } : { problem };
}

/** The operator's exception to the rule that endpoints are public. */
function exceptionFor(url: URL, { allowLoopback, hosts }: EndpointRules): Exclude<Reach, 'public'> | undefined {
  const host = hostOf(url);
  if (allowLoopback && isLoopbackHost(host)) return 'loopback';
  const port = Number(url.port || (url.protocol === 'http:' ? 80 : 443));
  return hosts?.allows(host, port) ? 'listed' : undefined;
}

function exceptionProblem(url: URL, reach: Reach): EndpointProblem | undefined {
  const host = hostOf(url);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'not_https';
  return isIP(host) !== 0 && !isReachable(host, reach) ? 'address_not_public' : undefined;
}

function publicProblem(url: URL, { ports = [443] }: EndpointRules): EndpointProblem | undefined {
  const host = hostOf(url);
  if (url.protocol !== 'https:') return 'not_https';
  const isAddress = isIP(host) !== 0;
  if (isAddress && !isReachable(host, 'public')) return 'address_not_public';
  if (!isAddress && isLocalName(host)) return 'local_name';
  return ports.includes(Number(url.port || 443)) ? undefined : 'port_not_allowed';
}

/** Whether an endpoint with this reach can have this address. */
export function isReachable(address: string, reach: Reach): boolean {
  if (reach === 'loopback') return isLoopbackAddress(address);
  return isPublicAddress(address) || (reach === 'listed' && isInsideAddress(address));
}

/** Its location, for readers other than its owner: path and query may be its password. */
export function placeOfEndpoint(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : '';
}

/** `localhost` in any of its spellings, or a loopback address. */
export function isLoopbackHost(host: string): boolean {
  return isLoopbackAddress(host) || /^(?:[^.]+\.)*localhost\.?$/i.test(host);
}

function isLocalName(host: string): boolean {
  return !host.includes('.') || LOCAL_ENDINGS.test(host);
}

/**
 * The addresses to which relais delivers. Callers choose the URL, and relais runs inside a network: without this
 * check a caller could reach internal services, above all the cloud's metadata service.
 */

/** IPv4 ranges that are not public unicast, and one address that only looks public. */
const NOT_PUBLIC_V4 = [
  ['0.0.0.0', 8], // this network; 0 is the machine itself on Linux
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier NAT, and a metadata service (100.100.100.200)
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // a cloud's host agent, reachable from inside its machines only
  ['169.254.0.0', 16], // link-local, and most metadata services (169.254.169.254)
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
] as const;

/** All other addresses are local, mapped, translated (64:ff9b::) or unassigned. */
const GLOBAL_V6 = ['2000::', 3] as const;

/** Ranges inside it that are not plain public addresses. */
const NOT_PUBLIC_V6 = [
  ['2001::', 23], // protocol assignments: Teredo (carries an IPv4 address), ORCHID, benchmarks
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4 (carries an IPv4 address)
  ['3fff::', 20], // documentation
] as const;

/** Networks of operators. Link-local addresses are excluded: most metadata services of clouds use them. */
const INSIDE_V4 = [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const;
const INSIDE_V6 = [
  ['::1', 128],
  ['fc00::', 7],
] as const;
/** Metadata services of clouds inside those networks. */
const METADATA_V4 = ['100.100.100.200'];
const METADATA_V6 = ['fd00:ec2::254', 'fd20:ce::254', 'fd00:42::42'];

const insideV4 = new BlockList();
for (const [net, prefix] of INSIDE_V4) insideV4.addSubnet(net, prefix, 'ipv4');
const insideV6 = new BlockList();
for (const [net, prefix] of INSIDE_V6) insideV6.addSubnet(net, prefix, 'ipv6');
const metadata = new BlockList();
for (const address of METADATA_V4) metadata.addAddress(address, 'ipv4');
for (const address of METADATA_V6) metadata.addAddress(address, 'ipv6');

const notPublicV4 = new BlockList();
for (const [net, prefix] of NOT_PUBLIC_V4) notPublicV4.addSubnet(net, prefix, 'ipv4');
const globalV6 = new BlockList();
globalV6.addSubnet(...GLOBAL_V6, 'ipv6');
const notPublicV6 = new BlockList();
for (const [net, prefix] of NOT_PUBLIC_V6) notPublicV6.addSubnet(net, prefix, 'ipv6');
const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * True for public unicast addresses, as `dns.lookup` and WHATWG URLs write them. An IPv6 address with an embedded
 * IPv4 address is always refused: no public name needs it, and it could bypass the check.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !notPublicV4.check(address, 'ipv4');
  if (family !== 6 || address.includes('%')) return false;
  return globalV6.check(address, 'ipv6') && !notPublicV6.check(address, 'ipv6');
}

/** Private and loopback addresses, only in their plain forms: an embedding form hides them. */
export function isInsideAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return insideV4.check(address, 'ipv4') && !metadata.check(address, 'ipv4');
  if (family !== 6 || /[.%]/.test(address)) return false;
  return insideV6.check(address, 'ipv6') && !metadata.check(address, 'ipv6');
}

/** 127.0.0.0/8 and ::1, only in their plain forms. */
export function isLoopbackAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return loopback.check(address, 'ipv4');
  return family === 6 && !/[.%]|ffff/i.test(address) && loopback.check(address, 'ipv6');
}
