/** Everything that callers ask for, and everything that events are about. */
import type { z } from 'zod';
import { account } from './account.ts';
import { batch } from './batch.ts';
import { campaign } from './campaign.ts';
import { directCredit } from './direct-credit.ts';
import { disbursement } from './disbursement.ts';
import type { QueueName } from './due-queues.ts';
import { eventEndpoint } from './event-endpoint.ts';
import type { EventDeclaration, EventsOf } from './events.ts';
import { intake } from './intake.ts';
import { invoice } from './invoice.ts';
import type { Declared, Restoring, State, Trait } from './kind.ts';
import { message } from './message.ts';
import { paymentRequest } from './payment-request.ts';
import { system } from './system.ts';

/** The kinds of operations, in the order in which people are shown them. A new one begins with its line here. */
export const operations = {
  disbursement,
  message,
  campaign,
  batch,
  invoice,
  payment_request: paymentRequest,
  direct_credit: directCredit,
} as const;

/** What events are about, by the first word of their types. */
export const subjects = { ...operations, account, endpoint: eventEndpoint, intake, system } as const;

export type Kind = keyof typeof operations;
export type StateOf<K extends Kind> = keyof (typeof operations)[K]['states'] & string;

/** What a caller may ask for, as it was checked; and as the caller writes it. */
export type RequestOf<K extends AskedKind> = z.output<(typeof operations)[K]['request']>;
export type InputOf<K extends AskedKind> = z.input<(typeof operations)[K]['request']>;
/** The kinds that callers ask for one by one. */
export type AskedKind = { [K in Kind]: (typeof operations)[K] extends { request: z.ZodObject } ? K : never }[Kind];
/** The kinds that move money, or those that move it so. */
export type KindOfMoney<Way extends 'in' | 'out' = 'in' | 'out'> = {
  [K in Kind]: (typeof operations)[K] extends { money: Way } ? K : never;
}[Kind];
/** The kinds with a state that is looked at in this queue. */
export type KindInQueue<Queue extends QueueName> = {
  [K in Kind]: Queue extends QueuesOf<(typeof operations)[K]['states']> ? K : never;
}[Kind];
type QueuesOf<States> = {
  [N in keyof States]: States[N] extends { queue: infer Queue } ? Queue : never;
}[keyof States];
/** The states of a kind that are looked at in this queue. */
export type StateInQueue<K extends Kind, Queue extends QueueName> = StatesIn<(typeof operations)[K]['states'], Queue>;
type StatesIn<States, Queue extends QueueName> = {
  [N in keyof States & string]: States[N] extends { queue: Queue } ? N : never;
}[keyof States & string];

/** Read from the list: TypeScript knows no more of the keys of an object than that they are texts. */
export const kinds = Object.keys(operations) as Kind[];

const declarations: Readonly<Record<Kind, Declared>> = operations;

/** As far as the compiler follows a look-up by a kind that is still open. */
export function asDeclared(kind: Kind): Declared {
  return declarations[kind];
}

/** Of what kind an operation is that has this id, whether or not there is one. Undefined: it is no id of ours. */
export function kindOf(id: string): Kind | undefined {
  const prefix = id.slice(0, id.indexOf('_'));
  return kinds.find((kind) => declarations[kind].prefix === prefix);
}

/** What follows from the states of the kinds: guards, arrows, and the queue of each. */

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

/** What an applied recovery does with an operation in this state. Undefined: nothing, it waits. */
export function restoringOf(kind: Kind, state: string): Restoring | undefined {
  return asDeclared(kind).states[state]?.restored;
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

/** Every event that callers are told, from the declarations of what events are about. */

type Subjects = typeof subjects;
type Told = {
  [S in keyof Subjects as Subjects[S] extends { events: EventsOf } ? S : never]: Subjects[S] extends {
    events: infer E extends EventsOf;
  }
    ? E
    : never;
};
/** What events are about: the first word of their types. */
export type Subject = keyof Told;
export type EventType = { [S in Subject]: keyof Told[S]['types'] & string }[Subject];

type SubjectOf<T extends string> = T extends `${infer S extends Subject}.${string}` ? S : never;
/** The schema of what an event of this type carries. */
export type DataSchemaOf<T extends EventType> = Told[SubjectOf<T>]['data'];

const told = Object.entries(subjects).flatMap(([subject, declared]): (readonly [string, EventsOf])[] =>
  'events' in declared ? [[subject, declared.events]] : [],
);

/** What is now true, and an example. By type, in the order in which people are shown them. */
export const catalogue: Readonly<Record<EventType, EventDeclaration>> = Object.assign(
  {},
  ...told.map(([, { types }]) => types),
);

// Of the keys of an object TypeScript knows no more than that they are texts, nor that there is one.
export const eventTypes = Object.keys(catalogue) as [EventType, ...EventType[]];

/** In the order in which people are shown them. */
export const eventSubjects = told.map(([subject]) => subject) as Subject[];

export function subjectOf<T extends EventType>(type: T): SubjectOf<T> {
  // What splitting leaves of a type is beyond the compiler; each type is declared under its subject.
  return type.slice(0, type.indexOf('.')) as SubjectOf<T>;
}

const dataSchemas: ReadonlyMap<string, EventsOf['data']> = new Map(
  told.map(([subject, { data }]) => [subject, data]),
);

/** Which type it is, is known to the caller, but not followed through a look-up by a type that is still open. */
export function dataSchemaOf<T extends EventType>(type: T): DataSchemaOf<T> {
  return dataSchemas.get(subjectOf(type)) as DataSchemaOf<T>;
}

/** What callers are told of a kind: the second words of its types. */
export type ToldStates<S extends Subject> = keyof Told[S]['types'] extends infer T
  ? T extends `${S}.${infer Word}`
    ? Word
    : never
  : never;

/** The state that an event of this type tells. */
export function stateToldBy(type: string): string {
  const declared: Readonly<Record<string, EventDeclaration>> = catalogue;
  return declared[type]?.state ?? type.slice(type.indexOf('.') + 1);
}

/** What each event of its kind has of the record, in their order, under the names that callers know. */
export function carriedBy(record: { readonly kind: Kind }): Readonly<Record<string, unknown>> {
  const values: Readonly<Record<string, unknown>> = { ...record };
  return Object.fromEntries((carried.get(record.kind) ?? []).map(([as, name]) => [as, values[name]]));
}

const carried: ReadonlyMap<string, readonly (readonly [as: string, name: string])[]> = new Map(
  kinds.map((kind) => {
    const { fields, events } = asDeclared(kind);
    const nameOf = (as: string): string =>
      Object.keys(fields).find((name) => (fields[name]?.as ?? name) === as) ?? as;
    return [kind, (events?.carries ?? []).map((as) => [as, nameOf(as)] as const)];
  }),
);
