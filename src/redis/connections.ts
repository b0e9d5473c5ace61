import { isIP } from 'node:net';
import { Redis, type RedisOptions } from 'ioredis';
import { type Clock, systemClock, describeMs } from '../lib/clock.ts';
import { type UrlRule, ignoredIn } from '../lib/whole-url.ts';
import type { Secret } from '../lib/secret.ts';
import { addressesOf, type ClusterNode, followSlot, nodesFollowed } from './slot.ts';
import { message } from '../messages/message.ts';
import { MessageError } from '../messages/texts.ts';

/**
 * Where Redis is. With sentinels or a cluster, `url` still gives the user, the password and whether to use TLS (with
 * sentinels also the database).
 */
export interface RedisTarget {
  readonly url: string;
  /** What all keys of the deployment begin with, as the workers have it in REDIS_PREFIX. Default: `{relais}`. */
  readonly prefix?: string;
  readonly sentinels?: readonly SentinelAddress[];
  /** The name under which the sentinels know the primary. Default: `mymaster`. */
  readonly sentinelName?: string;
  /** Our user name with the sentinels, where they have users; without it, the default user. */
  readonly sentinelUser?: string;
  /** What the sentinels themselves ask for. That of Redis stands in `url`. */
  readonly sentinelPassword?: Secret | string;
  /** Some nodes of a Redis Cluster; they tell of the others. */
  readonly cluster?: readonly ClusterNode[];
  /** For `rediss://`: the authority that signs the certificates of Redis and of the sentinels (PEM). Default: those that Node.js trusts. */
  readonly ca?: string;
}

interface SentinelAddress {
  readonly host: string;
  readonly port: number;
}

interface CommandsOptions {
  /** Shown by `CLIENT LIST`, so that an operator can tell the connections apart. */
  readonly name: string;
  /** Told of every connection error. ioredis keeps reconnecting by itself. */
  readonly onError: (error: Error) => void;
}

/** Options for a connection. Replies keep their classic shapes: BullMQ's QueueEvents does not understand the others. */
export type ConnectionRecipe = Omit<RedisOptions, 'replyMapping'>;

/** Redis did not answer in time. The message says where we looked, never with which password, and what to do. */
export class RedisUnavailable extends Error {
  override readonly name = 'RedisUnavailable';
}

const COMMAND_TIMEOUT_MS = 5_000;
const retryStrategy = (times: number): number => Math.min(100 * times, 1_000);

/**
 * A server that takes no writes any more was the primary until now, and a node of a cluster may have given our keys
 * away. The address may lead to the next one, and it is only asked again when connecting. The refused command itself is
 * not sent a second time. (Before version 7 of Redis what a script was told stands in the middle of the message.)
 */
const reconnectOnError = (error: Error): boolean => /(?:^|: -)(READONLY|MOVED) /.test(error.message);

/**
 * A machine that is gone says no goodbye, and the system tells us after a quarter of an hour. A socket on which an
 * answer is owed for so long is given up, so that the next one finds the new primary. The reads of a worker block for
 * ten seconds at most.
 */
const SILENT_MS = 10_000;
const WORKER_SILENT_MS = 20_000;

/**
 * Commands that fail at once rather than wait: a command whose reply was lost rejects and is never resent, because a
 * resent compare-and-set reports "lost" for a write that it made itself.
 */
const FAIL_FAST = {
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  commandTimeout: COMMAND_TIMEOUT_MS,
  socketTimeout: SILENT_MS,
  retryStrategy,
  reconnectOnError,
} as const satisfies ConnectionRecipe;

/** Event of a connection for commands: Redis has answered that it takes no writes for now, and will say why. */
const TAKES_NO_WRITES = 'takesNoWrites';

/** Its disk fails; or our keys are on their way to another node, or the cluster has no node for them. */
const NOT_NOW = /\b(MISCONF|ASK|TRYAGAIN|CLUSTERDOWN) /;

/**
 * The connection for the witness and the journal: it puts the prefix of the deployment before every key. Not ready yet:
 * see `waitUntilReady`. (What SCAN is asked for and answers has the prefix in it.)
 */
export function openCommands(target: RedisTarget, options: CommandsOptions): Redis {
  return open({ ...addressOf(target), keyPrefix: `${prefixOf(target)}:` }, options);
}

/** The connection of the Queue objects. The prefix of its keys is BullMQ's own affair: see queues/open.ts. */
export function openForQueues(target: RedisTarget, options: CommandsOptions): Redis {
  return open(addressOf(target), options);
}

function open(recipe: ConnectionRecipe, options: CommandsOptions): Redis {
  const redis: Redis = new AutoPipelineRedis({
    ...recipe,
    ...FAIL_FAST,
    connectionName: options.name,
    // Every refusal comes by here. Another connection to a server whose disk fails would be no better.
    reconnectOnError: (error) => {
      if (NOT_NOW.test(error.message)) redis.emit(TAKES_NO_WRITES);
      return reconnectOnError(error);
    },
  });
  redis.on('error', options.onError);
  redis.on('ready', () => lastErrors.delete(redis));
  redis.on('error', (error: Error) => {
    // Hung up on: why was said before.
    if (/ECONNRESET|EPIPE/.test(error.message) && DENIED.test(lastErrors.get(redis)?.message ?? '')) return;
    lastErrors.set(redis, error);
  });
  return redis;
}

/** Protected mode: a client on another machine is told this instead of an answer, and is hung up on. */
const DENIED = /^DENIED /;
const DENIED_SHORTLY = 'DENIED Redis is running in protected mode';

/** Its ten lines speak of a password that is not set: the client takes that for a password too many, and goes on. */
function hearRefusal(redis: Redis, command: Parameters<Redis['sendCommand']>[0]): void {
  const { reject } = command;
  command.reject = (error) => {
    if (!DENIED.test(error.message)) return reject(error);
    const denied = new Error(DENIED_SHORTLY);
    lastErrors.set(redis, denied);
    reject(denied);
  };
}

/** What went wrong last on a connection that is not there. */
const lastErrors = new WeakMap<Redis, Error>();

/** Why nothing can be asked now, where we looked and what to do; undefined: it can. */
export function whyNotReady(redis: Redis): string | undefined {
  if (redis.status === 'ready') return undefined;
  return unavailable(redis, `its connection is ${redis.status}`, lastErrors.get(redis)).message;
}

/**
 * Plain options for the Queue objects that add jobs. Refuse to add while the client is not `ready`: an add before the
 * first connect waits for ever.
 */
export function queueConnection(target: RedisTarget): ConnectionRecipe {
  return { ...addressOf(target), ...FAIL_FAST };
}

/**
 * Plain options for BullMQ workers. Never with a command timeout: a worker's blocking read is meant to wait, and
 * BullMQ needs its commands to be retried without limit.
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
 * One hash tag, so that all keys of a deployment are on one node of a Redis Cluster. No colon after it: `{relais}:two`
 * would have its keys among those of `{relais}`.
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

/** Says goodbye when there is somebody to say it to, and hangs up either way. Never rejects. */
export async function closeConnection(redis: Redis): Promise<void> {
  if (redis.status !== 'ready') return redis.disconnect();
  // A goodbye that fails leaves nothing to save: every command was answered or rejected before.
  await redis.quit().catch(() => redis.disconnect());
}

function unavailable(redis: Redis, why: string, seen: Error | undefined): RedisUnavailable {
  const cause = lastErrors.get(redis) ?? seen;
  const detail = cause === undefined ? '' : ` (last error: ${cause.message})`;
  const told = `Redis at ${placeOf(redis)} is not available: ${why}${detail}. ${remedyFor(cause)}`;
  return new RedisUnavailable(told, { cause });
}

/** Where it was looked for. */
function placeOf(redis: Redis): string {
  const { host, port, sentinels } = redis.options;
  const nodes = nodesFollowed(redis);
  if (nodes !== undefined) return addressesOf(nodes);
  return sentinels?.map((one) => `${one.host}:${one.port}`).join(', ') ?? `${host}:${port}`;
}

/** A Redis that is no node of a cluster, asked for its nodes. */
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
  // As ioredis begins what it heard from the last sentinel; whatever Redis itself refuses comes without it.
  return says.startsWith('All sentinels are unreachable')
    ? 'Mend REDIS_SENTINEL_PASSWORD, and REDIS_SENTINEL_USER where they have users.'
    : 'Mend the user and the password in REDIS_URL.';
}

/** A URL with a bad port or an unknown scheme throws a TypeError whose message does not repeat the password. */
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
  // The sentinels say where the primary is, so its certificate is checked for that address and not for the URL's.
  const tls = encrypted ? { tls: ca, sentinelTLS: ca, enableTLSForSentinelMode: true } : {};
  const name = target.sentinelName ?? 'mymaster';
  return { ...common, ...tls, ...toSentinels(target), sentinels: [...target.sentinels], name };
}

/** A machine of a cluster that is gone does not refuse: others are asked sooner than the system would give up. */
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

/** The text itself. Throws a TypeError with what would be right, and without the password. */
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

/** Is Redis away? What a client says, or fails to say, while its server restarts, fails over or hangs. */

/** A server that is there and takes no command for now. Before version 7 what a script was told stands in the middle. */
const REFUSES =
  /(?:^|: -)(MOVED|ASK|READONLY|LOADING|OOM|MISCONF|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|UNBLOCKED) /;
/** The command cannot have left. */
const NOT_SENT =
  /^(Stream isn't writeable|Connection is closed)|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN/;
/** The command may have been carried out, and only its answer was lost. */
const NO_ANSWER =
  /^(Command timed out|Command aborted|Reached the max retries)|ECONNRESET|EPIPE|ETIMEDOUT|ECONNABORTED|to access a non local key/;
/** A wrong password or certificate stays wrong, and so do protected mode and a Redis that is none of a cluster. */
const NEVER = /WRONGPASS|NOAUTH|NOPERM|DENIED |invalid username-password|certificate|cluster support disabled/;

/** Whether a command was carried out all the same; undefined: it is not about Redis being away. */
export function howAway(error: unknown): 'not done' | 'maybe done' | undefined {
  if (!(error instanceof Error)) return undefined;
  // A transaction that was given up says why in what it was told before.
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

/** What is asked of Redis within one turn of the event loop leaves together. */

/**
 * Commands that are asked for in one turn of the event loop leave in one write. Attempts that were answered together go
 * on together, so Redis reads their commands at once and syncs its file once for all of them; each command keeps its
 * own answer, time-out and error. (The pipelines that ioredis can make by itself send one batch at a time, and what
 * waits for its turn there has no time-out.)
 */
class AutoPipelineRedis extends Redis {
  #held: Redis['stream'] | undefined;
  readonly #last: (() => void)[] = [];

  override sendCommand(...[command, stream]: Parameters<Redis['sendCommand']>): unknown {
    this.#hold();
    if (this.status === 'connect') hearRefusal(this, command);
    return super.sendCommand(command, stream);
  }

  /** Runs this when the turn is over, before what was asked for in it leaves: what it asks for leaves with the rest. */
  beforeLeaving(run: () => void): void {
    this.#last.push(run);
    if (!this.#hold()) setImmediate(() => this.#runLast());
  }

  /** False: there is no connection to hold anything back on. */
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

  /** One of them may have asked for another. */
  #runLast(): void {
    for (let run = this.#last.shift(); run; run = this.#last.shift()) run();
  }
}

/**
 * Collects what is given within one turn of the event loop, and hands it on together, just before what this connection
 * was asked in that turn leaves. `handOn` never rejects.
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
