/** One change of one record, in the words that the scripts take. */
import { assertArrow, isFinal, queueOf, recountOf } from '../kinds/states.ts';
import type { Kind, StateOf } from '../kinds/index.ts';
import { packEventData } from './event-data.ts';
import { type Said, packEvidence } from './evidence.ts';
import { keys } from './keys.ts';
import type { RecordBase } from './record.ts';
import type { TransitionAnswer, TransitionArgs } from './scripts/generated/scripts.ts';

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

export type Applied = Extract<TransitionResult, { readonly is: 'applied' | 'mine' }>;

export function isApplied(settled: TransitionResult): settled is Applied {
  return settled.is === 'applied' || settled.is === 'mine';
}

/** One change as the scripts take it. */
export interface Step {
  readonly keys: Pick<TransitionArgs, 'record' | 'events' | 'counts' | 'left' | 'entered' | 'dueLeft' | 'dueEntered'>;
  readonly change: TransitionArgs['change'];
  readonly fields: TransitionArgs['fields'];
}

/**
 * Throws when the lifecycle has no such arrow. What nobody looks at is never due, whatever the change says. `op`: how the
 * record knows this very change again.
 */
export function stepOf<K extends Kind>(
  record: RecordBase<K> & { readonly amount?: number; readonly lane?: string },
  lease: string | undefined,
  change: Change<K>,
  op: string,
): Step {
  const { kind, id, state: from } = record;
  const { to, event, evidence } = change;
  assertArrow(kind, from, to);
  const queueEntered = queueOf(kind, to, record.lane);
  const queueLeft = queueOf(kind, from, record.lane) ?? queueEntered ?? 'none';
  return {
    keys: {
      record: keys.record(id),
      events: keys.events,
      counts: keys.counts(kind),
      left: keys.state(kind, from),
      entered: isFinal(kind, to) ? undefined : keys.state(kind, to),
      dueLeft: keys.due(queueLeft),
      dueEntered: keys.due(queueEntered ?? queueLeft),
    },
    change: {
      id,
      lease,
      op,
      from,
      to,
      dueInMs: queueEntered === undefined ? undefined : change.dueInMs,
      keepLeaseMs: change.keepMs,
      eventType: event?.type,
      eventData: event && packEventData(id, event),
      xof: record.amount,
      evidence: evidence && packEvidence(evidence),
      nudgeAfterMs: queueEntered === undefined ? 0 : (change.nudgeAfterMs ?? 0),
    },
    fields: change.set ?? {},
  };
}

/**
 * What changes the sums of the day in which the operation was counted, where this step does; most do not, and an
 * operation that was accepted without such limits was never counted.
 */
export function recountOfDay<K extends Kind>(
  { kind, account, state, fields, amount }: RecordBase<K> & { readonly amount?: number },
  to: string,
): Pick<TransitionArgs, 'sums' | 'beneficiary' | 'recounted'> {
  const [day, beneficiary] = fields['counted']?.split(' ') ?? [];
  const sign = recountOf(kind, state, to);
  if (sign === 0 || day === undefined || beneficiary === undefined || amount === undefined) return {};
  return { sums: keys.acceptedOn(account, day), beneficiary, recounted: sign * amount };
}

/** `rev`: the revision that the change was made from. */
export function resultOf(answer: TransitionAnswer, op: string, rev: number): TransitionResult {
  if (answer.is === 'mine') return { is: 'mine', op, rev: rev + 1, at: 0 };
  if (answer.is !== 'applied') return answer;
  const { is, at, counter } = answer;
  return { is, op, rev: answer.rev, at, ...(counter === undefined ? {} : { counter }) };
}
