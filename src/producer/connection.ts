/** The location of the workers' Redis. */
import type { RedisTarget } from '../redis/connections.ts';

/** A host and a port, like BullMQ's own `connection`. */
export interface RedisHost {
  readonly host?: string;
  readonly port?: number;
  readonly username?: string;
  readonly password?: string;
  readonly db?: number;
  /** The prefix of all keys of the deployment, REDIS_PREFIX of the workers. Default: `{relais}`. */
  readonly prefix?: string;
  /** Use TLS; with `ca` (PEM) if Node.js does not know the authority of Redis' certificate. */
  readonly tls?: boolean | { readonly ca?: string };
}

/**
 * `redis://…` or `rediss://…`; or that as `url`, with the sentinels, the nodes of the cluster, the workers'
 * REDIS_PREFIX, or the content of the workers' REDIS_CA_FILE as `ca` (PEM); or host and port. The Redis of the
 * workers.
 */
export type RedisPlace = string | RedisTarget | RedisHost;

export function targetOf(place: RedisPlace): RedisTarget {
  if (typeof place === 'string') return { url: place };
  if ('url' in place) return place;
  const { host = '127.0.0.1', port = 6379, username = '', password = '', db = 0, tls = false, prefix } = place;
  const url = new URL(`${tls ? 'rediss' : 'redis'}://${host.includes(':') ? `[${host}]` : host}:${port}/${db}`);
  url.username = encodeURIComponent(username);
  url.password = encodeURIComponent(password);
  const ca = typeof tls === 'object' ? tls.ca : undefined;
  return { url: url.href, ...(ca === undefined ? {} : { ca }), ...(prefix === undefined ? {} : { prefix }) };
}
