/** Every event that callers are told, from the declarations of what events are about. */
import type { EventDeclaration, EventsOf } from './events.ts';
import { type Kind, asDeclared, kinds, subjects } from './index.ts';

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
  // What `slice` leaves of a type is beyond the compiler; each type is declared under its subject.
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
  ? T extends `${S}.${infer State}`
    ? State
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
