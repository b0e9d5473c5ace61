import { derivedId } from '../lib/ids.ts';
import { type EventOf, type EventType, catalogue, familyOf, schemaOf } from './catalogue.ts';

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
  const family: string = familyOf(type);
  const [, state] = type.split('.');
  const stateful = family === 'account' ? {} : { state };
  const example: Readonly<Record<string, unknown>> = catalogue[type].example;
  const data: Readonly<Record<string, unknown>> = { id: idFor(family), ...stateful, ...example, ...details.data };
  return schemaOf(type).parse({ id: `${String(data['id'])}.${sequence}`, type, timestamp, sequence, account, data });
}

const PREFIXES: Readonly<Record<string, string>> = { disbursement: 'dsb', message: 'msg', campaign: 'cmp' };

function idFor(family: string): string {
  return derivedId(PREFIXES[family] ?? family.slice(0, 3), 'example');
}
