/** What the declaration of a kind consists of. */
import type { z } from 'zod';
import type { HoldArea } from './account.ts';
import type { QueueName } from './due-queues.ts';
import type { EventsOf } from './events.ts';
import type { Fields } from './fields.ts';

/** What can be said of a state besides its name; `statesThatAre` finds the states by it. */
export type Trait =
  /** Nothing has left for it yet, so a condition of its account may keep it there. */
  | 'unsent'
  /** Its amount has still to leave, or is on its way. Not where nobody approved it, and not where that is in doubt. */
  | 'in flight'
  /** It may have taken effect already, or may do so any moment. */
  | 'in doubt'
  /** No money left, or it came back: it counts towards no limit of the day. */
  | 'without effect'
  /** Its reason says why it stands there. In other states a reason is left over from a review. */
  | 'reasoned';

/** What an applied recovery does with an operation in this state of a restored ledger. */
export type Restoring =
  /** To a person: nobody knows what became of it. */
  | 'review'
  /** Asked about; to a person unless the service says how it ended, or that it is under way. */
  | 'ask'
  /** Held until a person resumes it. */
  | 'hold'
  /** In doubt, and looked up in the statistics; never sent again. */
  | 'doubt'
  /** As it is: it is looked at as ever. */
  | 'look';

export interface State<Name extends string = string> {
  /** What is so, in a sentence. */
  readonly says: string;
  /** What to do about it, where that is not nothing. `{id}` is its id. */
  readonly next?: string;
  /** Where the next look at an operation in this state happens. Absent: nothing is due (final, or for a person). */
  readonly queue?: QueueName | { readonly normal: QueueName; readonly otp: QueueName };
  /** Which states may follow. Absent: none, it is final. */
  readonly to?: readonly Name[];
  /**
   * Where upstream's late word may still lead from a state that callers were told is final. Such a state is looked at
   * only when somebody has reason to: a callback came, a caller asks, or a success is due to be looked at again.
   */
  readonly late?: readonly Name[];
  /** Where a person may lead it once it is over: those that failed go out again. */
  readonly retried?: readonly Name[];
  readonly is?: readonly Trait[];
  /** Absent: it waits for somebody, as it is. */
  readonly restored?: Restoring;
}

interface Declaration<States, Events> {
  /** Its ids begin with it, and an underscore. */
  readonly prefix: string;
  /** What of its account is held when it may not be sent. Absent: no hold keeps it. */
  readonly area?: HoldArea;
  /** Which way its amount goes: the book of the day counts it so. Absent: it moves no money by itself. */
  readonly money?: 'out' | 'in';
  /** The field that says to which person it goes: it is found by that person's telephone number. */
  readonly payee?: 'accountAlias' | 'to' | 'phone';
  /** How a person may settle one that needs review. */
  readonly resolve?: readonly string[];
  readonly states: States;
  /** What callers send. Absent: nobody asks for one by itself. */
  readonly request?: z.ZodObject;
  /** In the order in which callers see them; then those that they do not see. */
  readonly fields: Fields;
  readonly events?: Events;
}

export type Declared = Declaration<Readonly<Record<string, State>>, EventsOf>;

/** The first state is the one that it begins in. */
export function kind<
  const States extends { readonly [Name in keyof States]: State<keyof States & string> },
  const Rest extends Omit<Declaration<unknown, EventsOf>, 'states'>,
>(declaration: Rest & { readonly states: States }): Rest & { readonly states: States } {
  return declaration;
}
