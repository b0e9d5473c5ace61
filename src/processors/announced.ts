/** What callers are told about an operation. No telephone number: a caller knows the beneficiary by its reference. */
import { type ToldStates, carriedBy, stateToldBy } from '../kinds/event-types.ts';
import type { Kind, operations } from '../kinds/index.ts';
import type { RecordAt } from '../operations/record.ts';
import type { EventDraft } from '../operations/transition.ts';

/** The kinds that are carried out by attempts, and that a person may therefore have to resolve. */
export type AttemptedKind = {
  [K in Kind]: (typeof operations)[K] extends { readonly resolve: readonly string[] } ? K : never;
}[Kind];
export type CollectKind = Exclude<AttemptedKind, 'disbursement'>;
type AnnouncedBy = { readonly [K in AttemptedKind]: ToldStates<K> };
/** What callers are told of, as its types name it. */
export type Announced<K extends AttemptedKind> = AnnouncedBy[K];

export function eventOf<K extends AttemptedKind>(
  record: RecordAt<K>,
  to: Announced<K>,
  more: Readonly<Record<string, unknown>> = {},
): EventDraft {
  const type = `${record.kind}.${to}`;
  return { type, data: { id: record.id, state: stateToldBy(type), ...carriedBy(record), ...more } };
}
