/** The parts of a kind's declaration. */
import type { z } from 'zod';
import type { HoldArea } from './account.ts';
import type { QueueName } from './due-queues.ts';
import type { EventsOf } from './events.ts';
import type { Fields } from './fields.ts';

/** Traits of a state; `statesThatAre` finds the states by trait. */
export type Trait =
  /** Nothing has left for it yet, so a hold of its account may delay it. */
  | 'unsent'
  /** Its amount is queued or in flight. Not if it is unapproved or in doubt. */
  | 'in flight'
  /** It may have taken effect, or may do so at any moment. */
  | 'in doubt'
  /** No money left, or it was returned: it counts towards no daily limit. */
  | 'without effect'
  /** Its reason explains the state. In other states the reason may come from an earlier review. */
  | 'reasoned';

/** The action of an applied recovery on an operation in this state. */
export type Restoring =
  /** Needs review: its result is unknown. */
  | 'review'
  /** Checked; needs review unless the provider reports a final or a pending status. */
  | 'ask'
  /** Held until an operator resumes it. */
  | 'hold'
  /** In doubt, and checked in the statistics; never sent again. */
  | 'doubt'
  /** Unchanged: checked as before. */
  | 'look';

export interface State<Name extends string = string> {
  /** A sentence about the state. */
  readonly says: string;
  /** The next step, if there is one. `{id}` is its id. */
  readonly next?: string;
  /** The queue of the next check in this state. Absent: nothing is due (final, or waiting for a user). */
  readonly queue?: QueueName | { readonly normal: QueueName; readonly otp: QueueName };
  /** Possible next states. Absent: none, it is final. */
  readonly to?: readonly Name[];
  /**
   * States that a late provider status can lead to after a reported final state. Such a state is checked only after a
   * callback, on request, or when the second check of a success is due.
   */
  readonly late?: readonly Name[];
  /** States that a user can lead it to after it is finished: failed ones are sent again. */
  readonly retried?: readonly Name[];
  readonly is?: readonly Trait[];
  /** Absent: it waits for a user, unchanged. */
  readonly restored?: Restoring;
}

interface Declaration<States, Events> {
  /** Its ids begin with this prefix and an underscore. */
  readonly prefix: string;
  /** The hold area that can block its sending. Absent: no hold applies. */
  readonly area?: HoldArea;
  /** The direction of its amount, for the daily totals. Absent: it moves no money itself. */
  readonly money?: 'out' | 'in';
  /** The field with the beneficiary's or recipient's phone number, which is a lookup key. */
  readonly payee?: 'accountAlias' | 'to' | 'phone';
  /** The decisions that settle a review. */
  readonly resolve?: readonly string[];
  readonly states: States;
  /** The request schema for callers. Absent: it cannot be requested alone. */
  readonly request?: z.ZodObject;
  /** In the order for callers, followed by internal fields. */
  readonly fields: Fields;
  readonly events?: Events;
}

export type Declared = Declaration<Readonly<Record<string, State>>, EventsOf>;

/** The first state is the initial one. */
export function kind<
  const States extends { readonly [Name in keyof States]: State<keyof States & string> },
  const Rest extends Omit<Declaration<unknown, EventsOf>, 'states'>,
>(declaration: Rest & { readonly states: States }): Rest & { readonly states: States } {
  return declaration;
}
