/** Hosts that webhooks can be delivered to although they are not public, as `WEBHOOK_HOSTS` lists them. */
import { BlockList, isIP, isIPv6 } from 'node:net';
import { readNetwork } from './addresses.ts';
import { message } from '../messages/message.ts';
import { MessageError } from '../messages/texts.ts';

const PORT_MOST = 65_535;
const HOST_AND_PORT = /^(?<wildcard>\*\.)?(?<host>\[[^\]]+\]|[^\s:/?#@[\]*\\%]+):(?<digits>\d{1,5})$/;

interface HostAndPort {
  readonly host: string;
  readonly port: number;
  /** All names below `host`, and not `host` itself. */
  readonly isWildcard: boolean;
}

/** `payroll.internal:8080`, `*.internal:8080` or `10.1.0.0/16`. Throws a MessageError for anything else. */
export function readWebhookHost(text: string): string {
  if (text.includes('/') ? isNetwork(text) : hostAndPortIn(text) !== undefined) return text;
  throw new MessageError(message('webhook_host', { text: text.slice(0, 80) }));
}

/** The host of a URL, without the brackets of an IPv6 address or the final dot of a name. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

export class WebhookHosts {
  readonly #hosts: readonly HostAndPort[];
  readonly #networks = new BlockList();

  /** As `readWebhookHost` accepts them. */
  constructor(entries: readonly string[]) {
    this.#hosts = entries.map(hostAndPortIn).filter((entry) => entry !== undefined);
    for (const entry of entries) {
      const [address = '', bits] = entry.split('/');
      if (bits !== undefined) this.#networks.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
    }
  }

  /** `host` as `hostOf` gives it. A network allows addresses, and no name that resolves to one of them. */
  allows(host: string, port: number): boolean {
    const family = isIP(host);
    if (family !== 0 && this.#networks.check(host, family === 6 ? 'ipv6' : 'ipv4')) return true;
    return this.#hosts.some((entry) => entry.port === port && isOf(entry, host));
  }
}

function isOf({ host, isWildcard }: HostAndPort, asked: string): boolean {
  return isWildcard ? asked.endsWith(`.${host}`) : asked === host;
}

function isNetwork(text: string): boolean {
  try {
    return readNetwork(text) === text;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function hostAndPortIn(text: string): HostAndPort | undefined {
  const { wildcard, host = '', digits = '' } = HOST_AND_PORT.exec(text)?.groups ?? {};
  const url = `http://${host}/`;
  const port = Number(digits);
  if (host === '' || port < 1 || port > PORT_MOST || !URL.canParse(url)) return undefined;
  // The URL parser writes capitals, national characters and short forms of addresses as a request has them.
  const written = hostOf(new URL(url));
  const isWildcard = wildcard !== undefined;
  return written === '' || (isWildcard && isIP(written) !== 0) ? undefined : { host: written, port, isWildcard };
}
