/** Where the Redis of the workers is. */
import type { RedisTarget } from '../redis/connections.ts';

/** A host and a port, as BullMQ's own `connection` has them. */
export interface RedisHost {
  readonly host?: string;
  readonly port?: number;
  readonly username?: string;
  readonly password?: string;
  readonly db?: number;
  /** What all keys of the deployment begin with, as the workers have it in REDIS_PREFIX. Default: `{relais}`. */
  readonly prefix?: string;
  /** Speak TLS; with `ca` (PEM) where Node.js does not know the authority that signed the certificate of Redis. */
  readonly tls?: boolean | { readonly ca?: string };
}

/**
 * `redis://…` or `rediss://…`; or that as `url`, with the sentinels, with the nodes of the cluster, with the workers' REDIS_PREFIX or with what the workers have in REDIS_CA_FILE as
 * `ca` (PEM); or host and port. The same Redis that the workers use.
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
