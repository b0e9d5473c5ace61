/** Every kind of request, and every subject of events. */
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

/** The kinds of operations in display order. Add a new kind here first. */
export const operations = {
  disbursement,
  message,
  campaign,
  batch,
  invoice,
  payment_request: paymentRequest,
  direct_credit: directCredit,
} as const;

/** The subjects of events, by the first word of their types. */
export const subjects = { ...operations, account, endpoint: eventEndpoint, intake, system } as const;

export type Kind = keyof typeof operations;
export type StateOf<K extends Kind> = keyof (typeof operations)[K]['states'] & string;

/** A validated request; and its form before validation. */
export type RequestOf<K extends AskedKind> = z.output<(typeof operations)[K]['request']>;
export type InputOf<K extends AskedKind> = z.input<(typeof operations)[K]['request']>;
/** The kinds that callers can request one by one. */
export type AskedKind = { [K in Kind]: (typeof operations)[K] extends { request: z.ZodObject } ? K : never }[Kind];
/** The kinds that move money, optionally by direction. */
export type KindOfMoney<Way extends 'in' | 'out' = 'in' | 'out'> = {
  [K in Kind]: (typeof operations)[K] extends { money: Way } ? K : never;
}[Kind];
/** The kinds with a state that this queue checks. */
export type KindInQueue<Queue extends QueueName> = {
  [K in Kind]: Queue extends QueuesOf<(typeof operations)[K]['states']> ? K : never;
}[Kind];
type QueuesOf<States> = {
  [N in keyof States]: States[N] extends { queue: infer Queue } ? Queue : never;
}[keyof States];
/** The states of a kind that this queue checks. */
export type StateInQueue<K extends Kind, Queue extends QueueName> = StatesIn<(typeof operations)[K]['states'], Queue>;
type StatesIn<States, Queue extends QueueName> = {
  [N in keyof States & string]: States[N] extends { queue: Queue } ? N : never;
}[keyof States & string];

/** TypeScript types the keys of an object only as strings. */
export const kinds = Object.keys(operations) as Kind[];

const declarations: Readonly<Record<Kind, Declared>> = operations;

/** The declaration for a generic kind, which the compiler cannot look up. */
export function asDeclared(kind: Kind): Declared {
  return declarations[kind];
}

/** The kind of an id, whether or not the operation exists. Undefined: it is not one of our ids. */
export function kindOf(id: string): Kind | undefined {
  const prefix = id.slice(0, id.indexOf('_'));
  return kinds.find((kind) => declarations[kind].prefix === prefix);
}

/** Derived from the states of the kinds: guards, arrows, and queues. */

export function stateOf(kind: Kind, state: string): State {
  const found = asDeclared(kind).states[state];
  if (!found) throw new Error(`no state "${state}" in the lifecycle of a ${kind}`);
  return found;
}

export function statesOf<K extends Kind>(kind: K): readonly StateOf<K>[] {
  // TypeScript types the keys of an object only as strings.
  return Object.keys(asDeclared(kind).states) as StateOf<K>[];
}

/** The states of a kind with this trait. */
export function statesThatAre<K extends Kind>(kind: K, trait: Trait): readonly StateOf<K>[] {
  return statesOf(kind).filter((state) => stateOf(kind, state).is?.includes(trait));
}

export function isState(kind: Kind, state: string, trait: Trait): boolean {
  return stateOf(kind, state).is?.includes(trait) ?? false;
}

/**
 * How an operation counts in the status figures: by account while nothing was sent for it; by age when money may have
 * moved.
 */
export function standsAs(kind: Kind, state: string): 'unsent' | 'doubt' | undefined {
  if (isState(kind, state, 'unsent')) return 'unsent';
  return isState(kind, state, 'in doubt') ? 'doubt' : undefined;
}

/** The action of an applied recovery in this state. Undefined: none, the operation waits. */
export function restoringOf(kind: Kind, state: string): Restoring | undefined {
  return asDeclared(kind).states[state]?.restored;
}

/** How a transition changes the sums of the operation's day: 1 counts it again, -1 subtracts it. */
export function recountOf(kind: Kind, from: string, to: string): -1 | 0 | 1 {
  const [did, does] = [!isState(kind, from, 'without effect'), !isState(kind, to, 'without effect')];
  return did === does ? 0 : does ? 1 : -1;
}

/** Reported to callers as final. */
export function isFinal(kind: Kind, state: string): boolean {
  return stateOf(kind, state).to === undefined;
}

/** Final, and no late status can change it: it is never checked again. */
export function isOver(kind: Kind, state: string): boolean {
  return isFinal(kind, state) && queueOf(kind, state) === undefined;
}

/** `lane` matters because one-time passwords have a queue of their own. */
export function queueOf(kind: Kind, state: string, lane = 'normal'): QueueName | undefined {
  const { queue } = stateOf(kind, state);
  return typeof queue === 'object' ? queue[lane === 'otp' ? 'otp' : 'normal'] : queue;
}

/** Throws if the declaration has no such arrow: an error in our code, never in input. */
export function assertArrow(kind: Kind, from: string, to: string): void {
  const { to: next = [], late = [] } = stateOf(kind, from);
  if (from !== to && !next.includes(to) && !late.includes(to)) {
    throw new Error(`the lifecycle of a ${kind} has no arrow from ${from} to ${to}`);
  }
}

/** The queue that checks the status of a pending operation. */
export function lookQueueOf(kind: 'disbursement' | 'invoice' | 'payment_request'): QueueName {
  const queue = queueOf(kind, 'pending');
  if (queue === undefined) throw new Error(`nobody looks at a pending ${kind}`);
  return queue;
}

/** The states of a kind that this queue checks. */
export function statesInQueue(kind: Kind, queue: QueueName): readonly string[] {
  return statesOf(kind).filter((state) => [queueOf(kind, state), queueOf(kind, state, 'otp')].includes(queue));
}

/** Every event type, derived from the declarations of the subjects. */

type Subjects = typeof subjects;
type Told = {
  [S in keyof Subjects as Subjects[S] extends { events: EventsOf } ? S : never]: Subjects[S] extends {
    events: infer E extends EventsOf;
  }
    ? E
    : never;
};
/** Subjects of events: the first words of their types. */
export type Subject = keyof Told;
export type EventType = { [S in Subject]: keyof Told[S]['types'] & string }[Subject];

type SubjectOf<T extends string> = T extends `${infer S extends Subject}.${string}` ? S : never;
/** The schema of what an event of this type carries. */
export type DataSchemaOf<T extends EventType> = Told[SubjectOf<T>]['data'];

const told = Object.entries(subjects).flatMap(([subject, declared]): (readonly [string, EventsOf])[] =>
  'events' in declared ? [[subject, declared.events]] : [],
);

/** A description and an example. By type, in display order. */
export const catalogue: Readonly<Record<EventType, EventDeclaration>> = Object.assign(
  {},
  ...told.map(([, { types }]) => types),
);

// TypeScript types the keys of an object only as strings, possibly none.
export const eventTypes = Object.keys(catalogue) as [EventType, ...EventType[]];

/** In display order. */
export const eventSubjects = told.map(([subject]) => subject) as Subject[];

export function subjectOf<T extends EventType>(type: T): SubjectOf<T> {
  // The compiler cannot follow the split; each type is declared under its subject.
  return type.slice(0, type.indexOf('.')) as SubjectOf<T>;
}

const dataSchemas: ReadonlyMap<string, EventsOf['data']> = new Map(
  told.map(([subject, { data }]) => [subject, data]),
);

/** The caller knows the type, which the compiler cannot follow through a generic look-up. */
export function dataSchemaOf<T extends EventType>(type: T): DataSchemaOf<T> {
  return dataSchemas.get(subjectOf(type)) as DataSchemaOf<T>;
}

/** The reported states of a subject: the second words of its types. */
export type ToldStates<S extends Subject> = keyof Told[S]['types'] extends infer T
  ? T extends `${S}.${infer Word}`
    ? Word
    : never
  : never;

/** The state that an event of this type reports. */
export function stateToldBy(type: string): string {
  const declared: Readonly<Record<string, EventDeclaration>> = catalogue;
  return declared[type]?.state ?? type.slice(type.indexOf('.') + 1);
}

/** The record fields of each event of its kind, in order and under their public names. */
export function carriedBy(record: { readonly kind: Kind }): Readonly<Record<string, unknown>> {
  const values: Readonly<Record<string, unknown>> = { ...record };
  return Object.fromEntries((carried.get(record.kind) ?? []).map(({ as, name, of }) => [as, of(values[name])]));
}

interface Carried {
  readonly as: string;
  readonly name: string;
  /** The value of the field, as events have it. */
  readonly of: (value: unknown) => unknown;
}

const carried: ReadonlyMap<string, readonly Carried[]> = new Map(
  kinds.map((kind) => {
    const { fields, events } = asDeclared(kind);
    const nameOf = (as: string): string =>
      Object.keys(fields).find((name) => (fields[name]?.as ?? name) === as) ?? as;
    const carriedAs = (as: string): Carried => {
      const name = nameOf(as);
      return { as, name, of: fields[name]?.reported ?? ((value) => value) };
    };
    return [kind, (events?.carries ?? []).map(carriedAs)];
  }),
);
