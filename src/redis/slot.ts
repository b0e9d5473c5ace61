/**
 * Finds the node of a Redis Cluster that holds our keys. All of them are in one slot, so one node at a time has them
 * all, and a connection to that node works like one to a single Redis: WAIT, INFO, TIME, SCAN, transactions and
 * blocking reads cover our keys. (ioredis' own cluster client sends commands without a key to any node, and repeats
 * commands that may have been executed.) The cluster is asked for the node at every connect.
 */
import { type NetConnectOpts, isIP, connect } from 'node:net';
import { connect as connectEncrypted } from 'node:tls';
import { AbstractConnector, Redis, type RedisOptions } from 'ioredis';
import type { Clock } from '../lib/clock.ts';

export interface ClusterNode {
  readonly host: string;
  readonly port: number;
}

/** Connection options of every node. */
type Speaking = Pick<RedisOptions, 'username' | 'password'> & {
  readonly tls?: { readonly ca?: string };
};

interface Following {
  /** Some nodes of the cluster: they name the others. */
  readonly nodes: readonly ClusterNode[];
  readonly prefix: string;
  readonly speaking: Speaking;
  /** The wait between two rounds through all nodes. */
  readonly retryStrategy: (times: number) => number;
  readonly clock: Pick<Clock, 'sleep'>;
}

type Connector = NonNullable<RedisOptions['Connector']>;
type Tell = Parameters<AbstractConnector['connect']>[0];
type Stream = Awaited<ReturnType<AbstractConnector['connect']>>;

const ANSWERS_WITHIN_MS = 2_000;
const DISCONNECT_MS = 2_000;
const SLOTS = 16_384;
/** Errors of the network and of our time-outs, for a node that did not answer. */
const NOBODY_THERE = /: (?:connect |getaddrinfo |Command timed out)/;

/** The configured nodes of each kind of connection. */
const followed = new WeakMap<Connector, readonly ClusterNode[]>();

/** Replaces host and port for ioredis. Connections share what they learn about the nodes. */
export function followSlot(following: Following): Connector {
  const map = new SlotMap(following);
  const connector = class extends SlotConnector {
    constructor() {
      super(map, following);
    }
  };
  followed.set(connector, following.nodes);
  return connector;
}

/** Undefined: a connection to one Redis, without a cluster. */
export function nodesFollowed(redis: Pick<Redis, 'options'>): readonly ClusterNode[] | undefined {
  const { Connector: connector } = redis.options;
  return connector && followed.get(connector);
}

export const addressesOf = (nodes: readonly ClusterNode[]): string =>
  nodes.map(({ host, port }) => `${host}:${port}`).join(', ');

/** The slot of the text in the braces, as the cluster computes it. */
export function slotOf(prefix: string): number {
  const [, tag = prefix] = /\{([^}]+)\}/.exec(prefix) ?? [];
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return crc % SLOTS;
}

class SlotConnector extends AbstractConnector {
  readonly #map: SlotMap;
  readonly #following: Following;
  /** Identifies the current search: an aborted one must not continue beside the next. */
  #search = 0;

  constructor(map: SlotMap, following: Following) {
    super(DISCONNECT_MS);
    this.#map = map;
    this.#following = following;
  }

  override async connect(tell: Tell): Promise<Stream> {
    this.connecting = true;
    this.#search += 1;
    const mine = this.#search;
    const isWanted = (): boolean => this.connecting && this.#search === mine;
    const { clock, retryStrategy, speaking } = this.#following;
    for (let times = 1; ; times += 1) {
      const found = await this.#map.ask().catch((error: unknown) => error);
      // ioredis' own message for a connection that was closed meanwhile.
      if (!isWanted()) throw new Error('Connection is closed.');
      if (isNode(found)) return (this.stream = this.#open(found, speaking));
      tell('error', found instanceof Error ? found : new Error(String(found)));
      await clock.sleep(retryStrategy(times));
    }
  }

  /** Every refused command requests this, and many are refused at once. */
  override disconnect(): void {
    if (this.stream?.writableEnded) this.connecting = false;
    else super.disconnect();
  }

  #open(node: ClusterNode, { tls }: Speaking): Stream {
    const stream =
      tls === undefined ? connect(node satisfies NetConnectOpts) : connectEncrypted(encrypted(node, tls));
    stream.once('error', (error) => (this.firstError = error));
    return stream;
  }
}

const encrypted = (node: ClusterNode, tls: { readonly ca?: string }) => ({
  ...node,
  ...tls,
  ...(isIP(node.host) === 0 ? { servername: node.host } : {}),
});

function isNode(value: unknown): value is ClusterNode {
  return typeof value === 'object' && value !== null && !(value instanceof Error);
}

/** The node that has the slot, as far as the nodes know. */
class SlotMap {
  readonly #following: Following;
  readonly #slot: number;
  #known: readonly ClusterNode[];
  /** Each search begins with another node, because one may be outdated. */
  #next = 0;

  constructor(following: Following) {
    this.#following = following;
    this.#slot = slotOf(following.prefix);
    this.#known = following.nodes;
  }

  /**
   * The node that has our keys, from the first answer; otherwise an answer without it, in preference to connection
   * errors.
   */
  async ask(): Promise<ClusterNode> {
    const wrong: unknown[] = [];
    const nodes = this.#known;
    this.#next += 1;
    for (let at = 0; at < nodes.length; at += 1) {
      const node = nodes[(this.#next + at) % nodes.length];
      if (node === undefined) continue;
      try {
        return this.#read(await askSlots(node, this.#following.speaking), node);
      } catch (error) {
        wrong.push(error);
      }
    }
    throw wrong.find((error) => !NOBODY_THERE.test(String(error))) ?? wrong.at(-1);
  }

  /** Rows of first and last slot, then the nodes with these slots, the primary first. */
  #read(answer: unknown, asked: ClusterNode): ClusterNode {
    const rows = listIn(answer)
      .map(listIn)
      .map(([first, last, ...nodes]) => ({
        first: Number(first),
        last: Number(last),
        nodes: nodes.map((node) => readNode(node, asked)),
      }));
    const [primary] = rows.find(({ first, last }) => first <= this.#slot && this.#slot <= last)?.nodes ?? [];
    // The same text as the nodes use.
    if (primary === undefined) throw new Error(`CLUSTERDOWN Hash slot ${this.#slot} is not served by any node`);
    const all = [...rows.flatMap(({ nodes }) => nodes), ...this.#following.nodes];
    this.#known = [...new Map(all.map((node) => [addressesOf([node]), node])).values()];
    return primary;
  }
}

function listIn(answer: unknown): readonly unknown[] {
  if (!Array.isArray(answer)) throw new Error(`CLUSTER SLOTS answered no list: ${JSON.stringify(answer)}`);
  return answer;
}

/** A node that does not know its own name means the address of the request. */
function readNode(node: unknown, { host: askedAt }: ClusterNode): ClusterNode {
  const [host, port] = listIn(node);
  return { host: typeof host === 'string' && host !== '' && host !== '?' ? host : askedAt, port: Number(port) };
}

async function askSlots(node: ClusterNode, { tls, ...user }: Speaking): Promise<unknown> {
  const redis = new Redis({
    ...user,
    ...node,
    ...(tls === undefined ? {} : { tls: encrypted(node, tls) }),
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    enableReadyCheck: false,
    disableClientInfo: true,
    connectTimeout: ANSWERS_WITHIN_MS,
    commandTimeout: ANSWERS_WITHIN_MS,
  });
  let cause: Error | undefined;
  redis.on('error', (error: Error) => (cause ??= error));
  try {
    return await redis.cluster('SLOTS');
  } catch (error) {
    // The first error is more specific than a closed connection.
    const told = cause?.message ?? (error instanceof Error ? error.message : String(error));
    throw new Error(`${addressesOf([node])}: ${told}`, { cause: error });
  } finally {
    redis.disconnect();
  }
}
