import type { Redis } from 'ioredis';
import type { Clock } from '../lib/clock.ts';
import { placeOf, TAKES_NO_WRITES } from './connections.ts';
import { nodesFollowed, slotOf } from './slot.ts';

/** A fuller Redis accepts nothing new, at any door; what was accepted is settled all the same. */
export const MEMORY_SHARE_MAX = 0.85;

export interface Durability {
  /** Whether a write that was answered survives a loss of power, so that money may be moved on the strength of it. */
  readonly durable: boolean;
  /** Sentences for an operator, each with its remedy. Not empty on an asserted server that we would have refused. */
  readonly reasons: readonly string[];
  /** Another one after a reconnect: another server, or the same one restarted. */
  readonly runId: string;
  /** `7.0.15`; of Valkey, its own version. */
  readonly version: string;
  /** Used share of `maxmemory`, 0 to 1; null without a limit. */
  readonly usedMemoryShare: number | null;
}

interface DurabilityOptions {
  /** `DURABILITY=asserted`: the operator answers for settings that we cannot see or would refuse. */
  readonly asserted: boolean;
  /** How many replicas the fence waits for (`REDIS_WAIT_REPLICAS`). */
  readonly replicas: number;
}

/** Facts as Redis tells them: the fields of INFO and the settings of CONFIG GET. A setting it hides is absent. */
interface ServerFacts {
  readonly info: ReadonlyMap<string, string>;
  readonly settings: ReadonlyMap<string, string>;
  /** Absent: one Redis is spoken to, whatever it says of itself. */
  readonly cluster?: ClusterFacts;
}

interface ClusterFacts {
  /** `ok`, or what is the matter with it. */
  readonly state: string;
  /** Our keys are being given to another node, one by one. */
  readonly leaves: boolean;
}

const SECTIONS = ['persistence', 'server', 'replication', 'memory'] as const;
const REQUIRED = {
  appendonly: 'yes',
  appendfsync: 'always',
  'no-appendfsync-on-rewrite': 'no',
  'maxmemory-policy': 'noeviction',
} as const satisfies Record<string, string>;

const WHY_REQUIRED = {
  appendonly: 'nothing is written to disk',
  appendfsync: 'a loss of power takes writes that were answered',
  'no-appendfsync-on-rewrite': 'writes are not synced while the file is rewritten',
  'maxmemory-policy': 'a full Redis throws records away',
} as const satisfies Record<keyof typeof REQUIRED, string>;

const HOW_TO_ASSERT = 'if its operator vouches that answered writes are kept, set DURABILITY=asserted';

/** Asks Redis whether it keeps what it answers. Rejects when it cannot be reached; a forbidden question is a reason. */
export async function checkDurability(redis: Redis, options: DurabilityOptions): Promise<Durability> {
  const facts = await askFacts(redis);
  const doubts = [...settingDoubts(facts), ...replicaDoubts(facts, options.replicas)];
  const faults = [...diskFaults(facts), ...faultsOf(facts, options.replicas)];
  return {
    // An operator can answer for what we cannot see, but not for a disk that fails or a server that takes no writes.
    durable: faults.length === 0 && (doubts.length === 0 || options.asserted),
    reasons: [...faults, ...doubts],
    runId: facts.info.get('run_id') ?? '',
    version: facts.info.get('valkey_version') ?? facts.info.get('redis_version') ?? 'unknown',
    usedMemoryShare: memoryShare(facts),
  };
}

async function askFacts(redis: Redis): Promise<ServerFacts> {
  const names = [...Object.keys(REQUIRED), 'maxmemory', 'save', 'stop-writes-on-bgsave-error'];
  // One question per setting: servers before 7 take one name at a time, and managed ones hide some and not others.
  const [infos, answers] = await Promise.all([
    Promise.all(SECTIONS.map((section) => unlessForbidden(redis.info(section)))),
    Promise.all(names.map((name) => unlessForbidden(redis.config('GET', name)))),
  ]);
  return {
    info: new Map(infos.flatMap((text) => readInfo(text ?? ''))),
    settings: new Map(answers.flatMap((answer) => readSetting(answer))),
    ...(nodesFollowed(redis) === undefined ? {} : { cluster: await askCluster(redis) }),
  };
}

/** The node says so itself, in its own line: `[12714->-` and the name of the node that gets the slot. */
async function askCluster(redis: Redis): Promise<ClusterFacts> {
  const asked = [redis.cluster('INFO'), redis.cluster('NODES')];
  const [info, nodes] = await Promise.all(asked.map((answer) => unlessForbidden(answer)));
  const { keyPrefix = '' } = redis.options;
  const own =
    String(nodes)
      .split('\n')
      .find((line) => line.includes('myself')) ?? '';
  return {
    state: new Map(readInfo(String(info))).get('cluster_state') ?? 'ok',
    leaves: own.includes(`[${slotOf(keyPrefix)}->-`),
  };
}

/** A refusal by the server (no permission, command renamed) is an answer; anything else is not. */
async function unlessForbidden<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Error && /^(NOPERM|ERR) /.test(error.message)) return undefined;
    throw error;
  }
}

/** Where Redis may not be asked for its name, nobody can tell one from another. */
const UNNAMED = 'unnamed';

/** The server that answers now, as it names itself: another one, or the same started again, has another name. */
export async function serverOf(redis: Redis): Promise<string> {
  const info = await unlessForbidden(redis.info('server'));
  const [, name = UNNAMED] = /run_id:(\w+)/.exec(info ?? '') ?? [];
  return name;
}

function readInfo(text: string): Array<[string, string]> {
  return [...text.matchAll(/^([^#:\r\n]+):(.*?)\r?$/gm)].map(([, key = '', value = '']) => [key, value]);
}

function readSetting(answer: unknown): Array<[string, string]> {
  if (!Array.isArray(answer) || answer.length < 2) return [];
  return [[String(answer[0]), String(answer[1])]];
}

function settingDoubts({ settings }: ServerFacts): readonly string[] {
  const names = Object.keys(REQUIRED) as Array<keyof typeof REQUIRED>;
  const hidden = names.filter((name) => !settings.has(name));
  const wrong = names.filter((name) => settings.has(name) && settings.get(name) !== REQUIRED[name]);
  return [
    ...wrong.map((name) => `${name} is ${settings.get(name)}, so ${WHY_REQUIRED[name]}: ${howToSet(name)}`),
    ...(hidden.length === 0 ? [] : [`Redis does not show ${hidden.join(', ')}: ${HOW_TO_ASSERT}`]),
  ];
}

function howToSet(name: keyof typeof REQUIRED): string {
  return `set it with CONFIG SET ${name} ${REQUIRED[name]} and in redis.conf`;
}

function replicaDoubts({ info }: ServerFacts, replicas: number): readonly string[] {
  const connected = Number(info.get('connected_slaves') ?? 0);
  if (connected === 0 || replicas > 0) return [];
  return [
    `it has ${connected} replica(s) and none is waited for, so a failover takes writes that were answered: ` +
      'set REDIS_WAIT_REPLICAS=1, or DURABILITY=asserted when no replica is ever promoted',
  ];
}

/** A setting that it hides is taken for what Redis does unless it is told otherwise. */
function diskFaults({ info, settings }: ServerFacts): readonly string[] {
  const stopsForSnapshot = settings.get('save') !== '' && settings.get('stop-writes-on-bgsave-error') !== 'no';
  return [
    ...(info.get('aof_last_write_status') === 'err'
      ? ['its last write to disk failed: make room on its disk, and look at its log']
      : []),
    ...(info.get('rdb_last_bgsave_status') === 'err' && stopsForSnapshot
      ? [
          'its last snapshot failed, so it takes no writes: make room on its disk, and look at its log; ' +
            'relais needs no snapshots (CONFIG SET save "")',
        ]
      : []),
  ];
}

function faultsOf(facts: ServerFacts, replicas: number): readonly string[] {
  const { info } = facts;
  const connected = Number(info.get('connected_slaves') ?? replicas);
  return [
    ...kindFaults(facts),
    ...clusterFaults(facts),
    ...(info.get('role') === 'slave' ? ['it is a replica and takes no writes: point REDIS_URL at the primary'] : []),
    ...(connected < replicas
      ? [`REDIS_WAIT_REPLICAS is ${replicas} and ${connected} replica(s) are connected: bring them back`]
      : []),
  ];
}

/** Whatever is set there: it is of a kind that we cannot work with. */
function kindFaults({ info, cluster }: ServerFacts): readonly string[] {
  return [
    // Valkey calls it otherwise.
    ...((info.get('redis_mode') ?? info.get('server_mode')) === 'cluster' && cluster === undefined
      ? [
          'it is a node of a Redis Cluster, whose keys move from node to node: ' +
            'name nodes of it in REDIS_CLUSTER (host:port,host:port), so that they are followed',
        ]
      : []),
    ...(info.has('dragonfly_version')
      ? ['it is Dragonfly, which keeps no append-only file: point REDIS_URL at Redis 6.2 or newer, or Valkey']
      : []),
  ];
}

function clusterFaults({ cluster }: ServerFacts): readonly string[] {
  if (cluster === undefined) return [];
  return [
    ...(cluster.state === 'ok'
      ? []
      : [`its cluster is ${cluster.state}: see CLUSTER INFO, and bring back the nodes that are away`]),
    ...(cluster.leaves
      ? ['its keys are on their way to another node: nothing to do; relais goes on when all of them are there']
      : []),
  ];
}

/** A Redis that answers, and is of a kind that we cannot work with however long we wait. */
export class WrongRedis extends Error {
  override readonly name = 'WrongRedis';
}

/** Throws a `WrongRedis` for a node of a Redis Cluster that is not followed, and for what only answers like Redis. */
export async function refuseWrongKind(redis: Redis): Promise<void> {
  const info = new Map(readInfo((await unlessForbidden(redis.info('server'))) ?? ''));
  const cluster = nodesFollowed(redis) && { state: 'ok', leaves: false };
  const facts = { info, settings: new Map(), ...(cluster ? { cluster } : {}) };
  for (const fault of kindFaults(facts)) {
    throw new WrongRedis(`Redis at ${placeOf(redis)} is not one for relais: ${fault}.`);
  }
}

function memoryShare({ info, settings }: ServerFacts): number | null {
  const limit = Number(info.get('maxmemory') ?? settings.get('maxmemory') ?? 0);
  const used = Number(info.get('used_memory') ?? Number.NaN);
  return limit > 0 && Number.isFinite(used) ? used / limit : null;
}

interface DurabilityWatch {
  readonly redis: Pick<Redis, 'on' | 'off' | 'status'>;
  readonly clock: Clock;
  /** Between two looks. */
  readonly everyMs: number;
  readonly check: () => Promise<Durability>;
  /** Told the first verdict, and then each one that differs. */
  readonly onChange: (verdict: Durability) => void;
}

/** Where money waits for the next look, or memory may run out before it, that one comes sooner. */
const SOON_MS = 5_000;
const FILLING_SHARE = 0.7;

/**
 * Looks at start, every `everyMs` (sooner while something is wrong), whenever the connection is made again, and when a
 * write was refused because of the disk: what answers after a reconnect may be another server, and a setting may be
 * changed while it runs. A look that fails is a verdict too: not durable. The returned function ends the watch; a look
 * on its way is then not told.
 */
export function watchDurability({ redis, clock, everyMs, check, onChange }: DurabilityWatch): () => void {
  let looks = 0;
  let told = '';
  /** Nobody is looking, and the last look found nothing wrong. */
  let calm = false;
  let cancelNext = (): void => undefined;

  const look = async (): Promise<void> => {
    looks += 1;
    const mine = looks;
    calm = false;
    cancelNext();
    const verdict = await check().catch(notAsked);
    if (mine !== looks) return; // a newer look was begun, or the watch has ended
    calm = isCalm(verdict);
    cancelNext = clock.after(calm ? everyMs : Math.min(everyMs, SOON_MS), start);
    if (likeness(verdict) === told) return;
    told = likeness(verdict);
    onChange(verdict);
  };
  const start = (): void => void look();

  // Refusals come by the hundred; one of them is enough, and while something is wrong it is looked at soon anyway.
  const startIfCalm = (): void => {
    if (calm) start();
  };

  redis.on('ready', start);
  redis.on(TAKES_NO_WRITES, startIfCalm);
  start();
  return () => {
    looks += 1;
    cancelNext();
    redis.off('ready', start);
    redis.off(TAKES_NO_WRITES, startIfCalm);
  };
}

function isCalm({ durable, usedMemoryShare }: Durability): boolean {
  return durable && (usedMemoryShare ?? 0) < FILLING_SHARE;
}

function notAsked(error: unknown): Durability {
  const why = error instanceof Error ? error.message : String(error);
  return {
    durable: false,
    reasons: [`Redis could not be asked how it keeps its writes: ${why}`],
    runId: '',
    version: 'unknown',
    usedMemoryShare: null,
  };
}

/** Memory moves with every command; a change of a percent is worth telling, a change of a byte is not. */
function likeness(verdict: Durability): string {
  const { usedMemoryShare: share } = verdict;
  return JSON.stringify({ ...verdict, usedMemoryShare: share === null ? null : Math.round(share * 100) });
}

/**
 * The wait for replicas: what is about to be done must not be forgotten by the server that takes over.
 *
 * Redis lets a connection that waits do nothing else, and the wait is only good on the connection that has written. So
 * all callers that ask while one wait is on its way share the next one, and after one that was in vain nothing waits
 * for a while: otherwise a replica that is away would hold up every other command, until they time out one after the
 * other.
 */

interface FenceOptions {
  /** Asks Redis to wait for so many replicas, for at most so many ms; how many it reached. */
  readonly wait: (replicas: number, ms: number) => Promise<number>;
  readonly replicas: number;
  readonly clock: Clock;
  /** Told how long each wait took, in ms. */
  readonly onWaited?: (ms: number) => void;
}

export interface Fence {
  /** Resolves true when every write that was answered before this call has reached the replicas. */
  readonly pass: () => Promise<boolean>;
  /** Why nobody passes for now; undefined while nothing is known against it. */
  readonly closed: () => string | undefined;
}

const WAIT_MS = 2_000;
const CLOSED_MS = 5_000;

export function createFence({ wait, replicas, clock, onWaited }: FenceOptions): Fence {
  let closedUntilMono = Number.NEGATIVE_INFINITY;
  let underWay: Promise<unknown> = Promise.resolve();
  /** The wait that has not been sent yet: it covers every caller until then. */
  let next: Promise<boolean> | undefined;

  const isClosed = (): boolean => clock.monotonic() < closedUntilMono;
  const ask = async (): Promise<boolean> => {
    next = undefined;
    if (isClosed()) return false;
    const startedMono = clock.monotonic();
    const reached = await wait(replicas, WAIT_MS);
    onWaited?.(clock.monotonic() - startedMono);
    if (reached >= replicas) return true;
    closedUntilMono = clock.monotonic() + CLOSED_MS;
    return false;
  };
  return {
    pass: async () => {
      if (next) return next;
      const mine = underWay.then(ask, ask);
      next = mine;
      underWay = mine;
      return mine;
    },
    closed: () =>
      isClosed()
        ? `the last write did not reach ${replicas} replica(s) in time: look at the replicas and at the network between`
        : undefined,
  };
}
