/** One change of one record, in the words that the scripts take. */
import { assertArrow, isFinal, queueOf, recountOf } from '../kinds/states.ts';
import type { Kind, StateOf } from '../kinds/index.ts';
import { packEventData } from './event-data.ts';
import { type Said, packEvidence } from './evidence.ts';
import { keys } from './keys.ts';
import type { RecordBase } from './record.ts';

export interface EventDraft {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Change<K extends Kind> {
  readonly to: StateOf<K>;
  /** When to look next, ms from now; absent: nothing is due. */
  readonly dueInMs?: number | undefined;
  /** Keep the lease for so long; absent: let go. */
  readonly keepMs?: number | undefined;
  readonly event?: EventDraft | undefined;
  readonly evidence?: Said | undefined;
  /**
   * Fields to set; '' removes one. A name that begins with `@` is a time: its value is ms from now, by the clock of
   * Redis.
   */
  readonly set?: Readonly<Record<string, string | number>> | undefined;
  /** A callback that came during the attempt makes the next look due after so long (ms), also where none was due. */
  readonly nudgeAfterMs?: number | undefined;
  /** Nothing is changed while the account is held so, as `area.reason`: asked in the same step as the write. */
  readonly unlessHeld?: string | undefined;
  /** What leaves after this write has an effect: refused while a recovery is under way, and counted. */
  readonly hasEffect?: boolean | undefined;
  /** Without a lease, and only while a recovery is under way and the record is as it was read. */
  readonly inRecovery?: true | undefined;
  /** What upstream named in it, as `token=…`: it belongs to one operation of the account. */
  readonly claims?: string | undefined;
  /** What was last posted about it tells no more than the state does. */
  readonly forgetsCallback?: boolean | undefined;
}

export type TransitionResult =
  | {
      readonly is: 'applied' | 'mine';
      readonly op: string;
      readonly rev: number;
      readonly at: number;
      /** Of effects, where this change comes before one. */
      readonly counter?: number;
    }
  | { readonly is: 'not yours'; readonly state: string }
  | { readonly is: 'none' | 'held' | 'recovering' | 'recovered' }
  /** Another operation was given the same. */
  | { readonly is: 'claimed'; readonly by: string };

type Word = string | number;

/** A change in the words of the scripts, each under its name. */
export interface Step {
  /** How the record knows this very change again. */
  readonly op: string;
  readonly id: string;
  readonly key: string;
  /** Events, counts, then the state sets and the due sets that are left and entered. */
  readonly keys: readonly string[];
  readonly now: string;
  readonly lease: string;
  readonly from: string;
  readonly to: string;
  readonly dueInMs: Word;
  readonly keepMs: Word;
  readonly event: EventDraft | undefined;
  readonly xof: Word;
  readonly evidence: string;
  readonly hintAfterMs: number;
  readonly entersSet: 0 | 1;
  readonly pairs: readonly Word[];
}

/** Throws when the lifecycle has no such arrow. What nobody looks at is never due, whatever the change says. */
export function stepOf<K extends Kind>(
  record: RecordBase<K> & { readonly amount?: number; readonly lane?: string },
  lease: string | undefined,
  change: Change<K>,
  { op, now }: { op: string; now: string },
): Step {
  const { kind, id, state: from } = record;
  const { to, event } = change;
  assertArrow(kind, from, to);
  const queueEntered = queueOf(kind, to, record.lane);
  const queueLeft = queueOf(kind, from, record.lane) ?? queueEntered ?? 'none';
  return {
    op,
    id,
    key: keys.record(id),
    keys: [
      keys.events,
      keys.counts(kind),
      keys.state(kind, from),
      keys.state(kind, to),
      keys.due(queueLeft),
      keys.due(queueEntered ?? queueLeft),
    ],
    now,
    lease: lease ?? '',
    from,
    to,
    dueInMs: queueEntered === undefined ? '' : (change.dueInMs ?? ''),
    keepMs: change.keepMs ?? '',
    event,
    xof: record.amount ?? '',
    evidence: change.evidence ? packEvidence(change.evidence) : '',
    hintAfterMs: queueEntered === undefined ? 0 : (change.nudgeAfterMs ?? 0),
    entersSet: isFinal(kind, to) ? 0 : 1,
    pairs: Object.entries(change.set ?? {}).flat(),
  };
}

/** The step as the settle script takes it. */
export function settleWords(step: Step): { keys: string[]; args: Word[] } {
  const { event, pairs } = step;
  return {
    keys: [step.key, ...step.keys],
    args: [
      step.id,
      step.now,
      step.lease,
      step.op,
      step.from,
      step.to,
      step.dueInMs,
      step.keepMs,
      event?.type ?? '',
      event ? packEventData(step.id, event) : '',
      step.xof,
      step.evidence,
      step.hintAfterMs,
      step.entersSet,
      pairs.length,
      ...pairs,
    ],
  };
}

/**
 * The words that change the sums of the day in which the operation was counted, where this step does; most do not, and
 * an operation that was accepted without such limits was never counted.
 */
export function recountWords<K extends Kind>(
  { kind, account, state, fields, amount }: RecordBase<K> & { readonly amount?: number },
  to: string,
): { readonly keys: readonly string[]; readonly args: readonly Word[] } {
  const [day, beneficiary] = fields['counted']?.split(' ') ?? [];
  const sign = recountOf(kind, state, to);
  if (sign === 0 || day === undefined || beneficiary === undefined || amount === undefined)
    return { keys: [], args: [] };
  return { keys: [keys.acceptedOn(account, day)], args: [beneficiary, sign * amount] };
}

export function readSettled(answer: unknown, op: string, rev: number): TransitionResult {
  const [is, state, newRev, at, counter] = answer as [TransitionResult['is'], string?, number?, number?, number?];
  if (is === 'none' || is === 'held' || is === 'recovering' || is === 'recovered') return { is };
  if (is === 'claimed') return { is, by: state ?? '' };
  if (is === 'not yours') return { is, state: state ?? '' };
  return { is, op, rev: newRev ?? rev + 1, at: at ?? 0, ...(counter === undefined ? {} : { counter }) };
}
