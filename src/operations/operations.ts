/**
 * What we know, and the only ways to change it. Every change is one script: compare, then set, with the event that
 * announces it. This file decides nothing about retries; it keeps what others decided.
 */
import type { QueueName } from '../kinds/due-queues.ts';
import type { Kind, lookQueueOf } from '../kinds/index.ts';
import type { Random } from '../lib/random.ts';
import type { Traces } from '../lib/traces.ts';
import { RedisUnavailable } from '../redis/connections.ts';
import type { RecordHost } from '../redis/scripts.ts';
import {
  type AcceptedAt,
  Accepting,
  type AcceptingScripts,
  type NewOperation,
  acceptingScripts,
} from './accepting.ts';
import { type Acquired, Acquiring } from './acquiring.ts';
import { Changing } from './changing.ts';
import { type AskedFields, differing } from './differing.ts';
import { type Guard, NO_MEMORY } from './heartbeat.ts';
import { keys } from './keys.ts';
import { type Hinted, Nudging } from './nudging.ts';
import { Names } from './places.ts';
import type { Opinions } from '../kinds/limits.ts';
import type { RecordBase } from './record.ts';
import { hasLeft } from './stubs.ts';
import { appendEvidence, claim, handBack, take } from './scripts/generated/scripts.ts';
import {
  type EvidenceDraft,
  NOTHING_POSTED,
  type Posted,
  type Said,
  packEvidence,
  type Change,
  type TransitionResult,
} from './transition.ts';

export interface OperationsOptions {
  readonly redis: RecordHost;
  readonly random: Random;
  /** Gives the time instead of Redis, for tests that turn the clock by hand. */
  readonly now?: () => number;
  /** Resolves true when the write before it has reached the replicas that must have it. Absent: there are none. */
  readonly fence?: (() => Promise<boolean>) | undefined;
  /** What this process remembers of Redis. Absent: nothing. */
  readonly heartbeat?: Guard | undefined;
  /** Names of the accounts that there are: what stands in their way is read with each record that is acquired. */
  readonly standingsOf?: readonly string[];
  /** What the settings of this process ask of the limits of money. Absent: nothing; what holds in Redis holds. */
  readonly limits?: Opinions | undefined;
  /** In the place of those that accept, for a double. */
  readonly scripts?: AcceptingScripts | undefined;
  /** What is to be accepted is judged by every rule, and nothing is written. */
  readonly dryRun?: boolean;
  /** Absent: nothing is traced, and no record or event says to which trace it belongs. */
  readonly traces?: Traces | undefined;
}

export class Operations {
  readonly #redis: RecordHost;
  readonly #random: Random;
  readonly #now: () => number | undefined;
  readonly #fence: OperationsOptions['fence'];
  readonly #acquiring: Acquiring;
  readonly #changing: Changing;
  readonly #accepting: Accepting;
  readonly #nudging: Nudging;
  readonly #scripts: AcceptingScripts;
  readonly #dryRun: boolean;

  constructor(options: OperationsOptions) {
    const { redis, random, now, fence, standingsOf = [], limits = {}, heartbeat = NO_MEMORY } = options;
    const { scripts = acceptingScripts, dryRun = false } = options;
    this.#dryRun = dryRun;
    const traces = dryRun ? undefined : options.traces;
    this.#scripts = scripts;
    const names = Names.of({ redis, heartbeat, nameKey: scripts.nameKey });
    this.#redis = redis;
    this.#fence = fence;
    this.#random = random;
    this.#now = () => now?.();
    this.#acquiring = new Acquiring({ redis, now: this.#now, standingsOf });
    this.#accepting = new Accepting({ redis, now: this.#now, names, heartbeat, traces, limits, scripts, dryRun });
    this.#nudging = new Nudging({ redis, now: this.#now });
    this.#changing = new Changing({ redis, random, now: this.#now, names, heartbeat, traces });
  }

  /** Those of one turn of the event loop that are alike share one script, whichever door they came through. */
  async accept<K extends Kind>(operation: NewOperation<K>): Promise<AcceptedAt> {
    const accepted = await this.#accepting.one(operation);
    if (accepted.outcome === 'conflict') return this.#conflict(accepted.id, operation);
    const isSaid = accepted.outcome === 'accepted' || accepted.outcome === 'duplicate';
    if (isSaid && !this.#dryRun) await this.awaitReplicated(accepted.id, { fp: operation.fingerprint });
    return accepted;
  }

  async #conflict(id: string, asked: AskedFields): Promise<AcceptedAt> {
    if (await this.#scripts.isOfLostTime(this.#redis, id)) return { outcome: 'lost', id };
    return { outcome: 'conflict', id, differs: await this.differs(id, asked) };
  }

  /** What of a request is not as in the record that stands in its place, as JSON pointers. */
  async differs(id: string, asked: AskedFields): Promise<readonly string[]> {
    return differing(asked, await this.#scripts.fieldsOf(this.#redis, id));
  }

  /** The record for an attempt in this queue, if it is to be had. */
  acquire<K extends Kind>(kind: K, id: string, queue: QueueName, leaseMs: number): Promise<Acquired<K>> {
    return this.#acquiring.one(kind, { id, queue, leaseMs, lease: this.#random.hex(16) });
  }

  /** `lease` absent: a person's doing, which any attempt in flight will find out about when it settles. */
  transition<K extends Kind>(
    record: RecordBase<K>,
    lease: string | undefined,
    change: Change<K>,
  ): Promise<TransitionResult> {
    return this.#changing.one(record, lease, change);
  }

  /**
   * Reads the record again after the fence. True only if what we wrote is still there: an acknowledged write may be
   * gone after a rollback of Redis, and then the side effect must not happen.
   */
  async stillMine(id: string, expected: Readonly<Record<string, string>>): Promise<boolean> {
    const names = Object.keys(expected);
    if (names.length === 0) return true;
    const values = await this.#redis.hmget(keys.record(id), ...names);
    return names.every((name, index) => values[index] === expected[name]);
  }

  /**
   * What is told to a caller must survive the loss of the primary: it waits for the replicas, then reads again, since
   * after a failover the fence succeeds in a world that has never heard of the write.
   */
  async awaitReplicated(id: string, expected: Readonly<Record<string, string>>): Promise<void> {
    if (!this.#fence) return;
    const isKept = async () => (await this.stillMine(id, expected)) || hasLeft(this.#redis, id, expected);
    if ((await this.#fence()) && (await isKept())) return;
    throw new RedisUnavailable(`the replicas did not confirm ${id} in time; ask again with the same identity`);
  }

  /**
   * A callback came. Never creates anything and changes no state. `final`: noted too, but nothing will be asked, since
   * no word of upstream changes that state, or the callback only says it again.
   */
  nudge(
    kind: Parameters<typeof lookQueueOf>[0],
    id: string,
    evidence: EvidenceDraft,
    intervalMs: number,
    posted: Posted = NOTHING_POSTED,
  ): Promise<Hinted> {
    return this.#nudging.one({ kind, id, evidence, intervalMs, posted });
  }

  /** Keeps what was heard about an operation that somebody else has by now. Changes nothing else. */
  async appendEvidence(id: string, evidence: Said): Promise<void> {
    await appendEvidence(this.#redis, {
      record: keys.record(id),
      now: this.#now(),
      evidence: packEvidence(evidence),
    });
  }

  /** Ids whose time has come in this queue, for somebody who begins with each of them at once. */
  async take(queue: QueueName, atMost: number): Promise<readonly string[]> {
    return take(this.#redis, { due: keys.due(queue), queue: keys.queue(queue), now: this.#now(), atMost });
  }

  /** What was taken and not begun. */
  async handBack(queue: QueueName, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await handBack(this.#redis, { due: keys.due(queue), now: this.#now(), ids });
  }

  /** Ids whose time has come in this queue, each with the revision its wake-up job is named after. */
  async claim(queue: QueueName, atMost: number, pushMs: number): Promise<{ id: string; rev: string }[]> {
    const ids = await claim(this.#redis, { due: keys.due(queue), now: this.#now(), atMost, pushMs });
    if (ids.length === 0) return [];
    const pipeline = this.#redis.pipeline();
    for (const id of ids) pipeline.hget(keys.record(id), 'rev');
    const revs = (await pipeline.exec()) ?? [];
    return ids.map((id, index) => ({ id, rev: typeof revs[index]?.[1] === 'string' ? revs[index][1] : '0' }));
  }
}
