/** What follows from the states of the kinds: guards, the words of the scripts, and where each is looked at. */
import type { QueueName } from './due-queues.ts';
import { type Kind, type StateOf, asDeclared, kinds } from './index.ts';
import type { Restoring, State, Trait } from './kind.ts';

export function stateOf(kind: Kind, state: string): State {
  const found = asDeclared(kind).states[state];
  if (!found) throw new Error(`no state "${state}" in the lifecycle of a ${kind}`);
  return found;
}

export function statesOf<K extends Kind>(kind: K): readonly StateOf<K>[] {
  // Of the keys of an object TypeScript knows no more than that they are texts.
  return Object.keys(asDeclared(kind).states) as StateOf<K>[];
}

/** The states of a kind of which this can be said. */
export function statesThatAre<K extends Kind>(kind: K, trait: Trait): readonly StateOf<K>[] {
  return statesOf(kind).filter((state) => stateOf(kind, state).is?.includes(trait));
}

export function isState(kind: Kind, state: string, trait: Trait): boolean {
  return stateOf(kind, state).is?.includes(trait) ?? false;
}

/**
 * As what it counts beside its state, with its XOF: with its account, where nothing was sent of it yet; by its age,
 * where money may have moved.
 */
export function standsAs(kind: Kind, state: string): 'unsent' | 'doubt' | undefined {
  if (isState(kind, state, 'unsent')) return 'unsent';
  return isState(kind, state, 'in doubt') ? 'doubt' : undefined;
}

/** What an apply does with one that stands so in a Redis that was put back. Undefined: nothing, it waits. */
export function restoringOf(kind: Kind, state: string): Restoring | undefined {
  return asDeclared(kind).states[state]?.restored;
}

/** The states of a kind that an apply treats so. */
export function statesRestored<K extends Kind>(kind: K, ...as: readonly Restoring[]): readonly StateOf<K>[] {
  return statesOf(kind).filter((state) => as.some((one) => one === restoringOf(kind, state)));
}

/** What a step does to the sums of the day in which the operation was counted: 1 counts it again, -1 gives it back. */
export function recountOf(kind: Kind, from: string, to: string): -1 | 0 | 1 {
  const [did, does] = [!isState(kind, from, 'without effect'), !isState(kind, to, 'without effect')];
  return did === does ? 0 : does ? 1 : -1;
}

/** Callers are told that it is over. */
export function isFinal(kind: Kind, state: string): boolean {
  return stateOf(kind, state).to === undefined;
}

/** Final, and no word of upstream leads on from it: nobody looks at it again. */
export function isOver(kind: Kind, state: string): boolean {
  return isFinal(kind, state) && queueOf(kind, state) === undefined;
}

/** `lane` matters where one-time passwords have a queue of their own. */
export function queueOf(kind: Kind, state: string, lane = 'normal'): QueueName | undefined {
  const { queue } = stateOf(kind, state);
  return typeof queue === 'object' ? queue[lane === 'otp' ? 'otp' : 'normal'] : queue;
}

/** Throws when the declaration has no such arrow: that is a fault in our code, never in what came from outside. */
export function assertArrow(kind: Kind, from: string, to: string): void {
  const { to: next = [], late = [] } = stateOf(kind, from);
  if (from !== to && !next.includes(to) && !late.includes(to)) {
    throw new Error(`the lifecycle of a ${kind} has no arrow from ${from} to ${to}`);
  }
}

/** The queue in which upstream is asked how an operation that is under way has ended. */
export function lookQueueOf(kind: 'disbursement' | 'invoice' | 'payment_request'): QueueName {
  const queue = queueOf(kind, 'pending');
  if (queue === undefined) throw new Error(`nobody looks at a pending ${kind}`);
  return queue;
}

/** The states of a kind that are looked at in this queue. */
export function statesInQueue(kind: Kind, queue: QueueName): readonly string[] {
  return statesOf(kind).filter((state) => [queueOf(kind, state), queueOf(kind, state, 'otp')].includes(queue));
}

/** The kinds that callers know. A slice is how we send, and is told of by its recipients. */
export type CountedKind = Exclude<Kind, 'slice'>;
export const countedKinds: readonly CountedKind[] = kinds.filter((kind) => kind !== 'slice');
