/** The client address of a request: that of the connection, or the one reported by a trusted proxy. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';

/** An address, or a network such as 10.0.0.0/8. Throws a RangeError otherwise. */
export function readNetwork(text: string): string {
  const [address = '', bits, ...more] = text.split('/');
  const [family, most] = [isIP(address), isIPv6(address) ? 128 : 32];
  const isRight = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  if (family !== 0 && isRight && more.length === 0) return text;
  throw new RangeError(`"${text.slice(0, 60)}" is no address or network, such as 10.0.0.5 or 10.0.0.0/8`);
}

export class Proxies {
  readonly #trusted = new BlockList();

  /** In the format of `readNetwork`. */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = '', bits] = network.split('/');
      const family = isIPv6(address) ? 'ipv6' : 'ipv4';
      if (bits === undefined) this.#trusted.addAddress(address, family);
      else this.#trusted.addSubnet(address, Number(bits), family);
    }
  }

  trusts(address: string): boolean {
    const plain = withoutMapping(address);
    return isIP(plain) !== 0 && this.#trusted.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  }

  /** Each proxy appends the address it saw, so the last one that is no proxy is the client. */
  clientOf({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): string {
    let client = withoutMapping(socket.remoteAddress ?? '');
    const said = [headers['x-forwarded-for'] ?? ''].flat().join(',').split(',');
    while (this.trusts(client)) {
      const before = withoutPort(said.pop()?.trim() ?? '');
      if (isIP(before) === 0) break;
      client = withoutMapping(before);
    }
    return client;
  }
}

/** IPv4 as a dual-stack socket shows it, and without the name of an interface. */
const withoutMapping = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');

/** `192.0.2.1:443` and `[2001:db8::1]:443`, as some proxies write them. */
const withoutPort = (text: string): string =>
  text.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1');

const NETWORK_GROUPS = 4;

const groupsOf = (part: string): string[] => part.split(':').filter((group) => group !== '');

/** A client with one IPv6 address controls a network of 64 bits, so that network counts as one client. */
export function clientNetwork(address: string): string {
  const plain = withoutMapping(address);
  if (!isIPv6(plain)) return plain;
  const [head = '', tail = ''] = plain.split('::');
  const [before, after] = [groupsOf(head), groupsOf(tail)];
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  const groups = [...before, ...zeros, ...after].slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
