/**
 * Which addresses we are willing to post to. Callers choose the URL, we sit inside somebody's network: without this a
 * caller could have us knock on doors that only open from within, the cloud's metadata service first of all.
 */
import { BlockList, isIP } from 'node:net';

/** IPv4 that is not public unicast, and one address that is public by number only. */
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

/** Everything outside is local, mapped, translated (64:ff9b::) or unassigned. */
const GLOBAL_V6 = ['2000::', 3] as const;

/** What is inside it and still not a plain public address. */
const NOT_PUBLIC_V6 = [
  ['2001::', 23], // protocol assignments: Teredo (carries an IPv4 address), ORCHID, benchmarks
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4 (carries an IPv4 address)
  ['3fff::', 20], // documentation
] as const;

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
 * True for public unicast addresses, written as `dns.lookup` and WHATWG URLs write them. An IPv6 address that carries
 * an IPv4 one is refused whatever it carries: no public name needs it, and every form is one more way round the wall.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !notPublicV4.check(address, 'ipv4');
  if (family !== 6 || address.includes('%')) return false;
  return globalV6.check(address, 'ipv6') && !notPublicV6.check(address, 'ipv6');
}

/** 127.0.0.0/8 and ::1, in their plain forms only. */
export function isLoopbackAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return loopback.check(address, 'ipv4');
  return family === 6 && !/[.%]|ffff/i.test(address) && loopback.check(address, 'ipv6');
}
