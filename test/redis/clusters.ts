/** A Redis Cluster of our own: three primaries, one of them with replicas, and what is done to a cluster by hand. */
import { expect, vi } from 'vitest';
import { freePort } from '../../src/lib/listening.ts';
import type { ConnectionRecipe } from '../../src/redis/connections.ts';
import { slotOf } from '../../src/redis/slot.ts';
import { type Server, startServer } from './servers.ts';

export interface Node extends Server {
  readonly id: string;
}

export interface TestCluster {
  readonly nodes: readonly Node[];
  /** As REDIS_CLUSTER takes them. */
  readonly addresses: string;
  readonly password: string | undefined;
  /** The node that takes writes to the keys of the prefix. */
  primary(): Promise<Node>;
  replicasOf(primary: Node): Promise<readonly Node[]>;
  /** A primary that has other slots. */
  another(): Promise<Node>;
  stop(): Promise<void>;
}

const SLOTS = 16_384;
const PRIMARIES = 3;
const AGREED = { timeout: 60_000, interval: 100 };
/** After this a node that says nothing counts as gone. */
const NODE_TIMEOUT_MS = '1500';

interface Shape {
  /** What the keys begin with whose primary has the replicas. */
  readonly prefix: string;
  readonly replicas: number;
  /** Of each node, over the usual ones. */
  readonly settings?: Readonly<Record<string, string>>;
  /** How the looking client connects then. */
  readonly client?: ConnectionRecipe;
  /** The nodes are spoken to with encryption alone, by each other too. */
  readonly encrypted?: boolean;
}

export async function startCluster({ prefix, replicas, ...how }: Shape): Promise<TestCluster> {
  const nodes = await Promise.all(Array.from({ length: PRIMARIES + replicas }, () => startNode(how)));
  const primaries = nodes.slice(0, PRIMARIES);
  for (const [at, node] of primaries.entries()) {
    const first = Math.ceil((SLOTS * at) / PRIMARIES);
    const last = Math.ceil((SLOTS * (at + 1)) / PRIMARIES) - 1;
    await node.redis.call('CLUSTER', 'ADDSLOTSRANGE', first, last);
  }
  for (const [at, node] of nodes.entries()) await node.redis.call('CLUSTER', 'SET-CONFIG-EPOCH', at + 1);
  await acquaint(nodes);
  const { id, redis } = await primaryOf(nodes, prefix);
  for (const replica of nodes.slice(PRIMARIES)) await replica.redis.call('CLUSTER', 'REPLICATE', id);
  await untilWhole(nodes, { redis, replicas });
  return {
    nodes,
    addresses: nodes.map(({ port }) => `127.0.0.1:${port}`).join(','),
    password: how.client?.password,
    primary: () => primaryOf(nodes, prefix),
    replicasOf: async (primary) => {
      const lines = (await primary.redis.call('CLUSTER', 'REPLICAS', primary.id)) as string[];
      return nodes.filter((node) => lines.some((line) => line.startsWith(node.id)));
    },
    another: async () => {
      const ours = await primaryOf(nodes, prefix);
      return found(primaries, (one) => one.id !== ours.id);
    },
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
}

async function startNode({ settings, client, encrypted }: Omit<Shape, 'prefix' | 'replicas'>): Promise<Node> {
  const port = String(await freePort());
  const ours = {
    'cluster-enabled': 'yes',
    'cluster-node-timeout': NODE_TIMEOUT_MS,
    'cluster-replica-validity-factor': '0',
    // A replica of ours would go over to a primary that has none, and the test waits for it where it was.
    'cluster-allow-replica-migration': 'no',
    // By itself it would be ten thousand above the port, where there may be nothing.
    'cluster-port': String(await freePort()),
    'repl-diskless-sync-delay': '0',
    ...(encrypted ? { 'tls-port': port, 'tls-cluster': 'yes', 'tls-replication': 'yes' } : { port }),
  };
  const server = await startServer({ ...ours, ...settings }, client);
  return { ...server, id: String(await server.redis.call('CLUSTER', 'MYID')) };
}

async function acquaint(nodes: readonly Node[]): Promise<void> {
  const [first, ...others] = nodes;
  await vi.waitFor(async () => {
    const met = String(await first?.redis.call('CLUSTER', 'NODES'));
    // On a busy machine a handshake may take longer than it may.
    for (const { id, port, redis } of others) {
      if (met.includes(id)) continue;
      const [, bus = ''] = await redis.config('GET', 'cluster-port');
      await first?.redis.call('CLUSTER', 'MEET', '127.0.0.1', port, bus);
    }
    for (const node of nodes) {
      const known = String(await node.redis.call('CLUSTER', 'NODES'));
      for (const { id } of nodes) expect(known).toContain(id);
    }
  }, AGREED);
}

/** Every node knows who has which slots, and every replica has what its primary has. */
async function untilWhole(
  nodes: readonly Node[],
  { redis: primary, replicas }: { readonly redis: Node['redis']; readonly replicas: number },
): Promise<void> {
  await vi.waitFor(async () => {
    for (const { redis } of nodes) {
      expect(await redis.call('CLUSTER', 'INFO')).toMatch(/cluster_state:ok\r\ncluster_slots_assigned:16384/);
      expect(String(await redis.call('CLUSTER', 'NODES')).match(/\bslave\b/g) ?? []).toHaveLength(replicas);
    }
    expect((await primary.info('replication')).match(/state=online/g) ?? []).toHaveLength(replicas);
  }, AGREED);
}

async function primaryOf(nodes: readonly Node[], prefix: string): Promise<Node> {
  const slot = slotOf(prefix);
  for (const node of nodes) {
    const rows = await node.redis.call('CLUSTER', 'SLOTS').catch(() => undefined);
    for (const [first, last, [, , id]] of (rows ?? []) as [number, number, [string, number, string]][]) {
      if (first <= slot && slot <= last) return found(nodes, (one) => one.id === id);
    }
  }
  throw new Error(`nobody has slot ${slot}`);
}

function found(nodes: readonly Node[], wanted: (node: Node) => boolean): Node {
  const node = nodes.find(wanted);
  if (!node) throw new Error('no such node');
  return node;
}

interface Move {
  readonly cluster: TestCluster;
  readonly prefix: string;
  /** Keys that travel together, as `redis-cli --cluster reshard --cluster-pipeline` has them. */
  readonly together?: number;
  /** Told how many are there already, after each of these steps; the move goes on when it resolves. */
  readonly onMoved?: (moved: number) => Promise<unknown>;
}

const TEN = 10;
const MIGRATE_MS = 60_000;

/** Gives the slot of our keys to another primary, in the steps of `redis-cli --cluster reshard`. How many keys it had. */
export async function moveSlot({ cluster, prefix, together = TEN, onMoved }: Move): Promise<number> {
  const slot = slotOf(prefix);
  const [from, to] = [await cluster.primary(), await cluster.another()];
  await to.redis.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id);
  await from.redis.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id);
  const { password } = cluster;
  const auth = password === undefined ? [] : ['AUTH', password];
  let moved = 0;
  for (;;) {
    const names = (await from.redis.call('CLUSTER', 'GETKEYSINSLOT', slot, together)) as string[];
    if (names.length === 0) break;
    await from.redis.call('MIGRATE', '127.0.0.1', to.port, '', 0, MIGRATE_MS, ...auth, 'KEYS', ...names);
    moved += names.length;
    await onMoved?.(moved);
  }
  const others = cluster.nodes.filter(({ id }) => id !== to.id && id !== from.id);
  for (const node of [to, from, ...others]) {
    // A replica does not take this; it hears of it.
    await node.redis.call('CLUSTER', 'SETSLOT', slot, 'NODE', to.id).catch(() => undefined);
  }
  return moved;
}
