/**
 * What we know, and the only ways to change it. Every change is one script: compare, then set, with the event that
 * announces it. This file decides nothing about retries; it keeps what others decided.
 */
import type { Redis } from 'ioredis';
import { isOver, lookQueueOf, queueOf, statesInQueue, statesOf } from '../kinds/states.ts';
import { type Kind, kinds, type StateOf } from '../kinds/index.ts';
import type { QueueName } from '../kinds/due-queues.ts';
import { systemClock } from '../lib/clock.ts';
import { fingerprint } from '../lib/ids.ts';
import type { Random } from '../lib/random.ts';
import { RedisUnavailable } from '../redis/connections.ts';
import { type AcceptedAt, fieldsToWrite } from './accepted.ts';
import { type AccountStanding, readStanding } from './accounts.ts';
import { endsBriefly } from './brief.ts';
import { type Guard, NO_MEMORY } from './heartbeat.ts';
import { type EvidenceDraft, NOTHING_POSTED, type Posted, type Said, packEvidence } from './evidence.ts';
import { keys } from './keys.ts';
import { type MoneyLimit, type Opinions, moneyLimits, wordOf } from './limits.ts';
import { RECORD_VERSION, type RecordAt, type RecordBase, fieldsOf } from './record.ts';
import { acceptScript } from './scripts/accept.ts';
import { acquireScript } from './scripts/acquire.ts';
import { claim } from './scripts/generated/claim.ts';
import { hintScript } from './scripts/hint.ts';
import { noteScript } from './scripts/note.ts';
import { runScript } from './scripts/script.ts';
import { settleScript } from './scripts/settle.ts';
import { noteUnreadable, readStored, UnreadableRecord } from './unreadable.ts';
import { type Change, type TransitionResult, readSettled, recountWords, settleWords, stepOf } from './settle.ts';

export interface OperationsOptions {
  readonly redis: Redis;
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
}

/** A request that was checked and is to become a record. */
export interface NewOperation<K extends Kind = Kind> {
  readonly kind: K;
  readonly id: string;
  readonly account: string;
  readonly state: StateOf<K>;
  /** Fingerprint of the canonical request: the same identity with another request is a conflict. */
  readonly fingerprint: string;
  readonly reference?: string;
  /** The id that the reference alone would give. */
  readonly idOfReference?: string;
  /** Whole XOF, where the operation moves money. */
  readonly xof?: number;
  /** When the due index looks if no wake-up job came through first, ms from now. Absent: nothing is due. */
  readonly dueInMs?: number;
  readonly notBefore?: number;
  /** Who is paid, for the limits per beneficiary and for the same payment asked for twice. */
  readonly beneficiary?: string;
  /** The same amount to the same beneficiary again is meant. */
  readonly meantAgain?: boolean;
  /** `given`: with the batch that it is a row of. `impossible`: it waits for nobody, and is refused if it would have to. */
  readonly approval?: 'given' | 'impossible';
  readonly fields: Readonly<Record<string, string | number>>;
}

export type Accepted =
  | { readonly outcome: 'accepted'; readonly id: string; readonly state: string }
  | { readonly outcome: 'duplicate'; readonly id: string; readonly state: string }
  | { readonly outcome: 'conflict'; readonly id: string }
  /** A limit of money; `detail` is the limit, or the earlier operation for the same payment asked for twice. */
  | { readonly outcome: 'limited'; readonly limit: MoneyLimit; readonly detail: string };

/** A record that this attempt, and no other, may change. */
export interface Leased<K extends Kind> {
  readonly record: RecordAt<K>;
  readonly lease: string;
  /** The clock of Redis when the lease was given. */
  readonly at: number;
  /** Of the record's account, at that time. Absent: it has to be asked for. */
  readonly standing?: AccountStanding;
}

export type Acquired<K extends Kind> = ({ readonly is: 'acquired' } & Leased<K>) | { readonly is: NotAcquired };

type NotAcquired = 'none' | 'final' | 'elsewhere' | 'leased' | 'other version';

export type Hinted = (
  | { readonly is: 'none' | 'noted' }
  | { readonly is: 'final'; readonly state: string }
  | { readonly is: 'look'; readonly rev: number; readonly state: string }
) & {
  /** What was written in the record, for `awaitReplicated`; nothing where there is none, or none that can be read. */
  readonly written: Readonly<Record<string, string>>;
};

const CALLBACK_KEPT_S = 30 * 86_400;

/** With more accounts than this, naming them all costs more than asking for one. */
const STANDINGS_MAX = 8;

const list = (states: readonly string[]): string => `,${states.join(',')},`;

/** Final, and nothing that upstream may still say would change it. */
const finalStates = Object.fromEntries(
  kinds.map((kind) => [kind, list(statesOf(kind).filter((state) => isOver(kind, state)))]),
) as Record<Kind, string>;

export class Operations {
  readonly #redis: Redis;
  readonly #random: Random;
  readonly #now: () => string;
  readonly #givenNow: (() => number) | undefined;
  readonly #fence: OperationsOptions['fence'];
  readonly #standingsOf: readonly string[];
  /** In the words of the script, one for each limit. */
  readonly #asked: readonly string[];
  readonly #heartbeat: Guard;

  constructor(options: OperationsOptions) {
    const { redis, random, now, fence, standingsOf = [], limits = {}, heartbeat = NO_MEMORY } = options;
    this.#asked = moneyLimits.map((name) => wordOf(limits[name]));
    this.#redis = redis;
    this.#heartbeat = heartbeat;
    this.#standingsOf = standingsOf.length > STANDINGS_MAX ? [] : standingsOf;
    this.#fence = fence;
    this.#random = random;
    this.#now = () => (now ? String(now()) : '');
    this.#givenNow = now;
  }

  async accept<K extends Kind>(operation: NewOperation<K>): Promise<AcceptedAt> {
    const { kind, id, account, state, reference } = operation;
    const fields = fieldsToWrite(operation);
    const beneficiary = fingerprint(operation.beneficiary ?? '');
    const day = this.#day();
    const answer = (await runScript(
      this.#redis,
      acceptScript,
      [
        keys.record(id),
        keys.reference(account, kind, reference ?? ''),
        keys.record(operation.idOfReference ?? id),
        keys.counts(kind),
        keys.index(kind),
        keys.state(kind, state),
        keys.due(queueOf(kind, state) ?? 'none'),
        keys.limits,
        keys.acceptedOn(account, day),
        keys.sameAgain(account, `${beneficiary}.${operation.xof ?? ''}`),
        keys.state(kind, 'awaiting_approval'),
        keys.heartbeat,
      ],
      [
        id,
        this.#now(),
        operation.fingerprint,
        reference ? 1 : 0,
        operation.idOfReference ?? id,
        state,
        operation.xof ?? '',
        operation.dueInMs ?? '',
        operation.notBefore ?? '',
        account,
        beneficiary,
        operation.meantAgain ? 1 : 0,
        operation.approval ?? '',
        day,
        ...this.#asked,
        ...this.#heartbeat.remembered(),
        ...Object.entries(fields).flat(),
      ],
    )) as [Accepted['outcome'] | 'recovering', string, string, number];
    const [outcome, name, detail, at] = answer;
    if (outcome === 'recovering') throw this.#heartbeat.refused();
    if (outcome === 'limited') return { outcome, limit: name as MoneyLimit, detail };
    if (outcome !== 'conflict') await this.awaitReplicated(name, { fp: operation.fingerprint });
    if (outcome === 'accepted') return { outcome, id: name, state: detail, at };
    return { outcome, id: name, state: detail };
  }

  /** The day (UTC) whose accepted sums count; a limit per day needs no better clock than the one of this process. */
  #day(): string {
    return new Date(Number(this.#now()) || systemClock.now()).toISOString().slice(0, 10);
  }

  /** The record for an attempt in this queue, if it is to be had. */
  async acquire<K extends Kind>(kind: K, id: string, queue: QueueName, leaseMs: number): Promise<Acquired<K>> {
    const lease = this.#random.hex(16);
    // A look is made whatever the account is held for.
    const accounts = queue === 'status-poll' ? [] : this.#standingsOf;
    const answer = (await runScript(
      this.#redis,
      acquireScript,
      [keys.record(id), keys.due(queue), ...accounts.map((name) => keys.account(name))],
      [
        id,
        this.#now(),
        lease,
        leaseMs,
        list(statesInQueue(kind, queue)),
        finalStates[kind],
        RECORD_VERSION,
        ...accounts,
      ],
    )) as ['acquired', number, readonly string[] | null, readonly string[]] | [NotAcquired];
    const [is, at = 0, standing, fields = []] = answer;
    if (is !== 'acquired') return { is };
    const record = readStored(kind, id, fieldsOf(fields));
    if (record instanceof UnreadableRecord) {
      await noteUnreadable(this.#redis, [id]);
      throw record;
    }
    return {
      is,
      record,
      lease,
      at,
      ...(standing ? { standing: readStanding(record.account, fieldsOf(standing)) } : {}),
    };
  }

  /** `lease` absent: a person's doing, which any attempt in flight will find out about when it settles. */
  async transition<K extends Kind>(
    record: RecordBase<K>,
    lease: string | undefined,
    change: Change<K>,
  ): Promise<TransitionResult> {
    const step = stepOf(record, lease, change, { op: this.#random.hex(8), now: this.#now() });
    const words = settleWords(step);
    const { unlessHeld = '', forgetsCallback, hasEffect, inRecovery, claims } = change;
    const recount = recountWords(record, change.to);
    const answer = await runScript(
      this.#redis,
      settleScript,
      [
        ...words.keys,
        keys.account(record.account),
        keys.callback(record.id),
        keys.heartbeat,
        claims ? keys.claim(record.account, claims) : keys.record(record.id),
        ...recount.keys,
      ],
      [
        ...words.args,
        unlessHeld,
        forgetsCallback ? 1 : 0,
        endsBriefly(record.kind, change.to) ? 1 : 0,
        inRecovery ? 2 : hasEffect ? 1 : 0,
        ...(inRecovery ? ([record.rev, 0, '', 0] as const) : this.#heartbeat.remembered()),
        ...recount.args,
      ],
    );
    const settled = readSettled(answer, step.op, record.rev);
    if (settled.is === 'recovering') this.#heartbeat.refused();
    return settled;
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
    if ((await this.#fence()) && (await this.stillMine(id, expected))) return;
    throw new RedisUnavailable(`the replicas did not confirm ${id} in time; ask again with the same identity`);
  }

  /**
   * A callback came. Never creates anything and changes no state. `final`: noted too, but nothing will be asked, since
   * no word of upstream changes that state, or the callback only says it again.
   */
  async nudge(
    kind: Parameters<typeof lookQueueOf>[0],
    id: string,
    evidence: EvidenceDraft,
    intervalMs: number,
    posted: Posted = NOTHING_POSTED,
  ): Promise<Hinted> {
    const queue = lookQueueOf(kind);
    const answer = (await runScript(
      this.#redis,
      hintScript,
      [keys.record(id), keys.due(queue), keys.callback(id)],
      [
        id,
        this.#now(),
        packEvidence(evidence),
        intervalMs,
        list(statesInQueue(kind, queue)),
        posted.redacted,
        list(posted.agreesWith),
        CALLBACK_KEPT_S,
      ],
    )) as ['none' | 'noted' | 'look', string?, number?, string?, string?];
    const [is, state = '', rev = 0, field, line = ''] = answer;
    const written = field === undefined ? {} : { [field]: line };
    if (is === 'look') return { is, rev, state, written };
    if (is === 'none') return { is, written };
    const over = isOver(kind, state) || posted.agreesWith.includes(state);
    return over ? { is: 'final', state, written } : { is, written };
  }

  /** Keeps what was heard about an operation that somebody else has by now. Changes nothing else. */
  async appendEvidence(id: string, evidence: Said): Promise<void> {
    await runScript(this.#redis, noteScript, [keys.record(id)], [this.#now(), packEvidence(evidence)]);
  }

  /** Ids whose time has come in this queue, each with the revision its wake-up job is named after. */
  async claim(queue: QueueName, atMost: number, pushMs: number): Promise<{ id: string; rev: string }[]> {
    const ids = await claim(this.#redis, { due: keys.due(queue), now: this.#givenNow?.(), atMost, pushMs });
    if (ids.length === 0) return [];
    const pipeline = this.#redis.pipeline();
    for (const id of ids) pipeline.hget(keys.record(id), 'rev');
    const revs = (await pipeline.exec()) ?? [];
    return ids.map((id, index) => ({ id, rev: typeof revs[index]?.[1] === 'string' ? revs[index][1] : '0' }));
  }
}
