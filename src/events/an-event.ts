import { derivedId } from '../lib/ids.ts';
import { type EventType, catalogue, dataSchemaOf, subjectOf } from '../kinds/event-types.ts';
import { subjects } from '../kinds/index.ts';
import { type EventOf, schemaOf } from './catalogue.ts';

/** What a test cares about; the rest is complete and boring. */
export interface EventDetails<T extends EventType> {
  readonly account?: string;
  readonly sequence?: number;
  readonly timestamp?: string;
  readonly data?: Partial<EventOf<T>['data']>;
}

/** An event as relais would tell it, for the tests of services that listen. Throws for one that it never would. */
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

/** What has no prefix has a name, which is in the example. */
function idOf(type: EventType): { readonly id?: string } {
  const subject = subjects[subjectOf(type)];
  return 'prefix' in subject ? { id: derivedId(subject.prefix, 'example') } : {};
}
