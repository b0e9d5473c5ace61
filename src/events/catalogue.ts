/** Every event: schemas and TypeScript types, from the declarations of the kinds. */
import { z } from 'zod';
import {
  type DataSchemaOf,
  type EventType,
  dataSchemaOf,
  eventTypes,
  catalogue,
  subjectOf,
  subjects,
} from '../kinds/index.ts';
import { derivedId } from '../lib/ids.ts';

/** The fields around the `data` of every event. */
const envelope = {
  id: z.string().meta({ description: 'Stable: the operation and its sequence. The same each time it is delivered.' }),
  timestamp: z.iso.datetime().meta({ description: 'When the state was entered.' }),
  sequence: z.int().positive().meta({
    description:
      'Grows by one per operation, and by a thousand with each recovery; no order is promised between operations.',
  }),
  account: z.string().meta({ description: 'The name of the account that it is about.' }),
};

/** Any event, for a reader that takes all types. */
export const eventSchema = z
  .looseObject({
    ...envelope,
    type: z.enum(eventTypes),
    data: z.looseObject({ id: z.string(), state: z.string().optional(), reference: z.string().optional() }),
  })
  .meta({ id: 'Event' });

export type CompletionEvent = z.output<typeof eventSchema>;

/** Strict about the name of the type, and lenient about later fields. */
type EventSchemaOf<T extends EventType> = z.ZodObject<
  typeof envelope & { type: z.ZodLiteral<T>; data: DataSchemaOf<T> },
  z.core.$loose
>;

/** An event of one type with typed `data`. */
export type EventOf<T extends EventType> = z.output<EventSchemaOf<T>>;

export function schemaOf<T extends EventType>(type: T): EventSchemaOf<T> {
  const { id, ...rest } = envelope;
  return z.looseObject({ id, type: z.literal(type), ...rest, data: dataSchemaOf(type) });
}

/** JSON Schema (draft 2020-12) of one type, for readers in other languages. */
export function jsonSchemaOf(type: EventType): Record<string, unknown> {
  return { ...z.toJSONSchema(schemaOf(type)) };
}

/** The fields that matter to a test; the others get defaults. */
export interface EventDetails<T extends EventType> {
  readonly account?: string;
  readonly sequence?: number;
  readonly timestamp?: string;
  readonly data?: Partial<EventOf<T>['data']>;
}

/** An event as relais would deliver it, for tests of receivers. Throws for an impossible event. */
export function anEvent<T extends EventType>(type: T, details: EventDetails<T> = {}): EventOf<T> {
  const { account = 'main', sequence = 1, timestamp = '2026-11-21T08:00:00.000Z' } = details;
  const { example, state = type.slice(type.indexOf('.') + 1) } = catalogue[type];
  const data: Readonly<Record<string, unknown>> = {
    ...idOf(type),
    ...('state' in dataSchemaOf(type).shape ? { state } : {}),
    ...example,
    ...details.data,
  };
  return schemaOf(type).parse({ id: `${String(data['id'])}.${sequence}`, type, timestamp, sequence, account, data });
}

/** A subject without a prefix has a name, which is in the example. */
function idOf(type: EventType): { readonly id?: string } {
  const subject = subjects[subjectOf(type)];
  return 'prefix' in subject ? { id: derivedId(subject.prefix, 'example') } : {};
}
