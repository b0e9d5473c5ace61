import { isIP } from 'node:net';
import { Redis, type RedisOptions } from 'ioredis';
import { type Clock, systemClock, describeMs } from '../lib/clock.ts';
import { type UrlRule, ignoredIn } from '../lib/whole-url.ts';
import type { Secret } from '../lib/secret.ts';
import { addressesOf, type ClusterNode, followSlot, nodesFollowed } from './slot.ts';
import { message } from '../messages/message.ts';
import { MessageError } from '../messages/texts.ts';

/**
 * The location of Redis. With sentinels or a cluster, `url` still provides the user, the password and TLS (with
 * sentinels also the database).
 */
export interface RedisTarget {
  readonly url: string;
  /** The prefix of all keys of the deployment, REDIS_PREFIX of the workers. Default: `{relais}`. */
  readonly prefix?: string;
  readonly sentinels?: readonly SentinelAddress[];
  /** The sentinels' name for the primary. Default: `mymaster`. */
  readonly sentinelName?: string;
  /** Our user name at the sentinels, if they have users; without it, the default user. */
  readonly sentinelUser?: string;
  /** The password of the sentinels. The password of Redis is in `url`. */
  readonly sentinelPassword?: Secret | string;
  /** Some nodes of a Redis Cluster; they name the others. */
  readonly cluster?: readonly ClusterNode[];
  /**
   * For `rediss://`: the authority that signs the certificates of Redis and of the sentinels (PEM). Default: those
   * that Node.js trusts.
   */
  readonly ca?: string;
}

interface SentinelAddress {
  readonly host: string;
  readonly port: number;
}

interface CommandsOptions {
  /** Shown by `CLIENT LIST`, to distinguish the connections. */
  readonly name: string;
  /** Receives every connection error. ioredis reconnects automatically. */
  readonly onError: (error: Error) => void;
}

/** Options for a connection. Replies keep their classic format: BullMQ's QueueEvents does not support the new one. */
export type ConnectionRecipe = Omit<RedisOptions, 'replyMapping'>;

/** Redis did not answer in time. The message names the address, never the password, and the next step. */
export class RedisUnavailable extends Error {
  override readonly name = 'RedisUnavailable';
}

const COMMAND_TIMEOUT_MS = 5_000;
const retryStrategy = (times: number): number => Math.min(100 * times, 1_000);

/**
 * A server that refuses writes was the primary until now, and a cluster node may have moved our keys. The address may
 * lead to the new one, and is only resolved when connecting. The refused command is not repeated. (Before Redis 7 the
 * error of a script is in the middle of the message.)
 */
const reconnectOnError = (error: Error): boolean => /(?:^|: -)(READONLY|MOVED) /.test(error.message);

/**
 * A dead machine closes no connection, and the system reports it after a quarter of an hour. A socket that owes an
 * answer for this time is closed, so that the next one finds the new primary. A worker's reads block for ten seconds
 * at most.
 */
const SILENT_MS = 10_000;
const WORKER_SILENT_MS = 20_000;

/**
 * Commands that fail at once instead of waiting: a command whose reply was lost rejects and is never resent, because
 * a resent compare-and-set reports "lost" for its own write.
 */
const FAIL_FAST = {
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  commandTimeout: COMMAND_TIMEOUT_MS,
  socketTimeout: SILENT_MS,
  retryStrategy,
  reconnectOnError,
} as const satisfies ConnectionRecipe;

/** Event of a command connection: Redis has answered that it accepts no writes for now, and will give the reason. */
const TAKES_NO_WRITES = 'takesNoWrites';

/** Its disk fails; or our keys are moving to another node, or the cluster has no node for them. */
const NOT_NOW = /\b(MISCONF|ASK|TRYAGAIN|CLUSTERDOWN) /;

/**
 * The connection for the witness and the journal: it adds the deployment's prefix to every key. Not ready yet: see
 * `waitUntilReady`. (The patterns and results of SCAN include the prefix.)
 */
export function openCommands(target: RedisTarget, options: CommandsOptions): Redis {
  return open({ ...addressOf(target), keyPrefix: `${prefixOf(target)}:` }, options);
}

/** The connection of the Queue objects. BullMQ adds the key prefix itself: see queues/open.ts. */
export function openForQueues(target: RedisTarget, options: CommandsOptions): Redis {
  return open(addressOf(target), options);
}

function open(recipe: ConnectionRecipe, options: CommandsOptions): Redis {
  const redis: Redis = new AutoPipelineRedis({
    ...recipe,
    ...FAIL_FAST,
    connectionName: options.name,
    // Called for every refusal. Another connection to a server whose disk fails would not help.
    reconnectOnError: (error) => {
      if (NOT_NOW.test(error.message)) redis.emit(TAKES_NO_WRITES);
      return reconnectOnError(error);
    },
  });
  redis.on('error', options.onError);
  redis.on('ready', () => lastErrors.delete(redis));
  redis.on('error', (error: Error) => {
    // The connection was closed: the reason was reported before.
    if (/ECONNRESET|EPIPE/.test(error.message) && DENIED.test(lastErrors.get(redis)?.message ?? '')) return;
    lastErrors.set(redis, error);
  });
  return redis;
}

/** Protected mode: a client on another machine receives this instead of an answer, and is disconnected. */
const DENIED = /^DENIED /;
const DENIED_SHORTLY = 'DENIED Redis is running in protected mode';

/** Its ten lines mention a missing password: the client takes this for an unneeded password, and continues. */
function hearRefusal(redis: Redis, command: Parameters<Redis['sendCommand']>[0]): void {
  const { reject } = command;
  command.reject = (error) => {
    if (!DENIED.test(error.message)) return reject(error);
    const denied = new Error(DENIED_SHORTLY);
    lastErrors.set(redis, denied);
    reject(denied);
  };
}

/** The last error of a connection that is down. */
const lastErrors = new WeakMap<Redis, Error>();

/** Why no command can be sent now, with the address and the next step; undefined: commands can be sent. */
export function whyNotReady(redis: Redis): string | undefined {
  if (redis.status === 'ready') return undefined;
  return unavailable(redis, `its connection is ${redis.status}`, lastErrors.get(redis)).message;
}

/**
 * Plain options for the Queue objects that add jobs. Do not add while the client is not `ready`: an add before the
 * first connect waits for ever.
 */
export function queueConnection(target: RedisTarget): ConnectionRecipe {
  return { ...addressOf(target), ...FAIL_FAST };
}

/**
 * Plain options for BullMQ workers. Never with a command time-out: a worker's blocking read must wait, and BullMQ
 * needs unlimited retries of its commands.
 */
export function workerConnection(target: RedisTarget): ConnectionRecipe {
  return {
    ...addressOf(target),
    maxRetriesPerRequest: null,
    socketTimeout: WORKER_SILENT_MS,
    retryStrategy,
    reconnectOnError,
  };
}

export const DEFAULT_PREFIX = '{relais}';

/**
 * One hash tag, so that all keys of a deployment are on one node of a Redis Cluster. No colon after it: the keys of
 * `{relais}:two` would be among those of `{relais}`.
 */
const PREFIXES = /^[\w.:-]{0,32}\{[\w.:-]{1,64}\}[\w.-]{0,32}$/;

export function readPrefix(text: string): string {
  if (PREFIXES.test(text)) return text;
  throw new MessageError(message('redis_prefix'));
}

export function prefixOf({ prefix = DEFAULT_PREFIX }: RedisTarget): string {
  return readPrefix(prefix);
}

/** Resolves when commands can be sent; rejects with `RedisUnavailable` after `ms`, or when the client was closed. */
export function waitUntilReady(redis: Redis, ms: number, clock: Clock = systemClock): Promise<void> {
  if (redis.status === 'ready') return Promise.resolve();
  return new Promise((resolve, reject) => {
    let lastError: Error | undefined;
    const settle = (finish: () => void): void => {
      cancel();
      redis.off('ready', ready).off('end', end).off('error', remember);
      finish();
    };
    const refuse = (why: string): void => settle(() => reject(unavailable(redis, why, lastError)));
    const ready = (): void => settle(resolve);
    const end = (): void => refuse('its connection is closed');
    const remember = (error: Error): void => {
      lastError = error;
    };
    const cancel = clock.after(ms, () => refuse(`it did not answer within ${describeMs(ms)}`));
    redis.on('ready', ready).on('end', end).on('error', remember);
    if (redis.status === 'end') end();
  });
}

/** Sends QUIT if connected, and disconnects in any case. Never rejects. */
export async function closeConnection(redis: Redis): Promise<void> {
  if (redis.status !== 'ready') return redis.disconnect();
  // A failed QUIT loses nothing: every command was answered or rejected before.
  await redis.quit().catch(() => redis.disconnect());
}

function unavailable(redis: Redis, why: string, seen: Error | undefined): RedisUnavailable {
  const cause = lastErrors.get(redis) ?? seen;
  const detail = cause === undefined ? '' : ` (last error: ${cause.message})`;
  const told = `Redis at ${placeOf(redis)} is not available: ${why}${detail}. ${remedyFor(cause)}`;
  return new RedisUnavailable(told, { cause });
}

/** The address for messages. */
function placeOf(redis: Redis): string {
  const { host, port, sentinels } = redis.options;
  const nodes = nodesFollowed(redis);
  if (nodes !== undefined) return addressesOf(nodes);
  return sentinels?.map((one) => `${one.host}:${one.port}`).join(', ') ?? `${host}:${port}`;
}

/** The answer of a Redis that is not a cluster node. */
const NO_CLUSTER = /cluster support disabled/;
const SIGNED_BY_OTHERS = /self-signed certificate|unable to (?:verify the first|get (?:local )?issuer) certificate/;
const OF_ANOTHER_NAME = /does not match certificate's altnames/;

function remedyFor(cause: Error | undefined): string {
  const says = cause?.message ?? '';
  if (DENIED.test(says))
    return 'Mend it there: give it a password (requirepass) that stands in REDIS_URL too, or, in a closed network, set protected-mode no.';
  if (NO_CLUSTER.test(says))
    return 'Point REDIS_CLUSTER at nodes of a cluster, or leave it out and point REDIS_URL at this Redis.';
  if (SIGNED_BY_OTHERS.test(says))
    return 'Name the file of the authority that signed its certificate in REDIS_CA_FILE.';
  if (OF_ANOTHER_NAME.test(says))
    return 'Name it in REDIS_URL, REDIS_SENTINELS or REDIS_CLUSTER as its certificate does, or give it one for that name.';
  if (!/NOAUTH|WRONGPASS|NOPERM/.test(says))
    return 'Start it, or point REDIS_URL (or REDIS_SENTINELS, or REDIS_CLUSTER) at one that runs; `relais dev` brings its own.';
  // ioredis adds this prefix to the answer of the last sentinel; a refusal by Redis itself has none.
  return says.startsWith('All sentinels are unreachable')
    ? 'Mend REDIS_SENTINEL_PASSWORD, and REDIS_SENTINEL_USER where they have users.'
    : 'Mend the user and the password in REDIS_URL.';
}

/** A URL with an invalid port or an unknown scheme throws a TypeError whose message does not repeat the password. */
function addressOf(target: RedisTarget): ConnectionRecipe {
  const url = readUrl(target.url);
  const host = url.hostname.replace(/^\[|\]$/g, '') || '127.0.0.1';
  const common = {
    ...(url.username === '' ? {} : { username: decoded(url.username) }),
    ...(url.password === '' ? {} : { password: decoded(url.password) }),
    db: readDatabase(url.pathname),
  };
  const ca = target.ca === undefined ? {} : { ca: target.ca };
  const encrypted = url.protocol === 'rediss:';
  if (target.cluster !== undefined && target.cluster.length > 0)
    return toCluster(target, common, encrypted ? { tls: ca } : {});
  if (target.sentinels === undefined || target.sentinels.length === 0) {
    const tls = encrypted ? { tls: { ...(isIP(host) === 0 ? { servername: host } : {}), ...ca } } : {};
    return { ...common, ...tls, host, port: url.port === '' ? 6379 : Number(url.port) };
  }
  // The sentinels report the primary's address, so its certificate is checked for that address and not for the URL's.
  const tls = encrypted ? { tls: ca, sentinelTLS: ca, enableTLSForSentinelMode: true } : {};
  const name = target.sentinelName ?? 'mymaster';
  return { ...common, ...tls, ...toSentinels(target), sentinels: [...target.sentinels], name };
}

/** A dead machine of a cluster does not refuse connections: other nodes are tried before the system gives up. */
const CLUSTER_CONNECT_MS = 3_000;

function toCluster(
  target: RedisTarget,
  { db, ...user }: Pick<RedisOptions, 'username' | 'password' | 'db'>,
  encryption: { readonly tls?: { readonly ca?: string } },
): ConnectionRecipe {
  const { cluster: nodes = [], sentinels = [] } = target;
  if (sentinels.length > 0) throw new TypeError('a Redis is found by sentinels or in a cluster, not both');
  if (db !== 0) throw new TypeError('a Redis Cluster has no databases: leave the number out of the Redis URL');
  const speaking = { ...user, ...encryption };
  const following = { nodes, prefix: prefixOf(target), speaking, retryStrategy, clock: systemClock };
  return { ...speaking, Connector: followSlot(following), connectTimeout: CLUSTER_CONNECT_MS };
}

function toSentinels({ sentinelUser: user, sentinelPassword: password }: RedisTarget): ConnectionRecipe {
  return {
    ...(user === undefined ? {} : { sentinelUsername: user }),
    ...(password === undefined
      ? {}
      : { sentinelPassword: typeof password === 'string' ? password : password.reveal() }),
  };
}

/** Returns the text. Throws a TypeError with the correct form, and without the password. */
export function readRedisUrl(text: string): string {
  addressOf({ url: text });
  return text;
}

const REDIS_URL: UrlRule = {
  protocol: /^rediss?$/,
  example: 'redis://host:6379, rediss://user:password@host:6379/0',
  user: true,
  instead: {
    db: 'redis_database',
    tls: 'redis_tls',
  },
};

function readUrl(text: string): URL {
  const ignored = ignoredIn(text, REDIS_URL);
  if (ignored === undefined) return new URL(text);
  throw new MessageError(ignored);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new MessageError(message('percent_encoded'));
  }
}

function readDatabase(path: string): number {
  const text = path.replace(/^\//, '');
  if (/^\d*$/.test(text)) return Number(text);
  throw new MessageError(message('redis_database_number', { text }));
}

/** Errors of a client while its Redis restarts, fails over or hangs. */

/** The server is up and accepts no commands for now. Before Redis 7 the error of a script is in the middle. */
const REFUSES =
  /(?:^|: -)(MOVED|ASK|READONLY|LOADING|OOM|MISCONF|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|UNBLOCKED) /;
/** The command cannot have left. */
const NOT_SENT =
  /^(Stream isn't writeable|Connection is closed)|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN/;
/** The command may have been executed, and only its answer was lost. */
const NO_ANSWER =
  /^(Command timed out|Command aborted|Reached the max retries)|ECONNRESET|EPIPE|ETIMEDOUT|ECONNABORTED|to access a non local key/;
/** Permanent errors: a wrong password or certificate, protected mode, a Redis that is not a cluster node. */
const NEVER = /WRONGPASS|NOAUTH|NOPERM|DENIED |invalid username-password|certificate|cluster support disabled/;

/** Whether a command may have been executed; undefined: the error does not mean that Redis is away. */
export function howAway(error: unknown): 'not done' | 'maybe done' | undefined {
  if (!(error instanceof Error)) return undefined;
  // An aborted transaction has its reason in an earlier error.
  const before = 'previousErrors' in error && Array.isArray(error.previousErrors) ? error.previousErrors : [];
  const told = [error, error.cause, ...before].map((one) => (one instanceof Error ? one.message : ''));
  const says = (words: RegExp): boolean => told.some((one) => words.test(one));
  if (says(NEVER)) return undefined;
  if (error.name === 'RedisUnavailable' || says(REFUSES) || says(NOT_SENT)) return 'not done';
  return error.name === 'MaxRetriesPerRequestError' || says(NO_ANSWER) ? 'maybe done' : undefined;
}

export function isAway(error: unknown): boolean {
  return howAway(error) !== undefined;
}

/** Commands of one turn of the event loop leave together. */

/**
 * Commands of one turn of the event loop leave in one write. Attempts that were answered together continue together,
 * so Redis reads their commands at once and syncs its file for all of them; each command has its own answer, time-out
 * and error. (The automatic pipelines of ioredis send one batch at a time, and commands waiting there have no
 * time-out.)
 */
class AutoPipelineRedis extends Redis {
  #held: Redis['stream'] | undefined;
  readonly #last: (() => void)[] = [];

  override sendCommand(...[command, stream]: Parameters<Redis['sendCommand']>): unknown {
    this.#hold();
    if (this.status === 'connect') hearRefusal(this, command);
    return super.sendCommand(command, stream);
  }

  /** Runs this at the end of the turn, before its commands leave: further commands leave with them. */
  beforeLeaving(run: () => void): void {
    this.#last.push(run);
    if (!this.#hold()) setImmediate(() => this.#runLast());
  }

  /** False: there is no connection to delay. */
  #hold(): boolean {
    const wire: Redis['stream'] | undefined = this.stream;
    if (wire === undefined) return false;
    if (this.#held === wire) return true;
    this.#held = wire;
    wire.cork();
    setImmediate(() => {
      try {
        this.#runLast();
      } finally {
        if (this.#held === wire) this.#held = undefined;
        wire.uncork();
      }
    });
    return true;
  }

  /** A callback may have added another. */
  #runLast(): void {
    for (let run = this.#last.shift(); run; run = this.#last.shift()) run();
  }
}

/**
 * Collects the items of one turn of the event loop, and passes them on just before the commands of that turn leave.
 * `handOn` never rejects.
 */
export function batchPerTick<T>(
  redis: object | undefined,
  handOn: (together: readonly T[]) => Promise<void>,
): (one: T) => void {
  let collected: T[] = [];
  const run = (): void => {
    const together = collected;
    collected = [];
    void handOn(together);
  };
  return (one) => {
    collected.push(one);
    if (collected.length > 1) return;
    if (redis instanceof AutoPipelineRedis) redis.beforeLeaving(run);
    else setImmediate(run);
  };
}
