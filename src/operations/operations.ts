/**
 * What we know, and the only ways to change it. Every change is one script: compare, then set, with the event that
 * announces it. This file decides nothing about retries; it keeps what others decided.
 */
import type { QueueName } from '../kinds/due-queues.ts';
import { type Kind, type StateOf, isOver, lookQueueOf, queueOf, standsAs, statesInQueue } from '../kinds/index.ts';
import { systemClock } from '../lib/clock.ts';
import { fingerprint } from '../lib/ids.ts';
import type { Random } from '../lib/random.ts';
import { type SpanDraft, type Traces, sentTo, traced } from '../lib/traces.ts';
import { RedisUnavailable } from '../redis/connections.ts';
import type { RecordHost } from '../redis/scripts.ts';
import { type Acquired, Acquiring } from './acquiring.ts';
import { Changing } from './changing.ts';
import { type Act, told } from './audit.ts';
import { BOOKS, postsOfAcceptance } from './book.ts';
import { type AskedFields, differing } from './differing.ts';
import { type Guard, NO_MEMORY } from './heartbeat.ts';
import { keys } from './keys.ts';
import { listedNew, type Named, Names, namedIn } from './places.ts';
import { type Opinions, dayAt, limitNamed, wordsOf, type MoneyLimit } from './limits.ts';
import { type RecordAt, type RecordBase, RECORD_VERSION, TRACE, readRecord } from './record.ts';
import { hasLeft, isOfLostTime, stubAt, stubsOf } from './stubs.ts';
import {
  appendEvidence,
  claim,
  handBack,
  nameKey,
  nudge,
  take,
  accept,
  acceptMessages,
  type AcceptAnswer,
  type AcceptArgs,
} from './scripts/generated/scripts.ts';
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

export type Hinted = (
  | { readonly is: 'none' | 'noted' }
  | { readonly is: 'final'; readonly state: string }
  | { readonly is: 'look'; readonly state: string }
) & {
  /** What was written in the record, for `awaitReplicated`; nothing where there is none, or none that can be read. */
  readonly written: Readonly<Record<string, string>>;
  /** The trace that the record belongs to. */
  readonly trace?: string | undefined;
};

/** What was said about a record that history alone has. */
export interface Recalled {
  readonly evidence: EvidenceDraft;
  readonly intervalMs: number;
  readonly posted: Posted;
}

export class Operations {
  readonly #redis: RecordHost;
  readonly #random: Random;
  readonly #now: () => number | undefined;
  readonly #fence: OperationsOptions['fence'];
  readonly #acquiring: Acquiring;
  readonly #changing: Changing;
  /** In the words of the script. */
  readonly #asked: Readonly<Record<string, string>>;
  readonly #scripts: AcceptingScripts;
  readonly #names: Names;
  readonly #heartbeat: Guard;
  readonly #dryRun: boolean;
  readonly #traces: Traces | undefined;

  constructor(options: OperationsOptions) {
    const { redis, random, now, fence, standingsOf = [], limits = {}, heartbeat = NO_MEMORY } = options;
    const { scripts = acceptingScripts, dryRun = false } = options;
    this.#dryRun = dryRun;
    this.#traces = dryRun ? undefined : options.traces;
    this.#asked = wordsOf('payments', limits);
    this.#scripts = scripts;
    this.#names = Names.of({ redis, heartbeat, nameKey: scripts.nameKey });
    this.#redis = redis;
    this.#heartbeat = heartbeat;
    this.#fence = fence;
    this.#random = random;
    this.#now = () => now?.();
    this.#acquiring = new Acquiring({ redis, now: this.#now, standingsOf });
    const [names, traces] = [this.#names, this.#traces];
    this.#changing = new Changing({ redis, random, now: this.#now, names, heartbeat, traces });
  }

  accept<K extends Kind>(operation: NewOperation<K>): Promise<AcceptedAt> {
    return traced(
      this.#traces,
      () => handedOver(operation),
      async (span) => {
        const accepted = await this.#acceptIn(operation, this.#traces?.mark());
        span?.says({ 'relais.outcome': accepted.outcome });
        return accepted;
      },
    );
  }

  /** The day whose accepted sums count is that of Redis: the clock of this process is a guess, and may be wrong. */
  async #acceptIn<K extends Kind>(operation: NewOperation<K>, trace: string | undefined): Promise<AcceptedAt> {
    const names = this.#dryRun ? [] : await this.#names.placesOf(namesOf(operation));
    let guess = this.#now() ?? systemClock.now();
    for (;;) {
      const answer = await this.#acceptOn(guess, operation, { trace, names });
      if (answer.is !== 'another day') return this.#answered(answer, operation);
      guess = answer.at;
    }
  }

  #acceptOn<K extends Kind>(
    at: number,
    operation: NewOperation<K>,
    { trace, names }: { readonly trace: string | undefined; readonly names: AcceptArgs['names'] },
  ): Promise<AcceptAnswer> {
    const { kind, id, account, state, reference } = operation;
    const beneficiary = fingerprint(operation.beneficiary ?? '');
    const { day, dayBegan } = dayAt(at);
    const otherId = operation.idOfReference ?? id;
    return this.#scripts.accept(this.#redis, {
      record: keys.record(id),
      mapping: reference ? keys.reference(account, kind, reference) : undefined,
      other: otherId === id ? undefined : keys.record(otherId),
      ...stubsOf(id, otherId),
      counts: keys.counts(kind),
      entered: keys.state(kind, state),
      ...listedNew(operation),
      due: keys.due(queueOf(kind, state) ?? 'none'),
      limits: keys.limits,
      spent: keys.acceptedOn(account, day),
      same: keys.sameAgain(account, `${beneficiary}.${operation.xof ?? ''}`),
      awaiting: keys.state(kind, 'awaiting_approval'),
      heartbeat: keys.heartbeat,
      events: keys.events,
      ...told(actOn(operation)),
      ...BOOKS,
      now: this.#now(),
      id,
      otherId,
      fingerprint: operation.fingerprint,
      state,
      account,
      xof: operation.xof,
      unsent: standsAs(kind, state) === 'unsent',
      dueInMs: operation.dueInMs,
      notBefore: operation.notBefore,
      beneficiary,
      meantAgain: operation.meantAgain ?? false,
      dryRun: this.#dryRun,
      approval: operation.approval,
      day,
      dayBegan,
      memory: this.#heartbeat.remembered(),
      asked: this.#asked,
      posts: postsOfAcceptance({ kind, account, fields: operation.fields }, operation.xof),
      fields: { ...fieldsToWrite(operation), ...(trace === undefined ? {} : { [TRACE]: trace }) },
      names,
    });
  }

  async #answered(
    answer: Exclude<AcceptAnswer, { is: 'another day' }>,
    operation: AskedFields & Pick<NewOperation, 'fingerprint'>,
  ): Promise<AcceptedAt> {
    if (answer.is === 'recovering') throw this.#heartbeat.refused();
    if (answer.is === 'limited')
      return { outcome: answer.is, limit: limitNamed(answer.limit), detail: answer.detail };
    if (answer.is === 'conflict') return this.#conflict(answer.id, operation);
    const { id, state } = answer;
    if (!this.#dryRun) await this.awaitReplicated(id, { fp: operation.fingerprint });
    if (answer.is === 'duplicate') return { outcome: answer.is, id, state };
    return { outcome: answer.is, id, state, at: answer.at };
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
  async nudge(
    kind: Parameters<typeof lookQueueOf>[0],
    id: string,
    evidence: EvidenceDraft,
    intervalMs: number,
    posted: Posted = NOTHING_POSTED,
  ): Promise<Hinted> {
    const queue = lookQueueOf(kind);
    const said: Recalled = { evidence, intervalMs, posted };
    const answer = await nudge(this.#redis, {
      record: keys.record(id),
      ...stubAt(id),
      recalled: keys.recalled,
      recall: JSON.stringify(said),
      due: keys.due(queue),
      callback: keys.callback(id),
      now: this.#now(),
      id,
      evidence: packEvidence(evidence),
      intervalMs,
      posted: posted.redacted,
      lookedAt: statesInQueue(kind, queue),
      agreesWith: posted.agreesWith,
    });
    if (answer.is === 'none') return { is: answer.is, written: {} };
    // The process that writes history brings it back and nudges it then.
    if (answer.is === 'recalled') return { is: 'final', state: answer.state, written: {} };
    const { state, field, line = '', trace } = answer;
    const written = field === undefined ? {} : { [field]: line };
    if (answer.is === 'look') return { is: answer.is, state, written, trace };
    const over = isOver(kind, state) || posted.agreesWith.includes(state);
    return over ? { is: 'final', state, written, trace } : { is: answer.is, written, trace };
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

/** Where a record is written and handed over to a queue: what becomes of it belongs to this span. */
function handedOver<K extends Kind>({ kind, id, account, state }: NewOperation<K>): SpanDraft {
  const queue = queueOf(kind, state);
  return {
    name: queue ? `send ${queue}` : `accept ${kind}`,
    kind: 'producer',
    begins: true,
    attributes: {
      ...(queue ? sentTo(queue) : {}),
      'relais.id': id,
      'relais.account': account,
    },
  };
}

/** What is accepted, what becomes of it, and what acceptance writes, as its script writes it. */

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
  /** The beneficiary, for the limits per beneficiary and for the same payment asked for twice. */
  readonly beneficiary?: string;
  /** The person that it is about, as `payeeOf` has them; found by it. */
  readonly phone?: string | undefined;
  /** The same amount to the same beneficiary again is meant. */
  readonly meantAgain?: boolean;
  /** `given`: with the batch that it is a row of. `impossible`: it waits for nobody, and is refused if it would have to. */
  readonly approval?: 'given' | 'impossible';
  /** Whose act it is; absent: nobody's that came through a door of people. */
  readonly act?: Act | undefined;
  readonly fields: Readonly<Record<string, string | number>>;
}

export type Accepted =
  | { readonly outcome: 'accepted'; readonly id: string; readonly state: string }
  | { readonly outcome: 'duplicate'; readonly id: string; readonly state: string }
  | { readonly outcome: 'conflict'; readonly id: string; readonly differs?: readonly string[] }
  | { readonly outcome: 'lost'; readonly id: string }
  /** A limit of money; `detail` is the limit, or the earlier operation for the same payment asked for twice. */
  | { readonly outcome: 'limited'; readonly limit: MoneyLimit; readonly detail: string };

/** The scripts that accept. A double has others in their place. */
export interface AcceptingScripts {
  readonly accept: typeof accept;
  readonly acceptMessages: typeof acceptMessages;
  readonly nameKey: typeof nameKey;
  /** What is written of one, to say what is not the same. */
  readonly fieldsOf: (redis: RecordHost, id: string) => Promise<Record<string, string>>;
  readonly isOfLostTime: typeof isOfLostTime;
}

export const acceptingScripts: AcceptingScripts = {
  accept,
  acceptMessages,
  nameKey,
  fieldsOf: (redis, id) => redis.hgetall(keys.record(id)),
  isOfLostTime,
};

/** `at`: when it was written, by the clock of Redis. */
export type AcceptedAt =
  | Exclude<Accepted, { outcome: 'accepted' }>
  | (Extract<Accepted, { outcome: 'accepted' }> & { readonly at: number });

function actOn({ act, id, account, xof }: Pick<NewOperation, 'act' | 'id' | 'account' | 'xof'>): Act | undefined {
  return act && { ...act, target: id, facts: xof === undefined ? { account } : { account, amount: xof } };
}

function namesOf<K extends Kind>({ kind, fields, phone }: NewOperation<K>): readonly Named[] {
  return [...(phone === undefined ? [] : ([['phone', phone]] as const)), ...namedIn(kind, fields)];
}

/** The fields of a new record that the caller of the script gives; it adds what it alone knows. */
function fieldsToWrite<K extends Kind>({
  kind,
  fields,
  reference,
}: NewOperation<K>): Readonly<Record<string, string | number>> {
  return { v: RECORD_VERSION, kind, ...fields, ...(reference ? { reference } : {}) };
}

/** The record that this acceptance has just written, without reading it again. */
export function recordAsWritten<K extends Kind>(
  operation: NewOperation<K>,
  { state, at }: { readonly state: string; readonly at: number },
): RecordAt<K> {
  const { kind, id, account, fingerprint: fp } = operation;
  const time = String(at);
  const own = { id, state, fp, account, rev: '1', seq: '0', createdAt: time, updatedAt: time, since: time };
  const fields: Record<string, string> = own;
  for (const [name, value] of Object.entries(fieldsToWrite(operation))) fields[name] = String(value);
  return readRecord(kind, fields);
}
