/**
 * Accepting. Requests that are alike and are asked for in the same moment, through whichever door, share one script, as
 * leases and changes do; each has a verdict of its own, as if it had been asked for alone.
 */
import { type Kind, type StateOf, queueOf, standsAs } from '../kinds/index.ts';
import { systemClock } from '../lib/clock.ts';
import { fingerprint } from '../lib/ids.ts';
import { type SpanDraft, type Traces, sentTo, traced } from '../lib/traces.ts';
import { batchPerTick } from '../redis/connections.ts';
import type { RecordHost } from '../redis/scripts.ts';
import { type Waiting as WaitingFor, alike, answerEach } from '../redis/shared-script.ts';
import { type Act, factsAndMark, toldTogether } from './audit.ts';
import { BOOKS, sumsOfAcceptance } from './book.ts';
import type { Guard } from './heartbeat.ts';
import { keys } from './keys.ts';
import { type MoneyLimit, type Opinions, dayAt, limitNamed, wordsOf } from '../kinds/limits.ts';
import { type NamePlace, type Named, type Names, listedNew, memberOfNew, namedIn } from './places.ts';
import { type RecordAt, RECORD_VERSION, TRACE, readRecord } from './record.ts';
import { isOfLostTime, stubsOf } from './stubs.ts';
import {
  type AcceptAnswer,
  type AcceptArgs,
  type AcceptVerdict,
  accept,
  acceptMessages,
  nameKey,
} from './scripts/generated/scripts.ts';

interface AcceptingOptions {
  readonly redis: RecordHost;
  readonly now: () => number | undefined;
  readonly names: Names;
  readonly heartbeat: Guard;
  readonly traces: Traces | undefined;
  readonly limits: Opinions;
  readonly scripts: AcceptingScripts;
  readonly dryRun: boolean;
}

type Fields = Readonly<Record<string, string | number>>;

/** Of whichever kind. */
type New = Omit<NewOperation, 'state'> & { readonly state: string };

interface Judged {
  readonly at: number;
  readonly verdict: AcceptVerdict;
}

interface Waiting extends WaitingFor<Judged> {
  readonly operation: New;
  /** All that is written, but for what the script alone knows. */
  readonly fields: Fields;
  readonly names: readonly NamePlace[];
}

export class Accepting {
  readonly #options: AcceptingOptions;
  /** In the words of the script. */
  readonly #asked: Readonly<Record<string, string>>;
  readonly #ask: (waiting: Waiting) => void;

  constructor(options: AcceptingOptions) {
    this.#options = options;
    this.#asked = wordsOf('payments', options.limits);
    this.#ask = batchPerTick(options.redis, async (together) => {
      await Promise.all(alike(together, nameOf).map((group) => this.#askFor(group)));
    });
  }

  /** What the script said; nothing of the other record is told at a conflict. */
  one<K extends Kind>(operation: NewOperation<K>): Promise<AcceptedAt> {
    const { traces } = this.#options;
    return traced(
      traces,
      () => handedOver(operation),
      async (span) => {
        const accepted = await this.#one(operation, traces?.mark());
        span?.says({ 'relais.outcome': accepted.outcome });
        return accepted;
      },
    );
  }

  async #one(operation: New, trace: string | undefined): Promise<AcceptedAt> {
    const { dryRun, names } = this.#options;
    const places = dryRun ? [] : await names.placesOf(namesOf(operation));
    const fields = { ...fieldsToWrite(operation), ...(trace === undefined ? {} : { [TRACE]: trace }) };
    const { at, verdict } = await new Promise<Judged>((resolve, reject) => {
      this.#ask({ operation, fields, names: places, resolve, reject });
    });
    const { id } = operation;
    if (verdict.is === 'failed') throw new Error(`${verdict.why} (script accept)`);
    if (verdict.is === 'limited')
      return { outcome: verdict.is, limit: limitNamed(verdict.limit), detail: verdict.detail };
    if (verdict.is === 'conflict') return { outcome: verdict.is, id: verdict.id };
    if (verdict.is === 'duplicate') return { outcome: verdict.is, id, state: verdict.state };
    return { outcome: verdict.is, id, state: verdict.state, at };
  }

  async #askFor(group: readonly Waiting[]): Promise<void> {
    await answerEach(group, async () => {
      const { at, verdicts } = await this.#judged(group);
      return verdicts.map((verdict) => ({ at, verdict }));
    });
  }

  /** The day whose accepted sums count is that of Redis: the clock of this process is a guess, and may be wrong. */
  async #judged(group: readonly Waiting[]): Promise<Extract<AcceptAnswer, { is: 'judged' }>> {
    const { redis, now, heartbeat, scripts, dryRun } = this.#options;
    const shared = sharedBy(group);
    let guess = now() ?? systemClock.now();
    for (;;) {
      const { day, dayBegan } = dayAt(guess);
      const answer = await scripts.accept(redis, {
        ...shared,
        spent: keys.acceptedOn(shared.account, day),
        heartbeat: keys.heartbeat,
        now: now(),
        dryRun,
        day,
        dayBegan,
        memory: heartbeat.remembered(),
        asked: this.#asked,
      });
      if (answer.is === 'recovering') throw heartbeat.refused();
      if (answer.is === 'judged') return answer;
      guess = answer.at;
    }
  }
}

const nameOf = ({ operation: { kind, account, state, dueInMs } }: Waiting): string =>
  `${kind} ${account} ${state} ${dueInMs ?? ''}`;

function sharedBy(group: readonly Waiting[]) {
  const [{ operation }] = group as readonly [Waiting, ...Waiting[]];
  const { kind, account, state, dueInMs } = operation;
  const common = inAll(group.map(({ fields }) => fields));
  const acts = [...new Set(group.flatMap(({ operation: { act } }) => act ?? []))];
  const books = new Map<string, ReturnType<typeof sumsOfAcceptance> & { readonly at: number }>();
  const postedIn = ({ xof, fields }: New): number => {
    const sums = xof === undefined ? undefined : sumsOfAcceptance({ kind, account, fields });
    if (sums === undefined) return 0;
    const name = sums.counted.join(' ');
    const known = books.get(name) ?? { ...sums, at: books.size + 1 };
    books.set(name, known);
    return known.at;
  };
  return {
    counts: keys.counts(kind),
    entered: keys.state(kind, state),
    due: keys.due(queueOf(kind, state) ?? 'none'),
    limits: keys.limits,
    ...listedNew(kind, account, state),
    awaiting: keys.state(kind, 'awaiting_approval'),
    events: keys.events,
    ...BOOKS,
    ...toldTogether(acts),
    state,
    account,
    unsent: standsAs(kind, state) === 'unsent',
    dueInMs,
    common,
    operations: group.map((waiting) => ({
      ...asked(waiting, common),
      asker: waiting.operation.act ? acts.indexOf(waiting.operation.act) + 1 : 0,
      posted: postedIn(waiting.operation),
    })),
    books: [...books.values()],
    names: group.flatMap(({ names }, at) => names.map(({ bucket, head }) => ({ bucket, head, of: at + 1 }))),
  };
}

/** Those that all of them have, and the same. */
function inAll(each: readonly Fields[]): Fields {
  const [first = {}, ...others] = each;
  return Object.fromEntries(
    Object.entries(first).filter(([name, value]) => others.every((fields) => fields[name] === value)),
  );
}

type Asked = Omit<AcceptArgs['operations'][number], 'asker' | 'posted'>;

function asked({ operation, fields }: Waiting, common: Fields): Asked {
  const { kind, id, account, reference, idOfReference: otherId = id, act, xof } = operation;
  const beneficiary = fingerprint(operation.beneficiary ?? '');
  return {
    record: keys.record(id),
    mapping: reference ? keys.reference(account, kind, reference) : undefined,
    other: otherId === id ? undefined : keys.record(otherId),
    ...stubsOf(id, otherId),
    same: xof === undefined ? undefined : keys.sameAgain(account, `${beneficiary}.${xof}`),
    id,
    otherId: otherId === id ? undefined : otherId,
    fingerprint: operation.fingerprint,
    xof,
    notBefore: operation.notBefore,
    beneficiary,
    meantAgain: operation.meantAgain ?? false,
    approval: operation.approval,
    member: memberOfNew(operation),
    ...(act &&
      factsAndMark({ ...act, target: id, facts: xof === undefined ? { account } : { account, amount: xof } })),
    fields: Object.fromEntries(Object.entries(fields).filter(([name]) => !Object.hasOwn(common, name))),
  };
}

/** Where a record is written and handed over to a queue: what becomes of it belongs to this span. */
function handedOver({ kind, id, account, state }: New): SpanDraft {
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

function namesOf({ kind, fields, phone }: New): readonly Named[] {
  return [...(phone === undefined ? [] : ([['phone', phone]] as const)), ...namedIn(kind, fields)];
}

/** The fields of a new record that the caller of the script gives; it adds what it alone knows. */
function fieldsToWrite({ kind, fields, reference }: New): Fields {
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
