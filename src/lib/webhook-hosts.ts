/** Hosts for webhooks that are allowed although they are not public, from `WEBHOOK_HOSTS`. */
import { BlockList, isIP, isIPv6 } from 'node:net';
import { readNetwork } from './addresses.ts';
import { message } from '../messages/message.ts';
import { MessageError } from '../messages/texts.ts';

const PORT_MOST = 65_535;
const HOST_AND_PORT = /^(?<wildcard>\*\.)?(?<host>\[[^\]]+\]|[^\s:/?#@[\]*\\%]+):(?<digits>\d{1,5})$/;

interface HostAndPort {
  readonly host: string;
  readonly port: number;
  /** All names below `host`, without `host` itself. */
  readonly isWildcard: boolean;
}

/** `payroll.internal:8080`, `*.internal:8080` or `10.1.0.0/16`. Throws a MessageError otherwise. */
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

  /** In the format of `readWebhookHost`. */
  constructor(entries: readonly string[]) {
    this.#hosts = entries.map(hostAndPortIn).filter((entry) => entry !== undefined);
    for (const entry of entries) {
      const [address = '', bits] = entry.split('/');
      if (bits !== undefined) this.#networks.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
    }
  }

  /** `host` from `hostOf`. A network allows addresses, not names that resolve to one. */
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
  // The URL parser normalises capitals, national characters and short forms of addresses as in requests.
  const written = hostOf(new URL(url));
  const isWildcard = wildcard !== undefined;
  return written === '' || (isWildcard && isIP(written) !== 0) ? undefined : { host: written, port, isWildcard };
}
